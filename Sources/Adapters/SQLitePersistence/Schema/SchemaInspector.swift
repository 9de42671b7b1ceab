import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Compares a database with the entities that a store is opened with.
struct SchemaInspector {
  let entities: [EntityDescription]
  let options: SQLiteStoreOptions

  /// The result of an inspection.
  struct Findings {
    /// The store's persistent name, where the database has this format.
    var identity: String?
    /// The version of the format, where the database has one.
    var format: Int?
    /// Whether the entities' tables belong to an application, although the database has the store's tables.
    var isAdopted = false
    /// Whether the database has no tables yet.
    var isEmpty = false
    /// What must be changed before the entities fit.
    var changes: [SchemaChange] = []
  }

  /// Refuses names that no table or column can have.
  static func checkNames(of entities: [EntityDescription]) throws(OpenFailureError) {
    var tables: Set<[UInt8]> = []
    for entity in entities {
      func refuse(_ detail: String) -> OpenFailureError {
        OpenFailureError.mismatch(entity, detail)
      }
      guard tables.insert(entity.name.caselessIdentifier).inserted else {
        throw refuse("two entities have that name: SQLite ignores the case of A to Z")
      }
      let table = String(decoding: entity.name.caselessIdentifier, as: UTF8.self)
      guard !table.hasPrefix("sqlite_"), !table.hasPrefix(StoreFormat.reservedPrefix) else {
        throw refuse("the prefix of that name is reserved")
      }
      var columns: Set<[UInt8]> = []
      let keys = entity.keyAttributeIndexes.isEmpty ? entity.identity.columns : []
      for name in keys + entity.attributes.map(\.name)
      where !columns.insert(name.caselessIdentifier).inserted {
        throw refuse("two columns are named \(name): SQLite ignores the case of A to Z")
      }
      for name in [entity.name] + entity.identity.columns + entity.attributes.map(\.name)
      where name.utf8.contains(0) {
        throw refuse("a name contains a NUL character")
      }
    }
  }

  /// Inspects a database without changing it.
  /// - Throws: `OpenFailureError` for a database that does not fit and cannot be migrated.
  func inspect(_ database: Database) throws -> Findings {
    try SchemaCatalog.using(database) { try inspect(database, $0) }
  }

  private func inspect(_ database: Database, _ catalog: SchemaCatalog) throws -> Findings {
    let names = catalog.all.map(\.name).filter {
      !$0.caselessIdentifier.starts(with: Array("sqlite_".utf8))
    }
    var findings = Findings()
    findings.isEmpty = names.isEmpty
    if names.isEmpty { try checkEmptiness(of: database) }
    // A view of that name is another application's, and may never end.
    guard catalog.entry(named: "_results_store")?.type == "table" else {
      if options.adoptsTables {
        findings.changes = try adopted(on: database)
        return findings
      }
      let application = try database.integer("PRAGMA application_id")
      guard names.isEmpty, application == 0 || application == StoreFormat.applicationID else {
        throw OpenFailureError(.otherApplication(tables: names))
      }
      findings.changes = try entities.map { .create($0) } + missingIndexes(on: database)
      return findings
    }
    let store = try GRDB.Row.fetchOne(
      database,
      sql: "SELECT format, identity FROM _results_store WHERE id = 1"
    )
    guard let store else { throw OpenFailureError(.damaged(detail: "_results_store is empty")) }
    let format = try store.decode(Int.self, forColumn: "format")
    guard format <= StoreFormat.customVersion else {
      throw OpenFailureError(.newerFormat(found: format, supported: StoreFormat.customVersion))
    }
    findings.identity = try store.decode(String.self, forColumn: "identity")
    findings.format = format
    if format >= 2 {
      findings.isAdopted = try StoreFormat.isAdopted(on: database)
    }
    guard !findings.isAdopted, !options.isDiscovered else {
      guard options.adoptsTables else {
        throw OpenFailureError(.otherApplication(tables: names))
      }
      findings.changes = try adopted(on: database)
      return findings
    }
    for entity in entities {
      if let recorded = try StoreFormat.recorded(entity.name, on: database) {
        let difference = try SchemaDifference(
          from: recorded,
          to: entity,
          replacing: options.attributeReplacements
        )
        findings.changes += SchemaChange.changes(by: difference, of: entity)
      } else if try database.tableShape(of: entity.name) != nil {
        throw OpenFailureError.mismatch(entity, "a table of that name has no schema on record")
      } else {
        findings.changes.append(.create(entity))
      }
    }
    // A call that only reads makes them with the tables and columns that it makes, and not for themselves.
    if !options.onlyReads || !findings.changes.isEmpty {
      findings.changes += try missingIndexes(on: database)
    }
    // A replacement writes what is new, and reads what is dropped.
    findings.changes = SchemaChange.Phase.allCases.flatMap { phase in
      findings.changes.filter { $0.phase == phase }
    }
    return findings
  }

