import GRDB
import ResultsDomain

/// An index of a table, or the table's own order, as what may hold a list's keys in order.
struct OrderedIndex {
  /// What follows the table's name in a statement that must use it.
  let clause: String
  /// What `EXPLAIN QUERY PLAN` calls it, in either form.
  let titles: [String]
  /// Its columns in order, those included that SQLite appends.
  let columns: [String]
  /// Whether it holds only the rows of a condition.
  let isPartial: Bool
  /// Whether it is the table in the order of its row numbers.
  let isRowNumber: Bool
}

extension OrderedIndex {
  /// What may hold the keys of a table's rows in order, the table itself first.
  static func all(of table: EntityTable, _ shape: TableShape, on database: Database) throws
    -> [OrderedIndex]
  {
    var all: [OrderedIndex] = []
    if table.isRowNumber {
      all.append(
        OrderedIndex(
          clause: " NOT INDEXED",
          titles: [" USING INTEGER PRIMARY KEY"],
          columns: ["rowid"],
          isPartial: false,
          isRowNumber: true
        )
      )
    }
    let list = try GRDB.Row.fetchAll(
      database,
      sql: "SELECT name, origin, partial FROM pragma_index_list(?, 'main')",
      arguments: [shape.name]
    )
    for row in list {
      let name: String = row["name"]
      let isTable = shape.isWithoutRowNumber && row["origin"] == "pk"
      let columns = try GRDB.Row.fetchAll(
        database,
        sql: "SELECT name, cid, key FROM pragma_index_xinfo(?, 'main') ORDER BY seqno",
        arguments: [name]
      )
      let names = columns.compactMap { column -> String? in
        let isKey: Bool = column["key"]
        guard isKey || !isTable else { return nil }
        let place: Int = column["cid"]
        let name: String? = column["name"]
        // An expression has no name, and no column's is so written.
        return place == -1 ? "rowid" : name ?? "<expr>"
      }
      all.append(
        OrderedIndex(
          clause: isTable ? " NOT INDEXED" : " INDEXED BY \(name.quotedIdentifier)",
          titles: isTable
            ? [" USING PRIMARY KEY"] : [" USING INDEX \(name)", " USING COVERING INDEX \(name)"],
          columns: names,
          isPartial: row["partial"],
          isRowNumber: false
        )
      )
    }
    return all
  }

  /// Whether a step of a plan goes through it, with conditions on exactly the columns that are meant.
  func isMeant(_ step: String, equal: Int, lower: Bool, upper: Bool) -> Bool {
    var terms = columns.prefix(equal).map { $0 + "=?" }
    if lower { terms.append(columns[equal] + ">?") }
    if upper { terms.append(columns[equal] + "<?") }
    guard !terms.isEmpty else {
      // The table itself is scanned without a word on how.
      let isTable = clause == " NOT INDEXED"
      return step.hasPrefix("SCAN ")
        && (isTable ? !step.hasInfix(" USING ") : titles.contains(where: step.hasSuffix))
    }
    let condition = " (\(terms.joined(separator: " AND ")))"
    return step.hasPrefix("SEARCH ") && titles.contains { step.hasSuffix($0 + condition) }
  }
}

extension String {
  fileprivate func hasInfix(_ text: String) -> Bool { firstRange(of: text) != nil }
}
