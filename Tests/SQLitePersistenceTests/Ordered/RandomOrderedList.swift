import Foundation
import GRDB
import ResultsDomain
import ResultsTesting
import SQLitePersistence

/// A random table with an index that has the keys of a random list in order.
struct RandomOrderedList {
  let store: SQLiteStore
  let definition: OrderDefinition
  /// Whether the index certainly serves; a partial index may lack columns that SQLite then reads from the table.
  let isServed: Bool
  /// The statements, for messages.
  let story: String

  private static let attributes = [
    AttributeDescription("k1", .text), AttributeDescription("k2", .integer64),
    AttributeDescription("n", .integer64, isOptional: true),
    AttributeDescription("t", .text, isOptional: true),
    AttributeDescription("r", .real, isOptional: true),
    AttributeDescription("b", .blob, isOptional: true),
    AttributeDescription("f", .integer64, isOptional: true),
  ]

  /// The kind of table.
  private struct Shape {
    let identity: EntityIdentity
    let keys: [String]
    let key: String
    let primaryKey: String
    let hasRowNumbers: Bool
  }

  private static func shape(_ generator: inout SeededGenerator) -> Shape {
    let hasRowNumbers = generator.happens(percent: 50)
    let text = Shape(
      identity: .text(column: "id"),
      keys: ["id"],
      key: "id TEXT PRIMARY KEY, ",
      primaryKey: "",
      hasRowNumbers: hasRowNumbers
    )
    let compound = Shape(
      identity: .compound(["k1", "k2"]),
      keys: ["k1", "k2"],
      key: "",
      primaryKey: ", PRIMARY KEY (k1, k2)",
      hasRowNumbers: hasRowNumbers
    )
    let integer = Shape(
      identity: .integer(),
      keys: ["id"],
      key: "id INTEGER PRIMARY KEY, ",
      primaryKey: "",
      hasRowNumbers: true
    )
    return generator.choice(integer, text, compound, integer)
  }

