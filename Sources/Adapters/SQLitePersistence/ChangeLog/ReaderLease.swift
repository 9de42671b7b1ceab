import CSQLiteHooks
import GRDB
import ResultsDomain
import Synchronization

/// How a store says in its database that it still needs the log.
struct LogLease: Sendable {
  /// Its row in the table of readers, once it is there.
  var reader: Int64?
  /// When it was renewed, in seconds.
  var renewed: Int64 = 0
  /// How many commits were made since.
  var commits = 0

  /// How long a reader may be silent until its lease ends, in seconds.
  static let duration: Int64 = 600
  /// After how many seconds a lease is renewed.
  static let renewal: Int64 = 30
  /// After how many own commits a lease is renewed.
  static let renewalCommits = 1000

  /// What tells this process from others, or `nil` where the system does not tell.
  static let owner: String? = {
    var mark = [CChar](repeating: 0, count: 256)
    guard results_process_mark(&mark, Int32(mark.count)) != 0 else { return nil }
    return String(decoding: mark.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// Whether a lease's owner is known to have ended.
  static func hasEnded(_ owner: String) -> Bool { results_process_has_ended(owner) != 0 }
}

// Keeping the log short: who still needs it says so, and own commits remove in passing what nobody needs.
extension StoreCore {
  /// How often own commits look whether the log is too long.
  private var trimInterval: Int { min(1000, max(1, options.logCapacity / 10)) }

  /// How many entries there are at most, whoever still needs them.
  private var hardCapacity: UInt64 {
    let (capacity, isOver) = UInt64(max(1, options.logCapacity)).multipliedReportingOverflow(
      by: 100
    )
    return isOver ? .max : capacity
  }

  /// Does what is due, in the transaction of an own commit.
  func keepLog(_ sequence: UInt64, on database: Database) throws {
    let (trims, renews) = state.withLock { state in
      state.writing.commitsSinceTrim += 1
      state.lease.commits += 1
      let trims =
        state.writing.commitsSinceTrim >= trimInterval
        || state.writing.bytesSinceTrim > options.logByteLimit / 4
      return (trims, state.lease.reader != nil && state.lease.commits % 64 == 0)
    }
    if renews { try renewLease(on: database) }
    if trims { try trim(through: sequence, on: database) }
  }

  /// Removes what others have added, if that is much more than what is kept.
  func trimIfLong(_ position: LogCatalog.Position, on database: Database) throws {
    let oldest = try database.integer("SELECT min(sequence) FROM main._results_log")
    // Whoever writes the log can give a row any number.
    let (count, isOver) = Int64(clamping: position.version.sequence)
      .subtractingReportingOverflow(oldest)
    let isLong = isOver || count / 2 > Int64(max(1, options.logCapacity))
    guard isLong || isLeaseDue else { return }
    do {
      try inOwnTransaction(on: database) {
        if isLeaseDue { try renewLease(on: database) }
        if isLong { try trim(through: position.version.sequence, on: database) }
      }
    } catch {
      guard SQLiteFailure(error)?.primaryCode == SQLITE_BUSY else { throw error }
    }
  }

  private func trim(through newest: UInt64, on database: Database) throws {
    state.withLock { state in
      state.writing.commitsSinceTrim = 0
      state.writing.bytesSinceTrim = 0
    }
    try removeEndedReaders(on: database)
    let kept = UInt64(max(1, options.logCapacity))
    var end = newest > kept ? newest - kept : 0
    // The rows of packed commits can be large.
    let large = try database.integer(
      """
      SELECT ifnull(max(sequence), 0) FROM (
        SELECT sequence, sum(length(key)) OVER (ORDER BY sequence DESC) AS bytes
        FROM main._results_log WHERE kind < 2
      ) WHERE bytes > \(options.logByteLimit)
      """
    )
    end = max(end, UInt64(clamping: large))
    let needed = try database.integer(
      "SELECT ifnull(min(sequence), \(Int64.max)) FROM _results_reader"
    )
    end = min(end, UInt64(clamping: needed))
    end = max(end, newest > hardCapacity ? newest - hardCapacity : 0)
    end = min(end, newest - min(newest, 1))
    guard end > 0 else { return }
    try database.run("DELETE FROM main._results_log WHERE sequence <= \(end)")
  }
}

// MARK: - Leases

extension StoreCore {
  /// Removes readers that were silent for too long, or whose process has ended.
  private func removeEndedReaders(on database: Database) throws {
    let now = options.now()
    // A lease from a clock that ran ahead would else last until this one has come as far.
    try database.run(
      """
      DELETE FROM _results_reader
      WHERE renewed NOT BETWEEN \(now - LogLease.duration) AND \(now + LogLease.duration)
      """
    )
    for reader in try LogFormat.endedReaders(on: database) {
      try database.run("DELETE FROM _results_reader WHERE id = \(reader)")
    }
  }

  /// Whether somebody listens who is not in the table of readers yet.
  var needsLease: Bool {
    catalog != nil && options.maintainsFile
      && state.withLock { $0.lease.reader == nil && !$0.isClosed } && !hearers.isEmpty
  }

  private var isLeaseDue: Bool {
    let now = options.now()
    return state.withLock { state in
      state.lease.reader != nil && now - state.lease.renewed >= LogLease.renewal
    }
  }

  /// Whether the lease of a store that hears nothing is to be renewed, in good time before it ends.
  var isLeaseOld: Bool {
    let now = options.now()
    return state.withLock { state in
      state.lease.reader != nil && now - state.lease.renewed >= LogLease.duration / 2
    }
  }

  /// Renews the lease of a store that hears nothing.
  func keepLease(on database: Database) throws {
    guard isLeaseOld, !database.isInsideTransaction else { return }
    try inOwnTransaction(on: database) { try writeLease(on: database) }
  }

  /// Enters the store into the table of readers.
  func takeLease(on database: Database) throws {
    guard needsLease, isLogged, !database.isInsideTransaction else { return }
    state.withLock { $0.lease.reader = Int64.random(in: 1 ... .max) }
    do {
      try inOwnTransaction(on: database) {
        try LogFormat.addOwners(on: database)
        try removeEndedReaders(on: database)
        try writeLease(on: database)
      }
    } catch {
      state.withLock { $0.lease.reader = nil }
      throw error
    }
  }

  /// Takes the store out of the table of readers.
  func giveLeaseUp(on database: Database) throws {
    let reader = state.withLock { state in
      defer { state.lease.reader = nil }
      return state.lease.reader
    }
    guard let reader, !database.isInsideTransaction else { return }
    // A program that ends does not wait for others: a lease ends by itself.
    if ownsWriter { sqlite3_busy_timeout(database.sqliteConnection, 100) }
    try inOwnTransaction(on: database) {
      try database.run("DELETE FROM _results_reader WHERE id = \(reader)")
    }
  }

  private func renewLease(on database: Database) throws {
    let isDue = isLeaseDue || state.withLock { $0.lease.commits >= LogLease.renewalCommits }
    if isDue { try writeLease(on: database) }
  }

  private func writeLease(on database: Database) throws {
    // Nobody would ever say again how far it is, and the log would be kept from there on for as long as the store is open.
    guard !hearers.isEmpty else { return try endLease(on: database) }
    let now = options.now()
    let reader = state.withLock { state in
      state.lease.renewed = now
      state.lease.commits = 0
      return state.lease.reader
    }
    guard let reader, let catalog else { return }
    let hasOwners = try LogFormat.hasOwners(on: database)
    let (columns, marks) = hasOwners ? (", owner", ", ?") : ("", "")
    let statement = try PreparedStatement(
      """
      INSERT OR REPLACE INTO _results_reader (id, sequence, renewed\(columns))
      VALUES (?, ?, ?\(marks))
      """,
      on: database
    )
    if hasOwners { try statement.bind(LogLease.owner.map { .text($0) } ?? .null, at: 4) }
    try statement.bind(.integer(reader), at: 1)
    try statement.bind(.integer(Int64(clamping: catalog.consumed)), at: 2)
    try statement.bind(.integer(now), at: 3)
    try statement.run()
  }

  /// Takes a store to which nobody listens any more out of the table of readers, in the transaction that is open.
  private func endLease(on database: Database) throws {
    let reader = state.withLock { $0.lease.reader.take() }
    guard let reader else { return }
    try database.run("DELETE FROM _results_reader WHERE id = \(reader)")
  }
}
