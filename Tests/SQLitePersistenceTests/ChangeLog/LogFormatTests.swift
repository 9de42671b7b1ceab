import CSQLiteHooks
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
@testable import SQLitePersistence
import Testing

/// How the log packs the changes of a commit.
@Suite struct `Packed changes` {
  private struct Entry: Equatable {
    let key: ObjectKey
    let before: [Value]?
  }

  private func read(
    _ parts: [[UInt8]],
    _ entity: Int,
    _ identity: EntityIdentity
  ) throws(PayloadReader.Malformed) -> [Entry] {
    var entries: [Entry] = []
    for part in parts {
      var reader = try PayloadReader(part)
      try reader.read(entity: entity, identity: identity) { key, before in
        entries.append(Entry(key: key, before: before))
      }
    }
    return entries
  }

  private func value(_ generator: inout SeededGenerator) -> Value {
    switch generator.number(in: 0...6) {
    case 0: .null
    case 1: .integer(.min)
    case 2: .integer(Int64(generator.number(in: -300...300)))
    case 3: .real(Double(generator.number(in: -5...5)) / 3)
    case 4: .text(String(repeating: "ä\0", count: generator.number(in: 0...90)))
    case 5: .blob(Array(repeating: 0xFF, count: generator.number(in: 0...200)))
    default: .integer(.max)
    }
  }

  @Test(arguments: 0..<20)
  func `are read back unchanged`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let identities: [EntityIdentity] = [.integer(), .text(), .compound(["a", "b"])]
    var expected: [[Entry]] = [[], [], []]
    var writer = PayloadWriter()
    var next: Int64 = 0
    for _ in 0..<200 {
      let entity = generator.number(in: 0...2)
      let key: ObjectKey =
        switch entity {
        case 0: .integer(next)
        case 1: .text("t\(generator.number(in: 0...9))")
        default: .compound([value(&generator), .text("")])
        }
      next = generator.number(in: 0...3) > 0 ? next &+ 1 : Int64(generator.number(in: -900...900))
      let before = generator.number(in: 0...1) == 0 ? nil : (0..<4).map { _ in value(&generator) }
      writer.append(key, before: before, of: entity + 40)
      expected[entity].append(Entry(key: key, before: before))
    }
    let parts = writer.finish()
    for (entity, identity) in identities.enumerated() {
      #expect(try read(parts, entity + 40, identity) == expected[entity], "seed \(seed)")
    }
  }

  @Test func `are split into parts when they are long`() throws {
    var writer = PayloadWriter()
    let image = [Value.blob(Array(repeating: 1, count: 100_000))]
    for key in 0..<100 { writer.append(.integer(Int64(key)), before: image, of: 1) }
    let parts = writer.finish()
    #expect(parts.count > 1 && parts.allSatisfy { $0.count < 5 << 20 })
    #expect(try read(parts, 1, .integer()).count == 100)
  }

  @Test func `take a few bytes for consecutive insertions`() throws {
    var writer = PayloadWriter()
    for key in 1...1_000_000 { writer.append(.integer(Int64(key)), before: nil, of: 1) }
    #expect(writer.finish().map(\.count) == [9])
  }

  @Test func `are refused when a bit is flipped`() throws {
    var writer = PayloadWriter()
    writer.append(.integer(7), before: ["text", 5, .null, 0.5], of: 1)
    writer.append(.integer(900), before: nil, of: 1)
    let part = try #require(writer.finish().first)
    for index in part.indices {
      for bit in 0..<8 {
        var wrong = part
        wrong[index] ^= 1 << UInt8(bit)
        #expect(throws: PayloadReader.Malformed.self) { try read([wrong], 1, .integer()) }
      }
      #expect(throws: PayloadReader.Malformed.self) {
        try read([Array(part[..<index])], 1, .integer())
      }
    }
  }
}

