import OrderStatistics
import ResultsDomain
import Synchronization

/// A list's way to its cache: loads what was kept, keeps what is current, and remembers how that went.
final class ListCache: Sendable {
  private struct State {
    var outcome: CacheOutcome?
    var failure: SectionCacheFailure?
    /// What is known to be kept.
    var kept: Kept?
    /// Whether a part of what is kept turned out to be something else.
    var damage: PivotDamage?
  }

  private struct Kept: Equatable {
    var name: String
    var bookmark: StoreBookmark
    var fingerprint: CacheFingerprint

    init?(_ engine: ListEngine) {
      guard let name = engine.plan.cacheName, let bookmark = engine.bookmark else { return nil }
      self.name = name
      self.bookmark = bookmark
      fingerprint = CacheFingerprint(engine.plan)
    }

    static func == (left: Kept, right: Kept) -> Bool {
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
  /// How the list was opened, or `nil` if it has no cache name or no storage.
  var outcome: CacheOutcome? { state.withLock { $0.outcome } }
  /// The last failure of the storage, if the last attempt failed.
  var failure: SectionCacheFailure? { state.withLock { $0.failure } }

  /// Loads what is kept of a list, before a version of the store is read; `nil` without a name or storage.
  func opening(of plan: ListPlan, _ indexing: KeyIndexing?) -> ListOpening? {
    guard let storage, let name = plan.cacheName else { return nil }
    guard plan.isCacheable else {
      return ListOpening(plan: plan, indexing: indexing, kept: .failure(.frozen))
    }
    let kept = ListOpening.kept(name, in: storage) { (failure) in
      state.withLock { $0.failure = failure }
    }
    return ListOpening(plan: plan, indexing: indexing, kept: kept)
  }

  /// Fetches a list for the first time, from its cache if that is valid.
  /// - Throws: As `ListEngine.init(_:from:generation:keepsDigests:)`.
  func engine(
    _ opening: ListOpening,
    from store: any StoreSnapshot,
    keepsDigests: Bool
  ) throws(StoreError) -> ListEngine {
    let (engine, outcome) = try opening.engine(from: store, keepsDigests: keepsDigests)
    state.withLock { state in
      state.outcome = outcome
      if outcome == .hit {
        state.kept = Kept(engine)
        state.damage = engine.snapshot.keys.damage
      }
    }
    return engine
  }

  /// Keeps a list unless that very version is known to be kept.
  ///
  /// One saving waits for the other, so that the last one asked for is the one that stays.
  /// - Returns: Whether there was anything to keep: a list with a cache name, in a store that can name its version.
  /// - Throws: The storage's failure, which is remembered too.
  @discardableResult
  func keep(_ engine: ListEngine?) throws(SectionCacheFailure) -> Bool {
    guard let storage, let engine, let kept = Kept(engine), let cache = SectionCache(engine) else {
      return false
    }
    return try saving.withLock { (_) throws(SectionCacheFailure) in
      guard state.withLock({ $0.kept != kept || $0.damage?.isFound == true }) else { return true }
      let bytes = cache.encoded
      // All parts have been read now.
      guard !cache.keys.isDamaged else { return false }
      do throws(SectionCacheFailure) {
        try storage.save(bytes, as: kept.name)
        state.withLock { state in
          state.kept = kept
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
