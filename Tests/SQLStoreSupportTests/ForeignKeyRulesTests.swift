import ResultsDomain
import SQLStoreSupport
import Testing

@Suite("Rules of foreign keys in SQL")
struct ForeignKeyRulesTests {
  /// Foreign keys of tables, by the names of entities.
  private struct Catalog: ForeignKeyCatalog {
    typealias Failure = Never
    var keys: [String: [ForeignKeyShape]] = [:]
    var comparesAnyValues = true

    func foreignKeys(of entity: EntityDescription) -> [ForeignKeyShape]? { keys[entity.name] }

    func compares(
      _ column: String,
      of entity: EntityDescription,
      with key: String,
      of destination: EntityDescription
    ) -> Bool { comparesAnyValues }
  }

  private static func entities(
    _ rule: DeleteRule = .nullify,
    key: AttributeDescription = AttributeDescription("author", .integer64, isOptional: true)
  ) throws -> (author: EntityDescription, book: EntityDescription) {
    let author = try EntityDescription(
      name: "Author",
      identity: .integer(column: "id"),
      attributes: [AttributeDescription("name", .text)]
    )
    let book = try EntityDescription(
      name: "Book",
      identity: .integer(column: "id"),
      attributes: [key],
      relationships: [
        RelationshipDescription("writer", .toOne(foreignKey: ["author"]), onDelete: rule) { author }
      ]
    )
    return (author, book)
  }

  private static func contradiction(
    _ key: ForeignKeyShape,
    _ rule: DeleteRule = .nullify
  ) throws -> (sqlite: String?, postgreSQL: String?) {
    let (author, book) = try entities(rule)
    let catalog = Catalog(keys: ["Book": [key], "Author": []])
    return (
      ForeignKeyRules<SQLiteDialect>(book, among: [author, book]).contradiction(in: catalog),
      ForeignKeyRules<PostgreSQLDialect>(book, among: [author, book]).contradiction(in: catalog)
    )
  }

  @Test func `R91: a key that a table references as declared is no contradiction`() throws {
    let found = try Self.contradiction(
      ForeignKeyShape(table: "Author", columns: ["author"], targets: ["id"], action: .setNull)
    )
    #expect(found.sqlite == nil && found.postgreSQL == nil)
  }

  @Test func `R91: names are compared as the database compares them`() throws {
    let found = try Self.contradiction(
      ForeignKeyShape(table: "AUTHOR", columns: ["author"], targets: ["ID"], action: .setNull)
    )
    #expect(found.sqlite == nil)
    #expect(
      found.postgreSQL
        == "the relationship writer names Author, but author references AUTHOR; declare AUTHOR as its destination"
    )
  }

  @Test func `R91: a key that references another column is refused in the same words`() throws {
    let found = try Self.contradiction(
      ForeignKeyShape(table: "Author", columns: ["author"], targets: ["name"], action: .setNull)
    )
    let expected = """
      the relationship writer needs the key of Author, but author references its column name; remove the \
      relationship, or reference the key
      """
    #expect(found.sqlite == expected && found.postgreSQL == expected)
  }

  @Test(arguments: DeleteRule.allCases)
  func `R91: an action that the delete rule has not anticipated is refused`(
    _ rule: DeleteRule
  ) throws {
    let cases: [(ReferentialAction, Set<DeleteRule>)] = [
      (.noAction, [.none, .deny, .nullify, .cascade]),
      (.restrict, [.none, .deny, .nullify, .cascade]),
      (.setNull, [.none, .nullify]), (.setDefault, [.none]), (.cascade, [.none, .cascade]),
    ]
    for (action, permitted) in cases {
      let key = ForeignKeyShape(
        table: "Author",
        columns: ["author"],
        targets: ["id"],
        action: action
      )
      let found = try Self.contradiction(key, rule)
      #expect(found.sqlite == found.postgreSQL)
      #expect((found.sqlite == nil) == permitted.contains(rule), "\(action) \(rule)")
      if let message = found.sqlite {
        #expect(message.contains("does \(action.rawValue) where author names a deleted row"))
      }
    }
  }

  @Test func `R91: a key of another type is refused, and one of any class where it is converted`()
    throws
  {
    let text = AttributeDescription("author", .text, isOptional: true)
    let any = AttributeDescription("author", .text, isOptional: true, holdsAnyValue: true)
    let cases = [(text, true, true), (any, true, false), (any, false, true)]
    for (key, comparesAnyValues, isRefused) in cases {
      let (author, book) = try Self.entities(key: key)
      let rules = ForeignKeyRules<SQLiteDialect>(book, among: [author, book])
      let found = rules.contradiction(in: Catalog(comparesAnyValues: comparesAnyValues))
      #expect((found?.contains("whose types differ from it") ?? false) == isRefused)
    }
  }

  @Test func `R91: the index of a foreign key is missing unless one begins with its columns`()
    throws
  {
    let (author, book) = try Self.entities()
    let sqlite = ForeignKeyRules<SQLiteDialect>(book, among: [author, book])
    let postgreSQL = ForeignKeyRules<PostgreSQLDialect>(book, among: [author, book])
    #expect(sqlite.missingIndexes(beside: []) == [["author"]])
    #expect(sqlite.missingIndexes(beside: [["AUTHOR", "id"]]) == [])
    #expect(postgreSQL.missingIndexes(beside: [["AUTHOR", "id"]]) == [["author"]])
    #expect(postgreSQL.missingIndexes(beside: [["id", "author"]]) == [["author"]])
  }

  @Test func `R101: a rule is enforced by its action at the end of a transaction`() throws {
    let (author, book) = try Self.entities(.cascade)
    let rules = ForeignKeyRules<PostgreSQLDialect>(book, among: [author, book])
    let key = try #require(rules.enforced.first)
    #expect(
      ForeignKeyRules<PostgreSQLDialect>.constraint(key, in: "a\"b") == """
        FOREIGN KEY ("author") REFERENCES "a""b"."Author" ("id") ON DELETE CASCADE \
        DEFERRABLE INITIALLY DEFERRED
        """
    )
    #expect(
      ForeignKeyRules<SQLiteDialect>(book, among: [book]).enforced.isEmpty,
      "what the store does not have cannot be enforced"
    )
  }
}
