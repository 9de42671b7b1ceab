import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// Databases as Rails, Django and Core Data create them.
@Suite struct FrameworkConventionsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func discover(_ sql: String) throws -> DatabaseDescription {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
    return try DatabaseDescription(at: folder.file())
  }

  private func open(_ database: DatabaseDescription) throws -> SQLiteStore {
    try SQLiteStore(discovered: database, entities: database.tables.map { try $0.entity.get() })
  }

  private static let rails = """
    CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
    CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar);
    CREATE TABLE "categories" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar);
    CREATE TABLE "owners" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL);
    CREATE TABLE "books" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar, "category_id" integer,
      "owner_type" varchar, "owner_id" integer, "isbn_id" integer, "published_on" date, "price" decimal(8,2), "in_print" boolean,
      "meta" json, "cover" blob, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6));
    CREATE TABLE "tags" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar);
    CREATE TABLE "books_tags" ("book_id" integer NOT NULL, "tag_id" integer NOT NULL);
    INSERT INTO categories VALUES (1, 'Novel'), (2, 'Atlas');
    INSERT INTO books (title, category_id, published_on, price, in_print, meta, created_at) VALUES
      ('c', 1, '1974-05-01', 12.5, 1, '{"a": 1}', '2026-01-02 03:04:05.000001'),
      ('b', 2, '1968-12-08', 10, 0, '[]', '2026-01-02 03:04:05'),
      ('a', 9, NULL, NULL, NULL, NULL, '2026-01-02 03:04:04.999999'),
      ('d', NULL, NULL, NULL, NULL, NULL, '2026-01-02 03:04:06');
    """

  private static let django = """
    CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL,
      "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
    CREATE TABLE "django_content_type" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app_label" varchar(100) NOT NULL,
      "model" varchar(100) NOT NULL);
    INSERT INTO django_content_type (app_label, model) VALUES ('library', 'author'), ('library', 'book'), ('library', 'tag');
    CREATE TABLE "library_author" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(100) NOT NULL);
    CREATE TABLE "library_tag" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(40) NOT NULL);
    CREATE TABLE "library_book" ("id" char(32) NOT NULL PRIMARY KEY, "edition" char(32) NULL, "price" decimal NOT NULL,
      "in_print" bool NOT NULL, "added" datetime NOT NULL, "published" date NULL,
      "data" text NOT NULL CHECK ((JSON_VALID("data") OR "data" IS NULL)),
      "author_id" bigint NOT NULL REFERENCES "library_author" ("id") DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE "library_book_tags" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
      "book_id" char(32) NOT NULL REFERENCES "library_book" ("id") DEFERRABLE INITIALLY DEFERRED,
      "tag_id" bigint NOT NULL REFERENCES "library_tag" ("id") DEFERRABLE INITIALLY DEFERRED);
    CREATE UNIQUE INDEX "uniq" ON "library_book_tags" ("book_id", "tag_id");
    INSERT INTO library_author VALUES (1, 'Le Guin');
    INSERT INTO library_book VALUES
      ('00112233445566778899aabbccddeeff', 'ffeeddccbbaa99887766554433221100', '12.50', 1, '2026-01-02 03:04:05.500000', '1974-05-01', '{}', 1);
    """

  private static let coreData = """
    CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHOR INTEGER, ZINPRINT INTEGER,
      ZADDED TIMESTAMP, ZREAD TIMESTAMP, ZPRICE DECIMAL, ZTITLE VARCHAR, ZIDENTIFIER BLOB, ZCOVER BLOB );
    CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    CREATE TABLE Z_2TAGS ( Z_2BOOKS INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_2BOOKS, Z_3TAGS) );
    CREATE TABLE Z_1NOVELS ( Z_1READERS INTEGER, Z_4NOVELS INTEGER, PRIMARY KEY (Z_1READERS, Z_4NOVELS) );
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Author', 0, 1), (2, 'Book', 0, 2), (3, 'Tag', 0, 1), (4, 'Novel', 2, 0);
    INSERT INTO ZAUTHOR VALUES (1, 1, 1, 'Le Guin'); INSERT INTO ZTAG VALUES (1, 3, 1, 'sea');
    INSERT INTO ZBOOK VALUES (1, 2, 1, 1, 1, 788958245.25, NULL, 12.5, 'Earthsea', x'00112233445566778899aabbccddeeff', x'89504e47');
    INSERT INTO Z_2TAGS VALUES (1, 1);
    """

  private func relationships(_ name: String, in database: DatabaseDescription) throws -> [String] {
    try #require(database.table(named: name)).entity.get().relationships.map { relationship in
      let to = relationship.destination.name
      return switch relationship.kind {
      case .toOne(let columns): "\(relationship.name): \(columns[0]) → \(to)"
      case .toMany(let columns): "\(relationship.name): ← \(to).\(columns[0])"
      case .manyToMany(let link, _, _): "\(relationship.name): \(link.entity.name) → \(to)"
      }
    }
  }

  private func forms(_ name: String, in database: DatabaseDescription) throws -> [String:
    StoredForm]
  {
    try #require(database.table(named: name)).entity.get().attributes
      .reduce(into: [:]) { $0[$1.name] = $1.form }
  }

  @Test func `R91, R102: Rails names its keys by tables, and writes a fraction unless it is zero`()
    throws
  {
    let database = try discover(Self.rails)
    #expect(
      try relationships("books", in: database) == [
        "category: category_id → categories", "books_tags: ← books_tags.book_id",
        "tags: books_tags → tags",
      ]
    )
    #expect(try relationships("owners", in: database) == [])
    #expect(
      try forms("books", in: database) == [
        "published_on": .dayText, "created_at": .dateTextOmittingZeroFraction,
        "updated_at": .dateTextOmittingZeroFraction,
      ]
    )
    let table = try #require(database.table(named: "books"))
    #expect(table.unsortableForms == ["meta": .json])
    #expect(table.foreignKeys.map(\.isDeclared) == [false])
    let entity = try table.entity.get()
    #expect(entity.attribute(named: "in_print")?.type == .boolean)
    #expect(entity.attribute(named: "price")?.type == .real)
    let store = try open(database)
    func titles(_ condition: String) throws -> [Value] {
      let request = FetchRequest<ResultsDomain.Row>(
        entity: entity,
        where: try FetchPredicate(parsing: condition, entity: entity),
        sortedBy: [.ascending("created_at")]
      )
      return try store.fetch(request).map { $0.values[0] }
    }
    #expect(try titles("TRUEPREDICATE") == ["a", "b", "c", "d"])
    #expect(try titles("created_at <= '2026-01-02T03:04:05Z'") == ["a", "b"])
    #expect(try titles("created_at == '2026-01-02T03:04:05.000001Z'") == ["c"])
    #expect(try titles("category.name == 'Atlas' OR category.name == NULL") == ["a", "b", "d"])
    try store.close()
  }

  @Test
  func `R91, R102: Django writes UUIDs without dashes, and its models name the relationships`()
    throws
  {
    let database = try discover(Self.django)
    #expect(
      try relationships("library_book", in: database) == [
        "author: author_id → library_author",
        "library_book_tags: ← library_book_tags.book_id", "tags: library_book_tags → library_tag",
      ]
    )
    #expect(
      try relationships("library_author", in: database) == ["books: ← library_book.author_id"]
    )
    #expect(
      try forms("library_book", in: database) == [
        "edition": .uuidHex, "added": .dateTextOmittingZeroFraction, "published": .dayText,
      ]
    )
    // A table without rows is known by its declared types.
    #expect(
      try forms("django_migrations", in: database) == ["applied": .dateTextOmittingZeroFraction]
    )
    let table = try #require(database.table(named: "library_book"))
    #expect(table.unsortableForms == ["data": .json])
    #expect(try table.entity.get().attribute(named: "price")?.type == .real)
  }

  @Test func `R91, R102: Core Data names its keys by tables and by the numbers of entities`() throws
  {
    let database = try discover(Self.coreData)
    #expect(
      try relationships("ZBOOK", in: database) == [
        "author: ZAUTHOR → ZAUTHOR", "z_1NOVELS: ← Z_1NOVELS.Z_4NOVELS",
        "z_2TAGS: ← Z_2TAGS.Z_2BOOKS", "readers: Z_1NOVELS → ZAUTHOR", "tags: Z_2TAGS → ZTAG",
      ]
    )
    #expect(
      try forms("ZBOOK", in: database) == [
        "ZADDED": .referenceSeconds, "ZREAD": .referenceSeconds, "ZIDENTIFIER": .uuidBlob,
      ]
    )
    #expect(try relationships("ZAUTHOR", in: database).contains("novels: Z_1NOVELS → ZBOOK"))
    let entity = try #require(database.table(named: "ZBOOK")).entity.get()
    #expect(entity.identity == .integer(column: "Z_PK"))
    let store = try open(database)
    for condition in [
      "ZADDED == '2026-01-01T11:04:05.25Z'",
      "ZIDENTIFIER == '00112233-4455-6677-8899-aabbccddeeff'",
      "author.ZNAME == 'Le Guin' AND ANY tags.ZNAME == 'sea' AND readers.@count == 0",
    ] {
      let request = FetchRequest<ResultsDomain.Row>(
        entity: entity,
        where: try FetchPredicate(parsing: condition, entity: entity),
        sortedBy: [.ascending("ZTITLE")]
      )
      #expect(try store.fetch(request).count == 1, "\(condition)")
    }
    try store.close()
  }

  @Test func `R91: in a database of another program, names and types say nothing about keys`()
    throws
  {
    let sql = Self.rails.replacing("ar_internal_metadata", with: "metadata")
    let database = try discover(sql)
    #expect(try relationships("books", in: database) == [])
    #expect(try forms("books", in: database)["updated_at"] == nil)
    #expect(try forms("books", in: database)["created_at"] == .dateTextOmittingZeroFraction)
  }

  @Test func `R102: a value that contradicts the convention is shown as it is`() throws {
    let sql = Self.rails + "UPDATE books SET created_at = '2026-01-02T03:04:05Z' WHERE id = 1"
    #expect(try forms("books", in: discover(sql))["created_at"] == nil)
  }
}
