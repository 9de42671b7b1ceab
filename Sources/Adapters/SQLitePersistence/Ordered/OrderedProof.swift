import CSQLiteHooks
import GRDB
import ResultsDomain

/// Proves that an index, or a table's own order, answers for a list: by SQLite's own plans and programs.
struct OrderedProof {
  private let database: Database
  private let table: EntityTable
  private let definition: OrderDefinition
  private let shape: TableShape

  /// The plan of a list, or `nil` if no index is proved to serve.
  static func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    on database: Database
  ) throws -> OrderedPlan? {
    let name = String(decoding: table.name, as: UTF8.self)
    // Texts are compared in the form in which they are kept, and keys are written in UTF-8.
    guard try String.fetchOne(database, sql: "PRAGMA main.encoding") == "UTF-8",
      let shape = try database.tableShape(of: name)
    else { return nil }
    return try OrderedProof(
      database: database,
      table: table,
      definition: definition,
      shape: shape
    ).plan()
  }

  private func plan() throws -> OrderedPlan? {
    let fixed = definition.predicate.normalized.fixedValues
    guard let columns = columns(fixed) else { return nil }
    for index in try OrderedIndex.all(of: table, shape, on: database) {
      guard let front = front(of: index, columns.variable, fixed),
        let texts = texts(columns, index)
      else { continue }
      do {
        guard try isProved(texts, index, front: front) else { continue }
        if texts.predicate.isEmpty || !index.isRowNumber {
          return OrderedPlan(texts, sampling: try isSampled(texts))
        }
      } catch {
        // An index that cannot answer a statement at all is an error of the statement.
        guard SQLiteFailure(error)?.primaryCode == SQLITE_ERROR else { throw error }
      }
    }
    return nil
  }
}

extension OrderedProof {
  private struct Columns {
    var outputs: [String] = []
    var roles: [OrderedRole] = []
    var variable: [OrderedColumn] = []
  }

  /// The columns of the keys, or `nil` if one of them is not a column, or is ordered as no index of SQLite's is.
  private func columns(_ fixed: [(attribute: String, value: Value)]) -> Columns? {
    var found = Columns()
    for (place, term) in definition.terms.enumerated() {
      let key = definition.layout.order[place]
      switch term.expression {
      case .attribute(let name):
        guard append(name, key, fixed, to: &found) else { return nil }
      case .objectKey where table.keyColumns.count == 1:
        guard append(table.entity.identity.columns[0], key, fixed, to: &found) else { return nil }
      default: return nil
      }
    }
    for (name, key) in zip(table.entity.identity.columns, definition.layout.identity) {
      guard append(name, key, fixed, to: &found) else { return nil }
    }
    return found.variable.isEmpty ? nil : found
  }

  private func append(
    _ name: String,
    _ key: KeyColumn,
    _ fixed: [(attribute: String, value: Value)],
    to found: inout Columns
  ) -> Bool {
    guard let column = shape.column(named: name) else { return false }
    // Whole numbers beyond a real's precision would be told apart by an index and not by a key.
    guard key.storage != .real || column.affinity == .real else { return false }
    found.outputs.append(name.quotedIdentifier)
    let identifier = name.caselessIdentifier
    if let value = fixed.first(where: { $0.attribute.caselessIdentifier == identifier })?.value {
      var writer = KeyWriter()
      guard writer.append(value, key) else { return false }
      found.roles.append(.fixed(writer.bytes))
      return true
    }
    if let index = found.variable.firstIndex(where: { $0.identifier == identifier }) {
      found.roles.append(.repeats(index))
      return true
    }
    let isKey = column.keyPlace > 0 && (table.isRowNumber || shape.isWithoutRowNumber)
    let isNullable = !column.isRequired && !isKey
    // An index of SQLite's has nulls before the values that it has in ascending order.
    guard !isNullable || (key.nulls == .last) == key.isDescending else { return false }
    found.roles.append(.varies(found.variable.count))
    found.variable.append(
      OrderedColumn(
        key: key,
        identifier: identifier,
        sql: name.quotedIdentifier + (key.storage == .text ? " COLLATE BINARY" : ""),
        isNullable: isNullable,
        hasTextAffinity: column.affinity == .text
      )
    )
    return true
  }

  /// How many columns an index has that the predicate fixes before it has those in which keys differ, one by one; `nil` if it is
  /// not so.
  private func front(
    of index: OrderedIndex,
    _ variable: [OrderedColumn],
    _ fixed: [(attribute: String, value: Value)]
  ) -> Int? {
    let fixed = Set(fixed.map(\.attribute.caselessIdentifier))
    let names = index.columns.map(\.caselessIdentifier)
    let front = names.prefix { fixed.contains($0) }.count
    let rest = names.dropFirst(front)
    guard rest.count >= variable.count else { return nil }
    let rowNumber = table.isRowNumber ? table.entity.identity.columns[0].caselessIdentifier : []
    let agrees = zip(rest, variable)
      .allSatisfy { name, column in
        name == column.identifier
          || name == Array("rowid".utf8) && column.identifier == rowNumber
      }
    return agrees ? front : nil
  }

