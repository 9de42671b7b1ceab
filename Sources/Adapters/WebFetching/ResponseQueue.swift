import CCurlLoader
import Synchronization

/// The responses that have come and have not been taken, between the thread that fetches and the task that reads.
final class ResponseQueue: Sendable {
  private struct State {
    var responses: [WebResponse] = []
    var reader: CheckedContinuation<WebResponse?, Never>?
    /// The group of transfers that is driven, as a number: it may be woken from any thread.
    var group: UInt?
    var isFinished = false
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Whether nobody waits for responses any more.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The number of responses that have not been taken.
  var count: Int { state.withLock { $0.responses.count } }

  /// Names the group that is woken when a response is taken, or when the reader has gone.
  func attach(_ group: UnsafeMutableRawPointer?) {
    state.withLock { $0.group = group.map { UInt(bitPattern: $0) } }
  }

  /// Adds a response.
  func add(_ response: WebResponse) {
    let reader = state.withLock { state in
      guard let reader = state.reader.take() else {
        if !state.isCancelled { state.responses.append(response) }
        return nil as CheckedContinuation<WebResponse?, Never>?
      }
      return reader
    }
    reader?.resume(returning: response)
  }

  /// Says that no other response comes.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// Ends the reading: the next response is `nil`, at once.
  func cancel() {
    let reader = state.withLock { state in
      state.isCancelled = true
      state.responses = []
      ResponseQueue.wake(state.group)
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// Waits for the next response; `nil` at the end.
  func next() async -> WebResponse? {
    await withCheckedContinuation { continuation in
      let ready: WebResponse?? = state.withLock { state in
        if state.isCancelled { return .some(nil) }
        if !state.responses.isEmpty {
          ResponseQueue.wake(state.group)
          return state.responses.removeFirst()
        }
        if state.isFinished { return .some(nil) }
        state.reader = continuation
        return nil
      }
      if case .some(let response) = ready { continuation.resume(returning: response) }
    }
  }

  /// Wakes the thread of a group, which is not released while the lock is held.
  private static func wake(_ group: UInt?) {
    if let group { curl_loader_wake(UnsafeMutableRawPointer(bitPattern: group)) }
  }
}
