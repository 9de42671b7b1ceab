import ResultsDomain
import Synchronization

/// How a store hears of changes, and of whose.
public struct SQLiteCapture: Hashable, Sendable {
  /// Who writes changes down.
  public enum Mode: String, Hashable, Sendable {
    /// The store its own commits, one row of the log each; the database's triggers those of everybody else.
    case hookAndLog
    /// The database's triggers, for every writer; own commits cost more.
    case triggersAndLog
    /// Nobody: the object hears what it does itself, and finds the commits of others by reading again.
    case thisObjectOnly
  }

  /// Who writes changes down.
  public let mode: Mode
  /// Why it is not better, or `nil`.
  public let reason: String?
}

extension SQLiteCapture: CustomStringConvertible {
  /// The mode and the reason, for a person to read.
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
  /// How changes are heard of at present; it can change with the database's schema.
  public var capture: SQLiteCapture {
    let (mode, reason) = core.state.withLock { ($0.writing.mode, $0.writing.reason) }
    switch (mode, core.catalog) {
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
    if !capabilities.isDurable, ownsWriter { return "nobody else reaches a database in memory" }
    if core.options.maintainsChangeLog == false { return "no log is wanted" }
    if core.options.adoptsTables {
      guard let reason = core.reasonForInexactHook else { return "adopted tables" }
      return
        "adopted tables; \(reason), so that changes by SQL of the application's own are found by"
        + " reading again; with maintainsChangeLog they are told row by row"
    }
    return capabilities.isReadOnly ? "the file has no log" : nil
  }
}
