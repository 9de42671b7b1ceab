import OrderStatistics
import ResultsDomain

/// The keys of one definition in one version of a store, for the time of a snapshot.
final class InMemoryOrderedSource: OrderedSource {
  private let layout: KeyLayout
  private let store: InMemoryStore
  private var list: SortedKeyList?

  init(_ order: KeptOrder, of store: InMemoryStore) {
    layout = order.definition.layout
    list = order.keys
    self.store = store
  }

  /// Lets go of the keys, so that a source that was kept pins nothing.
  func end() { list = nil }

  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    range(from: lower, to: upper, in: try current()).count
  }

  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let list = try current()
    let range = range(from: lower, to: upper, in: list).dropFirst(max(0, skipped))
      .prefix(max(0, limit))
    var batch = EntryBatch()
    list.forEachKey(in: range) { _, key in batch.append { $0.bytes.append(contentsOf: key) } }
    return batch
  }

  func estimatedCount() throws(StoreError) -> Int? { try current().count }

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    let list = try current()
    var batch = EntryBatch()
    for position in Swift.stride(from: 0, to: list.count, by: max(1, stride)) {
      list.withKey(at: position) { key in batch.append { $0.bytes.append(contentsOf: key) } }
      guard batch.count == KeyArena.batchLimit else { continue }
      guard try body(batch) else { return nil }
      batch.removeAll()
    }
    guard batch.count > 0 else { return list.count }
    return try body(batch) ? list.count : nil
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let list = try current()
    var start = 0
    while start < list.count {
      let prefix = list.withKey(at: start) { key in
        Array(key.prefix(layout.prefixLength(columns: columns, in: key)))
      }
      let end = position(of: .behind(prefix), in: list)
      guard end > start, try body(prefix, end - start) else { return }
      start = end
    }
  }

  private func current() throws(StoreError) -> SortedKeyList {
    guard let list else { throw store.usedAfterEnd("source of keys") }
    return list
  }

  private func range(
    from lower: KeyBound?,
    to upper: KeyBound?,
    in list: SortedKeyList
  ) -> Range<Int> {
    let start = lower.map { position(of: $0, in: list) } ?? 0
    let end = upper.map { position(of: $0, in: list) } ?? list.count
    return start..<max(start, end)
  }

  private func position(of bound: KeyBound, in list: SortedKeyList) -> Int {
    list.rank(of: layout.firstBytes(at: bound))
  }
}
