import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The keys of one definition in one version of a store, valid as long as the snapshot.
final class InMemoryOrderedSource: RankedSource {
  let layout: KeyLayout
  private let store: InMemoryStore
  private var list: SortedKeyList?

  init(_ order: CachedOrder, of store: InMemoryStore) {
    layout = order.definition.layout
    list = order.keys
    self.store = store
  }

  /// Releases the keys; later calls throw.
  func end() { list = nil }

  func keyCount() throws(StoreError) -> Int { try current().count }

  func rank(of bytes: [UInt8]) throws(StoreError) -> Int { try current().rank(of: bytes) }

  func appendKeys(
    in positions: Range<Int>,
    every stride: Int,
    to batch: inout EntryBatch
  ) throws(StoreError) {
    try current().forEachKey(in: positions, every: stride) { _, key in
      batch.append { $0.bytes.append(contentsOf: key) }
    }
  }

  private func current() throws(StoreError) -> SortedKeyList {
    guard let list else { throw store.usedAfterEnd("source of keys") }
    return list
  }
}

// MARK: - Orders

/// The cached keys of one definition in one version of a store, updated with each commit.
struct CachedOrder: Sendable {
  let definition: OrderDefinition
  /// The index of the entity's table.
  let table: Int
  private(set) var keys = SortedKeyList()
  /// A number that identifies it among a store's cached orders.
  var number = 0
  private let predicate: CompiledPredicate
  private let encoder: RowKeyEncoder

  /// Reads the keys of a definition, or returns `nil` if a key occurs twice.
  /// - Throws: `StoreError` as reading the entries does.
  /// - Complexity: O(*n* log *n*)
  init?(of definition: OrderDefinition, in content: StoreContent) throws(StoreError) {
    self.definition = definition
    table = try content.index(of: definition.entity)
    predicate = CompiledPredicate(definition.predicate, in: definition.entity)
    encoder = RowKeyEncoder(definition)
    var keys = SortedKeyList()
    var isSorted = true
    try content.entries(of: definition) { (batch) throws(StoreError) in
      do {
        try keys.append(bytes: batch.bytes, ends: batch.ends)
      } catch {
        isSorted = false
      }
      return isSorted
    }
    guard isSorted else { return nil }
    self.keys = keys
  }

  /// Updates the keys to the version after a commit.
  /// - Parameter changes: The commit's changes of the entity.
  /// - Returns: False if the changes do not apply; the order must then be discarded.
  /// - Complexity: O(*k* log *n* + number of chunks) for *k* changed rows.
  mutating func apply(_ changes: [CommittedChange]) -> Bool {
    do {
      var removals: [[UInt8]] = []
      var insertions: [[UInt8]] = []
      for change in changes {
        let (old, new) = (try key(of: change.before), try key(of: change.after))
        guard old != new else { continue }
        if let old { removals.append(old) }
        if let new { insertions.append(new) }
      }
      guard !removals.isEmpty || !insertions.isEmpty else { return true }
      removals.sort { KeyOrder.compare($0, $1) < 0 }
      insertions.sort { KeyOrder.compare($0, $1) < 0 }
      try keys.apply(removals: removals, insertions: insertions)
      return true
    } catch {
      return false
    }
  }

  private func key(of row: Row?) throws(StoreError) -> [UInt8]? {
    guard let row, predicate.holds(for: row) else { return nil }
    return try encoder.key(row.values, key: row.id.key)
  }
}

/// A cache of orders in one version of a store, which evicts the least recently used.
struct CachedOrders: Sendable {
  /// The capacity of the cache.
  static let limit = 16

  /// The least recently used first.
  private var orders: [CachedOrder] = []
  private var nextNumber = 1

  /// The number of cached orders.
  var count: Int { orders.count }

  /// The order of a definition, if it is cached.
  subscript(definition: OrderDefinition) -> CachedOrder? {
    orders.last { $0.definition == definition }
  }

  /// Marks the order of a definition as the most recently used.
  mutating func touch(_ definition: OrderDefinition) {
    guard let index = orders.lastIndex(where: { $0.definition == definition }),
      index < orders.count - 1
    else { return }
    orders.append(orders.remove(at: index))
  }

  /// Inserts an order that is not cached yet, and evicts the least recently used one if the cache is full.
  mutating func insert(_ order: CachedOrder) {
    var order = order
    order.number = nextNumber
    nextNumber += 1
    if orders.count >= CachedOrders.limit { orders.removeFirst() }
    orders.append(order)
  }

  /// Updates all orders to the version after a commit.
  mutating func apply(_ changes: [Int: [CommittedChange]]) {
    orders = orders.compactMap { CachedOrders.applied(changes, to: $0) }
  }

  /// Merges these updated orders with the orders of the previous version, which others have inserted or used meanwhile.
  /// - Parameters:
  ///   - current: The current orders of the previous version.
  ///   - changes: The changes that these orders contain and `current` does not.
  mutating func rebase(onto current: CachedOrders, after changes: [Int: [CommittedChange]]) {
    let updated = Dictionary(orders.map { ($0.number, $0) }) { first, _ in first }
    nextNumber = current.nextNumber
    orders = current.orders.compactMap {
      updated[$0.number] ?? CachedOrders.applied(changes, to: $0)
    }
  }

  private static func applied(
    _ changes: [Int: [CommittedChange]],
    to order: CachedOrder
  ) -> CachedOrder? {
    guard let changes = changes[order.table] else { return order }
    var order = order
    // An order that cannot be updated is dropped, and read again when it is next used.
    return order.apply(changes) ? order : nil
  }
}
