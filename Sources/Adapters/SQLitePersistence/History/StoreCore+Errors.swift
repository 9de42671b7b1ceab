import ResultsDomain

extension StoreCore {
  /// Runs a closure and translates what it throws.
  func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do {
      return try body()
    } catch {
      if !(error is StoreError), isClosed { throw .closed(path: path) }
      throw StoreError(error, path: path, waited: busyTimeout)
    }
  }

  /// Refuses to work after the store was closed.
  func checkOpen() throws(StoreError) {
    guard !isClosed else { throw .closed(path: path) }
  }
}
