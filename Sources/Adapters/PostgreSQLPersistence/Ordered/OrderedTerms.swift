#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// A column in which the keys of a list differ, in SQL.
struct OrderedTerm: Hashable, Sendable {
  /// Its encoding in a key.
  let key: KeyColumn
  /// The column, or the expression.
  let sql: String
  /// The column's name in quotes, or `nil` for an expression.
  let columnName: String?
  /// What the term is, for messages.
  let words: String
  /// The collation by which it is compared and sorted, or an empty text.
  let collation: String
  /// How values travel that a statement returns.
  let coding: ColumnCoding
  /// The type to which results are converted, or `nil` for the column's own.
  let resultType: String?
  /// Whether it can be null.
  let isNullable: Bool
  /// The columns that an expression reads, in SQL; empty for a column.
  let readColumns: [String]
  /// The term's part of the name of an index.
  let indexName: String

  /// The term in conditions.
  var compared: String { sql + collation }

  /// The term in a result.
  var result: String {
    guard let resultType else { return compared }
    return "(\(sql))::\(resultType)\(collation)"
  }

  /// The term in `ORDER BY`, and as a column of an index; nulls are mentioned only where there can be some.
  var order: String {
    let nulls = isNullable ? (key.nulls == .first ? " NULLS FIRST" : " NULLS LAST") : ""
    return compared + (key.isDescending ? " DESC" : "") + nulls
  }

  /// The type of a parameter with which the term is compared, in SQL.
  var parameterType: String { types.name }

  /// A parameter with which the term is compared.
  /// - Parameter bytes: The encoded column of a key, tag included.
  /// - Returns: `nil` for a value that the column's type cannot hold.
  func parameter(_ bytes: UnsafeRawBufferPointer) -> Parameter? {
    let value = KeyReader.value(of: key, in: bytes)
    if value.isNull { return .null(types.element) }
    switch (coding.kind, value) {
    case (.integer, .integer(let number)): return .integer(number)
    case (.real, .real(let number)): return .real(number)
    case (.text, .text(let text)): return text.hasZero ? nil : .text(text)
    case (.blob, .blob(let bytes)): return .blob(bytes)
    case (.boolean, _), (.uuid, _), (.timestamp, _), (.date, _), (.numeric, _):
      return coding.parameter(value)
    default: return nil
    }
  }

  /// An array of such parameters.
  func array(_ parameters: [Parameter]) -> Parameter {
    .array(of: types.element, types.array, parameters.map(\.bytes))
  }

  private var types: (name: String, element: UInt32, array: UInt32) {
    switch coding.kind {
    case .integer: ("int8", TypeNumber.integer, TypeNumber.integers)
    case .real: ("float8", TypeNumber.real, TypeNumber.reals)
    case .text, .jsonBinary: ("text", TypeNumber.text, TypeNumber.texts)
    case .blob: ("bytea", TypeNumber.blob, TypeNumber.blobs)
    case .boolean: ("bool", TypeNumber.boolean, TypeNumber.booleans)
    case .uuid: ("uuid", TypeNumber.uuid, TypeNumber.uuids)
    case .date: ("date", TypeNumber.date, TypeNumber.dates)
    case .numeric: ("numeric", TypeNumber.numeric, TypeNumber.numerics)
    case .timestamp:
      coding.type == TypeNumber.timestamp
        ? ("timestamptz", TypeNumber.timestamp, TypeNumber.timestamps)
        : ("timestamp", TypeNumber.localTimestamp, TypeNumber.localTimestamps)
    }
  }
}

/// The columns of a list's keys in SQL.
struct OrderedTerms: Sendable {
  private(set) var roles: [OrderedColumns.Role] = []
  /// The columns in which keys differ, in the list's order.
  private(set) var variable: [OrderedTerm] = []
  /// The columns and expressions to which the predicate permits one value only, in SQL.
  private(set) var fixed: [OrderedTerm] = []
  /// The number of last terms that are there only because of the object's key.
  private(set) var keyCount = 0
  /// Whether the predicate says nothing else.
  private(set) var isFixedOnly = true

