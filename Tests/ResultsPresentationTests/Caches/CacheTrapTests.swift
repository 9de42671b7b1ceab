import InMemoryPersistence
import ResultsDomain
import Testing

@testable import ResultsPresentation

/// A cache as the classic one is: found by its name, valid as long as entity, order and section key are the same (N30).
private struct NaiveCache {
  private var kept: [String: (shape: [String], content: ResultsContent)] = [:]

  mutating func open(
    _ definition: ResultsDefinition<Row>,
    fetch: () async throws -> ResultsContent
  ) async throws -> ResultsContent {
    let name = definition.cacheName ?? ""
    let shape =
      [definition.request.entity.name]
      + definition.request.sortDescriptors.map { "\($0.expression) \($0.direction)" }
      + [definition.sectionKey == nil ? "" : "sections"]
    if let known = kept[name], known.shape == shape { return known.content }
    let content = try await fetch()
    kept[name] = (shape, content)
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

  @Test func `R88: after a change of region no title of the old one is left`() async throws {
    let diary = try Diary()
    var naive = NaiveCache()
    let english = diary.definition()
    let german = diary.definition { $0.grouping.language = "de" }
    let cached = try await naive.open(english) { try await fetched(english, diary) }
    #expect(cached.sections.map(\.header.title) == ["day 2", "day 1", "day 0"])
    // The trap: sections that are cached keep their titles, and one that comes later has the new form.
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
