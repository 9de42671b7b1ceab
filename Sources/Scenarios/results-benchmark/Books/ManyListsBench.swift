import ResultsDomain
import ResultsPresentation
import SQLitePersistence

/// A thousand live lists of one entity, and commits that concern one of them each.
struct ManyListsBench {
  private let lists: Int
  private let runs: Int
  private let folder: BenchmarkFolder
  private let fileName = "lists.sqlite"

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
    var (whole, processor) = (Samples(), Samples())
    var mostReadings = 0
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
      // Until every list has been led to the commit, not only the one that tells of it.
      try await controllers[(number + 1) % lists].refresh()
      whole.add((ContinuousClock.now - start).microseconds)
      processor.add(ProcessFigures.processorMicroseconds - usedBefore)
      mostReadings = max(mostReadings, store.takeWork().readings)
    }
    for controller in controllers { controller.cancel() }
    try store.close()
    return [
      Measurement(
        name: "one commit under \(lists) live lists, in all",
        rows: lists,
        value: whole.median,
        unit: "µs",
        limit: lists == 1000 ? 2000 : nil
      ),
      Measurement(
        name: "the same, processor time",
        rows: lists,
        value: processor.median,
        unit: "µs"
      ),
      Measurement(
        name: "readings for one commit under \(lists) live lists",
        rows: lists,
        value: Double(mostReadings),
        unit: "readings",
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

  private static func publisher(_ number: Int) -> String { "Publisher \(number)" }
}
