extension [EntityDescription] {
  /// The entities and the link entities of their relationships, which need no struct of their own.
  /// - Complexity: O(*n*) in the entities and their relationships.
  package var withLinks: [EntityDescription] {
    var all = map(\.stored)
    var names = Set(map { Value.text($0.name) })
    for entity in self {
      for relationship in entity.relationships {
        guard case .manyToMany(let reference, _, _) = relationship.kind else { continue }
        let link = reference.entity
        if names.insert(.text(link.name)).inserted { all.append(link) }
      }
    }
    return all
  }
}
