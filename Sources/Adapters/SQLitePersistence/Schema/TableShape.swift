import GRDB
import ResultsDomain
import SQLStoreSupport

/// The declaration of a table, as SQLite reports it.
struct TableShape: Sendable {
  struct Column: Sendable {
    let name: String
    let affinity: ColumnAffinity
    let declaredType: String
    let isRequired: Bool
    /// The text of the column's default, or `nil`.
    let defaultText: String?
    /// The column's position in the primary key, from 1, or 0.
    let keyPosition: Int
    /// Whether the database calculates the column's values, and when.
    let generation: ColumnGeneration
  }

  /// Where a table is stored, which differs for a table that is dropped and created again.
  struct Location: Sendable {
    /// The number of its row in the schema.
    let row: Int64
    /// Its root page in the file.
    let page: Int64
  }

  /// The table's name as declared.
  let name: String
  /// Where it was stored when it was inspected.
  let location: Location
  /// The statement that declares the table; SQLite updates it with the table.
  let declaration: String
  let columns: [Column]
  let isStrict: Bool
  let isWithoutRowNumber: Bool
  /// The indexes of the columns by their names in lowercase: a table has up to 32,767, and each is looked up several times.
  private let indexes: [[UInt8]: Int]

  init(
    name: String,
    location: Location,
    declaration: String,
    columns: [Column],
    isStrict: Bool,
    isWithoutRowNumber: Bool
  ) {
    (self.name, self.location, self.declaration) = (name, location, declaration)
    (self.columns, self.isStrict) = (columns, isStrict)
    self.isWithoutRowNumber = isWithoutRowNumber
    let indexed = columns.enumerated().map { ($0.element.name.caselessIdentifier, $0.offset) }
    indexes = Dictionary(indexed) { first, _ in first }
  }

  /// The column of a name; SQLite ignores the case of A to Z.
  func column(named name: String) -> Column? {
    indexes[name.caselessIdentifier].map { columns[$0] }
  }

  /// The index of a column, or -1.
  func index(of name: String) -> Int32 { Int32(indexes[name.caselessIdentifier] ?? -1) }

  /// The affinity of a column, or of the row number.
  func affinity(of name: String) -> ColumnAffinity {
    guard let column = column(named: name) else { return .integer }
    // A column ANY of a strict table converts nothing (sqlite.org/stricttables.html, 2).
    let isAny = isStrict && column.declaredType.caselessIdentifier == Array("any".utf8)
    return isAny ? .none : column.affinity
  }

  /// The names of the row number, unless columns have them (sqlite.org/rowidtable.html).
  static let rowNumberNames = ["rowid", "_rowid_", "oid"]

  /// Whether a name that no column has is that of the row number.
  func isRowNumber(_ name: String) -> Bool {
    let name = name.caselessIdentifier
    return !isWithoutRowNumber && Self.rowNumberNames.contains { Array($0.utf8) == name }
      && indexes[name] == nil
  }

  /// Whether the database calculates a column's values.
  func isGenerated(_ name: String) -> Bool {
    column(named: name).map { $0.generation != .none } ?? false
  }

  /// Whether a column has the same position in a stored row as in the declaration.
  ///
  /// Virtual columns are not in the row, and those after them move up. Versions of SQLite differ in which of the two positions the
  /// pre-update hook expects; up to the first virtual column they are equal.
  func isStoredAsDeclared(_ name: String) -> Bool {
    let index = Int(index(of: name))
    return isRowNumber(name)
      || index >= 0 && columns[...index].allSatisfy { $0.generation != .virtual }
  }
}

/// Whether and when the database calculates a column's values.
enum ColumnGeneration: Int, Sendable {
  /// They are written.
  case none
  /// They are calculated on every read.
  case virtual
  /// They are calculated when their row is written.
  case stored
}

/// How SQLite converts values that are written into a column of a table that is not strict.
enum ColumnAffinity: Sendable {
  case integer
  case numeric
  case real
  case text
  case none

  /// The affinity of a declared type (sqlite.org/datatype3.html, 3.1).
  init(declaredType: String) {
    let type = String(decoding: declaredType.caselessIdentifier, as: UTF8.self)
    let contains = { (parts: [String]) in parts.contains { type.contains($0) } }
    if contains(["int"]) {
      self = .integer
    } else if contains(["char", "clob", "text"]) {
      self = .text
    } else if type.isEmpty || contains(["blob"]) {
      self = .none
    } else {
      self = contains(["real", "floa", "doub"]) ? .real : .numeric
    }
  }

  /// Whether SQLite compares a column with one of another affinity without converting values (sqlite.org/datatype3.html, 4.2).
  func comparesAsStored(with other: ColumnAffinity) -> Bool {
    self == other || ![self, other].contains { $0 == .text || $0 == .none }
  }

