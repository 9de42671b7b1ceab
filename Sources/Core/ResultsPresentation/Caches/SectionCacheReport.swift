public import ResultsDomain

/// What can be said of one cache: what it is of, how large, how old, and whether a list would be opened from it.
public struct SectionCacheReport: Hashable, Sendable {
  /// The cache's name.
  public let name: String
  /// What it is of in words, or `nil` if it is not there or cannot be read.
  public let summary: String?
  /// How many rows match, or `nil` if it is not there or cannot be read.
  public let rowCount: Int?
  /// What the storage knows of it, or `nil` if it is not there.
  public let entry: SectionCacheEntry?
  /// How a list would be opened now.
  public let outcome: CacheOutcome
}

extension SectionCacheStorage {
  /// What can be said of every cache, and of each definition's that is missing.
  ///
  /// A cache that no definition names is compared with the store only.
  /// - Parameters:
  ///   - definitions: What a program lists.
  ///   - store: The store that the caches are of.
  /// - Returns: One report a name, in the order of the names' bytes.
  /// - Throws: `SectionCacheFailure` if the storage cannot be listed; a definition that is refused counts as none.
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
    let kept = ListOpening.kept(name, in: self)
    let cache: Result<SectionCache, CacheMiss> = kept.flatMap { kept in
      Result { () throws(CacheMiss) in try SectionCache(decoding: kept) }
    }
    let header = try? cache.get().header
    let outcome = try? store.read { (snapshot) throws(StoreError) -> CacheOutcome in
      if let plan {
        let indexing = KeyIndexing(store)
        let opened = ListOpening(plan: plan, indexing: indexing, kept: kept).keys(in: snapshot)
        // A list that is opened does not look at all of its cache.
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
  /// Whether a cache is of what a store holds, whichever definition it is of.
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
