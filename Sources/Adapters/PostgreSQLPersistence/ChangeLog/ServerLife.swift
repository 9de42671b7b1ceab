#if PostgreSQL
import ResultsStoreKit
import SQLStoreSupport

/// A life of a database: the time in which numbers of transactions have one meaning.
///
/// A crash can take back commits that were seen, and gives their numbers to others; so can a failover, a restored or a cloned server. None
/// of them keeps the stamp in an unlogged table, and a clean restart does. A hot standby cannot read that table; there a life ends with
/// each restart.
struct ServerLife: Hashable, Sendable {
  let system: UInt64
  let database: UInt32
  /// The stamp on a primary; the timeline and the time of the start on a standby.
  let stamp: [UInt64]
  let isStandby: Bool

  /// The life as numbers, for a bookmark.
  var numbers: [UInt64] {
    [system, UInt64(database), isStandby ? 1 : 0, stamp[0], stamp.count > 1 ? stamp[1] : 0]
  }

  /// The number of numbers.
  static let numberCount = 5
}

/// A running server, as each reading sees it: if it is still the same one, so is the life.
struct ServerInstance: Hashable, Sendable {
  /// When the server was started, in microseconds.
  let start: Int64
  let database: UInt32
  let isStandby: Bool
  /// The stamp of the life on a primary.
  let stamp: Int64?
}

/// What a reading finds beside the rows: its snapshot, the server, and how far the log goes back.
struct ReadingFacts: Sendable {
  let snapshot: SnapshotText
  let instance: ServerInstance
  /// The first transaction whose rows the log still has.
  let trimmed: UInt64
  let marks: [Int64]

  /// The text that reads the facts; a standby cannot read the unlogged table with the stamp.
  static func text(
    isStandby: Bool,
    _ layout: CaptureLayout,
    of tables: StoreTables,
    in schema: LogSchema
  ) -> String {
    let stamp =
      isStandby ? "NULL::pg_catalog.int8" : "(SELECT b.stamp FROM \(schema.quoted).boot b)"
    return """
      SELECT pg_catalog.pg_current_snapshot()::pg_catalog.text, pg_catalog.pg_postmaster_start_time(), \
      (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()), \
      pg_catalog.pg_is_in_recovery(), \(stamp), s.trimmed, \(layout.marksExpression(of: tables, in: schema)) FROM \(schema.quoted).store s
      """
  }

  /// Reads the statement's result, or returns `nil` for another one.
  init?(_ result: QueryResult) {
    guard result.count == 1, let snapshot = SnapshotText(result.text(0, 0) ?? ""),
      let start = result.integer(0, 1), let database = result.unsigned(0, 2),
      let isStandby = result.boolean(0, 3), let trimmed = result.unsigned(0, 5)
    else { return nil }
    self.snapshot = snapshot
    instance = ServerInstance(
      start: start,
      database: UInt32(truncatingIfNeeded: database),
      isStandby: isStandby,
      stamp: result.integer(0, 4)
    )
    self.trimmed = trimmed
    marks = (result.elements(0, 6) ?? []).map { BinaryForm.integer($0) }
  }
}

extension ServerLife {
  /// Finds out in which life a database is, and begins one where none has begun.
  /// - Returns: The life, the server, and the log's name.
  static func find(
    in schema: LogSchema,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> (life: ServerLife, instance: ServerInstance, identity: String) {
    let server = try connection.runOnce(
      """
      SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.pg_postmaster_start_time(), \
      (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()), \
      c.system_identifier, (pg_catalog.pg_control_checkpoint()).timeline_id FROM pg_catalog.pg_control_system() c
      """
    )
    let isStandby = server.boolean(0, 0) ?? false
    let start = server.integer(0, 1) ?? 0
    let database = UInt32(truncatingIfNeeded: server.unsigned(0, 2) ?? 0)
    var stamp: Int64?
    if !isStandby {
      // Who may read the log and no more finds a life that others have begun.
      let known = try connection.runOnce(
        "SELECT b.stamp FROM \(schema.quoted).boot b, \(schema.quoted).store s WHERE s.system = $1 AND s.base = $2",
        [.integer(Int64(bitPattern: server.unsigned(0, 3) ?? 0)), .object(database)]
      )
      stamp = known.integer(0, 0)
      if stamp == nil {
        stamp = try connection.runOnce("SELECT \(schema.quoted).life()").integer(0, 0)
      }
    }
    let timeline = UInt64(bitPattern: server.integer(0, 4) ?? 0)
    let life = ServerLife(
      system: server.unsigned(0, 3) ?? 0,
      database: database,
      stamp: stamp.map { [UInt64(bitPattern: $0)] } ?? [timeline, UInt64(bitPattern: start)],
      isStandby: isStandby
    )
    let instance = ServerInstance(
      start: start,
      database: database,
      isStandby: isStandby,
      stamp: stamp
    )
    let identity = try connection.runOnce("SELECT s.identity FROM \(schema.quoted).store s")
    return (life, instance, identity.text(0, 0) ?? "")
  }
}
#endif
