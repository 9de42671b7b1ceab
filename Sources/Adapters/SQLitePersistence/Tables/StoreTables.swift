import ResultsDomain

/// The tables of all entities a store was opened with.
final class StoreTables: Sendable {
  let all: [EntityTable]
  let entities: [EntityDescription]

  init(_ all: [EntityTable]) {
    self.all = all
    entities = all.map(\.entity)
  }

  /// The table of an entity.
  /// - Throws: `StoreError.unknownEntity` for one that the store was not opened with, or that has another schema.
  func table(of entity: EntityDescription) throws(StoreError) -> EntityTable {
    for table in all where table.entity === entity { return table }
    for table in all where table.entity == entity { return table }
    throw .unknownEntity(entity.name, known: entities.map(\.name))
  }
}
