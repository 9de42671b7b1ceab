import ResultsStoreKit
import ResultsTesting

/// The statements that make a random database.
struct StrangerDatabase {
  private(set) var text: StrangerText
  private var taken: [String] = []

  init(_ text: StrangerText) { self.text = text }

  private var features: Set<StrangerFeature> { text.features }

  private mutating func happens(_ feature: StrangerFeature, percent: Int) -> Bool {
    features.contains(feature) && text.random.happens(percent: percent)
  }

  /// Whether texts are stored in UTF-16.
  private(set) var isUTF16 = false
  /// Whether the file has a write-ahead log.
  private(set) var hasWriteAheadLog = true

  /// A whole database.
  mutating func script() -> String {
    var lines: [String] = []
    isUTF16 = happens(.otherEncodings, percent: 4)
    if isUTF16 { lines.append("PRAGMA encoding = 'UTF-16le';") }
    if text.random.happens(percent: 30) {
      lines.append("PRAGMA page_size = \(text.random.choice(512, 1024, 8192, 65536));")
    }
    if text.random.happens(percent: 20) { lines.append("PRAGMA auto_vacuum = 2;") }
    hasWriteAheadLog = !happens(.rollbackJournals, percent: 50)
    lines.append(
      "PRAGMA journal_mode = \(hasWriteAheadLog ? "wal" : text.random.choice("delete", "truncate", "persist"));"
    )
    lines.append("BEGIN;")
    for _ in 0..<text.random.number(in: 1...5) {
      let table = newTable()
      lines.append(table.script)
      for _ in 0..<text.random.number(in: 0...12) {
        lines.append(insert(into: table.name, table.columns, verb: "INSERT OR IGNORE"))
      }
      if text.random.happens(percent: 40) { lines.append(index(on: table.name, table.columns)) }
      if happens(.triggers, percent: 30) { lines.append(trigger(on: table.name, table.columns)) }
      if happens(.views, percent: 40) { lines.append(view(of: table.name, table.columns)) }
    }
    if happens(.virtualTables, percent: 20) { lines.append(virtualTable()) }
    if happens(.endlessViews, percent: 10) {
      lines.append(
        "CREATE VIEW \(newName().quotedName) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;"
      )
    }
    if happens(.manyTables, percent: 5) {
      let count = text.random.choice(150, 400, 1000)
      for number in 0..<count {
        lines.append(
          "CREATE TABLE many\(number)(id INTEGER PRIMARY KEY, next_id INTEGER REFERENCES many\((number + 1) % count)(id), v);"
        )
      }
    }
    lines.append("COMMIT;")
    return lines.joined(separator: "\n") + "\n"
  }

  private mutating func newName() -> String {
    let name = text.name(besides: taken)
    taken.append(name)
    return name
  }

  // MARK: - Tables

