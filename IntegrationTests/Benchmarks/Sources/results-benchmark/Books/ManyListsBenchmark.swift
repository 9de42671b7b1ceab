import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// Measures commits under a thousand live lists of one entity; each commit concerns one of them.
struct ManyListsBenchmark {
  private let lists: Int
  private let runs: Int
  private let folder: BenchmarkFolder
  private let fileName = "lists.sqlite"
  private let referenceName = "lists-in-c.sqlite"

  init(lists: Int, runs: Int, in folder: BenchmarkFolder) {
    self.lists = lists
    self.runs = runs
    self.folder = folder
  }

  func measure() async throws -> [Measurement] {
    let base = try SQLiteStore(
      at: folder.path(of: fileName),
      entities: [CatalogBook.entity],
      options: SQLiteStoreOptions(pollInterval: nil)
    )
    defer { folder.remove(fileName) }
    try fill(base)
    let store = WorkCountingStore(base)
    var controllers: [FetchedResultsController<CatalogBook>] = []
    for number in 0..<lists {
      let controller = FetchedResultsController(
        FetchRequest<CatalogBook>(
          where: \.publisher == Self.publisher(number),
          sortedBy: [.ascending(\.title)]
        ),
        in: store
      )
      try await controller.performFetch()
      controllers.append(controller)
    }
    let reference = try PlainDatabase(path: folder.path(of: referenceName))
    defer { folder.remove(referenceName) }
    try reference.run(CatalogBook.table)
    var (whole, processor) = (Pairs(), Samples())
    var mostQueries = 0
    for round in 0..<40 * runs {
      let number = (round * 7919) % lists
      var events = controllers[number].changes.makeAsyncIterator()
      _ = await events.next()
      _ = store.takeWork()
      let usedBefore = ProcessFigures.processorMicroseconds
      let start = ContinuousClock.now
      _ = try base.commit(origin: .unnamed) { transaction in
        try transaction.insert(
          CatalogBook(publisher: Self.publisher(number), title: "Title \(round)")
        )
      }
      guard case .change = await events.next() else {
        throw BenchmarkError.wrongResult("a commit under many lists")
      }
      // Waits until every list has advanced to the commit, not only the one that it concerns.
      try await controllers[(number + 1) % lists].refresh()
      let ours = (ContinuousClock.now - start).microseconds
      processor.add(ProcessFigures.processorMicroseconds - usedBefore)
      mostQueries = max(mostQueries, store.takeWork().queries)
      whole.add(ours, try insert(Self.publisher(number), "Title \(round)", into: reference))
    }
    for controller in controllers { controller.cancel() }
    try store.close()
    reference.close()
    return [
      Measurement(
        name: "one commit under \(lists) live lists, in all",
        rows: lists,
        whole,
        against: "the insert and its commit in C",
        limit: lists == 1000 ? 80 : nil
      ),
      Measurement(
        name: "the same, processor time",
        rows: lists,
        value: processor.median,
        unit: "µs"
      ),
      Measurement(
        name: "queries for one commit under \(lists) live lists",
        rows: lists,
        value: Double(mostQueries),
        unit: "queries",
        limit: 0
      ),
    ]
  }

  private func fill(_ store: SQLiteStore) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      for number in 0..<lists {
        for title in ["First", "Second", "Third"] {
          try transaction.insert(CatalogBook(publisher: Self.publisher(number), title: title))
        }
      }
    }
  }

  private func insert(
    _ publisher: String,
    _ title: String,
    into database: PlainDatabase
  ) throws -> Double {
    try time {
      try database.each("BEGIN IMMEDIATE")
      try database.each(
        "INSERT INTO Book (publisher, title) VALUES (?, ?)",
        [.text(publisher), .text(title)]
      )
      try database.each("COMMIT")
    }
  }

  private static func publisher(_ number: Int) -> String { "Publisher \(number)" }
}
