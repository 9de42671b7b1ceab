import Foundation
import Synchronization
import TerminalFrontEnd

/// A runner of work that lasts until it is interrupted, such as a watch.
///
/// At a signal, and when the other end of its output is closed, the work ends in an orderly way.
package enum InterruptibleWork {
  /// Runs work.
  /// - Parameters:
  ///   - end: Asks the work to end; it is called from any thread.
  ///   - patience: The time in milliseconds that the work has to end. After that the process ends: work may block on an
  ///     output that is open and accepts nothing.
  ///   - work: The work, which releases its resources before it returns.
  /// - Returns: What the work returned or threw, or `Interruption` if it was interrupted.
  package static func outcome<Result>(
    endingBy end: @escaping @Sendable () -> Void,
    within patience: Int32 = 2000,
    _ work: () async throws -> Result
  ) async -> Swift.Result<Result, any Error> {
    let cause = Cause()
    InterruptionWatch.begin()
    defer { InterruptionWatch.end() }
    Thread.detachNewThread {
      guard let interruption = InterruptionWatch.next(.standard) else { return }
      cause.set(interruption)
      // It may wait for a lock that the work holds while it reads.
      Thread.detachNewThread(end)
      guard !InterruptionWatch.waitForEnd(milliseconds: patience) else { return }
      interruption.endProcess()
    }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await work())
    } catch {
      outcome = .failure(error)
    }
    if let interruption = cause.interruption { return .failure(interruption) }
    return outcome
  }

  /// The interruption that ended the work, set by the watching thread.
  private final class Cause: Sendable {
    private let value = Mutex<Interruption?>(nil)

    var interruption: Interruption? { value.withLock { $0 } }

    func set(_ interruption: Interruption) { value.withLock { $0 = interruption } }
  }
}
