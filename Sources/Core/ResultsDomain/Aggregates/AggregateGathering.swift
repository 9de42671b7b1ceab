/// Gathers rows that come in the order of a list into groups that agree in the order's first columns.
public struct AggregateGathering {
  private let empty: [AggregateState]
  private let columns: Int
  private let layout: KeyLayout
  private var group: AggregateGroup?

  /// A gathering by the first columns of an order.
  public init(_ aggregates: CompiledAggregates, byFirst columns: Int, _ layout: KeyLayout) {
    empty = aggregates.empty
    self.columns = columns
    self.layout = layout
    // All rows in one group is a group even if there are none.
    if columns == 0 { group = AggregateGroup(prefix: [], count: 0, states: empty) }
  }

  /// Adds the next row of the order.
  /// - Parameters:
  ///   - inputs: What it gives to each aggregate.
  ///   - key: Its encoded key, of which the first columns are enough.
  /// - Returns: The group before, if the row begins another one.
  public mutating func add(_ inputs: [Value], of key: UnsafeRawBufferPointer) -> AggregateGroup? {
    let prefix = UnsafeRawBufferPointer(
      rebasing: key[..<layout.prefixLength(columns: columns, in: key)]
    )
    var finished: AggregateGroup?
    if let group, !group.prefix.elementsEqual(prefix) { finished = finish() }
    if group == nil {
      group = AggregateGroup(prefix: Array(prefix), count: 0, states: empty)
    }
    group?.add(inputs)
    return finished
  }

  /// The last group, if there is one.
  public mutating func finish() -> AggregateGroup? {
    defer { group = nil }
    return group
  }
}
