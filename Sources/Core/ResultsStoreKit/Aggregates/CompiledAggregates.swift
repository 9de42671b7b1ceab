public import ResultsDomain

/// Aggregates over one entity with resolved attribute names, for evaluation over many rows.
public struct CompiledAggregates: Sendable {
  /// The aggregates.
  public let aggregates: [FetchAggregate]
  /// The types of the results, one for each aggregate.
  public let types: [AttributeType]
  /// The storage classes of the inputs, one for each aggregate.
  public let storage: [StorageClass]
  /// The states over no rows, one for each aggregate.
  public let emptyStates: [AggregateState]
  private let entity: EntityDescription
  private let expressions: [CompiledExpression]
  /// The conditions of those that have one.
  private let predicates: [CompiledPredicate?]

  /// Compiles aggregates.
  /// - Throws: As `FetchAggregate.type(in:)`.
  public init(
    _ aggregates: [FetchAggregate],
    in entity: EntityDescription
  ) throws(RequestError) {
    self.aggregates = aggregates
    self.entity = entity
    var (types, storage, empty) = ([AttributeType](), [StorageClass](), [AggregateState]())
    for aggregate in aggregates {
      let type = try aggregate.type(in: entity)
      types.append(type)
      let inputs = try aggregate.expression.storage(in: entity) ?? type.storage
      // An aggregate is of the values that have the attribute's type.
      let nominal = aggregate.expression.type(in: entity) ?? type
      storage.append(inputs == .any ? nominal.storage : inputs)
      empty.append(AggregateState(aggregate.function, of: type))
    }
    self.types = types
    self.storage = storage
    emptyStates = empty
    expressions = aggregates.map { CompiledExpression($0.expression, in: entity) }
    predicates = aggregates.map {
      $0.predicate == .all ? nil : CompiledPredicate($0.predicate, in: entity)
    }
  }

  /// The input of a row to each aggregate.
  /// - Parameters:
  ///   - values: The row's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: One value for each aggregate; null also where the aggregate's condition is not true.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  public func inputs(_ values: [Value], key: ObjectKey) throws(StoreError) -> [Value] {
    var inputs: [Value] = []
    inputs.reserveCapacity(expressions.count)
    for index in expressions.indices {
      if let predicate = predicates[index], !predicate.holds(values, key: key) {
        inputs.append(.null)
        continue
      }
      var value = expressions[index].value(values, key: key).orderable
      if storage[index] == .real, case .integer(let number) = value {
        value = .real(Double(number))
      }
      guard value.isNull || value.storage == storage[index] else {
        throw unexpectedValue(key, index)
      }
      inputs.append(value)
    }
    return inputs
  }

  /// The error for an object whose value does not fit the aggregate at an index.
  public func unexpectedValue(_ key: ObjectKey, _ index: Int) -> StoreError {
    .unexpectedValue(
      ObjectID(entity: entity.name, key: key),
      what: aggregates[index].expression.description
    )
  }
}

/// The aggregates over a group of rows that agree in the first columns of a list's order.
public struct AggregateGroup: Hashable, Sendable {
  /// The bytes of those columns, by which groups are sorted; empty if all rows form one group.
  public var prefix: [UInt8]
  /// The number of rows.
  public var count: Int
  /// One state for each aggregate.
  public var states: [AggregateState]

  /// Creates a group.
  public init(prefix: [UInt8], count: Int, states: [AggregateState]) {
    self.prefix = prefix
    self.count = count
    self.states = states
  }

  /// Adds a row by its inputs to the aggregates.
  public mutating func add(_ inputs: [Value]) {
    count += 1
    for index in inputs.indices where states.indices.contains(index) {
      states[index].add(inputs[index])
    }
  }

  /// Adds the rows of another group, none of which are in this one.
  public mutating func merge(_ other: AggregateGroup) {
    count += other.count
    for index in other.states.indices where states.indices.contains(index) {
      states[index].merge(other.states[index])
    }
  }
}

// MARK: - Grouping rows

/// Groups rows that are in a list's order by the first columns of the order, and aggregates each group.
package struct AggregateGrouper {
  private let empty: [AggregateState]
  private let columns: Int
  private let layout: KeyLayout
  private var group: AggregateGroup?

  /// Creates a grouper by the first columns of an order.
  package init(_ aggregates: CompiledAggregates, byFirst columns: Int, _ layout: KeyLayout) {
    empty = aggregates.emptyStates
    self.columns = columns
    self.layout = layout
    // Without columns, all rows form one group, even if there are none.
    if columns == 0 { group = AggregateGroup(prefix: [], count: 0, states: empty) }
  }

  /// Adds the next row of the order.
  /// - Parameters:
  ///   - inputs: The row's inputs to the aggregates.
  ///   - key: The row's encoded key, or at least its first columns.
  /// - Returns: The previous group, if the row begins a new one.
  package mutating func add(_ inputs: [Value], of key: UnsafeRawBufferPointer) -> AggregateGroup? {
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

  /// Returns the last group, if there is one.
  package mutating func finish() -> AggregateGroup? {
    defer { group = nil }
    return group
  }
}

// MARK: - The default for stores

extension StoreSnapshot {
  /// By default, the rows of the list are read in order and added one by one.
  /// - Complexity: O(*n*) in the rows that match, all of which are read.
  public func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var grouper = AggregateGrouper(aggregates, byFirst: columns, definition.layout)
    var continues = true
    try entries(of: definition) { (batch) throws(StoreError) in
      let keys = batch.keys(of: definition)
      let rows = try self.rows(keys.map(\.key), of: definition.entity)
      for (entry, row) in zip(keys, rows) {
        guard let row else { continue }
        let inputs = try aggregates.inputs(row.values, key: row.id.key)
        let finished = batch.bytes.withUnsafeBytes { bytes in
          grouper.add(inputs, of: UnsafeRawBufferPointer(rebasing: bytes[entry.bytes]))
        }
        if let finished { continues = try body(finished) }
        guard continues else { return false }
      }
      return true
    }
    if continues, let last = grouper.finish() { _ = try body(last) }
  }
}

extension EntryBatch {
  /// The object key and the byte range of each entry.
  fileprivate func keys(of definition: OrderDefinition) -> [(key: ObjectKey, bytes: Range<Int>)] {
    var keys: [(key: ObjectKey, bytes: Range<Int>)] = []
    keys.reserveCapacity(count)
    bytes.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        let entry = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        if let key = definition.layout.objectKey(in: entry, of: definition.entity.identity) {
          keys.append((key, start..<end))
        }
        start = end
      }
    }
    return keys
  }
}
