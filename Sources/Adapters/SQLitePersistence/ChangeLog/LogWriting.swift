/// How the commits of the writing connection come into the log, and what of that is under way.
struct LogWriting: Sendable {
  /// Who writes the log.
  enum Mode: Sendable {
    /// Nobody: the database has no log, or one that does not hear every change.
    case none
    /// The store itself, one row a commit; triggers are off.
    case packed
    /// The triggers, one row a change; the store says which of them are one commit.
    case triggers
  }

  var mode = Mode.none
  /// Why it is not the store itself.
  var reason: String?
  /// The version of the schema that the connection was prepared for.
  var preparedCookie: Int64?
  /// The version of the schema at which putting the log in order did not help.
  var hopelessCookie: Int64?
  /// Whether triggers run although the store packs its changes, since somebody made some in this transaction.
  var triggersRun = false
  /// Whether the application's own SQL has run in this transaction.
  var hasForeignSQL = false
  /// Whether something was committed within a transaction of the store, so that it was not packed.
  var hasStrayCommit = false
  /// How many commits were made since old ones were removed.
  var commitsSinceTrim = 0
  /// How many bytes of packed changes were written since.
  var bytesSinceTrim = 0

  /// The row of the log that the transaction wrote last, if the store itself did.
  var lastRow: LogRow?

  /// Whether something that was prepared or read of the schema is undone with the transaction that runs.
  var isProvisional = false

  /// Forgets what a transaction that was undone had prepared.
  mutating func forgetTransaction() {
    if isProvisional || triggersRun { preparedCookie = nil }
    isProvisional = false
    hasForeignSQL = false
    lastRow = nil
  }
}

/// A row of the log that the store wrote, and the random number that it drew for it.
struct LogRow: Sendable {
  let sequence: UInt64
  private let stamp: Int64

  init(sequence: UInt64, stamp: Int64) {
    self.sequence = sequence
    self.stamp = stamp
  }

  /// The random number, if the row is the one of a number.
  func stamp(of sequence: UInt64) -> Int64? { self.sequence == sequence ? stamp : nil }
}
