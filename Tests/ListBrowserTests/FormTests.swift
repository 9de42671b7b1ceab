import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R137: forms keep what was typed until it is stored, and write only what was changed.
@Suite("Forms of the full-screen list", .timeLimit(.minutes(1)))
struct FormTests {
  private static let escape = "\u{1B}"
  private static let clear = "\u{15}"

  @Test func `R137: Enter writes the fields that were changed, and no others`() async throws {
    var world = try await World.editing()
    try world.press("\t\t\(Self.clear)2001\r")
    #expect(world.takeSubmissions().map(\.texts) == [[2: "2001"]])
    // What is typed back to what it was is no change.
    world = try await World.editing()
    try world.press("x\u{7F}\r")
    #expect(world.takeSubmissions().isEmpty)
    #expect(world.model.form == nil && world.model.message == "Nothing was changed.")
  }

  @Test func `R137: an empty list names the key of the form that fills it`() async throws {
    var world = try await World([])
    #expect(!world.screen.contains { $0.contains("add a book") })
    world.allowForms()
    #expect(world.screen.contains { $0.contains("a  add a book") })
  }

  @Test func `R137: keys that come before the form has been read go into it`() async throws {
    var world = try await World([("A", "a", 1), ("A", "b", 2)])
    world.allowForms()
    try world.go(to: "a")
    world.model.notePainted()
    try world.press("e\tdd\r")
    #expect(world.effects.count == 1)
    try world.answerForms()
    #expect(try world.values("add")?[2] == 1)
    #expect(try world.values("b")?[2] == 2)
    #expect(world.model.form == nil)
  }

  @Test func `R137: keys that come while it is stored go to the list`() async throws {
    var world = try await World.editing()
    try world.press("B\r")
    try world.press("G")
    #expect(world.model.pane.edge == nil)
    try world.answerForms()
    #expect(world.model.form == nil && world.model.pane.edge == .last)
  }

  @Test func `R137: a changed form is given up by the second Esc alone`() async throws {
    var world = try await World.editing()
    try world.press("x\(Self.escape)")
    #expect(world.model.form?.reason.contains("Esc once more") == true)
    try world.press("y\(Self.escape)")
    #expect(world.model.form?.entries.first?.text == "Axy")
    try world.press(Self.escape)
    #expect(world.model.form == nil)
    #expect(world.takeSubmissions().isEmpty)
    // One without a change closes at once.
    world = try await World.editing()
    try world.press(Self.escape)
    #expect(world.model.form == nil)
  }

  @Test func `R137: a text that is no value says so when its field is left, and is not stored`()
    async throws
  {
    var world = try await World.editing()
    try world.press("\t\tx")
    #expect(world.model.form?.entries[2].problem == nil)
    try world.press("\t")
    #expect(world.model.form?.entries[2].problem?.contains("“1994x”") == true)
    try world.press("\r")
    #expect(world.model.form?.index == 2)
    #expect(world.takeSubmissions().isEmpty)
    try world.press("\u{7F}5\u{7F}\r")
    #expect(world.model.form == nil)
  }

  @Test func `R137: the form stays as it was typed while the list changes around it`() async throws
  {
    var world = try await World.editing()
    try world.press("x")
    try await world.write { transaction, world in
      try transaction.add("0", "first", in: world)
      try transaction.change("title 4", in: world) { $0[0] = .text("Z") }
    }
    try await world.write { transaction, world in try transaction.remove("title 4", in: world) }
    #expect(world.model.form?.entries.map(\.text) == ["Ax", "title 4", "1994"])
    try world.press("\r")
    try world.answerForms()
    guard case .conflict(.deleted, _)? = world.model.form?.phase else {
      Issue.record("the deleted row is no conflict")
      return
    }
    try world.press("a")
    try world.answerForms()
    try await world.follow()
    #expect(world.model.form == nil)
    #expect(try world.values("title 4") == [.text("Ax"), .text("title 4"), .integer(1994)])
  }

  @Test func `R137: what cannot be stored stays in the form, with the reason`() async throws {
    var world = try await World.editing()
    try world.press("x\r")
    let number = world.model.newestForm
    let submission = try #require(world.takeSubmissions().first)
    try world.send(.form(number: number, .saved(.failed("The disk is full."), of: submission)))
    #expect(world.model.form?.reason == "The disk is full.")
    #expect(world.model.form?.entries.first?.text == "Ax")
    // The failures of a whole row belong to their fields.
    try world.press("\r")
    let invalid = FormOutcome.invalid([1: "needs a value."])
    try world.send(.form(number: number, .saved(invalid, of: submission)))
    #expect(world.model.form?.index == 1)
    #expect(world.model.form?.entries[1].problem == "needs a value.")
    // An answer that comes when the form is closed changes nothing.
    try world.press(Self.escape)
    try world.press(Self.escape)
    try world.send(.form(number: number, .saved(.failed("too late"), of: submission)))
    #expect(world.model.form == nil && world.model.message != "too late")
  }

  @Test func `R137: a paste goes into the field with its lines, and starts nothing`() async throws {
    var world = try await World.editing()
    try world.send(.paste("q\r\nd\r"))
    #expect(world.model.form?.entries.first?.text == "Aq\nd")
    #expect(world.takeSubmissions().isEmpty)
    world = try await World.editing("title 4", columns: 40, lines: 12)
    try world.send(.paste("\u{1B}[2J日本👩‍🚀"))
    #expect(world.screen.contains { $0.contains("␛[2J日本👩‍🚀") })
  }

