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
  }

  private struct State {
    /// The schema's version at which the layout was read, and the layout.
    var layout: (cookie: Int64, layout: LogLayout?)?
    /// A row of the log that must still be there when the layout is read anew.
    var anchor: (sequence: Int64, stamp: Int64)?
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
    guard let layout = try layout(on: database, cookie: cookie) else { return nil }
    let sequence = try LogCatalog.sequence(on: database)
    let epoch = state.withLock { state in
      // What is not committed yet may be undone, and was then never seen.
      guard let floor else { return state.epoch(of: layout.epoch) }
      if floor.epoch == layout.epoch, sequence < floor.sequence {
        // The database was restored from a copy: the same numbers may mean other changes.
        state.rewind()
        state.seen.sequence = sequence
      } else if state.seen.epoch == layout.epoch {
        state.seen.sequence = max(state.seen.sequence, sequence)
      } else {
        state.seen = Seen(epoch: layout.epoch, sequence: sequence)
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
  static func sequence(on database: Database) throws -> UInt64 {
    try UInt64(clamping: database.integer(LogFormat.markQuery))
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
    state.withLock { state in
      state.layout = nil
      state.anchor = nil
    }
  }

  private func layout(on database: Database, cookie: Int64) throws -> LogLayout? {
    let known = state.withLock { $0.layout }
    if let known, known.cookie == cookie { return known.layout }
    let layout = try LogLayout(of: tables, on: database)
    if let layout { try checkAnchor(on: database, layout) }
    state.withLock { $0.layout = (cookie, layout) }
    return layout
  }

  private func checkAnchor(on database: Database, _ layout: LogLayout) throws {
    let newest = try GRDB.Row.fetchOne(
      database,
      sql: "SELECT sequence, stamp FROM main._results_log ORDER BY sequence DESC LIMIT 1"
    )
    var isOther = false
    if let anchor = state.withLock({ $0.anchor }) {
      let stamp = try Int64.fetchOne(
        database,
        sql: "SELECT ifnull(stamp, 0) FROM main._results_log WHERE sequence = ?",
        arguments: [anchor.sequence]
      )
      if let stamp, stamp != anchor.stamp { isOther = true }
    }
    let sequence: Int64 = newest?["sequence"] ?? 0
    let stamp: Int64 = newest?["stamp"] ?? 0
    state.withLock { state in
      state.anchor = (sequence, stamp)
      guard isOther else { return }
      state.rewind()
    }
  }
}

extension LogCatalog {
  /// Remembers a commit that was made here.
  /// - Returns: Whether it must be hinted at.
  func remember(_ entry: CommitRing.Entry?, sequence: UInt64) -> Bool {
    state.withLock { state in
      if let entry { state.ring.append(entry) }
      state.seen.sequence = max(state.seen.sequence, sequence)
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
