import CSQLiteHooks
import Dispatch
import GRDB
import ResultsDomain
import Synchronization

/// What a store object knows of its database's versions.
///
/// The log, the pending commit and the counters are guarded by the lock; everything that takes a `Database` runs on the writing
/// connection's queue.
final class StoreCore: Sendable {
  /// A commit of the store's own, told before it is made.
  enum Pending: Sendable {
    case none
    case own(CommitLog.Event?)
    /// It changes nothing that anybody is told of.
    case silent
    /// It is in the database's log, up to a number; the entry is to be remembered.
    case logged(CommitRing.Entry?, sequence: UInt64)
  }

  struct State {
    var log: CommitLog
    var pending = Pending.none
    var dataVersion: Int64 = 0
    /// The tables as they were at the last look, where no log tells what happens to them.
    var schema: SchemaMark?
    var totalChanges: Int32 = 0
    /// The address of the writing connection, only ever compared.
    var connection: UInt = 0
    /// How many commits have begun, so that a reader can tell that none did while it took its snapshot.
    var commitCount: UInt64 = 0
    var isCommitting = false
    var isClosed = false
    /// Whether a hint is due, while hints are held back.
    var heldHint: Bool?
    var writing = LogWriting()
    var lease = LogLease()
    /// The side files that the connections work with, if nothing but deletion can take them away.
    var sideFiles: SideFiles?
  }

  let path: String
  /// Who waits to hear of new versions.
  let hearers: StoreHearers
  /// The store's own name.
  let uniqueName: String
  let busyTimeout: Duration
  let tables: StoreTables
  let capture: ChangeCapture
  /// Which lists an index answers for.
  let orders = OrderedPlans()
  /// The database's log, if the history is read from it.
  let catalog: LogCatalog?
  let options: SQLiteStoreOptions
  /// Whether nobody else uses the writing connection.
  let ownsWriter: Bool
  let state: Mutex<State>
  /// Entered while a commit is being made.
  let commits = DispatchGroup()

  init(
    path: String,
    hearers: StoreHearers,
    uniqueName: String,
    tables: StoreTables,
    options: SQLiteStoreOptions,
    ownsWriter: Bool,
    hasLog: Bool,
    rewinds: UInt64 = 0
  ) {
    self.path = path
    self.hearers = hearers
    self.uniqueName = uniqueName
    self.tables = tables
    self.options = options
    self.ownsWriter = ownsWriter
    catalog = hasLog ? LogCatalog(tables, capacity: options.historyCapacity, rewinds: rewinds) : nil
    busyTimeout = options.busyTimeout
    capture = ChangeCapture(
      tables,
      capacity: options.historyCapacity,
      usesHook: options.usesPreUpdateHook
    )
    var generator = SystemRandomNumberGenerator()
    let log = CommitLog(epoch: generator.next(), capacity: options.historyCapacity)
    state = Mutex(State(log: log))
  }

  deinit {
    // A group may not go away while it is entered, as after a COMMIT that went past GRDB.
    if state.withLock({ $0.isCommitting }) { commits.leave() }
  }

  /// The version of everything that was committed or noticed so far.
  var version: StoreVersion { state.withLock { $0.log.version } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Whether the connections work with a log, or an index of it, that others do not find any more.
  var hasLostSideFiles: Bool { state.withLock { $0.sideFiles }?.areLost == true }

  /// What happened to an entity between two versions.
  func history(
    after old: StoreVersion,
    through new: StoreVersion,
    of entity: EntityDescription
  ) -> StoreHistory {
    guard let table = tables.all.first(where: { $0.entity == entity }) else { return .commits([]) }
    return state.withLock { state in
      guard catalog == nil || old.epoch == state.log.version.epoch else {
        return .gap(.schemaChanged)
      }
      return state.log.history(after: old, through: new, ofTable: table.index)
    }
  }
}
