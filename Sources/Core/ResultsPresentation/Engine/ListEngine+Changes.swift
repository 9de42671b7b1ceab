import OrderStatistics
import ResultsDomain
import ResultsStoreKit

// MARK: - Keys in memory

extension ListEngine {
  /// Applies a change to a list that holds its keys in memory.
  /// - Returns: As `apply(_:in:)`.
  /// - Complexity: O(*c* log *n*) for *c* touched rows; O(*n*) where sections are numbered, or do not follow from the
  ///   bounds of their keys.
  mutating func apply(
    _ change: ListChange,
    toHeld shown: SortedKeyList,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    guard let touched = try? TouchedKeys(change.affected) else { return nil }
    let (removed, inserted) = (touched.keys(.removed), touched.keys(.inserted))
    var keys = change.keys ?? storeKeys ?? shown
    var difference: SortedKeyDifference?
    if change.keys == nil, !removed.isEmpty || !inserted.isEmpty {
      difference = try? keys.apply(removals: removed, insertions: inserted)
      guard difference != nil else { return nil }
    }
    let numbering = try SectionNumbering(keys, plan)
    let old = snapshot
    let nextKeys = numbering?.keys ?? keys
    let identities =
      numbering == nil && storeKeys == nil
      ? old.identities.advanced(removing: removed, inserting: inserted, plan.layout)
      : IdentityIndex()
    var next = try nextGeneration(after: change, in: store) { fields in
      fields.keys = .held(nextKeys)
      fields.window = plan.window(of: keys.count)
      fields.occurrences = numbering?.occurrences ?? [:]
      fields.identities = identities
    }
    var delta: ResultsDelta?
    if !plan.numbersSections {
      delta = try IncrementalDelta(
        between: GenerationPair(old: old, next: next),
        change,
        touched,
        // Shown keys with numbers of sections have other positions.
        HeldKeyPositions(
          old: shown,
          next: nextKeys,
          difference: numbering == nil && storeKeys == nil ? difference : nil
        )
      )
      .assemble(into: &next)
    }
    if delta == nil {
      next.update { $0.counts = .counting($0.keys, $0.window, $0.rule, $0.layout) }
      if let failure = try next.identifySections() { throw .request(failure) }
      delta = try FullDelta(from: old, to: next, change, sameOrder: true).assemble()
    }
    if next.aggregates != nil {
      try AggregateUpdate(from: old, change, in: store).apply(to: &next, completing: &delta)
    }
    storeKeys = numbering == nil ? nil : keys
    return (try commit(next, delta, after: change, in: store), ())
  }
}

// MARK: - Keys in an index

extension ListEngine {
  /// Applies a change to a list whose keys stay in an index of the store.
  /// - Returns: As `apply(_:in:)`.
  /// - Complexity: O(*c* log *n*) for *c* touched rows, and never more than one pass over the index.
  mutating func apply(
    _ change: ListChange,
    toIndexed keys: IndexedKeys,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    guard let source = try store.orderedSource(of: plan.definition),
      let span = change.span ?? ListChange.KeySpan.spans(of: [change.affected])?.first
    else { return nil }
    let (touched, keyChange) = (span.touched, span.change)
    let before = IndexedReading(keys, source, since: span.since)
    let count = keys.count + keyChange.inserted.count - keyChange.removed.count
    guard count >= 0 else { return nil }
    let window = plan.window(of: count)
    // The next keys take over the runs that are read to find positions, so the positions come first.
    let isWhole = snapshot.window.count == keys.count && window.count == count
    let positions = IndexedKeyPositions(
      from: before,
      span,
      windows: (snapshot.window, window),
      // Windows, aggregates, limits of sections and sections that may move need the positions of all rows.
      observed: isWhole && plan.aggregates.isEmpty && arrangement == nil
        && snapshot.sectionIdentities == nil ? observed : nil
    )
    try positions.locate(touched)
    let nextKeys: IndexedKeys?
    do throws(StoreError) {
      nextKeys = try keys.advanced(by: keyChange, to: change.version, source, later: span.later)
    } catch {
      guard keys.blocks.isDamaged else { throw error }
      nextKeys = nil
    }
    // Blocks of a damaged cache have other lengths than the cache claims, so they cannot be advanced.
    guard let nextKeys, !nextKeys.blocks.isDamaged else { return nil }
    positions.next = IndexedReading(nextKeys, source, since: span.later)
    var next = try nextGeneration(after: change, in: store) { fields in
      fields.keys = .indexed(nextKeys)
      fields.window = window
    }
    let generations = GenerationPair(old: snapshot, next: next)
    var delta = try IncrementalDelta(between: generations, change, touched, positions)
      .assemble(into: &next)
    guard delta != nil else {
      // The commit may have taken a section apart, which a later one may put together.
      if snapshot.sectionIdentities != nil {
        next.update { $0.counts = .counting($0.keys, $0.window, $0.rule, $0.layout) }
        if let failure = try next.identifySections() { throw .request(failure) }
      }
      return nil
    }
    if next.aggregates != nil {
      try AggregateUpdate(from: generations.old, change, in: store)
        .apply(to: &next, completing: &delta)
    }
    return (
      try commit(next, delta, after: change, isComplete: change.isComplete, in: store), ()
    )
  }
}

// MARK: - Recounting

extension ListEngine {
  /// How many rows are counted in the time that one changed row is located.
  private static let rowsCountedPerLocatedRow = 256

