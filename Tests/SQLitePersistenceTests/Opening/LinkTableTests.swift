import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

/// Many-to-many tables as Django and Rails create them: with a key of their own, or without any key.
@Suite struct LinkTableTests {
  private struct Novel: Entity {
    var id: Int64?
    var title = ""

    static let topics = ToMany<Novel, Topic>(
      "topics",
      through: Link("shop_novel_topics", "novel_id", "topic_id", identity: "id")
    )
    static let marks = ToMany<Novel, Topic>("marks", through: marked)
    static let marked = Link("novels_topics", "novel_id", "topic_id", identity: "rowid")

    static let schema = EntitySchema<Novel>("shop_novel", identity: \.id) {
      Attribute(\.title, "title")
      Relationship(topics)
      Relationship(marks)
    }
  }

  private struct Topic: Entity {
    var id: Int64?
    var name = ""

    static let marked = ToMany<Topic, Novel>("marked", through: Novel.marked.reversed)

    static let schema = EntitySchema<Topic>("shop_topic", identity: \.id) {
      Attribute(\.name, "name")
      Relationship(marked)
    }
  }

  private struct NovelRow: FetchedProjection, Hashable {
    var title = ""
    var topics: [String] = []
    var marks: [String] = []
    var count = 0

    static let fields = ProjectionFields<NovelRow, Novel> {
      Field(\.title, \.title)
      Field(\.topics, \.topics.name)
      Field(\.marks, \.marks.name)
      Field(\.count, \.marks.count)
    }
  }

