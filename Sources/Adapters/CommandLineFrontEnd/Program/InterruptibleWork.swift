import Foundation
import Synchronization
import TerminalFrontEnd

/// Work that lasts until somebody ends it, such as a watch: it ends in order at a signal, and when nobody reads its output.
public enum InterruptibleWork {
  /// Runs work.
  /// - Parameters:
  ///   - end: Asks the work to end, from any thread. Where it is not done soon afterwards, the process ends nevertheless: a reader
  ///     that is there and takes nothing holds up the work, but not its end.
  ///   - patience: How many milliseconds it has for that.
  ///   - work: The work, which releases what it holds before it returns.
  /// - Returns: What the work returned or threw, or `Interruption` if it was interrupted.
  public static func outcome<Result>(
    endingBy end: @escaping @Sendable () -> Void,
    within patience: Int32 = 2000,
    _ work: () async throws -> Result
  ) async -> Swift.Result<Result, any Error> {
    let cause = InterruptionCause()
    InterruptionWatch.begin()
    defer { InterruptionWatch.end() }
    Thread.detachNewThread {
      guard let interruption = InterruptionWatch.next(.standard) else { return }
      cause.value.withLock { $0 = interruption }
      end()
      guard !InterruptionWatch.waitForEnd(milliseconds: patience) else { return }
      interruption.endProcess()
    }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await work())
    } catch {
      outcome = .failure(error)
    }
    if let interruption = cause.value.withLock({ $0 }) { return .failure(interruption) }
    return outcome
  }
}

/// Why work was asked to end.
private final class InterruptionCause: Sendable {
  let value = Mutex<Interruption?>(nil)
}
