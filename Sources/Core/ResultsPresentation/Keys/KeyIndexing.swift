import OrderStatistics
import ResultsDomain

/// When a list leaves its keys to an index of its store.
struct KeyIndexing: Sendable {
  /// The store, which is read whenever keys are asked for.
  let store: any Store
  /// A list of at most so many rows holds its keys all the same.
  var heldKeysLimit: Int
  /// How many keys a block has, about.
  var stride = 96
  /// From how many row changes on a change need not be known row by row.
  var resetThreshold: Int?
  /// How the places of many keys are found.
  var placing = KeyPlacing.cheapest

  /// Is called before keys are counted, which takes time that grows with them.
  var willCount: (@Sendable (any StoreSnapshot, any OrderedSource) throws(StoreError) -> Void)?
  /// Whether to go on counting.
  var isWanted: (@Sendable () -> Bool)?

  /// - Returns: `nil` for a store whose history leaves commits out: what an index had in an earlier version can be told only where every
  ///   commit is.
  init?(_ store: any Store, heldKeysLimit: Int = ResultsOptions().heldKeysLimit) {
    guard store.capabilities.historyCoverage == .everyWriter else { return nil }
    self.store = store
    self.heldKeysLimit = heldKeysLimit
  }

  /// The keys of a list, held or indexed.
  /// - Throws: The store's error.
  /// - Complexity: O(*n*) in the rows that match; far less is read if they are indexed.
  static func keys(
    of plan: ListPlan,
    _ indexing: KeyIndexing?,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ListKeys {
    if let index = indexing?.index(of: plan), let indexing,
      let source = try snapshot.orderedSource(of: plan.definition),
      try indexing.isLong(source)
    {
      try indexing.willCount?(snapshot, source)
      let isWanted = indexing.isWanted ?? { true }
      if let keys = try IndexedKeys(counting: index, source, snapshot.version, while: isWanted) {
        return .indexed(keys)
      }
    }
    return .held(try ListEngine.keys(of: plan.definition, in: snapshot))
  }

  /// Whether there are more keys than a list holds.
  /// - Complexity: O(*k*) for the *k* keys that a list holds at most.
  private func isLong(_ source: any OrderedSource) throws(StoreError) -> Bool {
    guard heldKeysLimit >= 0 else { return true }
    return try source.keys(from: nil, to: nil, skipping: heldKeysLimit, limit: 1).count > 0
  }

  /// How a list's keys would be read off an index, or `nil` if the list needs them all at hand.
  func index(of plan: ListPlan) -> StoreIndex? {
    guard !plan.isFrozen, !plan.readsSectionsAnew else { return nil }
    return StoreIndex(
      store: store,
      plan: plan,
      stride: stride,
      placing: placing
    )
  }
}

/// How the places of keys that a change touches are found in an index.
package enum KeyPlacing: Sendable {
  /// In the way that takes less time.
  case cheapest
  /// By a search and a count for each.
  case seeking
  /// By one pass over all keys.
  case passing

  /// How many keys are passed over in the time that one is sought and counted.
  private static let keysPassedForOneSought = 64
  /// So few keys are sought in a list of any length.
  private static let alwaysSought = 8

  /// Whether keys are sought one by one.
  func seeks(_ keys: Int, among count: Int) -> Bool {
    switch self {
    case .cheapest:
      keys <= KeyPlacing.alwaysSought || keys <= count / KeyPlacing.keysPassedForOneSought
    case .seeking: true
    case .passing: false
    }
  }
}

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
