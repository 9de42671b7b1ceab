import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// Measures a list whose sections are the authors of its books: goal 25.
struct ObjectSectionBenchmark {
  let library: Library

  init(_ library: Library) { self.library = library }

  private var definition: ResultsDefinition<LibraryBook> {
    ResultsDefinition(
      FetchRequest<LibraryBook>(sortedBy: [.ascending(\.title)]),
      sectionedBy: .relationship(
        "author",
        sortedBy: [.ascending("name")],
        titled: .attribute("name")
      )
    )
  }

  /// Goal 25: the list is opened over an index, and its authors are renamed, the one with the most books too.
  func measure() async throws -> [Measurement] {
    try library.plain.createIndex()
    let list = FetchedResultsController(definition, in: library.store)
    var opened = Pairs()
    for _ in 0..<library.runs {
      let other = FetchedResultsController(definition, in: library.store)
      opened.add(try await time { try await other.performFetch() }, try library.plain.nested())
      guard try other.results.count == library.rows else {
        throw BenchmarkError.wrongResult("the list in sections that are authors")
      }
      other.cancel()
    }
    try await list.performFetch()
    let most = try renames(of: { 1 }, list)
    let hundred = try renames(of: library.anyAuthor, list)
    list.cancel()
    let counting = WorkCountingStore(library.store)
    let counted = FetchedResultsController(definition, in: counting)
    try await counted.performFetch()
    _ = counting.takeWork()
    try library.rename(1)
    try await counted.refresh()
    let work = counting.takeWork()
    counted.cancel()
    return [
      Measurement(
        goal: 25,
        name: "first fetch in sections that are authors",
        rows: library.rows,
        opened,
        against: "a nested scan of authors and their books in C",
        limit: library.atLargest(0.45)
      ),
      Measurement(
        goal: 25,
        name: "the author of a tenth of the books renamed, commit to delta",
        rows: library.rows,
        value: most,
        unit: "µs",
        limit: library.atMillion(100)
      ),
      Measurement(
        goal: 25,
        name: "an author of a hundred books renamed, commit to delta",
        rows: library.rows,
        value: hundred,
        unit: "µs"
      ),
      Measurement(
        goal: 25,
        name: "rows and keys read for such a rename",
        rows: library.rows,
        value: Double(work.rows + work.keys),
        unit: "rows",
        limit: 0
      ),
    ]
  }

  /// The median time of renaming authors, from the end of the transaction's closure to the return of the commit, in which the list follows.
  private func renames(
    of author: () -> Int64,
    _ list: FetchedResultsController<LibraryBook>
  ) throws -> Double {
    var samples = Samples()
    for round in 0..<10 + 10 * library.runs {
      let before = try list.results.generation
      let written = try library.rename(author())
      let elapsed = (ContinuousClock.now - written).microseconds
      guard try list.results.generation == before + 1 else {
        throw BenchmarkError.wrongResult("a renamed author")
      }
      if round >= 10 { samples.add(elapsed) }
    }
    return samples.median
  }
}
