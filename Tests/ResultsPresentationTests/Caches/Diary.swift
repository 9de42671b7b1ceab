import InMemoryPersistence
import ResultsDomain

@testable import ResultsPresentation

/// A diary whose pages have titles in the reader's language: the trap of a cache that knows only its name.
struct Diary {
  let entity: EntityDescription
  let store: KeyCountingStore
  let caches = KeptCaches()

  init(historyCapacity: Int = 500_000, _ more: AttributeDescription...) throws {
    let entity = try EntityDescription(
      name: "Page",
      attributes: [
        AttributeDescription("hour", .integer64), AttributeDescription("text", .text),
      ] + more
    )
    self.entity = entity
    let base = try InMemoryStore(entities: [entity], historyCapacity: historyCapacity)
    store = KeyCountingStore(base)
    try write((1, "a"), (2, "b"), (25, "c"), (30, "a"), (49, "d"))
  }

  func write(_ pages: (Int64, String)...) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      for (hour, text) in pages {
        var values = Array(repeating: Value.null, count: entity.attributes.count)
        values[0] = .integer(hour)
        values[1] = .text(text)
        try transaction.insert(values, key: nil, into: entity)
      }
    }
  }

  /// Pages newest first in sections by day, under a cache name.
  func definition(_ change: (inout Parts) -> Void = { _ in }) -> ResultsDefinition<Row> {
    var parts = Parts()
    change(&parts)
    var key = SectionKey.transient(source: "hour", grouping: parts.grouping)
    key.contiguity = parts.contiguity
    key.titleIdentity = parts.titleIdentity
    return ResultsDefinition(
      FetchRequest<Row>(
        entity: entity,
        where: parts.predicate,
        sortedBy: parts.sort,
        fetchLimit: parts.limit
      ),
      sectionedBy: parts.sectionKey ?? key,
      isFrozen: parts.isFrozen,
      cacheName: "pages"
    )
  }

  struct Parts {
    var predicate = FetchPredicate.comparison(.attribute("text"), .notEqual, .literal("z"))
    var sort: [FetchSortDescriptor] = [.descending("hour")]
    var limit: Int?
    var grouping = HourGrouping()
    var contiguity = SectionContiguity.error
    var titleIdentity = ""
    var sectionKey: SectionKey?
    var isFrozen = false
  }

  func controller(_ definition: ResultsDefinition<Row>) -> FetchedResultsController<Row> {
    FetchedResultsController(definition, in: store, options: ResultsOptions(caches: caches))
  }

  /// Opens a list through the caches, waits until it is kept, and lets it go.
  func open(
    _ definition: ResultsDefinition<Row>
  ) async throws -> (content: ResultsContent, outcome: CacheOutcome?) {
    let controller = controller(definition)
    try await controller.performFetch()
    _ = try? await controller.saveCache()
    defer { controller.cancel() }
    return (try controller.results.snapshot.content, controller.cacheOutcome)
  }
}

/// Days of hours, shifted by a time zone and titled in a language.
struct HourGrouping: SectionGrouping {
  var name = "day"
  var length: Int64 = 24
  var offset: Int64 = 0
  var calendar = "gregorian"
  var language = "en"

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let hour) = value else { return SectionGroup(id: .null) }
    let shifted = hour + offset
    let day = (shifted - ((shifted % length) + length) % length) / length
    return SectionGroup(
      id: .integer(day),
      first: .integer(day * length - offset),
      next: .integer((day + 1) * length - offset)
    )
  }

  func title(of id: Value) -> String { language == "de" ? "Tag \(id)" : "day \(id)" }
  var groupingIdentity: String { "\(name) \(length) \(offset)" }
  var titleIdentity: String { "\(language) \(calendar)" }
  var dependencies: GroupingDependencies {
    GroupingDependencies(locale: language, calendar: calendar, timeZone: "+\(offset)")
  }
}
