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
