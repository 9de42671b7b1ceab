import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// Databases that others made: described from their schema and a sample, listed as they are, and never written.
@Suite struct DiscoveryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a database and describes it.
  private func discover(_ sql: String, mode: String = "delete") throws -> DatabaseDescription {
    try execute("PRAGMA journal_mode = \(mode); " + sql)
    return try DatabaseDescription(at: folder.file())
  }

  private func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func entity(_ name: String, in database: DatabaseDescription) throws -> EntityDescription
  {
    try #require(database.table(named: name)).entity.get()
  }

  /// The values of an attribute in the order of some sort descriptors.
  private func values(
    of attribute: String,
    sortedBy descriptors: [FetchSortDescriptor],
    where predicate: FetchPredicate = .all,
    in entity: EntityDescription,
    _ store: SQLiteStore
  ) throws -> [Value] {
    let index = try #require(entity.index(of: attribute))
    let request = FetchRequest<ResultsDomain.Row>(
      entity: entity,
      where: predicate,
      sortedBy: descriptors
    )
    return try store.read { (snapshot) throws(StoreError) in
      try snapshot.fetch(request).map { $0.values[index] }
    }
  }

  /// The files of the folder with their bytes and times.
  private func files() throws -> [String: [String]] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: folder.path)
      .reduce(into: [:]) { files, name in
        let attributes = try manager.attributesOfItem(atPath: folder.file(name))
        files[name] = [
          try folder.bytes(name).base64EncodedString(), "\(attributes[.modificationDate] ?? "")",
        ]
      }
  }

  @Test(arguments: ["delete", "wal", "truncate"])
  func `R103: reading and listing a database writes nothing`(_ mode: String) throws {
    try execute(
      "PRAGMA journal_mode = \(mode); CREATE TABLE t (id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'a'), (2, 5);"
    )
    let before = try files()
    // In this mode SQLite leaves an empty journal.
    let journal = mode == "truncate" ? ["store.sqlite-journal"] : []
    #expect(before.keys.sorted() == ["store.sqlite"] + journal)
    let database = try DatabaseDescription(at: folder.file())
    _ = try database.rowCounts()
    let entity = try entity("t", in: database)
    let store = try SQLiteStore(discovered: database, entities: [entity])
    #expect(try values(of: "x", sortedBy: [.ascending("x")], in: entity, store) == [5, "a"])
    #expect(throws: StoreError.self) {
      try store.commit(origin: .unnamed) { try $0.insert([.null], key: nil, into: entity) }
    }
    try store.close()
    #expect(try files() == before)
  }

  @Test func `R103: every kind of key identifies its rows`() throws {
    let database = try discover(
      """
      CREATE TABLE number (n INTEGER PRIMARY KEY, x);
      CREATE TABLE descending (n INTEGER PRIMARY KEY DESC, x);
      CREATE TABLE none (x);
      CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, x);
      CREATE TABLE text (t TEXT PRIMARY KEY, x); INSERT INTO text VALUES ('b', 1), ('a', 2);
      CREATE TABLE nulls (t TEXT PRIMARY KEY, x); INSERT INTO nulls VALUES (NULL, 1), (NULL, 2), ('c', 3);
      CREATE TABLE blobs (t TEXT PRIMARY KEY NOT NULL, x); INSERT INTO blobs VALUES ('b', 1), (x'61', 2);
      CREATE TABLE caseless (t TEXT COLLATE NOCASE PRIMARY KEY NOT NULL);
      CREATE TABLE pair (a INT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (b, a)) WITHOUT ROWID;
      CREATE TABLE uuid (id BLOB PRIMARY KEY NOT NULL); INSERT INTO uuid VALUES (x'0102'), (x'01');
      """
    )
    func identity(_ name: String) throws -> EntityIdentity {
      try entity(name, in: database).identity
    }
    #expect(try identity("number") == .integer(column: "n"))
    #expect(try identity("descending") == .compound(["n"]))
    #expect(try identity("none") == .integer(column: "rowid"))
    #expect(try identity("hidden") == .integer(column: "oid"))
    #expect(try identity("text") == .text(column: "t"))
    #expect(try identity("nulls") == .integer(column: "rowid"))
    #expect(try identity("blobs") == .compound(["t"]))
    #expect(try identity("caseless") == .integer(column: "rowid"))
    #expect(try identity("pair") == .compound(["b", "a"]))
    #expect(try identity("uuid") == .compound(["id"]))
    let entities = try database.tables.map { try $0.entity.get() }
    let store = try SQLiteStore(discovered: database, entities: entities)
    for entity in entities {
      let order: [FetchSortDescriptor] =
        if case .compound(let names) = entity.identity {
          names.map { .ascending($0) }
        } else {
          [FetchSortDescriptor(.objectKey, .ascending)]
        }
      let rows = try store.read { (snapshot) throws(StoreError) in
        try snapshot.fetch(FetchRequest<ResultsDomain.Row>(entity: entity, sortedBy: order))
      }
      let found = try store.read { (snapshot) throws(StoreError) in
        try snapshot.rows(rows.map(\.id.key), of: entity)
      }
      #expect(found == rows, "\(entity.name)")
    }
    try store.close()
  }

  @Test func `R103: any value is shown, compared and sorted, whatever its column is declared as`()
    throws
  {
    let database = try discover(
      """
      CREATE TABLE mixed (i INTEGER, n NUMERIC, t TEXT, r REAL, b BLOB, u);
      INSERT INTO mixed VALUES (1, 1.5, 5, 2, x'00ff', '5'), ('x', 1, 't', 2.5, 't', 5),
        (NULL, 'no', x'41', 9007199254740993, 1, 5.0), (-1, 9223372036854775807, NULL, 1e300, NULL, x'35'),
        (9007199254740993, 9007199254740993, '5', 'abc', 2.5, NULL);
      CREATE INDEX byU ON mixed (u); CREATE INDEX byI ON mixed (i);
      """
    )
    let entity = try entity("mixed", in: database)
    let store = try SQLiteStore(discovered: database, entities: [entity])
    let queue = try DatabaseQueue(path: folder.file())
    for name in ["i", "n", "t", "r", "b", "u"] {
      for (direction, word) in [(SortDirection.ascending, "ASC"), (.descending, "DESC")] {
        let found = try values(
          of: name,
          sortedBy: [FetchSortDescriptor(.attribute(name), direction)],
          in: entity,
          store
        )
        let expected = try queue.inDatabase { database in
          try DatabaseValue.fetchAll(
            database,
            sql: "SELECT \(name) FROM mixed ORDER BY \(name) COLLATE BINARY \(word), rowid"
          )
        }
        #expect(found.map(Self.text) == expected.map(Self.text), "\(name) \(word)")
      }
    }
    // A constant is not converted to the column's affinity: the text 5 is not the number 5.
    let isText = FetchPredicate.comparison(.attribute("u"), .equal, .literal("5"))
    #expect(
      try values(of: "u", sortedBy: [.ascending("u")], where: isText, in: entity, store) == ["5"]
    )
    let isNumber = FetchPredicate.comparison(.attribute("t"), .equal, .literal(5))
    #expect(
      try values(of: "t", sortedBy: [.ascending("t")], where: isNumber, in: entity, store) == []
    )
    let isFive = FetchPredicate.comparison(.attribute("u"), .equal, .literal(5))
    #expect(
      try values(of: "u", sortedBy: [.ascending("u")], where: isFive, in: entity, store) == [5, 5]
    )
    let texts = FetchPredicate.text(.attribute("i"), .contains, "x", caseInsensitive: false)
    #expect(
      try values(of: "i", sortedBy: [.ascending("i")], where: texts, in: entity, store) == ["x"]
    )
    try store.close()
  }

  @Test(arguments: [SortDirection.ascending, .descending])
  func `R82: an index over values of any class answers for a list, and so do row numbers`(
    _ direction: SortDirection
  ) throws {
    let database = try discover(
      """
      CREATE TABLE mixed (i INTEGER, t TEXT, u);
      WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 60)
        INSERT INTO mixed SELECT CASE n % 4 WHEN 0 THEN 'x' || n WHEN 1 THEN n % 7 WHEN 2 THEN n + 0.5 END,
          CASE n % 3 WHEN 0 THEN x'00ff' WHEN 1 THEN 'a' || char(0) || n ELSE n END,
          CASE n % 5 WHEN 0 THEN 9007199254740992 + n WHEN 1 THEN 9007199254740992.0 WHEN 2 THEN '5'
            WHEN 3 THEN x'35' END FROM n;
      CREATE INDEX byI ON mixed (i); CREATE INDEX byT ON mixed (t); CREATE INDEX byU ON mixed (u DESC);
      """
    )
    let entity = try entity("mixed", in: database)
    let store = try SQLiteStore(discovered: database, entities: [entity])
    for expression: FetchExpression in [
      .attribute("i"), .attribute("t"), .attribute("u"), .objectKey,
    ] {
      let definition = try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [
          FetchSortDescriptor(
            expression,
            direction,
            nulls: direction == .ascending ? .first : .last
          )
        ]
      )
      try store.read { (snapshot) throws(StoreError) in
        var all = EntryBatch()
        try snapshot.entries(of: definition) { (batch) throws(StoreError) in
          all = batch
          return true
        }
        // Without a column of its own the row number ascends in every index.
        let source = try snapshot.orderedSource(of: definition)
        let isServed =
          expression == .objectKey
          || (expression == .attribute("u")) == (direction == .descending)
        #expect((source != nil) == isServed, "\(expression)")
        guard let source else { return }
        #expect(all.count == 60)
        let ranks = try source.ranks(of: all)
        #expect(ranks == Array(0..<60), "\(expression)")
        var start = 0
        for (index, end) in all.ends.enumerated() {
          let key = Array(all.bytes[start..<end])
          let count = try source.count(from: nil, to: .before(key))
          #expect(count == index, "\(expression)")
          start = end
        }
        let page = try source.keys(from: nil, to: nil, skipping: 0, limit: 60)
        #expect(page.bytes == all.bytes, "\(expression)")
      }
    }
    try store.close()
  }

  @Test func `R103: a constant that a column does not convert leaves the condition to its index`()
    throws
  {
    let database = try discover(
      """
      CREATE TABLE log (at DATETIME, size REAL, code INTEGER);
      WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 60)
        INSERT INTO log SELECT CASE WHEN n % 9 = 0 THEN n ELSE datetime('2026-01-01', n || ' hours') END,
          n / 2.0, CASE n % 3 WHEN 0 THEN 'x' || n ELSE n END FROM n;
      CREATE INDEX byAt ON log (at); CREATE INDEX bySize ON log (size); CREATE INDEX byCode ON log (code);
      """
    )
    let entity = try entity("log", in: database)
    let store = try SQLiteStore(discovered: database, entities: [entity])
    let cases: [(String, Value, isServed: Bool)] = [
      ("at", "2026-01-02 00:00:00", true), ("at", "2026-01-02", true), ("at", "2026", false),
      ("at", "-1e5", false), ("size", 10, true), ("size", .integer(1 << 53 + 1), false),
      ("code", "x30", true), ("code", "30", false), ("code", " 3.5e1 ", false), ("code", 30, true),
    ]
    for (name, constant, isServed) in cases {
      let predicate = FetchPredicate.comparison(
        .attribute(name),
        .greaterOrEqual,
        .literal(constant)
      )
      let definition = try OrderDefinition(
        entity: entity,
        predicate: predicate,
        sortDescriptors: [.ascending(name)]
      )
      let all = try values(of: name, sortedBy: [.ascending(name)], in: entity, store)
      let found = try values(
        of: name,
        sortedBy: [.ascending(name)],
        where: predicate,
        in: entity,
        store
      )
      #expect(
        found
          == all.filter { !$0.isNull && Value.compare($0, constant) != .ascending },
        "\(name) \(constant)"
      )
      let steps = try store.read { (snapshot) throws(StoreError) in
        try snapshot.plan(of: definition).steps
      }
      #expect(
        steps.contains { $0.hasPrefix("SEARCH") } == isServed,
        "\(name) \(constant): \(steps)"
      )
    }
    try store.close()
  }

  private static func text(_ value: Value) -> String { "\(value)" }

  private static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "\(Value.null)"
    case .int64(let number): "\(Value.integer(number))"
    case .double(let number):
      "\(number == number.rounded() && number.magnitude < 1e18 ? Value.integer(Int64(number)) : .real(number))"
    case .string(let text): "\(Value.text(text))"
    case .blob(let data): "\(Value.blob(Array(data)))"
    }
  }

  @Test func `R103: types come from the declaration and a sample`() throws {
    let database = try discover(
      """
      CREATE TABLE t (a VARCHAR(10), b DECIMAL(10, 2), c BOOLEAN, d DATETIME, e, f DOUBLE, g CLOB, h TINYINT);
      INSERT INTO t VALUES ('x', 1, 1, 'today', x'00', 1, 'y', 3), ('x', 1.5, 0, NULL, x'01', 2, 'z', 4);
      CREATE TABLE empty (a VARCHAR(10), b DECIMAL(10, 2), c BOOLEAN, d DATETIME, e BLOB, f DOUBLE, g);
      CREATE TABLE strict (a INT NOT NULL, b TEXT, c REAL, d BLOB, e ANY) STRICT;
      """
    )
    func types(_ name: String) throws -> [AttributeType] {
      try entity(name, in: database).attributes.map(\.type)
    }
    #expect(
      try types("t") == [.text, .real, .boolean, .text, .blob, .real, .text, .integer64]
    )
    #expect(try types("empty") == [.text, .real, .boolean, .text, .blob, .real, .text])
    let strict = try entity("strict", in: database)
    #expect(strict.attributes.map(\.type) == [.integer64, .text, .real, .blob, .text])
    #expect(strict.attributes.map(\.holdsAnyValue) == [false, false, false, false, true])
    #expect(strict.attributes.map(\.isOptional) == [false, true, true, true, true])
  }

  @Test
  func `R102: forms of dates and UUIDs are proposed where every value of the sample has them`()
    throws
  {
    let database = try discover(
      """
      CREATE TABLE t (at DATETIME, rails DATETIME, iso TEXT, created_at INTEGER, updated_time BIGINT, micro_time INT,
        visit_time INTEGER, uuid TEXT, id BLOB, mixed DATETIME, number INTEGER, ZDATE TIMESTAMP, born DATE, code TEXT);
      INSERT INTO t VALUES ('2024-01-01 12:00:00.123', '2024-01-01 12:00:00', '2024-01-01T12:00:00Z', 1704110400,
        1704110400123, 1704110400123000, 13348584000000000, '00112233-4455-6677-8899-AABBCCDDEEFF', zeroblob(16),
        '2024-01-01 12:00:00', 1704110400, 725803200.5, '1968-12-08', '1234-56-78');
      INSERT INTO t VALUES (NULL, '2025-01-01 12:00:00', '2025-01-01T12:00:00Z', 1704110401, 1704110400124, 1704110400123001,
        0, NULL, randomblob(16), 'soon', 1704110400, 725803200, '1970-02-28', '1970-02-28');
      """
    )
    let attributes = try entity("t", in: database).attributes
    #expect(
      attributes.map(\.form) == [
        .dateText(digits: 3), .dateText(digits: 0), .iso8601(digits: 0), .epochSeconds,
        .epochMilliseconds, nil, .fileTimeMicroseconds, .uuidText(isUppercase: true), .uuidBlob,
        nil,
        nil, .referenceSeconds, .dayText, nil,
      ]
    )
    #expect(attributes.filter { $0.type == .date }.count == 9)
  }

  @Test func `R102: forms that do not sort are proposed beside the entity, which can be sorted`()
    throws
  {
    let database = try discover(
      """
      CREATE TABLE t (price TEXT, zip TEXT, total TEXT, tags TEXT, data JSON, note TEXT, broken TEXT, price_list TEXT);
      INSERT INTO t VALUES ('12.50', '01234', '7', '["a", "b"]', '{"a": 1}', '[draft]', '{"a": ', '1.5');
      INSERT INTO t VALUES ('7', '99999', '8', '[]', json_array(hex(zeroblob(500))), '(none)', '[1]', 'on request');
      """
    )
    let table = try #require(database.table(named: "t"))
    #expect(
      table.unsortableForms == ["price": .decimalText, "tags": .json, "data": .json]
    )
    #expect(try table.entity.get().attributes.allSatisfy { $0.form == nil })
    // A column declared JSON is one of numbers.
    #expect(table.convertedAttributes == ["data"])
  }

  @Test func `R91: delete rules and missing indexes are those of the foreign keys`() throws {
    let database = try discover(
      """
      CREATE TABLE A (id INTEGER PRIMARY KEY);
      CREATE TABLE B (id INTEGER PRIMARY KEY, a INT REFERENCES A ON DELETE CASCADE, b INT REFERENCES A ON DELETE SET NULL,
        c INT NOT NULL REFERENCES A ON DELETE SET NULL, d INT REFERENCES A ON DELETE RESTRICT, e INT REFERENCES A);
      CREATE INDEX BByA ON B (a, b);
      CREATE INDEX BByB ON B (b) WHERE b IS NOT NULL;
      """
    )
    let table = try #require(database.table(named: "B"))
    #expect(
      try table.entity.get().relationships.map(\.onDelete) == [
        .cascade, .nullify, .none, .deny, .none,
      ]
    )
    #expect(table.missingIndexes == [["b"], ["c"], ["d"], ["e"]])
    #expect(database.table(named: "A")?.missingIndexes == [])
  }

  @Test func `foreign keys and calculated columns are described`() throws {
    let database = try discover(
      """
      CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name TEXT);
      CREATE TABLE Album (AlbumId INTEGER PRIMARY KEY, ArtistId INT REFERENCES Artist, Other INT,
        Length INT AS (Other * 2), FOREIGN KEY (Other) REFERENCES Artist (ArtistId));
      """
    )
    let album = try #require(database.table(named: "album"))
    #expect(
      album.foreignKeys.map { [$0.columns, [$0.table], $0.targets] } == [
        [["ArtistId"], ["Artist"], []], [["Other"], ["Artist"], ["ArtistId"]],
      ]
    )
    #expect(album.generatedAttributes == ["Length"])
    #expect(database.names(near: "Albm") == ["Album"])
    #expect(database.names(near: "Zebra") == ["Album", "Artist"])
  }

  @Test func `R91: foreign keys become relationships, with inverses and through link tables`()
    throws
  {
    let database = try discover(
      """
      CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name TEXT);
      CREATE TABLE Album (AlbumId INTEGER PRIMARY KEY, ArtistId INT REFERENCES Artist);
      CREATE TABLE Track (TrackId INTEGER PRIMARY KEY, album_id INT REFERENCES album (albumid));
      CREATE TABLE Playlist (PlaylistId INTEGER PRIMARY KEY);
      CREATE TABLE PlaylistTrack (PlaylistId INT NOT NULL REFERENCES Playlist, TrackId INT NOT NULL REFERENCES Track,
        PRIMARY KEY (PlaylistId, TrackId)) WITHOUT ROWID;
      CREATE TABLE Employee (id INTEGER PRIMARY KEY, ReportsTo INT REFERENCES Employee, city TEXT REFERENCES City);
      CREATE TABLE City (name TEXT PRIMARY KEY NOT NULL, mayor_id INT REFERENCES Employee, deputy_id INT REFERENCES Employee);
      CREATE TABLE Shippers (id INTEGER PRIMARY KEY); CREATE TABLE Orders (id INTEGER PRIMARY KEY, ship_via INT REFERENCES Shippers);
      CREATE TABLE Loose (x TEXT REFERENCES Artist, y INT REFERENCES Gone, z INT REFERENCES Artist (Name), u REFERENCES Artist);
      PRAGMA foreign_keys = OFF; INSERT INTO Artist VALUES (1, 'a'); INSERT INTO Loose (u) VALUES (1), ('1');
      """
    )
    func relationships(_ name: String) throws -> [String] {
      try entity(name, in: database).relationships.map { relationship in
        let kind =
          switch relationship.kind {
          case .toOne(let columns): "→ \(columns.joined(separator: "+"))"
          case .toMany(let columns): "← \(columns.joined(separator: "+"))"
          case .manyToMany(let link, let from, let to): "\(from) \(link.entity.name) \(to)"
          }
        return "\(relationship.name): \(relationship.destination.name) \(kind)"
      }
    }
    #expect(try relationships("Artist") == ["albums: Album ← ArtistId"])
    #expect(
      try relationships("Album") == ["artist: Artist → ArtistId", "tracks: Track ← album_id"]
    )
    #expect(
      try relationships("Track") == [
        "album: Album → album_id", "playlistTracks: PlaylistTrack ← TrackId",
        #"playlists: Playlist ["TrackId"] PlaylistTrack ["PlaylistId"]"#,
      ]
    )
    #expect(
      try relationships("Employee") == [
        "ReportsTo: Employee → ReportsTo", "city: City → city",
        "citiesByMayor: City ← mayor_id", "citiesByDeputy: City ← deputy_id",
        "employeesByReportsTo: Employee ← ReportsTo",
      ]
    )
    #expect(try relationships("Loose") == [])
    #expect(try relationships("Orders") == ["ship_via: Shippers → ship_via"])
    let track = try entity("Track", in: database)
    let playlists = try #require(track.relationship(named: "playlists"))
    #expect(playlists.destination.relationship(named: "tracks")?.destination === track)
  }

  @Test func `R104: a view is an entity whose rows a column, or all columns, identify`() throws {
    let database = try discover(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO a VALUES (1, 'p'), (2, 'p'), (3, 'q');
      CREATE VIEW byKey AS SELECT x, id FROM a;
      CREATE VIEW byAll AS SELECT a.x AS x, b.x AS y FROM a JOIN a AS b GROUP BY a.x, b.x;
      CREATE VIEW byNothing AS SELECT x FROM a;
      CREATE VIEW broken AS SELECT missing FROM gone;
      """
    )
    #expect(try entity("byKey", in: database).identity == .compound(["id"]))
    let all = try entity("byAll", in: database)
    #expect(all.identity == .compound(["x", "y"]))
    let store = try SQLiteStore(discovered: database, entities: [all])
    #expect(try values(of: "y", sortedBy: [.descending("y")], in: all, store).count == 4)
    try store.close()
    for name in ["byNothing", "broken"] {
      #expect(throws: TableRefusal.self) { try entity(name, in: database) }
    }
  }

  @Test func `a store of this package keeps its types, and a file that is no database is refused`()
    throws
  {
    let options = SQLiteStoreOptions()
    let item = Sample.entity(
      "Item",
      .integer(),
      [AttributeDescription("at", .date), AttributeDescription("price", .decimal(scale: 2))]
    )
    try SQLiteStore(at: folder.file(), entities: [item], options: options).close()
    let database = try DatabaseDescription(at: folder.file())
    #expect(database.hasChangeLog && database.tables.map(\.name) == ["Item"])
    let found = try entity("Item", in: database)
    #expect(found.attributes.map(\.type) == [.date, .decimal(scale: 2)])
    let store = try SQLiteStore(discovered: database, entities: [found])
    #expect(store.capabilities.historyCoverage == .everyWriter)
    try store.close()
    try folder.write(Array("no database, but long enough to have a header of a hundred bytes".utf8))
    #expect(refusal(of: folder.file()) == .notADatabase)
    #expect(refusal(of: folder.file("other")) == .missingFile)
    #expect(refusal(of: folder.path) == .isDirectory)
  }

  private func refusal(of path: String) -> OpenFailure? {
    do throws(StoreError) {
      _ = try DatabaseDescription(at: path)
      return nil
    } catch {
      if case .cannotOpen(_, let failure) = error { return failure }
      return nil
    }
  }

  @Test
  func `a CHECK constraint refuses values with its text, and calculated columns are left out`()
    throws
  {
    let database = try discover(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a INT CHECK (a > 0), b INT AS (a * 2), c INT CONSTRAINT small CHECK (c < 9))"
    )
    let entity = try entity("t", in: database)
    let store = try SQLiteStore(discovered: database, entities: [entity], addsChangeLog: true)
    func insert(_ values: [Value]) throws(StoreError) {
      try store.commit(origin: .unnamed) { try $0.insert(values, key: nil, into: entity) }
    }
    let refused: [([Value], String)] = [
      ([.integer(-1), .null, 1], "a > 0"), ([1, .null, .integer(9)], "small"),
    ]
    for (row, text) in refused {
      do throws(StoreError) {
        try insert(row)
        Issue.record("\(row) was inserted")
      } catch {
        guard case .invalid(let failures) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(failures == [.refused(entity: "t", constraint: text)])
      }
    }
    try insert([1, .null, 1])
    #expect(try values(of: "b", sortedBy: [.ascending("b")], in: entity, store) == [2])
    try store.close()
  }

  @Test func `R58: with a change log every writer of a discovered table is followed row by row`()
    throws
  {
    let database = try discover(
      "CREATE TABLE t (x, y TEXT); INSERT INTO t VALUES (1, 'a'), ('b', 2.0), (2.5, NULL)"
    )
    let entity = try entity("t", in: database)
    let store = try SQLiteStore(discovered: database, entities: [entity], addsChangeLog: true)
    let before = try store.currentVersion()
    try execute("UPDATE t SET x = x'00' WHERE rowid = 2; DELETE FROM t WHERE rowid = 3")
    try store.checkForExternalChanges()
    let history = try store.history(since: before, of: entity)
    let changes = try #require(history.changes, "\(history)").flatMap(\.self)
    #expect(changes.map(\.id.key) == [.integer(2), .integer(3)])
    #expect(changes.map(\.before?.values) == [["b", "2.0"], [2.5, .null]])
    #expect(changes.map(\.after?.values) == [[.blob([0]), "2.0"], nil])
    // Every name of the row number is noticed, and compaction keeps the numbers.
    for name in ["rowid", "oid", "_rowid_"] {
      let before = try store.currentVersion()
      try execute("UPDATE t SET \(name) = \(name) + 10 WHERE x = 1")
      try store.checkForExternalChanges()
      let moved = try store.history(since: before, of: entity)
      let changes = try #require(moved.changes, "\(moved)").flatMap(\.self)
      #expect(changes.count == 2 && changes.contains { $0.before == nil }, "\(name)")
    }
    try execute("VACUUM")
    try store.checkForExternalChanges()
    let rows = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([.integer(2), .integer(31)], of: entity)
    }
    #expect(rows.map { $0?.values } == [[.blob([0]), "2.0"], [1, "a"]])
    try store.close()
  }
}
