public import ResultsDomain

// Orders that people give to rows by moving them (R112).

extension StoreTransaction {
  /// Moves a row to a position in a ranked order.
  ///
  /// The row gets a rank between those of its new neighbours. Where there is none, the ranks of the fewest rows that give room are spread,
  /// and those rows keep their order; rows without a rank get one if the position requires it. A row that is there already is not written.
  /// Beside a row of another group, the row gets that group's values. Other writers are not asked: two who move rows to one
  /// position at the same time can leave equal ranks, which any later move separates.
  /// - Parameters:
  ///   - id: The row to move.
  ///   - position: Where to move it; beside itself nothing is moved.
  ///   - order: The order.
  ///   - expected: The row that the move is based on; the move is refused if the stored row differs.
  /// - Returns: The number of rows that were written.
  /// - Throws: `StoreError.notFound` for the row or its neighbour, `StoreError.conflict`, `StoreError.request` for an order whose
  ///   attribute holds no ranks or has none left, `StoreError.unexpectedValue` for a stored rank that is no integer, and the errors
  ///   of an update.
  /// - Complexity: O(*w* log *n*) for *w* written rows where an index has the scope and the rank, otherwise O(*n*).
  @discardableResult
  public func move(
    _ id: ObjectID,
    to position: RankedPosition,
    in order: RankedOrderDescription,
    ifUnchangedFrom expected: Row? = nil
  ) throws(StoreError) -> Int {
    let ranks = try CheckedRanks(order)
    let row = try ranks.row(id, in: self)
    if let expected, expected != row { throw .conflict(id, expected: expected, stored: row) }
    guard position.neighbour != id else { return 0 }
    var move = try RankedMove(of: row.values, id, to: position, ranks, in: self)
    return try move.write(row)
  }

  /// Moves an object directly after another one in a ranked order.
  ///
  /// Only the identities of the objects count; their stored values are moved.
  /// - Parameters:
  ///   - object: The object to move.
  ///   - other: The object that is before it then.
  ///   - order: The order.
  ///   - expected: The object that the move is based on; the move is refused if the stored one differs.
  /// - Returns: The number of objects that were written.
  /// - Throws: `StoreError.invalid` for an object without an identity; otherwise as `move(_:to:in:ifUnchangedFrom:)`.
  /// - Complexity: As `move(_:to:in:ifUnchangedFrom:)`.
  @discardableResult
  public func move<Root: Entity>(
    _ object: Root,
    after other: Root,
    in order: RankedOrder<Root>,
    ifUnchangedFrom expected: Root? = nil
  ) throws(StoreError) -> Int {
    try move(object, to: .after(identity(of: other)), in: order, ifUnchangedFrom: expected)
  }

  /// Moves an object directly before another one in a ranked order.
  /// - Parameters:
  ///   - object: The object to move.
  ///   - other: The object that is after it then.
  ///   - order: The order.
  ///   - expected: The object that the move is based on; the move is refused if the stored one differs.
  /// - Returns: The number of objects that were written.
  /// - Throws: As `move(_:after:in:ifUnchangedFrom:)`.
  /// - Complexity: As `move(_:to:in:ifUnchangedFrom:)`.
  @discardableResult
  public func move<Root: Entity>(
    _ object: Root,
    before other: Root,
    in order: RankedOrder<Root>,
    ifUnchangedFrom expected: Root? = nil
  ) throws(StoreError) -> Int {
    try move(object, to: .before(identity(of: other)), in: order, ifUnchangedFrom: expected)
  }

  /// Moves an object to a position in a ranked order, such as its end.
  /// - Parameters:
  ///   - object: The object to move.
  ///   - position: Where to move it.
  ///   - order: The order.
  ///   - expected: The object that the move is based on; the move is refused if the stored one differs.
  /// - Returns: The number of objects that were written.
  /// - Throws: As `move(_:after:in:ifUnchangedFrom:)`.
  /// - Complexity: As `move(_:to:in:ifUnchangedFrom:)`.
  @discardableResult
  public func move<Root: Entity>(
    _ object: Root,
    to position: RankedPosition,
    in order: RankedOrder<Root>,
    ifUnchangedFrom expected: Root? = nil
  ) throws(StoreError) -> Int {
    let id = try identity(of: object)
    return try move(
      id,
      to: position,
      in: order.description,
      ifUnchangedFrom: expected.map {
        Row(entity: Root.entity, id: id, values: $0.attributeValues)
      }
    )
  }

