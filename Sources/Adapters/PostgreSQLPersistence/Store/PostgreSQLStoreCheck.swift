#if PostgreSQL
public import ResultsDomain
import SQLStoreSupport

/// The condition of a store's database, as `PostgreSQLStore.check()` finds it.
public struct PostgreSQLStoreCheck: Hashable, Sendable {
  /// What should be mended; empty if nothing is wrong.
  public var problems: [String]
  /// What is as it was made, and would better be otherwise.
  public var warnings: [String] = []
  /// The server's version, in its own words.
  public var server: String
  /// Whether the store reads a hot standby.
  public var isStandby: Bool
  /// The entities' tables, in the order of the store's entities.
  public var tables: [Table]
  /// The change log, if the database has one.
  public var log: Log?

  /// The table of an entity.
  public struct Table: Hashable, Sendable {
    /// The table's name, with its schema.
    public var name: String
    /// The number of its rows.
    public var rowCount: Int
    /// How its changes are captured: `row`, `statement`, or an empty text without a log.
    public var capture: String
    /// The share of its pages, from 0 to 1, that an index can answer for without reading the table, since all may see their rows.
    public var visibleShare: Double
    /// Whether this user may read, insert, update and delete rows.
    public var rights: [Bool]
  }

  /// The state of the change log.
  public struct Log: Hashable, Sendable {
    /// The schema with the log.
    public var schema: String
    /// The estimated number of its entries.
    public var entryCount: Int
    /// Its size in bytes, with its index.
    public var byteCount: Int
    /// The number of readers whose lease has not ended.
    public var readerCount: Int
    /// How many seconds ago the reader that has not advanced for longest renewed its lease; `nil` without readers.
    public var oldestReaderAge: Int?
    /// Whether commits notify at present, because a reader sleeps.
    public var isBellArmed: Bool
    /// Whether the server can prepare transactions, so that commits do not notify, and readers poll.
    public var isPolling: Bool
  }
}

extension PostgreSQLStoreCheck {
  /// The findings, one line each, as `doctor` prints them.
  public var lines: [String] {
    var lines = ["server     \(server)\(isStandby ? ", a hot standby" : "")"]
    for table in tables {
      let names = zip(["read", "insert", "update", "delete"], table.rights).filter(\.1).map(\.0)
      lines.append(
        "table      \(table.name): \(table.rowCount) rows, "
          + (table.capture.isEmpty
            ? "changes not captured" : "changes captured by \(table.capture)")
          + ", \(Int((table.visibleShare * 100).rounded())) % of pages all-visible, may "
          + (names.isEmpty ? "not even read" : names.joined(separator: ", "))
      )
    }
    if let log {
      lines.append(
        "log        \(log.schema): about \(log.entryCount) entries, \(log.byteCount) bytes"
      )
      let age = log.oldestReaderAge.map { ", the oldest renewed \($0) s ago" } ?? ""
      lines.append("readers    \(log.readerCount)\(age)")
      lines.append(
        "bell       "
          + (log.isPolling
            ? "off: max_prepared_transactions is above 0, so readers poll"
            : log.isBellArmed ? "armed: the next commit notifies" : "not armed")
      )
    } else {
      lines.append("log        none: commits of others are noticed, and lists compared")
    }
    return lines + warnings.map { "warning    \($0)" } + problems.map { "problem    \($0)" }
  }
}

extension PostgreSQLStore {
  /// Examines the server, the tables and the change log; nothing is changed.
  /// - Throws: `StoreError.closed`, `StoreError.unreachable`.
  /// - Complexity: O(*n*) in the rows of the tables, which are counted.
  public func check() throws(StoreError) -> PostgreSQLStoreCheck {
    try pool.with(.reading) { (connection) throws(StoreError) in
      try context.translating { () throws(PostgreSQLFailure) in
        try PostgreSQLStoreExaminer(connection: connection, context: context, facts: facts).check()
      }
    }
  }
}

/// Collects what a check reports.
private struct PostgreSQLStoreExaminer {
  let connection: Connection
  let context: StoreContext
  let facts: ServerFacts

  func check() throws(PostgreSQLFailure) -> PostgreSQLStoreCheck {
    let words = facts.versionText.split(separator: " ").prefix(2).joined(separator: " ")
    var check = PostgreSQLStoreCheck(
      problems: [],
      server: words,
      isStandby: facts.isStandby,
      tables: [],
      log: nil
    )
    let changeLog = context.changes as? ChangeLog
    let hasLog = changeLog != nil
    if let layout = try changeLog?.presentLayout(on: connection) {
      check.problems += layout.problems.map {
        "\($0). Lists are compared; doctor --repair mends it"
      }
    }
    for table in context.tables.all {
      check.tables.append(try self.table(table, hasLog: hasLog, &check.problems))
    }
    if hasLog {
      check.log = try log()
      try examineRights(&check)
    }
    return check
  }

