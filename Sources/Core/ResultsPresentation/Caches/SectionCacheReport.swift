public import ResultsDomain

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
      let entity = entities.first { Array($0.name.utf8) == fingerprint.bytes[.entity] }
      guard let entity else { throw .entity }
      guard fingerprint.bytes[.schema] == CacheFingerprint.schema(of: entity) else {
        throw .schema
      }
      guard case .some(.some(let present)) = try? store.bookmark() else {
        throw .unsupportedByStore
      }
      let changes = try cache.get().header.changes(of: entity, until: present, in: store)
      return changes.map { .replayed(changes: $0.count) } ?? .hit
    } catch {
      return .miss(error)
    }
  }
}
