import ResultsDomain

extension FetchedResultsController {
  /// How the first fetch went with the cache: from it, or why not.
  ///
  /// It is `nil` before the fetch, and for a list without a cache name or a storage.
  public var cacheOutcome: CacheOutcome? { list.cache.outcome }

  /// Why the cache could not be read or written the last time it was tried, or `nil` if it could.
  ///
  /// No fetch fails because of it.
  public var cacheFailure: SectionCacheFailure? { list.cache.failure }

  /// Keeps the list as it is now under its cache name, unless this controller has kept that very version already.
  ///
  /// A list is kept by itself, in the background, after a first fetch that its cache did not answer alone, and when the controller is
  /// cancelled. A program that is about to end waits for that with this call.
  /// - Returns: Whether there was anything to keep: a fetched list with a cache name, in a store that can name its versions.
  /// - Throws: `SectionCacheFailure` if it cannot be written.
  /// - Complexity: O(*n*) in the rows that match; no row is read.
  @discardableResult
  public func saveCache() async throws(SectionCacheFailure) -> Bool {
    let list = list
    let kept = await withTaskExecutorPreference(store.executor) {
      await FetchedResultsController.keep(list)
    }
    return try kept.get()
  }

  /// Keeps the list in the background.
  func keepCache() {
    let list = list
    guard list.cache.isInUse else { return }
    Task(executorPreference: store.executor) { await FetchedResultsController.keep(list) }
  }

  /// Leaves the caller's actor, so that the store's threads wait for the disk.
  @concurrent @discardableResult private static func keep(
    _ list: LiveList<Object>
  ) async -> Result<Bool, SectionCacheFailure> {
    Result { () throws(SectionCacheFailure) in try list.cache.keep(list.engine) }
  }
}
