#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// R170: what an administrator sees and mends.
@Suite struct MaintenanceTests {
  private static let stores = Result { try TestStores() }
  private let stores: TestStores
  private let note: EntityDescription

  init() throws {
    stores = try Self.stores.get()
    note = try #require(WritingTests.note)
  }

  @Test func `a check reports capture, rights and the log (R170)`() throws {
    let store = try stores.open([note])
    try store.write { try $0.insert([.text("a"), .integer(1)], key: nil, into: note) }
    let check = try store.check()
    #expect(check.problems == [])
    #expect(check.tables.map(\.rowCount) == [1])
    #expect(check.tables.map(\.capture) == ["statement"])
    #expect(check.tables.map(\.rights) == [[true, true, true, true]])
    #expect(check.log?.schema == store.context.options.logSchema)
    #expect(check.server.hasPrefix("PostgreSQL "))
  }

  @Test func `a check names a superuser as owner, and the rights of an earlier program (R177)`()
    throws
  {
    let store = try stores.open([note])
    let schema = store.context.options.logSchema
    #expect(try store.check().warnings.count == 1)
    #expect(try store.check().warnings[0].contains("a superuser"))
    #expect(try store.check().problems == [])
    try TestServer.connect(stores.url)
      .runOnce("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \(schema) TO PUBLIC")
    #expect(try store.check().problems.count == 1)
    #expect(try store.check().problems[0].contains("doctor --repair"))
    try store.repair()
    #expect(try store.check().problems == [])
  }

  @Test func `a disabled trigger is a problem, and a repair mends it (R170)`() throws {
    let store = try stores.open([note])
    let table = store.context.tables.all[0].quotedName
    try TestServer.connect(stores.url).runOnce("ALTER TABLE \(table) DISABLE TRIGGER ALL")
    #expect(try store.check().problems.count == 1)
    try store.repair()
    #expect(try store.check().problems == [])
  }

  @Test func `what is younger than the retention stays in the log, whatever readers need (R149)`()
    throws
  {
    let store = try stores.open([note])
    let log = try #require(store.context.changes as? ChangeLog)
    let connection = try TestServer.connect(stores.url)
    func state() throws -> [UInt64?] {
      let schema = store.context.options.logSchema
      let result = try connection.run(
        "SELECT trimmed, (SELECT count(*) FROM \(schema).log) FROM \(schema).store"
      )
      return [result.unsigned(0, 0), result.unsigned(0, 1)]
    }
    try store.write { try $0.insert([.text("a"), .integer(1)], key: nil, into: note) }
    let before = try state()
    for _ in 0..<3 {
      // A reader that has seen everything needs nothing.
      try store.read { (snapshot) throws(StoreError) in _ = snapshot.version }
      try log.maintain(on: connection)
    }
    #expect(try state() == before)
  }

  @Test func `a log beyond its limit loses its oldest rows, and readers see a gap (R149)`() throws {
    var options = PostgreSQLStoreOptions()
    options.logByteLimit = 100_000
    // The log is trimmed by ticks, twenty in this time; nothing is so old in this test.
    options.logRetention = .seconds(60)
    let store = try stores.open([note], options)
    let log = try #require(store.context.changes as? ChangeLog)
    let connection = try TestServer.connect(stores.url)
    try store.write { transaction in
      for number in 0..<100 {
        try transaction.insert([.text("a"), .integer(Int64(number))], key: nil, into: note)
      }
    }
    let other = try stores.open(sameAs: store)
    let old = try other.read { (snapshot) throws(StoreError) in snapshot.version }
    let schema = store.context.options.logSchema
    func count() throws -> Int64? {
      try connection.run("SELECT count(*) FROM \(schema).log").integer(0, 0)
    }
    let table = store.context.tables.all[0]
    for _ in 0..<20 {
      let column = table.attributeColumns[1].name
      try connection.runOnce("UPDATE \(table.quotedName) SET \(column) = \(column) + 1")
    }
    #expect(try count() ?? 0 > 2000)
    // Neither the reader's lease nor the retention holds what is beyond the limit; transactions of other tests do while they run.
    let deadline = ContinuousClock.now + .seconds(50)
    while try count() ?? 0 >= 1000, ContinuousClock.now < deadline {
      try log.maintain(on: connection)
    }
    #expect(try count() ?? 0 < 1000)
    let history = try other.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: old, of: note)
    }
    guard case .gap = history else {
      Issue.record("\(history)")
      return
    }
  }

  @Test func `the statements for an administrator are what a store runs (R170)`() throws {
    try TestServer.withDatabase { url in
      let statements = try PostgreSQLStore.statements(url: url, entities: [note])
      #expect(statements.contains { $0.hasPrefix("CREATE TABLE") && $0.contains("\"Note\"") })
      #expect(statements.contains { $0.contains("TRIGGER \"!results") })
      let connection = try TestServer.connect(url)
      let found = try connection.run(
        "SELECT count(*) FROM pg_class WHERE relname IN ('Note', 'log')"
      )
      #expect(found.integer(0, 0) == 0)
      for statement in statements { try connection.runOnce(statement) }
      let rest = try PostgreSQLStore.statements(url: url, entities: [note])
      #expect(rest == [])
      let store = try PostgreSQLStore(url: url, entities: [note])
      #expect(store.capabilities.historyCoverage == .everyWriter)
      try store.close()
    }
  }
}
#endif
