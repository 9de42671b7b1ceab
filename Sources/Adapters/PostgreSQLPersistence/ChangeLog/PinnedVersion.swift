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
