#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

/// What the parts of one open store share.
final class StoreContext: Sendable {
  /// The store's name for messages.
  let path: String
  let tables: StoreTables
  let options: PostgreSQLStoreOptions
  let changes: any ChangeSource
  /// How indexes answer for lists.
  let orderedPlans = OrderedPlanCache()
  /// Whether the server refuses writes, as a standby does.
  let isStandby: Bool

  init(
    path: String,
    tables: StoreTables,
    options: PostgreSQLStoreOptions,
    changes: any ChangeSource,
    isStandby: Bool
  ) {
    self.path = path
    self.tables = tables
    self.options = options
    self.changes = changes
    self.isStandby = isStandby
  }

  /// The table that transactions lock to take turns, in SQL; `nil` if there is none.
  var turn: String? { changes.turn }

  /// Runs a closure, and translates a failure of the server.
  func translating<Result>(
    _ body: () throws(PostgreSQLFailure) -> Result
  ) throws(StoreError) -> Result {
    do {
      return try body()
    } catch {
      throw error.storeError(path: path, waited: options.busyTimeout)
    }
  }
}
#endif
