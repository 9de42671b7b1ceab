#if PostgreSQL
import Dispatch
import Foundation
import Synchronization

/// Work on a thread of its own.
final class ThreadWork: Sendable {
  private let outcome = Mutex<Result<Void, any Error>?>(nil)
  private let end = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread {
      let result = Result { try body() }
      self.outcome.withLock { $0 = result }
      self.end.signal()
    }
  }

  /// Whether it has ended.
  var isDone: Bool { outcome.withLock { $0 != nil } }

  /// Waits for its end.
  /// - Throws: What it has thrown.
  func wait() throws {
    end.wait()
    try outcome.withLock { try $0?.get() }
  }
}
#endif
