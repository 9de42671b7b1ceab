public import ResultsDomain

// Links of many-to-many relationships, named by the relationship and not by the columns that hold the keys.

extension StoreTransaction {
  /// Links two objects by a many-to-many relationship.
  ///
  /// ```swift
  /// try transaction.link(book, tag, by: Book.tags)
  /// ```
  ///
  /// Both sides name the same link: `link(tag, book, by: Tag.books)` is the same. Objects that are linked stay linked once, also where
  /// a link has a key of its own (R199). The store does not check that both objects exist, unless its database does. Attributes that
  /// a link has besides both keys are null.
  /// - Parameters:
  ///   - object: An object of the struct that declares the relationship.
  ///   - element: The object that becomes an element of the relationship.
  ///   - relationship: The relationship, as it is declared.
  /// - Returns: Whether the objects were not linked before.
  /// - Throws: `StoreError.invalid` for an object without an identity, `StoreError.request` for a relationship without links, and the
  ///   errors of an insertion.
  /// - Complexity: One search by the key of the link; of links with a key of their own, one by the index over both columns.
  @discardableResult
  public func link<Root: Entity, Element: Entity>(
    _ object: Root,
    _ element: Element,
    by relationship: ToMany<Root, Element>
  ) throws(StoreError) -> Bool {
    try link(ObjectLink(relationship, object.objectID, element.objectID))
  }

  /// Links two objects, which their identities name, by a many-to-many relationship.
  /// - Parameters:
  ///   - object: The identity of an object of the struct that declares the relationship.
  ///   - element: The identity of the object that becomes an element.
  ///   - relationship: The relationship, as it is declared.
  /// - Returns: Whether the objects were not linked before.
  /// - Throws: As for objects; `StoreError.request` for an identity of another entity.
  /// - Complexity: As for objects.
  @discardableResult
  public func link<Root: Entity, Element: Entity>(
    _ object: ObjectID,
    _ element: ObjectID,
    by relationship: ToMany<Root, Element>
  ) throws(StoreError) -> Bool {
    try link(ObjectLink(relationship, object, element))
  }

  /// Links two objects, which their keys name, by a many-to-many relationship.
  ///
  /// ```swift
  /// try transaction.link(ObjectKey.integer(7), .integer(2), by: Book.tags)
  /// ```
  /// - Parameters:
  ///   - object: The key of an object of the struct that declares the relationship.
  ///   - element: The key of the object that becomes an element.
  ///   - relationship: The relationship, as it is declared.
  /// - Returns: Whether the objects were not linked before.
  /// - Throws: As for objects.
  /// - Complexity: As for objects.
  @discardableResult
  public func link<Root: Entity, Element: Entity>(
    _ object: ObjectKey,
    _ element: ObjectKey,
    by relationship: ToMany<Root, Element>
  ) throws(StoreError) -> Bool {
    try link(ObjectLink(relationship, object, element))
  }

  /// Removes the link of two objects; every one, where a link has a key of its own and the pair is stored several times.
  ///
  /// ```swift
  /// try transaction.unlink(book, tag, by: Book.tags)
  /// ```
  /// - Parameters:
  ///   - object: An object of the struct that declares the relationship.
  ///   - element: An element of the relationship.
  ///   - relationship: The relationship, as it is declared.
  /// - Returns: Whether the objects were linked.
  /// - Throws: As `link(_:_:by:)`, and the errors of a deletion.
  /// - Complexity: As `link(_:_:by:)`.
  @discardableResult
  public func unlink<Root: Entity, Element: Entity>(
    _ object: Root,
    _ element: Element,
    by relationship: ToMany<Root, Element>
  ) throws(StoreError) -> Bool {
    try unlink(ObjectLink(relationship, object.objectID, element.objectID))
  }

  /// Removes the link of two objects, which their identities name.
  /// - Parameters:
  ///   - object: The identity of an object of the struct that declares the relationship.
  ///   - element: The identity of an element.
  ///   - relationship: The relationship, as it is declared.
  /// - Returns: Whether the objects were linked.
  /// - Throws: As for objects; `StoreError.request` for an identity of another entity.
  /// - Complexity: As `link(_:_:by:)`.
  @discardableResult
  public func unlink<Root: Entity, Element: Entity>(
    _ object: ObjectID,
    _ element: ObjectID,
    by relationship: ToMany<Root, Element>
  ) throws(StoreError) -> Bool {
    try unlink(ObjectLink(relationship, object, element))
  }

