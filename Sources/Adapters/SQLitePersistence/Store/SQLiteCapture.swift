import ResultsDomain
import ResultsStoreKit

/// How a store records changes, and whose.
public struct SQLiteCapture: Hashable, Sendable {
  /// What records changes.
  public enum Mode: String, Hashable, Sendable {
    /// The store records its own commits, in one row of the log each; the database's triggers record those of all others.
    case hookAndLog
    /// The database's triggers record the changes of every writer; the store's own commits cost more.
    case triggersAndLog
    /// Nothing is recorded: the object knows its own commits, and finds those of others by reading again.
    case thisObjectOnly
  }

  /// What records changes.
  public let mode: Mode
  /// Why no better mode is used, or `nil`.
  public let reason: String?
}

extension SQLiteCapture: CustomStringConvertible {
  /// The mode and the reason, as text to print.
  public var description: String {
    let text =
      switch mode {
      case .hookAndLog: "hook + log"
      case .triggersAndLog: "triggers + log"
      case .thisObjectOnly: "this object only: commits of others are found by reading again"
      }
    return reason.map { "\(text) (\($0))" } ?? text
  }
}

extension SQLiteStore {
  /// How changes are recorded at present; it can change with the database's schema.
  public var capture: SQLiteCapture {
    let log = database.session.log
    let (mode, reason) = log?.status ?? (.none, nil)
    switch (mode, log) {
    case (.packed, _): return SQLiteCapture(mode: .hookAndLog, reason: nil)
    case (.triggers, _): return SQLiteCapture(mode: .triggersAndLog, reason: reason)
    case (.none, .some) where capabilities.isReadOnly:
      return SQLiteCapture(mode: .triggersAndLog, reason: "the store is open for reading only")
    case (.none, .some):
      return SQLiteCapture(mode: .thisObjectOnly, reason: "the log does not fit the tables")
    case (.none, nil):
      return SQLiteCapture(mode: .thisObjectOnly, reason: reasonForNoLog)
    }
  }

  private var reasonForNoLog: String? {
    if !capabilities.isDurable, database.context.ownsWriter {
      return "a database in memory has no other users"
    }
    if database.context.options.maintainsChangeLog == false { return "the change log is disabled" }
    if database.context.options.adoptsTables {
      guard let reason = database.session.capture.reasonForInexactHook else {
        return "adopted tables"
      }
      return
        "adopted tables; \(reason), so that changes by the application's own SQL are found by"
        + " reading again; with maintainsChangeLog they are recorded row by row"
    }
    return capabilities.isReadOnly ? "the file has no log" : nil
  }
}