  init(_ generator: inout SeededGenerator) throws {
    let shape = RandomOrderedList.shape(&generator)
    let entity = try EntityDescription(
      name: "T",
      identity: shape.identity,
      attributes: RandomOrderedList.attributes
    )
    let isRequired = generator.happens(percent: 25)
    let null = isRequired ? " NOT NULL" : ""
    let isStrict = generator.happens(percent: 50)
    let options: [String] =
      (shape.hasRowNumbers ? [] : ["WITHOUT ROWID"]) + (isStrict ? ["STRICT"] : [])
    let table = """
      CREATE TABLE T(\(shape.key)k1 TEXT NOT NULL, k2 INTEGER NOT NULL, n INTEGER\(null), \
      t TEXT\(null), r REAL\(null), b BLOB\(null), f INTEGER\(shape.primaryKey)) \
      \(options.joined(separator: ", "))
      """
    let computed = ComputedColumns(isStrict: isStrict)
    let terms = RandomOrderedList.terms(&generator, shape.keys, isRequired, computed)
    let (predicate, condition, fixed) = RandomOrderedList.predicate(&generator, computed)
    let index = RandomOrderedList.index(
      on: fixed,
      terms,
      computed,
      shape.keys,
      isInteger: shape.identity == .integer(),
      condition,
      &generator
    )
    let queue = try DatabaseQueue()
    let count = generator.number(in: 0...120)
    let rows = (0..<count)
      .map { _ in
        RandomOrderedList.row(&generator, shape.identity, allowsNull: !isRequired)
      }
    try queue.write { database in
      try database.execute(sql: table)
      try database.execute(sql: index)
      for row in rows {
        let names = row.map { $0.name }.joined(separator: ", ")
        let marks = row.map { $0.mark }.joined(separator: ", ")
        try database.execute(
          sql: "INSERT OR IGNORE INTO T(\(names)) VALUES (\(marks))",
          arguments: StatementArguments(row.map { $0.value })
        )
      }
    }
    store = try SQLiteStore(writer: queue, entities: [entity], options: .making)
    definition = try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sortDescriptors: terms
    )
    let isComputed =
      terms.contains { !$0.expression.isStored } || fixed.contains { $0.contains("(") }
    let isPlain = condition.isEmpty || !terms.contains { $0.expression.attributes == ["f"] }
    // If the value of an attribute is known, SQLite does not recognize an expression over it.
    isServed =
      (shape.hasRowNumbers || condition.isEmpty && !isComputed) && isPlain
      && (!isComputed || !fixed.contains("k1"))
    story = [table, index, "\(predicate)", "\(terms)"].joined(separator: "\n")
  }

  private static func terms(
    _ generator: inout SeededGenerator,
    _ keys: [String],
    _ isRequired: Bool,
    _ computed: ComputedColumns
  ) -> [FetchSortDescriptor] {
    var names = ["n", "t", "r", "b", "f", "k1", "k2"].shuffled(using: &generator)
    names = Array(names.prefix(generator.number(in: 1...3)))
    var terms = names.map { name in
      let direction = generator.choice(SortDirection.ascending, .descending)
      if generator.happens(percent: 25), let computed = computed.random(over: name, &generator) {
        return FetchSortDescriptor(computed, direction)
      }
      let isFree = name.hasPrefix("k") || isRequired && name != "f"
      let nulls: NullPlacement? = isFree ? generator.choice(.first, .last) : nil
      return FetchSortDescriptor(.attribute(name), direction, nulls: nulls)
    }
    if keys.count == 1, generator.happens(percent: 25) {
      terms.append(
        FetchSortDescriptor(.objectKey, generator.choice(.ascending, .descending))
      )
    }
    return terms
  }

  /// A predicate that an index can answer, the condition of the index, and its leading columns.
  private static func predicate(
    _ generator: inout SeededGenerator,
    _ computed: ComputedColumns
  ) -> (FetchPredicate, String, [String]) {
    let fixed = FetchPredicate.comparison(.attribute("f"), .equal, .literal(.integer(1)))
    switch generator.number(in: 0...7) {
    case 0: return (fixed, "", ["f"])
    case 1: return (.isNull(.attribute("f")), "", ["f"])
    case 2:
      let text = FetchPredicate.comparison(.attribute("k1"), .equal, .literal(.text("a")))
      return (.and([text, fixed]), "", generator.choice(["f", "k1"], ["k1", "f"]))
    case 3: return (fixed, " WHERE f = 1", [])
    case 4: return (.not(.isNull(.attribute("f"))), " WHERE f IS NOT NULL", [])
    case 5:
      let prefix = FetchExpression.prefix(.attribute("t"), length: 1)
      return (.comparison(prefix, .equal, .literal("a")), "", [computed.sql(prefix)])
    default: return (.all, "", [])
    }
  }

  private static func index(
    on fixed: [String],
    _ terms: [FetchSortDescriptor],
    _ computed: ComputedColumns,
    _ keys: [String],
    isInteger: Bool,
    _ condition: String,
    _ generator: inout SeededGenerator
  ) -> String {
    var columns = fixed.map { (name: $0, isDescending: false) }
    for term in terms {
      let name = term.expression == .objectKey ? keys[0] : computed.sql(term.expression)
      guard !columns.contains(where: { $0.name == name }) else { continue }
      columns.append((name, term.direction == .descending))
    }
    let needsKey = !isInteger || generator.happens(percent: 30)
    for key in keys where needsKey && !columns.contains(where: { $0.name == key }) {
      columns.append((key, false))
    }
    // An index with the opposite directions has the same order when it is read backwards.
    let isMirrored = needsKey && generator.happens(percent: 30)
    let parts = columns.map { $0.name + ($0.isDescending != isMirrored ? " DESC" : "") }
    return "CREATE INDEX i ON T(\(parts.joined(separator: ", ")))\(condition)"
  }

  private static func row(
    _ generator: inout SeededGenerator,
    _ identity: EntityIdentity,
    allowsNull: Bool
  ) -> [(name: String, mark: String, value: DatabaseValue)] {
    var row: [(String, String, DatabaseValue)] = []
    // GRDB ends a text at a NUL.
    let textMark = "CAST(? AS TEXT)"
    for attribute in attributes {
      let mayBeNull = attribute.isOptional && (allowsNull || attribute.name == "f")
      let isNull = mayBeNull && generator.happens(percent: 35)
      let value = isNull ? Value.null : value(attribute.type.storage, &generator)
      let mark = attribute.type.storage == .text ? textMark : "?"
      row.append((attribute.name, mark, value.databaseValue))
    }
    switch identity {
    case .integer: row.append(("id", "?", Int64(generator.number(in: -99...99)).databaseValue))
    case .text:
      let number = generator.number(in: 0...9)
      guard case .text(let text) = value(.text, &generator) else { break }
      row.append(("id", textMark, Value.text(text + String(number)).databaseValue))
    case .compound: break
    }
    return row
  }

  /// One of few values, so that many rows tie.
  static func value(_ storage: StorageClass, _ generator: inout SeededGenerator) -> Value {
    switch storage {
    case .integer: .integer(generator.choice(0, 1, 2, -1, .max, .min))
    case .real: .real(generator.choice(0, -0.0, -.infinity, .infinity, 2.5, -7))
    case .text: .text(generator.choice("a", "", "a\0", "a\0b", "ab", "Z", "é", "e\u{301}"))
    case .blob: .blob(generator.choice([0], [], [0, 255], [255], [1, 2]))
    }
  }
}

extension Value {
  /// The value as GRDB binds it; a text is bytes, since GRDB ends one at a NUL.
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): Data(text.utf8).databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    }
  }
}
