import Foundation

/// A thread for work that blocks, which the threads of tasks must not do.
enum OwnThread {
  /// Runs a closure on a thread of its own, and gives what it returns.
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
