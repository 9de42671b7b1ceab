import GRDB
import ResultsDomain

/// An index of a table, or the table itself, which may have a list's keys in order.
struct OrderedIndex: Sendable {
  /// The clause after the table's name in a statement that must use it.
  let clause: String
  /// Its names in `EXPLAIN QUERY PLAN`.
  let titles: [String]
  /// Its columns in order, including those that SQLite appends.
  let columns: [String]
  /// Whether it has only the rows that match a condition.
  let isPartial: Bool
  /// Whether it is the table in the order of its row numbers.
  let isRowNumber: Bool

  /// The name of a column that is an expression.
  static let expression = "<expr>"
}

extension OrderedIndex {
  /// The indexes of a table, the table itself first.
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
      // The indexes of the log have no rows.
      guard !name.hasPrefix(ChangeLogFormat.triggerPrefix) else { continue }
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

  /// Whether a step of a query plan reads it with conditions on exactly the given columns.
  func matches(_ step: String, equal: Int, lower: Bool, upper: Bool) -> Bool {
    var terms = columns.prefix(equal).map { $0 + "=?" }
    if lower { terms.append(columns[equal] + ">?") }
    if upper { terms.append(columns[equal] + "<?") }
    guard !terms.isEmpty else {
      // The plan names no index where it scans the table itself.
      let isTable = clause == " NOT INDEXED"
      return step.hasPrefix("SCAN ")
        && (isTable ? !step.hasInfix(" USING ") : titles.contains(where: step.hasSuffix))
    }
    let condition = " (\(terms.joined(separator: " AND ")))"
    return step.hasPrefix("SEARCH ") && titles.contains { step.hasSuffix($0 + condition) }
  }

  /// Whether a step of a query plan passes over any index that has all that is read.
  static func isPassed(in step: String) -> Bool {
    step.hasPrefix("SCAN ") && step.hasInfix(" USING COVERING INDEX ")
  }
}

extension String {
  fileprivate func hasInfix(_ text: String) -> Bool { firstRange(of: text) != nil }
}

/// A table and its indexes at one version of the schema.
struct TableIndexes: Sendable {
  let shape: TableShape
  /// The indexes of the table, the table itself first.
  let indexes: [OrderedIndex]

  /// Reads the schema.
  /// - Returns: `nil` if the table does not exist, or if texts are not stored in UTF-8, in which keys are encoded.
  init?(of table: EntityTable, on database: Database) throws {
    guard try database.texts("PRAGMA main.encoding") == [["UTF-8"]],
      let shape = try TableIndexes.shape(of: table, on: database)
    else { return nil }
    self.shape = shape
    indexes = try OrderedIndex.all(of: table, shape, on: database)
  }

  /// The shape of the table: the one from when the store was opened, if the declaration is unchanged.
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
