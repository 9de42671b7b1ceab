import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Opens a list from its cache, in one version of its store.
struct ListOpening {
  let plan: ListPlan
  /// When the list leaves its keys to an index.
  let indexing: IndexingPolicy?
  /// The bytes stored under the list's cache name, or why there are none.
  let data: Result<any CacheData, CacheMiss>

  /// Loads the cache with a name.
  static func data(
    named name: String,
    in storage: any SectionCacheStorage,
    onFailure report: (SectionCacheFailure) -> Void = { _ in }
  ) -> Result<any CacheData, CacheMiss> {
    do throws(SectionCacheFailure) {
      return try storage.open(name).map { .success($0) } ?? .failure(.none)
    } catch {
      report(error)
      return .failure(.unreadable)
    }
  }

  /// Returns the list, from the cache if that is valid and else from the store, with the outcome.
  /// - Throws: The store's error; a cache never makes it fail.
  func engine(
    from store: any StoreSnapshot,
    maintainsDigests: Bool
  ) throws(StoreError) -> (engine: ListEngine, outcome: CacheOutcome) {
    let (keys, outcome) = keys(in: store)
    if let keys {
      var engine = try ListEngine(
        plan,
        keys: keys,
        from: store,
        generation: 1,
        maintainsDigests: maintainsDigests
      )
      engine.indexing = indexing
      engine.isComparing = indexing?.reportsEveryCommit == false
      guard engine.snapshot.keys.isDamaged else { return (engine, outcome) }
    }
    let engine = try ListEngine(
      plan,
      from: store,
      generation: 1,
      maintainsDigests: maintainsDigests,
      indexing: indexing
    )
    return (engine, keys == nil ? outcome : .miss(.damaged))
  }

  /// Returns the keys of the store's present version if they follow from the cache.
  func keys(in store: any StoreSnapshot) -> (ListKeys?, CacheOutcome) {
    let store = plan.view(store)
    do throws(CacheMiss) {
      guard !plan.isFrozen else { throw .frozen }
      guard case .some(.some(let present)) = try? store.bookmark() else {
        throw .unsupportedByStore
      }
      let cache = try CacheDecoder(try data.get())
      let header = cache.header
      if let difference = header.fingerprint.difference(from: CacheFingerprint(plan)) {
        throw difference
      }
      let changes = try header.changes(ofEach: [plan.entity], until: present, in: store)
      let layout = plan.layout
      let least = layout.order.count + (layout.fixedIdentityLength ?? layout.identity.count)
      let cached = try cache.keys(ofAtLeast: least)
      guard cached.isCounted == isIndexed(cached.count, in: store) else { throw .otherKeys }
      let keys = try keys(cached, after: changes ?? [], in: store)
      guard isConfirmed(keys, in: store) else { throw .disagreement }
      return (keys, changes.map { .replayed(changes: $0.count) } ?? .hit)
    } catch {
      return (nil, .miss(error))
    }
  }

  /// Whether the list would leave its keys to an index if it were fetched again.
  private func isIndexed(_ count: Int, in store: any StoreSnapshot) -> Bool {
    guard let indexing, indexing.index(of: plan) != nil, count > indexing.inMemoryKeyLimit else {
      return false
    }
    return (try? store.orderedSource(of: plan.definition)) ?? nil != nil
  }

