import OrderStatistics
import ResultsDomain

/// Opens a list from what was kept of it, in one version of its store.
struct ListOpening {
  let plan: ListPlan
  /// The bytes that are kept under the list's cache name, or why there are none.
  let kept: Result<[UInt8], CacheMiss>

  /// Loads what is kept under a name.
  static func kept(
    _ name: String,
    in storage: any SectionCacheStorage,
    _ note: (SectionCacheFailure) -> Void = { _ in }
  ) -> Result<[UInt8], CacheMiss> {
    do throws(SectionCacheFailure) {
      return try storage.load(name).map { .success($0) } ?? .failure(.none)
    } catch {
      note(error)
      return .failure(.unreadable)
    }
  }

  /// The list, from the cache if it is valid, else from the store; and which of the two.
  /// - Throws: The store's error; a cache never makes it fail.
  func engine(
    from store: any StoreSnapshot,
    keepsDigests: Bool
  ) throws(StoreError) -> (engine: ListEngine, outcome: CacheOutcome) {
    let (keys, outcome) = keys(in: store)
    guard let keys else {
      let engine = try ListEngine(plan, from: store, generation: 1, keepsDigests: keepsDigests)
      return (engine, outcome)
    }
    let engine = try ListEngine(
      plan,
      keys: keys,
      from: store,
      generation: 1,
      keepsDigests: keepsDigests
    )
    return (engine, outcome)
  }

  /// The keys of the store's present version, if they follow from the cache.
  func keys(in store: any StoreSnapshot) -> (SortedKeyList?, CacheOutcome) {
    do throws(CacheMiss) {
      guard !plan.isFrozen else { throw .frozen }
      guard case .some(.some(let present)) = try? store.bookmark() else {
        throw .unsupportedByStore
      }
      let bytes = try kept.get()
      let header = try SectionCache.header(in: bytes).header
      if let difference = header.fingerprint.difference(from: CacheFingerprint(plan)) {
        throw difference
      }
      let changes = try header.changes(of: plan.entity, until: present, in: store)
      let layout = plan.layout
      let least = layout.order.count + (layout.fixedIdentityLength ?? layout.identity.count)
      var keys = try SectionCache(decoding: bytes, keysOfAtLeast: least).keys
      guard let changes else { return (keys, .hit) }
      try replay(changes, on: &keys)
      return (keys, .replayed(changes: changes.count))
    } catch {
      return (nil, .miss(error))
    }
  }

  /// Moves the keys of changed rows, by their values before and after.
  private func replay(
    _ changes: [CommittedChange],
    on keys: inout SortedKeyList
  ) throws(CacheMiss) {
    var removals: [[UInt8]] = []
    var insertions: [[UInt8]] = []
    do {
      for change in changes {
        let (old, new) = (try key(of: change.before), try key(of: change.after))
        guard old != new else { continue }
        if let old { removals.append(old) }
        if let new { insertions.append(new) }
      }
      removals.sort { KeyOrder.compare($0, $1) < 0 }
      insertions.sort { KeyOrder.compare($0, $1) < 0 }
      try keys.apply(removals: removals, insertions: insertions)
    } catch {
      throw .disagreement
    }
  }

  private func key(of row: Row?) throws(StoreError) -> [UInt8]? {
    guard let row, plan.predicate.holds(for: row) else { return nil }
    return try plan.encoder.key(row.values, key: row.id.key)
  }
}

extension SectionCache.Header {
  /// The rows of an entity that changed between the cache and the present version of a store.
  /// - Returns: The net changes, or `nil` if the cache is of this very version.
  /// - Throws: `CacheMiss` if that cannot be told.
  func changes(
    of entity: EntityDescription,
    until present: StoreBookmark,
    in store: any StoreSnapshot
  ) throws(CacheMiss) -> [CommittedChange]? {
    guard Value.text(bookmark.store) == .text(present.store) else { throw .otherStore }
    guard bookmark != present else { return nil }
    // Each step is at least one change; placing one costs about as much as reading sixteen keys.
    let distance = present.sequence.subtractingReportingOverflow(bookmark.sequence)
    if !distance.overflow, distance.partialValue > UInt64(max(1024, keyCount / 16)) {
      throw .tooManyChanges
    }
    guard case .some(.some(let version)) = try? store.version(at: bookmark),
      case .commits(let records) = try? store.history(since: version, of: entity)
    else { throw .tooOld }
    return ListEngine.folded(records).flatMap(\.changes)
  }
}
