import ResultsDomain
import ResultsStoreKit

/// The declared aggregates of a list, compiled.
struct AggregatePlan: Sendable {
  let names: [String]
  let compiled: CompiledAggregates

  var isEmpty: Bool { names.isEmpty }

  init(
    _ aggregates: [SectionAggregate],
    in entity: EntityDescription
  ) throws(RequestError) {
    var known: Set<Value> = []
    for aggregate in aggregates where !known.insert(.text(aggregate.name)).inserted {
      throw .duplicateAggregate(aggregate.name)
    }
    names = aggregates.map(\.name)
    compiled = try CompiledAggregates(aggregates.map(\.aggregate), in: entity)
  }

  /// The results of some states, by name.
  func results(of states: [AggregateState]) -> SectionAggregates {
    SectionAggregates(
      names.indices.map { index in
        let type = compiled.types[index]
        guard index < states.count else {
          return (names[index], compiled.emptyStates[index].result(as: type))
        }
        return (names[index], states[index].result(as: type))
      }
    )
  }

  /// The inputs of a changed row to the aggregates, or `nil` if there are none.
  ///
  /// Only the images with which the row is in the list have inputs.
  func inputs(
    of change: CommittedChange,
    wasMember: Bool,
    isMember: Bool
  ) throws(StoreError) -> AggregateInputs? {
    guard !isEmpty else { return nil }
    var inputs = AggregateInputs()
    if wasMember, let row = change.before {
      inputs.before = try compiled.inputs(row.values, key: row.id.key)
    }
    if isMember, let row = change.after {
      inputs.after = try compiled.inputs(row.values, key: row.id.key)
    }
    return inputs
  }
}

/// The inputs of a row to the aggregates before a commit and after it; `nil` where they are unknown or the row was not in the list.
struct AggregateInputs {
  var before: [Value]?
  var after: [Value]?

  /// Whether they may change the aggregates.
  var differ: Bool { before != after }
}

/// The states of the declared aggregates, section by section.
struct AggregateTable: Sendable {
  let plan: AggregatePlan
  private var sections: ChunkedList<[AggregateState]>

  init(_ plan: AggregatePlan, sections: [[AggregateState]]) {
    self.plan = plan
    self.sections = ChunkedList(sections)
  }

  /// The aggregates of a section.
  func results(ofSection section: Int) -> SectionAggregates {
    plan.results(of: sections.element(at: section) ?? [])
  }

  /// The aggregates over some sections.
  func results(ofSections sections: [Int]) -> SectionAggregates {
    guard sections.count > 1 else {
      return plan.results(of: sections.first.map(states(ofSection:)) ?? [])
    }
    var total = plan.compiled.emptyStates
    for section in sections {
      let states = states(ofSection: section)
      for index in total.indices { total[index].merge(states[index]) }
    }
    return plan.results(of: total)
  }

  /// The aggregates over some adjacent sections.
  /// - Complexity: O(*k* + *s* / 64) for *k* of *s* sections.
  func results(ofSections range: Range<Int>) -> SectionAggregates {
    var total = plan.compiled.emptyStates
    sections.forEach(in: range) { states in
      for index in states.indices { total[index].merge(states[index]) }
    }
    return plan.results(of: total)
  }

  /// The aggregates over all sections.
  /// - Complexity: O(*s*)
  var total: SectionAggregates {
    var total = plan.compiled.emptyStates
    sections.forEach { states in
      for index in states.indices { total[index].merge(states[index]) }
    }
    return plan.results(of: total)
  }

  /// Calls a closure with the states of some adjacent sections in order.
  func forEachStates(ofSections range: Range<Int>, _ body: ([AggregateState]) -> Void) {
    sections.forEach(in: range, body)
  }

  /// The states of a section's aggregates.
  func states(ofSection section: Int) -> [AggregateState] {
    sections.element(at: section) ?? plan.compiled.emptyStates
  }

  /// Replaces the states of a section.
  mutating func set(_ states: [AggregateState], ofSection section: Int) {
    sections.replace(at: section, with: states)
  }

  /// Deletes, moves and inserts sections as a delta does; inserted ones have no rows yet.
  mutating func apply(_ changes: SectionChanges) {
    var moved: [Int: [AggregateState]] = [:]
    let targets = Dictionary(
      changes.moves.map { ($0.from, $0.to) },
      uniquingKeysWith: { first, _ in first }
    )
    let removed = changes.deletes.map(\.from) + changes.moves.map(\.from)
    for from in removed.sorted(by: >) {
      let states = sections.remove(at: from)
      if let to = targets[from] { moved[to] = states }
    }
    for to in (changes.inserts.map(\.to) + changes.moves.map(\.to)).sorted() {
      sections.insert(moved[to] ?? plan.compiled.emptyStates, at: to)
    }
  }
}

/// An array in chunks: a copy that differs in a few elements shares the others.
///
/// Chunks have a bounded size, so an insertion or removal copies one chunk and the list of chunks.
private struct ChunkedList<Element: Sendable>: Sendable {
  private static var chunkLimit: Int { 128 }
  /// None is empty.
  private var chunks: [[Element]] = []
  private(set) var count = 0

  /// Creates a list of elements.
  init(_ elements: [Element]) {
    count = elements.count
    for start in stride(from: 0, to: elements.count, by: Self.chunkLimit / 2) {
      chunks.append(Array(elements[start..<min(start + Self.chunkLimit / 2, elements.count)]))
    }
  }

  /// The element at an index, or `nil` if there is none.
  /// - Complexity: O(*s* / 64) in the elements.
  func element(at index: Int) -> Element? {
    guard index >= 0, index < count else { return nil }
    let (chunk, offset) = location(of: index)
    return chunks[chunk][offset]
  }

  /// Replaces the element at an index, if there is one.
  mutating func replace(at index: Int, with element: Element) {
    guard index >= 0, index < count else { return }
    let (chunk, offset) = location(of: index)
    chunks[chunk][offset] = element
  }

  /// Removes and returns the element at an index, if there is one.
  mutating func remove(at index: Int) -> Element? {
    guard index >= 0, index < count else { return nil }
    let (chunk, offset) = location(of: index)
    count -= 1
    let element = chunks[chunk].remove(at: offset)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    return element
  }

  /// Inserts an element at an index; an index beyond the end is the end.
  mutating func insert(_ element: Element, at index: Int) {
    guard !chunks.isEmpty else {
      chunks = [[element]]
      count = 1
      return
    }
    var (chunk, offset) = (chunks.count - 1, chunks[chunks.count - 1].count)
    if index < count { (chunk, offset) = location(of: max(0, index)) }
    chunks[chunk].insert(element, at: offset)
    count += 1
    guard chunks[chunk].count > Self.chunkLimit else { return }
    let half = chunks[chunk].count / 2
    chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
    chunks[chunk].removeSubrange(half...)
  }

  /// Calls a closure with the elements at some indexes in order.
  func forEach(in range: Range<Int>, _ body: (Element) -> Void) {
    var start = 0
    for chunk in chunks {
      let shared = range.clamped(to: start..<start + chunk.count)
      for index in shared { body(chunk[index - start]) }
      start += chunk.count
      if start >= range.upperBound { return }
    }
  }

  /// Calls a closure with each element in order.
  func forEach(_ body: (Element) -> Void) {
    for chunk in chunks { chunk.forEach(body) }
  }

  private func location(of index: Int) -> (chunk: Int, offset: Int) {
    var rest = index
    for (number, chunk) in chunks.enumerated() {
      if rest < chunk.count { return (number, rest) }
      rest -= chunk.count
    }
    return (chunks.count, rest)
  }
}
