import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R137: a form as lines of text, in the user's editor.
@Suite("Forms in an editor", .timeLimit(.minutes(1)))
struct FormEditorTests {
  private static let fields = ["publisher", "title", "year"].map { FormField($0) }

  private func entries(_ texts: [String?]) -> [FormEntry] {
    texts.enumerated().map { FormEntry(field: $0, original: $1) }
  }

  @Test func `R137: a text that comes back unchanged changes nothing, whatever the values contain`()
  {
    let seed: UInt64 = 137
    var generator = SeededGenerator(seed: seed)
    let parts = ["a", " ", "\n", ":", "#", "  ", "日本", "e\u{301}", "\\", "\t", "publisher: x"]
    for step in 0..<2000 {
      let texts = (0..<3).map { _ -> String? in
        if generator.happens(percent: 10) { return nil }
        return (0..<generator.number(in: 0...5)).map { _ in generator.element(of: parts) ?? "" }
          .joined()
      }
      var read = entries(texts)
      let text = FormLines.text(of: read, Self.fields, title: "edit Book 4")
      let problems = FormLines.read(text, into: &read, Self.fields)
      #expect(problems == [], "seed \(seed), step \(step): \(text)")
      #expect(read.allSatisfy { !$0.isChanged }, "seed \(seed), step \(step): \(text)")
    }
  }

  @Test func `R137: lines are read in any order, and what cannot be read is named by its line`() {
    var read = entries(["A", "t", nil])
    let text = "# remark\nyear: 7\ntitle: one\n\n  two\nfoo: 1\nbar\nyear: 8\n"
    let problems = FormLines.read(text, into: &read, Self.fields)
    #expect(read.map(\.text) == ["A", "one\n\ntwo", "7"])
    #expect(read.map(\.isChanged) == [false, true, true])
    #expect(
      problems == [
        "Line 6: there is no field “foo”. The fields are publisher, title, year.",
        "Line 7 is not “name: value”: “bar”.", "Line 8 gives year again.",
      ]
    )
    var other = entries(["A", "t", nil])
    _ = FormLines.read(text.replacing("\n", with: "\r\n"), into: &other, Self.fields)
    #expect(other.map(\.text) == read.map(\.text))
    // No text for rows with several values is a wish, and a name alone means no value.
    read = entries(["A", "t", nil])
    _ = FormLines.read("title:\nyear:\n", into: &read, Self.fields)
    #expect(read.map(\.isChanged) == [false, true, true])
    #expect(read.map(\.text) == ["A", "", ""])
  }

  /// A world whose form on “title 4” is in an editor.
  private func world(_ keys: String) async throws -> (World, text: String) {
    var world = try await World.editing()
    try world.press("\u{1B}")
    try world.press(keys)
    try world.answerForms()
    guard case .edit(let text)? = world.takeFormEffects().last?.effect else {
      Issue.record("nothing is edited")
      return (world, "")
    }
    return (world, text)
  }

  @Test func `R137: E stores what the editor has left`() async throws {
    var (world, text) = try await world("E")
    #expect(text.hasSuffix("publisher: A\ntitle: title 4\nyear: 1994\n"))
    let edited = text.replacing("1994", with: "2001")
    try world.send(.form(number: world.model.newestForm, .edited(edited)))
    try world.answerForms()
    #expect(try world.values("title 4")?[2] == 2001)
    #expect(world.model.form == nil)
    (world, text) = try await self.world("E")
    try world.send(.form(number: world.model.newestForm, .edited(text)))
    #expect(world.model.form == nil && world.model.message == "Nothing was changed.")
  }

  @Test func `R137: what the editor leaves wrong comes back in the form, with its reason`()
    async throws
  {
    var (world, text) = try await world("E")
    let edited = text.replacing("1994", with: "old") + "nonsense\n"
    try world.send(.form(number: world.model.newestForm, .edited(edited)))
    #expect(world.model.form?.reason.contains("“nonsense”") == true)
    #expect(world.model.form?.entries[2].problem?.contains("“old”") == true)
    #expect(try world.values("title 4")?[2] == 1994)
    // An editor that fails closes a form in which nothing was typed, and no other.
    (world, _) = try await self.world("E")
    try world.send(.form(number: world.model.newestForm, .notEdited("The editor failed.")))
    #expect(world.model.form == nil && world.model.message == "The editor failed.")
  }

  @Test func `R137: from a form the editor gets what is typed, and gives it back unsaved`()
    async throws
  {
    var world = try await World.editing()
    try world.press("x\u{5}")
    guard case .edit(let text)? = world.takeFormEffects().last?.effect else {
      Issue.record("nothing is edited")
      return
    }
    #expect(text.contains("publisher: Ax\n"))
    let number = world.model.newestForm
    try world.send(.form(number: number, .edited(text.replacing("1994", with: "2001"))))
    #expect(world.model.form?.entries.map(\.text) == ["Ax", "title 4", "2001"])
    #expect(try world.values("title 4")?[2] == 1994)
    try world.press("\u{5}")
    try world.send(.form(number: number, .notEdited("The editor failed.")))
    #expect(world.model.form?.reason == "The editor failed.")
    #expect(world.model.form?.entries.map(\.text) == ["Ax", "title 4", "2001"])
  }
}
