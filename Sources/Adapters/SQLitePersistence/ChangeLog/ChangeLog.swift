import CSQLiteHooks
import GRDB
import ResultsDomain
import Synchronization

/// What a store object knows of its database's log: how it is laid out, where it stands, and the commits made here.
final class LogCatalog: Sendable {
  /// A version of the database, as a transaction sees it.
  struct Position: Sendable {
    let layout: LogLayout
    /// The schema's version.
    let cookie: Int64
    let version: StoreVersion
  }

  /// How far a log had come.
  struct Seen: Sendable {
    fileprivate var epoch: UInt64 = 0
    fileprivate var sequence: UInt64 = 0
    /// The random number of the row with that number, which another past has another of.
    ///
    /// `nil` if it was not read.
    fileprivate var stamp: Int64?
  }

  private struct State {
    /// The schema's version at which the layout was read, and the layout.
    var layout: (cookie: Int64, layout: LogLayout?)?
    /// How often the log was found to have gone back.
    var rewinds: UInt64 = 0
    /// The newest version that was seen.
    var seen = Seen()
    /// The version that was hinted at last.
    var told: UInt64 = 0
    /// The version up to which the history is needed no more.
    var consumed: UInt64 = 0
    /// Whether those who listen say themselves how far they are.
    var isToldOfProgress = false
    var ring: CommitRing

    /// The epoch of versions of a log.
    func epoch(of log: UInt64) -> UInt64 { log &+ rewinds &* 0x9E37_79B9_7F4A_7C15 }

    /// Takes what is known for the past of another database.
    mutating func rewind() {
      rewinds += 1
      ring.removeAll()
      // The other past may have come as far.
      told = .max
      consumed = 0
    }
  }

  let tables: StoreTables
  /// What tells the commits of this object from those of others.
  let writer: Int64
  private let state: Mutex<State>

  /// What is known before anything was read.
  /// - Parameters:
  ///   - tables: The tables of the store's entities.
  ///   - capacity: How many changed rows of own commits are remembered.
  ///   - rewinds: How often the store's log went back before, under this file or another.
  init(_ tables: StoreTables, capacity: Int, rewinds: UInt64) {
    self.tables = tables
    writer = Int64.random(in: .min ... .max)
    state = Mutex(State(rewinds: rewinds, ring: CommitRing(capacity: capacity)))
  }

  /// How often the log was found to have gone back.
  var rewinds: UInt64 { state.withLock { $0.rewinds } }

  /// Whether nothing could have happened that was not hinted at.
  /// - Parameters:
  ///   - sequence: The newest number of the log.
  ///   - cookie: The schema's version.
  /// - Returns: Whether the version was hinted at last, and the log hears every change.
  func hasTold(_ sequence: Int64, cookie: Int64) -> Bool {
    state.withLock { state in
      guard let (known, layout) = state.layout else { return false }
      return state.told == UInt64(clamping: sequence) && known == cookie && layout != nil
    }
  }

  /// The newest version that was seen; what is read from now on is not older.
  var seen: Seen { state.withLock { $0.seen } }

  /// The version up to which the history is needed no more.
  var consumed: UInt64 { state.withLock { $0.consumed } }

