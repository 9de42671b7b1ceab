import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

@testable import StudentRoster

/// N34 to N39: a table that follows the classic delegate callbacks, in their classic order.
@Suite struct RosterTableTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a table that follows the callbacks alone always shows the rows of the list`(seed: UInt64)
    async throws
  {
    let (right, _, _) = try await play(seed: seed)
    #expect(right.isEmpty, "seed \(seed): \(right.first ?? "")")
  }

  @Test func `a table that ignores section changes soon is inconsistent`() async throws {
    let (_, sectionless, _) = try await play(seed: 1)
    #expect(!sectionless.isEmpty)
  }

  @Test func `a table that moves cells without redrawing them shows old text (N37)`() async throws {
    let (_, _, stale) = try await play(seed: 1)
    #expect(!stale.isEmpty)
  }

  @Test func `the callbacks have the classic order (N34)`() async throws {
    let store = try InMemoryStore(entities: [Student.entity])
    let list = StudentRoster(store).students()
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try await store.write {
      try $0.insert(Student(studentId: 1, studentName: "a", studentAge: 10))
    }
    try await list.refresh()
    try #require(try list.results.generation == 2)
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    let table = RosterTable()
    change.deliver(to: table)
    #expect(
      table.calls == [
        "will change", "section 0 (10) inserted", "object inserted at [0,0]", "did change",
      ]
    )
  }

  /// The differences of each of the three tables from the list, over a simulation.
  private func play(seed: UInt64) async throws -> ([String], [String], [String]) {
    let store = try InMemoryStore(entities: [Student.entity])
    var simulation = try RosterSimulation(seed: seed, in: store)
    let list = StudentRoster(store).students()
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    let tables = [
      RosterTable(), RosterTable(forgetsSections: true), RosterTable(forgetsMovedCells: true),
    ]
    var wrong: [[String]] = [[], [], []]
    for step in 0..<150 {
      let generation = try list.results.generation
      try simulation.step()
      try await list.refresh()
      guard try list.results.generation > generation,
        case .change(let change) = await events.next()
      else { continue }
      let shown = try change.after.sections.flatMap { section in
        [section.title] + (try section.map { "  \(try $0.object.line)" })
      }
      for (index, table) in tables.enumerated() {
        change.deliver(to: table)
        if table.complaint != nil || table.lines != shown {
          wrong[index].append("step \(step): \(table.complaint ?? "other lines")")
          table.reload(change.after)
        }
      }
    }
    return (wrong[0], wrong[1], wrong[2])
  }
}