  /// The reason to count the list again instead of applying a commit: its consumer wants no delta of that many rows (R43), and
  /// counting costs less than locating them.
  /// - Parameter rows: The rows that the commit touched.
  /// - Returns: `nil` if the commit is to be applied. So it is where the number of rows that the delta will name is not known
  ///   beforehand, as with observed rows.
  func reasonToRecount(after rows: [AffectedRow]) -> ResultsResetReason? {
    guard let threshold = indexing?.resetThreshold, case .indexed(let keys) = snapshot.keys,
      arrangement == nil,
      snapshot.window.count == keys.count, plan.window(of: .max).count == .max,
      snapshot.aggregates == nil, observedRows == nil, rows.count > threshold,
      rows.count > keys.count / ListEngine.rowsCountedPerLocatedRow
    else { return nil }
    // A row with only another key may have the same path as before; the delta does not name it then.
    let named = rows.count { row in
      guard let old = row.oldKey, let new = row.newKey, row.changed?.isEmpty != false
      else { return true }
      return plan.rule.surelyDiffers(old, new, plan.layout)
    }
    return named > threshold ? .tooManyChanges(count: named) : nil
  }
}

extension SectionRule {
  /// Whether two keys are in different sections, as far as that is cheap to find out.
  fileprivate func surelyDiffers(_ old: [UInt8], _ new: [UInt8], _ layout: KeyLayout) -> Bool {
    guard old != new else { return false }
    switch self {
    case .single, .numbered: return false
    case .columns(let count, _):
      let length = old.withUnsafeBytes { layout.prefixLength(columns: count, in: $0) }
      return !new.starts(with: old[..<length])
    case .grouping:
      guard let extent = old.withUnsafeBytes({ extent(of: $0, layout) }) else { return false }
      return KeyOrder.compare(new, extent.lower) < 0
        || !new.withUnsafeBytes { extent.contains($0) }
    }
  }
}

// MARK: - Auditing

extension ListEngine {
  /// Counts some blocks of a list over an index again.
  /// - Parameters:
  ///   - shares: The blocks to count, as fractions of the list between 0 and 1.
  ///   - store: The store at the list's version.
  /// - Returns: The findings; an empty audit for a list that holds its keys.
  /// - Throws: The store's error.
  func audit(_ shares: [Double], in store: any StoreSnapshot) throws(StoreError) -> ListAudit {
    guard case .indexed(let keys) = snapshot.keys else { return ListAudit() }
    var audit = ListAudit()
    let reading = try IndexedReading(keys, in: store)
    for share in shares {
      let number = Int(share * Double(keys.blocks.blockCount))
      audit.checkedBlocks += 1
      let isSound = try reading.isSound(block: min(max(number, 0), keys.blocks.blockCount - 1))
      // Only the store has what was lost with a damaged part of a cache.
      if !isSound || keys.blocks.isDamaged {
        audit.unsoundBlocks += 1
      }
    }
    return audit
  }
}

// MARK: - Observed rows

// A list over an index only shows related values: neither its order nor its predicate reads them. Where some rows are observed, a commit that
// concerns many rows through their related objects is therefore followed the other way round: the related objects of the observed rows are
// read before and after, and the rows that depend on the commit are not searched. So a rename costs what the observed rows cost, however
// many rows show the name. The delta then says that its counts of other rows are not complete.

extension ListEngine {
  /// The commits since the list's version that change its rows, and the versions of those of which only observed rows are known.
  /// - Returns: `nil` if the keys are to be read again, since a commit concerns a large part of the list.
  func commits(
    in history: SnapshotHistory
  ) throws(StoreError) -> (history: StoreHistory, incomplete: Set<StoreVersion>)? {
    guard looksAtObservedRowsOnly else {
      let found = try history.since(snapshot.version, of: plan, limit: dependentLimit)
      return found.map { ($0, []) }
    }
    return try history.since(snapshot.version, of: plan, limit: mostDependentsCounted) {
      (written) throws(StoreError) in
      try keysNearObservedRows(within: written, in: history.snapshot)
    }
  }

  /// Whether a commit may be followed by looking at the observed rows only.
  private var looksAtObservedRowsOnly: Bool {
    // Aggregates and digests need the values of every row. A window's edge is not followed by observed rows.
    guard observedRows != nil, plan.relations != nil, case .indexed = snapshot.keys,
      plan.limit == nil, plan.offset == 0, plan.aggregates.isEmpty, digests == nil
    else { return false }
    return true
  }

  /// The objects that can be at an observed position after some commits, except those that the commits wrote.
  /// - Parameters:
  ///   - written: The number of rows that the commits wrote.
  ///   - store: The version after the commits.
  /// - Returns: Their keys, in the list's order before the commits.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* + log *n*) for *k* observed and written rows.
  private func keysNearObservedRows(
    within written: Int,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [ObjectKey] {
    guard let observedRows, case .indexed(let keys) = snapshot.keys else { return [] }
    // Each written row can leave one position and take another, so it shifts the rows beside it by two at most.
    let reach = 2 * written
    let near = max(0, observedRows.lowerBound - reach)..<observedRows.upperBound + reach
    let positions = near.clamped(to: 0..<keys.count)
    guard !positions.isEmpty else { return [] }
    let page = try IndexedReading(keys, in: store).page(at: positions)
    let (layout, identity) = (snapshot.layout, plan.entity.identity)
    var found: [ObjectKey] = []
    found.reserveCapacity(page.count)
    page.forEachKey { key in
      if let key = layout.objectKey(in: key, of: identity) { found.append(key) }
    }
    return found
  }
}