  /// A table that does not exist yet.
  mutating func newTable(named given: String? = nil) -> (
    name: String, columns: [StrangerColumn], script: String
  ) {
    let name = given ?? newName()
    var columns: [StrangerColumn] = []
    for _ in 0..<text.random.number(in: 1...6) {
      columns.append(column(besides: columns.map(\.name), keyPosition: 0))
    }
    var form = text.random.number(in: 0...9)
    if form == 9, !features.contains(.missingKeys) { form = 0 }
    if form >= 7, form < 9, !features.contains(.withoutRowID) { form = 1 }
    let notNull = features.contains(.nullKeys) && form < 7 ? "" : " NOT NULL"
    var definitions: [String] = []
    var ending = ""
    switch form {
    case 0...2:
      let key = text.name(besides: columns.map(\.name), isColumn: true)
      let kind = text.random.choice("", " AUTOINCREMENT")
      columns.insert(
        StrangerColumn(name: key, type: "INTEGER", keyPosition: 1, isWritable: true),
        at: 0
      )
      definitions.append("\(key.quotedName) INTEGER PRIMARY KEY\(kind)")
    case 3, 4:
      let key = text.name(besides: columns.map(\.name), isColumn: true)
      let type = text.random.choice("TEXT", "", "INT", "REAL", "BLOB", "VARCHAR(10)")
      let collation = happens(.collations, percent: 20) ? " COLLATE NOCASE" : ""
      columns.insert(
        StrangerColumn(name: key, type: type, keyPosition: 1, isWritable: true),
        at: 0
      )
      definitions.append("\(key.quotedName) \(type) PRIMARY KEY\(collation)\(notNull)")
    case 5...8:
      var keys: [String] = []
      for number in 1...text.random.number(in: form < 7 ? 2...3 : 1...2) {
        let key = text.name(besides: columns.map(\.name), isColumn: true)
        let type = text.random.choice("TEXT", "", "INTEGER", "INTEGER")
        columns.insert(
          StrangerColumn(name: key, type: type, keyPosition: number, isWritable: true),
          at: 0
        )
        definitions.append("\(key.quotedName) \(type)\(notNull)")
        keys.append(key.quotedName)
      }
      ending = ", PRIMARY KEY (\(keys.joined(separator: ", ")))"
    default: break
    }
    let keyless = columns.filter { $0.keyPosition == 0 }
    for column in keyless {
      var definition = "\(column.name.quotedName) \(column.type)"
      if happens(.constraints, percent: 15) {
        definition += text.random.choice(
          " DEFAULT 'x'",
          " CHECK (1)",
          " DEFAULT (1 + 1)",
          " NOT NULL DEFAULT 0"
        )
      }
      if happens(.collations, percent: 10) {
        definition += " COLLATE \(text.random.choice("NOCASE", "RTRIM"))"
      }
      if happens(.dangling, percent: 15) {
        definition += " REFERENCES \((text.random.element(of: taken) ?? "nowhere").quotedName)"
      }
      definitions.append(definition)
    }
    if let source = keyless.first, happens(.constraints, percent: 20) {
      let name = text.name(besides: columns.map(\.name), isColumn: true)
      definitions.append(
        "\(name.quotedName) AS (\(text.random.choice("typeof", "length", "quote"))(\(source.name.quotedName))) \(text.random.choice("VIRTUAL", "STORED"))"
      )
    }
    let script =
      "CREATE TABLE \(name.quotedName)(\(definitions.joined(separator: ", "))\(ending))\((7...8).contains(form) ? " WITHOUT ROWID" : "");"
    return (name, columns, script)
  }

  private mutating func column(besides taken: [String], keyPosition: Int) -> StrangerColumn {
    StrangerColumn(
      name: text.name(besides: taken, isColumn: true),
      type: text.random.choice(
        "TEXT",
        "INTEGER",
        "",
        "REAL",
        "BLOB",
        "NUMERIC",
        "VARCHAR(20)",
        "INT",
        "ANY",
        "\"strange type\""
      ),
      keyPosition: keyPosition,
      isWritable: true
    )
  }

  // MARK: - Rows and objects beside tables

  /// A statement that inserts a row.
  mutating func insert(
    into table: String,
    _ columns: [StrangerColumn],
    verb: String = "INSERT"
  ) -> String {
    let written = columns.filter {
      $0.isWritable && ($0.keyPosition > 0 || text.random.happens(percent: 85))
    }
    guard !written.isEmpty else { return "\(verb) INTO \(table.quotedName) DEFAULT VALUES;" }
    let values = written.map { value(of: $0) }
    return """
      \(verb) INTO \(table.quotedName)(\(written.map(\.name.quotedName).joined(separator: ", "))) \
      VALUES (\(values.joined(separator: ", ")));
      """
  }

  /// A value for a column; keys are often those of other rows.
  mutating func value(of column: StrangerColumn) -> String {
    guard column.keyPosition > 0 else { return text.value(like: column.type) }
    if features.contains(.nullKeys), text.random.happens(percent: 10) { return "NULL" }
    let number = text.random.number(in: 0...20)
    if column.type == "INTEGER" { return String(number) }
    return text.random.choice("\(number)", "'k\(number)'", text.value(like: column.type))
  }

