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
    _ facts: OrderedFacts,
    on database: Database
  ) throws -> OrderedPlan? {
    try OrderedProof(
      database: database,
      table: table,
      definition: definition,
      shape: facts.shape
    )
    .plan(facts.indexes)
  }

  private func plan(_ indexes: [OrderedIndex]) throws -> OrderedPlan? {
    let normal = definition.predicate.normalized
    let fixed = normal.fixedValues
    guard let columns = columns(fixed) else { return nil }
    for index in indexes {
      guard let front = front(of: index, columns.variable, fixed),
        let texts = texts(columns, index), texts.predicate.isEmpty || !index.isRowNumber
      else { continue }
      let proof = StatementProof(index: index, front: front, required: normal.requiredValues)
      let plan = OrderedPlan(texts, proof)
      if try isProved(plan) { return plan }
    }
    return nil
  }

  /// Whether an index serves, as one statement or two tell of it.
  ///
  /// The first reads all keys in order: without a step that sorts, the index has the columns of the keys, in their directions and
  /// collations. A column of an index is searched by whatever a parameter is bound to, so all conditions on these columns can be searched
  /// too, unless those of the predicate are in the way: then the second statement has a condition on every column, and no test may be left
  /// over. Each statement between the two is still proved by itself before it is run.
  private func isProved(_ plan: OrderedPlan) throws -> Bool {
    _ = try plan.text(of: .page(0), on: database)
    guard plan.serves, !plan.holdsAll else { return plan.serves }
    let deepest = OrderedPiece.shape(equal: plan.variable.count - 1, 2, 2)
    _ = try plan.text(of: .count(deepest), on: database)
    return plan.serves
  }
}

extension OrderedProof {
  private struct Columns {
    var outputs: [String] = []
    var roles: [OrderedRole] = []
    var variable: [OrderedColumn] = []

    /// Appends a column of the keys, unless its order is none of an index.
    mutating func append(_ column: OrderedColumn, as output: String, fixed value: Value?) -> Bool {
      outputs.append(output)
      if let value {
        var writer = KeyWriter()
        guard writer.append(value, column.key) else { return false }
        roles.append(.fixed(writer.bytes))
        return true
      }
      if let index = variable.firstIndex(where: { $0.identifier == column.identifier }) {
        roles.append(.repeats(index))
        return true
      }
      // An index of SQLite's has nulls before the values that it has in ascending order.
      guard !column.isNullable || (column.key.nulls == .last) == column.key.isDescending else {
        return false
      }
      roles.append(.varies(variable.count))
      variable.append(column)
      return true
    }
  }

  /// The columns of the keys, or `nil` if one of them is ordered as no index of SQLite's is, or is nothing that SQL alone can say.
  private func columns(_ fixed: [FixedValue]) -> Columns? {
    var found = Columns()
    let identity = table.entity.identity.columns
    for (place, term) in definition.terms.enumerated() {
      let key = definition.layout.order[place]
      let isFound =
        switch term.expression {
        case .attribute(let name): append(name, key, fixed, to: &found)
        case .objectKey: identity.count == 1 && append(identity[0], key, fixed, to: &found)
        default: append(term.expression, key, fixed, to: &found)
        }
      guard isFound else { return nil }
    }
    for (name, key) in zip(identity, definition.layout.identity) {
      guard append(name, key, fixed, to: &found) else { return nil }
    }
    return found.variable.isEmpty ? nil : found
  }

  private func append(
    _ name: String,
    _ key: KeyColumn,
    _ fixed: [FixedValue],
    to found: inout Columns
  ) -> Bool {
    guard let column = shape.column(named: name) else { return false }
    // Whole numbers beyond a real's precision would be told apart by an index and not by a key.
    guard key.storage != .real || column.affinity == .real else { return false }
    let identifier = name.caselessIdentifier
    let value = fixed.first { $0.column == identifier }?.value
    let isKey = column.keyPlace > 0 && (table.isRowNumber || shape.isWithoutRowNumber)
    return found.append(
      OrderedColumn(
        key: key,
        identifier: identifier,
        sql: name.quotedIdentifier + (key.storage == .text ? " COLLATE BINARY" : ""),
        isNullable: !column.isRequired && !isKey,
        hasTextAffinity: column.affinity == .text
      ),
      as: name.quotedIdentifier,
      fixed: value
    )
  }

