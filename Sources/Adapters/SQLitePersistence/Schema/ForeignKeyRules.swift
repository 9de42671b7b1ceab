import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

typealias ForeignKeyRules = SQLStoreSupport.ForeignKeyRules<SQLiteDialect>

extension ForeignKeyRules {
  /// The constraint of a column that is a foreign key by itself, with a space before it.
  func clause(ofColumn name: String) -> String {
    enforced.filter { $0.columns.isSamePath(as: [name]) }.map { " " + Self.reference($0) }.joined()
  }

  /// The constraints of foreign keys of several columns.
  var tableClauses: [String] {
    enforced.filter { $0.columns.count > 1 }.map { Self.constraint($0) }
  }

  /// The columns of foreign keys that no index of the table begins with.
  func missingIndexes(on database: Database) throws -> [[String]] {
    missingIndexes(beside: try database.indexedColumns(of: entity.name))
  }

  /// Refuses a relationship that contradicts a foreign key of the table.
  /// - Throws: `OpenFailureError` with the relationship's name and a remedy.
  func check(on database: Database) throws {
    if let detail = try contradiction(in: DatabaseKeys(database: database)) {
      throw OpenFailureError.mismatch(entity, detail)
    }
  }

  /// Removes the store's index over a column that is about to be removed.
  static func dropOwnIndex(
    of column: String,
    _ entity: EntityDescription,
    on database: Database
  ) throws {
    let name = indexName([column], of: entity)
    let columns = try String.fetchAll(
      database,
      sql: "SELECT name FROM pragma_index_info(?)",
      arguments: [name]
    )
    guard columns.count == 1, columns[0].caselessIdentifier == column.caselessIdentifier else {
      return
    }
    try database.execute(sql: "DROP INDEX \(name.quotedIdentifier)")
  }
}

extension ReferentialAction {
  /// The action that SQLite reports.
  init(named name: String) {
    self = ReferentialAction(rawValue: name.uppercased()) ?? .noAction
  }
}

/// The foreign keys of a database's tables.
private struct DatabaseKeys: ForeignKeyCatalog {
  let database: Database

  func foreignKeys(of entity: EntityDescription) throws -> [ForeignKeyShape]? {
    try database.tableShape(of: entity.name).map { try database.foreignKeys(of: $0.name) }
  }

  func compares(
    _ column: String,
    of entity: EntityDescription,
    with key: String,
    of destination: EntityDescription
  ) throws -> Bool {
    guard let holder = try database.tableShape(of: entity.name, orView: true),
      let target = try database.tableShape(of: destination.name)
    else { return false }
    return target.affinity(of: key).comparesAsStored(with: holder.affinity(of: column))
  }
}

extension Database {
  /// The columns of each index of a table that has all rows.
  func indexedColumns(of table: String, onlyUnique: Bool = false) throws -> [[String]] {
    let names = try String.fetchAll(
      self,
      sql: "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND \"unique\" >= ?",
      arguments: [table, onlyUnique]
    )
    return try names.map { name in
      try String?.fetchAll(
        self,
        sql: "SELECT name FROM pragma_index_info(?) ORDER BY seqno",
        arguments: [name]
      )
      .map { $0 ?? "" }
    }
  }

  /// The foreign keys of a table.
  fileprivate func foreignKeys(of table: String) throws -> [ForeignKeyShape] {
    guard let catalog = SchemaCatalog.of(self) else { return try foreignKeyShapes(of: table) }
    return try catalog.foreignKeys(of: table) { try foreignKeyShapes(of: table) }
  }

  private func foreignKeyShapes(of table: String) throws -> [ForeignKeyShape] {
    let rows = try GRDB.Row.fetchAll(
      self,
      sql: """
        SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?)
        ORDER BY id, seq
        """,
      arguments: [table]
    )
    var keys: [Int64: ForeignKeyShape] = [:]
    for row in rows {
      let id = try row.decode(Int64.self, atIndex: 0)
      var key =
        try keys[id]
        ?? ForeignKeyShape(
          table: row.decode(String.self, atIndex: 1),
          action: ReferentialAction(named: row.decode(String.self, atIndex: 4))
        )
      key.columns.append(try row.decode(String.self, atIndex: 2))
      if let target = try row.decode(String?.self, atIndex: 3) { key.targets.append(target) }
      keys[id] = key
    }
    return keys.sorted { $0.key < $1.key }.map(\.value)
  }

  /// A name, with a number appended if an index or a table has it.
  func freeName(_ name: String) throws -> String {
    var number = 1
    while true {
      let tried = number == 1 ? name : "\(name)\(number)"
      let isTaken = try Bool.fetchOne(
        self,
        sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_master WHERE lower(name) = lower(?))",
        arguments: [tried]
      )
      guard isTaken == true else { return tried }
      number += 1
    }
  }
}
