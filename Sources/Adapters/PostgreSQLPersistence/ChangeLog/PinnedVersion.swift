#if PostgreSQL
import ResultsDomain

/// A version that a connection's open transaction sees.
struct PinnedVersion: Sendable {
  let version: StoreVersion
  /// What the transaction sees of the change log, if there is one.
  var reading: LogReading?

  init(version: StoreVersion, reading: LogReading? = nil) {
    (self.version, self.reading) = (version, reading)
  }
}

/// A version that is probably still the present one.
///
/// Snapshots grow: the numbers that are visible in one stay visible. So if a statement is followed by one whose snapshot is that of the
/// version, it has seen the version too.
struct ExpectedVersion: Sendable {
  let version: StoreVersion
  /// The mark of the version's snapshot.
  let mark: Mark

  /// The statement that returns the present snapshot.
  static let question = Statement(
    "SELECT pg_catalog.pg_current_snapshot()::pg_catalog.text",
    planning: .either
  )

  /// The statement after which a flight does not wait for a table, since it may hold another one; the flight then fails.
  static let impatience = Statement(
    "SELECT pg_catalog.set_config('lock_timeout', '20ms', true)",
    planning: .either
  )

  /// Whether the answer to the question is the version's snapshot.
  func isConfirmed(by result: QueryResult?) -> Bool {
    guard let text = result?.text(0, 0), let snapshot = SnapshotText(text) else { return false }
    return Mark.running(snapshot) == mark
  }
}

/// What a transaction sees of the change log.
struct LogReading: Sendable {
  /// The transactions of the log that are visible.
  let mark: Mark
  /// The first transaction whose rows the log still has.
  let trimmed: UInt64
  /// How the tables are captured.
  let layout: CaptureLayout
  let life: ServerLife
}
#endif
