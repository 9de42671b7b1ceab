import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The index of a store that has the keys of a list, and access to it at any time.
final class StoreIndex: Sendable {
  let store: any Store
  let plan: ListPlan
  /// About how many keys a block has, if that is not left to the source.
  private let stride: Int?
  /// How the positions of many keys are found.
  let lookup: KeyLookup
  /// Whether keys are counted by their sections, or `nil` for where these are short.
  let countsBySections: Bool?
  /// Ids of sections that cannot be read from the bytes their keys begin with.
  let sectionIDs = SectionIDCache()

  init(
    store: any Store,
    plan: ListPlan,
    stride: Int?,
    lookup: KeyLookup,
    countsBySections: Bool? = nil
  ) {
    self.store = store
    self.plan = plan
    self.stride = stride
    self.lookup = lookup
    self.countsBySections = countsBySections
  }

  /// The definition as the store has it.
  ///
  /// An index never has related values, so only base attributes are read.
  var definition: OrderDefinition { plan.storeDefinition }
  var rule: SectionRule { plan.rule }
  var layout: KeyLayout { definition.layout }
  var entity: EntityDescription { definition.entity }

  /// About how many keys a block has that a source counts; it has at most twice as many.
  func stride(of source: any OrderedSource) -> Int { max(1, stride ?? source.costs.stride) }

  /// The bound before the keys behind a pivot of a block, which is a key or the start of a section; `nil` for the start of the list.
  func bound(ofPivot pivot: [UInt8]) -> KeyBound? {
    guard !pivot.isEmpty else { return nil }
    guard let columns = rule.sectionColumns, columns > 0 else { return .before(pivot) }
    let length = pivot.withUnsafeBytes { layout.prefixLength(columns: columns, in: $0) }
    // The start of a section has one byte of the next column, and a key at least its object's identity.
    return .before(pivot.count == length + 1 ? Array(pivot.dropLast()) : pivot)
  }

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
private final class SortedSource: RankedSource {
  let layout: KeyLayout
  private let keys: SortedKeyList

  /// - Complexity: O(*n* log *n*): the store has to sort.
  init(_ definition: OrderDefinition, in snapshot: any StoreSnapshot) throws(StoreError) {
    keys = try ListEngine.keys(of: definition, in: snapshot)
    layout = definition.layout
  }

  func keyCount() -> Int { keys.count }

  func rank(of bytes: [UInt8]) -> Int { keys.rank(of: bytes) }

  func appendKeys(in positions: Range<Int>, every stride: Int, to batch: inout EntryBatch) {
    keys.forEachKey(in: positions, every: stride) { _, key in
      batch.append { $0.bytes.append(contentsOf: key) }
    }
  }
}
