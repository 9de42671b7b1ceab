import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// What of a list's definition follows the clock, at one time (R15).
///
/// A store is asked for conditions with constants, so a list has a plan for each time. `now` is the time of the plan, not the present one:
/// the list is advanced in time when the first row or section would differ, and not before.
struct ListClock: Sendable {
  /// The definition with its relative dates and groupings.
  let definition: ResultsDefinition<Row>
  /// The time at which they are resolved.
  let now: Instant
  /// The comparisons of the condition with relative dates.
  let comparisons: [RelativeComparison]

  /// - Returns: `nil` for a definition that does not follow the clock, or that is frozen once it is resolved.
  init?(_ definition: ResultsDefinition<Row>, at now: Instant) {
    guard definition.followsClock, !definition.isFrozen else { return nil }
    self.definition = definition
    self.now = now
    comparisons = definition.request.predicate.relativeComparisons
  }

  /// The rows that are on other sides of relative dates at another time, or `nil` for none.
  func crossed(to time: Instant) -> FetchPredicate? {
    let entity = definition.request.entity
    let crossed = comparisons.compactMap { $0.crossed(from: now, to: time, in: entity) }
    return crossed.isEmpty ? nil : .or(crossed)
  }

  /// Whether the condition compares with the present time, and not only with days.
  var comparesWithNow: Bool { comparisons.contains { !$0.date.isDay } }

  /// The first time after that of the plan at which a day begins that the definition depends on.
  var nextDay: Instant? {
    let days = comparisons.compactMap { $0.date.nextChange(after: now) }
    let groupings = [definition.clockGrouping, definition.groups?.clockGrouping]
    return (days + groupings.compactMap { $0?.nextChange(after: now) }).min()
  }
}

extension ResultsDefinition {
  /// Whether rows or sections change as time passes (R15).
  var followsClock: Bool {
    request.predicate.followsClock || clockGrouping != nil || groups?.clockGrouping != nil
  }

  /// The grouping of its sections, if it follows the clock.
  fileprivate var clockGrouping: (any ClockGrouping)? {
    guard case .transient(_, let grouping)? = sectionKey?.source else { return nil }
    return grouping as? any ClockGrouping
  }

  /// The definition at a time: with constants for relative dates, and the groups of that time.
  func resolved(at now: Instant) -> Self {
    var resolved = self
    resolved.request.predicate = request.predicate.resolved(at: now, in: request.entity)
    if let grouping = clockGrouping {
      resolved.sectionKey = sectionKey?.grouped(by: grouping.resolved(at: now))
    }
    resolved.groups = groups?.resolved(at: now)
    return resolved
  }
}

// MARK: - When rows are crossed

/// The next times at which rows of the store are on another side of the present time.
///
/// The store is asked for some at once; what commits change is added, so a commit costs no query. A time that no row has any more does no
/// harm: the list looks, and nothing has crossed.
struct ClockCrossings: Sendable {
  /// The known times, ascending.
  private var times: [Instant] = []
  /// The time up to which all are known, or `nil` if there are no others.
  private var end: Instant? = .negativeInfinity

  /// How many are asked for at once.
  private static let batch = 64

  /// Forgets what is known.
  mutating func forget() { (times, end) = ([], .negativeInfinity) }

  /// The first time after a plan's at which a row is crossed, or `nil` for never.
  /// - Complexity: O(log *n*) with an index on what is compared, and O(*n*) without one; O(1) where the time is known.
  mutating func next(_ plan: ListPlan, in store: any StoreSnapshot) throws(StoreError) -> Instant? {
    guard let clock = plan.clock else { return nil }
    times.removeAll { $0 <= clock.now }
    if let end, times.first.map({ $0 > end }) ?? true { try read(clock, plan, in: store) }
    return times.first
  }

  /// Whether the store need not be asked when a row is crossed next, and that is after a time.
  func isKnownToBe(after now: Instant) -> Bool {
    guard let first = times.first else { return end == nil }
    return first > now && end.map { first <= $0 } ?? true
  }

  private mutating func read(
    _ clock: ListClock,
    _ plan: ListPlan,
    in store: any StoreSnapshot
  ) throws(StoreError) {
    (times, end) = ([], nil)
    let entity = clock.definition.request.entity
    for comparison in clock.comparisons where !comparison.date.isDay {
      let upcoming = try plan.reading(
        comparison.upcoming(after: clock.now, in: entity),
        sortedBy: [FetchSortDescriptor(comparison.expression)]
      )
      let view = upcoming.view(store)
      let batch = try view.firstEntries(of: upcoming.definition, limit: ClockCrossings.batch)
      for index in 0..<batch.count {
        let value = batch.key(at: index).withUnsafeBytes {
          upcoming.layout.value(ofColumn: 0, in: $0)
        }
        if let time = comparison.time(ofStored: value, in: entity) { times.append(time) }
      }
      if batch.count == ClockCrossings.batch, let last = times.last {
        end = min(end ?? last, last)
      }
    }
    times.sort()
  }