  /// The statements for an index, or `nil` if the predicate has what no index answers.
  private func texts(_ columns: Columns, _ index: OrderedIndex) -> OrderedTexts? {
    var predicate = SQLText()
    // Only a condition whose values are known when it is prepared is found to be that of an index.
    predicate.writesLiterals = index.isPartial
    let normal = definition.predicate.normalized
    if normal != .all { predicate.append(normal, in: table) }
    guard !predicate.needsFunctions else { return nil }
    var arguments: [Value] = []
    for argument in predicate.arguments {
      guard case .value(let value) = argument else { return nil }
      arguments.append(value)
    }
    guard arguments.isEmpty || !index.isPartial else { return nil }
    return OrderedTexts(
      definition: definition,
      source: table.quotedName + index.clause,
      table: table.quotedName,
      outputs: columns.outputs,
      roles: columns.roles,
      variable: columns.variable,
      predicate: predicate.text,
      arguments: arguments
    )
  }
}

extension OrderedProof {
  /// Whether every statement reads exactly what it is asked for, in order.
  private func isProved(_ texts: OrderedTexts, _ index: OrderedIndex, front: Int) throws -> Bool {
    guard try isOneStep(texts.scan, index, equal: front) else { return false }
    for (place, shape) in texts.shapes.enumerated() {
      let (lower, upper) = (place % 9 / 3, place % 3)
      // Whether an end is included does not change the plan.
      guard lower != 1, upper != 1 else { continue }
      // Statements for all columns are needed only to find nulls in the last.
      let isLast = place / 9 == texts.variable.count
      guard !isLast || texts.variable.last?.isNullable == true else { continue }
      let equal = front + place / 9
      let count = texts.count(shape)
      // All rows of a table are counted in whatever index is smallest.
      let statements = place == 0 && texts.predicate.isEmpty ? [] : [count]
      for statement in statements + [texts.page(shape)] {
        guard try isOneStep(statement, index, equal: equal, lower: lower > 0, upper: upper > 0)
        else { return false }
      }
      // A test that is left over for each row has to read the row.
      guard try texts.predicate.isEmpty || !program(of: count).contains("Column") else {
        return false
      }
    }
    return true
  }

  private func isOneStep(
    _ sql: String,
    _ index: OrderedIndex,
    equal: Int,
    lower: Bool = false,
    upper: Bool = false
  ) throws -> Bool {
    let steps = try column(3, of: "EXPLAIN QUERY PLAN " + sql)
    guard steps.count == 1 else { return false }
    if index.isMeant(steps[0], equal: equal, lower: lower, upper: upper) { return true }
    // A condition that a column is not null is a range to a library that keeps statistics of values.
    guard !lower, equal < index.columns.count,
      definition.predicate.normalized.requiredValues.contains(
        index.columns[equal].caselessIdentifier
      )
    else { return false }
    return index.isMeant(steps[0], equal: equal, lower: true, upper: upper)
  }

  /// Whether the sampling function is asked once for each key, in order.
  private func isSampled(_ texts: OrderedTexts) throws -> Bool {
    try ConnectionFunctions.register(on: database)
    let program = try program(of: texts.sample)
    return program.count { $0 == "Function" } == 1
      && !program.contains { $0.hasPrefix("Sorter") || $0 == "PureFunc" || $0 == "Once" }
  }

  private func program(of sql: String) throws -> [String] { try column(1, of: "EXPLAIN " + sql) }

  private func column(_ place: Int32, of sql: String) throws -> [String] {
    // It is asked once, so the connection's cache need not know it.
    let statement = try database.makeStatement(sql: sql)
    let pointer = statement.sqliteStatement
    defer { sqlite3_reset(pointer) }
    var texts: [String] = []
    while true {
      switch sqlite3_step(pointer) {
      case SQLITE_ROW:
        texts.append(sqlite3_column_text(pointer, place).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return texts
      default: throw SQLiteFailure(sqlite3_db_handle(pointer))
      }
    }
  }
}

extension FetchPredicate {
  /// Attributes that the normalised predicate lets have no null, as SQLite tells names apart.
  fileprivate var requiredValues: [[UInt8]] {
    switch self {
    case .not(.isNull(.attribute(let name))): [name.caselessIdentifier]
    case .and(let parts): parts.flatMap(\.requiredValues)
    default: []
    }
  }

  /// Attributes that the normalised predicate lets have one value only, and the values.
  fileprivate var fixedValues: [(attribute: String, value: Value)] {
    switch self {
    case .comparison(.attribute(let name), .equal, .literal(let value)),
      .comparison(.literal(let value), .equal, .attribute(let name)):
      [(name, value)]
    case .isNull(.attribute(let name)): [(name, .null)]
    case .and(let parts): parts.flatMap(\.fixedValues)
    default: []
    }
  }
}
