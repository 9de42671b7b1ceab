import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// Measures opening and reading lists with related values: goals 17, 23 and 26.
struct RelatedListBenchmark {
  let library: Library

  init(_ library: Library) { self.library = library }

  /// Goals 17 and 26: the books by their authors' names, and what their keys take.
  func firstFetch() async throws -> [Measurement] {
    var (pairs, bytes, held) = (Pairs(), 0, true)
    _ = try library.plain.joinedQuery()
    for _ in 0..<library.runs {
      let list = FetchedResultsController(
        LibraryList.byAuthor(of: LibraryBook.self),
        in: library.store
      )
      let ours = try await time { try await list.performFetch() }
      pairs.add(ours, try library.plain.joinedQuery())
      guard try list.results.count == library.rows, let explanation = try await list.explain()
      else { throw BenchmarkError.wrongResult("the list by author") }
      bytes = explanation.keyBytes
      if case .indexed = explanation.keys { held = false }
      list.cancel()
    }
    guard held else { throw BenchmarkError.wrongResult("the list by author") }
    return [
      Measurement(
        goal: 17,
        name: "first fetch by author.name",
        rows: library.rows,
        pairs,
        against: Self.joinedQuery,
        limit: library.atLargest(1.5)
      ),
      Measurement(
        goal: 26,
        name: "bytes a joined key held",
        rows: library.rows,
        value: Double(bytes) / Double(library.rows),
        unit: "bytes",
        limit: library.atLargest(30)
      ),
    ]
  }

  /// The name of the reference.
  static let joinedQuery = "the joined query sorted by SQLite in C"

  /// Goal 23: fifty books at any depth of a list over an index, with their authors and the authors' countries.
  func pages() async throws -> [Measurement] {
    let counting = WorkCountingStore(library.store)
    let list = FetchedResultsController(LibraryList.byTitle, in: library.store)
    let counted = FetchedResultsController(LibraryList.byTitle, in: counting)
    try await list.performFetch()
    try await counted.performFetch()
    let (results, countedResults) = (try list.results, try counted.results)
    var (pairs, readings) = (Pairs(), 0)
    for _ in 0..<60 * library.runs {
      let start = library.numbers.draw(below: max(1, library.rows - 50))
      let range = start..<min(library.rows, start + 50)
      var names = 0
      let ours = try time {
        for book in try results.objects(at: range) where book["author.country.name"] != nil {
          names += 1
        }
      }
      guard names == range.count else { throw BenchmarkError.wrongResult("a page") }
      let other = library.numbers.draw(below: max(1, library.rows - 50))
      let title = try library.plain.title(of: Int64(1 + other))
      pairs.add(ours, try library.plain.page(from: title))
      _ = counting.takeWork()
      _ = try countedResults.objects(at: other..<min(library.rows, other + 50))
      readings = max(readings, counting.takeWork().readings)
    }
    list.cancel()
    counted.cancel()
    return [
      Measurement(
        goal: 23,
        name: "page of 50 books with author and country",
        rows: library.rows,
        pairs,
        against: "a keyset page and its lookups in C",
        limit: library.atLargest(2)
      ),
      Measurement(
        goal: 23,
        name: "readings of rows for such a page",
        rows: library.rows,
        value: Double(readings),
        unit: "readings",
        limit: 3
      ),
    ]
  }
}
