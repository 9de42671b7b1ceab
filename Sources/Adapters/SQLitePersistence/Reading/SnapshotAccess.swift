import GRDB
import ResultsDomain

/// A connection within a transaction, for as long as the closure around it runs.
final class SnapshotAccess {
  let core: StoreCore
  let version: StoreVersion
  private var database: Database?

  init(_ database: Database, _ version: StoreVersion, of core: StoreCore) {
    self.database = database
    self.version = version
    self.core = core
  }

  /// Ends the use; what is asked afterwards fails.
  func end() { database = nil }

  /// Runs a closure with the table of an entity.
  func with<Result>(
    _ entity: EntityDescription,
    _ body: (Database, EntityTable) throws -> Result
  ) throws(StoreError) -> Result {
    let table = try core.tables.table(of: entity)
    return try with { try body($0, table) }
  }

  /// Runs a closure with the connection.
  func with<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    guard let database else {
      throw .unexpected(
        path: core.path,
        detail: "a snapshot was used after its closure had returned"
      )
    }
    return try core.translating { try body(database) }
  }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try with(entity) { try reader($0).rows(keys, of: $1) }
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with(definition.entity) { database, table in
      try reader(database).entries(of: definition, in: table) { try body($0) }
    }
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    do {
      try predicate.validate(in: entity)
    } catch {
      throw .request(error)
    }
    return try with(entity) { try reader($0).count(of: $1, where: predicate) }
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try with(definition.entity) { database, table in
      try reader(database)
        .digests(of: definition, in: table, attributes: attributes) { try body($0) }
    }
  }

  func history(since version: StoreVersion, of entity: EntityDescription) throws(StoreError)
    -> StoreHistory
  {
    core.history(after: version, through: self.version, of: entity)
  }

  func plan(of definition: OrderDefinition) throws(StoreError) -> QueryPlan {
    try with(definition.entity) { database, table in
      try PlanReader(of: definition, in: table, on: database).plan()
    }
  }

  private func reader(_ database: Database) -> TableReader {
    TableReader(database: database, tables: core.tables)
  }
}
