import ResultsDomain

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
