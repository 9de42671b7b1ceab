import OrderStatistics
public import ResultsDomain
import ResultsStoreKit

/// The end of a list at which running values begin.
public enum RunningOrigin: Hashable, Sendable {
  /// The first row: the value at a row covers that row and all before it.
  case first
  /// The last row: the value at a row covers that row and all after it, as a balance does in a list with the newest first.
  case last
}

extension ResultsList {
  /// Reads the running values of a declared aggregate at some rows, such as the balance after each transaction (R285).
  ///
  /// The value at a row is the aggregate over the rows from an end of the list to that row, all of the generation. Rows beyond the limit
  /// of their section count. Those outside the limit and offset of the request count in `ResultsReading` alone, since no delta of a
  /// live list reports their changes. Nothing is stored: a change of one row changes the values of all rows beyond it, and a delta names none of
  /// them. So read the values of the shown rows again after every delta.
  ///
  /// ```swift
  /// let balances = try results.runningValues(of: "sum", from: .last, at: 0..<40)
  /// ```
  /// - Parameters:
  ///   - name: The name of the aggregate in the definition.
  ///   - origin: The end of the list at which the values begin.
  ///   - positions: The rows, counted over all sections. Positions outside the list are left out.
  /// - Returns: One value for each row, in order.
  /// - Throws: `ResultsError.store` for a name that the definition does not declare, for an attribute that the list does not fetch, for
  ///   sections that are not shown in the order of the rows, and for the store's own failure; that is `StoreError.historyLost` if the store has changed since the list was shown and
  ///   cannot say how.
  /// - Complexity: O(*k* + *s*) for *k* rows and *s* sections, where the sections have up to 1024 rows, or 64 if the list counts over an
  ///   index. In a longer section the store aggregates the rows between the page and the section's end, which is O(*m*) for *m* rows.
  public func runningValues(
    of name: String,
    from origin: RunningOrigin = .first,
    at positions: Range<Int>
  ) throws(ResultsError) -> [AggregateValue] {
    try runningValues(
      of: name,
      from: origin,
      at: positions,
      readingLimit: nil
    )
  }

  /// Reads the running values with another number of rows up to which they are read rather than aggregated by the store.
  package func runningValues(
    of name: String,
    from origin: RunningOrigin,
    at positions: Range<Int>,
    readingLimit: Int?
  ) throws(ResultsError) -> [AggregateValue] {
    func read() throws(StoreError) -> [AggregateValue] {
      try loader.store.rereading { (store) throws(StoreError) in
        try RunningValues(snapshot, name, from: origin, in: store, readingLimit: readingLimit)
          .values(at: positions)
      }
    }
    return try reading { () throws(StoreError) in
      do throws(StoreError) {
        return try read()
      } catch {
        guard case .historyLost = error else { throw error }
        // The list may be at a later version with the same rows.
        loader.settle()
        return try read()
      }
    }
  }
}

extension ResultsReading {
  /// Reads the running values of a declared aggregate at some rows, in the version of the reading (R285).
  ///
  /// All rows that match count, also those outside the limit and offset of the request.
  /// - Parameters:
  ///   - name: The name of the aggregate in the definition.
  ///   - origin: The end of the list at which the values begin.
  ///   - positions: The rows, counted over all sections. Positions outside the list are left out.
  /// - Returns: One value for each row, in order.
  /// - Throws: As `ResultsList.runningValues(of:from:at:)`.
  /// - Complexity: As there.
  public func runningValues(
    of name: String,
    from origin: RunningOrigin = .first,
    at positions: Range<Int>
  ) throws(ResultsError) -> [AggregateValue] {
    try results.reading { () throws(StoreError) in
      var running = try RunningValues(results.snapshot, name, from: origin, in: snapshot)
      running.covered = 0..<results.snapshot.matchingCount
      return try running.values(at: positions)
    }
  }
}

/// Computes the running values of one aggregate of a generation.
///
/// Whole sections are in the table of aggregates. What a page leaves of its section is read row by row if it is short, on this side or on the
/// other; otherwise the store aggregates the rows between two keys, and later commits are undone by its history.
struct RunningValues {
  private let snapshot: ResultsSnapshot
  private let table: AggregateTable
  private let index: Int
  private let origin: RunningOrigin
  private let compiled: CompiledAggregates
  private let store: any StoreSnapshot
  /// How many rows are read rather than aggregated by the store.
  private let readingLimit: Int
  /// The positions of the keys whose rows count: those in the window, unless others are wanted too.
  var covered: Range<Int>

