import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
@testable import SQLitePersistence
import Testing

/// Relationships in the schema of a database: what the store declares in its own tables, and what it refuses.
@Suite struct `Foreign keys of an SQLite store` {
  private static func library(
    _ rule: DeleteRule = .none,
    authorKey: [String] = ["authorID"],
    hasAuthor: Bool = true
  ) -> [EntityDescription] {
    let author = Sample.entity("Author", .integer(), [AttributeDescription("name", .text)])
    let relationship = RelationshipDescription(
      "author",
      .toOne(foreignKey: authorKey),
      onDelete: rule
    ) { author }
    let attributes = [
      AttributeDescription("title", .text),
      AttributeDescription("authorID", .integer64, isOptional: true),
      AttributeDescription("name", .text, isOptional: true),
    ]
    let book = Sample.related("Book", attributes, hasAuthor ? [relationship] : [])
    return [author, book]
  }

  private func schema(_ database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: "SELECT sql FROM sqlite_schema WHERE name LIKE 'Book%' AND sql IS NOT NULL ORDER BY name"
    )
  }

  private func schema(at path: String) throws -> [String] {
    try DatabaseQueue(path: path).inDatabase(schema)
  }

  // MARK: - Tables of a store

  @Test(
    arguments: [
      (DeleteRule.cascade, "CASCADE"), (.nullify, "SET NULL"), (.deny, "RESTRICT"),
    ]
  )
  func `are declared where the store makes the table, with an index (R91)`(
    rule: DeleteRule,
    action: String
  ) throws {
    let folder = try TemporaryFolder()
    try SQLiteStore(at: folder.file(), entities: Self.library(rule)).close()
    let schema = try schema(at: folder.file())
    #expect(
      schema.first?.contains(
        "INTEGER REFERENCES \"Author\" (\"id\") ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
      ) == true
    )
    #expect(schema.dropFirst() == ["CREATE INDEX \"BookByAuthorID\" ON \"Book\" (\"authorID\")"])
    // Opened again, nothing is declared twice.
    try SQLiteStore(at: folder.file(), entities: Self.library(rule)).close()
    #expect(try self.schema(at: folder.file()) == schema)
  }

  @Test func `without a delete rule may name nothing, so the database does not enforce them (R91)`()
    throws
  {
    let store = try SQLiteStore.inMemory(entities: Self.library())
    let book = Self.library()[1]
    _ = try store.write { try $0.insert([.text("a"), .integer(7), .null], key: nil, into: book) }
    #expect(try store.allRows(of: book).map { $0["authorID"] } == [7])
  }

  @Test
  func `of an old store are added over its columns, with an index and without a constraint (R91)`()
    throws
  {
    let folder = try TemporaryFolder()
    try SQLiteStore(at: folder.file(), entities: Self.library(hasAuthor: false)).close()
    #expect(try schema(at: folder.file()).count == 1)
    let old = try schema(at: folder.file())
    let store = try SQLiteStore(at: folder.file(), entities: Self.library(.cascade))
    try store.close()
    let new = try schema(at: folder.file())
    #expect(new.prefix(1) == old.prefix(1))
    #expect(new.dropFirst() == ["CREATE INDEX \"BookByAuthorID\" ON \"Book\" (\"authorID\")"])
    // The attribute can be removed with its index.
    let plain = Sample.entity("Book", .integer(), [AttributeDescription("title", .text)])
    try SQLiteStore(at: folder.file(), entities: [plain]).close()
    #expect(try schema(at: folder.file()).count == 1)
    // And added again, with its constraint.
    let again = Sample.related(
      "Book",
      [
        AttributeDescription("title", .text),
        AttributeDescription("authorID", .integer64, isOptional: true),
      ],
      Self.library(.nullify)[1].relationships
    )
    try SQLiteStore(at: folder.file(), entities: [Self.library()[0], again]).close()
    let added = try schema(at: folder.file())
    #expect(added.count == 2 && added[0].contains("ON DELETE SET NULL"))
    try SQLiteStore(at: folder.file(), entities: [plain]).close()
    #expect(try schema(at: folder.file()).count == 1)
  }

  @Test func `of several columns are declared for the table, and links are opened by themselves`()
    throws
  {
    let rack = Sample.entity(
      "Rack",
      .compound(["room", "row"]),
      [AttributeDescription("room", .text), AttributeDescription("row", .integer64)]
    )
    let tag = Sample.entity("Tag", .text(column: "name"), [])
    let link = Sample.entity(
      "BookTag",
      .compound(["bookID", "tag"]),
      [AttributeDescription("bookID", .integer64), AttributeDescription("tag", .text)]
    )
    let book = Sample.related(
      "Book",
      [
        AttributeDescription("rackRow", .integer64, isOptional: true),
        AttributeDescription("rackRoom", .text, isOptional: true),
      ],
      [
        RelationshipDescription(
          "rack",
          .toOne(foreignKey: ["rackRoom", "rackRow"]),
          onDelete: .nullify
        ) { rack },
        RelationshipDescription(
          "tags",
          .manyToMany(link: EntityReference { link }, from: ["bookID"], to: ["tag"])
        ) { tag },
      ]
    )
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(at: folder.file(), entities: [book, rack, tag])
    #expect(store.entities.map(\.name) == ["Book", "Rack", "Tag", "BookTag"])
    let schema = try schema(at: folder.file())
    #expect(
      schema[0].contains(
        "FOREIGN KEY (\"rackRoom\", \"rackRow\") REFERENCES \"Rack\" (\"room\", \"row\")"
      )
    )
    #expect(schema.contains { $0.contains("BookByRackRoomAndRackRow") })
    // The key of the link's table serves one direction.
    #expect(schema.contains { $0.contains("BookTagByTag") })
    #expect(!schema.contains { $0.contains("BookTagByBookID") })
    try store.close()
  }

  // MARK: - Changes

  @Test(arguments: [DeleteRule.deny, .nullify, .cascade])
  func `that another program has left without their object hinder no other change (R193)`(
    _ rule: DeleteRule
  ) throws {
    let folder = try TemporaryFolder()
    let entities = Self.library(rule)
    let store = try SQLiteStore(at: folder.file(), entities: entities)
    let book = try store.write { transaction in
      let author = try transaction.insert([.text("x")], key: nil, into: entities[0])
      return try transaction.insert(
        [.text("a"), author.key.parts[0], .null],
        key: nil,
        into: entities[1]
      )
    }
    try LogFixture.execute(
      folder.file(),
      before: ["PRAGMA foreign_keys = OFF"],
      "DELETE FROM Author"
    )
    #expect(try store.check().problems.contains { $0.contains("such as row 1: write another key") })
    for values in [["b", 1, .null], ["b", 1, "c"], ["d", .null, "c"]] as [[Value]] {
      try store.write { try $0.update(book, to: values, of: entities[1]) }
      #expect(try store.allRows(of: entities[1]).map(\.values) == [values])
    }
    #expect(try store.check().problems == [])
    // A reference that is written is checked.
    #expect(throws: StoreError.self) {
      try store.write { try $0.update(book, to: ["d", 7, "c"], of: entities[1]) }
    }
    try store.close()
  }

  @Test func `and other attributes that do not change are not written (R193)`() throws {
    let folder = try TemporaryFolder()
    let store = try LogFixture.open(folder)
    try LogFixture.execute(
      folder.file(),
      """
      CREATE TABLE written (name);
      CREATE TRIGGER a AFTER UPDATE OF title ON Book BEGIN INSERT INTO written VALUES ('title'); END;
      CREATE TRIGGER b AFTER UPDATE OF year ON Book BEGIN INSERT INTO written VALUES ('year'); END;
      """
    )
    func written(_ values: [Value]) throws -> [String] {
      try store.write { try $0.update(Sample.id(1), to: values, of: Sample.book) }
      let queue = try DatabaseQueue(path: folder.file())
      defer { try? queue.close() }
      return try queue.write { database in
        defer { try? database.execute(sql: "DELETE FROM written") }
        return try String.fetchAll(database, sql: "SELECT name FROM written ORDER BY name")
      }
    }
    #expect(try written(["P", "t", .null, .null, .null]) == ["title"])
    #expect(try written(["P", "t", 5, 2.5, .null]) == ["year"])
    #expect(try written(["Q", "u", 6, 2.5, .blob([1])]) == ["title", "year"])
    #expect(try written(["Q", "u", 6, .null, .blob([2])]) == [])
    #expect(
      try store.allRows(of: Sample.book).first { $0.id == Sample.id(1) }?.values
        == ["Q", "u", 6, .null, .blob([2])]
    )
    try store.close()
  }

  @Test(arguments: [true, false])
  func `change rows in the commit that deletes what they name (R101)`(isForeign: Bool) throws {
    for (rule, expected) in [(DeleteRule.cascade, [Value]()), (.nullify, [.null, .null])] {
      let folder = try TemporaryFolder()
      let entities = Self.library(rule)
      let store = try SQLiteStore(
        at: folder.file(),
        entities: entities,
        options: SQLiteStoreOptions(pollInterval: nil)
      )
      let id = try store.write { transaction in
        let author = try transaction.insert([.text("x")], key: nil, into: entities[0])
        for title in ["a", "b"] {
          try transaction.insert(
            [.text(title), author.key.parts[0], .null],
            key: nil,
            into: entities[1]
          )
        }
        return author
      }
      let start = try store.currentVersion()
      let sql = "DELETE FROM Author WHERE id = \(id.key.parts[0].integer ?? 0)"
      if isForeign {
        let other = try DatabaseQueue(path: folder.file())
        try other.write { try $0.execute(sql: sql) }
        try other.close()
        try store.checkForExternalChanges()
      } else {
        _ = try store.write { transaction in
          try (transaction as? SQLiteTransaction)?.withDatabase { try $0.execute(sql: sql) }
        }
      }
      #expect(try store.allRows(of: entities[1]).map { $0["authorID"] } == expected)
      let records = try entities.map { entity in
        guard case .commits(let records) = try store.history(since: start, of: entity) else {
          Issue.record("a gap")
          return [CommitRecord]()
        }
        return records
      }
      // One transaction has one version in the history of each entity.
      #expect(records.map(\.count) == [1, 1])
      #expect(records[0].map(\.version) == records[1].map(\.version))
      #expect(records[1].flatMap(\.changes).count == 2)
      try store.close()
    }
  }

  @Test func `that cannot be null go before what they deny to delete, at any depth (R101)`() throws
  {
    let shop = Sample.related("Shop", [AttributeDescription("size", .integer64)], [])
    let number = AttributeDescription("shopID", .integer64)
    let inShop = RelationshipDescription("shop", .toOne(foreignKey: ["shopID"]), onDelete: .cascade)
    {
      shop
    }
    // Each entity denies the delete of an object of the one before it, and comes after it in each order.
    var entities = [shop]
    for name in ["A", "B", "C"] {
      let other = entities[entities.count - 1]
      let denial = RelationshipDescription("x", .toOne(foreignKey: ["xID"]), onDelete: .deny) {
        other
      }
      entities.append(
        Sample.related(
          name,
          [number] + (other === shop ? [] : [AttributeDescription("xID", .integer64)]),
          [inShop] + (other === shop ? [] : [denial])
        )
      )
    }
    for entities in [entities, entities.reversed()] {
      let store = try SQLiteStore.inMemory(entities: entities)
      try store.write { transaction in
        for entity in entities {
          for key in [1, 2] as [Int64] {
            let values = entity.attributes.map { _ in Value.integer(key) }
            try transaction.insert(values, key: .integer(key), into: entity)
          }
        }
      }
      try store.write { transaction in
        try transaction.delete(
          ObjectID(entity: "Shop", key: .integer(1)),
          of: shop,
          applyingRulesOf: store.entities
        )
      }
      for entity in entities {
        #expect(try store.allRows(of: entity).map(\.id.key) == [.integer(2)], "\(entity.name)")
      }
      #expect(throws: StoreError.self) {
        try store.write { transaction in
          try transaction.delete(
            ObjectID(entity: "A", key: .integer(2)),
            of: entities.first { $0.name == "A" } ?? shop,
            applyingRulesOf: store.entities
          )
        }
      }
      try store.close()
    }
  }

  @Test func `are checked when a transaction ends, and a violation undoes it`() throws {
    let entities = Self.library(.deny)
    let store = try SQLiteStore.inMemory(entities: entities)
    // A book may come before its author.
    _ = try store.write { transaction in
      try transaction.insert([.text("a"), 7, .null], key: nil, into: entities[1])
      try transaction.insert([.text("x")], key: .integer(7), into: entities[0])
    }
    do throws(StoreError) {
      _ = try store.write {
        try $0.insert([.text("b"), 8, .null], key: nil, into: entities[1])
      }
      Issue.record("the author does not exist")
    } catch {
      #expect(error.description.contains("foreign key"))
    }
    #expect(try store.allRows(of: entities[1]).map { $0["title"] } == ["a"])
    _ = try store.write { try $0.insert([.text("c"), 7, .null], key: nil, into: entities[1]) }
    #expect(try store.allRows(of: entities[1]).count == 2)
  }

  // MARK: - Tables of an application

  private func refusal(_ declaration: String, _ entities: [EntityDescription]) throws -> String? {
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
          CREATE TABLE Person (id INTEGER PRIMARY KEY);
          CREATE TABLE Book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, name TEXT,
            authorID INTEGER \(declaration));
          """
      )
    }
    let before = try queue.inDatabase(schema)
    let refusal: String?
    do throws(StoreError) {
      try SQLiteStore(writer: queue, entities: entities).close()
      refusal = nil
    } catch {
      refusal = error.description
    }
    #expect(try queue.inDatabase(schema) == before)
    return refusal
  }

  @Test func `of an application are used as they are, without an index or a constraint (R91)`()
    throws
  {
    #expect(try refusal("", Self.library(.cascade)) == nil)
    #expect(try refusal("REFERENCES Author", Self.library(.cascade)) == nil)
    #expect(try refusal("REFERENCES author(ID) ON DELETE CASCADE", Self.library(.cascade)) == nil)
    #expect(try refusal("REFERENCES Author ON DELETE CASCADE", Self.library()) == nil)
    #expect(try refusal("REFERENCES Author ON DELETE SET DEFAULT", Self.library()) == nil)
  }

  @Test func `that contradict a relationship are refused by name, with what to do (R91)`() throws {
    let other = try #require(try refusal("REFERENCES Person", Self.library()))
    #expect(other.contains("author names Author") && other.contains("declare Person"))
    let column = try #require(
      try refusal(", FOREIGN KEY (authorID) REFERENCES Author(name)", Self.library())
    )
    #expect(column.contains("needs the key of Author") && column.contains("column name"))
    let rule = try #require(
      try refusal("REFERENCES Author ON DELETE CASCADE", Self.library(.nullify))
    )
    #expect(rule.contains("delete rule of the relationship author is nullify"))
    #expect(rule.contains("declare the rule cascade"))
    let fallback = try #require(
      try refusal("REFERENCES Author ON DELETE SET DEFAULT", Self.library(.deny))
    )
    #expect(fallback.contains("SET DEFAULT") && fallback.contains("declare the rule none"))
    let type = try #require(try refusal("", Self.library(authorKey: ["name"])))
    #expect(type.contains("author holds the key of Author in name"))
  }

  @Test func `of others that contradict a to-many relationship are refused by name (R91)`() throws {
    func library(_ column: String, _ link: String) -> [EntityDescription] {
      let tag = Sample.entity("Tag", .integer(), [AttributeDescription("name", .text)])
      let book = Sample.entity(
        "Book",
        .integer(),
        [
          AttributeDescription("title", .text),
          AttributeDescription("authorID", .integer64, isOptional: true),
          AttributeDescription("name", .text, isOptional: true),
        ]
      )
      let links = Sample.entity(
        "AuthorTag",
        .compound(["authorID", "tagID"]),
        [AttributeDescription("authorID", .integer64), AttributeDescription("tagID", .integer64)]
      )
      let author = Sample.related(
        "Author",
        [AttributeDescription("name", .text)],
        [
          RelationshipDescription("books", .toMany(foreignKey: [column])) { book },
          RelationshipDescription(
            "tags",
            .manyToMany(link: EntityReference { links }, from: ["authorID"], to: [link])
          ) { tag },
        ]
      )
      return [tag, book, author, links]
    }
    func refusal(_ book: String, _ tag: String, _ entities: [EntityDescription]) throws -> String? {
      let queue = try DatabaseQueue()
      try queue.inDatabase { database in
        try database.execute(
          sql: """
            CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE Person (id INTEGER PRIMARY KEY);
            CREATE TABLE Tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE Book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, name TEXT,
              authorID INTEGER \(book));
            CREATE TABLE AuthorTag (authorID INTEGER NOT NULL, tagID INTEGER NOT NULL \(tag),
              PRIMARY KEY (authorID, tagID)) WITHOUT ROWID;
            """
        )
      }
      do throws(StoreError) {
        try SQLiteStore(writer: queue, entities: entities).close()
        return nil
      } catch {
        return error.description
      }
    }
    #expect(try refusal("", "", library("authorID", "tagID")) == nil)
    let fitting = try refusal(
      "REFERENCES author(id)",
      "REFERENCES Tag ON DELETE CASCADE",
      library("authorID", "tagID")
    )
    #expect(fitting == nil)
    let other = try #require(try refusal("REFERENCES Person", "", library("authorID", "tagID")))
    #expect(
      other.contains("relationship books") && other.contains("references Person and not Author")
    )
    let link = try #require(try refusal("", "REFERENCES Author", library("authorID", "tagID")))
    #expect(link.contains("relationship tags") && link.contains("AuthorTag.tagID"))
    let type = try #require(try refusal("", "", library("name", "tagID")))
    #expect(type.contains("Book.name") && type.contains("key of Author"))
    let missing = try #require(try refusal("", "", library("writerID", "tagID")))
    #expect(missing.contains("Book.writerID") && missing.contains("declare it as an attribute"))
    let column = try #require(try refusal("", "", library("authorID", "labelID")))
    #expect(column.contains("AuthorTag.labelID"))
  }

  @Test func `that lack an index are named by the plan of a list, which creates it on request`()
    throws
  {
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          CREATE TABLE Book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, name TEXT,
            authorID INTEGER);
          """
      )
    }
    let entities = Self.library()
    let store = try SQLiteStore(writer: queue, entities: entities)
    let list = try OrderDefinition(
      entity: entities[1],
      predicate: .all,
      sortDescriptors: [FetchSortDescriptor(.related(["author"], .attribute("name")))]
    )
    let plan = try store.read { (snapshot) throws(StoreError) in try snapshot.plan(of: list) }
    #expect(plan.source == .sorting)
    #expect(plan.steps.contains { $0.contains("LEFT-JOIN") })
    #expect(plan.steps.contains("REFERRERS BY Book.authorID: SCAN Book"))
    let check = try store.check()
    #expect(check.problems.isEmpty)
    let relationship =
      "Book.author joins Author.id = Book.authorID; Book.authorID has no index, so all rows are read; this"
      + " creates one: CREATE INDEX \"BookByAuthorID\" ON \"Book\" (\"authorID\")"
    #expect(check.relationships.map(\.description) == [relationship])
    #expect(plan.relationships == check.relationships)
    let statement = "CREATE INDEX \"BookByAuthorID\" ON \"Book\" (\"authorID\")"
    #expect(plan.remedy == statement)
    #expect(try store.createIndex(serving: list) == statement)
    #expect(try store.createIndex(serving: list) == nil)
    let served = try store.read { (snapshot) throws(StoreError) in try snapshot.plan(of: list) }
    #expect(served.steps.contains { $0.contains("REFERRERS BY Book.authorID: SEARCH Book") })
    #expect(
      served.relationships.map(\.description) == [
        "Book.author joins Author.id = Book.authorID; Book.authorID is found by the index BookByAuthorID"
      ]
    )
    // Conditions on an author begin at the author.
    let selected = try OrderDefinition(
      entity: entities[1],
      predicate: .comparison(
        .related(["author"], .objectKey),
        .equal,
        .literal(.integer(7))
      ),
      sortDescriptors: [.ascending("title")]
    )
    let search = try store.read { (snapshot) throws(StoreError) in
      try snapshot.plan(of: selected)
    }
    #expect(search.steps.contains { $0.hasPrefix("SEARCH ") && $0.contains("BookByAuthorID") })
  }

  @Test func `need the entity that they name, or a list is refused by name`() throws {
    let entities = Self.library()
    let store = try SQLiteStore.inMemory(entities: [entities[1]])
    let list = try OrderDefinition(
      entity: entities[1],
      predicate: .all,
      sortDescriptors: [FetchSortDescriptor(.related(["author"], .attribute("name")))]
    )
    do throws(StoreError) {
      try store.read { (snapshot) throws(StoreError) in
        try snapshot.entries(of: list) { (_) throws(StoreError) in true }
      }
      Issue.record("the store has no authors")
    } catch {
      #expect(error.description.contains("Author"))
    }
  }
}
