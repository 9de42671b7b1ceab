import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R271, R272: an open form shows what others commit.
@Suite("Forms that others write under", .timeLimit(.minutes(1)))
struct FormFollowingTests {
  /// A form on title 4, of A and 1994, in which keys were pressed.
  private func world(_ keys: String) async throws -> World {
    var world = try await World.editing(lines: 26)
    try world.press(keys)
    try world.answerForms()
    return world
  }

  /// Changes the row as others do, and lets the form see it.
  private func change(
    _ world: inout World,
    _ body: (inout [Value]) -> Void
  ) async throws {
    world.now += .seconds(1)
    try await world.write { transaction, world in
      try transaction.change("title 4", in: world, body)
    }
    try world.answerForms()
  }

  private func texts(_ world: World) -> [String]? { world.model.form?.entries.map(\.text) }

  @Test func `R271: fields that were not typed in follow what others commit`() async throws {
    var world = try await world("x")
    try await change(&world) { $0[2] = 1950 }
    #expect(texts(world) == ["Ax", "title 4", "1950"])
    #expect(world.model.form?.reason == "Others have changed year.")
    #expect(world.screen.contains { $0.contains("Others have changed year.") })
    // It is no change of the form.
    #expect(world.model.form?.changes == [0: "Ax"])
    try world.press("\r")
    try world.answerForms()
    #expect(try world.values("title 4") == ["Ax", "title 4", 1950])
    // What is typed then is based on what is shown, and the caret stays behind it.
    world = try await self.world("\t\t")
    try await change(&world) { $0[2] = 19_500 }
    try world.press("\u{7F}1\r")
    try world.answerForms()
    #expect(try world.values("title 4")?[2] == 19_501)
  }

  @Test func `R271: a field that both changed shows both values, until one is chosen`() async throws
  {
    var world = try await world("\t\t\u{15}2001")
    try await change(&world) { $0[2] = 1950 }
    #expect(texts(world) == ["A", "title 4", "2001"])
    #expect(
      world.screen.contains { $0.contains("year: Others have stored “1950”; ^R takes it.") }
    )
    try await change(&world) { $0[2] = 1951 }
    #expect(world.model.form?.entries[2].others == "1951")
    // Enter asks, and Esc comes back to the form.
    try world.press("\r")
    try world.answerForms()
    guard case .conflict(.changed, _)? = world.model.form?.phase else {
      Issue.record("there is no conflict")
      return
    }
    try world.press("\u{1B}")
    try world.press("\u{12}")
    #expect(texts(world) == ["A", "title 4", "1951"] && world.model.form?.hasChanges == false)
    world.now += .seconds(1)
    try world.send(.tick)
    try world.answerForms()
    try world.press("\u{15}1952\r")
    try world.answerForms()
    #expect(try world.values("title 4")?[2] == 1952)
  }

  @Test func `R271: a value that others take back, or make too, is no conflict`() async throws {
    var world = try await world("\t\t\u{15}2001")
    try await change(&world) { $0[2] = 1950 }
    try await change(&world) { $0[2] = 1994 }
    #expect(world.model.form?.entries[2].others == nil)
    try await change(&world) { $0[2] = 2001 }
    #expect(world.model.form?.entries[2].others == nil)
    try world.press("\r")
    try world.answerForms()
    #expect(world.model.form == nil)
    #expect(try world.values("title 4")?[2] == 2001)
  }

  @Test func `R137: what comes while a field is being typed in has not been shown`() async throws {
    var world = try await world("")
    world.now += .seconds(1)
    try await world.write { transaction, world in
      try transaction.change("title 4", in: world) { $0[2] = 1950 }
    }
    // The answer to the question that this caused comes after the key.
    try world.press("\t\t\u{15}2001")
    try world.answerForms()
    #expect(texts(world)?[2] == "2001" && world.model.form?.entries[2].others == "1950")
    try world.press("\r")
    try world.answerForms()
    guard case .conflict(.changed(let fields, _), _)? = world.model.form?.phase else {
      Issue.record("a value that was not shown is overwritten")
      return
    }
    #expect(fields.first?.begun == "1994" && fields.first?.stored == "1950")
  }

  @Test(arguments: ["x", ""])
  func `R272: a row that is deleted says so at once, and can be added again`(
    _ keys: String
  ) async throws {
    var world = try await world(keys)
    world.now += .seconds(1)
    try await world.write { transaction, world in try transaction.remove("title 4", in: world) }
    try world.answerForms()
    #expect(world.screen.contains { $0.contains("Others have deleted it. Enter offers") })
    #expect(texts(world) == ["A" + keys, "title 4", "1994"])
    try world.press("\r")
    try world.answerForms()
    #expect(world.screen.contains { $0.contains("a add it again") })
    try world.press("a")
    try world.answerForms()
    try await world.follow()
    #expect(world.model.form == nil)
    #expect(try world.values("title 4") == [.text("A" + keys), "title 4", 1994])
  }

  @Test func `R271: the draft of a form ends with it, and one that is idle asks nothing`()
    async throws
  {
    var world = try await world("")
    let number = world.model.newestForm
    world.effects = []
    world.now += .seconds(5)
    try world.send(.tick)
    #expect(world.effects.isEmpty)
    try world.send(.form(number: number, .changed))
    #expect(world.takeFormEffects().count == 1)
    // Many commits are one question.
    try world.send(.form(number: number, .changed))
    #expect(world.takeFormEffects().isEmpty)
    world.effects = []
    try world.press("\u{1B}")
    let isEnded = world.effects.contains {
      if case .form(number: number, .end) = $0 { true } else { false }
    }
    #expect(world.model.form == nil && isEnded)
  }
}
