import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R136: what changes the store acts on the row that the user saw.
@Suite("Requests in the moment of a change", .timeLimit(.minutes(1)))
struct RequestTests {
  private func world() async throws -> World {
    var world = try await World((0..<9).map { ("A", "title \($0)", nil) })
    world.model.allowWriting()
    try world.go(to: "title 4")
    world.model.notePainted()
    return world
  }

  @Test func `R136: a key that was pressed before the row went waits to be pressed again`()
    async throws
  {
    var world = try await world()
    let frame = world.model.frame
    try await world.write { transaction, world in try transaction.remove("title 4", in: world) }
    #expect(world.cursorTitle == "title 5")
    try world.send(.key(Key(.character("d")), frame: frame))
    #expect(world.effects.isEmpty)
    #expect(world.model.message == "The list just changed: d again deletes title 5.")
    world.model.notePainted()
    try world.send(.key(Key(.character("d")), frame: world.model.frame))
    guard case .perform(.delete(let ids))? = world.effects.last else {
      Issue.record("nothing was deleted")
      return
    }
    #expect(ids == [try #require(world.model.pane.cursorID)])
  }

  @Test func `R136: rows that come above do not change what a key deletes`() async throws {
    var world = try await world()
    let id = try #require(world.model.pane.cursorID)
    let frame = world.model.frame
    try await world.write { transaction, world in try transaction.add("A", "a", in: world) }
    try world.send(.key(Key(.character("d")), frame: frame))
    guard case .perform(let request)? = world.effects.last else {
      Issue.record("nothing was deleted")
      return
    }
    #expect(request == .delete([id]))
  }

  @Test func `R136: a store that is open for reading is not changed`() async throws {
    var world = try await World([("A", "a", 1)])
    try world.press("jd")
    #expect(world.effects.isEmpty)
    #expect(world.model.message == "Rows cannot be changed here.")
  }
}

extension BrowserModel {
  /// Lets the model ask for changes of the store.
  mutating func allowWriting() { setup.canWrite = true }

  /// Gives the model commands.
  mutating func offer(
    _ commands: [BrowserCommand],
    isOffered: @escaping @Sendable (BrowserCall) -> Bool
  ) {
    (setup.commands, setup.isOffered) = (commands, isOffered)
  }
}