  /// Prepares the values of an aggregate.
  /// - Throws: `StoreError.request` for an aggregate that is not declared or that depends on an attribute that is not observed, and for
  ///   sections in an order of their own.
  init(
    _ snapshot: ResultsSnapshot,
    _ name: String,
    from origin: RunningOrigin,
    in store: any StoreSnapshot,
    readingLimit: Int? = nil
  ) throws(StoreError) {
    let plan = snapshot.plan.aggregates
    guard let table = snapshot.aggregates,
      let index = plan.names.firstIndex(where: { $0.hasSameBytes(as: name) })
    else { throw .request(.unknownAggregate(name, known: plan.names)) }
    guard snapshot.arrangement?.plan.keepsSections ?? true else {
      throw .request(.runningValuesOfArrangedSections(name))
    }
    let aggregate = plan.compiled.aggregates[index]
    let attributes = aggregate.expression.attributes + aggregate.predicate.attributes
    // What an aggregate asks of related objects is in its value in the headers.
    let own = snapshot.plan.relations?.base ?? snapshot.entity
    let unobserved = attributes.first { attribute in
      own.index(of: attribute)
        .map { !snapshot.plan.observedAttributes.contains($0) } ?? false
    }
    if let unobserved {
      throw .request(.runningValuesOfOthers(name, attribute: unobserved))
    }
    self.snapshot = snapshot
    self.table = table
    self.index = index
    self.origin = origin
    compiled = try plan.compiled.only([index], in: snapshot.entity)
    self.store = store
    // Where an index has the order, the store finds the first row between two keys by a search, and elsewhere it passes over all rows.
    let usual = if case .indexed = snapshot.keys { 64 } else { 1024 }
    self.readingLimit = readingLimit ?? usual
    covered = snapshot.window
  }

  /// The values at some positions counted over all sections, in order.
  func values(at positions: Range<Int>) throws(StoreError) -> [AggregateValue] {
    let ranges = snapshot.keyRanges(ofFlat: positions.clamped(to: 0..<snapshot.rowCount))
    var values: [AggregateValue] = []
    var state = compiled.emptyStates[0]
    func add(_ inputs: some Sequence<Value>) {
      for input in inputs {
        state.add(input)
        values.append(state.result(as: compiled.types[0]))
      }
    }
    switch origin {
    case .first:
      var next = covered.lowerBound
      for range in ranges where !range.isEmpty {
        state.merge(try total(of: next..<range.lowerBound))
        add(try inputs(at: range))
        next = range.upperBound
      }
    case .last:
      var end = covered.upperBound
      for range in ranges.reversed() where !range.isEmpty {
        state.merge(try total(of: range.upperBound..<end))
        add(try inputs(at: range).reversed())
        end = range.lowerBound
      }
      values.reverse()
    }
    return values
  }

  /// The aggregate over the rows at some positions of keys.
  private func total(of range: Range<Int>) throws(StoreError) -> AggregateState {
    let window = snapshot.window
    var total = compiled.emptyStates[0]
    let outside = [
      range.lowerBound..<max(range.lowerBound, min(range.upperBound, window.lowerBound)),
      min(range.upperBound, max(range.lowerBound, window.upperBound))..<range.upperBound,
    ]
    for range in outside where !range.isEmpty { total.merge(try read(range)) }
    let range = range.clamped(to: window)
    guard !range.isEmpty,
      let first = snapshot.storedCounts.run(containing: range.lowerBound - window.lowerBound)?.run,
      let last = snapshot.storedCounts.run(containing: range.upperBound - 1 - window.lowerBound)?
        .run
    else { return total }
    total.merge(try part(range.clamped(to: snapshot.positions(ofStored: first)), ofSection: first))
    guard first < last else { return total }
    table.forEachStates(ofSections: first + 1..<last) { total.merge($0[index]) }
    total.merge(try part(range.clamped(to: snapshot.positions(ofStored: last)), ofSection: last))
    return total
  }

