import ResultsDomain

extension StoreCore {
  /// The keys of a definition in a version, kept from now on; `nil` if the store provides no orders.
  /// - Throws: `StoreError` as reading the entries does.
  /// - Complexity: O(number of kept orders) if they are kept, else O(*n* log *n*).
  func order(
    of definition: OrderDefinition,
    in content: StoreContent
  ) throws(StoreError) -> KeptOrder? {
    guard providesOrder else { return nil }
    let present = presentOrder(of: definition, at: content.version)
    if let kept = content.orders[definition] ?? present { return kept }
    guard let order = try KeptOrder(of: definition, in: content) else { return nil }
    keep(order, of: content.version)
    return order
  }

  /// Keeps an order, brought to the present version by what the history tells.
  private func keep(_ order: KeptOrder, of version: StoreVersion) {
    var (order, version) = (order, version)
    // Commits that are made meanwhile are fewer each time.
    while let missed = missed(by: order, since: version) {
      version = missed.version
      for record in missed.commits where !order.apply(record.changes) { return }
    }
  }
}