  /// Removes the link of two objects, which their keys name.
  /// - Parameters:
  ///   - object: The key of an object of the struct that declares the relationship.
  ///   - element: The key of an element.
  ///   - relationship: The relationship, as it is declared.
  /// - Returns: Whether the objects were linked.
  /// - Throws: As for objects.
  /// - Complexity: As `link(_:_:by:)`.
  @discardableResult
  public func unlink<Root: Entity, Element: Entity>(
    _ object: ObjectKey,
    _ element: ObjectKey,
    by relationship: ToMany<Root, Element>
  ) throws(StoreError) -> Bool {
    try unlink(ObjectLink(relationship, object, element))
  }

  private func link(_ link: ObjectLink) throws(StoreError) -> Bool {
    guard try link.stored(in: self).isEmpty else { return false }
    try insert(link.values, key: link.key, into: link.entity)
    return true
  }

  private func unlink(_ link: ObjectLink) throws(StoreError) -> Bool {
    let keys = try link.stored(in: self)
    for key in keys {
      try delete(ObjectID(entity: link.entity.name, key: key), of: link.entity)
    }
    return !keys.isEmpty
  }
}

/// A link between two objects: the values of the columns of a link entity.
private struct ObjectLink {
  let entity: EntityDescription
  private let columns: [(name: String, value: Value)]

  init<Root: Entity, Element: Entity>(
    _ relationship: ToMany<Root, Element>,
    _ object: ObjectID?,
    _ element: ObjectID?
  ) throws(StoreError) {
    try self.init(
      relationship,
      ObjectLink.key(of: object, in: Root.entity),
      ObjectLink.key(of: element, in: Element.entity)
    )
  }

  init<Root: Entity, Element: Entity>(
    _ relationship: ToMany<Root, Element>,
    _ object: ObjectKey,
    _ element: ObjectKey
  ) throws(StoreError) {
    let name = relationship.steps.joined(separator: ".")
    guard relationship.steps.count == 1,
      case .manyToMany(let link, let from, let to) = relationship.kind()
    else { throw .request(.withoutLinks(name, entity: Root.entity.name)) }
    guard object.fits(Root.entity) else { throw .invalid([.invalidKey(entity: Root.entity.name)]) }
    guard element.fits(Element.entity) else {
      throw .invalid([.invalidKey(entity: Element.entity.name)])
    }
    let (names, parts) = (from + to, object.parts + element.parts)
    guard names.count == parts.count else {
      throw .request(.mismatchedRelationship(name, entity: Root.entity.name))
    }
    entity = link.entity
    columns = Array(zip(names, parts))
  }

  private static func key(
    of id: ObjectID?,
    in entity: EntityDescription
  ) throws(StoreError) -> ObjectKey {
    guard let id else { throw .invalid([.invalidKey(entity: entity.name)]) }
    guard id.entity.hasSameBytes(as: entity.name) else {
      throw .request(.foreignIdentity(id, entity: entity.name))
    }
    return id.key
  }

  private func value(of name: String) -> Value? {
    columns.first { $0.name.hasSameBytes(as: name) }?.value
  }

  /// The values of a new link.
  var values: [Value] { entity.attributes.map { value(of: $0.name) ?? .null } }

  /// The key of the link, or `nil` if the objects' keys do not contain it.
  var key: ObjectKey? {
    let parts = entity.identity.columns.compactMap(value(of:))
    guard parts.count == entity.identity.columns.count else { return nil }
    return ObjectKey(parts: parts, of: entity.identity)
  }

  /// The keys of the links between both objects that a transaction has.
  func stored(in transaction: some StoreTransaction) throws(StoreError) -> [ObjectKey] {
    if let key, entity.identity.columns.count == columns.count {
      let rows = try transaction.rows([key], of: entity)
      return rows.compactMap { $0?.id.key }
    }
    let request = FetchRequest<ObjectID>(
      entity: entity,
      where: .and(columns.map { .comparison(.attribute($0.name), .equal, .literal($0.value)) }),
      sortedBy: entity.keyExpressions.map { FetchSortDescriptor($0) }
    )
    return try transaction.keys(of: request)
  }
}