  @Test func `R137: a row that was added gets the cursor, wherever it lands`() async throws {
    var world = try await World.editing()
    try world.press(Self.escape)
    try world.press("aB\tnew one\t7\r")
    try world.answerForms()
    try await world.follow()
    #expect(try world.values("new one") == [.text("B"), .text("new one"), .integer(7)])
    #expect(world.cursorTitle == "new one")
  }

  @Test func `R137: a row that the list does not have is said not to be in it`() async throws {
    var world = try await World.editing()
    try world.press("x")
    guard case .draft(_, let revision, let list, _)? = world.takeFormEffects().last?.effect else {
      Issue.record("nothing is looked up")
      return
    }
    let answer = FormEvent.drafted(nil, .outside, revision: revision, in: list.position)
    try world.send(.form(number: world.model.newestForm, answer))
    #expect(world.model.landingText == "will not be in this list")
    try world.press("\r")
    try world.answerForms()
    #expect(world.model.message == "changed: u undoes. It is not in this list.")
  }

  @Test func `R137: all rows of a list are changed in one form`() async throws {
    var world = try await World.editing()
    try world.press(Self.escape)
    try world.press("\u{1}e")
    try world.answerForms()
    #expect(world.model.form?.title == "edit all 9 books")
    try world.press("B\r")
    try world.answerForms()
    #expect(try (0..<9).allSatisfy { try world.values("title \($0)")?[0] == "AB" })
    #expect(!world.model.selectsAll)
  }

  @Test func `R137: forms are refused where rows cannot be changed`() async throws {
    var world = try await World([("A", "a", 1)])
    try world.press("e")
    #expect(world.model.message == "Rows cannot be changed here.")
    try world.press("a")
    #expect(world.model.form == nil && world.effects.isEmpty)
  }
}

/// R137: what a form writes where others have written meanwhile.
@Suite("Conflicts of forms", .timeLimit(.minutes(1)))
struct FormConflictTests {
  /// A form that changes publisher and year, whose year others have changed.
  private func world() async throws -> World {
    var world = try await World.editing()
    try world.press("x\t\t\u{15}2001")
    try await world.write { transaction, world in
      try transaction.change("title 4", in: world) { $0[2] = .integer(1950) }
    }
    try world.press("\r")
    try world.answerForms()
    guard case .conflict(.changed(let fields, _), _)? = world.model.form?.phase else {
      Issue.record("there is no conflict")
      return world
    }
    #expect(
      fields == [
        .init(0, begun: "A", stored: "A", wished: "Ax", isChanged: false),
        .init(2, begun: "1994", stored: "1950", wished: "2001", isChanged: true),
      ]
    )
    #expect(try world.values("title 4") == [.text("A"), .text("title 4"), .integer(1950)])
    return world
  }

  @Test(arguments: [
    ("m", [Value.text("Ax"), .integer(1950)]), ("o", [.text("Ax"), .integer(2001)]),
    ("t", [.text("A"), .integer(1950)]),
  ])
  func `R137: fields that both changed are merged, overwritten or left, as the key says`(
    _ key: String,
    _ values: [Value]
  ) async throws {
    var world = try await world()
    try world.press(key)
    try world.answerForms()
    let stored = try #require(try world.values("title 4"))
    #expect([stored[0], stored[2]] == values)
    #expect(world.model.form == nil)
  }

  @Test func `R137: other fields that others changed are no conflict`() async throws {
    var world = try await World.editing()
    try world.press("x")
    try await world.write { transaction, world in
      try transaction.change("title 4", in: world) { $0[2] = .integer(1950) }
    }
    try world.press("\r")
    try world.answerForms()
    #expect(world.model.form == nil)
    #expect(try world.values("title 4") == [.text("Ax"), .text("title 4"), .integer(1950)])
  }

  @Test func `R137: what was not shown is not overwritten`() async throws {
    var world = try await world()
    try await world.write { transaction, world in
      try transaction.change("title 4", in: world) { $0[2] = .integer(1951) }
    }
    try world.press("o")
    try world.answerForms()
    guard case .conflict(.changed(let fields, _), _)? = world.model.form?.phase else {
      Issue.record("the second change was overwritten")
      return
    }
    #expect(fields.last?.stored == "1951")
    // Esc goes back to the form as it was typed.
    try world.press("\u{1B}")
    #expect(world.model.form?.entries.map(\.text) == ["Ax", "title 4", "2001"])
  }

  @Test(arguments: ["s", "o"])
  func `R137, R273: several rows have one form, and conflict as a whole`(_ key: String) async throws
  {
    var world = try await World.editing()
    try world.press("\u{1B}")
    try world.go(to: "title 2")
    try world.press("   e")
    try world.answerForms()
    let form = try #require(world.model.form)
    #expect(form.entries.map(\.isVarious) == [false, true, true])
    #expect(world.screen.contains { $0.contains("⟨various⟩") })
    try world.press("\t\t7")
    try await world.write { transaction, world in
      try transaction.change("title 3", in: world) { $0[2] = .integer(1950) }
    }
    try world.press("\r")
    try world.answerForms()
    guard case .conflict(.several(1, _), _)? = world.model.form?.phase else {
      Issue.record("there is no conflict")
      return
    }
    #expect(try world.values("title 2")?[2] == 1992)
    try world.press(key)
    try world.answerForms()
    let years = try ["title 2", "title 3", "title 4"].map { try world.values($0)?[2] }
    #expect(years == [7, key == "s" ? 1950 : 7, 7])
    #expect(try world.values("title 3")?[1] == "title 3")
    #expect(world.model.form == nil && world.model.selection.isEmpty)
  }
}
