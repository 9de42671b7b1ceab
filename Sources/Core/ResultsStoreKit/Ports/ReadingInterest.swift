package import ResultsDomain

/// Whether the result of a long read is still wanted, for stores and lists that can end it early (R123).
///
/// A list sets it around its first reading of the keys. It belongs to the task that reads: other reads of the same store, such as those that
/// advance lists after a commit, are never ended by it.
package enum ReadingInterest {
  /// Returns whether to go on, or `nil` where every read is wanted.
  ///
  /// It can be called often and from any thread.
  @TaskLocal package static var isWanted: (@Sendable () -> Bool)?

  /// Runs a read that ends early once its result is not wanted any more.
  /// - Throws: The store's error, or `StoreError.aborted(by:)` with a `CancellationError`.
  package static func reading<Result>(
    while isWanted: @escaping @Sendable () -> Bool,
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let outcome = $isWanted.withValue(isWanted) { () -> Swift.Result<Result, StoreError> in
      do throws(StoreError) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
