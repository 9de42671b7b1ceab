package import OrderStatistics
public import ResultsDomain
public import ResultsStoreKit

/// The reference implementation of `OrderedSource`: it reads all keys once, then counts and slices them in memory.
public final class ScannedSource: OrderedSource {
  /// The keys of the definition, in order.
  package let keys: SortedKeyList
  private let layout: KeyLayout

  /// Creates a source from all keys of a definition.
  /// - Throws: The store's error, or `StoreError.unexpected` for keys out of order.
  /// - Complexity: O(*n*)
  public init(_ definition: OrderDefinition, in snapshot: any StoreSnapshot) throws(StoreError) {
    var found: [[UInt8]] = []
    try snapshot.entries(of: definition) { (batch) throws(StoreError) in
      var start = 0
      for end in batch.ends {
        found.append(Array(batch.bytes[start..<end]))
        start = end
      }
      return true
    }
    do {
      keys = try SortedKeyList(sorted: found)
    } catch {
      throw .unexpected(path: definition.entity.name, detail: "\(error)")
    }
    layout = definition.layout
  }

  /// Returns the number of keys between two bounds.
  public func count(from lower: KeyBound?, to upper: KeyBound?) -> Int {
    positions(from: lower, to: upper).count
  }

  /// Returns the keys between two bounds.
  public func keys(
    from lower: KeyBound?,
    to upper: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) -> EntryBatch {
    batch(positions(from: lower, to: upper).dropFirst(skipped).prefix(limit))
  }

  /// Passes every `stride`-th key to a closure, in batches.
  /// - Returns: The number of all keys, or `nil` if the closure returned false.
  public func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    for start in Swift.stride(from: 0, to: keys.count, by: 4 * stride) {
      let end = min(start + 4 * stride, keys.count)
      guard try body(batch(Swift.stride(from: start, to: end, by: stride))) else { return nil }
    }
    return keys.count
  }

  /// Passes the number of keys for each value of the first columns to a closure.
  public func groups(
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
    // The next column starts with 1, 2 or 3; any other byte belongs to a text that continues after a zero byte.
    guard !bound.isAfter else { return keys.rank(of: bound.columns + [4]) }
    guard bound.columns.last == 255 else { return keys.rank(of: bound.columns) }
    let isWhole = keys.position(of: bound.columns) != nil
    return keys.rank(of: isWhole ? bound.columns : bound.columns + [1])
  }
}
