// Attributes that users add to the entity of a program, such as a column for the marks of a test.
//
// They stand after the attributes that the program declares, so that its own code, which knows only those, reads and writes the same
// rows: a value that it does not give is null in a new row, and stays in one that is there (R295).

extension EntityDescription {
  /// The entity without its custom attributes; itself if it has none.
  package var withoutCustomAttributes: EntityDescription {
    let declared = attributes.filter { !$0.isCustom }
    guard declared.count < attributes.count,
      let entity = try? EntityDescription(
        name: name,
        identity: identity,
        attributes: declared,
        relationships: relationships
      )
    else { return self }
    return entity
  }

  /// Returns the entity with custom attributes after its other ones.
  /// - Throws: `SchemaError` for a name that the entity has already.
  package func adding(custom attributes: [AttributeDescription]) throws(SchemaError)
    -> EntityDescription
  {
    guard !attributes.isEmpty else { return self }
    return try EntityDescription(
      name: name,
      identity: identity,
      attributes: self.attributes
        + attributes.map { attribute in
          var attribute = attribute
          attribute.isCustom = true
          return attribute
        },
      relationships: relationships
    )
  }

  /// Whether this is another entity with custom attributes after its own.
  /// - Complexity: O(*n*) in the attributes.
  package func extends(_ other: EntityDescription) -> Bool {
    let count = other.attributes.count
    return count < attributes.count && name.hasSameBytes(as: other.name)
      && identity == other.identity && attributes[count...].allSatisfy(\.isCustom)
      && attributes.starts(with: other.attributes) && relationships == other.relationships
  }

  /// Whether two entities have the same objects: one may be the other with custom attributes.
  package func isSame(as other: EntityDescription) -> Bool {
    self == other || extends(other) || other.extends(self)
  }

  /// Returns the values of a row with those of the custom attributes that a program without them did not give.
  /// - Parameters:
  ///   - values: The values, in the order of the entity's attributes.
  ///   - stored: The stored row, whose values stay; `nil` for a new row, where they are null.
  /// - Returns: A value for each attribute; the values as they are, if others are missing.
  package func completed(_ values: [Value], from stored: Row? = nil) -> [Value] {
    guard values.count < attributes.count, attributes[values.count...].allSatisfy(\.isCustom) else {
      return values
    }
    let missing = values.count..<attributes.count
    return values + missing.map { index in stored.map { $0.values[index] } ?? .null }
  }

  /// Returns a row as it was read, completed in the same way, so that it can be compared with the stored one.
  package func completed(_ row: Row, from stored: Row) -> Row {
    var row = row
    row.values = completed(row.values, from: stored)
    return row
  }
}

extension Collection<EntityDescription> {
  /// The index of an entity as stores have it, or of the one that extends it; `nil` if there is neither.
  /// - Complexity: O(*n*) in the entities.
  package func index(matching entity: EntityDescription) -> Index? {
    let entity = entity.stored
    return firstIndex { $0 === entity } ?? firstIndex { $0 == entity }
      ?? firstIndex { $0.extends(entity) }
  }
}
