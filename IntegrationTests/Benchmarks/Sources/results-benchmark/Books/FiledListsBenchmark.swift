import FetchedResults
@_spi(Measurement) import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// Measures a commit that concerns one of many lists that are filed by the constant that their predicates demand.
///
/// Stores with a hundred, a thousand and ten thousand lists take turns, and so does one without lists.
struct FiledListsBenchmark {
  /// A store with its lists.
  private final class Site {
    let lists: Int
    let store: SQLiteStore
    var controllers: [FetchedResultsController<CatalogBook>] = []
    var times = Samples()
    var growth = Pairs()
    var asked = 0
    private let fileName: String
    private let folder: BenchmarkFolder

    init(lists: Int, in folder: BenchmarkFolder) throws {
      self.lists = lists
      self.folder = folder
      fileName = "filed-\(lists).sqlite"
      store = try SQLiteStore(
        at: folder.path(of: fileName),
        entities: [CatalogBook.entity],
        options: SQLiteStoreOptions(pollInterval: nil)
      )
    }

    /// Opens the lists, each with the three books of a publisher: one of its own, or the same for all.
    func open(sharing: Bool = false) async throws {
      _ = try store.commit(origin: .unnamed) { transaction in
        for number in 0..<max(1, lists) {
          for title in ["First", "Second", "Third"] {
            try transaction.insert(CatalogBook(publisher: Site.publisher(number), title: title))
          }
        }
      }
      for number in 0..<lists {
        let controller = FetchedResultsController(
          FetchRequest<CatalogBook>(
            where: \.publisher == Site.publisher(sharing ? 0 : number),
            sortedBy: [.ascending(\.title)]
          ),
          in: store
        )
        try await controller.performFetch()
        controllers.append(controller)
      }
    }

    /// Commits a book of one publisher.
    /// - Returns: The time until the list of that publisher shows it.
    func commit(round: Int) async throws -> Double {
      let number = lists == 0 ? 0 : (round * 7919) % lists
      let controller = lists == 0 ? nil : controllers[number]
      let before = (generation: try controller?.results.generation ?? 0, asked: askedCount)
      let start = ContinuousClock.now
      _ = try store.commit(origin: .unnamed) { transaction in
        try transaction.insert(
          CatalogBook(publisher: Site.publisher(number), title: "Title \(round)")
        )
      }
      // A small commit returns when its list shows it, unless another thread advances lists just then.
      if let controller, try controller.results.generation == before.generation {
        try await controller.refresh()
      }
      let taken = (ContinuousClock.now - start).microseconds
      if let controller {
        guard try controller.results.generation == before.generation + 1 else {
          throw BenchmarkError.wrongResult("a commit under filed lists")
        }
        asked = max(asked, askedCount - before.asked)
      }
      return taken
    }

    /// Commits a book that all lists show.
    /// - Returns: The time until they do.
    func commitForAll(round: Int) async throws -> Double {
      try await time {
        _ = try store.commit(origin: .unnamed) { transaction in
          try transaction.insert(
            CatalogBook(publisher: Site.publisher(0), title: "Title \(round)")
          )
        }
        try await controllers[0].refresh()
      }
    }

    private var askedCount: Int { controllers.first?.askedListCount ?? 0 }

    func close() throws {
      for controller in controllers { controller.cancel() }
      try store.close()
      folder.remove(fileName)
    }

    private static func publisher(_ number: Int) -> String { "Publisher \(number)" }
  }

  private let sizes: [Int]
  private let runs: Int
  private let folder: BenchmarkFolder

  init(upTo lists: Int, runs: Int, in folder: BenchmarkFolder) {
    sizes = [100, 1000, 10_000].filter { $0 <= max(lists, 100) }
    self.runs = runs
    self.folder = folder
  }

  func measure() async throws -> [Measurement] {
    let bare = try Site(lists: 0, in: folder)
    try await bare.open()
    var sites: [Site] = []
    for size in sizes {
      let site = try Site(lists: size, in: folder)
      try await site.open()
      sites.append(site)
    }
    for round in 0..<40 * runs {
      bare.times.add(try await bare.commit(round: round))
      var first = 0.0
      for site in sites {
        let taken = try await site.commit(round: round)
        if site === sites[0] { first = taken }
        site.times.add(taken)
        site.growth.add(taken, first)
      }
    }
    let shared = try await sharing()
    let figures = sites.flatMap { site in
      [
        Measurement(
          name: "one commit that concerns one of \(site.lists) filed lists, until it shows it",
          rows: site.lists,
          value: site.times.median,
          unit: "µs"
        ).compared(to: bare.times.median, "a commit without lists"),
        Measurement(
          name: "lists asked about it",
          rows: site.lists,
          value: Double(site.asked),
          unit: "lists",
          limit: 1
        ),
      ]
    }
    for site in sites + [bare] { try site.close() }
    guard let largest = sites.last, largest !== sites[0] else { return figures + shared }
    let growth = Measurement(
      name: "one commit that concerns one of \(largest.lists) filed lists",
      rows: largest.lists,
      largest.growth,
      against: "one under \(sites[0].lists) lists",
      limit: largest.lists == 10_000 ? 2 : nil
    )
    return figures + shared + [growth]
  }

  /// A commit that concerns every one of a thousand lists.
  private func sharing() async throws -> [Measurement] {
    let site = try Site(lists: 1000, in: folder)
    try await site.open(sharing: true)
    var times = Samples()
    for round in 0..<4 * runs { times.add(try await site.commitForAll(round: round) / 1000) }
    try site.close()
    return [
      Measurement(
        name: "one commit that concerns 1000 lists, for each of them",
        rows: site.lists,
        value: times.median,
        unit: "µs"
      )
    ]
  }
}
