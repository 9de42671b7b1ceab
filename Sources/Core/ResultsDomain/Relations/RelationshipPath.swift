/// The quantifier of a predicate over the objects of a to-many relationship.
///
/// An object counts if the predicate is true for it, not if it is unknown. So a quantified predicate is never unknown (R93).
public enum Quantifier: String, Hashable, Sendable, CaseIterable {
  /// At least one object counts; false if there are none.
  case any = "ANY"
  /// Every object counts; true if there are none.
  case all = "ALL"
  /// No object counts; true if there are none.
  case none = "NONE"
}

extension EntityDescription {
  /// The number of relationships that a path can follow.
  package static let pathLimit = 32

  /// The relationship of a name, or `nil` if there is none.
  /// - Complexity: O(*n*) in the relationships.
  public func relationship(named name: String) -> RelationshipDescription? {
    relationships.first { $0.name.hasSameBytes(as: name) }
  }

  /// The value of a column, which is an attribute or holds the object's key; `nil` for an unknown name.
  package func expression(ofColumn name: String) -> FetchExpression? {
    if index(of: name) != nil { return .attribute(name) }
    return isKey(name) ? .objectKey : nil
  }

  /// Whether a name is that of the column that is the whole key, and of no attribute.
  package func isKey(_ name: String) -> Bool {
    switch identity {
    case .integer(let column), .text(let column): column.hasSameBytes(as: name)
    case .compound: false
    }
  }

  /// Resolves the relationships of a path from this entity.
  /// - Parameters:
  ///   - steps: The names of the relationships.
  ///   - endsToMany: Whether the last relationship is to-many, and not to-one like the others.
  ///   - text: The path for messages.
  /// - Returns: The relationships, at least one.
  /// - Throws: `RequestError` for a path that is too long, an unknown name, a relationship of the other kind, or keys that do not fit.
  package func relationships(
    along steps: [String],
    endsToMany: Bool,
    in text: String
  ) throws(RequestError) -> [RelationshipDescription] {
    guard steps.count <= EntityDescription.pathLimit else {
      throw .tooManyRelationships(inOnePath: true, limit: EntityDescription.pathLimit)
    }
    var entity = self
    var path: [RelationshipDescription] = []
    for (index, step) in steps.enumerated() {
      guard let relationship = entity.relationship(named: step) else {
        throw .unknownRelationship(
          step,
          entity: entity.name,
          known: entity.relationships.map(\.name)
        )
      }
      let isLast = index == steps.count - 1
      if endsToMany, isLast {
        guard !relationship.isToOne else { throw .pathWithoutMany(text, relationship: step) }
      } else {
        guard relationship.isToOne else {
          throw .pathThroughMany(text, relationship: step, isGathered: endsToMany)
        }
      }
      guard relationship.keysFit(entity) else {
        throw .mismatchedRelationship(step, entity: entity.name)
      }
      path.append(relationship)
      entity = relationship.destination
    }
    guard !path.isEmpty else { throw .invalidPath(text) }
    return path
  }

  /// The entity at the end of a path, or `nil` if the path is not valid.
  package func destination(along steps: [String]) -> EntityDescription? {
    var entity = self
    for step in steps {
      guard let relationship = entity.relationship(named: step) else { return nil }
      entity = relationship.destination
    }
    return entity
  }
}

extension RelationshipDescription {
  /// Whether the columns of the foreign key exist and hold keys of the storage classes of the entity that they name.
  fileprivate func keysFit(_ entity: EntityDescription) -> Bool {
    switch kind {
    case .toOne(let columns): holdKeys(columns, of: entity, naming: destination)
    case .toMany(let columns): holdKeys(columns, of: destination, naming: entity)
    case .manyToMany(let link, let from, let to):
      holdKeys(from, of: link.entity, naming: entity)
        && holdKeys(to, of: link.entity, naming: destination)
    }
  }

  private func holdKeys(
    _ columns: [String],
    of entity: EntityDescription,
    naming other: EntityDescription
  ) -> Bool {
    guard columns.count == other.keyTypes.count else { return false }
    return zip(columns, other.keyTypes).allSatisfy { column, type in
      let expression = entity.expression(ofColumn: column)
      return expression?.type(in: entity)?.storage == type.storage
    }
  }
}
