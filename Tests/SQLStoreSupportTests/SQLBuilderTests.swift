import ResultsDomain
import SQLStoreSupport
import Testing

@Suite("The walk of a predicate to SQL")
struct SQLBuilderTests {
  /// A builder that writes expressions and constants in words.
  private struct Builder<Dialect: SQLDialect>: SQLBuilder {
    typealias Failure = Never
    var text = ""
    var tableCount = 0
    var tables: [WordTable] = []

    func table(of entity: EntityDescription) -> WordTable? {
      tables.first { $0.entity == entity }
    }

    mutating func append(_ sql: String) { text += sql }

    mutating func append(_ expression: FetchExpression, in table: WordTable) {
      switch expression {
      case .attribute(let name): append("\(table.name).\(name)")
      default: append("\(expression)")
      }
    }

    mutating func append(nullTested expression: FetchExpression, in table: WordTable) {
      append(expression, in: table)
    }

    mutating func append(
      _ left: FetchExpression,
      _ comparison: ComparisonOperator,
      _ right: FetchExpression,
      in table: WordTable
    ) {
      append(left, in: table)
      append(" \(comparison.sqlSymbol) ")
      append(right, in: table)
    }

    mutating func append(
      _ expression: FetchExpression,
      isBetween low: Value,
      and high: Value,
      in table: WordTable
    ) { append("between") }

    mutating func append(
      _ expression: FetchExpression,
      isIn values: [Value],
      in table: WordTable
    ) { append("in") }

    mutating func append(_ identities: IdentitySet, in table: WordTable) { append("keys") }

    mutating func append(
      _ expression: FetchExpression,
      _ comparison: TextOperator,
      _ text: String,
      isFolding: Bool,
      in table: WordTable
    ) { append("\(comparison)") }
  }

  private final class WordTable: SQLTable {
    let entity: EntityDescription
    let name: String
    let joins: [TableJoin<WordTable>]
    var source: String { "\(entity.name) AS \(name)" }

    private init(_ entity: EntityDescription, _ name: String, _ joins: [TableJoin<WordTable>]) {
      (self.entity, self.name, self.joins) = (entity, name, joins)
    }

    convenience init(_ entity: EntityDescription) { self.init(entity, entity.name, []) }

    convenience init(_ table: WordTable, as name: String) { self.init(table.entity, name, []) }

    convenience init(_ table: WordTable, joining joins: [TableJoin<WordTable>]) {
      self.init(table.entity, table.name, joins)
    }

    func keyCondition(_ columns: [String], of holder: WordTable) -> String {
      "\(name) is \(holder.name).\(columns.joined())"
    }
  }

  private enum Library {
    static let author: EntityDescription? = try? EntityDescription(
      name: "Author",
      attributes: [AttributeDescription("name", .text)],
      relationships: [
        RelationshipDescription("books", .toMany(foreignKey: ["author"])) { book ?? unknown }
      ]
    )
    static let book: EntityDescription? = try? EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription("year", .integer64),
        AttributeDescription("author", .integer64, isOptional: true),
      ],
      relationships: [
        RelationshipDescription("writer", .toOne(foreignKey: ["author"])) { author ?? unknown }
      ]
    )
    static var unknown: EntityDescription { preconditionFailure("an entity is not valid") }
  }

  private static func texts(
    _ predicate: FetchPredicate,
    of entity: EntityDescription?
  ) throws -> (sqlite: String, postgreSQL: String) {
    let table = WordTable(try #require(entity))
    let tables = [Library.author, Library.book].compactMap(\.self).map { WordTable($0) }
    var sqlite = Builder<SQLiteDialect>(tables: tables)
    var postgreSQL = Builder<PostgreSQLDialect>(tables: tables)
    sqlite.append(predicate, in: table)
    postgreSQL.append(predicate, in: table)
    return (sqlite.text, postgreSQL.text)
  }

  @Test func `R154: truth has the spelling of the dialect`() throws {
    for (predicate, sqlite, postgreSQL) in [
      (FetchPredicate.all, "1", "TRUE"), (.none, "0", "FALSE"), (.and([]), "1", "TRUE"),
      (.or([]), "0", "FALSE"),
    ] {
      let texts = try Self.texts(predicate, of: Library.book)
      #expect(texts.sqlite == sqlite && texts.postgreSQL == postgreSQL)
    }
  }

  @Test func `the depth of many conditions grows with the logarithm of their number`() throws {
    let many = FetchPredicate.or(
      (0..<1000).map { .comparison(.attribute("year"), .equal, .literal(.integer($0))) }
    )
    let text = try Self.texts(many, of: Library.book).sqlite
    var (depth, deepest) = (0, 0)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      deepest = max(deepest, depth)
    }
    #expect(depth == 0 && deepest <= 10)
  }

  @Test func `a condition that a value is missing has the form of a partial index`() throws {
    let isNull = FetchPredicate.isNull(.attribute("author"))
    #expect(try Self.texts(isNull, of: Library.book).sqlite == "(Book.author IS NULL)")
    #expect(try Self.texts(.not(isNull), of: Library.book).sqlite == "(Book.author IS NOT NULL)")
    #expect(
      try Self.texts(.not(.not(isNull)), of: Library.book).postgreSQL
        == "(NOT (Book.author IS NOT NULL))"
    )
  }

  @Test func `R93: ANY and ALL are subqueries of tables with names of their own`() throws {
    let old = FetchPredicate.comparison(.attribute("year"), .less, .literal(1900))
    let any = try Self.texts(.quantified(.any, ["books"], old), of: Library.author)
    #expect(
      any.sqlite
        == "EXISTS (SELECT 1 FROM Book AS _0 WHERE Author is _0.author AND (_0.year < 1900))"
    )
    let all = try Self.texts(.quantified(.all, ["books"], old), of: Library.author)
    #expect(
      all.postgreSQL
        == """
        NOT EXISTS (SELECT 1 FROM Book AS _0 WHERE Author is _0.author AND (_0.year < 1900) \
        IS NOT TRUE)
        """
    )
    // The path in the subquery is joined there.
    let written = FetchPredicate.isNull(.related(["writer"], .attribute("name")))
    let joined = try Self.texts(.quantified(.any, ["books"], written), of: Library.author)
    #expect(joined.sqlite.contains("FROM Book AS _0 LEFT JOIN Author AS _1 ON _1 is _0.author"))
    let unknown = try Self.texts(.quantified(.any, ["writer"], old), of: Library.book)
    #expect(unknown == ("EXISTS (SELECT 1 WHERE 0)", "EXISTS (SELECT 1 WHERE FALSE)"))
  }
}
