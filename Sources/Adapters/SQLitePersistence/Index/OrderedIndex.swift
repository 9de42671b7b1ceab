import GRDB
import ResultsDomain

/// An index of a table, or the table's own order, as what may hold a list's keys in order.
struct OrderedIndex: Sendable {
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

  /// What SQLite calls a column that is computed.
  static let expression = "<expr>"
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
    let list = try database.texts("PRAGMA main.index_list(\(shape.name.quotedIdentifier))")
    for row in list where row.count >= 5 {
      let name = row[1]
      // Those of the log have no rows.
      guard !name.hasPrefix(LogFormat.triggerPrefix) else { continue }
      let isTable = shape.isWithoutRowNumber && row[3] == "pk"
      let columns = try database.texts("PRAGMA main.index_xinfo(\(name.quotedIdentifier))")
      let names = columns.compactMap { column -> String? in
        let isKey = column.count >= 6 && column[5] != "0"
        guard isKey || !isTable, column.count >= 3 else { return nil }
        switch column[1] {
        case "-1": return "rowid"
        case "-2": return OrderedIndex.expression
        default: return column[2]
        }
      }
      all.append(
        OrderedIndex(
          clause: isTable ? " NOT INDEXED" : " INDEXED BY \(name.quotedIdentifier)",
          titles: isTable
            ? [" USING PRIMARY KEY"] : [" USING INDEX \(name)", " USING COVERING INDEX \(name)"],
          columns: names,
          isPartial: row[4] != "0",
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

/// What a version of the schema says of a table and its indexes.
struct OrderedFacts: Sendable {
  let shape: TableShape
  /// What may hold keys of its rows in order, the table itself first.
  let indexes: [OrderedIndex]

  /// Reads the schema.
  /// - Returns: `nil` for a table that is not there, or where texts are kept in another form than that in which keys are written.
  init?(of table: EntityTable, on database: Database) throws {
    guard try database.texts("PRAGMA main.encoding") == [["UTF-8"]],
      let shape = try OrderedFacts.shape(of: table, on: database)
    else { return nil }
    self.shape = shape
    indexes = try OrderedIndex.all(of: table, shape, on: database)
  }

  /// The shape that was read when the store was opened, if the table is declared by the same text.
  private static func shape(of table: EntityTable, on database: Database) throws -> TableShape? {
    let statement = try PreparedStatement(
      "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?",
      on: database
    )
    try statement.bind(.text(table.shape.name), at: 1)
    let isSame =
      try statement.step()
      && Value(statement.pointer, column: 0, storage: .text)
        == .text(table.shape.declaration)
    statement.reset()
    guard !isSame else { return table.shape }
    return try database.tableShape(of: String(decoding: table.name, as: UTF8.self))
  }
}
