#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

@testable import PostgreSQLPersistence

/// The tables of some entities in a database of the test server, read through one connection.
final class ReadTables {
  let connection: Connection
  let tables: StoreTables

  /// Creates or adopts the tables.
  init(
    _ entities: [EntityDescription],
    at url: String,
    _ change: (inout SchemaOptions) -> Void = { _ in }
  ) throws {
    connection = try TestServer.connect(url)
    try connection.run("SET search_path = pg_catalog")
    try connection.run("SET plan_cache_mode = force_generic_plan")
    var options = SchemaOptions()
    change(&options)
    tables = try SchemaOpening.tables(
      for: entities,
      options: options,
      path: "test",
      on: connection
    )
  }

  /// Replaces all rows of an entity.
  func replace(_ rows: [Row], of entity: EntityDescription) throws {
    let table = try tables.table(of: entity)
    var statements = [Statement("DELETE FROM \(table.quotedName)")]
    let columns = (table.isCompound ? [] : table.keyColumns) + table.attributeColumns
    let marks = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let names = columns.map(\.name).joined(separator: ", ")
    for row in rows {
      let values = (table.isCompound ? [] : row.id.key.parts) + row.values
      statements.append(
        Statement(
          "INSERT INTO \(table.quotedName) (\(names)) VALUES (\(marks))",
          try zip(columns, values).map { column, value in
            guard let parameter = column.coding.parameter(value) else { throw Unstorable() }
            return parameter
          }
        )
      )
    }
    _ = try connection.run(statements)
  }

  private struct Unstorable: Error {}

  /// Runs a closure with a snapshot of the tables.
  func read<Result>(_ body: (ReadSnapshot) throws -> Result) throws -> Result {
    try connection.run([.begin(.reading)])
    defer { _ = try? connection.run([.rollback]) }
    return try body(
      ReadSnapshot(TableReader(connection, tables: tables, path: "test"))
    )
  }
}

/// What a reader of tables answers, as a snapshot without a history.
final class ReadSnapshot: StoreSnapshot {
  private let reader: TableReader

  init(_ reader: TableReader) { self.reader = reader }

  var version: StoreVersion { StoreVersion(epoch: 0, sequence: 0) }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try reader.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try reader.entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try reader.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try reader.digests(of: definition, attributes: attributes, body)
  }

  func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try reader.aggregates(aggregates, of: definition, groupedByFirst: columns, body)
  }

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    try reader.referrers(to: keys, through: columns, of: entity, limit: limit)
  }

  func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory { .gap(.schemaChanged) }

  func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory { .gap(.schemaChanged) }
}
#endif
