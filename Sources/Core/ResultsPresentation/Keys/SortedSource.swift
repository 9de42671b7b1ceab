import OrderStatistics
import ResultsDomain

/// What an index would answer, from all keys of one version: so a list whose index went away can still be read until it is fetched anew.
final class SortedSource: OrderedSource {
  private let keys: SortedKeyList
  private let layout: KeyLayout

  /// - Complexity: O(*n* log *n*): the store has to sort.
  init(_ definition: OrderDefinition, in snapshot: any StoreSnapshot) throws(StoreError) {
    keys = try ListEngine.keys(of: definition, in: snapshot)
    layout = definition.layout
  }

  func count(from lower: KeyBound?, to upper: KeyBound?) -> Int {
    positions(from: lower, to: upper).count
  }

  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) -> EntryBatch {
    batch(positions(from: lower, to: upper).dropFirst(skipped).prefix(limit))
  }

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    let positions = Swift.stride(from: 0, to: keys.count, by: max(1, stride))
    return try body(batch(positions)) ? keys.count : nil
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var start = 0
    while start < keys.count {
      let prefix = keys.withKey(at: start) { key in
        Array(key[0..<layout.prefixLength(columns: columns, in: key)])
      }
      let end = position(of: .after(prefix))
      guard try body(prefix, end - start) else { return }
      start = end
    }
  }

  private func batch(_ positions: some Sequence<Int>) -> EntryBatch {
    var batch = EntryBatch()
    for position in positions {
      batch.append { writer in writer.bytes.append(contentsOf: keys.key(at: position)) }
    }
    return batch
  }

  private func positions(from lower: KeyBound?, to upper: KeyBound?) -> Range<Int> {
    let start = lower.map(position(of:)) ?? 0
    return start..<max(start, upper.map(position(of:)) ?? keys.count)
  }

  private func position(of bound: KeyBound) -> Int {
    keys.rank(of: layout.searchKey(for: bound))
  }
}
