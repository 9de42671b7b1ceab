import OrderStatistics
import ResultsDomain
import Synchronization

/// The index of a store that has the keys of a list, and access to it at any time.
final class StoreIndex: Sendable {
  let store: any Store
  let plan: ListPlan
  /// About how many keys a block has; it has at most twice as many.
  let stride: Int
  /// How the positions of many keys are found.
  let lookup: KeyLookup
  /// Ids of sections that cannot be read from the bytes their keys begin with.
  let sectionIDs = SectionIDCache()

  init(store: any Store, plan: ListPlan, stride: Int, lookup: KeyLookup) {
    self.store = store
    self.plan = plan
    self.stride = stride
    self.lookup = lookup
  }

  var definition: OrderDefinition { plan.definition }
  var rule: SectionRule { plan.rule }
  var layout: KeyLayout { definition.layout }
  var entity: EntityDescription { definition.entity }

  /// Returns the index in one version of the store, or all keys of that version where the index no longer exists.
  /// - Throws: The store's error.
  /// - Complexity: O(1); O(*n* log *n*) without the index, until the next commit fetches the list again.
  func source(in snapshot: any StoreSnapshot) throws(StoreError) -> any OrderedSource {
    if let source = try snapshot.orderedSource(of: definition) { return source }
    return try SortedSource(definition, in: snapshot)
  }
}

// MARK: - Section ids

/// Ids of sections by the bytes that their keys begin with, where the id is not part of those bytes.
///
/// The bytes determine the id, so all generations share one cache. The mutex guards `known`, which only grows; nothing is called while
/// it is held, except the section rule.
final class SectionIDCache: Sendable {
  private let known = Mutex<[[UInt8]: Value]>([:])

  /// The id of the section that begins with some bytes, if one of its keys was recorded.
  subscript(lower: [UInt8]) -> Value? { known.withLock { $0[lower] } }

  /// Records the id of the section that a key belongs to.
  func record(_ key: [UInt8], from lower: [UInt8], _ rule: SectionRule, _ layout: KeyLayout) {
    guard case .grouping = rule else { return }
    known.withLock { known in
      guard known[lower] == nil else { return }
      known[lower] = key.withUnsafeBytes { rule.id(of: $0, layout) }
    }
  }
}

// MARK: - Without an index

/// An ordered source over all keys of one version, in memory: it serves a list whose index no longer exists until the list is
/// fetched again.
private final class SortedSource: OrderedSource {
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
      let end = position(of: .behind(prefix))
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
    keys.rank(of: layout.firstBytes(at: bound))
  }
}
