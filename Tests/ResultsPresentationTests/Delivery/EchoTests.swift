import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ResultsPresentation

@Suite("Echoes of one's own writes", .timeLimit(.minutes(15)))
struct EchoTests {
  private let drag = CommitOrigin("drag")

  /// What happens between two changes that a subscriber takes, and whether they are an echo of the drag.
  enum Happening: CaseIterable {
    case drag, twoDrags, otherName, unnamed, dragAndOtherName, dragAndUnnamed, unnamedAndDrag
    case dragAndDefinition, external, repaired, dragAndIrrelevant

    var isEcho: Bool { [.drag, .twoDrags, .dragAndIrrelevant].contains(self) }
  }

  @Test(arguments: Happening.allCases, [false, true])
  func `R68: a change is an echo if it holds nothing but one's own commits of that name`(
    happening: Happening,
    isPaused: Bool
  ) async throws {
    let store = try Volume.store(("A", "x"))
    var definition = Volume.bySeries()
    definition.request.predicate = .comparison(.attribute("pages"), .equal, .literal(0))
    let list = FetchedResultsController(definition, in: store)
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    // Folded by the engine in a pause, composed in the slot of a slow subscriber otherwise.
    if isPaused { list.pause() }
    var count = 0
    func write(_ origin: CommitOrigin, pages: Int = 0) async throws {
      count += 1
      let title = "t\(count)"
      _ = try store.commit(origin: origin) { transaction in
        try transaction.insert(Volume(series: "A", title: title, pages: pages))
      }
      if !isPaused { try await list.refresh() }
    }
    switch happening {
    case .drag: try await write(drag)
    case .twoDrags:
      try await write(drag)
      try await write(drag)
    case .otherName: try await write(CommitOrigin("menu"))
    case .unnamed: try await write(.unnamed)
    case .dragAndOtherName:
      try await write(drag)
      try await write(CommitOrigin("menu"))
    case .dragAndUnnamed:
      try await write(drag)
      try await write(.unnamed)
    case .unnamedAndDrag:
      try await write(.unnamed)
      try await write(drag)
    case .dragAndDefinition:
      try await write(drag)
      if isPaused { try await list.resume() }
      try await list.update { $0.request.sortDescriptors = [.descending("title")] }
    case .external:
      store.reportAsExternal()
      try await write(drag)
    case .repaired:
      store.report(.trimmed)
      try await write(drag)
    case .dragAndIrrelevant:
      try await write(drag)
      try await write(CommitOrigin("menu"), pages: 9)
    }
    if isPaused { try await list.resume() }
    let change = try #require(await events.change())
    #expect(change.isEcho(of: drag) == happening.isEcho)
    #expect(!change.isEcho(of: CommitOrigin("drop")))
  }
}
