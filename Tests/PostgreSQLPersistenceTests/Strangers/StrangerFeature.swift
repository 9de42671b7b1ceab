#if PostgreSQL
import Foundation

/// Something that a random database on a server or its writers may have.
///
/// `RESULTS_STRANGERS_WITHOUT` leaves features out, by name with commas.
enum StrangerFeature: String, CaseIterable, Sendable {
  /// Names with quotes, spaces, words of SQL, and any Unicode.
  case strangeNames
  /// Domains, enumerations, collations, generated columns.
  case ownTypes
  /// Partitioned tables.
  case partitions
  /// Partitions are attached, detached, emptied and dropped.
  case changedPartitions
  /// Tables with children.
  case inheritance
  /// Children are added, released, emptied and dropped.
  case changedChildren
  /// Row triggers that change their row, ignore it, or refuse it.
  case rowTriggers
  /// Triggers that change other rows of the table.
  case nestedTriggers
  /// Rules.
  case rules
  /// Columns are added.
  case addedColumns
  /// Columns are renamed or dropped.
  case changedColumns
  /// Tables are renamed, dropped and made again.
  case changedTables
  /// Two tables swap their names.
  case swaps
  /// Triggers are switched off, and on again.
  case disabledTriggers
  /// Triggers of the log are dropped.
  case droppedTriggers
  /// TRUNCATE.
  case truncation
  /// VACUUM FULL, CLUSTER, REINDEX, ANALYZE.
  case maintenance
  /// Writers that may change the tables and nothing else, and readers with the documented rights.
  case roles
  /// Rights are taken from a reader while its list is shown.
  case revokedRights

  /// The features that are used.
  static let used: Set<StrangerFeature> = {
    let text = ProcessInfo.processInfo.environment["RESULTS_STRANGERS_WITHOUT"] ?? ""
    return Set(allCases)
      .subtracting(text.split(separator: ",").compactMap { Self(rawValue: String($0)) })
  }()
}
#endif
