#if PostgreSQL
import ResultsDomain
import ResultsTesting

/// The random scripts of the writers of one database on a server.
struct StrangerWriter {
  var tables: StrangerTables

  private mutating func number(_ range: ClosedRange<Int>) -> Int { tables.random.number(in: range) }

  /// The statements of one step, and whether a role without any other right sends them.
  mutating func script(_ all: inout [StrangerTable]) -> (statements: [String], isOwner: Bool) {
    let index = number(0...all.count - 1)
    let table = all[index]
    switch number(0...99) {
    case 0..<40: return ([change(table)], number(0...1) == 0)
    case 40..<60:
      var statements = ["BEGIN"]
      for _ in 0..<number(2...6) { statements.append(change(all[number(0...all.count - 1)])) }
      if number(0...2) == 0 {
        statements += ["SAVEPOINT s", change(table), "ROLLBACK TO s", change(table)]
      }
      statements.append(number(0...4) == 0 ? "ROLLBACK" : "COMMIT")
      return (statements, number(0...1) == 0)
    case 60..<70: return ((0..<number(3...12)).map { _ in change(table) }, number(0...1) == 0)
    default: return (migration(index, &all), true)
    }
  }

  // MARK: - Rows

  /// A statement that inserts a row.
  mutating func insert(into table: StrangerTable, _ name: String? = nil) -> String {
    let columns = table.key + table.columns
    let values = columns.enumerated()
      .map { tables.value(of: $1, isKey: $0 < table.key.count) }
    return """
      INSERT INTO \((name ?? table.name).quotedName) (\(columns.map(\.name.quotedName).joined(separator: ", "))) \
      VALUES (\(values.joined(separator: ", ")))
      """
  }

  private mutating func change(_ table: StrangerTable) -> String {
    let name = table.name.quotedName
    let key = table.key[0]
    let keys = table.key.map(\.name.quotedName).joined(separator: ", ")
    let hasRules = table.creation.contains { $0.hasPrefix("CREATE RULE") }
    switch number(0...11) {
    case 0...2: return insert(into: table) + (hasRules ? "" : " ON CONFLICT DO NOTHING")
    case 3:
      guard let column = tables.random.element(of: table.columns), !hasRules else {
        return insert(into: table)
      }
      return insert(into: table)
        + " ON CONFLICT (\(keys)) DO UPDATE SET \(column.name.quotedName) = EXCLUDED.\(column.name.quotedName)"
    case 4 where table.isParent:
      return insert(into: table, table.parts.first)
    case 4...7:
      guard let column = tables.random.element(of: table.columns) else {
        return insert(into: table)
      }
      return
        "UPDATE \(name) SET \(column.name.quotedName) = \(tables.value(of: column))\(condition(table))"
    case 8:
      return
        "UPDATE \(name) SET \(key.name.quotedName) = \(tables.value(of: key, isKey: true)) WHERE \(key.name.quotedName) = \(tables.value(of: key, isKey: true))"
    case 9:
      guard let column = tables.random.element(of: table.columns), !hasRules else {
        return "DELETE FROM \(name)\(condition(table))"
      }
      return """
        WITH gone AS (DELETE FROM \(name)\(condition(table)) RETURNING 1) \
        UPDATE \(name) SET \(column.name.quotedName) = \(tables.value(of: column))\(condition(table))
        """
    default: return "DELETE FROM \(name)\(condition(table))"
    }
  }

  /// A condition that some rows satisfy, in every run the same.
  private mutating func condition(_ table: StrangerTable) -> String {
    let key = table.key[0]
    switch number(0...3) {
    case 0: return " WHERE \(key.name.quotedName) = \(tables.value(of: key, isKey: true))"
    case 1:
      let column = tables.random.element(of: table.columns) ?? key
      return " WHERE \(column.name.quotedName) IS NULL"
    default:
      return
        " WHERE hashtext(\(key.name.quotedName)::text) % \(number(2...4)) = 0"
    }
  }

  // MARK: - Schema