  /// Adds the rows that commits wrote.
  /// - Parameters:
  ///   - history: What is known of the commits since the list's version.
  ///   - clock: The clock of the list's plan.
  mutating func add(_ history: StoreHistory, _ clock: ListClock) {
    guard end != .negativeInfinity else { return }
    guard case .commits(let records) = history else { return forget() }
    let entity = clock.definition.request.entity
    var added: Set<Instant> = []
    for comparison in clock.comparisons where !comparison.date.isDay {
      let expression = CompiledExpression(comparison.expression, in: entity)
      for row in records.lazy.flatMap(\.changes).compactMap(\.after) {
        let value = expression.value(row.values, key: row.id.key)
        guard let time = comparison.time(ofStored: value, in: entity), time > clock.now,
          end.map({ time <= $0 }) ?? true
        else { continue }
        added.insert(time)
      }
    }
    guard !added.isEmpty else { return }
    times = (times + added.subtracting(times)).sorted()
    guard times.count > 4 * ClockCrossings.batch else { return }
    times.removeLast(times.count - ClockCrossings.batch)
    end = times.last
  }
}

// MARK: - Advancing in time

extension ListEngine {
  /// Notes the rows that commits wrote, before the list is advanced by them.
  mutating func noteCrossings(in history: SnapshotHistory) throws(StoreError) {
    guard let clock = plan.clock, clock.comparesWithNow,
      history.snapshot.version != snapshot.version
    else { return }
    crossings = try crossings(clock, in: history)
  }

  /// What is known of the crossings after the commits of a history.
  private func crossings(
    _ clock: ListClock,
    in history: SnapshotHistory
  ) throws(StoreError) -> ClockCrossings {
    var known = crossings
    if clock.comparisons.contains(where: \.expression.usesPaths) {
      // What is compared with the present time may be another entity's.
      known.forget()
    } else {
      let entity = clock.definition.request.entity
      known.add(try history.since(snapshot.version, of: entity), clock)
    }
    return known
  }

  /// Whether advancing the list to a version at a time asks the store nothing for the sake of the time.
  func staysInTime(at now: Instant, in history: SnapshotHistory) -> Bool {
    guard let clock = plan.clock else { return true }
    guard clock.now <= now, clock.nextDay.map({ now < $0 }) ?? true else { return false }
    guard clock.comparesWithNow else { return true }
    return (try? crossings(clock, in: history))?.isKnownToBe(after: now) ?? false
  }

  /// The time at which the list is to be advanced next, or `nil` if it does not follow the clock.
  ///
  /// It is infinite where no row is left to be crossed: the clock can still be set back.
  mutating func nextTurn(in store: any StoreSnapshot) throws(StoreError) -> Instant? {
    guard let clock = plan.clock else { return nil }
    let crossing = try crossings.next(plan, in: store)
    return min(clock.nextDay ?? .infinity, crossing ?? .infinity)
  }

  /// Advances the list in time, forwards or backwards.
  ///
  /// It must have been advanced to the store's version, so that only the time differs.
  /// - Returns: The step, or `nil` if the list shows the same as before.
  /// - Throws: The store's error; the engine is then as it was.
  /// - Complexity: O(*k* log *n*) for the *k* rows that are crossed, and what the store takes to find them; O(*n*) where sections or
  ///   titles are others, or a large part of the rows.
  mutating func advance(to now: Instant, in store: any StoreSnapshot) throws(StoreError) -> Step? {
    guard let clock = plan.clock, now != clock.now else { return nil }
    let next = try plan.resolved(at: now)
    if now < clock.now { crossings.forget() }
    let kept = crossings
    var advanced = self
    let crossed = try crossedRows(clock.crossed(to: now), next, in: store)
    let step: Step?
    if let crossed, plan.hasGroups(of: next) {
      step = try advanced.adopt(next, crossed, in: store)
    } else {
      step = try advanced.redefine(next, crossed?.map(\.row), in: store)
    }
    advanced.crossings = kept
    self = advanced
    return step
  }

