import InMemoryPersistence
import ResultsDomain
import Synchronization
import Testing

@testable import ResultsPresentation

/// R88: a cache is keyed by everything that a list depends on, so that its stale use is impossible; R22: counts without reading.
@Suite("A list and its cache")
struct CacheOutcomeTests {
  @Test func `a list without a cache name keeps nothing`() async throws {
    let diary = try Diary()
    var definition = diary.definition()
    definition.cacheName = nil
    let (_, outcome) = try await diary.open(definition)
    #expect(outcome == nil)
    #expect(diary.caches.saveCount == 0)
  }

  @Test func `the first fetch misses and keeps, the second is answered without reading a key`()
    async throws
  {
    let diary = try Diary()
    let (first, miss) = try await diary.open(diary.definition())
    #expect(miss == .miss(.none))
    #expect(diary.caches.saveCount == 1)
    let before = diary.store.keysRead
    let (second, hit) = try await diary.open(diary.definition())
    #expect(hit == .hit)
    #expect(diary.store.keysRead == before)
    #expect(second == first)
    #expect(diary.caches.saveCount == 1)
  }

  @Test func `a cache that is behind is replayed, and kept again`() async throws {
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    try diary.write((26, "new"), (100, "newest"))
    _ = try diary.store.commit(origin: .unnamed) { transaction in
      try transaction.delete(ObjectID(entity: "Page", key: .integer(2)), of: diary.entity)
    }
    let before = diary.store.keysRead
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .replayed(changes: 3))
    #expect(diary.store.keysRead == before)
    #expect(content == (try await plain(diary)))
    #expect(try await diary.open(diary.definition()).outcome == .hit)
  }

  @Test func `a limit decides nothing of what is kept`() async throws {
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    let (content, outcome) = try await diary.open(diary.definition { $0.limit = 2 })
    #expect(outcome == .hit)
    #expect(content.sections.map(\.rows.count) == [1, 1])
  }

  static let mutations: [(CacheMiss, @Sendable (inout Diary.Parts) -> Void)] = [
    (.predicate, { $0.predicate = .all }),
    (.predicate, { $0.predicate = .comparison(.attribute("text"), .less, .literal("z")) }),
    (.arguments, { $0.predicate = .comparison(.attribute("text"), .notEqual, .literal("y")) }),
    (.order, { $0.sort = [.descending("hour"), .ascending("text")] }),
    (.order, { $0.sort = [.ascending("hour")] }),
    (.order, { $0.sort = [.descending("hour", nulls: .first)] }),
    (.sections, { $0.sectionKey = .attribute("text") }),
    (.sections, { $0.grouping.name = "shift" }),
    (.contiguity, { $0.contiguity = .merge }),
    (.timeZone, { $0.grouping.offset = 3 }),
    (.calendar, { $0.grouping.calendar = "buddhist" }),
    (.locale, { $0.grouping.language = "de" }),
    (.titles, { $0.titleIdentity = "other words" }),
    (.frozen, { $0.isFrozen = true }),
  ]

  @Test(arguments: mutations.indices)
  func `each ingredient of a definition is named when it differs`(place: Int) async throws {
    let (miss, change) = CacheOutcomeTests.mutations[place]
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    let definition = diary.definition(change)
    let (content, outcome) = try await diary.open(definition)
    #expect(outcome == .miss(miss))
    #expect(content == (try await plain(diary, definition)))
  }

  @Test func `two compositions of one text are two constants`() async throws {
    let diary = try Diary()
    _ = try await diary.open(
      diary.definition { $0.predicate = .membership(.attribute("text"), ["が"]) }
    )
    let other = diary.definition { $0.predicate = .membership(.attribute("text"), ["か\u{3099}"]) }
    #expect(try await diary.open(other).outcome == .miss(.arguments))
  }

  @Test func `another store's cache is not believed`() async throws {
    let (one, other) = (try Diary(), try Diary())
    _ = try await one.open(one.definition())
    other.caches["pages"] = one.caches["pages"]
    #expect(try await other.open(other.definition()).outcome == .miss(.otherStore))
  }

  @Test func `an entity with another attribute is another schema`() async throws {
    let old = try Diary()
    let new = try Diary(AttributeDescription("mood", .text, isOptional: true))
    _ = try await old.open(old.definition())
    new.caches["pages"] = old.caches["pages"]
    #expect(try await new.open(new.definition()).outcome == .miss(.schema))
  }

  @Test func `a history that does not reach back is said, and the list is fetched`() async throws {
    let diary = try Diary(historyCapacity: 2)
    _ = try await diary.open(diary.definition())
    try diary.write((3, "x"))
    #expect(try await diary.open(diary.definition()).outcome == .replayed(changes: 1))
    try diary.write((4, "x"), (5, "x"), (6, "x"))
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.tooOld))
    #expect(content == (try await plain(diary)))
  }

  @Test func `so many commits that reading is quicker are not replayed`() async throws {
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    for hour in 0..<1030 { try diary.write((Int64(hour), "x")) }
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.tooManyChanges))
    #expect(content == (try await plain(diary)))
  }

  @Test func `a history that does not fit the cache is not believed`() async throws {
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    try diary.write((3, "x"))
    diary.store.behaviour.withLock { $0.tellsWrongHistory = true }
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.disagreement))
    #expect(content == (try await plain(diary)))
  }

  @Test func `a store that cannot name its versions has no caches`() async throws {
    let diary = try Diary()
    diary.store.behaviour.withLock { $0.namesVersions = false }
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.unsupportedByStore))
    #expect(content == (try await plain(diary)))
    #expect(diary.caches.saveCount == 0)
  }

  @Test func `a storage that fails fails no fetch, and says so`() async throws {
    let diary = try Diary()
    diary.caches.fail()
    let controller = diary.controller(diary.definition())
    try await controller.performFetch()
    #expect(controller.cacheOutcome == .miss(.unreadable))
    await #expect(throws: SectionCacheFailure.self) { try await controller.saveCache() }
    #expect(controller.cacheFailure?.action == .write)
    #expect(try controller.results.snapshot.content == (try await plain(diary)))
    diary.caches.fail(false)
    #expect(try await controller.saveCache())
    #expect(controller.cacheFailure == nil)
    controller.cancel()
  }

  @Test func `what a live list became is kept under its present definition`() async throws {
    let diary = try Diary()
    let controller = diary.controller(diary.definition())
    try await controller.performFetch()
    try diary.write((60, "late"))
    try await controller.refresh()
    let narrow = diary.definition {
      $0.predicate = .comparison(.attribute("hour"), .greater, .literal(20))
    }
    try await controller.update { $0 = narrow }
    #expect(try await controller.saveCache())
    let content = try controller.results.snapshot.content
    controller.cancel()
    let (again, outcome) = try await diary.open(narrow)
    #expect(outcome == .hit)
    #expect(again == content)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a list is kept after its first fetch and when it is cancelled, without being asked`()
    async throws
  {
    let diary = try Diary()
    var saves = diary.caches.saves.makeAsyncIterator()
    let controller = diary.controller(diary.definition())
    try await controller.performFetch()
    #expect(await saves.next() == "pages")
    try diary.write((60, "late"))
    try await controller.refresh()
    controller.cancel()
    #expect(await saves.next() == "pages")
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .hit)
    #expect(content == (try await plain(diary)))
    #expect(diary.caches.saveCount == 2)
  }

  @Test func `caches are deleted by name or altogether`() async throws {
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    var other = diary.definition()
    other.cacheName = "other"
    _ = try await diary.open(other)
    #expect(try diary.caches.deleteCache(named: "nothing") == 0)
    #expect(try diary.caches.deleteCache(named: "pages") == 1)
    #expect(try await diary.open(diary.definition()).outcome == .miss(.none))
    #expect(try diary.caches.deleteCache(named: nil) == 2)
    #expect(try await diary.open(other).outcome == .miss(.none))
  }

  private func plain(
    _ diary: Diary,
    _ definition: ResultsDefinition<Row>? = nil
  ) async throws -> ResultsContent {
    var definition = definition ?? diary.definition()
    definition.cacheName = nil
    let controller = FetchedResultsController(definition, in: diary.store.base)
    try await controller.performFetch()
    defer { controller.cancel() }
    return try controller.results.snapshot.content
  }
}