  /// The indexes over foreign keys that the store's own tables lack.
  ///
  /// SQLite needs them to enforce the keys, and lists to find the objects that a change concerns.
  private func missingIndexes(on database: Database) throws -> [SchemaChange] {
    guard !options.isReadOnly else { return [] }
    let related = RelatedEntities(entities)
    return try entities.flatMap { entity in
      try ForeignKeyRules(entity, among: related).missingIndexes(on: database)
        .map { .index($0, entity) }
    }
  }

  /// The tables of the entities, once they fit.
  func tables(on database: Database) throws -> StoreTables {
    try SchemaCatalog.using(database) { _ in try catalogedTables(on: database) }
  }

  private func catalogedTables(on database: Database) throws -> StoreTables {
    var tables: [EntityTable] = []
    let related = RelatedEntities(entities)
    for (index, entity) in entities.enumerated() {
      guard let shape = try shape(of: entity, on: database) else {
        throw OpenFailureError.mismatch(entity, "there is no such table")
      }
      try check(shape, entity, on: database)
      try ForeignKeyRules(entity, among: related).check(on: database)
      tables.append(EntityTable(entity, index: index, shape: shape))
    }
    return StoreTables(tables)
  }

  private func shape(of entity: EntityDescription, on database: Database) throws -> TableShape? {
    try database.tableShape(of: entity.name, orView: options.isDiscovered)
  }

  private func adopted(on database: Database) throws -> [SchemaChange] {
    var changes: [SchemaChange] = []
    let related = RelatedEntities(entities)
    for entity in entities {
      if !options.isDiscovered, let refusal = try OtherTables(on: database).refusal(of: entity) {
        throw OpenFailureError(refusal)
      }
      if let shape = try shape(of: entity, on: database) {
        try check(shape, entity, on: database)
        try ForeignKeyRules(entity, among: related).check(on: database)
        if options.checksDates,
          let problem = try DateColumns(of: entity, in: shape).problems(on: database).first
        {
          throw OpenFailureError.mismatch(entity, problem)
        }
      } else if options.createsTables == true {
        changes.append(.create(entity))
        changes += try ForeignKeyRules(entity, among: related).missingIndexes(on: database)
          .map { .index($0, entity) }
      } else {
        throw try OtherTables(on: database).missing(entity)
      }
    }
    return changes
  }

  /// Refuses a file that has content but no tables: a page of its schema may have been lost.
  private func checkEmptiness(of database: Database) throws {
    guard try database.integer("PRAGMA application_id") != StoreFormat.applicationID else {
      throw OpenFailureError(.damaged(detail: "it was a store, and its schema is empty"))
    }
    let pages = try database.integer("PRAGMA main.page_count")
    // The first page, the free pages, and with auto_vacuum one pointer map page in each run of pages.
    var known = try 1 + database.integer("PRAGMA main.freelist_count")
    if try database.integer("PRAGMA main.auto_vacuum") != 0 {
      let run = try database.integer("PRAGMA main.page_size") / 5 + 1
      known += (max(0, pages - 1) + run - 1) / run
    }
    guard pages > known else { return }
    throw OpenFailureError(
      .damaged(detail: "its schema is empty, but \(pages - known) of its pages are not")
    )
  }

