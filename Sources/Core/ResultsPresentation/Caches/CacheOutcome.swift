public import ResultsDomain
public import ResultsStoreKit

/// The way in which a list with a cache name was opened.
public enum CacheOutcome: Hashable, Sendable {
  /// From the cache, which is of this very version.
  case hit
  /// From the cache, with the changes since it was written applied.
  case replayed(changes: Int)
  /// From the store, for a reason.
  case miss(CacheMiss)
}

extension CacheOutcome: CustomStringConvertible {
  /// A short description.
  public var description: String {
    switch self {
    case .hit: "hit"
    case .replayed(let changes): "hit, \(changes) \(changes == 1 ? "change" : "changes") replayed"
    case .miss(let reason): "miss, \(reason)"
    }
  }
}

/// The reason why a list was not opened from its cache.
public enum CacheMiss: String, Error, Hashable, Sendable, CaseIterable {
  /// There is no cache with the name.
  case none
  /// The storage could not be read.
  case unreadable
  /// The bytes are not those that were written.
  case damaged
  /// It was written by a version of this library with another format of caches or keys.
  case otherFormat
  /// It holds the keys of a list that an index of the store has now, or counts over an index that the store no longer has.
  case otherKeys
  /// It is of another entity.
  case entity
  /// The entity has other attributes, types or another identity now.
  case schema
  /// The predicate is another one.
  case predicate
  /// The predicate has the same form and other constants.
  case arguments
  /// The sort descriptors are others.
  case order
  /// The section key is another one.
  case sections
  /// The policy for sections whose rows are not contiguous is another one.
  case contiguity
  /// Sections depend on another time zone.
  case timeZone
  /// Sections depend on another calendar.
  case calendar
  /// Titles are written for another locale.
  case locale
  /// Titles depend on something else that differs.
  case titles
  /// It was made of another store.
  case otherStore
  /// The store's history does not reach back to it.
  case tooOld
  /// Too much changed since it was written; reading the store is faster.
  case tooManyChanges
  /// The store's history since then, or rows of the store, do not fit the cache.
  case disagreement
  /// The store has no bookmarks, by which a version can be found again.
  case unsupportedByStore
  /// The list is frozen: its content depends on the time of its first fetch.
  case frozen
}

extension CacheMiss: CustomStringConvertible {
  /// The reason as a clause.
  public var description: String {
    switch self {
    case .none: "there is no cache with that name"
    case .unreadable: "the cache cannot be read"
    case .damaged: "the cache is damaged"
    case .otherFormat: "the cache has the format of another version"
    case .otherKeys: "the store has another index for the list now"
    case .entity: "the cache is of another entity"
    case .schema: "the entity's attributes are others now"
    case .predicate: "the predicate is another one"
    case .arguments: "the predicate's constants are others"
    case .order: "the order is another one"
    case .sections: "the section key is another one"
    case .contiguity: "the policy for sections that are not contiguous is another one"
    case .timeZone: "the time zone is another one"
    case .calendar: "the calendar is another one"
    case .locale: "the locale is another one"
    case .titles: "the titles are others"
    case .otherStore: "the cache is of another store"
    case .tooOld: "the store's history does not reach back to the cache"
    case .tooManyChanges: "too much has changed since the cache was written"
    case .disagreement: "the cache does not fit the store's history"
    case .unsupportedByStore: "the store has no bookmarks"
    case .frozen: "a frozen list is not cached"
    }
  }
}

/// A report on one cache: its list, size and age, and whether the list would be opened from it.
public struct SectionCacheReport: Hashable, Sendable {
  /// The cache's name.
  public let name: String
  /// The definition of its list in words, or `nil` if the cache does not exist or cannot be read.
  public let summary: String?
  /// The number of matching rows, or `nil` if the cache does not exist or cannot be read.
  public let rowCount: Int?
  /// Its entry in the storage, or `nil` if it does not exist.
  public let entry: SectionCacheEntry?
  /// The way in which the list would be opened now.
  public let outcome: CacheOutcome
}

extension SectionCacheStorage {
  /// Reports on every cache, and on the missing cache of each definition.
  ///
  /// A cache without a definition is compared with the store only.
  /// - Parameters:
  ///   - definitions: The definitions of the program's lists.
  ///   - store: The store of the caches.
  /// - Returns: One report a name, in the order of the names' bytes.
  /// - Throws: `SectionCacheFailure` if the storage cannot be listed; an invalid definition is ignored.
  /// - Complexity: O(*n*) in the bytes of the caches.
  public func reports<Object: FetchedObject>(
    on definitions: [ResultsDefinition<Object>],
    in store: any Store
  ) throws(SectionCacheFailure) -> [SectionCacheReport] {
    var plans: [Value: ListPlan] = [:]
    for definition in definitions {
      guard let name = definition.cacheName, let plan = try? ListPlan(definition) else { continue }
      plans[.text(name)] = plan
    }
    var reports: [SectionCacheReport] = []
    var known: Set<Value> = []
    for entry in try entries() {
      known.insert(.text(entry.name))
      reports.append(report(on: entry.name, entry, plans[.text(entry.name)], in: store))
    }
    for plan in plans.values {
      guard let name = plan.cacheName, !known.contains(.text(name)) else { continue }
      reports.append(report(on: name, nil, plan, in: store))
    }
    return reports.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func report(
    on name: String,
    _ entry: SectionCacheEntry?,
    _ plan: ListPlan?,
    in store: any Store
  ) -> SectionCacheReport {
    let data = ListOpening.data(named: name, in: self)
    let cache: Result<SectionCache, CacheMiss> = data.flatMap { data in
      Result { () throws(CacheMiss) in try SectionCache(decoding: data) }
    }
    let header = try? cache.get().header
    let outcome = try? store.read { (snapshot) throws(StoreError) -> CacheOutcome in
      if let plan {
        let indexing = IndexingPolicy(store)
        let opened = ListOpening(plan: plan, indexing: indexing, data: data).keys(in: snapshot)
        // Opening a list does not read all of its cache.
        if opened.0 != nil, case .failure(let miss) = cache { return .miss(miss) }
        return opened.1
      }
      return SectionCache.outcome(of: cache, in: snapshot, of: store.entities)
    }
    return SectionCacheReport(
      name: name,
      summary: header?.summary,
      rowCount: header?.keyCount,
      entry: entry,
      outcome: outcome ?? .miss(.unsupportedByStore)
    )
  }
}

extension SectionCache {
  /// Whether a cache is of a store's content, regardless of its definition.
  fileprivate static func outcome(
    of cache: Result<SectionCache, CacheMiss>,
    in store: any StoreSnapshot,
    of entities: [EntityDescription]
  ) -> CacheOutcome {
    do throws(CacheMiss) {
      let fingerprint = try cache.get().header.fingerprint
      let read = try fingerprint.entities(among: entities)
      guard case .some(.some(let present)) = try? store.bookmark() else {
        throw .unsupportedByStore
      }
      let changes = try cache.get().header.changes(ofEach: read, until: present, in: store)
      return changes.map { .replayed(changes: $0.count) } ?? .hit
    } catch {
      return .miss(error)
    }
  }
}
