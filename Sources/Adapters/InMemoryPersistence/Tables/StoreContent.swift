import ResultsDomain

/// One version of all entities' rows: the immutable root that a commit publishes.
struct StoreContent: Sendable {
  let entities: [EntityDescription]
  var tables: [RowTable]
  var version: StoreVersion
  /// Keys of lists in this version.
  var orders = KeptOrders()

  init(entities: [EntityDescription], version: StoreVersion) {
    self.entities = entities
    self.version = version
    tables = entities.map { _ in RowTable() }
  }

  /// Where an entity's table is.
  func index(of entity: EntityDescription) throws(StoreError) -> Int {
    guard let index = entities.firstIndex(of: entity) else {
      throw .unknownEntity(entity.name, known: entities.map(\.name))
    }
    return index
  }
}