  /// A statement that makes an index, which may be unique, partial, or of an expression.
  mutating func index(on table: String, _ columns: [StrangerColumn]) -> String {
    let column = (text.random.element(of: columns)?.name ?? "a").quotedName
    let name = "index\(text.random.number(in: 0...99_999))"
    return text.random.choice(
      "CREATE INDEX \(name) ON \(table.quotedName)(\(column));",
      "CREATE INDEX \(name) ON \(table.quotedName)(\(column) COLLATE NOCASE DESC);",
      "CREATE INDEX \(name) ON \(table.quotedName)(lower(\(column)));",
      "CREATE INDEX \(name) ON \(table.quotedName)(\(column)) WHERE \(column) IS NOT NULL;"
    )
  }

  /// A statement that makes a trigger.
  mutating func trigger(on table: String, _ columns: [StrangerColumn]) -> String {
    let name = "trigger\(text.random.number(in: 0...99_999))"
    let table = table.quotedName
    let columns = columns.filter { $0.isWritable && $0.keyPosition == 0 }
    guard let column = text.random.element(of: columns)?.name.quotedName else { return "" }
    let event = text.random.choice("INSERT", "UPDATE", "DELETE")
    return text.random.choice(
      "CREATE TRIGGER \(name) AFTER UPDATE ON \(table) BEGIN UPDATE \(table) SET \(column) = OLD.\(column) WHERE \(column) IS NEW.\(column); END;",
      "CREATE TRIGGER \(name) AFTER INSERT ON \(table) BEGIN UPDATE \(table) SET \(column) = 'written back' WHERE \(column) IS NULL; END;",
      "CREATE TRIGGER \(name) BEFORE \(event) ON \(table) WHEN (SELECT count(*) FROM \(table)) % 5 = 3 BEGIN SELECT RAISE(IGNORE); END;",
      "CREATE TRIGGER \(name) BEFORE \(event) ON \(table) WHEN (SELECT count(*) FROM \(table)) % 7 = 3 BEGIN SELECT RAISE(ABORT, 'no'); END;",
      "CREATE TRIGGER \(name) AFTER DELETE ON \(table) WHEN (SELECT count(*) FROM \(table)) < 2 BEGIN INSERT INTO \(table)(\(column)) VALUES ('again'); END;"
    )
  }

  /// A statement that makes a view.
  mutating func view(of table: String, _ columns: [StrangerColumn]) -> String {
    let name = newName().quotedName
    let table = table.quotedName
    let column = (text.random.element(of: columns)?.name ?? "a").quotedName
    return text.random.choice(
      "CREATE VIEW \(name) AS SELECT * FROM \(table);",
      "CREATE VIEW \(name) AS SELECT \(column) AS c, count(*) AS n FROM \(table) GROUP BY \(column);",
      "CREATE VIEW \(name) AS SELECT \(column) FROM \(table) UNION ALL SELECT \(column) FROM \(table);",
      "CREATE VIEW \(name) AS SELECT * FROM \(table) WHERE typeof(\(column)) = 'text';",
      "CREATE VIEW \(name) AS SELECT * FROM gone;",
      "CREATE VIEW \(name) AS SELECT count(*) AS n, max(\(column)) AS m FROM \(table);"
    )
  }

  private mutating func virtualTable() -> String {
    let name = newName().quotedName
    return text.random.choice(
      "CREATE VIRTUAL TABLE \(name) USING fts5(a, b); INSERT INTO \(name) VALUES ('x', 'y');",
      "CREATE VIRTUAL TABLE \(name) USING rtree(id, a, b); INSERT INTO \(name) VALUES (1, 2, 3);"
    )
  }

  /// Passes its text to others, which continue the random choices.
  mutating func with<Result>(_ body: (inout StrangerText) -> Result) -> Result { body(&text) }
}
