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
