/// The entities of a store by name, with the columns by which they find each other's objects.
package struct RelatedEntities {
  private var entities: [String: [EntityDescription]] = [:]
  /// By the name of the entity that has the columns.
  private var sought: [String: [(holder: EntityDescription, columns: [[String]])]] = [:]

  /// Collects the relationships of all entities.
  /// - Complexity: O(*n*) in the entities and their relationships.
  package init(_ all: [EntityDescription]) {
    for entity in all {
      entities[entity.name, default: []].append(entity)
      for relationship in entity.relationships {
        switch relationship.kind {
        case .toOne: continue
        case .toMany(let columns): add([columns], in: relationship.destination)
        case .manyToMany(let link, let from, let to): add([from, to], in: link.entity)
        }
      }
    }
  }

  private mutating func add(_ columns: [[String]], in holder: EntityDescription) {
    sought[holder.name, default: []].append((holder, columns))
  }

  /// Whether an entity is one of them.
  package func contains(_ entity: EntityDescription) -> Bool {
    entities[entity.name]?.contains(entity) ?? false
  }

  /// The columns of an entity by which relationships of all entities find its objects.
  package func columns(soughtIn entity: EntityDescription) -> [[String]] {
    (sought[entity.name] ?? []).flatMap { $0.holder == entity ? $0.columns : [] }
  }
}
