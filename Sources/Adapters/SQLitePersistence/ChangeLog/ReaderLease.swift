import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// A store's row in the table of readers: it retains the part of the change log that the store's listeners still need.
///
/// All state is behind one lock and changed on the writing connection only; no other lock is taken under it.
final class ReaderLease: Sendable {
  private struct State {
    /// The id of the row, once it exists.
    var reader: Int64?
    /// The time of the last renewal, in seconds since 1970.
    var renewed: Int64 = 0
    /// The number of own commits since.
    var commits = 0
  }

  /// How long a lease lasts without renewal, in seconds.
  static let duration: Int64 = 600
  /// After how many seconds a commit renews the lease.
  static let renewal: Int64 = 30
  /// After how many own commits the lease is renewed, whatever the time.
  static let renewalCommits = 1000
  /// After how many own commits the clock is read.
  private static let commitsBetweenChecks = 64

  private let context: StoreContext
  private let log: ChangeLog
  private let state = Mutex(State())

  init(_ context: StoreContext, _ log: ChangeLog) {
    self.context = context
    self.log = log
  }

  // MARK: - When it is due

  /// Whether the store has listeners and no lease yet.
  var isNeeded: Bool {
    context.options.maintainsFile && !context.isClosed && context.broadcaster.hasListeners
      && state.withLock { $0.reader == nil }
  }

  /// Whether a commit or a maintenance transaction should renew the lease.
  var isDue: Bool { isOlder(than: ReaderLease.renewal) }

  /// Whether an idle store should renew the lease.
  var isOld: Bool { isOlder(than: ReaderLease.duration / 2) }

  private func isOlder(than seconds: Int64) -> Bool {
    let now = context.options.now()
    return state.withLock { $0.reader != nil && now - $0.renewed >= seconds }
  }

  // MARK: - In a transaction of its own

  /// Enters the store into the table of readers.
  func take(on database: Database, in session: CommitSession) throws {
    guard isNeeded, session.isLogged, !database.isInsideTransaction else { return }
    state.withLock { $0.reader = Int64.random(in: 1 ... .max) }
    do {
      try session.runMaintenance(on: database) {
        try ChangeLogFormat.addOwners(on: database)
        try ReaderLease.removeEnded(now: context.options.now(), on: database)
        try renew(on: database)
      }
    } catch {
      state.withLock { $0.reader = nil }
      throw error
    }
  }

  /// Renews the lease of an idle store if it is old.
  func renewIfOld(on database: Database, in session: CommitSession) throws {
    guard isOld, !database.isInsideTransaction else { return }
    try session.runMaintenance(on: database) { try renew(on: database) }
  }

  /// Removes the store from the table of readers.
  func giveUp(on database: Database, in session: CommitSession) throws {
    let reader = state.withLock { $0.reader.take() }
    guard let reader, !database.isInsideTransaction else { return }
    // A program that exits does not wait for other writers: the lease expires by itself.
    if context.ownsWriter { sqlite3_busy_timeout(database.sqliteConnection, 100) }
    try session.runMaintenance(on: database) { try ReaderLease.remove(reader, on: database) }
  }

  /// Forgets the lease, whose table was dropped.
  func forget() { state.withLock { $0.reader = nil } }

  // MARK: - In an open transaction

  /// Counts a commit, and renews the lease in its transaction if it is time.
  func noteCommit(on database: Database) throws {
    let isCheckDue = state.withLock { state in
      state.commits += 1
      return state.reader != nil && state.commits % ReaderLease.commitsBetweenChecks == 0
    }
    guard isCheckDue else { return }
    if isDue || state.withLock({ $0.commits >= ReaderLease.renewalCommits }) {
      try renew(on: database)
    }
  }

  /// Writes the store's progress and the time into its row; without listeners it removes the row.
  func renew(on database: Database) throws {
    guard context.broadcaster.hasListeners else {
      // No listener would report progress any more, and the log would be retained for as long as the store is open.
      guard let reader = state.withLock({ $0.reader.take() }) else { return }
      return try ReaderLease.remove(reader, on: database)
    }
    let now = context.options.now()
    let reader = state.withLock { state in
      state.renewed = now
      state.commits = 0
      return state.reader
    }
    guard let reader else { return }
    let hasOwners = try ChangeLogFormat.hasOwners(on: database)
    let (columns, marks) = hasOwners ? (", owner", ", ?") : ("", "")
    let statement = try PreparedStatement(
      """
      INSERT OR REPLACE INTO _results_reader (id, sequence, renewed\(columns))
      VALUES (?, ?, ?\(marks))
      """,
      on: database
    )
    if hasOwners { try statement.bind(ReaderLease.owner.map { .text($0) } ?? .null, at: 4) }
    try statement.bind(.integer(reader), at: 1)
    try statement.bind(.integer(Int64(clamping: log.consumed)), at: 2)
    try statement.bind(.integer(now), at: 3)
    try statement.run()
  }

  /// Removes readers whose lease has expired or whose process has ended.
  /// - Parameters:
  ///   - now: The time in seconds since 1970.
  ///   - database: A connection in a write transaction.
  /// - Throws: SQLite's failures.
  static func removeEnded(now: Int64, on database: Database) throws {
    // A renewal in the future is from a clock that was ahead; that lease would last until this clock has caught up.
    try database.run(
      """
      DELETE FROM _results_reader
      WHERE renewed NOT BETWEEN \(now - duration) AND \(now + duration)
      """
    )
    for reader in try ChangeLogFormat.endedReaders(on: database) {
      try remove(reader, on: database)
    }
  }

  private static func remove(_ reader: Int64, on database: Database) throws {
    try database.run("DELETE FROM _results_reader WHERE id = \(reader)")
  }

  // MARK: - Processes

  /// What identifies this process, or `nil` where the system does not provide it.
  static let owner: String? = {
    var mark = [CChar](repeating: 0, count: 256)
    guard results_process_mark(&mark, Int32(mark.count)) != 0 else { return nil }
    return String(decoding: mark.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// Whether a lease's owner is known to have exited.
  static func hasEnded(_ owner: String) -> Bool { results_process_has_ended(owner) != 0 }
}