  private mutating func migration(_ index: Int, _ all: inout [StrangerTable]) -> [String] {
    let table = all[index]
    let name = table.name.quotedName
    let write = change(table)
    let column = tables.random.element(of: table.columns)?.name.quotedName ?? "nothing"
    var scripts: [[String]] = [[write]]
    func add(_ feature: StrangerFeature, _ statements: String...) {
      if tables.features.contains(feature) { scripts.append(statements) }
    }
    let part = tables.random.element(of: table.parts)?.quotedName
    let remainder = table.parts.firstIndex { $0.quotedName == part } ?? 0
    let other = all[number(0...all.count - 1)].name.quotedName
    add(.truncation, "TRUNCATE \(name)")
    add(.truncation, "BEGIN", write, "TRUNCATE \(name)", insert(into: table), "COMMIT")
    add(.maintenance, "VACUUM FULL \(name)")
    add(.maintenance, "REINDEX TABLE \(name)")
    add(.maintenance, "ANALYZE \(name)")
    add(
      .addedColumns,
      "ALTER TABLE \(name) ADD COLUMN IF NOT EXISTS new_column text DEFAULT 'new'",
      write
    )
    add(.changedColumns, "ALTER TABLE \(name) RENAME COLUMN \(column) TO moved_column", write)
    add(.changedColumns, "ALTER TABLE \(name) DROP COLUMN \(column) CASCADE", write)
    add(
      .changedColumns,
      "ALTER TABLE \(name) ALTER COLUMN \(column) TYPE text USING \(column)::text",
      write
    )
    add(
      .changedTables,
      "ALTER TABLE \(name) RENAME TO moved_table",
      "UPDATE moved_table SET \(column) = NULL"
    )
    add(.changedTables, "DROP TABLE \(name) CASCADE")
    add(
      .changedTables,
      "BEGIN",
      "ALTER TABLE \(name) RENAME TO moved_away",
      "CREATE TABLE \(name) (LIKE moved_away INCLUDING ALL)",
      "INSERT INTO \(name) SELECT * FROM moved_away",
      "COMMIT",
      write
    )
    add(
      .swaps,
      "BEGIN",
      "ALTER TABLE \(name) RENAME TO swapped_away",
      "ALTER TABLE \(other) RENAME TO \(name)",
      "ALTER TABLE swapped_away RENAME TO \(other)",
      "COMMIT"
    )
    add(
      .disabledTriggers,
      "ALTER TABLE \(name) DISABLE TRIGGER ALL",
      write,
      "ALTER TABLE \(name) ENABLE TRIGGER ALL"
    )
    add(
      .disabledTriggers,
      "SET session_replication_role = replica",
      write,
      "RESET session_replication_role"
    )
    add(
      .droppedTriggers,
      """
      DO $d$ DECLARE t record; BEGIN FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = '\(table.name.quotedName.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'::regclass \
      AND tgname LIKE '!results%' LOOP EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, \
      '\(table.name.quotedName.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'); END LOOP; END $d$
      """,
      write
    )
    if let part, table.isPartitioned {
      add(.changedPartitions, "TRUNCATE \(part)")
      add(.changedPartitions, "DELETE FROM \(part)")
      add(.changedPartitions, "ALTER TABLE \(name) DETACH PARTITION \(part)")
      add(
        .changedPartitions,
        "ALTER TABLE \(name) DETACH PARTITION \(part)",
        "DELETE FROM \(part) WHERE hashtext(\(table.key[0].name.quotedName)::text) % 2 = 0",
        "ALTER TABLE \(name) ATTACH PARTITION \(part) FOR VALUES WITH (MODULUS 3, REMAINDER \(remainder))"
      )
      add(.changedPartitions, "DROP TABLE \(part)")
    }
    if let part, table.isParent {
      add(.changedChildren, insert(into: table, table.parts[0]))
      add(.changedChildren, "TRUNCATE \(part)")
      add(.changedChildren, "ALTER TABLE \(part) NO INHERIT \(name)")
      add(.changedChildren, "ALTER TABLE \(part) INHERIT \(name)")
      add(.changedChildren, "DROP TABLE \(part)")
    }
    add(.revokedRights, "REVOKE SELECT ON \(name) FROM stranger_reader")
    add(.revokedRights, "GRANT SELECT ON \(name) TO stranger_reader")
    return tables.random.element(of: scripts) ?? [write]
  }
}
#endif
