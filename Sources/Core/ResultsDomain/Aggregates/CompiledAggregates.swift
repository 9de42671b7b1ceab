/// Aggregates over one entity whose names have been looked up once, for many rows.
public struct CompiledAggregates: Sendable {
  /// The aggregates.
  public let aggregates: [FetchAggregate]
  /// The types of what comes out, one for each aggregate.
  public let types: [AttributeType]
  /// The storage classes of what goes in, one for each aggregate.
  public let storage: [StorageClass]
  /// The aggregates over no rows.
  public let empty: [AggregateState]
  private let entity: EntityDescription
  private let expressions: [CompiledExpression]

  /// Prepares aggregates.
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
      storage.append(try aggregate.expression.storage(in: entity) ?? type.storage)
      empty.append(AggregateState(aggregate.function, of: type))
    }
    self.types = types
    self.storage = storage
    self.empty = empty
    expressions = aggregates.map { CompiledExpression($0.expression, in: entity) }
  }

  /// What a row gives to each aggregate.
  /// - Parameters:
  ///   - values: The row's values, in the order of the entity's attributes.
  ///   - key: The object's key.
  /// - Returns: One value for each aggregate, maybe null.
  /// - Throws: `StoreError.unexpectedValue` for a stored value of another storage class.
  public func inputs(_ values: [Value], key: ObjectKey) throws(StoreError) -> [Value] {
    var inputs: [Value] = []
    inputs.reserveCapacity(expressions.count)
    for index in expressions.indices {
      let value = expressions[index].value(values, key: key).orderable
      guard value.isNull || value.storage == storage[index] else {
        throw unexpected(key, index)
      }
      inputs.append(value)
    }
    return inputs
  }

  /// What is told of a value that an aggregate cannot take.
  public func unexpected(_ key: ObjectKey, _ index: Int) -> StoreError {
    .unexpectedValue(
      ObjectID(entity: entity.name, key: key),
      what: aggregates[index].expression.description
    )
  }
}

/// The aggregates over the rows of a list that agree in the first columns of its order.
public struct AggregateGroup: Hashable, Sendable {
  /// The bytes of those columns, by which the groups ascend; empty for all rows in one group.
  public var prefix: [UInt8]
  /// How many rows there are.
  public var count: Int
  /// One state for each aggregate.
  public var states: [AggregateState]

  /// The aggregates over some rows.
  public init(prefix: [UInt8], count: Int, states: [AggregateState]) {
    self.prefix = prefix
    self.count = count
    self.states = states
  }

  /// Adds a row by what it gives to each aggregate.
  public mutating func add(_ inputs: [Value]) {
    count += 1
    for index in inputs.indices where states.indices.contains(index) {
      states[index].add(inputs[index])
    }
  }

  /// Gathers the rows of another group, none of which are in this one.
  public mutating func merge(_ other: AggregateGroup) {
    count += other.count
    for index in other.states.indices where states.indices.contains(index) {
      states[index].merge(other.states[index])
    }
  }
}