/// The content of the log is validated before it is used.
@Suite struct `A log that others have written` {
  private func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
    try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(pollInterval: nil, historyCapacity: 0)
    )
  }

  /// Writes a commit of packed changes that names a number of keys, from 1 on.
  private func name(_ count: UInt64, in folder: TemporaryFolder, entity: Int = 1) throws {
    var bytes: [UInt8] = [UInt8(entity << 2), 2]
    var rest = count - 1
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    var sum = PayloadChecksum()
    sum.add(bytes[...])
    withUnsafeBytes(of: sum.value.littleEndian) { bytes.append(contentsOf: $0) }
    let queue = try DatabaseQueue(path: folder.file())
    try queue.write { database in
      try database.execute(
        sql: "INSERT INTO _results_log (kind, key) VALUES (0, ?)",
        arguments: [Data(bytes)]
      )
    }
    try queue.close()
  }

  @Test(arguments: [1 << 17, 4_000_000_000])
  func `a few bytes cannot name more keys than are plausible`(_ count: UInt64) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    try name(count, in: folder)
    #expect(try store.history(since: start, of: Sample.book).gap == .trimmed)
    try store.close()
  }

  @Test func `many keys of existing rows are accepted`() throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let start = try store.currentVersion()
    try store.write { transaction in
      for _ in 0..<100_000 {
        try transaction.insert(Sample.values("P", "t"), key: nil, into: Sample.book)
      }
    }
    let records = try #require(try store.history(since: start, of: Sample.book).records)
    #expect(records.map(\.changes.count) == [100_000])
    try store.close()
  }

  @Test(arguments: [Int64.min, -1, 0, 1 << 62 + 1, .max])
  func `a row with any sequence number crashes no reader, and later commits are noticed`(
    _ sequence: Int64
  ) throws {
    let folder = try TemporaryFolder()
    let store = try open(folder)
    let hints = store.commitNotifications()
    // The lease is taken on the writing connection.
    store.database.writer.unsafeReentrantWrite { _ in }
    try LogFixture.execute(
      folder.file(),
      """
      INSERT INTO _results_log (sequence, kind) VALUES (\(sequence), 7);
      INSERT INTO Tag VALUES ('a', 1)
      """
    )
    try store.checkForExternalChanges()
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 2")
    try store.checkForExternalChanges()
    #expect(try store.currentVersion() != start)
    try store.write { try $0.insert([3], key: .text("b"), into: Sample.tag) }
    #expect(try store.allRows(of: Sample.tag).count == 2)
    #expect(try store.check().problems != [])
    try store.repair()
    #expect(try store.check().problems == [])
    withExtendedLifetime(hints) {}
    try store.close()
  }

  @Test func `two entities with the same number get different ones`() throws {
    let folder = try TemporaryFolder()
    try open(folder).close()
    try LogFixture.execute(folder.file(), "UPDATE _results_entity SET number = 2")
    let store = try open(folder)
    let start = try store.currentVersion()
    try LogFixture.execute(folder.file(), "INSERT INTO Tag VALUES ('a', 1)")
    #expect(try store.history(since: start, of: Sample.tag).changes?.count == 1)
    #expect(try store.history(since: start, of: Sample.book).changes == [])
    #expect(try store.check().problems == [])
    try store.close()
  }

  @Test func `limits of any size cause no overflow`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(
        busyTimeout: .seconds(Int64.max),
        pollInterval: .seconds(Int64.max),
        historyCapacity: .max,
        logCapacity: .max,
        logByteLimit: .max
      )
    )
    let hints = store.commitNotifications()
    store.database.writer.unsafeReentrantWrite { _ in }
    try store.write { try $0.insert([1], key: .text("a"), into: Sample.tag) }
    try LogFixture.execute(folder.file(), "UPDATE Tag SET rank = 2")
    try store.checkForExternalChanges()
    #expect(try store.allRows(of: Sample.tag).map { $0["rank"] } == [2])
    withExtendedLifetime(hints) {}
    try store.close()
  }
}

/// R58: the terms of an index are parsed from any declaration that SQLite accepts.
@Suite struct `Declarations of indexes` {
  @Test(arguments: [
    ("CREATE UNIQUE INDEX u ON Book(lower(title))", ["lower(title)"]),
    ("CREATE UNIQUE INDEX u /* of (title) */ ON Book(lower(title))", ["lower(title)"]),
    ("CREATE UNIQUE INDEX u ON Book(/* don't */ lower(title))", ["lower(title)"]),
    (
      "CREATE UNIQUE INDEX u ON Book(/* a, b */ lower(title) -- (c,\n, id)", ["lower(title)", "id"]
    ),
    ("CREATE INDEX \"u(x\" ON [Bo(ok](a, b) WHERE c = ')'", ["a", "b"]),
    (
      "CREATE INDEX `u(x` ON 'Book'(a COLLATE NOCASE DESC, b asc /* x */)",
      ["a COLLATE NOCASE", "b"]
    ),
    (
      "CREATE INDEX u ON Book(replace(a, '  ', '('), x'00', 1.5e-3)",
      ["replace(a, '  ', '(')", "x'00'", "1.5e-3"]
    ),
    ("CREATE INDEX u ON Book(\"a\"\"(b\", 'it''s', [c,d])", ["\"a\"\"(b\"", "'it''s'", "[c,d]"]),
    ("CREATE INDEX u ON Book(a/**/||b, a - -b, a--x\n-b)", ["a ||b", "a - -b", "a -b"]),
    ("CREATE INDEX u ON Book(a /* never ends", []),
    ("", []),
  ])
  func `are parsed as SQL`(_ sql: String, _ terms: [String]) {
    #expect(IndexDeclaration(sql).terms == terms)
  }

