import GRDB
import ResultsDomain
import Synchronization

extension StoreCore {
  /// Tells everyone who listens that the version may have grown, unless that is held back.
  func hint() {
    let isDue = state.withLock { state in
      if state.heldHint != nil { state.heldHint = true }
      return state.heldHint == nil && !state.isClosed
    }
    if isDue { hearers.hint() }
  }

  /// Holds hints back while a commit is being made whose size is known.
  func holdHints() { state.withLock { $0.heldHint = false } }

  /// Lets hints go again, and offers a small commit to those who follow it at once: its pages are in the writing connection's
  /// memory, and no thread need be woken.
  /// - Parameters:
  ///   - count: How many rows the commit changed, or `nil` if that is not known.
  ///   - database: The writing connection, outside of a transaction.
  func releaseHints(changing count: Int?, on database: Database) {
    let isDue = state.withLock { state in
      defer { state.heldHint = nil }
      return state.heldHint == true && !state.isClosed
    }
    guard isDue else { return }
    guard let count, count <= StoreCore.followedRowLimit, hearers.hasFollowers,
      let pinned = try? pin(database)
    else { return hearers.hint() }
    defer { unpin(database) }
    let access = SnapshotAccess(database, pinned, of: self)
    defer { access.end() }
    let snapshot = SQLiteSnapshot(access)
    BodyScope.run(snapshot, of: self) { hearers.offer(snapshot) }
  }

  /// How many rows a commit may change to be followed by the thread that made it; it waits for that.
  private static let followedRowLimit = 32

  /// Makes later calls fail.
  /// - Returns: Whether the database was in use.
  func close() -> Bool {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if wasOpen { capture.deactivate() }
    return wasOpen
  }
}