  /// Checks that a table has the columns of an entity, and that SQLite stores the values written into them unchanged.
  private func check(
    _ shape: TableShape,
    _ entity: EntityDescription,
    on database: Database
  ) throws {
    func refuse(_ detail: String) -> OpenFailureError {
      OpenFailureError.mismatch(entity, detail)
    }
    let isByRowNumber = entity.isIdentifiedByRowNumber(of: shape)
    let parts =
      isByRowNumber
      ? []
      : zip(entity.identity.columns, entity.keyStorage)
        .map { ($0, $1, entity.attribute(named: $0)?.form) }
    for (name, storage, form) in parts + entity.attributes.map({ ($0.name, $0.storage, $0.form) }) {
      guard let column = shape.column(named: name) else { throw refuse("it has no column \(name)") }
      guard column.affinity.preserves(storage) || form?.isNeverNumber == true else {
        throw refuse("\(name) is declared \(column.declaredType), which converts \(storage)")
      }
    }
    // What was discovered is how the table is.
    guard !options.isDiscovered, !isByRowNumber else { return }
    let keys = Set(shape.columns.filter { $0.keyPosition > 0 }.map(\.name.caselessIdentifier))
    guard keys == Set(entity.identity.columns.map(\.caselessIdentifier)) else {
      let found = shape.columns.filter { $0.keyPosition > 0 }.map(\.name)
      guard !found.isEmpty else {
        throw refuse("it has no primary key; declare rowid as the column of an integer identity")
      }
      let declared = entity.identity.columns.joined(separator: ", ")
      throw refuse("its primary key is \(found.joined(separator: ", ")), not \(declared)")
    }
    if case .integer(let column) = entity.identity {
      let type = shape.column(named: column)?.declaredType.caselessIdentifier
      guard type == Array("integer".utf8), !shape.isWithoutRowNumber else {
        throw refuse("\(column) is not an INTEGER PRIMARY KEY")
      }
    }
    guard try database.comparesKeyByBytes(of: shape) else {
      throw refuse("its primary key does not compare by bytes")
    }
  }
}

extension EntityDescription {
  /// Whether the objects are identified by the row numbers of a table that has no column of that name.
  func isIdentifiedByRowNumber(of shape: TableShape) -> Bool {
    guard case .integer(let column) = identity else { return false }
    return shape.isRowNumber(column)
  }
}

/// The tables and views that a database has instead of an entity's table.
private struct OtherTables {
  private let tables: [String]
  private let views: [String]
  private let temporary: [String]

  /// Reads the names that the connection sees.
  init(on database: Database) throws {
    func names(_ schema: String, _ types: String) throws -> [String] {
      try String.fetchAll(
        database,
        sql: """
          SELECT name FROM \(schema) WHERE type IN (\(types))
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_results\\_%' ESCAPE '\\'
          ORDER BY name
          """
      )
    }
    tables = try names("main.sqlite_master", "'table'")
    views = try names("main.sqlite_master", "'view'")
    temporary = try names("temp.sqlite_master", "'table', 'view'")
  }

  /// Why an entity cannot have a table of its name, or `nil`.
  func refusal(of entity: EntityDescription) -> OpenFailure? {
    let hasName = { (name: String) in name.caselessIdentifier == entity.name.caselessIdentifier }
    if temporary.contains(where: hasName) {
      return .schemaMismatch(
        entity: entity.name,
        detail: "a temporary table of that name hides it, which no other connection sees"
      )
    }
    guard views.contains(where: hasName) else { return nil }
    return .schemaMismatch(
      entity: entity.name,
      detail: "it is a view, whose rows have no permanent key"
    )
  }

  /// The failure for a missing table, with similar names.
  func missing(_ entity: EntityDescription) -> OpenFailureError {
    OpenFailureError.missingTable(of: entity, among: tables)
  }
}

/// A change that makes a table fit its entity; all others are refused.
enum SchemaChange {
  /// The table is created.
  case create(EntityDescription)
  /// A column is added; it is null in all rows.
  case add(AttributeDescription, EntityDescription)
  /// The values of a column are moved to where they belong now.
  case replace(AttributeReplacement, EntityDescription)
  /// A column is removed with its values.
  case drop(String, EntityDescription)
  /// An index over the columns of a foreign key is created.
  case index([String], EntityDescription)

  /// The order in which changes are applied.
  enum Phase: CaseIterable {
    case create, add, replace, drop, index
  }

