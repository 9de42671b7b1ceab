import Dispatch

/// Runs a closure on a thread of its own, so that it takes none of those that tasks run on.
func onThread(_ body: @escaping @Sendable () throws -> Void) -> Task<Void, any Error> {
  Task {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue(label: "writer").async { continuation.resume(with: Result { try body() }) }
    }
  }
}
