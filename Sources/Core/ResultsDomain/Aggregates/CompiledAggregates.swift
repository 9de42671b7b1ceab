/// Aggregates over one entity whose names have been looked up once, for many rows.
public struct CompiledAggregates: Sendable {
  /// The aggregates.
  public let aggregates: [FetchAggregate]
  /// The types of what comes out, one for each aggregate.
  public let types: [AttributeType]
  /// The storage classes of what goes in, one for each aggregate.
  public let storage: [StorageClass]
  /// The aggregates over no rows.
  public let emptyStates: [AggregateState]
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
    emptyStates = empty
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
        throw unexpectedValue(key, index)
      }
      inputs.append(value)
    }
    return inputs
  }

  /// What is told of a value that an aggregate cannot take.
  public func unexpectedValue(_ key: ObjectKey, _ index: Int) -> StoreError {
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

// MARK: - Grouping rows

/// Gathers rows that come in the order of a list into groups that agree in the order's first columns.
public struct AggregateGrouper {
  private let empty: [AggregateState]
  private let columns: Int
  private let layout: KeyLayout
  private var group: AggregateGroup?

  /// A gathering by the first columns of an order.
  public init(_ aggregates: CompiledAggregates, byFirst columns: Int, _ layout: KeyLayout) {
    empty = aggregates.emptyStates
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

// MARK: - The default for stores

extension StoreSnapshot {
  /// By default the rows of the list are read in its order and gathered one by one.
  /// - Complexity: O(*n*) in the rows that match, each of which is read.
  public func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var gathering = AggregateGrouper(aggregates, byFirst: columns, definition.layout)
    var goesOn = true
    try entries(of: definition) { (batch) throws(StoreError) in
      let keys = batch.keys(of: definition)
      let rows = try self.rows(keys.map(\.key), of: definition.entity)
      for (entry, row) in zip(keys, rows) {
        guard let row else { continue }
        let inputs = try aggregates.inputs(row.values, key: row.id.key)
        let finished = batch.bytes.withUnsafeBytes { bytes in
          gathering.add(inputs, of: UnsafeRawBufferPointer(rebasing: bytes[entry.bytes]))
        }
        if let finished { goesOn = try body(finished) }
        guard goesOn else { return false }
      }
      return true
    }
    if goesOn, let last = gathering.finish() { _ = try body(last) }
  }
}

extension EntryBatch {
  /// The object keys at the ends of the entries, and where each entry's bytes are.
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
