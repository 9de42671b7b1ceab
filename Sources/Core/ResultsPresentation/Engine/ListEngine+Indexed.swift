import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// Applies a change to a list whose keys an index has, and says what it did to the list.
  /// - Returns: `nil` if the change does not fit the list; a value without a step if nothing visible changed.
  /// - Complexity: O(*c* log *n*) for *c* touched rows, and never more than one pass over the index.
  mutating func apply(
    _ change: ListChange,
    to keys: IndexedKeys,
    in store: any StoreSnapshot
  ) throws(StoreError) -> (step: Step?, Void)? {
    guard let source = try store.orderedSource(of: plan.definition),
      let span = change.span ?? ListChange.KeySpan.spans(of: [change.affected])?.first
    else { return nil }
    let (touched, keyChange) = (span.touched, span.change)
    let before = IndexedReading(keys, source, since: span.since)
    var next = try generation(after: change, in: store)
    let count = keys.count + keyChange.inserted.count - keyChange.removed.count
    guard count >= 0 else { return nil }
    next.window = plan.window(of: count)
    // Runs that are read to find places are carried on by the keys afterwards, so this comes first.
    let isWhole = snapshot.window.count == keys.count && next.window.count == count
    let places = IndexedPlaces(
      from: before,
      span,
      windows: (snapshot.window, next.window),
      // Parts of the window and aggregates are told from all places.
      observed: isWhole && plan.aggregates.isEmpty ? observed : nil
    )
    try places.locate(touched)
    let nextKeys: IndexedKeys?
    do throws(StoreError) {
      nextKeys = try keys.advanced(by: keyChange, to: change.version, source, later: span.later)
    } catch {
      guard keys.blocks.isDamaged else { throw error }
      nextKeys = nil
    }
    // Blocks of a damaged cache have other numbers than were told, so they cannot be led on.
    guard let nextKeys, !nextKeys.blocks.isDamaged else { return nil }
    places.next = IndexedReading(nextKeys, source, since: span.later)
    next.keys = .indexed(nextKeys)
    let generations = GenerationPair(old: snapshot, next: next)
    var delta = try IncrementalDelta(between: generations, change, touched, places)
      .assemble(into: &next)
    guard delta != nil else { return nil }
    if next.aggregates != nil {
      try AggregateStep(from: generations.old, change, in: store).lead(to: &next, telling: &delta)
    }
    return (step(to: next, delta), ())
  }
}

extension ListEngine {
  /// How many rows are counted anew in the time that one changed row is placed.
  private static let rowsCountedForOnePlaced = 256

  /// Why the list is counted anew instead of being led on by a commit: its consumer wants no change of so many rows (R43), and
  /// counting costs less than placing them.
  /// - Parameter rows: The rows that the commit touched.
  /// - Returns: `nil` if the list is to be led on. Where it cannot be said beforehand how many rows the change will name, it is, as where
  ///   only some rows are observed.
  func reasonToCountAnew(after rows: [AffectedRow]) -> ResultsResetReason? {
    guard let threshold = indexing?.resetThreshold, case .indexed(let keys) = snapshot.keys,
      snapshot.window.count == keys.count, plan.window(of: .max).count == .max,
      snapshot.aggregates == nil, observed == nil, rows.count > threshold,
      rows.count > keys.count / ListEngine.rowsCountedForOnePlaced
    else { return nil }
    // A row whose key alone changed may stay in its place within its section, and is not told then.
    let told = rows.count { row in
      guard let old = row.oldKey, let new = row.newKey, row.changed?.isEmpty != false
      else { return true }
      return plan.rule.surelyDiffers(old, new, plan.layout)
    }
    return told > threshold ? .tooManyChanges(count: told) : nil
  }
}

extension SectionRule {
  /// Whether two keys are in different sections, as far as that can be said without much work.
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

extension ListEngine {
  /// Counts some blocks of a list over an index again.
  /// - Parameters:
  ///   - shares: Which of the list's blocks, as numbers between 0 and 1.
  ///   - store: The list's own version of the store.
  /// - Returns: What was found; nothing for a list that holds its keys.
  /// - Throws: The store's error.
  func audit(_ shares: [Double], in store: any StoreSnapshot) throws(StoreError) -> ListAudit {
    guard case .indexed(let keys) = snapshot.keys else { return ListAudit() }
    var audit = ListAudit()
    let reading = try IndexedReading(keys, in: store)
    for share in shares {
      let number = Int(share * Double(keys.blocks.blockCount))
      audit.checkedBlocks += 1
      let isSound = try reading.isSound(block: min(max(number, 0), keys.blocks.blockCount - 1))
      // What a cache held of a damaged part can be had from the store only.
      if !isSound || keys.blocks.isDamaged {
        audit.unsoundBlocks += 1
      }
    }
    return audit
  }
}
