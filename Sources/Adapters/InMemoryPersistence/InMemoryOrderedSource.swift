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
      let end = position(of: .after(prefix), in: list)
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
    list.rank(of: layout.searchKey(for: bound))
  }
}

// MARK: - Orders

/// The keys of one definition in one version of a store, which are brought on commit by commit.
struct KeptOrder: Sendable {
  let definition: OrderDefinition
  /// The place of the entity's table.
  let table: Int
  private(set) var keys = SortedKeyList()
  /// What tells it from the other orders that a store keeps.
  var number = 0
  private let predicate: CompiledPredicate
  private let encoder: RowKeyEncoder

  /// Reads the keys of a definition, or gives `nil` if they are no order, because one stands twice.
  /// - Throws: `StoreError` as reading the entries does.
  /// - Complexity: O(*n* log *n*)
  init?(of definition: OrderDefinition, in content: StoreContent) throws(StoreError) {
    self.definition = definition
    table = try content.index(of: definition.entity)
    predicate = CompiledPredicate(definition.predicate, in: definition.entity)
    encoder = RowKeyEncoder(definition)
    var keys = SortedKeyList()
    var isOrder = true
    try content.entries(of: definition) { (batch) throws(StoreError) in
      do {
        try keys.append(bytes: batch.bytes, ends: batch.ends)
      } catch {
        isOrder = false
      }
      return isOrder
    }
    guard isOrder else { return nil }
    self.keys = keys
  }

  /// Brings the keys to the version after a commit.
  /// - Parameter changes: What the commit changed in the entity.
  /// - Returns: Whether it could be done; the keys are of no use if not.
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

/// The orders that were asked for, in one version of a store; the least recently used leave.
struct KeptOrders: Sendable {
  /// How many definitions have their keys kept.
  static let limit = 16

  /// The least recently used first.
  private var orders: [KeptOrder] = []
  private var nextNumber = 1

  /// How many there are.
  var count: Int { orders.count }

  /// The order of a definition, if it is kept.
  subscript(definition: OrderDefinition) -> KeptOrder? {
    orders.last { $0.definition == definition }
  }

  /// Notes that a definition was asked for.
  mutating func use(_ definition: OrderDefinition) {
    guard let place = orders.lastIndex(where: { $0.definition == definition }),
      place < orders.count - 1
    else { return }
    orders.append(orders.remove(at: place))
  }

  /// Keeps an order that is not kept yet, in place of the one that was not used for longest.
  mutating func keep(_ order: KeptOrder) {
    var order = order
    order.number = nextNumber
    nextNumber += 1
    if orders.count >= KeptOrders.limit { orders.removeFirst() }
    orders.append(order)
  }

  /// Brings all of them to the version after a commit.
  mutating func apply(_ changes: [Int: [CommittedChange]]) {
    orders = orders.compactMap { KeptOrders.applied(changes, to: $0) }
  }

  /// Takes the place of orders that were kept or used while these were brought on.
  /// - Parameters:
  ///   - present: The orders of the version before, as they are now.
  ///   - changes: What has happened to these, and not to those.
  mutating func replace(_ present: KeptOrders, after changes: [Int: [CommittedChange]]) {
    let done = Dictionary(orders.map { ($0.number, $0) }) { first, _ in first }
    nextNumber = present.nextNumber
    orders = present.orders.compactMap {
      done[$0.number] ?? KeptOrders.applied(changes, to: $0)
    }
  }

  private static func applied(
    _ changes: [Int: [CommittedChange]],
    to order: KeptOrder
  ) -> KeptOrder? {
    guard let changes = changes[order.table] else { return order }
    var order = order
    // One that cannot be brought on is read again when it is asked for, and then says why.
    return order.apply(changes) ? order : nil
  }
}