  /// The first link table as Django creates it, the second one as `create_join_table` of Rails does.
  private static let tables = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE "shop_novel" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "title" varchar(200) NOT NULL);
    CREATE TABLE "shop_topic" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(40) NOT NULL);
    CREATE TABLE "shop_novel_topics" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
      "novel_id" bigint NOT NULL REFERENCES "shop_novel" ("id") DEFERRABLE INITIALLY DEFERRED,
      "topic_id" bigint NOT NULL REFERENCES "shop_topic" ("id") DEFERRABLE INITIALLY DEFERRED);
    CREATE UNIQUE INDEX "uniq" ON "shop_novel_topics" ("novel_id", "topic_id");
    CREATE INDEX "byTopic" ON "shop_novel_topics" ("topic_id");
    CREATE TABLE "novels_topics" ("novel_id" integer NOT NULL, "topic_id" integer,
      CONSTRAINT "fk_1" FOREIGN KEY ("novel_id") REFERENCES "shop_novel" ("id"),
      CONSTRAINT "fk_2" FOREIGN KEY ("topic_id") REFERENCES "shop_topic" ("id"));
    CREATE INDEX "byNovel" ON "novels_topics" ("novel_id", "topic_id");
    INSERT INTO shop_novel (title) VALUES ('A'), ('B'), ('C');
    INSERT INTO shop_topic (name) VALUES ('sea'), ('war');
    INSERT INTO shop_novel_topics (novel_id, topic_id) VALUES (1, 2), (1, 1), (2, 1);
    INSERT INTO novels_topics VALUES (1, 1), (1, 1), (2, 2), (2, NULL), (3, 9);
    """

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.execute("PRAGMA foreign_keys = OFF; " + Self.tables)
  }

  private func open(hasLog: Bool = true) throws -> SQLiteStore {
    try SQLiteStore(
      at: folder.file(),
      entities: [Novel.entity, Topic.entity],
      options: SQLiteStoreOptions(adoptsTables: true, maintainsChangeLog: hasLog)
    )
  }

  private func relationships(of table: String) throws -> [String] {
    let database = try DatabaseDescription(at: folder.file())
    return try #require(database.table(named: table)).entity.get().relationships
      .compactMap { relationship in
        guard case .manyToMany(let link, let from, let to) = relationship.kind else { return nil }
        return "\(relationship.name): \(from[0]) \(link.entity.name) \(to[0])"
      }
  }

  @Test func `R91: a table with a key of its own or without any is the link of two others`() throws
  {
    #expect(
      try relationships(of: "shop_novel") == [
        "shop_topics: novel_id novels_topics topic_id",
        "shop_topicsThroughShop_novel_topics: novel_id shop_novel_topics topic_id",
      ]
    )
  }

  @Test(arguments: [
    ("CREATE TABLE l (a INT REFERENCES shop_novel, b INT REFERENCES shop_topic)", true),
    (
      "CREATE TABLE l (k TEXT PRIMARY KEY, a INT REFERENCES shop_novel, b INT REFERENCES shop_topic)",
      true
    ),
    (
      "CREATE TABLE l (a INT REFERENCES shop_novel, b INT REFERENCES shop_topic, at DATE, UNIQUE (b, a))",
      true
    ),
    ("CREATE TABLE l (a INT REFERENCES shop_novel, b INT REFERENCES shop_topic, at DATE)", false),
    ("CREATE TABLE l (a INT REFERENCES shop_novel, b INT, UNIQUE (a, b))", false),
    (
      "CREATE TABLE l (a INT REFERENCES shop_novel, b INT REFERENCES shop_topic, c INT); CREATE UNIQUE INDEX i ON l (a, b) WHERE c > 0",
      false
    ),
    (
      "CREATE TABLE l (id INTEGER PRIMARY KEY, a INT REFERENCES shop_novel, b INT REFERENCES shop_topic); CREATE TABLE m (l INT REFERENCES l)",
      false
    ),
  ])
  func `R91: a table is a link if its rows are pairs, and not if they are more`(
    _ sql: String,
    _ isLink: Bool
  ) throws {
    try folder.execute(sql)
    #expect(try relationships(of: "shop_topic").contains { $0.contains(" l ") } == isLink, "\(sql)")
  }

  private static let request = FetchRequest<Novel>(
    where: \.marks.count >= 0,
    sortedBy: [.descending(\.marks.count), .ascending(\.title)]
  )
  .projecting(NovelRow.self)

  @Test func `R91, R92: a declared link names its key; a pair that is there twice is two elements`()
    throws
  {
    let store = try open(hasLog: false)
    #expect(
      try store.fetch(Self.request) == [
        NovelRow(title: "A", topics: ["sea", "war"], marks: ["sea", "sea"], count: 2),
        NovelRow(title: "B", topics: ["sea"], marks: ["war"], count: 1),
        NovelRow(title: "C", topics: [], marks: [], count: 0),
      ]
    )
    let unmarked = FetchRequest<Novel>(
      where: Novel.marks.none(\.name != ""),
      sortedBy: [.ascending(\.title)]
    )
    #expect(try store.fetch(unmarked).map(\.title) == ["C"])
    try store.close()
  }

  @Test(arguments: [true, false])
  func `R94: a list follows links of any kind that others write, as a fresh fetch shows`(
    _ hasLog: Bool
  ) async throws {
    let store = try open(hasLog: hasLog)
    let list = FetchedResultsController(ResultsDefinition(Self.request), in: store)
    try await list.performFetch()
    for sql in [
      "INSERT INTO novels_topics VALUES (3, 1)", "DELETE FROM novels_topics WHERE rowid = 1",
      "UPDATE novels_topics SET topic_id = 2 WHERE topic_id IS NULL",
      "UPDATE shop_novel_topics SET novel_id = 3 WHERE id = 1",
      "DELETE FROM novels_topics; INSERT INTO novels_topics VALUES (2, 1), (2, 1), (2, 1)",
      "DELETE FROM novels_topics WHERE rowid = 2; VACUUM",
      "UPDATE shop_topic SET name = 'Sea' WHERE id = 1",
    ] {
      try folder.execute("PRAGMA foreign_keys = OFF; " + sql)
      try await list.refresh()
      #expect(try list.results.objects() == store.fetch(Self.request), "\(sql)")
    }
    let link = try #require(Novel.marks.link)
    let id = try await store.write { transaction in
      try transaction.insert([3, 2], key: nil, into: link)
    }
    #expect(id.key == .integer(4))
    try await list.refresh()
    #expect(try list.results.objects().map(\.marks) == [["Sea", "Sea"], ["war"], []])
    try store.close()
  }

  @Test(arguments: [
    ("shop_novel_topics", "its primary key is id, not novel_id, topic_id"),
    ("novels_topics", "declare rowid as the column of an integer identity"),
  ])
  func `R91: links by a key that the table does not have are refused with what it has`(
    _ table: String,
    _ reason: String
  ) throws {
    let link = Sample.entity(
      table,
      .compound(["novel_id", "topic_id"]),
      [AttributeDescription("novel_id", .integer64), AttributeDescription("topic_id", .integer64)]
    )
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(
        at: folder.file(),
        entities: [link],
        options: SQLiteStoreOptions(adoptsTables: true)
      )
    }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
  }
}