  /// Appends an expression, if SQL's own functions and operators say it without an argument: only then can an index be made over it.
  private func append(
    _ expression: FetchExpression,
    _ key: KeyColumn,
    _ fixed: [FixedValue],
    to found: inout Columns
  ) -> Bool {
    var sql = SQLText()
    sql.writesConstants = true
    sql.append(expression, in: table)
    guard !sql.needsFunctions, sql.arguments.isEmpty else { return false }
    for name in expression.attributes where key.storage == .real {
      guard shape.column(named: name)?.affinity == .real else { return false }
    }
    return found.append(
      OrderedColumn(
        key: key,
        // No column is called so.
        identifier: OrderedIndex.expression.caselessIdentifier + sql.text.utf8,
        sql: sql.text,
        isNullable: table.canBeNull(expression),
        hasTextAffinity: false,
        isExpression: true
      ),
      as: sql.text,
      fixed: fixed.first { $0.expression == expression }?.value
    )
  }

  /// How many columns an index has that the predicate fixes before it has those in which keys differ, one by one; `nil` if it is
  /// not so.
  ///
  /// Which expression an index has is not told; that it is the one that is meant is proved with the statements, which name no other.
  private func front(
    of index: OrderedIndex,
    _ variable: [OrderedColumn],
    _ fixed: [FixedValue]
  ) -> Int? {
    let names = index.columns.map(\.caselessIdentifier)
    let expression = OrderedIndex.expression.caselessIdentifier
    let fixedNames = Set(fixed.map { $0.column ?? expression })
    let rowNumber = table.isRowNumber ? table.entity.identity.columns[0].caselessIdentifier : []
    let most = names.prefix { fixedNames.contains($0) }.count
    return (0...most).reversed()
      .first { front in
        let rest = names.dropFirst(front)
        guard rest.count >= variable.count else { return false }
        return zip(rest, variable)
          .allSatisfy { name, column in
            name == column.identifier || name == expression && column.isExpression
              || name == Array("rowid".utf8) && column.identifier == rowNumber
          }
      }
  }

  /// The statements for an index, or `nil` if the predicate has what no index answers.
  private func texts(_ columns: Columns, _ index: OrderedIndex) -> OrderedTexts? {
    var predicate = SQLText()
    // Only a condition whose values are known when it is prepared is found to be that of an index.
    predicate.writesLiterals = index.isPartial
    predicate.writesConstants = true
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

extension FetchPredicate {
  /// Attributes that the normalised predicate lets have no null, as SQLite tells names apart.
  fileprivate var requiredValues: [[UInt8]] {
    switch self {
    case .not(.isNull(.attribute(let name))): [name.caselessIdentifier]
    case .and(let parts): parts.flatMap(\.requiredValues)
    default: []
    }
  }

  /// Expressions that the normalised predicate lets have one value only, and the values.
  fileprivate var fixedValues: [FixedValue] {
    switch self {
    case .comparison(let expression, .equal, .literal(let value)),
      .comparison(.literal(let value), .equal, let expression):
      FixedValue(expression, value).map { [$0] } ?? []
    case .isNull(let expression): FixedValue(expression, .null).map { [$0] } ?? []
    case .and(let parts): parts.flatMap(\.fixedValues)
    default: []
    }
  }
}

/// An expression that a predicate lets have one value only.
private struct FixedValue {
  let expression: FetchExpression
  let value: Value
  /// The column that the expression is, as SQLite tells names apart, or `nil` if it is computed.
  let column: [UInt8]?

  /// - Returns: `nil` for what no index has a column of.
  init?(_ expression: FetchExpression, _ value: Value) {
    self.expression = expression
    self.value = value
    switch expression {
    case .literal, .objectKey: return nil
    case .attribute(let name): column = name.caselessIdentifier
    default: column = nil
    }
  }
}