  /// Finds the columns of a list's keys.
  /// - Returns: `nil` if no index can have the list's order, or SQL alone cannot express it.
  init?(_ definition: OrderDefinition, in table: EntityTable) {
    // No index has the values of other tables.
    guard !definition.terms.contains(where: \.expression.usesPaths), !definition.predicate.usesPaths
    else { return nil }
    let values = definition.predicate.normalized.fixedValues
    for (expression, _) in values {
      guard let term = OrderedTerm(expression, nil, in: table) else { continue }
      if !fixed.contains(where: { $0.sql == term.sql }) { fixed.append(term) }
    }
    isFixedOnly = definition.predicate.normalized.isConjunction(ofEqualities: values.count)
    let identity = table.entity.identity.columns
    for (term, key) in zip(definition.terms, definition.layout.order) {
      guard append(term.expression, key, values, in: table) else { return nil }
    }
    let orderCount = variable.count
    for (index, key) in definition.layout.identity.enumerated() {
      let expression: FetchExpression =
        identity.count == 1 ? .objectKey : .attribute(identity[index])
      guard append(expression, key, values, in: table) else { return nil }
    }
    keyCount = variable.count - orderCount
    // A bound is behind a null only where other columns follow.
    guard let last = variable.last, !last.isNullable else { return nil }
  }

  private mutating func append(
    _ expression: FetchExpression,
    _ key: KeyColumn,
    _ values: [(expression: FetchExpression, value: Value)],
    in table: EntityTable
  ) -> Bool {
    guard let term = OrderedTerm(expression, key, in: table) else { return false }
    if let value = values.first(where: { $0.expression == expression })?.value {
      var writer = KeyWriter()
      guard writer.append(value, key) else { return false }
      roles.append(.fixed(writer.bytes))
    } else if let index = variable.firstIndex(where: { $0.sql == term.sql }) {
      roles.append(.repeats(index))
    } else {
      roles.append(.varies(variable.count))
      variable.append(term)
    }
    return true
  }
}

extension OrderedTerm {
  /// Finds how an expression is said in SQL.
  /// - Returns: `nil` if SQL alone cannot say it, or if its order is not that of the values.
  fileprivate init?(_ expression: FetchExpression, _ key: KeyColumn?, in table: EntityTable) {
    let isNullable = table.canBeNull(expression)
    if let column = table.column(of: expression) {
      guard column.coding.sortsInOwnType, column.isDeterministic else { return nil }
      var resultType: String?
      var coding = column.coding
      // An order by such dates is proved only where none of them is later than the last one.
      coding.isLenient = false
      switch coding.kind {
      case .integer, .real, .text:
        coding = .computed(coding.storage)
        resultType =
          coding.storage == .integer ? "int8" : coding.storage == .real ? "float8" : "text"
      case .numeric: resultType = "numeric"
      case .boolean, .blob, .uuid, .timestamp, .date, .jsonBinary: break
      }
      self.init(
        key: key ?? KeyColumn(coding.storage),
        sql: column.sql,
        columnName: column.coding.isLenient && column.coding.canBeNoNumber ? nil : column.name,
        words: expression.description,
        collation: coding.storage == .text && coding.kind == .text ? column.orderCollation : "",
        coding: coding,
        resultType: resultType,
        isNullable: isNullable,
        readColumns: [],
        indexName: expression.indexName
      )
      return
    }
    guard !expression.attributes.isEmpty,
      expression.hoisted(in: table.entity).replacement?.text?.hasZero != true,
      let storage = try? expression.storage(in: table.entity)
    else { return nil }
    var sql = SQLText()
    guard (try? sql.append(expression, in: table)) != nil, sql.parameters.isEmpty else {
      return nil
    }
    let type = storage == .integer ? "int8" : storage == .real ? "float8" : nil
    self.init(
      key: key ?? KeyColumn(storage),
      sql: "(\(sql.text))",
      columnName: nil,
      words: expression.description,
      collation: storage == .text ? " COLLATE \"C\"" : "",
      coding: .computed(storage),
      resultType: type,
      isNullable: isNullable,
      readColumns: expression.attributes.compactMap { table.column(of: .attribute($0))?.sql },
      indexName: expression.indexName
    )
  }
}

extension FetchExpression {
}

extension FetchPredicate {
  /// Whether the predicate is the conjunction of a number of equalities, and of nothing else.
  fileprivate func isConjunction(ofEqualities count: Int) -> Bool {
    switch self {
    case .all: count == 0
    case .and(let parts): parts.count == count
    default: count == 1
    }
  }

  /// The expressions to which the normalized predicate permits one value only, and the values.
  ///
  /// Null is not among them: PostgreSQL does not conclude from `IS NULL` that a column does not matter for the order.
  fileprivate var fixedValues: [(expression: FetchExpression, value: Value)] {
    switch self {
    case .comparison(let expression, .equal, .literal(let value)),
      .comparison(.literal(let value), .equal, let expression):
      value.isNull || expression.isLiteral ? [] : [(expression, value)]
    case .and(let parts): parts.flatMap(\.fixedValues)
    default: []
    }
  }
}
#endif