  /// Inserts a row at a position in a ranked order.
  /// - Parameters:
  ///   - values: One value for each attribute of the order's entity; the rank among them does not count. Beside a row of another group,
  ///     the values of the scope do not count either.
  ///   - key: The object's key, as in `insert(_:key:into:)`.
  ///   - position: Where the row is inserted.
  ///   - order: The order.
  /// - Returns: The identity of the new object.
  /// - Throws: As `move(_:to:in:ifUnchangedFrom:)`, and the errors of an insertion.
  /// - Complexity: As `move(_:to:in:ifUnchangedFrom:)`.
  @discardableResult
  public func insert(
    _ values: [Value],
    key: ObjectKey?,
    at position: RankedPosition,
    in order: RankedOrderDescription
  ) throws(StoreError) -> ObjectID {
    let ranks = try CheckedRanks(order)
    guard values.count == ranks.entity.attributes.count else {
      throw .invalid([
        .wrongCount(
          entity: ranks.entity.name,
          expected: ranks.entity.attributes.count,
          found: values.count
        )
      ])
    }
    var move = try RankedMove(of: values, nil, to: position, ranks, in: self)
    return try insert(try move.makeRoom(), key: key, into: ranks.entity)
  }

  /// Inserts an object at a position in a ranked order, such as its end.
  /// - Parameters:
  ///   - object: The object; the rank that it has does not count.
  ///   - position: Where the object is inserted.
  ///   - order: The order.
  /// - Returns: The identity of the new object.
  /// - Throws: As `move(_:to:in:ifUnchangedFrom:)`, and the errors of an insertion.
  /// - Complexity: As `move(_:to:in:ifUnchangedFrom:)`.
  @discardableResult
  public func insert<Root: Entity>(
    _ object: Root,
    at position: RankedPosition,
    in order: RankedOrder<Root>
  ) throws(StoreError) -> ObjectID {
    try insert(
      Root.entity.storedValues(object.attributeValues),
      key: object.objectID?.key,
      at: position,
      in: order.description
    )
  }

  private func identity<Root: Entity>(of object: Root) throws(StoreError) -> ObjectID {
    guard let id = object.objectID else {
      throw .invalid([.invalidKey(entity: Root.entity.name)])
    }
    return id
  }
}

extension StoreSnapshot {
  /// The row some rows before or after another one in its group of a ranked order.
  /// - Parameters:
  ///   - offset: The number of rows; a negative one goes towards the start.
  ///   - id: The other row.
  ///   - order: The order.
  ///   - predicate: The rows that count, such as those that a list shows.
  /// - Returns: The first or the last row if the group ends before that; `nil` if there is none in that direction.
  /// - Throws: As `StoreTransaction.move(_:to:in:ifUnchangedFrom:)`.
  /// - Complexity: O(*k* log *n*) for *k* rows where an index has the scope and the rank, otherwise O(*n*).
  public func neighbour(
    _ offset: Int,
    rowsFrom id: ObjectID,
    in order: RankedOrderDescription,
    where predicate: FetchPredicate = .all
  ) throws(StoreError) -> ObjectID? {
    let ranks = try CheckedRanks(order)
    let row = try ranks.row(id, in: self)
    return try ranks.nearest(
      to: row,
      in: ranks.group(of: row.values) && predicate,
      isAfter: offset > 0,
      limit: Int(clamping: offset.magnitude),
      self
    ).last?.id
  }
}

extension RankedPosition {
  /// The row beside which the position is, or `nil` for an end.
  var neighbour: ObjectID? {
    switch self {
    case .start, .end: nil
    case .before(let id), .after(let id): id
    }
  }
}
