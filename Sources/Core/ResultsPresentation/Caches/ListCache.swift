import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The cache of one list: loads it, saves it, and records the outcome.
///
/// Mutable state: `state`, changed by the first fetch and by each save, guarded by its mutex. `saving` makes saves wait for each other.
/// Lock order: `saving`, then `state`. The storage is called while `saving` is held, and never while `state` is.
final class ListCache: Sendable {
  private struct State {
    var outcome: CacheOutcome?
    var failure: SectionCacheFailure?
    /// The cache that is known to be stored.
    var stored: StoredCache?
    /// The damage flag of the cache that the list was opened from.
    var damage: PivotDamage?
  }

  private struct StoredCache: Equatable {
    var name: String
    var bookmark: StoreBookmark
    var fingerprint: CacheFingerprint

    init?(_ engine: ListEngine) {
      guard let name = engine.plan.cacheName, let bookmark = engine.bookmark else { return nil }
      self.name = name
      self.bookmark = bookmark
      fingerprint = CacheFingerprint(engine.plan)
    }

    static func == (left: StoredCache, right: StoredCache) -> Bool {
      left.name.hasSameBytes(as: right.name) && left.bookmark == right.bookmark
        && left.fingerprint == right.fingerprint
    }
  }

  private let storage: (any SectionCacheStorage)?
  private let state = Mutex(State())
  private let saving = Mutex<Void>(())

  init(_ storage: (any SectionCacheStorage)?) { self.storage = storage }

  /// Whether there is a storage at all.
  var isInUse: Bool { storage != nil }
  /// The outcome of the first fetch, or `nil` if the list has no cache name or no storage.
  var outcome: CacheOutcome? { state.withLock { $0.outcome } }
  /// The last failure of the storage, if the last attempt failed.
  var failure: SectionCacheFailure? { state.withLock { $0.failure } }

  /// Loads the cache of a list, before the store is read; returns `nil` without a name or storage.
  func opening(of plan: ListPlan, _ indexing: IndexingPolicy?) -> ListOpening? {
    guard let storage, let name = plan.cacheName else { return nil }
    guard plan.isCacheable else {
      return ListOpening(plan: plan, indexing: indexing, data: .failure(.frozen))
    }
    let data = ListOpening.data(named: name, in: storage) { (failure) in
      state.withLock { $0.failure = failure }
    }
    return ListOpening(plan: plan, indexing: indexing, data: data)
  }

  /// Fetches a list for the first time, from its cache if that is valid.
  /// - Throws: As `ListEngine.init(_:from:generation:maintainsDigests:indexing:)`.
  func engine(
    _ opening: ListOpening,
    from store: any StoreSnapshot,
    maintainsDigests: Bool
  ) throws(StoreError) -> ListEngine {
    let (engine, outcome) = try opening.engine(from: store, maintainsDigests: maintainsDigests)
    state.withLock { state in
      state.outcome = outcome
      if outcome == .hit {
        state.stored = StoredCache(engine)
        state.damage = engine.snapshot.keys.damage
      }
    }
    return engine
  }

  /// Saves a list unless that very version is known to be stored.
  ///
  /// Saves wait for each other, so that the last one requested is the one that remains.
  /// - Returns: Whether there was anything to save: a list with a cache name, in a store with bookmarks.
  /// - Throws: The storage's failure, which is recorded too.
  @discardableResult
  func save(_ engine: ListEngine?) throws(SectionCacheFailure) -> Bool {
    guard let storage, let engine, let stored = StoredCache(engine),
      let cache = SectionCache(engine)
    else {
      return false
    }
    return try saving.withLock { (_) throws(SectionCacheFailure) in
      guard state.withLock({ $0.stored != stored || $0.damage?.isFound == true }) else {
        return true
      }
      let bytes = cache.encoded
      // All parts have been read now.
      guard !cache.keys.isDamaged else { return false }
      do throws(SectionCacheFailure) {
        try storage.save(bytes, as: stored.name)
        state.withLock { state in
          state.stored = stored
          state.damage = nil
          state.failure = nil
        }
      } catch {
        state.withLock { $0.failure = error }
        throw error
      }
      return true
    }
  }
}

extension FetchedResultsController {
  /// Whether the first fetch was opened from the cache, or why not.
  ///
  /// It is `nil` before the fetch, and for a list without a cache name or a storage.
  public var cacheOutcome: CacheOutcome? { list.cache.outcome }

  /// The failure of the last attempt to read or write the cache, or `nil` if it succeeded.
  ///
  /// No fetch fails because of it.
  public var cacheFailure: SectionCacheFailure? { list.cache.failure }

  /// Saves the list as it is now under its cache name, unless this controller has saved that very version already.
  ///
  /// A list is saved automatically, in the background, after a first fetch that did not come from its cache alone, and when the
  /// controller is cancelled. Before a program exits, this call waits until the list is saved.
  /// - Returns: Whether there was anything to save: a fetched list with a cache name, in a store with bookmarks.
  /// - Throws: `SectionCacheFailure` if it cannot be written.
  /// - Complexity: O(*n*) in the rows that match; no row is read.
  @discardableResult
  public func saveCache() async throws(SectionCacheFailure) -> Bool {
    let list = list
    let result = await withTaskExecutorPreference(store.executor) {
      await FetchedResultsController.save(list)
    }
    return try result.get()
  }

  /// Saves the list in the background.
  func saveCacheInBackground() {
    let list = list
    guard list.cache.isInUse else { return }
    Task(executorPreference: store.executor) { await FetchedResultsController.save(list) }
  }

  /// Leaves the caller's actor, so that the store's threads wait for the disk.
  @concurrent @discardableResult private static func save(
    _ list: LiveList
  ) async -> Result<Bool, SectionCacheFailure> {
    Result { () throws(SectionCacheFailure) in try list.cache.save(list.engine) }
  }
}
