import ResultsDomain

/// The states of the declared aggregates, section by section.
struct AggregateTable: Sendable {
  let plan: AggregatePlan
  private(set) var sections: PlacedList<[AggregateState]>

  init(_ plan: AggregatePlan, sections: [[AggregateState]]) {
    self.plan = plan
    self.sections = PlacedList(sections)
  }

  /// What the aggregates of a section came to.
  func results(ofSection section: Int) -> SectionAggregates {
    plan.results(of: sections.element(at: section) ?? [])
  }

  /// What the aggregates came to over all sections.
  /// - Complexity: O(*s*)
  var total: SectionAggregates {
    var total = plan.compiled.empty
    sections.forEach { states in
      for index in states.indices { total[index].merge(states[index]) }
    }
    return plan.results(of: total)
  }

  /// Replaces the states of a section.
  mutating func set(_ states: [AggregateState], ofSection section: Int) {
    sections.replace(at: section, with: states)
  }

  /// Lets sections go and come as a delta says; those that come have no rows yet.
  mutating func arrange(_ changes: SectionChanges) {
    var moved: [Int: [AggregateState]] = [:]
    let targets = Dictionary(
      changes.moves.map { ($0.from, $0.to) },
      uniquingKeysWith: { first, _ in first }
    )
    let leaving = changes.deletes.map(\.from) + changes.moves.map(\.from)
    for from in leaving.sorted(by: >) {
      let states = sections.remove(at: from)
      if let to = targets[from] { moved[to] = states }
    }
    for to in (changes.inserts.map(\.to) + changes.moves.map(\.to)).sorted() {
      sections.insert(moved[to] ?? plan.compiled.empty, at: to)
    }
  }
}

/// Elements by place, of which a copy that differs in a few shares the others.
///
/// They stand in chunks of a bounded size, so that putting one in or taking one out copies a chunk and the list of chunks.
struct PlacedList<Element: Sendable>: Sendable {
  private static var chunkLimit: Int { 128 }
  /// None is empty.
  private var chunks: [[Element]] = []
  private(set) var count = 0

  /// A list of elements.
  init(_ elements: [Element]) {
    count = elements.count
    for start in stride(from: 0, to: elements.count, by: Self.chunkLimit / 2) {
      chunks.append(Array(elements[start..<min(start + Self.chunkLimit / 2, elements.count)]))
    }
  }

  /// The element at a place, or `nil` if there is none.
  /// - Complexity: O(*s* / 64) in the elements.
  func element(at place: Int) -> Element? {
    guard place >= 0, place < count else { return nil }
    let (chunk, offset) = position(of: place)
    return chunks[chunk][offset]
  }

  /// Replaces the element at a place, if there is one.
  mutating func replace(at place: Int, with element: Element) {
    guard place >= 0, place < count else { return }
    let (chunk, offset) = position(of: place)
    chunks[chunk][offset] = element
  }

  /// Takes an element out; those behind it move up.
  mutating func remove(at place: Int) -> Element? {
    guard place >= 0, place < count else { return nil }
    let (chunk, offset) = position(of: place)
    count -= 1
    let element = chunks[chunk].remove(at: offset)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    return element
  }

  /// Puts an element in at a place; places beyond the end are the end.
  mutating func insert(_ element: Element, at place: Int) {
    guard !chunks.isEmpty else {
      chunks = [[element]]
      count = 1
      return
    }
    var (chunk, offset) = (chunks.count - 1, chunks[chunks.count - 1].count)
    if place < count { (chunk, offset) = position(of: max(0, place)) }
    chunks[chunk].insert(element, at: offset)
    count += 1
    guard chunks[chunk].count > Self.chunkLimit else { return }
    let half = chunks[chunk].count / 2
    chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
    chunks[chunk].removeSubrange(half...)
  }

  /// Calls a closure with each element in order.
  func forEach(_ body: (Element) -> Void) {
    for chunk in chunks { chunk.forEach(body) }
  }

  private func position(of place: Int) -> (chunk: Int, offset: Int) {
    var rest = place
    for (index, chunk) in chunks.enumerated() {
      if rest < chunk.count { return (index, rest) }
      rest -= chunk.count
    }
    return (chunks.count, rest)
  }
}
