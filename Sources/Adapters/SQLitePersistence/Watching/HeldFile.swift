import GRDB
import Synchronization

/// A connection that keeps the write-ahead log of a file of others open from its description until a store has opened it.
///
/// The first connection of all programs creates the log and its index, and the last one removes them; both lock the file for a moment, in
/// which the commit of a program that does not wait fails. With this connection a program has one such moment at its start instead of one
/// for each time it reads the file. A file with a rollback journal is not held: it is copied without a lock (`ForeignFile`).
///
/// It holds the file once. The lock guards `state`, and nothing is done while it is held.
package final class HeldFile: Sendable {
  private struct State {
    var queue: DatabaseQueue?
    var isOver = false
    /// Whether closing the last connection must remove the files beside the file.
    var leavesSideFiles = false
  }

  package let path: String
  private let state = Mutex(State())

  /// Holds nothing yet; the first reading opens the connection.
  package init(_ path: String) { self.path = path }

  deinit { close() }

  /// Closes the connection, and removes what reading has created beside the file.
  package func close() {
    guard let state = end() else { return }
    try? state.queue?.close()
    if state.leavesSideFiles { SideFiles.removeUnused(beside: path) }
  }

  /// The connection, if it is open and its file still has the path; otherwise nothing is held any more.
  var connection: DatabaseQueue? {
    guard let queue = state.withLock({ $0.queue }) else { return nil }
    let file = queue.unsafeReentrantRead { FileIdentity.find(openedBy: $0.sqliteConnection) }
    if file.file != nil { return queue }
    close()
    return nil
  }

  /// Keeps a connection that has read the file.
  /// - Parameters:
  ///   - queue: The connection.
  ///   - leavesSideFiles: Whether there were no files beside the file before.
  /// - Returns: Whether it is kept; otherwise the caller closes it.
  func keep(_ queue: DatabaseQueue, leavesSideFiles: Bool) -> Bool {
    state.withLock { state in
      guard !state.isOver, state.queue == nil else { return false }
      (state.queue, state.leavesSideFiles) = (queue, leavesSideFiles)
      return true
    }
  }

  /// Whether reading has created the files beside the file.
  var leavesSideFiles: Bool { state.withLock { $0.leavesSideFiles } }

  /// Closes the connection beside another one, which removes in its time what reading has created.
  func handOver() { try? end()?.queue?.close() }

  private func end() -> State? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      defer { state = State(isOver: true) }
      return state
    }
  }
}