  /// When the change is applied.
  var phase: Phase {
    switch self {
    case .create: .create
    case .add: .add
    case .replace: .replace
    case .drop: .drop
    case .index: .index
    }
  }

  /// The changes of a table that a store has created.
  static func changes(
    by difference: SchemaDifference,
    of entity: EntityDescription
  ) -> [SchemaChange] {
    difference.added.map { .add($0, entity) } + difference.replaced.map { .replace($0, entity) }
      + difference.dropped.map { .drop($0, entity) }
  }

  /// Applies the change.
  /// - Parameters:
  ///   - database: The connection.
  ///   - entities: The store's entities: foreign keys to others are not enforced.
  /// - Throws: SQLite's error.
  func apply(to database: Database, among entities: [EntityDescription]) throws {
    switch self {
    case .create(let entity):
      try database.execute(sql: SchemaChange.creation(of: entity, among: entities))
    case .add(let attribute, let entity):
      let reference = ForeignKeyRules(entity, among: entities).clause(ofColumn: attribute.name)
      try database.execute(
        sql: """
          ALTER TABLE \(entity.name.quotedIdentifier)
          ADD COLUMN \(attribute.name.quotedIdentifier) \(attribute.columnType)\(reference)
          """
      )
    case .index(let columns, let entity):
      let name = try database.freeName(ForeignKeyRules.indexName(columns, of: entity))
      try database.execute(
        sql: """
          CREATE INDEX \(name.quotedIdentifier) ON \(entity.name.quotedIdentifier) \
          (\(columns.map(\.quotedIdentifier).joined(separator: ", ")))
          """
      )
    case .replace(let replacement, let entity):
      for statement in replacement.statements { try database.execute(sql: statement) }
      try database.dropIndexes(over: replacement.attribute, of: entity.name)
    case .drop(let name, let entity):
      try ForeignKeyRules.dropOwnIndex(of: name, entity, on: database)
      try database.execute(
        sql: """
          ALTER TABLE \(entity.name.quotedIdentifier) DROP COLUMN \(name.quotedIdentifier)
          """
      )
    }
  }

  /// The statement that creates an entity's table: the key's column first, strict, and ordered by the key.
  static func creation(
    of entity: EntityDescription,
    among entities: [EntityDescription]
  ) -> String {
    let rules = ForeignKeyRules(entity, among: entities)
    var lines: [String] = []
    var options = "STRICT, WITHOUT ROWID"
    switch entity.identity {
    case .integer(let column):
      lines.append(
        "\(column.quotedIdentifier) INTEGER PRIMARY KEY\(rules.clause(ofColumn: column))"
      )
      options = "STRICT"
    case .text(let column):
      let clause = rules.clause(ofColumn: column)
      lines.append("\(column.quotedIdentifier) TEXT NOT NULL PRIMARY KEY\(clause)")
    case .compound: break
    }
    for attribute in entity.attributes {
      let rule = attribute.isOptional ? "" : " NOT NULL"
      let clause = rules.clause(ofColumn: attribute.name)
      lines.append(
        "\(attribute.name.quotedIdentifier) \(attribute.columnType)\(rule)\(clause)"
      )
    }
    if case .compound(let names) = entity.identity {
      lines.append("PRIMARY KEY (\(names.map(\.quotedIdentifier).joined(separator: ", ")))")
    }
    lines += rules.tableClauses
    return """
      CREATE TABLE \(entity.name.quotedIdentifier) (
        \(lines.joined(separator: ",\n  "))
      ) \(options)
      """
  }
}

extension Database {
  /// Drops the indexes that have a column of a table, which would prevent the column's removal.
  fileprivate func dropIndexes(over column: String, of table: String) throws {
    let names = try String.fetchAll(
      self,
      sql: """
        SELECT list.name FROM pragma_index_list(?) AS list
        WHERE list.origin = 'c' AND EXISTS (
          SELECT 1 FROM pragma_index_info(list.name) AS info WHERE lower(info.name) = lower(?))
        """,
      arguments: [table, column]
    )
    for name in names { try execute(sql: "DROP INDEX main.\(name.quotedIdentifier)") }
  }
}

extension AttributeDescription {
  /// The type of the attribute's column.
  var columnType: String {
    switch storage {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .any: "ANY"
    }
  }
}
