#if PostgreSQL
import ResultsDomain
import Synchronization

/// The history of a database without a log: every commit of anybody is a gap, after which lists are read again and compared.
///
/// `history` is guarded by a lock that is held for moments only.
final class SnapshotComparison: ChangeSource {
  private struct State {
    var history: InMemoryHistory
    /// The server's words for the latest snapshot, as `770:772:770`.
    var snapshot = ""
    /// The snapshot of the last look that was news.
    var reported = ""
    /// Whether a reading has seen commits of which there has been no news: those who only read do not pass them on.
    var hasUnreportedGap = false
  }

  let coverage = StoreCapabilities.HistoryCoverage.thisStore
  let uniqueName: String
  private let path: String
  private let state: Mutex<State>

  /// Creates the history of a database that is named by its server and its number.
  init(on connection: Connection, path: String) throws(StoreError) {
    self.path = path
    let result: QueryResult
    do {
      result = try connection.run(
        """
        SELECT (SELECT system_identifier FROM pg_control_system()), (SELECT oid FROM pg_database WHERE datname = current_database())
        """
      )
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
    let (system, database) = (result.unsigned(0, 0) ?? 0, result.unsigned(0, 1) ?? 0)
    uniqueName = "postgresql-\(String(system, radix: 16))-\(database)"
    var generator = SystemRandomNumberGenerator()
    state = Mutex(State(history: InMemoryHistory(epoch: generator.next(), capacity: 4096)))
  }

  func begin(
    on connection: Connection,
    opening: [Statement],
    patience: Duration?
  ) throws(StoreError) -> PinnedVersion {
    do {
      let text =
        try connection.run(opening + [Statement("SELECT pg_current_snapshot()::text")])
        .last?.text(0, 0) ?? ""
      return PinnedVersion(version: note(text))
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }

  /// The version of a snapshot: another one if anything may have been committed since.
  private func note(_ snapshot: String) -> StoreVersion {
    state.withLock { state in
      if state.snapshot != snapshot {
        if !state.snapshot.isEmpty {
          state.history.append(.gap(.otherWriter))
          state.hasUnreportedGap = snapshot != state.reported
        }
        state.snapshot = snapshot
      }
      return state.history.version
    }
  }

  func history(
    since version: StoreVersion,
    ofEach tables: [EntityTable],
    in pinned: PinnedVersion,
    on connection: Connection
  ) throws(StoreError) -> StoreHistory {
    state.withLock { state in
      state.history.history(after: version, through: pinned.version, ofTable: 0)
    }
  }

  func markers(origin: CommitOrigin) -> [Statement] { [] }

  func version(ofTransaction number: UInt64, in pinned: PinnedVersion) -> StoreVersion {
    pinned.version
  }

  func bookmark(in pinned: PinnedVersion) -> StoreBookmark? { nil }

  func version(at bookmark: StoreBookmark, in pinned: PinnedVersion) -> StoreVersion? { nil }

  func isSmall(since version: StoreVersion, in pinned: PinnedVersion, limit: Int) -> Bool { false }

  func isSameLife(on connection: Connection) throws(StoreError) -> Bool { true }

  var turn: String? { nil }

  func hasNews(on connection: Connection) throws(StoreError) -> Bool {
    do {
      let text = try connection.run("SELECT pg_current_snapshot()::text").text(0, 0) ?? ""
      return state.withLock { state in
        guard state.hasUnreportedGap || state.snapshot != text else { return false }
        state.reported = text
        state.hasUnreportedGap = false
        return true
      }
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
  }

  func release(through version: StoreVersion) {}
}
#endif
