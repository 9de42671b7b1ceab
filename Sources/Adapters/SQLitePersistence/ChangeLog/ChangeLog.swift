import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

/// A database's change log as this store object knows it: its layout, the newest version seen, and the commits made here.
///
/// `state` is guarded by one lock; no other lock is taken under it. Every connection may change `layout`, `seen` and `rewinds`
/// (`position(on:floor:)`); `notified` and `ring` are changed on the writing connection; `consumed` also by listeners.
final class ChangeLog: Sendable {
  /// A version of the database, as a transaction sees it.
  struct Position: Sendable {
    let layout: ChangeLogLayout
    /// SQLite's version of the schema.
    let cookie: Int64
    let version: StoreVersion
    /// The random number of the version's row of the log, or `nil` if the log has no row, or the row no number.
    let stamp: Int64?
  }

  /// The newest row of a log that was seen.
  struct Seen: Sendable {
    fileprivate var epoch: UInt64 = 0
    fileprivate var sequence: UInt64 = 0
    /// The row's random number, which differs from that of the row with the same sequence number in a restored copy.
    ///
    /// `nil` if it was not read.
    fileprivate var stamp: Int64?
  }

  private struct State {
    /// The layout, and the version of the schema at which it was read.
    var layout: (cookie: Int64, layout: ChangeLogLayout?)?
    /// How often the log turned out to be an older state of itself, as after a restore.
    var rewinds: UInt64 = 0
    /// The newest version that was seen.
    var seen = Seen()
    /// The sequence number that listeners were notified of last.
    var notified: UInt64 = 0
    /// The sequence number up to which the history is no longer needed.
    var consumed: UInt64 = 0
    /// Whether the listeners report their progress themselves.
    var hasReportedProgress = false
    var ring: CommitRing

    /// The epoch of a version of the log.
    func epoch(of log: UInt64) -> UInt64 { log &+ rewinds &* 0x9E37_79B9_7F4A_7C15 }

    /// Treats everything known as the history of another database.
    mutating func rewind() {
      rewinds += 1
      ring.removeAll()
      // The restored log may have the same sequence number.
      notified = .max
      consumed = 0
    }
  }

  let tables: StoreTables
  /// The random number that marks the commits of this object.
  let writer: Int64
  private let state: Mutex<State>

  /// A log of which nothing has been read.
  /// - Parameters:
  ///   - tables: The tables of the store's entities.
  ///   - capacity: How many changed rows of this object's commits are remembered.
  ///   - rewinds: How often the store's log was rewound before, in this file or another.
  init(_ tables: StoreTables, capacity: Int, rewinds: UInt64) {
    self.tables = tables
    writer = Int64.random(in: .min ... .max)
    state = Mutex(State(rewinds: rewinds, ring: CommitRing(capacity: capacity)))
  }

  /// How often the log turned out to be an older state of itself, as after a restore.
  var rewinds: UInt64 { state.withLock { $0.rewinds } }

  /// Whether the log misses changes, as its last reader has found.
  var isMisfit: Bool { state.withLock { $0.layout.map { $0.layout == nil } ?? false } }

  /// What is wrong with a log that misses changes.
  static let problem =
    "the triggers that record changes of other programs are missing or were changed"

  /// The newest version that was seen; the floor of what a later transaction may find.
  var seen: Seen { state.withLock { $0.seen } }
}

// MARK: - Reading the position

extension ChangeLog {
  /// Reads the database's position, in the open transaction.
  /// - Parameters:
  ///   - database: A connection in a transaction.
  ///   - floor: What `seen` was before the transaction began; `nil` if the transaction has written into the log.
  /// - Returns: `nil` if there is no log, or one that misses changes.
  /// - Throws: SQLite's failures.
  func position(on database: Database, floor: Seen?) throws -> Position? {
    let cookie = try database.integer("PRAGMA main.schema_version")
    let layout = try layout(on: database, cookie: cookie, after: floor ?? seen)
    guard let layout else { return nil }
    let (sequence, stamp, isNumber) = try ChangeLog.newest(on: database)
    guard sequence <= ChangeLogFormat.greatestSequence else { return nil }
    let epoch = state.withLock { state in
      // A row that is not committed yet may be rolled back, so it does not count as seen.
      guard let floor else { return state.epoch(of: layout.epoch) }
      let isOlder =
        sequence < floor.sequence
        || sequence == floor.sequence && floor.stamp != nil && floor.stamp != stamp
      let found = Seen(epoch: layout.epoch, sequence: sequence, stamp: stamp)
      if floor.epoch == layout.epoch, isOlder {
        // The database was restored from a copy: the same sequence numbers may stand for other changes.
        state.rewind()
        state.seen = found
      } else if state.seen.epoch != layout.epoch || sequence >= state.seen.sequence {
        state.seen = found
      }
      return state.epoch(of: layout.epoch)
    }
    return Position(
      layout: layout,
      cookie: cookie,
      version: StoreVersion(epoch: epoch, sequence: sequence),
      stamp: isNumber ? stamp : nil
    )
  }

  /// Like `position(on:floor:)`, but a log whose pages are damaged counts as no log.
  func readablePosition(on database: Database, floor: Seen?) throws -> Position? {
    do {
      return try position(on: database, floor: floor)
    } catch {
      guard SQLiteFailure(error)?.primaryCode == SQLITE_CORRUPT else { throw error }
      return nil
    }
  }

