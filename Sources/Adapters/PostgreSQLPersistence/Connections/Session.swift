#if PostgreSQL
import ResultsDomain

// The settings of a session. Through a pooler that gives each transaction another server process, settings hold within a transaction
// only, so each transaction sets its own.

extension Connection {
  /// The settings on which the store's statements rely.
  ///
  /// All names in statements have their schemas, so that no other schema can put an operator or a table in their way.
  static let settings = [
    ("search_path", "pg_catalog"), ("plan_cache_mode", "force_generic_plan"), ("jit", "off"),
    // A plan that is made without the parameters overestimates the log, and starting workers takes ten milliseconds.
    ("max_parallel_workers_per_gather", "0"),
    // Rows that a policy hides are an error and not missing: the log would name them, and counts would be wrong.
    ("row_security", "off"),
    ("standard_conforming_strings", "on"), ("idle_in_transaction_session_timeout", "300s"),
  ]

  /// Makes the settings, unless a pooler stands between.
  func startSession() throws(PostgreSQLFailure) {
    guard preparesByName else { return }
    _ = try run(
      Connection.settings.map { name, value in
        Statement("SET \(name) = '\(value)'", isPrepared: false)
      } + ownSettings.map { $0.statement(isLocal: false) }
    )
  }

  /// The statements after `BEGIN` that make the settings of a transaction; none takes a snapshot.
  var transactionSettings: [Statement] {
    preparesByName
      ? []
      : Connection.settings.map { Statement("SET LOCAL \($0) = '\($1)'", isPrepared: false) }
        + ownSettings.map { $0.statement(isLocal: true) }
  }

  /// The statements that open a transaction.
  func opening(_ mode: Statement.Mode) -> [Statement] {
    [.begin(mode)] + transactionSettings
  }

  /// The statement that lets the server plan by an index alone, or as usual again.
  ///
  /// The settings matter when a statement is planned, which can be again at any time.
  static func planning(isOrdered: Bool, isLocal: Bool) -> Statement {
    var calls = ["enable_seqscan", "enable_bitmapscan", "enable_sort"].map {
      "set_config('\($0)', '\(isOrdered ? "off" : "on")', \(isLocal))"
    }
    // Parts of a statement keep their order only in one process.
    let needed = ["plan_cache_mode", "jit", "max_parallel_workers_per_gather"]
    for (name, value) in settings where isOrdered && needed.contains(name) {
      calls.append("set_config('\(name)', '\(value)', \(isLocal))")
    }
    return Statement("SELECT \(calls.joined(separator: ", "))", planning: .either)
  }
}

extension ConnectionSettings {
  /// The settings of a session that reads a database of others: what is written as text does not depend on the server's settings, nothing
  /// is written by mistake, and no statement runs or waits without an end, unless the administrator or the URL has set another one.
  static func ofStrangers(
    patience: Duration,
    limit: Duration,
    isReadOnly: Bool
  ) -> [Entry] {
    let times = [("statement_timeout", limit), ("lock_timeout", patience)]
    return times.map { Entry(keyword: $0, value: "\(max(1, $1 / .milliseconds(1)))ms") }
      + [
        Entry(keyword: "datestyle", value: "ISO, YMD"),
        Entry(keyword: "intervalstyle", value: "postgres"),
        Entry(keyword: "timezone", value: "UTC"), Entry(keyword: "extra_float_digits", value: "1"),
        Entry(keyword: "bytea_output", value: "hex"), Entry(keyword: "lc_monetary", value: "C"),
        Entry(keyword: "xmlbinary", value: "base64"),
      ] + (isReadOnly ? [Entry(keyword: "default_transaction_read_only", value: "on")] : [])
  }
}

extension ConnectionSettings.Entry {
  /// The statement that makes the setting; a time of a session is set only where there is none.
  fileprivate func statement(isLocal: Bool) -> Statement {
    // In a transaction nothing may take a snapshot yet.
    guard !isLocal, keyword.hasSuffix("_timeout") else {
      return Statement("SET \(isLocal ? "LOCAL " : "")\(keyword) = '\(value)'", isPrepared: false)
    }
    return Statement(
      """
      SELECT set_config('\(keyword)', '\(value)', false) WHERE current_setting('\(keyword)') = '0'
      """,
      isPrepared: false,
      planning: .either
    )
  }
}

/// What the store must know of a server before it uses a database.
struct ServerFacts: Sendable {
  /// The version's number, as 150018.
  let version: Int
  /// The version in the server's words.
  let versionText: String
  let encoding: String
  /// Whether it is a hot standby, which cannot be written.
  let isStandby: Bool
  /// The most prepared transactions; above zero a transaction may be prepared after it has notified, which fails.
  let preparedTransactionLimit: Int

  /// The oldest server that the store works with: earlier ones have no unlogged sequences.
  static let oldestVersion = 150_000

  /// Asks a server.
  /// - Throws: `StoreError.cannotOpen` for a server that the store cannot work with.
  init(on connection: Connection, path: String) throws(StoreError) {
    let result: QueryResult
    do {
      result = try connection.run(
        """
        SELECT current_setting('server_version_num')::bigint, version(), current_setting('server_encoding'), pg_is_in_recovery(), \
        current_setting('max_prepared_transactions')::bigint
        """
      )
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
    version = Int(result.integer(0, 0) ?? 0)
    versionText = result.text(0, 1) ?? ""
    encoding = result.text(0, 2) ?? ""
    isStandby = result.boolean(0, 3) ?? false
    preparedTransactionLimit = Int(result.integer(0, 4) ?? 0)
    let name = versionText.split(separator: " ").prefix(2).joined(separator: " ")
    guard version >= ServerFacts.oldestVersion else {
      throw .cannotOpen(
        path: path,
        .unsupportedServer(found: name, needed: "PostgreSQL 15 or later")
      )
    }
    guard encoding == "UTF8" else {
      throw .cannotOpen(
        path: path,
        .unsupportedServer(found: "a database in the encoding \(encoding)", needed: "UTF8")
      )
    }
  }
}
#endif
