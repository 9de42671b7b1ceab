import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Synchronization
import Testing

@testable import ResultsPresentation

/// R88: a cache is keyed by everything that its list depends on, so it cannot be used when stale; R22: counts need no reading.
@Suite("A list and its cache")
struct CacheOutcomeTests {
  @Test func `a list without a cache name is not saved`() async throws {
    let diary = try Diary()
    var definition = diary.definition()
    definition.cacheName = nil
    let (_, outcome) = try await diary.open(definition)
    #expect(outcome == nil)
    #expect(diary.caches.saveCount == 0)
  }

  @Test func `the first fetch misses and saves, the second reads no key`()
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

  @Test func `a cache of an earlier version is replayed, and saved again`() async throws {
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

  @Test func `a limit does not affect the cache`() async throws {
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
  func `each ingredient of a definition is named when it differs`(index: Int) async throws {
    let (miss, change) = CacheOutcomeTests.mutations[index]
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

  @Test func `another store's cache is not used`() async throws {
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

  @Test func `a history that does not reach back is a miss, and the list is fetched`() async throws
  {
    let diary = try Diary(historyCapacity: 2)
    _ = try await diary.open(diary.definition())
    try diary.write((3, "x"))
    #expect(try await diary.open(diary.definition()).outcome == .replayed(changes: 1))
    try diary.write((4, "x"), (5, "x"), (6, "x"))
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.tooOld))
    #expect(content == (try await plain(diary)))
  }

  @Test func `too many commits to replay are a miss`() async throws {
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    for hour in 0..<1030 { try diary.write((Int64(hour), "x")) }
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.tooManyChanges))
    #expect(content == (try await plain(diary)))
  }

  @Test func `a history that does not fit the cache is a miss`() async throws {
    let diary = try Diary()
    _ = try await diary.open(diary.definition())
    try diary.write((3, "x"))
    diary.store.behaviour.withLock { $0.reportsWrongHistory = true }
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.disagreement))
    #expect(content == (try await plain(diary)))
  }

  @Test func `a store without bookmarks has no caches`() async throws {
    let diary = try Diary()
    diary.store.behaviour.withLock { $0.hasBookmarks = false }
    let (content, outcome) = try await diary.open(diary.definition())
    #expect(outcome == .miss(.unsupportedByStore))
    #expect(content == (try await plain(diary)))
    #expect(diary.caches.saveCount == 0)
  }

  @Test func `a failing storage fails no fetch, and is reported`() async throws {
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

  @Test func `a changed list is saved under its present definition`() async throws {
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
  func `a list is saved automatically after its first fetch and when it is cancelled`()
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

  @Test func `caches are deleted by name or all at once`() async throws {
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

/// A cache in the classic style: found by its name, and valid while entity, order and section key are the same (N30).
private struct NaiveCache {
  private var stored: [String: (shape: [String], content: ResultsContent)] = [:]

  mutating func open(
    _ definition: ResultsDefinition<Row>,
    fetch: () async throws -> ResultsContent
  ) async throws -> ResultsContent {
    let name = definition.cacheName ?? ""
    let shape =
      [definition.request.entity.name]
      + definition.request.sortDescriptors.map { "\($0.expression) \($0.direction)" }
      + [definition.sectionKey == nil ? "" : "sections"]
    if let known = stored[name], known.shape == shape { return known.content }
    let content = try await fetch()
    stored[name] = (shape, content)
    return content
  }
}

/// R88: the two famous traps of a cache that is found by its name, and their absence here.
@Suite("The traps of a named cache")
struct CacheTrapTests {
  @Test func `R88: another predicate under the same name shows its own sections, not stale ones`()
    async throws
  {
    let diary = try Diary()
    var naive = NaiveCache()
    let all = diary.definition()
    let few = diary.definition {
      $0.predicate = .comparison(.attribute("text"), .equal, .literal("a"))
    }
    let truth = try await fetched(few, diary)
    _ = try await naive.open(all) { try await fetched(all, diary) }
    // The trap: five rows in three sections are shown where two match.
    let stale = try await naive.open(few) { try await fetched(few, diary) }
    #expect(stale != truth)
    #expect(stale.sections.map(\.rows.count) == [1, 2, 2])

    _ = try await diary.open(all)
    let (content, outcome) = try await diary.open(few)
    #expect(content == truth)
    #expect(content.sections.map(\.rows.count) == [1, 1])
    #expect(outcome == .miss(.predicate))
  }

  @Test func `R88: after a change of region no title of the old one remains`() async throws {
    let diary = try Diary()
    var naive = NaiveCache()
    let english = diary.definition()
    let german = diary.definition { $0.grouping.language = "de" }
    let cached = try await naive.open(english) { try await fetched(english, diary) }
    #expect(cached.sections.map(\.header.title) == ["day 2", "day 1", "day 0"])
    // The trap: cached sections retain their titles, and a later one has the new form.
    let stale = try await naive.open(german) { try await fetched(german, diary) }
    try diary.write((75, "later"))
    let fresh = try await fetched(german, diary)
    let mixed = fresh.sections.map { section in
      stale.sections.first { $0.header.id == section.header.id }?.header.title
        ?? section.header.title
    }
    #expect(mixed == ["Tag 3", "day 2", "day 1", "day 0"])

    _ = try await diary.open(english)
    let (content, outcome) = try await diary.open(german)
    #expect(content.sections.map(\.header.title) == ["Tag 3", "Tag 2", "Tag 1", "Tag 0"])
    #expect(outcome == .miss(.locale))
  }

  private func fetched(
    _ definition: ResultsDefinition<Row>,
    _ diary: Diary
  ) async throws -> ResultsContent {
    let controller = FetchedResultsController(definition, in: diary.store)
    try await controller.performFetch()
    defer { controller.cancel() }
    return try controller.results.snapshot.content
  }
}