  /// Where the database stands, in the transaction that is open.
  ///
  /// The floor is what `seen` was before the transaction began; `nil` if it has written into the log.
  /// - Returns: `nil` if there is no log that hears every change.
  func position(on database: Database, floor: Seen?) throws -> Position? {
    let cookie = try database.integer("PRAGMA main.schema_version")
    let layout = try layout(on: database, cookie: cookie, after: floor ?? seen)
    guard let layout else { return nil }
    let (sequence, stamp) = try LogCatalog.newest(on: database)
    guard sequence <= LogFormat.greatestSequence else { return nil }
    let epoch = state.withLock { state in
      // What is not committed yet may be undone, and was then never seen.
      guard let floor else { return state.epoch(of: layout.epoch) }
      let isBack =
        sequence < floor.sequence
        || sequence == floor.sequence && floor.stamp != nil && floor.stamp != stamp
      let found = Seen(epoch: layout.epoch, sequence: sequence, stamp: stamp)
      if floor.epoch == layout.epoch, isBack {
        // The database was restored from a copy: the same numbers may mean other changes.
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
      version: StoreVersion(epoch: epoch, sequence: sequence)
    )
  }

  /// Whether a position that was found before is where a database stands whose contents are still the same.
  ///
  /// The floor is what `seen` was before the transaction began.
  func stands(at known: Position, floor: Seen) -> Bool {
    state.withLock { state in
      guard let (cookie, layout) = state.layout, cookie == known.cookie, let layout else {
        return false
      }
      return floor.epoch == layout.epoch && floor.sequence <= known.version.sequence
        && known.version.epoch == state.epoch(of: layout.epoch)
    }
  }

  /// As `position(on:floor:)`; a log whose pages are damaged is no log.
  func readablePosition(on database: Database, floor: Seen?) throws -> Position? {
    do {
      return try position(on: database, floor: floor)
    } catch {
      guard SQLiteFailure(error)?.primaryCode == SQLITE_CORRUPT else { throw error }
      return nil
    }
  }

  /// The number of the newest row of the log.
  static func sequence(on database: Database) throws -> UInt64 { try newest(on: database).0 }

  /// The number of the newest row of the log, and its random number.
  private static func newest(on database: Database) throws -> (UInt64, Int64?) {
    let statement = try PreparedStatement(
      "SELECT sequence, stamp FROM main._results_log ORDER BY sequence DESC LIMIT 1",
      on: database
    )
    defer { statement.reset() }
    guard try statement.step() else { return (0, nil) }
    return (
      UInt64(clamping: sqlite3_column_int64(statement.pointer, 0)),
      sqlite3_column_int64(statement.pointer, 1)
    )
  }

  /// Notes that what was committed up to a version is known to those who listen.
  func consume(through sequence: UInt64) {
    state.withLock { $0.consumed = max($0.consumed, sequence) }
  }

  /// Notes that those who listen were led to a version.
  ///
  /// From then on only that counts: a list over an index also asks for the history of what it showed before, which reaches further than
  /// others that are being led on have come.
  func catchUp(to version: StoreVersion) {
    state.withLock { state in
      guard version.epoch == state.epoch(of: state.seen.epoch) else { return }
      state.isToldOfProgress = true
      state.consumed = max(state.consumed, version.sequence)
    }
  }

  /// Forgets what was read of the schema.
  func forgetLayout() {
    state.withLock { $0.layout = nil }
  }

  private func layout(
    on database: Database,
    cookie: Int64,
    after anchor: Seen
  ) throws -> LogLayout? {
    let known = state.withLock { $0.layout }
    if let known, known.cookie == cookie { return known.layout }
    let layout = try LogLayout(of: tables, on: database)
    // Restoring a copy always gives the schema another version.
    let isOther = try layout.map { try hasOtherPast(than: anchor, $0, on: database) } ?? false
    state.withLock { state in
      state.layout = (cookie, layout)
      if isOther { state.rewind() }
    }
    return layout
  }

  /// Whether the log is not the one that had come so far, although it says to be.
  private func hasOtherPast(
    than anchor: Seen,
    _ layout: LogLayout,
    on database: Database
  ) throws -> Bool {
    guard anchor.epoch == layout.epoch, let stamp = anchor.stamp else { return false }
    let statement = try PreparedStatement(
      "SELECT stamp FROM main._results_log WHERE sequence = ?",
      on: database
    )
    defer { statement.reset() }
    try statement.bind(.integer(Int64(clamping: anchor.sequence)), at: 1)
    // A row that was removed since can prove nothing.
    guard try statement.step() else { return true }
    return sqlite3_column_int64(statement.pointer, 0) != stamp
  }
}

extension LogCatalog {
  /// Remembers a commit that was made here.
  /// - Parameters:
  ///   - entry: What it changed, if that is known.
  ///   - sequence: The number of its last row in the log.
  ///   - stamp: The random number of that row, if it is known.
  /// - Returns: Whether it must be hinted at.
  func remember(_ entry: CommitRing.Entry?, sequence: UInt64, stamp: Int64?) -> Bool {
    state.withLock { state in
      if let entry { state.ring.append(entry) }
      if sequence > state.seen.sequence {
        (state.seen.sequence, state.seen.stamp) = (sequence, stamp)
      }
      defer { state.told = sequence }
      return state.told != sequence
    }
  }

  /// Notes that a version was seen by the writing connection.
  /// - Returns: Whether it must be hinted at.
  func tell(_ sequence: UInt64) -> Bool {
    state.withLock { state in
      defer { state.told = sequence }
      return state.told != sequence
    }
  }

  /// The commits made here between two versions, if there were no others.
  func ownRecords(
    after old: UInt64,
    through new: StoreVersion,
    ofTable table: Int
  ) -> [CommitRecord]? {
    state.withLock { state in
      if !state.isToldOfProgress { state.consumed = max(state.consumed, new.sequence) }
      return state.ring.records(
        after: old,
        through: new.sequence,
        epoch: new.epoch,
        ofTable: table
      )
    }
  }
}