  @Test(
    arguments: [
      ("CREATE INDEX i ON t(a) WHERE b = 0", "b = 0"), ("CREATE INDEX i ON t(a)", nil),
      (
        "CREATE INDEX i ON t(a)\twhere/**/b IS NOT NULL AND c > 1.5e-3",
        "b IS NOT NULL AND c > 1.5e-3"
      ),
      ("CREATE INDEX i ON t(a) WHERE t.b = 0", nil),
      ("CREATE INDEX i ON t(a) WHERE \"t\".b = 0", nil),
      ("CREATE INDEX i ON t(a) WHERE \"B\" = 0", "\"B\" = 0"),
      ("CREATE INDEX i ON t(a) WHERE b = \"x\"", nil),
      ("CREATE INDEX i ON t(a) WHERE b = 'x.y'", "b = 'x.y'"),
      ("CREATE INDEX i ON t(a) WHERE [b]=1 OR b in (.5, 2)", nil),
      ("CREATE INDEX i ON t(a) WHERE", nil),
    ] as [(String, String?)]
  )
  func `have the condition of a partial index, if it means the same elsewhere`(
    _ sql: String,
    _ condition: String?
  ) {
    #expect(IndexDeclaration(sql).condition(in: ["a", "b", "c"]) == condition)
  }

  @Test(arguments: [
    "a) WHERE gone = 0", "lower(a)", "a COLLATE NOCASE, b", "a, b) WHERE b > ''",
    "lower(a)) WHERE gone IS NOT NULL",
  ])
  func `let a write find the rows that it may replace without reading the table`(_ rule: String)
    throws
  {
    let folder = try TemporaryFolder()
    try folder.execute(
      """
      PRAGMA journal_mode = WAL; CREATE TABLE t (k INTEGER PRIMARY KEY, a TEXT, b TEXT, gone INTEGER);
      CREATE UNIQUE INDEX u ON t(\(rule)\(rule.contains("WHERE") ? "" : ")");
      """
    )
    let database = try DatabaseDescription(at: folder.file())
    let entity = try #require(database.table(named: "t")).entity.get()
    let store = try SQLiteStore(discovered: database, entities: [entity], addsChangeLog: true)
    let queue = try DatabaseQueue(path: folder.file())
    var next = 0
    /// The steps of SQLite's machine for inserting one row.
    func steps() throws -> Int32 {
      try queue.write { database in
        next += 1
        let statement = try database.makeStatement(
          sql: "INSERT INTO t VALUES (\(next), 'a\(next)', 'b\(next)', 0)"
        )
        try statement.execute()
        return sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0)
      }
    }
    let few = try steps()
    for _ in 0..<400 { _ = try steps() }
    #expect(try steps() < few + 100)
    // What is replaced is still logged.
    try store.checkForExternalChanges()
    let start = try store.currentVersion()
    try folder.execute("INSERT OR REPLACE INTO t VALUES (9000, 'a7', 'b7', 0)")
    try store.checkForExternalChanges()
    let changes = try #require(try store.history(since: start, of: entity).changes)
    #expect(Set(changes.flatMap { $0 }.map(\.id.key)) == [.integer(7), .integer(9000)])
    try queue.close()
    try store.close()
  }

  @Test(arguments: [
    "CREATE UNIQUE INDEX u /* of (title) */ ON Book(lower(title))",
    "CREATE UNIQUE INDEX u ON Book(/* don't */ lower(title))",
    "CREATE UNIQUE INDEX u ON Book(/* a, b */ lower(title) /* ' */ DESC) -- the end",
    "CREATE UNIQUE INDEX u ON Book(replace(lower(title), '  (', ''))",
    "CREATE UNIQUE INDEX [u ( '] ON [Book](lower(`title`), \"publisher\")",
  ])
  func `neither hide a replaced row nor prevent opening a store`(_ declaration: String) throws {
    let folder = try TemporaryFolder()
    let first = try SQLiteStore(at: folder.file(), entities: Sample.entities)
    try first.write { transaction in
      try transaction.insert(Sample.values("P", "T3"), key: nil, into: Sample.book)
    }
    try first.close()
    try LogFixture.execute(folder.file(), declaration)
    let store = try SQLiteStore(
      at: folder.file(),
      entities: Sample.entities,
      options: SQLiteStoreOptions(pollInterval: nil)
    )
    let start = try store.currentVersion()
    try LogFixture.execute(
      folder.file(),
      "INSERT OR REPLACE INTO Book (publisher, title) VALUES ('P', 't3')"
    )
    try store.checkForExternalChanges()
    let changes = try store.history(since: start, of: Sample.book).changes?.flatMap(\.self)
    #expect(changes?.map(LogFixture.text) == ["1:T3-", "2:-t3"])
    try store.close()
  }
}
