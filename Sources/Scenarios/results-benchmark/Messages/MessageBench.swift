import Foundation
import ResultsDomain
import ResultsPresentation
import SectionCacheFiles
import Synchronization

/// One size of the big table: its store, and plain connections to the same file.
final class MessageBench {
  let file: MessageFile
  let runs: Int
  /// Whether no larger size is measured in this run: limits without a size of their own are set on it.
  let isLargest: Bool
  let store: any Store
  /// The connection that reads what the reference reads.
  let plain: PlainDatabase
  /// The connection of another writer.
  let writer: PlainDatabase
  let caches: SectionCacheFolder
  var draws = GeneratedBooks(rows: 1)
  private var madeRanks: PlainRanks?

  var rows: Int { file.rows }

  init(_ file: MessageFile, runs: Int, isLargest: Bool, in folder: BenchmarkFolder) throws {
    self.file = file
    self.runs = runs
    self.isLargest = isLargest
    store = try file.open()
    plain = try PlainDatabase(path: file.path)
    writer = try PlainDatabase(path: file.path)
    let name = "messages-\(file.rows)-caches"
    caches = SectionCacheFolder(at: URL(fileURLWithPath: folder.path(of: name), isDirectory: true))
  }

  func close() throws {
    try store.close()
    plain.close()
    writer.close()
  }

  /// Ranks in plain C, made when they are first needed.
  func ranks() throws -> PlainRanks {
    if let madeRanks { return madeRanks }
    let ranks = try PlainRanks(plain)
    madeRanks = ranks
    return ranks
  }

  /// Makes the indexes of lists.
  func makeIndexes(of lists: [MessageList]) throws {
    for list in lists { try writer.run(list.index) }
    try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// A controller of a list; with the caches only if it is to be kept.
  func list<Object: FetchedObject>(
    _ list: MessageList = .folders,
    of kind: Object.Type = ObjectID.self,
    limit: Int? = nil,
    cached: Bool = false,
    in other: (any Store)? = nil
  ) -> FetchedResultsController<Object> {
    FetchedResultsController(
      list.definition(of: kind, limit: limit),
      in: other ?? store,
      options: ResultsOptions(caches: cached ? caches : nil)
    )
  }

  /// A controller of the list of folders that is led on when it is asked.
  func listOnDemand(
    placing: KeyPlacing = .cheapest,
    resetThreshold: Int? = nil
  ) -> FetchedResultsController<ObjectID> {
    var options = ResultsOptions(delivery: .onDemand, resetThreshold: resetThreshold)
    options.keyPlacing = placing
    return FetchedResultsController(
      MessageList.folders.definition(of: ObjectID.self),
      in: store,
      options: options
    )
  }

  /// Reads the keys of a list from its index as a C program would, all columns of them.
  func scan(_ list: MessageList = .folders, in database: PlainDatabase? = nil) throws -> Double {
    try time {
      let count = try (database ?? plain)
        .scan(list.scan, texts: list.texts, integers: list.integers)
      guard count == rows else { throw BenchmarkError.wrongResult("the scan of \(list)") }
    }
  }

  /// Counts the sections of a list as a C program would.
  func group(_ list: MessageList = .folders) throws -> Double {
    try time { _ = try plain.scan(list.groups, texts: 1, integers: 1) }
  }

  /// Reads all identities in order as a C program would: the kindest model of a peer that fetches again.
  func refetch() throws -> Double {
    try time {
      _ = try plain.scan(
        "SELECT id FROM Message ORDER BY folder, date, id",
        texts: 0,
        integers: 1
      )
    }
  }

  /// The key of any row.
  func anyID() -> Int64 { Int64(1 + draws.draw(below: rows)) }

  /// Any folder and date.
  func anyPlace() -> (folder: Int64, date: Int64) {
    let span = Int(Message.dates.upperBound - Message.dates.lowerBound)
    return (
      Int64(draws.draw(below: Message.folders)),
      Message.dates.lowerBound + Int64(draws.draw(below: span))
    )
  }

  /// The limit, if this is the largest size.
  func atLargest(_ limit: Double) -> Double? { isLargest ? limit : nil }
}

extension FetchedResultsController {
  /// Reads the first objects of what the list shows.
  func readFirst(_ count: Int) throws {
    guard let objects = fetchedObjects?.prefix(count), !objects.isEmpty else {
      throw BenchmarkError.wrongResult("the first page")
    }
    for row in objects { _ = try row.get() }
  }

  /// Fetches for the first time, until all counts are exact.
  func fetchExactly() async throws { try await performFetch() }

  /// Fetches for the first time, until all counts are exact.
  /// - Returns: When the objects of the first page could be shown; a short list is shown whole.
  func fetchShowingFirstPage() async throws -> ContinuousClock.Instant {
    let page = ShownPage()
    try await performFetch { first in
      guard let objects = try? first.objects(), !objects.isEmpty else { return }
      page.isShown()
    }
    if let early = page.instant { return early }
    try readFirst(50)
    return ContinuousClock.now
  }
}

/// When a first page was shown.
private final class ShownPage: Sendable {
  private let shown = Mutex<ContinuousClock.Instant?>(nil)

  var instant: ContinuousClock.Instant? { shown.withLock(\.self) }

  func isShown() {
    let now = ContinuousClock.now
    shown.withLock { $0 = now }
  }
}
