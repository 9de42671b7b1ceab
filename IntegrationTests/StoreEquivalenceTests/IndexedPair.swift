import ResultsDomain
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import Testing

/// A list twice over one store, once with its keys held and once without, and what both have told so far.
struct IndexedPair {
  typealias Generation = (held: ResultsList<Row>, indexed: ResultsList<Row>)

  let held: FetchedResultsController<Row>
  let indexed: FetchedResultsController<Row>
  /// Some generations that are held on to.
  private(set) var shown: [Generation] = []

  init(
    _ definition: ResultsDefinition<Row>,
    in store: SQLiteStore,
    _ options: ResultsOptions = ResultsOptions()
  ) async throws {
    func controller(_ limit: Int, _ name: String) -> FetchedResultsController<Row> {
      var options = options
      options.heldKeysLimit = limit
      options.auditPeriod = nil
      options.journalCapacity = .max
      var definition = definition
      definition.cacheName = name
      return FetchedResultsController(definition, in: store, options: options)
    }
    held = controller(4096 * 1000, "held")
    indexed = controller(-1, "indexed")
    for list in [held, indexed] {
      try await list.performFetch()
    }
    shown.append((try held.results, try indexed.results))
  }

  /// Whether the list without keys really has none.
  func isIndexed() async throws -> Bool {
    if case .indexed = try await indexed.explain()?.keys { true } else { false }
  }

  func cancel() {
    held.cancel()
    indexed.cancel()
  }

  /// Brings both up to date, and compares what they tell and show, and what they showed before.
  mutating func look(_ generator: inout SeededGenerator, _ place: Comment) async throws {
    try await held.refresh()
    try await indexed.refresh()
    try compare(&generator, place)
  }

  /// Compares what both have told since the last time, and all they show.
  mutating func compare(_ generator: inout SeededGenerator, _ place: Comment) throws {
    let last = shown[shown.count - 1]
    let present: Generation = (try held.results, try indexed.results)
    let delta = try delta(since: last, place)
    try delta?.verify(
      from: last.held.snapshot.content,
      to: present.held.snapshot.content
    )
    shown.append(present)
    try compare(present, place)
    for earlier in shown {
      try #require(try earlier.indexed.snapshot.content == earlier.held.snapshot.content, place)
    }
    // The first stays for long, and the last is what the next delta starts from.
    if shown.count > 6 { shown.remove(at: generator.number(in: 1...shown.count - 2)) }
    if let earlier = generator.element(of: shown) { try compare(earlier, place) }
  }

  /// The one delta that leads from an earlier generation to what is shown, the same for both; `nil` if it would be empty.
  @discardableResult
  func delta(since earlier: Generation, _ place: Comment) throws -> ResultsDelta? {
    switch (
      try held.catchUp(from: earlier.held.position),
      try indexed.catchUp(from: earlier.indexed.position)
    ) {
    case (.upToDate(let one), .upToDate(let other)):
      try #require(one.generation == other.generation, place)
      return nil
    case (.change(let one, _), .change(let other, _)):
      try #require(one == other, place)
      return one
    case let (one, other):
      Issue.record("\(one) and \(other) are no change of both; \(place)")
      return nil
    }
  }

  private func compare(_ generation: Generation, _ place: Comment) throws {
    let (held, indexed) = generation
    try #require(held.generation == indexed.generation, place)
    try #require(held.count == indexed.count, place)
    try #require(held.matchingCount == indexed.matchingCount, place)
    try #require(held.aggregates == indexed.aggregates, place)
    for section in 0..<held.snapshot.sectionCount {
      let header = try #require(held.snapshot.header(ofSection: section), place)
      try #require(indexed.snapshot.header(ofSection: section) == header, place)
      try #require(indexed.snapshot.section(of: header.id) == section, place)
    }
    for position in stride(from: 0, to: held.count, by: 11) {
      let path = try #require(held.snapshot.path(ofFlatPosition: position), place)
      let id = try #require(held.objectID(at: path), place)
      try #require(indexed.objectID(at: path) == id, place)
      try #require(indexed.path(of: id) == path, place)
      let row = try? held.object(at: path)
      try #require(row == (try? indexed.object(at: path)), place)
    }
  }
}
