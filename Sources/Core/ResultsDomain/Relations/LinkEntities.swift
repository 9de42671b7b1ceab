extension [EntityDescription] {
  /// The entities and the link entities of their relationships, which need no struct of their own.
  /// - Complexity: O(*n*²) in the entities and links.
  package var withLinks: [EntityDescription] {
    var all = self
    for entity in self {
      for relationship in entity.relationships {
        guard case .manyToMany(let reference, _, _) = relationship.kind else { continue }
        let link = reference.entity
        if !all.contains(where: { $0.name.hasSameBytes(as: link.name) }) { all.append(link) }
      }
    }
    return all
  }
}