  /// The rows whose membership differs between the present plan and another one; `nil` if they are too many to be looked at one by one.
  private func crossedRows(
    _ crossed: FetchPredicate?,
    _ next: ListPlan,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [CrossedRow]? {
    guard let crossed else { return [] }
    guard case .held(let held) = snapshot.keys else { return nil }
    let reading = try plan.reading(
      crossed,
      sortedBy: plan.clock?.definition.request.sortDescriptors ?? []
    )
    let limit = max(fewestRowsReadAgain, held.count / 4)
    let found = try ListEngine.keys(of: reading.definition, in: reading.view(store), limit: limit)
    guard found.isComplete else { return nil }
    var keys: [ObjectKey] = []
    found.keys.forEachKey(in: 0..<found.keys.count) { _, key in
      if let key = reading.layout.objectKey(in: key, of: reading.entity.identity) {
        keys.append(key)
      }
    }
    var rows: [CrossedRow] = []
    for case .some(let row) in try plan.view(store).rows(keys, of: plan.entity) {
      let (old, new) = (try plan.key(of: row), try next.key(of: row))
      guard old != new else { continue }
      var crossing = AffectedRow(
        id: row.id,
        oldKey: old,
        newKey: new,
        before: plan.carriesRows ? row : nil,
        after: plan.carriesRows ? row : nil,
        changed: AttributeSet()
      )
      let change = CommittedChange(
        id: row.id,
        before: old == nil ? nil : row,
        after: new == nil ? nil : row
      )
      crossing.inputs = try plan.aggregates.inputs(
        of: change,
        wasMember: old != nil,
        isMember: new != nil
      )
      rows.append(CrossedRow(row: crossing, change: change))
    }
    return rows
  }

  /// Adopts the plan of another time, by which rows come and go and sections stay.
  private mutating func adopt(
    _ next: ListPlan,
    _ crossed: [CrossedRow],
    in store: any StoreSnapshot
  ) throws(StoreError) -> Step? {
    let view = next.view(store)
    let held = storeKeys
    plan = next
    snapshot.update { $0.plan = next }
    guard !crossed.isEmpty else { return nil }
    let affected = crossed.map(\.row)
    let entity = plan.entity
    let change = ListChange(
      affected: affected,
      version: store.version,
      cause: .clock,
      origins: []
    ) { (keys) throws(StoreError) in
      try view.rows(keys, of: entity)
    }
    guard let applied = try apply(change, in: view) else {
      // The keys do not fit the rows, so they are read again.
      storeKeys = held
      return try redefine(next, nil, in: store)
    }
    digests?.apply(affected, crossed.map(\.change), plan.layout)
    return applied.step
  }

  /// Adopts the plan of another time as another definition, given the rows whose membership differs, or `nil` to read all keys.
  private mutating func redefine(
    _ next: ListPlan,
    _ affected: [AffectedRow]?,
    in store: any StoreSnapshot
  ) throws(StoreError) -> Step? {
    // What is counted over an index is counted by sections.
    var keys: ListKeys?
    if let affected, case .held(let shown) = snapshot.keys,
      let touched = try? TouchedKeys(affected)
    {
      var held = storeKeys ?? shown
      let (removed, inserted) = (touched.keys(.removed), touched.keys(.inserted))
      if (try? held.apply(removals: removed, insertions: inserted)) != nil { keys = .held(held) }
    }
    var other: ListEngine
    if let keys {
      other = try ListEngine(
        next,
        keys: keys,
        from: store,
        generation: snapshot.generation + 1,
        maintainsDigests: maintainsDigests
      )
      other.indexing = indexing
      other.isComparing = isComparing
    } else {
      other = try ListEngine(
        next,
        from: store,
        generation: snapshot.generation + 1,
        maintainsDigests: maintainsDigests,
        indexing: indexing
      )
    }
    other.fewestRowsReadAgain = fewestRowsReadAgain
    other.mostDependentsCounted = mostDependentsCounted
    return try redefine(as: other, in: store, because: .clock)
  }
}

/// A row that comes or goes as time passes.
private struct CrossedRow {
  let row: AffectedRow
  /// Its coming or going as a commit would report it.
  let change: CommittedChange
}

extension ListPlan {
  /// The plan of the same definition at another time.
  fileprivate func resolved(at now: Instant) throws(StoreError) -> ListPlan {
    guard let clock else { return self }
    do {
      return try ListPlan(
        clock.definition,
        at: now,
        carriesRows: carriesRows,
        answersPaths: answersPaths,
        namesChangedKeys: namesChangedKeys
      )
    } catch {
      throw .request(error)
    }
  }

  /// The plan at the time of another one, which may have been advanced meanwhile.
  func resolved(atTimeOf other: ListPlan?) throws(StoreError) -> ListPlan {
    guard let now = other?.clock?.now, clock != nil, clock?.now != now else { return self }
    return try resolved(at: now)
  }

  /// A plan for reading the keys of some rows, which need not be in the list.
  fileprivate func reading(
    _ predicate: FetchPredicate,
    sortedBy descriptors: [FetchSortDescriptor]
  ) throws(StoreError) -> ListPlan {
    guard let clock else { return self }
    let request = FetchRequest<Row>(
      entity: clock.definition.request.entity,
      where: predicate,
      sortedBy: descriptors
    )
    do {
      return try ListPlan(
        ResultsDefinition(request),
        carriesRows: false,
        answersPaths: answersPaths
      )
    } catch {
      throw .request(error)
    }
  }

  /// Whether another plan of the same definition has the same groups with the same titles.
  fileprivate func hasGroups(of other: ListPlan) -> Bool {
    if let mine = groups, mine.clockGrouping != nil, let others = other.groups {
      guard mine.hasGroupsAndTitles(of: others) else { return false }
    }
    guard case .transient(_, let mine)? = sectionKey?.source,
      case .transient(_, let others)? = other.sectionKey?.source
    else { return true }
    return Value.text(mine.groupingIdentity) == .text(others.groupingIdentity)
      && Value.text(mine.titleIdentity) == .text(others.titleIdentity)
  }
}
