#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import PostgreSQLPersistence

/// Changes without loss are made when a store is opened; all others are refused, and nothing is changed then (R156).
@Suite struct SchemaMigrationTests {
  private let text = AttributeDescription("text", .text)
  private let extra = AttributeDescription("extra \"quoted\"", .date, isOptional: true)

  private func note(
    _ attributes: AttributeDescription...,
    identity: EntityIdentity = .integer()
  ) throws -> EntityDescription {
    try SchemaSample.entity("Note", attributes, identity: identity)
  }

  private func row(_ entity: EntityDescription, _ values: [Value]) -> Row {
    Row(entity: entity, id: ObjectID(entity: entity.name, key: .integer(1)), values: values)
  }

  private func values(_ store: ReadTables, _ entity: EntityDescription) throws -> [Value]? {
    try store.read { try $0.rows([.integer(1)], of: entity)[0]?.values }
  }

  @Test func `an optional attribute is added as null, and dropped with its values (R156)`() throws {
    let (narrow, wide) = (try note(text), try note(text, extra))
    try TestServer.withDatabase { url in
      let first = try ReadTables([narrow], at: url)
      try first.replace([row(narrow, ["t"])], of: narrow)
      let second = try ReadTables([wide], at: url)
      #expect(try values(second, wide) == ["t", .null])
      try second.replace([row(wide, ["t", 9])], of: wide)
      #expect(try values(ReadTables([wide], at: url), wide) == ["t", 9])
      // Triggers that capture changes mention the column; the log makes them again.
      try second.connection.runOnce("CREATE SCHEMA own")
      try second.connection.runOnce(
        """
        CREATE FUNCTION own.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'
        """
      )
      try second.connection.runOnce(
        #"""
        CREATE TRIGGER "!results_update" AFTER UPDATE ON public."Note" FOR EACH ROW
        WHEN (OLD."extra ""quoted""" > 1) EXECUTE FUNCTION own.nothing()
        """#
      )
      #expect(try values(ReadTables([narrow], at: url), narrow) == ["t"])
      #expect(try values(ReadTables([wide], at: url), wide) == ["t", .null])
    }
  }

  @Test func `a column that is no attribute stays (R156)`() throws {
    let entity = try note(text)
    try TestServer.withDatabase { url in
      let store = try ReadTables([entity], at: url)
      try store.connection.runOnce("ALTER TABLE public.\"Note\" ADD COLUMN own integer")
      _ = try ReadTables([entity], at: url)
      #expect(try SchemaSample.columns(at: url).last == "Note.own integer")
      let refusal = try SchemaSample.refusal(
        of: [try note(text, AttributeDescription("own", .integer32, isOptional: true))],
        at: url
      )
      #expect(refusal == "Note: the column own was not created by a store")
    }
  }

  @Test func `what may lose something is refused, and nothing is changed (R156)`() throws {
    let wide = try note(text, extra)
    let cases: [(EntityDescription, String)] = [
      (
        try note(text, extra, AttributeDescription("new", .text)),
        "the required attribute new is new"
      ),
      (
        try note(AttributeDescription("text", .blob), extra), "text is text, not blob"
      ),
      (
        try note(text, AttributeDescription("extra \"quoted\"", .integer64, isOptional: true)),
        "extra \"quoted\" is date, not integer64"
      ),
      (
        try note(AttributeDescription("text", .text, isOptional: true), extra),
        "text is required, not optional"
      ),
      (
        try note(text, AttributeDescription("extra \"quoted\"", .date)),
        "extra \"quoted\" is optional, not required"
      ),
      (
        try note(text, AttributeDescription("other", .date, isOptional: true)),
        "other is new and extra \"quoted\" is missing, which may be a new name"
      ),
      (
        try note(text, extra, identity: .integer(column: "number")),
        "its key is integer (id), not integer (number)"
      ),
      (
        try note(text, extra, identity: .text()), "its key is integer (id), not text (id)"
      ),
      (
        try note(text, extra, identity: .compound(["text"])),
        "its key is integer (id), not compound (text)"
      ),
    ]
    try TestServer.withDatabase { url in
      _ = try ReadTables([wide], at: url)
      for (entity, detail) in cases {
        #expect(try SchemaSample.refusal(of: [entity], at: url) == "Note: \(detail)")
      }
    }
  }

  @Test func `a store that only reads changes nothing (R156)`() throws {
    let (narrow, wide) = (try note(text), try note(text, extra))
    try TestServer.withDatabase { url in
      func refusal(_ entity: EntityDescription) throws -> String {
        try SchemaSample.refusal(of: [entity], at: url) { $0.isWritable = false }
      }
      #expect(try refusal(narrow) != "nothing was refused")
      _ = try ReadTables([narrow], at: url)
      #expect(try refusal(wide).contains("is new"))
    }
  }

  @Test func `a replaced attribute's values are moved before it is dropped (R156)`() throws {
    let old = try note(text, AttributeDescription("author", .text, isOptional: true))
    let new = try note(text, AttributeDescription("writer", .text, isOptional: true))
    try TestServer.withDatabase { url in
      let store = try ReadTables([old], at: url)
      try store.replace([row(old, ["t", "Ada"])], of: old)
      func open(_ statement: String) throws -> ReadTables {
        try ReadTables([new], at: url) {
          $0.replacements = [
            AttributeReplacement(of: "author", in: "Note", by: [statement])
          ]
        }
      }
      // One that fails leaves everything as it was.
      #expect(throws: StoreError.self) { try open("UPDATE \"Note\" SET nothing = author") }
      #expect(try values(store, old) == ["t", "Ada"])
      let opened = try open("UPDATE \"Note\" SET writer = author")
      #expect(try values(opened, new) == ["t", "Ada"])
      #expect(try values(ReadTables([new], at: url), new) == ["t", "Ada"])
    }
  }

  @Test(
    arguments: [
      (DeleteRule.cascade, "CASCADE"), (.nullify, "SET NULL"), (.deny, "RESTRICT"),
    ]
  )
  func `a delete rule is a foreign key with an index (R91, R153)`(
    rule: DeleteRule,
    action: String
  ) throws {
    let author = try SchemaSample.entity("Author", [AttributeDescription("name", .text)])
    let key = AttributeDescription("authorID", .integer64, isOptional: true)
    let relationship = RelationshipDescription(
      "author",
      .toOne(foreignKey: ["authorID"]),
      onDelete: rule
    ) { author }
    let book = try SchemaSample.entity("Book", [key], [relationship])
    try TestServer.withDatabase { url in
      _ = try ReadTables([book, author], at: url)
      let found = try SchemaSample.keysAndIndexes(at: url)
      #expect(
        found == [
          "CREATE INDEX \"BookByAuthorID\" ON public.\"Book\" USING btree (\"authorID\")",
          "FOREIGN KEY (\"authorID\") REFERENCES \"Author\"(id) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED",
        ]
      )
      _ = try ReadTables([book, author], at: url)
      #expect(try SchemaSample.keysAndIndexes(at: url) == found)
      // Another index of that name does no harm.
      let other = try TestServer.connect(url)
      try other.runOnce("DROP INDEX \"BookByAuthorID\"")
      try other.runOnce("CREATE INDEX \"BookByAuthorID\" ON \"Author\" (name)")
      _ = try ReadTables([book, author], at: url)
      #expect(
        try SchemaSample.keysAndIndexes(at: url).contains { $0.contains("\"BookByAuthorID2\"") }
      )
      try other.runOnce("DROP INDEX \"BookByAuthorID\"")
      // A new column of an old table gets both.
      let server = try TestServer.connect(url)
      try server.runOnce("DROP TABLE \"Book\"")
      let empty = try SchemaSample.entity("Book", [])
      _ = try ReadTables([empty, author], at: url)
      _ = try ReadTables([book, author], at: url)
      #expect(try SchemaSample.keysAndIndexes(at: url) == found)
    }
  }
}
#endif