  /// Whether values of a storage class are stored unchanged, or as numbers of the same value.
  func preserves(_ storage: StorageClass) -> Bool {
    switch (self, storage) {
    case (.none, _), (_, .blob), (_, .any): true
    case (.integer, .integer), (.numeric, .integer): true
    case (.integer, .real), (.numeric, .real), (.real, .real): true
    case (.text, .text): true
    default: false
    }
  }
}

extension StoredForm {
  /// Whether all values are texts that do not look like numbers, so that a column with a numeric type stores them unchanged
  /// (sqlite.org/datatype3.html, 3): dates with separators, and UUIDs with dashes.
  var isNeverNumber: Bool {
    switch self {
    case .dateText, .dateTextOmittingZeroFraction, .dayText, .iso8601, .uuidText: true
    case .epochSeconds, .epochMilliseconds, .referenceSeconds, .fileTimeMicroseconds, .uuidHex,
      .uuidBlob, .decimalText, .json, .words:
      false
    }
  }
}

extension Database {
  /// Reads the shape of a table.
  /// - Parameters:
  ///   - name: The table's name.
  ///   - orView: Whether a view has a shape too: that of a table without row numbers.
  /// - Returns: The shape, or `nil` if there is no table of that name.
  /// - Throws: SQLite's error.
  func tableShape(of name: String, orView: Bool = false) throws -> TableShape? {
    guard let table = try schemaEntry(of: name), table.type == "table" || orView else { return nil }
    guard let catalog = SchemaCatalog.of(self) else { return try shape(of: table) }
    return try catalog.shape(of: table) { try shape(of: table) }
  }

  private func shape(of table: SchemaCatalog.Entry) throws -> TableShape {
    // SQLite derives what pragmas report; the text in the schema table can be anything.
    let quoted = table.name.quotedIdentifier
    let rows = try GRDB.Row.fetchAll(self, sql: "PRAGMA main.table_xinfo(\(quoted))")
    // A hidden column of a virtual table is an argument of its module.
    let columns = rows.filter { $0["hidden"] != 1 }.map { row in
      let type: String = row["type"]
      return TableShape.Column(
        name: row["name"],
        affinity: ColumnAffinity(declaredType: type),
        declaredType: type,
        isRequired: row["notnull"],
        defaultText: row["dflt_value"],
        keyPosition: row["pk"],
        generation: (row["hidden"] as Int).generation
      )
    }
    return TableShape(
      name: table.name,
      location: table.location,
      declaration: table.declaration,
      columns: columns,
      isStrict: table.isStrict,
      isWithoutRowNumber: table.type == "view" || table.isWithoutRowNumber
    )
  }

  /// The table or view of a name, from the catalog of the scope or by a search.
  private func schemaEntry(of name: String) throws -> SchemaCatalog.Entry? {
    if let catalog = SchemaCatalog.of(self) { return catalog.entry(named: name) }
    let table = try GRDB.Row.fetchOne(
      self,
      sql: """
        SELECT name, sql, rowid, rootpage, type FROM main.sqlite_master
        WHERE type IN ('table', 'view') AND lower(name) = lower(?)
        """,
      arguments: [name]
    )
    guard let table else { return nil }
    let declared = try table.decode(String.self, atIndex: 0)
    let type = try table.decode(String.self, forColumn: "type")
    let list = try GRDB.Row.fetchOne(
      self,
      sql: "SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?",
      arguments: [declared]
    )
    return SchemaCatalog.Entry(
      name: declared,
      type: type,
      declaration: try table.decode(String?.self, forColumn: "sql") ?? "",
      location: TableShape.Location(
        row: try table.decode(forColumn: "rowid"),
        page: try table.decode(Int64?.self, forColumn: "rootpage") ?? 0
      ),
      kind: type,
      isStrict: list?["strict"] ?? false,
      isWithoutRowNumber: list?["wr"] ?? false
    )
  }
}

extension Int {
  /// The meaning of a number in the column `hidden` of `PRAGMA table_xinfo`.
  fileprivate var generation: ColumnGeneration {
    switch self {
    case 2: .virtual
    case 3: .stored
    default: .none
    }
  }
}

/// A fingerprint of the schema, by which to see whether the tables of a store's entities may have been altered or recreated.
struct SchemaFingerprint: Hashable, Sendable {
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

  /// Whether the tables are still the same in a later fingerprint.
  ///
  /// A table that is dropped and created again can have the same location. Then no difference explains the schema's new version.
  func hasSameTables(as later: SchemaFingerprint) -> Bool {
    cookie == later.cookie || tables == later.tables && others != later.others
  }
}