  /// The aggregate over a part of a section, which has one of its ends.
  private func part(_ range: Range<Int>, ofSection section: Int) throws(StoreError)
    -> AggregateState
  {
    let whole = snapshot.positions(ofStored: section)
    let state = table.states(ofSection: section)[index]
    guard range != whole else { return state }
    let others = [whole.lowerBound..<range.lowerBound, range.upperBound..<whole.upperBound]
    if range.count > readingLimit, whole.count - range.count <= readingLimit,
      let rest = try removing(others, from: state)
    {
      return rest
    }
    return try read(range)
  }

  /// The aggregate over the rows at some positions of keys, by the store or by reading them.
  private func read(_ range: Range<Int>) throws(StoreError) -> AggregateState {
    if range.count > readingLimit, let found = try aggregated(range) { return found }
    var state = compiled.emptyStates[0]
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 1024) {
      for input in try inputs(at: start..<min(start + 1024, range.upperBound)) { state.add(input) }
    }
    return state
  }

  /// A state without the rows at some positions, or `nil` if a smallest or largest value is among them.
  private func removing(
    _ ranges: [Range<Int>],
    from state: AggregateState
  ) throws(StoreError) -> AggregateState? {
    var state = state
    for range in ranges where !range.isEmpty {
      for input in try inputs(at: range) {
        guard state.remove(input) else { return nil }
      }
    }
    return state
  }

  /// The version in which the rows at some positions of keys are those of the generation.
  ///
  /// Commits that touch no row in the window leave the generation as it is, with the keys outside that it had.
  private func version(of range: Range<Int>) -> StoreVersion {
    let window = snapshot.window
    let isShown = range.lowerBound >= window.lowerBound && range.upperBound <= window.upperBound
    return isShown ? snapshot.span.latest(upTo: store.version) : snapshot.version
  }

  /// The inputs of the rows at some positions of keys, as they are in the generation.
  private func inputs(at range: Range<Int>) throws(StoreError) -> [Value] {
    let page = try snapshot.page(atKeys: [range], asOf: version(of: range), in: store)
    if let gap = page.gap { throw .historyLost(entity: snapshot.entity.name, gap) }
    var inputs: [Value] = []
    inputs.reserveCapacity(page.rows.count)
    for row in page.rows {
      guard let row else { throw snapshot.unnamedObject }
      inputs.append(try compiled.inputs(row.values, key: row.id.key)[0])
    }
    return inputs
  }
}

// MARK: - Aggregates of the store

extension RunningValues {
  /// The aggregate that the store computes over the rows between two keys, or `nil` if they must be read.
  func aggregated(_ range: Range<Int>) throws(StoreError) -> AggregateState? {
    let plan = snapshot.plan
    guard snapshot.showsStoreOrder,
      plan.layout.order.allSatisfy({ $0.storage != .any })
    else { return nil }
    func key(at position: Int) throws(StoreError) -> [UInt8]? {
      try snapshot.keys.keys(at: position..<position + 1, in: plan.view(store)).first
    }
    guard let first = try key(at: range.lowerBound), let last = try key(at: range.upperBound - 1)
    else { return nil }
    let between = KeyOrderPredicate(plan.definition).rows(from: first, through: last)
    let predicate = plan.definition.predicate && between
    let definition = try? OrderDefinition(
      entity: plan.entity,
      predicate: predicate,
      sortDescriptors: plan.definition.terms
    )
    guard let definition else { return nil }
    var group = AggregateGroup(prefix: [], count: 0, states: compiled.emptyStates)
    try plan.view(store).aggregates(compiled, of: definition, groupedByFirst: 0) { found in
      group = found
      return false
    }
    guard try undoCommits(since: version(of: range), from: first, through: last, in: &group) else {
      return nil
    }
    // A store that compares otherwise than keys do has other rows there.
    return group.count == range.count ? group.states[0] : nil
  }

