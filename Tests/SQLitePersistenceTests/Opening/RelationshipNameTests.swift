import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// The names of relationships that are discovered.
@Suite struct RelationshipNameTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func discover(_ sql: String) throws -> DatabaseDescription {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
    return try DatabaseDescription(at: folder.file())
  }

  private func names(_ table: String, in database: DatabaseDescription) throws -> [String] {
    try #require(database.table(named: table)).entity.get().relationships.map(\.name)
  }

  @Test func `R91: a column names its relationship, without what says that it is a key`() throws {
    let database = try discover(
      """
      CREATE TABLE employees (id INTEGER PRIMARY KEY, boss INT REFERENCES employees, "home town" INT REFERENCES town);
      CREATE TABLE town (id INTEGER PRIMARY KEY, country_code TEXT REFERENCES country, "twin.town" INT REFERENCES town);
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL, capital INT REFERENCES town);
      CREATE TABLE passport (id INTEGER PRIMARY KEY REFERENCES employees, country TEXT, country_id TEXT REFERENCES country);
      CREATE TABLE visit (country TEXT NOT NULL, number INT NOT NULL, guest INT REFERENCES employees REFERENCES town,
        PRIMARY KEY (country, number));
      CREATE TABLE stamp (id INTEGER PRIMARY KEY, a TEXT, b INT, FOREIGN KEY (a, b) REFERENCES visit);
      """
    )
    #expect(
      try names("employees", in: database) == [
        "boss", "home town", "employeesByBoss", "passports", "visits",
      ]
    )
    // A name with a dot cannot be a step of a path.
    #expect(
      try names("town", in: database) == [
        "country", "town", "countries", "employees", "townsByTown", "visits",
      ]
    )
    #expect(try names("country", in: database) == ["capital", "passports", "towns"])
    // The number of a row is no name of another one, and an attribute has the shorter name already.
    #expect(try names("passport", in: database) == ["employee", "country_id"])
    #expect(try names("visit", in: database) == ["guest", "town", "stamps"])
    #expect(try names("stamp", in: database) == ["visit"])
  }

  @Test func `R92: a column's name is the key, and the related object where a path goes on`() throws
  {
    let database = try discover(
      """
      CREATE TABLE emp (id INTEGER PRIMARY KEY, name TEXT, boss INT REFERENCES emp);
      PRAGMA foreign_keys = OFF;
      INSERT INTO emp VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2), (4, 'd', 9);
      """
    )
    let entity = try #require(database.table(named: "emp")).entity.get()
    let store = try SQLiteStore(discovered: database, entities: [entity])
    func found(_ condition: String, _ order: FetchExpression = .objectKey) throws -> [Value] {
      let predicate = try FetchPredicate(parsing: condition, entity: entity)
      #expect(try FetchPredicate(parsing: "\(predicate)", entity: entity) == predicate)
      let request = FetchRequest<ResultsDomain.Row>(
        entity: entity,
        where: predicate,
        sortedBy: [FetchSortDescriptor(order, .descending)]
      )
      return try store.fetch(request).map { $0.values[0] }
    }
    #expect(try found("boss == 1") == ["b"])
    #expect(try found("boss.name == 'a'") == ["b"])
    #expect(try found("boss.boss == 1") == ["c"])
    #expect(try found("boss.boss.name == 'a'") == ["c"])
    #expect(try found("boss == NULL") == ["a"])
    #expect(try found("boss.name == NULL") == ["d", "a"])
    #expect(try found("ANY empsByBoss.name == 'c'") == ["b"])
    #expect(
      try found("boss != NULL", .related(["boss"], .attribute("name"))) == ["c", "b", "d"]
    )
    try store.close()
  }

  @Test(arguments: [
    ("buses", "bus"), ("houses", "house"), ("statuses", "status"), ("causes", "cause"),
    ("geodetic_crs", "geodetic_crs"), ("atlas", "atlas"), ("news", "news"), ("gps", "gps"),
    ("albums", "album"), ("addresses", "address"), ("aliases", "alias"), ("cases", "case"),
    ("movies", "movie"), ("categories", "category"), ("series", "series"), ("caches", "cache"),
    ("branches", "branch"),
  ])
  func `R91: a relationship without a column's name has the singular of its table`(
    _ table: String,
    _ singular: String
  ) throws {
    let database = try discover(
      """
      CREATE TABLE "\(table)" (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (a, b));
      CREATE TABLE part (x INT, y INT, FOREIGN KEY (x, y) REFERENCES "\(table)");
      """
    )
    #expect(try names("part", in: database) == [singular])
  }
}
