/// A transaction that is being made: reads see its own writes, and nothing is visible to others before it commits.
public protocol StoreTransaction: StoreSnapshot {
  /// Inserts a row.
  /// - Parameters:
  ///   - values: One for each attribute of the entity, in its order.
  ///   - key: The object's key, or `nil` for an integer key that the store assigns or a compound key that the values make.
  ///   - entity: The entity of the new object.
  /// - Returns: The identity of the new object.
  /// - Throws: `StoreError.invalid`, `StoreError.alreadyExists`.
  @discardableResult
  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID

  /// Writes new values into a row; an attribute of a compound key changes the row's identity.
  /// - Parameters:
  ///   - id: The object to change.
  ///   - values: One for each attribute of the entity, in its order.
  ///   - entity: The object's entity.
  ///   - expected: The row the edit is based on; the edit is refused if the stored row differs from it.
  /// - Throws: `StoreError.notFound`, `StoreError.invalid`, `StoreError.conflict`, `StoreError.alreadyExists`.
  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError)

  /// Deletes a row.
  /// - Returns: Whether there was such an object.
  @discardableResult
  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool
}

// MARK: - Objects

extension StoreTransaction {
  /// Writes new values into a row, whatever it holds now.
  /// - Throws: As `update(_:to:of:ifUnchangedFrom:)`, but for `StoreError.conflict`.
  public func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription
  ) throws(StoreError) {
    try update(id, to: values, of: entity, ifUnchangedFrom: nil)
  }

  /// Inserts an object; an integer key that is `nil` is assigned by the store.
  /// - Returns: The identity of the new object.
  /// - Throws: As `insert(_:key:into:)`.
  @discardableResult
  public func insert<Object: Entity>(_ object: Object) throws(StoreError) -> ObjectID {
    try insert(object.attributeValues, key: object.objectID?.key, into: Object.entity)
  }

  /// Writes an object's values over the stored ones.
  /// - Parameters:
  ///   - object: The object with its new values and its identity.
  ///   - expected: The object the edit is based on; the edit is refused if the stored one differs from it.
  /// - Throws: `StoreError.invalid` for an object without identity; else as `update(_:to:of:ifUnchangedFrom:)`.
  public func update<Object: Entity>(
    _ object: Object,
    ifUnchangedFrom expected: Object? = nil
  ) throws(StoreError) {
    guard let id = (expected ?? object).objectID else {
      throw .invalid([.invalidKey(entity: Object.entity.name)])
    }
    try update(
      id,
      to: object.attributeValues,
      of: Object.entity,
      ifUnchangedFrom: expected.map {
        Row(entity: Object.entity, id: id, values: $0.attributeValues)
      }
    )
  }

  /// Deletes an object.
  /// - Returns: Whether there was such an object.
  @discardableResult
  public func delete<Object: Entity>(_ object: Object) throws(StoreError) -> Bool {
    guard let id = object.objectID else { return false }
    return try delete(id, of: Object.entity)
  }

  /// The object of a key, or `nil` if there is none.
  /// - Throws: `StoreError.aborted` with a `RowError` if the struct cannot hold a stored value.
  public func object<Object: Entity>(
    _ key: ObjectKey,
    as type: Object.Type = Object.self
  ) throws(StoreError) -> Object? {
    guard case .some(.some(let row)) = try rows([key], of: Object.entity).first else { return nil }
    do {
      return try Object(row: row)
    } catch {
      throw .aborted(by: error)
    }
  }
}
