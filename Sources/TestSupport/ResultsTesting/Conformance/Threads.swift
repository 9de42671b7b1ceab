import Dispatch
import Synchronization

extension StoreBench {
  /// Runs a closure that may block on a thread of its own; one that never ends is a failure, not a hanging test.
  func onThread<Result: Sendable>(
    _ what: String,
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let outcome = await withCheckedContinuation { continuation in
      let once = Once<Swift.Result<Result, any Error>?>(continuation)
      // A serial queue of its own gets a thread even while others are blocked.
      DispatchQueue(label: what).async { once.resume(Swift.Result { try body() }) }
      let deadline = DispatchTime.now() + .milliseconds(patienceInMilliseconds)
      DispatchQueue.global().asyncAfter(deadline: deadline) { once.resume(nil) }
    }
    guard let outcome else { throw failure("\(what) to end", "it blocked") }
    return try outcome.get()
  }

  /// Runs closures that may block on threads of their own, all at the same time.
  func together(_ bodies: [@Sendable () throws -> Void]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, body) in bodies.enumerated() {
        group.addTask { try await self.onThread("thread \(number)", body) }
      }
      try await group.waitForAll()
    }
  }

  /// What an asynchronous closure gives, or `nil` if it takes too long.
  func inTime<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    let patience = provider.patience
    return await withTaskGroup(of: Result?.self) { group in
      group.addTask { await body() }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  var patienceInMilliseconds: Int {
    let (seconds, attoseconds) = provider.patience.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}

/// A signal from one thread to another.
struct Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func send() { semaphore.signal() }

  /// Waits for the signal.
  /// - Returns: Whether it came in time.
  func wait(milliseconds: Int) -> Bool {
    semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}

/// Resumes a continuation the first time it is asked to.
private final class Once<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, Never>?>

  init(_ continuation: CheckedContinuation<Value, Never>) {
    self.continuation = Mutex(continuation)
  }

  func resume(_ value: Value) {
    let first = continuation.withLock { stored in
      defer { stored = nil }
      return stored
    }
    first?.resume(returning: value)
  }
}