  /// Takes the commits after a version out of a group of the rows between two keys, with both.
  /// - Returns: Whether the history and the aggregate allow that.
  private func undoCommits(
    since version: StoreVersion,
    from first: [UInt8],
    through last: [UInt8],
    in group: inout AggregateGroup
  ) throws(StoreError) -> Bool {
    let plan = snapshot.plan
    guard version != store.version else { return true }
    guard plan.relations == nil,
      case .commits(let records) = try store.history(since: version, of: plan.entity)
    else { return false }
    var changes: [ObjectKey: (before: Row?, after: Row?)] = [:]
    for change in records.flatMap(\.changes) {
      changes[change.id.key, default: (change.before, nil)].after = change.after
    }
    /// The input of a row, or `nil` if it is not between the keys.
    func input(_ row: Row?) throws(StoreError) -> Value? {
      guard let row, let key = try plan.key(of: row),
        !key.lexicographicallyPrecedes(first), !last.lexicographicallyPrecedes(key)
      else { return nil }
      return try compiled.inputs(row.values, key: row.id.key)[0]
    }
    for change in changes.values {
      if let after = try input(change.after) {
        guard group.states[0].remove(after) else { return false }
        group.count -= 1
      }
      if let before = try input(change.before) {
        group.states[0].add(before)
        group.count += 1
      }
    }
    return true
  }
}

/// Conditions for the rows between two keys in the order of a list.
private struct KeyOrderPredicate {
  /// The side of a key, which the key itself is on too.
  private enum Side { case notBefore, notAfter }

  private let layout: KeyLayout
  /// The values that the columns of a key are of, those of the object's key last.
  private let columns: [(expression: FetchExpression, column: KeyColumn)]
  private let identity: EntityIdentity

  init(_ definition: OrderDefinition) {
    layout = definition.layout
    identity = definition.entity.identity
    let parts = identity.columns
    let key =
      parts.count == 1 ? [FetchExpression.objectKey] : parts.map { FetchExpression.attribute($0) }
    columns = Array(
      zip(definition.terms.map(\.expression) + key, layout.order + layout.identity)
    ).map { (expression: $0, column: $1) }
  }

  /// The condition for the rows between two keys, and those that have them.
  ///
  /// The values that both keys begin with are compared once, and so are the bounds of the first that differs. An index of the order then
  /// has the rows in one place; a store finds no place by the alternatives of the other conditions.
  func rows(from first: [UInt8], through last: [UInt8]) -> FetchPredicate {
    let (low, high) = (values(of: first), values(of: last))
    let count = zip(low, high).prefix { $0 == $1 }.count
    var parts = zip(columns, low).prefix(count).map { part, value -> FetchPredicate in
      value.isNull
        ? .isNull(part.expression) : .comparison(part.expression, .equal, .literal(value))
    }
    guard count < columns.count else { return parts.reduce(.all, &&) }
    let (expression, column) = columns[count]
    let (least, greatest) =
      column.isDescending ? (high[count], low[count]) : (low[count], high[count])
    if !least.isNull, !greatest.isNull {
      parts.append(.comparison(expression, .greaterOrEqual, .literal(least)))
      parts.append(.comparison(expression, .lessOrEqual, .literal(greatest)))
    }
    parts.append(rows(.notBefore, low, after: count))
    parts.append(rows(.notAfter, high, after: count))
    return parts.reduce(.all, &&)
  }

  /// The values of a key, those of the object's key last.
  private func values(of key: [UInt8]) -> [Value] {
    key.withUnsafeBytes { key in
      layout.order.indices.map { layout.value(ofColumn: $0, in: key) }
        + (layout.objectKey(in: key, of: identity)?.parts ?? [])
    }
  }

  /// The condition for the rows on one side of a key, which agree with it in the first values.
  private func rows(_ side: Side, _ values: [Value], after count: Int) -> FetchPredicate {
    var predicate = FetchPredicate.all
    for (part, value) in zip(columns, values).dropFirst(count).reversed() {
      let (expression, column) = part
      // Nulls are on one side of all other values.
      let hasNulls = (column.nulls == .first) == (side == .notAfter)
      guard !value.isNull else {
        let tied = FetchPredicate.isNull(expression) && predicate
        predicate = hasNulls ? tied : .not(.isNull(expression)) || tied
        continue
      }
      let isLess = (side == .notAfter) != column.isDescending
      var beside = FetchPredicate.comparison(
        expression,
        isLess ? .less : .greater,
        .literal(value)
      )
      if hasNulls { beside = beside || .isNull(expression) }
      predicate = beside || .comparison(expression, .equal, .literal(value)) && predicate
    }
    return predicate
  }
}
