import GRDB
import ResultsDomain

/// What a table looks like, as SQLite tells it.
struct TableShape: Sendable {
  struct Column: Sendable {
    let name: String
    let affinity: ColumnAffinity
    let declaredType: String
    let isRequired: Bool
    /// The text of the column's default, or `nil`.
    let defaultText: String?
    /// The column's place in the primary key, from 1, or 0.
    let keyPlace: Int
    /// Whether the database calculates the column's values, and where they are.
    let generation: ColumnGeneration
  }

  /// Where a table stands; one that is made anew under its name stands elsewhere.
  struct Position: Sendable {
    /// The number of its row in the schema.
    let row: Int64
    /// The page in the file that it begins on.
    let page: Int64
  }

  /// The table's name as declared.
  let name: String
  /// Where it stood when it was looked at.
  let position: Position
  /// The text that declares the table; SQLite changes it with the table.
  let declaration: String
  let columns: [Column]
  let isStrict: Bool
  let isWithoutRowNumber: Bool

  /// The column of a name; SQLite does not tell `A` from `a`.
  func column(named name: String) -> Column? {
    columns.first { $0.name.caselessIdentifier == name.caselessIdentifier }
  }

  /// Where a column stands, or -1.
  func place(of name: String) -> Int32 {
    let place = columns.firstIndex { $0.name.caselessIdentifier == name.caselessIdentifier }
    return Int32(place ?? -1)
  }

  /// Whether the database calculates a column's values.
  func isGenerated(_ name: String) -> Bool {
    column(named: name).map { $0.generation != .none } ?? false
  }

  /// Whether a stored row has a column where the table declares it.
  ///
  /// Columns that are calculated at every reading are not in the row, and those behind them move up. Versions of SQLite differ in
  /// which of the two positions the pre-update hook asks for; up to the first such column both are one.
  func isStoredAsDeclared(_ name: String) -> Bool {
    let position = Int(place(of: name))
    return position >= 0 && columns[...position].allSatisfy { $0.generation != .virtual }
  }
}

/// How a column comes by its values.
enum ColumnGeneration: Int, Sendable {
  /// They are written.
  case none
  /// They are calculated at every reading.
  case virtual
  /// They are calculated when their row is written.
  case stored
}

/// What SQLite makes of the values written into a column of a table that is not strict.
enum ColumnAffinity: Sendable {
  case integer
  case numeric
  case real
  case text
  case none

  /// The affinity of a declared type (sqlite.org/datatype3.html, 3.1).
  init(declaredType: String) {
    let type = String(decoding: declaredType.caselessIdentifier, as: UTF8.self)
    let holds = { (parts: [String]) in parts.contains { type.contains($0) } }
    if holds(["int"]) {
      self = .integer
    } else if holds(["char", "clob", "text"]) {
      self = .text
    } else if type.isEmpty || holds(["blob"]) {
      self = .none
    } else {
      self = holds(["real", "floa", "doub"]) ? .real : .numeric
    }
  }

  /// Whether values of a storage class are kept as they are, or as numbers of the same value.
  func keeps(_ storage: StorageClass) -> Bool {
    switch (self, storage) {
    case (.none, _), (_, .blob): true
    case (.integer, .integer), (.numeric, .integer): true
    case (.integer, .real), (.numeric, .real), (.real, .real): true
    case (.text, .text): true
    default: false
    }
  }
}

extension Database {
  /// The shape of a table, or `nil` if there is none of that name; a view has no shape.
  func tableShape(of name: String) throws -> TableShape? {
    let table = try GRDB.Row.fetchOne(
      self,
      sql: """
        SELECT name, sql, rowid, rootpage FROM main.sqlite_master
        WHERE type = 'table' AND lower(name) = lower(?)
        """,
      arguments: [name]
    )
    guard let table else { return nil }
    // What SQLite says of a table in pragmas is its own; what stands in the schema can be anything.
    let declared = try table.decode(String.self, atIndex: 0)
    let quoted = declared.quotedIdentifier
    let rows = try GRDB.Row.fetchAll(self, sql: "PRAGMA main.table_xinfo(\(quoted))")
    let columns = rows.map { row in
      let type: String = row["type"]
      return TableShape.Column(
        name: row["name"],
        affinity: ColumnAffinity(declaredType: type),
        declaredType: type,
        isRequired: row["notnull"],
        defaultText: row["dflt_value"],
        keyPlace: row["pk"],
        generation: (row["hidden"] as Int).generation
      )
    }
    let list = try GRDB.Row.fetchOne(
      self,
      sql: "SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?",
      arguments: [declared]
    )
    return TableShape(
      name: declared,
      position: TableShape.Position(
        row: try table.decode(forColumn: "rowid"),
        page: try table.decode(forColumn: "rootpage")
      ),
      declaration: try table.decode(String?.self, forColumn: "sql") ?? "",
      columns: columns,
      isStrict: list?["strict"] ?? false,
      isWithoutRowNumber: list?["wr"] ?? false
    )
  }
}

extension Int {
  /// What SQLite means by a number in the column `hidden` of `PRAGMA table_xinfo`.
  fileprivate var generation: ColumnGeneration {
    switch self {
    case 2: .virtual
    case 3: .stored
    default: .none
    }
  }
}

/// What tells whether the tables of a store's entities may have been altered, or made anew, between two looks.
struct SchemaMark: Hashable, Sendable {
  /// The schema's version, which every change of the schema changes.
  let cookie: Int64
  private let tables: [[Value]]
  private let others: [[Value]]

  /// Reads the schema.
  init(of tables: StoreTables, on database: Database) throws {
    cookie = try database.integer("PRAGMA main.schema_version")
    let names = Set(tables.all.map { String(decoding: $0.name, as: UTF8.self).caselessIdentifier })
    var found: (own: [[Value]], others: [[Value]]) = ([], [])
    let statement = try PreparedStatement(
      "SELECT name, type, rowid, rootpage, sql FROM main.sqlite_master ORDER BY rowid",
      on: database
    )
    defer { statement.reset() }
    while try statement.step() {
      let row = (0..<5).map { Value(statement.pointer, column: $0, storage: .text) }
      let isOwn = row[1] == "table" && names.contains((row[0].text ?? "").caselessIdentifier)
      if isOwn { found.own.append(row) } else { found.others.append(row) }
    }
    (self.tables, others) = found
  }

  /// Whether the tables are still the same ones at a later look.
  ///
  /// A table that is dropped and made again can come to stand where it stood. Then nothing at all explains the schema's new version.
  func keepsTables(of later: SchemaMark) -> Bool {
    cookie == later.cookie || tables == later.tables && others != later.others
  }
}