  private var schema: String { Connection.quoted(context.options.logSchema) }

  private func number(_ table: EntityTable) -> Parameter { .object(table.shape.number) }

  private func table(
    _ table: EntityTable,
    hasLog: Bool,
    _ problems: inout [String]
  ) throws(PostgreSQLFailure) -> PostgreSQLStoreCheck.Table {
    let result = try connection.run(
      """
      SELECT CASE WHEN c.relpages > 0 THEN c.relallvisible::float8 / c.relpages ELSE 1 END, \
      has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT'), \
      has_table_privilege(c.oid, 'UPDATE'), has_table_privilege(c.oid, 'DELETE') \
      FROM pg_class c WHERE c.oid = $1::oid
      """,
      [number(table)]
    )
    guard result.count == 1 else {
      problems.append("the table \(table.quotedName) does not exist any more")
      return PostgreSQLStoreCheck.Table(
        name: table.quotedName,
        rowCount: 0,
        capture: "",
        visibleShare: 0,
        rights: [false, false, false, false]
      )
    }
    let rights = (1...4).map { result.boolean(0, $0) ?? false }
    var rowCount = 0
    if rights[0] {
      rowCount = Int(
        try connection.run("SELECT count(*) FROM \(table.quotedName)").integer(0, 0) ?? 0
      )
    }
    var capture = ""
    if hasLog {
      let found = try connection.run(
        "SELECT capture FROM \(schema).entity WHERE relation = $1::oid",
        [number(table)]
      )
      capture = found.count > 0 ? found.text(0, 0) ?? "" : ""
    }
    return PostgreSQLStoreCheck.Table(
      name: table.quotedName,
      rowCount: rowCount,
      capture: capture,
      visibleShare: ColumnCoding.real(result.bytes(0, 0)),
      rights: rights
    )
  }

  /// What is wrong with who owns the log, and who may use its functions, which run as the owner.
  private func examineRights(_ check: inout PostgreSQLStoreCheck) throws(PostgreSQLFailure) {
    let schema = LogSchema(name: context.options.logSchema)
    let results = try connection.run([
      Statement(schema.isClosed),
      Statement(
        """
        SELECT r.rolname::text, r.rolsuper FROM pg_roles r JOIN pg_class c ON c.relowner = r.oid \
        WHERE c.oid = \(schema.literal("log"))::regclass
        """
      ),
    ])
    let owner = results[1].text(0, 0) ?? ""
    if results[1].boolean(0, 1) == true {
      check.warnings.append(
        "the log belongs to \(owner), a superuser, as whom its triggers run: let a role own it that owns the tables and no more"
      )
    }
    if results[0].boolean(0, 0) != true {
      check.problems.append(
        "the log has the rights of an earlier version, by which others can run code as \(owner): run doctor --repair as \(owner)"
      )
    }
  }

  private func log() throws(PostgreSQLFailure) -> PostgreSQLStoreCheck.Log {
    let log = Connection.literal("\(schema).log")
    let bell = Connection.literal("\(schema).bell")
    let result = try connection.run(
      """
      SELECT greatest(c.reltuples, 0)::bigint, pg_total_relation_size(c.oid), \
      (SELECT count(*) FROM \(schema).reader WHERE renewed > clock_timestamp() - interval '10 minutes'), \
      (SELECT extract(epoch FROM clock_timestamp() - min(renewed))::bigint FROM \(schema).reader \
      WHERE renewed > clock_timestamp() - interval '10 minutes'), \
      CASE WHEN pg_is_in_recovery() THEN false ELSE coalesce(pg_sequence_last_value(\(bell)::regclass) \
      > extract(epoch FROM clock_timestamp()) * 1000, false) END \
      FROM pg_class c WHERE c.oid = \(log)::regclass
      """
    )
    return PostgreSQLStoreCheck.Log(
      schema: context.options.logSchema,
      entryCount: Int(result.integer(0, 0) ?? 0),
      byteCount: Int(result.integer(0, 1) ?? 0),
      readerCount: Int(result.integer(0, 2) ?? 0),
      oldestReaderAge: result.integer(0, 3).map { Int($0) },
      isBellArmed: result.boolean(0, 4) ?? false,
      isPolling: facts.preparedTransactionLimit > 0
    )
  }
}
#endif
