import FetchedResults
import SectionCacheFiles

/// One size of the large table in a store, with what its measurements have in common whichever store it is.
protocol MeasuredTable: AnyObject {
  var rows: Int { get }
  var runs: Int { get }
  /// Whether this is the largest size of the run; limits without a size of their own apply to it.
  var isLargest: Bool { get }
  var store: any Store { get }
  var caches: SectionCacheFolder { get }
  var numbers: GeneratedBooks { get set }

  /// Opens another store over the same table.
  func openStore() throws -> any Store
}

// MARK: - Lists

extension MeasuredTable {
  /// Creates a controller of a list, with the caches only if `isCached` is true.
  func list<Object: FetchedObject>(
    _ list: MessageList = .folders,
    of kind: Object.Type = ObjectID.self,
    limit: Int? = nil,
    isCached: Bool = false,
    in other: (any Store)? = nil
  ) -> FetchedResultsController<Object> {
    FetchedResultsController(
      list.definition(of: kind, limit: limit),
      in: other ?? store,
      options: ResultsOptions(caches: isCached ? caches : nil)
    )
  }

  /// Fetches the list of folders without a cache.
  /// - Returns: The time until all counts are exact, and until the first fifty objects are available.
  func fetch() async throws -> (whole: Double, first: Double) {
    let controller = list(of: Message.self)
    let start = ContinuousClock.now
    let shown = try await controller.fetchShowingFirstPage()
    let whole = (ContinuousClock.now - start).microseconds
    guard try controller.results.count == rows else {
      throw BenchmarkError.wrongResult("an exact list")
    }
    controller.cancel()
    return (whole, (shown - start).microseconds)
  }

  /// Opens a list from its cache in a new store.
  /// - Returns: The time until the first fifty objects are read, without and with the opening of the store, and what the cache was good for.
  func openFromCache(
    _ list: MessageList = .folders
  ) async throws -> (list: Double, whole: Double, outcome: CacheOutcome?) {
    let start = ContinuousClock.now
    let other = try openStore()
    let opened = ContinuousClock.now
    let controller = self.list(list, of: Message.self, isCached: true, in: other)
    try await controller.performFetch()
    try controller.readFirst(50)
    let end = ContinuousClock.now
    let outcome = controller.cacheOutcome
    controller.cancel()
    try other.close()
    return ((end - opened).microseconds, (end - start).microseconds, outcome)
  }

  /// Fetches the list of folders and subscribes to its changes.
  func follow(
    observing observed: Range<Int>? = nil
  ) async throws -> (FetchedResultsController<Message>, ResultsChanges<Message>.AsyncIterator) {
    let controller = list(of: Message.self)
    try await controller.performFetch()
    controller.observedRows = observed
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    return (controller, events)
  }
}

// MARK: - Random rows

extension MeasuredTable {
  /// Returns the key of a random row.
  func anyID() -> Int64 { Int64(1 + numbers.draw(below: rows)) }

  /// Returns the positions of fifty rows at a random depth.
  func anyPage() -> Range<Int> {
    let start = numbers.draw(below: max(1, rows - 50))
    return start..<min(rows, start + 50)
  }
}

// MARK: - Figures

extension MeasuredTable {
  /// Returns the limit if this is the largest size.
  func atLargest(_ limit: Double) -> Double? { isLargest ? limit : nil }

  /// Creates a figure of this size.
  func figure(
    _ goal: Int,
    _ name: String,
    _ value: Double,
    _ limit: Double? = nil,
    _ unit: String = "µs"
  ) -> Measurement {
    Measurement(goal: goal, name: name, rows: rows, value: value, unit: unit, limit: limit)
  }

  /// Creates a figure of this size from interleaved pairs.
  func figure(
    _ goal: Int,
    _ name: String,
    _ pairs: Pairs,
    against: String,
    limit: Double? = nil,
    target: Double? = nil
  ) -> Measurement {
    Measurement(
      goal: goal,
      name: name,
      rows: rows,
      pairs,
      against: against,
      limit: limit,
      // Small tables are faster than any target.
      target: limit == nil || rows < 1_000_000 ? nil : target
    )
  }
}
