import CSQLiteHooks
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLStoreSupport
@testable import SQLitePersistence
import Testing

/// R85: an expression has the same value in memory and in SQL, whatever program wrote the stored values, so that the keys of changed rows
/// are those of an index.
@Suite struct `Expressions in SQL and in memory` {
  private static let entity = Sample.entity(
    "T",
    .integer(),
    [
      AttributeDescription("t", .text, isOptional: true),
      AttributeDescription("n", .integer64, isOptional: true),
      AttributeDescription("r", .real, isOptional: true),
    ]
  )

  @Test(arguments: [true, false])
  func `are equal byte by byte for all stored values (R85)`(isStrict: Bool) throws {
    var generator = SeededGenerator(seed: isStrict ? 3 : 4)
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE T(id INTEGER PRIMARY KEY, t TEXT, n INTEGER, r REAL) \(isStrict ? "STRICT" : "")
          """
      )
      for _ in 0..<600 {
        let values = ["t", "n", "r"].map { value(for: $0, isStrict, &generator) }
        try database.execute(
          sql: "INSERT INTO T(t, n, r) VALUES (\(values.map(\.mark).joined(separator: ", ")))",
          arguments: StatementArguments(values.map(\.databaseValue))
        )
      }
    }
    let store = try SQLiteStore(writer: queue, entities: [Self.entity], options: .making)
    let table = try store.database.context.tables.table(of: Self.entity)
    try queue.read { database in
      for expression in Self.expressions(&generator) {
        for writesConstants in [true, false] {
          try compare(expression, writesConstants, in: table, on: database)
        }
      }
    }
  }

  private func compare(
    _ expression: FetchExpression,
    _ writesConstants: Bool,
    in table: EntityTable,
    on database: Database
  ) throws {
    var sql = SQLText()
    sql.writesConstants = writesConstants
    sql.append("SELECT id, t, n, r, ")
    sql.append(expression, in: table)
    sql.append(" FROM T")
    let compiled = CompiledExpression(expression, in: Self.entity)
    let statement = try sql.prepare(on: database)
    defer { statement.reset() }
    var count = 0
    while try statement.step() {
      let row = (0..<5).map { raw(statement.pointer, Int32($0)) }
      guard case .integer(let id) = row[0] else { continue }
      let expected = compiled.value(Array(row[1...3]), key: .integer(id))
      let context = Comment(rawValue: "\(sql.text) of \(row[1...3])")
      try #require(key(row[4]) == key(expected), context)
      count += 1
    }
    #expect(count == 600)
  }

  /// The key bytes of a value of any class.
  private func key(_ value: Value) -> [UInt8] {
    var writer = KeyWriter()
    _ = writer.append(value, KeyColumn(value.storage ?? .integer))
    return writer.bytes + [value.storage == .text ? 1 : value.storage == .real ? 2 : 0]
  }

  private func raw(_ statement: OpaquePointer, _ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: Value(statement, column: column, storage: .integer)
    case SQLITE_FLOAT: Value(statement, column: column, storage: .real)
    case SQLITE_TEXT: Value(statement, column: column, storage: .text)
    case SQLITE_BLOB: Value(statement, column: column, storage: .blob)
    default: .null
    }
  }

  private func value(
    for name: String,
    _ isStrict: Bool,
    _ generator: inout SeededGenerator
  ) -> Value {
    if generator.happens(percent: 10) { return .null }
    // Another program may write anything into a table that is not strict.
    let isForeign = !isStrict && generator.happens(percent: 30)
    switch isForeign ? generator.choice("t", "n", "r", "b") : name {
    case "t":
      let parts = ["a", "B", "Z", "é", "É", "e\u{301}", "が", "👩‍👩‍👧", "\0", "'", "ß", "\u{10FFFF}"]
      let count = generator.number(in: 0...5)
      return .text((0..<count).map { _ in generator.element(of: parts) ?? "" }.joined())
    case "n":
      let edge = generator.choice(Int64.min, .max, 0, 1 << 53, -(1 << 53))
      let (number, isBeyond) = edge.addingReportingOverflow(
        Int64(generator.number(in: -30...30))
      )
      return .integer(isBeyond ? edge : number)
    case "r": return .real(generator.choice(0, -0.0, 0.1, 1e300, -.infinity, .infinity, -7, 1e18))
    default: return .blob(generator.choice([], [0], [65, 66], [0xC3], [255, 0]))
    }
  }

  private static func expressions(_ generator: inout SeededGenerator) -> [FetchExpression] {
    let text = FetchExpression.attribute("t")
    let number = FetchExpression.attribute("n")
    var expressions: [FetchExpression] = [
      .lowercased(text), .uppercased(text), .length(text), .ifNull(text, "it's"),
      .ifNull(text, "\0"), .ifNull(number, .integer(.min)), .ifNull(number, .integer(7)),
      .length(.ifNull(text, "abc")), .ifNull(.length(text), .integer(-1)),
      .ifNull(.attribute("r"), .real(0.1)), .ifNull(.attribute("r"), .real(-3)),
      .ifNull(.attribute("r"), .real(.infinity)), .ifNull(.attribute("r"), .real(.nan)),
      .uppercased(.ifNull(.prefix(.lowercased(text), length: 2), "none")),
      .bucket(.length(text), width: 2), .bucket(.bucket(number, width: 7), width: 10),
      .bucket(.ifNull(number, .integer(5)), width: 10), .bucket(.objectKey, width: 10),
      // R287
      .ifNull(.prefix(text, length: 1), text), .ifNull(number, .length(text)),
      .uppercased(.ifNull(text, .lowercased(text))),
      .bucket(.ifNull(number, .bucket(.length(text), width: 2)), width: 10),
    ]
    for length in [0, 1, 2, 3, 100, Int.max] { expressions.append(.prefix(text, length: length)) }
    for width in [1, 2, 3, 7, 10, 365, 1 << 62, Int64.max / 2, .max] {
      expressions.append(.bucket(number, width: width))
      expressions.append(.bucket(number, width: 1 + Int64(generator.number(in: 0...1_000_000))))
    }
    return expressions
  }
}

extension Value {
  /// A parameter with the value; a text is passed as bytes, since GRDB ends it at a NUL.
  fileprivate var mark: String { storage == .text ? "CAST(? AS TEXT)" : "?" }
}

/// Expressions in the form in which a person would write them for an index.
struct ComputedColumns {
  let isStrict: Bool

  /// A random expression over an attribute, or `nil` if none applies.
  func random(over name: String, _ generator: inout SeededGenerator) -> FetchExpression? {
    let attribute = FetchExpression.attribute(name)
    switch name {
    case "t", "k1":
      let prefix = FetchExpression.prefix(attribute, length: generator.number(in: 0...3))
      return generator.choice(
        prefix,
        .lowercased(attribute),
        .uppercased(prefix),
        .length(attribute),
        .ifNull(attribute, "it's"),
        .ifNull(attribute, .lowercased(attribute))
      )
    case "n", "k2":
      let width = generator.choice(1, 2, 10, Int64.max / 2)
      return generator.choice(.bucket(attribute, width: width), .ifNull(attribute, 1))
    case "r": return .ifNull(attribute, 2.0)
    default: return nil
    }
  }

  /// An expression in SQL.
  func sql(_ expression: FetchExpression) -> String {
    switch expression {
    case .attribute(let name): name
    case .prefix(let inner, let length): text("substr(\(sql(inner)), 1, \(length))", inner)
    case .lowercased(let inner): text("lower(\(sql(inner)))", inner)
    case .uppercased(let inner): text("upper(\(sql(inner)))", inner)
    case .length(let inner): text("length(\(sql(inner)))", inner)
    case .bucket(let inner, let width): bucket(sql(inner), width)
    case .ifNull(let inner, .literal(.text)): "ifnull(\(sql(inner)), 'it''s')"
    case .ifNull(let inner, .literal(.real)): "ifnull(\(sql(inner)), 2.0)"
    case .ifNull(let inner, .literal): "ifnull(\(sql(inner)), 1)"
    case .ifNull(let inner, let other): "ifnull(\(sql(inner)), \(sql(other)))"
    case .objectKey, .literal, .related, .relatedAggregate, .transformed: "NULL"
    }
  }

  private func text(_ sql: String, _ inner: FetchExpression) -> String {
    guard inner.isStored, !isStrict else { return sql }
    return "CASE typeof(\(self.sql(inner))) WHEN 'text' THEN \(sql) END"
  }

  private func bucket(_ name: String, _ width: Int64) -> String {
    let least =
      switch width {
      case 1, 2: "-9223372036854775808"
      case 10: "-9223372036854775800"
      default: "-9223372036854775806"
      }
    return """
      CASE WHEN \(isStrict ? "" : "typeof(\(name)) = 'integer' AND ")\(name) >= \(least) \
      THEN \(name) - (\(name) % \(width) + \(width)) % \(width) END
      """
  }
}

extension FetchExpression {
  /// Whether it is an attribute.
  var isStored: Bool { if case .attribute = self { true } else { false } }
}
