#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization
import Testing

@testable import PostgreSQLPersistence

/// What opening makes of a database: tables of each type, found again, made once if several processes open it (R153).
@Suite struct SchemaOpeningTests {
  @Test func `each type has its column, and holds its extremes (R153)`() throws {
    let entity = try SchemaSample.everything()
    try TestServer.withDatabase { url in
      let store = try ReadTables([entity], at: url)
      #expect(
        try SchemaSample.columns(at: url).map { $0.replacing("Every \"thing\".", with: "") } == [
          "id bigint NOT NULL IDENTITY", "small smallint NOT NULL", "middle integer NOT NULL",
          "large bigint NOT NULL", "flag boolean NOT NULL", "day bigint", "price bigint",
          "ratio double precision", "It's text C", "bytes bytea",
        ]
      )
      let rows: [[Value]] = [
        [
          .integer(Int64(Int16.min)), .integer(Int64(Int32.max)), .integer(.min), 1,
          .integer(.min), .integer(.max), .real(-.infinity), "👩‍🔬'\"", .blob([0, 255]),
        ],
        [
          0, 0, .integer(.max), 0, .null, .null, .real(.leastNonzeroMagnitude), "", .blob([]),
        ],
        [0, 0, 0, 0, .null, .null, .null, .null, .null],
      ]
      let all = rows.enumerated().map { index, values in
        let key = ObjectKey.integer([Int64.min, 0, Int64.max][index])
        return Row(
          entity: entity,
          id: ObjectID(entity: entity.name, key: key),
          values: values
        )
      }
      try store.replace(all, of: entity)
      let keys = all.reversed().map(\.id.key) + [.integer(5), .text("x"), .integer(.min)]
      let found = try store.read { try $0.rows(keys, of: entity) }
      #expect(found.map { $0?.values } == all.reversed().map(\.values) + [nil, nil, rows[0]])
      #expect(store.tables.areOwn)
      #expect {
        try store.connection.runOnce(
          #"UPDATE public."Every ""thing""" SET ratio = 'NaN'"#
        )
      } throws: {
        ($0 as? PostgreSQLFailure)?.state == "23514"
      }
    }
  }

  @Test func `text and compound keys are primary keys, and a table is found again (R153)`() throws {
    let tag = try SchemaSample.entity(
      "Tag",
      [AttributeDescription("rank", .integer64, isOptional: true)],
      identity: .text(column: "name")
    )
    let score = try SchemaSample.entity(
      "Score",
      [
        AttributeDescription("points", .integer64), AttributeDescription("subject", .integer32),
        AttributeDescription("student", .text),
      ],
      identity: .compound(["student", "subject"])
    )
    try TestServer.withDatabase { url in
      let first = try ReadTables([tag, score], at: url)
      #expect(first.tables.all.map(\.shape.primaryKey) == [["name"], ["student", "subject"]])
      #expect(
        try SchemaSample.columns(at: url) == [
          "Score.points bigint NOT NULL", "Score.subject integer NOT NULL",
          "Score.student text C NOT NULL", "Tag.name text C NOT NULL", "Tag.rank bigint",
        ]
      )
      let numbers = first.tables.all.map(\.shape.number)
      let again = try ReadTables([score, tag], at: url) { $0.isWritable = false }
      #expect(again.tables.all.map(\.shape.number) == numbers.reversed())
    }
  }

  @Test func `tables are made in the schema of the options, which is made too (R153)`() throws {
    let tag = try SchemaSample.entity("Tag", [AttributeDescription("a", .text)])
    try TestServer.withDatabase { url in
      let store = try ReadTables([tag], at: url) { $0.schema = "other \"schema\"" }
      #expect(store.tables.all[0].quotedName == #""other ""schema"""."Tag""#)
      #expect(
        try SchemaSample.columns(at: url, schema: #""other ""schema""""#) == [
          "Tag.id bigint NOT NULL IDENTITY", "Tag.a text C NOT NULL",
        ]
      )
      #expect(try store.read { try $0.count(of: tag, where: .all) } == 0)
    }
  }

  @Test func `who opens a new database while its tables are made waits and finds them (R156)`()
    throws
  {
    let entity = try SchemaSample.everything()
    try TestServer.withDatabase { url in
      let first = try TestServer.connect(url)
      try first.run([.begin(.readCommitted)])
      for statement in SchemaChange.create(entity)
        .statements(in: "public", triggers: [], freeName: { $0 })
      {
        try first.runOnce(statement)
      }
      let second = Opener(entity, at: url)
      let observer = try TestServer.connect(url)
      let waiting = """
        SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE a.datname = current_database() AND l.locktype = 'transactionid' AND NOT l.granted
        """
      let deadline = ContinuousClock.now + .seconds(60)
      while try observer.run(waiting).integer(0, 0) == 0, ContinuousClock.now < deadline {}
      #expect(ContinuousClock.now < deadline)
      let made = try first.runOnce(
        "SELECT c.oid FROM pg_class c WHERE c.relname = $1",
        [.text(entity.name)]
      )
      let number = made.unsigned(0, 0)
      try first.run([.commit])
      #expect(try UInt64(second.number()) == number)
    }
  }

  /// Opens a database on a thread of its own.
  private final class Opener: Sendable {
    private let outcome = Mutex<Result<UInt32, any Error>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(_ entity: EntityDescription, at url: String) {
      Thread.detachNewThread {
        let result = Result { try ReadTables([entity], at: url).tables.all[0].shape.number }
        self.outcome.withLock { $0 = result }
        self.isDone.signal()
      }
    }

    /// The number of the table, once it is open.
    func number() throws -> UInt32 {
      isDone.wait()
      return try outcome.withLock { try $0?.get() ?? 0 }
    }
  }

  @Test func `opening waits for a lock no longer than five seconds (R156)`() throws {
    let old = try SchemaSample.entity("Note", [AttributeDescription("a", .text)])
    let new = try SchemaSample.entity(
      "Note",
      [AttributeDescription("a", .text), AttributeDescription("b", .text, isOptional: true)]
    )
    try TestServer.withDatabase { url in
      let other = try ReadTables([old], at: url)
      try other.connection.run([.begin(.readCommitted)])
      try other.connection.runOnce("LOCK TABLE public.\"Note\" IN ACCESS SHARE MODE")
      let clock = ContinuousClock()
      let start = clock.now
      #expect {
        try ReadTables([new], at: url)
      } throws: {
        guard case .busy(_, .seconds(5), _) = $0 as? StoreError else { return false }
        return true
      }
      #expect(clock.now - start < .seconds(30))
      try other.connection.run([.rollback])
      #expect(try ReadTables([new], at: url).tables.all[0].attributeColumns.count == 2)
    }
  }

  @Test func `without the right to make tables, the statements for its owner are named (R156)`()
    throws
  {
    let entity = try SchemaSample.entity("Note", [AttributeDescription("a", .decimal(scale: 2))])
    try TestServer.withDatabase { url in
      let owner = try TestServer.connect(url)
      try owner.runOnce("DROP ROLE IF EXISTS reader_of_notes")
      try owner.runOnce("CREATE ROLE reader_of_notes")
      defer { _ = try? owner.runOnce("DROP ROLE reader_of_notes") }
      let connection = try TestServer.connect(url)
      try connection.runOnce("SET ROLE reader_of_notes")
      #expect {
        try SchemaOpening.tables(
          for: [entity],
          options: SchemaOptions(),
          path: "test",
          on: connection
        )
      } throws: {
        guard case .cannotOpen(_, .needsRights(let statements)) = $0 as? StoreError else {
          return false
        }
        for statement in statements { _ = try owner.runOnce(statement) }
        return true
      }
      try owner.runOnce("GRANT SELECT ON public.\"Note\" TO reader_of_notes")
      let tables = try SchemaOpening.tables(
        for: [entity],
        options: SchemaOptions(),
        path: "test",
        on: connection
      )
      #expect(tables.areOwn)
    }
  }

  @Test func `names that PostgreSQL cannot have are refused before anything is made (R155)`() throws
  {
    let long = String(repeating: "ä", count: 32)
    try TestServer.withDatabase { url in
      for (entity, part) in [
        (try SchemaSample.entity(long, [AttributeDescription("a", .text)]), "63 bytes"),
        (try SchemaSample.entity("A", [AttributeDescription(long, .text)]), "63 bytes"),
        (try SchemaSample.entity("A", [AttributeDescription("xmin", .text)]), "own columns"),
        (try SchemaSample.entity("A\0", [AttributeDescription("a", .text)]), "NUL"),
      ] {
        #expect(try SchemaSample.refusal(of: [entity], at: url).contains(part))
      }
    }
  }
}
#endif
