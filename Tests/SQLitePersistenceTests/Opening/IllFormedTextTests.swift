import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import SQLitePersistence
import Testing

/// R189: texts that are not UTF-8, in a database that SQLite calls sound.
@Suite struct IllFormedTextTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.execute(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE land (name TEXT NOT NULL PRIMARY KEY, area);
      INSERT INTO land VALUES (CAST(x'4bf66c6e' AS TEXT), 1), ('Bonn', 2), ('Kö', 3);
      """
    )
    for (index, bytes) in Self.texts.enumerated() {
      try folder.execute("INSERT INTO city VALUES (\(index), CAST(x'\(bytes)' AS TEXT))")
    }
    try folder.execute("INSERT INTO city VALUES (100, NULL), (101, x'ff'), (102, 7)")
  }

  /// Latin-1, parts of characters, surrogates, zero bytes, and UTF-8 between them.
  private static let texts = [
    "4f726ce9616e73", "4f726ce8616e7362", "4f726c", "4f726cc3a9", "4f726ce961", "e9", "80", "c3",
    "eda080",
    "f0908080", "f4908080", "ff00ff", "00e9", "c328", "e28228", "41e9", "61e9", "efbfbd", "c0af",
    "bfbf41",
    "4f726ce932", "4f726ce93130", "",
  ]

  private func open(
    _ table: String,
    addsChangeLog: Bool = false
  ) throws -> (entity: EntityDescription, store: SQLiteStore) {
    let database = try DatabaseDescription(at: folder.file())
    let entity = try #require(database.table(named: table)).entity.get()
    let store = try SQLiteStore(
      discovered: database,
      entities: [entity],
      addsChangeLog: addsChangeLog
    )
    return (entity, store)
  }

  private static let name = FetchExpression.attribute("name")

  @Test(
    arguments: [
      name, .prefix(name, length: 4), .lowercased(name), .uppercased(name), .length(name),
      .transformed(.natural, name), .transformed(.baseLetters, name), .transformed(.filing, name),
    ],
    [SortDirection.ascending, .descending]
  )
  func `R189: the database and memory agree on their order`(
    _ expression: FetchExpression,
    _ direction: SortDirection
  ) throws {
    let (entity, store) = try open("city")
    let term = FetchSortDescriptor(expression, direction)
    let request = ResultsDomain.FetchRequest<ResultsDomain.Row>(entity: entity, sortedBy: [term])
    let rows = try store.read { (snapshot) throws(StoreError) in try snapshot.fetch(request) }
    #expect(rows.count == Self.texts.count + 3)
    let values = rows.map { expression.evaluate($0).wholeNumber }
    for (earlier, later) in zip(values, values.dropFirst()) {
      let order = Value.compare(earlier, later)
      #expect(order == .same || order == (direction == .ascending ? .ascending : .descending))
    }
    try store.close()
  }

  @Test(arguments: [
    FetchPredicate.comparison(name, .less, .literal("Orlé")),
    .comparison(name, .notEqual, .literal("x")),
    .comparison(
      name,
      .equal,
      .literal(Value(textBytes: [0x4F, 0x72, 0x6C, 0xE9, 0x61, 0x6E, 0x73]))
    ),
    .membership(name, ["Orl", Value(textBytes: [0xE9])]),
    .comparison(
      .prefix(name, length: 4),
      .equal,
      .literal(Value(textBytes: [0x4F, 0x72, 0x6C, 0xE9]))
    ),
    .comparison(.length(name), .equal, .literal(1)),
    .text(name, .contains, "r", caseInsensitive: false),
    .text(name, .beginsWith, "ORL", caseInsensitive: true),
    .text(name, .endsWith, "ans", caseInsensitive: false),
    .text(name, .like, "Orl?a*", caseInsensitive: false),
    .text(name, .like, "orl?*", caseInsensitive: true),
    .text(name, .matches, "Orl.a.*", caseInsensitive: false),
    .text(name, .contains, "\u{FFFD}", caseInsensitive: true),
    .text(.transformed(.baseLetters, name), .contains, "l", caseInsensitive: false),
  ])
  func `R189: the database and memory agree on conditions`(_ predicate: FetchPredicate) throws {
    let (entity, store) = try open("city")
    func fetch(_ predicate: FetchPredicate) throws -> [ResultsDomain.Row] {
      let request = ResultsDomain.FetchRequest<ResultsDomain.Row>(
        entity: entity,
        where: predicate,
        sortedBy: [FetchSortDescriptor(.objectKey, .ascending)]
      )
      return try store.read { (snapshot) throws(StoreError) in try snapshot.fetch(request) }
    }
    let compiled = CompiledPredicate(predicate, in: entity)
    let expected = try fetch(.all).filter { compiled.holds(for: $0) }.map(\.id)
    #expect(try fetch(predicate).map(\.id) == expected)
    #expect(!expected.isEmpty)
    try store.close()
  }

  @Test(arguments: [false, true])
  func `R189: sections and keys are exact, and every change is delivered`(
    addsChangeLog: Bool
  ) async throws {
    let (entity, store) = try open("land", addsChangeLog: addsChangeLog)
    let request = ResultsDomain.FetchRequest<ResultsDomain.Row>(
      entity: entity,
      sortedBy: [FetchSortDescriptor(.objectKey, .ascending)]
    )
    let controller = FetchedResultsController(
      ResultsDefinition(request, sectionedBy: .expression(.prefix(.objectKey, length: 2))),
      in: store
    )
    try await controller.performFetch()
    func picture() throws -> String {
      try controller.results.sections.map { section in
        let rows = try section.objects()
        return section.title + ":"
          + rows.map { "\($0.id.key)=\($0["area"])" }.joined(separator: ",")
      }
      .joined(separator: " ")
    }
    #expect(try picture() == "Bo:Bonn=2 Kö:Kö=3 K\u{FFFD}:K\u{FFFD}ln=1")
    // They are one text as it is shown, and two by their bytes.
    try folder.execute("INSERT INTO land VALUES (CAST(x'4be46c6e' AS TEXT), 4)")
    try await controller.refresh()
    #expect(try picture() == "Bo:Bonn=2 Kö:Kö=3 K\u{FFFD}:K\u{FFFD}ln=4 K\u{FFFD}:K\u{FFFD}ln=1")
    try folder.execute("UPDATE land SET area = 5 WHERE name = CAST(x'4bf66c6e' AS TEXT)")
    try await controller.refresh()
    #expect(try picture() == "Bo:Bonn=2 Kö:Kö=3 K\u{FFFD}:K\u{FFFD}ln=4 K\u{FFFD}:K\u{FFFD}ln=5")
    try folder.execute("DELETE FROM land WHERE name = CAST(x'4be46c6e' AS TEXT)")
    try await controller.refresh()
    #expect(try picture() == "Bo:Bonn=2 Kö:Kö=3 K\u{FFFD}:K\u{FFFD}ln=5")
    controller.cancel()
    try store.close()
  }

  private struct City: Entity {
    var id: Int64?
    var name: String? = ""

    static let schema = EntitySchema<City>("city", identity: \.id) {
      Attribute(\.name, "name")
    }
  }

  private struct Land: Entity {
    var name = ""
    var area: Int64?

    static let schema = EntitySchema<Land>("land", textIdentity: \.name, column: "name") {
      Attribute(\.area, "area")
    }
  }

  @Test func `R189: a property or a key that is a String is refused for that row alone`() throws {
    try folder.execute("DELETE FROM city WHERE id > 2")
    let options = SQLiteStoreOptions(adoptsTables: true)
    let store = try SQLiteStore(
      at: folder.file(),
      entities: [City.entity, Land.entity],
      options: options
    )
    func errors<Object: Entity>(_ type: Object.Type) throws -> [String] {
      let request = ResultsDomain.FetchRequest<ResultsDomain.Row>(
        entity: Object.entity,
        sortedBy: [FetchSortDescriptor(.objectKey, .ascending)]
      )
      let rows = try store.read { (snapshot) throws(StoreError) in try snapshot.fetch(request) }
      return rows.map { row in
        do throws(RowError) {
          _ = try Object(row: row)
          return "read"
        } catch {
          return error.description
        }
      }
    }
    let text = "is a text that is not UTF-8, which does not fit its type. Correct the stored value."
    #expect(
      try errors(City.self)
        == ["name of city 0 \(text)", "name of city 1 \(text)", "read"]
    )
    #expect(
      try errors(Land.self)
        == ["read", "read", "name of land K\u{FFFD}ln \(text)"]
    )
    // What is not UTF-8 stays as it is when another attribute is changed.
    let key = ObjectKey.compound([Value(textBytes: [0x4B, 0xF6, 0x6C, 0x6E])])
    try store.write { transaction in
      try transaction.update(ObjectID(entity: "land", key: key), to: [9], of: Land.entity)
    }
    try store.close()
    let queue = try DatabaseQueue(path: folder.file())
    let stored = try queue.read { database in
      try String.fetchAll(database, sql: "SELECT hex(name) FROM land WHERE area = 9")
    }
    #expect(stored == ["4BF66C6E"])
  }
}
