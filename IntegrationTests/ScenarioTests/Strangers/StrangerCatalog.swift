/// A column as the database describes it.
struct StrangerColumn: Hashable {
  let name: String
  let type: String
  /// The place in the primary key, from 1, or 0.
  let keyPosition: Int
  /// Whether a statement can write it.
  let isWritable: Bool
}

/// A table or view as the database describes it.
struct StrangerTable: Hashable {
  let name: String
  let kind: String
  let isWithoutRowID: Bool
  var columns: [StrangerColumn]

  /// The name of the row's number, if the table has one that no column hides.
  var rowIDName: String? {
    guard kind == "table", !isWithoutRowID else { return nil }
    let taken = columns.map { $0.name.lowercased() }
    return ["rowid", "oid", "_rowid_"].first { !taken.contains($0) }
  }

  var isView: Bool { kind == "view" }
}

/// What a database consists of, read by the shell.
struct StrangerCatalog {
  let tables: [StrangerTable]

  /// The greatest number of tables that are described.
  private static let most = 60

  /// Reads the first tables, some others and the views; a view that cannot be described, or never ends, is left out.
  init(with shell: SQLiteShell, isUTF16: Bool, including names: Set<String> = []) throws {
    let others = names.map(\.quotedText).joined(separator: ", ")
    let own =
      "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_results\\_%' ESCAPE '\\'"
    let fields =
      "l.type, l.wr, hex(CAST(x.name AS BLOB)), hex(CAST(x.type AS BLOB)), x.pk, x.hidden"
    let shell = shell.waiting
    let tables = try shell.run(
      """
      WITH l AS (SELECT * FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND \(own)
        ORDER BY name NOT IN (\(others)), name LIMIT \(StrangerCatalog.most))
      SELECT hex(CAST(l.name AS BLOB)), \(fields) FROM l, pragma_table_xinfo(l.name) AS x WHERE x.hidden != 1
        ORDER BY l.name, x.cid;
      SELECT hex(CAST(name AS BLOB)) FROM sqlite_schema WHERE type = 'view' AND \(own)
        AND sql NOT LIKE '% RECURSIVE %' ORDER BY name;
      """
    )
    var lines = tables.lines
    for line in lines where !line.contains("|") {
      guard let name = StrangerCatalog.text(Substring(line), isUTF16) else { continue }
      let view = try shell.run(
        """
        SELECT '\(line)', 'view', 0, hex(CAST(x.name AS BLOB)), hex(CAST(x.type AS BLOB)), 0, x.hidden
          FROM pragma_table_xinfo(\(name.quotedText)) AS x ORDER BY x.cid;
        """
      )
      if view.status == 0 { lines += view.lines }
    }
    var found: [StrangerTable] = []
    for line in lines {
      let fields = line.split(separator: "|", omittingEmptySubsequences: false)
      guard fields.count == 7, let name = StrangerCatalog.text(fields[0], isUTF16),
        let column = StrangerCatalog.text(fields[3], isUTF16),
        let type = StrangerCatalog.text(fields[4], isUTF16)
      else { continue }
      if found.last?.name != name {
        found.append(
          StrangerTable(
            name: name,
            kind: String(fields[1]),
            isWithoutRowID: fields[2] == "1",
            columns: []
          )
        )
      }
      found[found.count - 1].columns.append(
        StrangerColumn(
          name: column,
          type: type,
          keyPosition: Int(fields[5]) ?? 0,
          isWritable: fields[6] == "0"
        )
      )
    }
    self.tables = found
  }

  private static func text(_ hexadecimal: Substring, _ isUTF16: Bool) -> String? {
    guard case .text(let bytes) = NaiveValue("T" + hexadecimal, isUTF16: isUTF16) else {
      return nil
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
