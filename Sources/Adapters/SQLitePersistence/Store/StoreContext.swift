import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

/// What the parts of one open database share: its constants, and whether it is closed.
final class StoreContext: Sendable {
  let path: String
  /// The store's name, which its database persists.
  let uniqueName: String
  let tables: StoreTables
  let options: SQLiteStoreOptions
  /// Whether the store opened the database, so that nothing else uses the writing connection.
  let ownsWriter: Bool
  /// The file, if it belongs to others, has a rollback journal and is only read.
  let foreignFile: ForeignFile?
  /// The store's listeners; they outlive this database if another file takes its path.
  let broadcaster: CommitBroadcaster
  /// The lists that an index is known to serve, or not to serve.
  let orderedPlans = OrderedPlanCache()
  /// Whether the tables still fit their entities.
  let tableChecks = TableChecks()
  /// The statements that find the objects of foreign keys.
  let referrerStatements = ReferrerStatementCache()
  /// Set once, by `close()`.
  private let closed = Atomic(false)

  init(
    path: String,
    uniqueName: String,
    tables: StoreTables,
    options: SQLiteStoreOptions,
    ownsWriter: Bool,
    foreignFile: ForeignFile?,
    broadcaster: CommitBroadcaster
  ) {
    self.path = path
    self.uniqueName = uniqueName
    self.tables = tables
    self.options = options
    self.ownsWriter = ownsWriter
    self.foreignFile = foreignFile
    self.broadcaster = broadcaster
  }

  /// How long a call waits for another writer.
  var busyTimeout: Duration { options.busyTimeout }

  /// Whether the database is in memory.
  var isMemory: Bool { path.isInMemory }

  var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Makes later calls fail.
  /// - Returns: Whether the database was open.
  func close() -> Bool { !closed.exchange(true, ordering: .sequentiallyConsistent) }

  /// Fails if the database is closed.
  func checkOpen() throws(StoreError) {
    guard !isClosed else { throw .closed(path: path) }
  }

  /// Runs a closure and translates the errors it throws.
  func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do {
      return try body()
    } catch {
      if !(error is StoreError), isClosed { throw .closed(path: path) }
      // What was discovered fitted then.
      if options.isDiscovered, let error = error as? OpenFailureError,
        case .schemaMismatch(let entity, let detail) = error.failure
      {
        throw .cannotOpen(path: path, .tableChanged(entity: entity, detail: detail))
      }
      let failure = StoreError(error, path: path, waited: busyTimeout)
      guard options.isDiscovered, case .unexpected = failure,
        let detail = SQLiteFailure(error)?.ofCalculation
      else { throw failure }
      // The expressions of others can fail in a row, as those of this package do not.
      throw .cannotOpen(path: path, .modelMismatch(detail: detail))
    }
  }
}

extension String {
  /// Whether a path names a database in memory.
  var isInMemory: Bool { isEmpty || self == ":memory:" }
}
