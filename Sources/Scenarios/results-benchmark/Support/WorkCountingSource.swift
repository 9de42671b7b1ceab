import ResultsDomain

/// An index that counts the keys that are read through it.
final class WorkCountingSource: OrderedSource {
  private let base: any OrderedSource
  private let store: WorkCountingStore

  init(_ base: any OrderedSource, _ store: WorkCountingStore) {
    self.base = base
    self.store = store
  }

  func count(from lower: KeyBound?, to upper: KeyBound?) throws(StoreError) -> Int {
    store.count { _ in }
    return try base.count(from: lower, to: upper)
  }

  func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    let batch = try base.keys(from: lower, to: upper, skipping: skipped, limit: limit)
    store.count { $0.keys += batch.count }
    return batch
  }

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    var keys = 0
    defer { store.count { $0.keys += keys } }
    return try base.sample(every: stride) { (batch) throws(StoreError) in
      keys += batch.count
      return try body(batch)
    }
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    store.count { _ in }
    try base.groups(byFirstColumns: columns, body)
  }

  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] {
    try base.ranks(of: keys)
  }

  func estimatedCount() throws(StoreError) -> Int? {
    store.count { _ in }
    return try base.estimatedCount()
  }
}
