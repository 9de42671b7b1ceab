import ResultsStoreKit
import ResultsTesting

/// The random scripts of the writers of one database.
struct StrangerWriter {
  private var database: StrangerDatabase
  private var features: Set<StrangerFeature>

  init(_ database: StrangerDatabase, _ features: Set<StrangerFeature>) {
    self.database = database
    self.features = features
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    database.with { $0.random.number(in: range) }
  }

  private mutating func happens(percent: Int) -> Bool {
    database.with { $0.random.happens(percent: percent) }
  }

  private mutating func element<Element>(_ elements: [Element]) -> Element? {
    database.with { $0.random.element(of: elements) }
  }

  /// A number for choices beside the scripts.
  mutating func choice(in range: ClosedRange<Int>) -> Int { number(range) }

  /// An element for choices beside the scripts.
  mutating func choose<Element>(_ elements: [Element]) -> Element? { element(elements) }

  /// A script for the database as it is.
  mutating func script(_ catalog: StrangerCatalog) -> String {
    let tables = catalog.tables.filter { $0.kind == "table" }
    guard let table = element(tables), !table.columns.isEmpty else {
      return database.newTable().script
    }
    switch number(0...99) {
    case 0..<45: return change(table)
    case 45..<55:
      var lines = ["BEGIN;"]
      for _ in 0..<number(2...8) { lines.append(change(element(tables) ?? table)) }
      if happens(percent: 30) {
        lines += ["SAVEPOINT s;", change(table), "ROLLBACK TO s;", change(table), "RELEASE s;"]
      }
      lines.append(happens(percent: 20) ? "ROLLBACK;" : "COMMIT;")
      return lines.joined(separator: "\n")
    case 55..<65: return (0..<number(5...40)).map { _ in change(table) }.joined(separator: "\n")
    case 65..<70:
      return
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(number(50...400))) \(bulk(table))"
    default: return migration(table, tables, catalog)
    }
  }

  // MARK: - Rows

  /// One statement that changes rows.
  private mutating func change(_ table: StrangerTable) -> String {
    let name = table.name.quotedName
    switch number(0...9) {
    case 0...3:
      let verb = database.with {
        $0.random.choice("INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE")
      }
      return database.insert(into: table.name, table.columns, verb: verb)
    case 4...7:
      let columns = table.columns.filter(\.isWritable)
      guard let column = element(columns) else { return "" }
      let value = database.value(of: column)
      let way = happens(percent: 30) ? "UPDATE OR REPLACE" : "UPDATE OR IGNORE"
      return "\(way) \(name) SET \(column.name.quotedName) = \(value)\(condition(table));"
    default: return "DELETE FROM \(name)\(condition(table));"
    }
  }

  /// A condition that some rows satisfy, in every run the same.
  private mutating func condition(_ table: StrangerTable) -> String {
    if happens(percent: 5) { return "" }
    guard let column = element(table.columns) else { return "" }
    let name = column.name.quotedName
    let value = database.value(of: column)
    let rank =
      table.rowIDName.map { "\($0) % \(number(2...5)) = \(number(0...1))" } ?? "\(name) IS \(value)"
    switch number(0...2) {
    case 0: return " WHERE \(name) IS \(value)"
    case 1: return " WHERE \(rank)"
    default:
      return " WHERE typeof(\(name)) = '\(number(0...1) == 0 ? "text" : "integer")' AND \(rank)"
    }
  }

  private mutating func bulk(_ table: StrangerTable) -> String {
    let columns = table.columns.filter(\.isWritable)
    let values = columns.map { column in
      column.keyPosition > 0 ? "i + 100" : database.value(of: column)
    }
    return """
      INSERT OR IGNORE INTO \(table.name.quotedName)(\(columns.map(\.name.quotedName).joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", ")) FROM n;
      """
  }

  // MARK: - Schema

  private mutating func migration(
    _ table: StrangerTable,
    _ tables: [StrangerTable],
    _ catalog: StrangerCatalog
  ) -> String {
    let name = table.name.quotedName
    let plain = table.columns.filter { $0.isWritable && $0.keyPosition == 0 }
    var scripts: [String] = [
      database.index(on: table.name, table.columns), "REINDEX;", change(table),
    ]
    func add(_ feature: StrangerFeature, _ script: @autoclosure () -> String) {
      if features.contains(feature) { scripts.append(script()) }
    }
    let new = database.newTable()
    let fresh = database.with { $0.name(besides: catalog.tables.map(\.name)) }.quotedName
    let freshColumn = database.with { $0.name(besides: table.columns.map(\.name), isColumn: true) }
      .quotedName
    let column = element(plain)?.name.quotedName ?? "nothing"
    let trigger = database.trigger(on: table.name, table.columns)
    let view = database.view(of: table.name, table.columns)
    let other = element(tables)?.name.quotedName ?? name
    let again = database.newTable(named: table.name).script
    let write = change(table)
    add(.changedTables, new.script)
    add(.changedTables, "DROP TABLE \(name);")
    add(.changedTables, "ALTER TABLE \(name) RENAME TO \(fresh);")
    add(
      .changedTables,
      """
      PRAGMA legacy_alter_table = ON;
      BEGIN; ALTER TABLE \(name) RENAME TO moving_away; CREATE TABLE \(name) AS SELECT * FROM moving_away;
      DROP TABLE moving_away; COMMIT;
      """
    )
    add(.changedColumns, "BEGIN; DROP TABLE \(name); \(again) COMMIT;")
    add(.changedColumns, "ALTER TABLE \(name) RENAME COLUMN \(column) TO \(freshColumn);\n\(write)")
    add(.changedColumns, "ALTER TABLE \(name) DROP COLUMN \(column);\n\(write)")
    add(
      .addedColumns,
      "ALTER TABLE \(name) ADD COLUMN \(freshColumn) TEXT DEFAULT 'new';\n\(write)"
    )
    add(
      .swaps,
      """
      PRAGMA legacy_alter_table = ON;
      BEGIN; ALTER TABLE \(name) RENAME TO swapped_away; ALTER TABLE \(other) RENAME TO \(name);
      ALTER TABLE swapped_away RENAME TO \(other); COMMIT;
      """
    )
    add(.triggers, trigger)
    add(.views, view)
    add(.maintenance, "VACUUM;")
    add(.maintenance, "ANALYZE;")
    add(
      .maintenance,
      "PRAGMA user_version = 7; PRAGMA application_id = 9; PRAGMA incremental_vacuum;"
    )
    add(.maintenance, "PRAGMA wal_checkpoint(TRUNCATE);")
    add(
      .attachedFiles,
      "ATTACH 'other.db' AS other; BEGIN; CREATE TABLE IF NOT EXISTS other.x(a); INSERT INTO other.x VALUES (1); \(change(table)) COMMIT;"
    )
    return element(scripts) ?? "REINDEX;"
  }
}
