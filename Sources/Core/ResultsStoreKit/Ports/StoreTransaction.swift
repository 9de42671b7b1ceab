public import ResultsDomain

/// A transaction in progress: reads see its own writes, and others see nothing before it commits.
public protocol StoreTransaction: StoreSnapshot {
  /// Inserts a row.
  /// - Parameters:
  ///   - values: One value for each attribute of the entity, in order.
  ///   - key: The object's key, or `nil` for an integer key that the store assigns or a compound key that the values make up.
  ///   - entity: The entity of the new object.
  /// - Returns: The identity of the new object.
  /// - Throws: `StoreError.invalid`, `StoreError.alreadyExists`.
  @discardableResult
  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID

  /// Inserts several rows of an entity, or none of them if one is refused.
  ///
  /// A store behind a network sends them together.
  /// - Parameters:
  ///   - rows: The values of each row, as in `insert(_:key:into:)`.
  ///   - keys: The key of each row, likewise; as many as there are rows.
  ///   - entity: The entity of the new objects.
  /// - Returns: The identities of the new objects, in the order of the rows.
  /// - Throws: As `insert(_:key:into:)`.
  func insert(
    _ rows: [[Value]],
    keys: [ObjectKey?],
    into entity: EntityDescription
  ) throws(StoreError) -> [ObjectID]

  /// Updates a row; changing an attribute of a compound key changes the row's identity.
  /// - Parameters:
  ///   - id: The object to update.
  ///   - values: One value for each attribute of the entity, in order.
  ///   - entity: The object's entity.
  ///   - expected: The row that the edit is based on; the update is refused if the stored row differs.
  /// - Throws: `StoreError.notFound`, `StoreError.invalid`, `StoreError.conflict`, `StoreError.alreadyExists`.
  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError)

  /// Deletes a row.
  ///
  /// A store can apply delete rules itself; `delete(_:of:applyingRulesOf:)` applies them in any store.
  /// - Returns: Whether the object existed.
  @discardableResult
  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool
}

// MARK: - Several rows

extension StoreTransaction {
  /// By default, the rows are inserted one by one; if one is refused, those before it are deleted again.
  public func insert(
    _ rows: [[Value]],
    keys: [ObjectKey?],
    into entity: EntityDescription
  ) throws(StoreError) -> [ObjectID] {
    var inserted: [ObjectID] = []
    inserted.reserveCapacity(rows.count)
    do throws(StoreError) {
      for (values, key) in zip(rows, keys) {
        inserted.append(try insert(values, key: key, into: entity))
      }
    } catch {
      for id in inserted.reversed() { try delete(id, of: entity) }
      throw error
    }
    return inserted
  }
}

// MARK: - Objects

extension StoreTransaction {
  /// Updates a row, whatever its current values are.
  /// - Throws: As `update(_:to:of:ifUnchangedFrom:)`, except `StoreError.conflict`.
  public func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription
  ) throws(StoreError) {
    try update(id, to: values, of: entity, ifUnchangedFrom: nil)
  }

  /// Inserts an object; the store assigns an integer key that is `nil`.
  ///
  /// ```swift
  /// let id = try transaction.insert(Book(publisher: "Ace Books", title: "Neuromancer"))
  /// ```
  /// - Returns: The identity of the new object.
  /// - Throws: As `insert(_:key:into:)`.
  @discardableResult
  public func insert<Object: Entity>(_ object: Object) throws(StoreError) -> ObjectID {
    try insert(object.attributeValues, key: object.objectID?.key, into: Object.entity)
  }

  /// Updates an object.
  ///
  /// ```swift
  /// var edited = book
  /// edited.title = "帰還"
  /// try transaction.update(edited, ifUnchangedFrom: book)
  /// ```
  /// - Parameters:
  ///   - object: The object with its new values and its identity.
  ///   - expected: The object that the edit is based on; the update is refused if the stored one differs.
  /// - Throws: `StoreError.invalid` for an object without an identity; otherwise as `update(_:to:of:ifUnchangedFrom:)`.
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

  /// Deletes a row, and applies the delete rules of the relationships to its entity in the same transaction (R101).
  ///
  /// ```swift
  /// try transaction.delete(id, of: Author.entity, applyingRulesOf: store.entities)
  /// ```
  /// - Parameters:
  ///   - id: The object to delete.
  ///   - entity: The object's entity.
  ///   - entities: The entities whose relationships have rules, usually all of the store.
  /// - Returns: Whether the object existed.
  /// - Throws: `StoreError.referenced` if a rule denies it; nothing has been written then.
  @discardableResult
  public func delete(
    _ id: ObjectID,
    of entity: EntityDescription,
    applyingRulesOf entities: [EntityDescription]
  ) throws(StoreError) -> Bool {
    guard case .some(.some) = try rows([id.key], of: entity).first else { return false }
    let effects = try consequences(ofDeleting: id, of: entity, among: entities)
    for row in effects.updates { try update(row.id, to: row.values, of: row.entity) }
    for other in effects.deletes {
      let holder = other == id ? entity : entities.first { $0.name.hasSameBytes(as: other.entity) }
      if let holder { try delete(other, of: holder) }
    }
    return true
  }

  /// Deletes an object.
  ///
  /// ```swift
  /// if try transaction.delete(book) { draw("deleted") }
  /// ```
  /// - Returns: Whether the object existed.
  @discardableResult
  public func delete<Object: Entity>(_ object: Object) throws(StoreError) -> Bool {
    guard let id = object.objectID else { return false }
    return try delete(id, of: Object.entity)
  }

  /// The object with a key, or `nil` if there is none.
  ///
  /// ```swift
  /// guard var book = try transaction.object(.integer(7), as: Book.self) else { return }
  /// book.title = "帰還"
  /// try transaction.update(book)
  /// ```
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