  /// The keys of a cache, with the keys of changed rows replaced.
  private func keys(
    _ cached: CachedKeys,
    after changes: [CommittedChange],
    in store: any StoreSnapshot
  ) throws(CacheMiss) -> ListKeys {
    switch cached {
    case .held(var keys):
      guard !changes.isEmpty else { return .held(keys) }
      let change = try keyChange(changes)
      guard change.redo(in: &keys, from: [], to: nil) else { throw .disagreement }
      return .held(keys)
    case .counted(let blocks, let sections):
      guard let index = indexing?.index(of: plan) else { throw .otherKeys }
      let keys = IndexedKeys(
        blocks: blocks,
        sections: sections,
        keyVersion: KeyVersion(store.version),
        index: index
      )
      guard !changes.isEmpty else { return .indexed(keys) }
      let change = try keyChange(changes)
      guard case .some(.some(let source)) = try? store.orderedSource(of: plan.definition),
        let advanced = try? keys.advanced(
          by: change,
          to: store.version,
          source,
          later: KeyChange()
        )
      else { throw blocks.isDamaged ? .damaged : .disagreement }
      guard !advanced.blocks.isDamaged else { throw .damaged }
      return .indexed(advanced)
    }
  }

  private func keyChange(_ changes: [CommittedChange]) throws(CacheMiss) -> KeyChange {
    do {
      return try plan.keyChange(by: changes)
    } catch {
      throw .disagreement
    }
  }
}

extension SectionCache.Header {
  /// The rows of some entities that changed between the cache and the present version of a store.
  /// - Returns: The net changes, or `nil` if the cache is of this very version.
  /// - Throws: `CacheMiss` if the changes are not known.
  func changes(
    ofEach entities: [EntityDescription],
    until present: StoreBookmark,
    in store: any StoreSnapshot
  ) throws(CacheMiss) -> [CommittedChange]? {
    guard Value.text(bookmark.store) == .text(present.store) else { throw .otherStore }
    guard bookmark != present else { return nil }
    // A sequence number is at least one change; applying one costs about as much as reading sixteen keys. With details the sequence also
    // counts other content, and the store limits its history.
    let distance = present.sequence.subtractingReportingOverflow(bookmark.sequence)
    if bookmark.detail.isEmpty, !distance.overflow,
      distance.partialValue > UInt64(max(1024, keyCount / 16))
    {
      throw .tooManyChanges
    }
    guard case .some(.some(let version)) = try? store.version(at: bookmark),
      case .commits(let records) = try? history(of: entities, since: version, in: store)
    else { throw .tooOld }
    return ListEngine.folded(records).flatMap(\.changes)
  }

  private func history(
    of entities: [EntityDescription],
    since version: StoreVersion,
    in store: any StoreSnapshot
  ) throws(StoreError) -> StoreHistory {
    // A derived entity is known to its snapshot alone.
    guard entities.count == 1 else { return try store.history(since: version, ofEach: entities) }
    return try store.history(since: version, of: entities[0])
  }
}

// MARK: - Confirming

extension ListOpening {
  /// The number of rows compared: all of a shorter list, and of a longer one half at its beginning and half spread over the rest.
  private static let sampleSize = 256

  /// Whether a sample of the rows still has the keys that the cache has for them.
  ///
  /// The store's history says what changed since the cache was written. Changes outside of the history, such as a damaged page, show
  /// only in the rows. Keys of an index are read from the store itself and need no confirmation.
  /// - Complexity: O(1): at most some hundred rows are read.
  func isConfirmed(_ keys: ListKeys, in store: any StoreSnapshot) -> Bool {
    guard case .held(let keys) = keys else { return true }
    let sample = ListOpening.sample(of: keys.count).map { keys.key(at: $0) }
    let objects = sample.compactMap { key in
      key.withUnsafeBytes { plan.layout.objectKey(in: $0, of: plan.entity.identity) }
    }
    guard objects.count == sample.count,
      let rows = try? store.rows(objects, of: plan.entity), rows.count == sample.count
    else { return false }
    return zip(sample, rows).allSatisfy { key, row in
      guard let row, plan.predicate.holds(for: row) else { return false }
      return (try? plan.encoder.key(row.values, key: row.id.key)) == key
    }
  }

  private static func sample(of count: Int) -> [Int] {
    guard count > sampleSize else { return Array(0..<count) }
    let half = sampleSize / 2
    let rest = (1...half).map { half + (count - half) * $0 / half - 1 }
    return Array(0..<half) + rest
  }
}
