import Synchronization

extension StoreCore {
  /// Tells everyone who listens that the version may have grown.
  func hint() { if !isClosed { hearers.hint() } }

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