  /// Whether a position that was read earlier still holds for a database whose content has not changed since.
  ///
  /// The floor is what `seen` was before the transaction began.
  func isCurrent(_ known: Position, floor: Seen) -> Bool {
    state.withLock { state in
      guard let (cookie, layout) = state.layout, cookie == known.cookie, let layout else {
        return false
      }
      return floor.epoch == layout.epoch && floor.sequence <= known.version.sequence
        && known.version.epoch == state.epoch(of: layout.epoch)
    }
  }

  /// The sequence number of the newest row.
  static func sequence(on database: Database) throws -> UInt64 { try newest(on: database).0 }

  /// The sequence number and the random number of the newest row, and whether the latter is stored as a number.
  private static func newest(on database: Database) throws -> (UInt64, Int64?, isNumber: Bool) {
    let statement = try PreparedStatement(
      "SELECT sequence, stamp FROM main._results_log ORDER BY sequence DESC LIMIT 1",
      on: database
    )
    defer { statement.reset() }
    guard try statement.step() else { return (0, nil, false) }
    let isNumber = sqlite3_column_type(statement.pointer, 1) == SQLITE_INTEGER
    return (
      UInt64(clamping: sqlite3_column_int64(statement.pointer, 0)),
      sqlite3_column_int64(statement.pointer, 1),
      isNumber
    )
  }

  /// Drops the layout, so that it is read again.
  func forgetLayout() {
    state.withLock { $0.layout = nil }
  }

  private func layout(
    on database: Database,
    cookie: Int64,
    after anchor: Seen
  ) throws -> ChangeLogLayout? {
    let known = state.withLock { $0.layout }
    if let known, known.cookie == cookie { return known.layout }
    let layout = try ChangeLogLayout.read(of: tables, on: database)
    // Restoring a copy always changes the schema's version.
    let isOther = try layout.map { try hasOtherPast(than: anchor, $0, on: database) } ?? false
    state.withLock { state in
      state.layout = (cookie, layout)
      if isOther { state.rewind() }
    }
    return layout
  }

  /// Whether the log is not a continuation of the one that was seen, although it has the same epoch.
  private func hasOtherPast(
    than anchor: Seen,
    _ layout: ChangeLogLayout,
    on database: Database
  ) throws -> Bool {
    guard anchor.epoch == layout.epoch, let stamp = anchor.stamp else { return false }
    let statement = try PreparedStatement(
      "SELECT stamp FROM main._results_log WHERE sequence = ?",
      on: database
    )
    defer { statement.reset() }
    try statement.bind(.integer(Int64(clamping: anchor.sequence)), at: 1)
    // A row that was removed since proves nothing.
    guard try statement.step() else { return true }
    return sqlite3_column_int64(statement.pointer, 0) != stamp
  }
}

// MARK: - Commits and notifications

extension ChangeLog {
  /// Remembers a commit that was made here.
  /// - Parameters:
  ///   - entry: Its changes, if they are known.
  ///   - sequence: The sequence number of its last row in the log.
  ///   - stamp: The random number of that row, if it is known.
  /// - Returns: Whether listeners must be notified.
  func remember(_ entry: CommitRing.Entry?, sequence: UInt64, stamp: Int64?) -> Bool {
    state.withLock { state in
      if let entry { state.ring.append(entry) }
      if sequence > state.seen.sequence {
        (state.seen.sequence, state.seen.stamp) = (sequence, stamp)
      }
      defer { state.notified = sequence }
      return state.notified != sequence
    }
  }

  /// Notes a version that the writing connection has seen.
  /// - Returns: Whether listeners must be notified.
  func markNotified(_ sequence: UInt64) -> Bool {
    state.withLock { state in
      defer { state.notified = sequence }
      return state.notified != sequence
    }
  }

  /// Whether listeners were already notified of the newest version.
  /// - Parameters:
  ///   - sequence: The newest sequence number of the log.
  ///   - cookie: The schema's version.
  /// - Returns: `false` also if the log may miss changes.
  func hasNotified(_ sequence: Int64, cookie: Int64) -> Bool {
    state.withLock { state in
      guard let (known, layout) = state.layout else { return false }
      return state.notified == UInt64(clamping: sequence) && known == cookie && layout != nil
    }
  }

  /// The commits between two versions, or `nil` if the ring does not hold all of them, such as those of others.
  func rememberedRecords(
    after old: UInt64,
    through new: StoreVersion,
    ofTables tables: [Int]
  ) -> [CommitRecord]? {
    state.withLock { state in
      if !state.hasReportedProgress { state.consumed = max(state.consumed, new.sequence) }
      var histories: [[CommitRecord]] = []
      for table in tables {
        let history = state.ring.history(
          after: old,
          through: new.sequence,
          epoch: new.epoch,
          ofTable: table
        )
        guard case .commits(let records) = history else { return nil }
        histories.append(records)
      }
      return CommitRecord.merging(histories)
    }
  }
}

// MARK: - Progress of listeners

extension ChangeLog {
  /// The sequence number up to which the history is no longer needed.
  var consumed: UInt64 { state.withLock { $0.consumed } }

  /// Notes that the listeners need no history up to a sequence number.
  func consume(through sequence: UInt64) {
    state.withLock { $0.consumed = max($0.consumed, sequence) }
  }

  /// Notes the version that the listeners have reached.
  ///
  /// From then on only these reports count, not the histories that are read: a list over an index also reads the history of a version it
  /// showed before, which reaches further than other lists have advanced.
  func releaseHistory(through version: StoreVersion) {
    state.withLock { state in
      guard version.epoch == state.epoch(of: state.seen.epoch) else { return }
      state.hasReportedProgress = true
      state.consumed = max(state.consumed, version.sequence)
    }
  }
}
