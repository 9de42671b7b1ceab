import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R137: forms as they are drawn, line by line.
@Suite("Screens of forms", .timeLimit(.minutes(1)))
struct FormScreenTests {
  private func expect(
    _ world: World,
    _ lines: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    let screen = world.screen.joined(separator: "\n")
    let isRight = screen == lines
    #expect(isRight, "the screen is\n\(screen)\nEND", sourceLocation: location)
    let widths = world.screen.map { DisplayWidth().columns(of: $0) }
    #expect(widths.allSatisfy { $0 <= world.model.size.columns }, sourceLocation: location)
  }

  private func world(columns: Int, lines: Int) async throws -> World {
    var world = try await World(
      [
        ("岩波書店", "こわれた腕環", 1976), ("岩波書店", "さいはての島へ", 1977), ("岩波書店", "帰還", 1993),
        ("早川書房", "あなたの人生の物語", 2003), ("早川書房", "ソラリス", 2004),
      ],
      columns: columns,
      lines: lines
    )
    world.allowForms()
    // A fourth field puts two side by side.
    world.model.setup.fields.append(FormField("language"))
    try world.go(to: "帰還")
    world.model.notePainted()
    try world.press("e")
    try world.answerForms()
    return world
  }

  @Test func `R137: a form shows its fields, a message, the caret and where the row lands`()
    async throws
  {
    var world = try await world(columns: 80, lines: 18)
    try world.press("\u{15}早川書房\t\t\u{15}１９９３年\t")
    try world.press("\u{1B}[Z")
    try world.answerForms()
    expect(
      world,
      """
       book-catalog  books.sqlite  by publisher ▸ title           5 books in 2  ● live
         title                                                                 year
      ▾ 岩波書店 ──────────────────────────────────────────────────────────────── 3 岩
         こわれた腕環                                                          1976 早
         さいはての島へ                                                        1977
      >  帰還                                                                  1993
      ▾ 早川書房 ──────────────────────────────────────────────────────────────── 2
         あなたの人生の物語                                                    2003
         ソラリス                                                              2004



      ┌ edit 帰還, Book 3 ───────────────────────────────────────────────────────────┐
      │ publisher *[早川書房                ]  title     [帰還                     ] │
      │ year      *[１９９３年              ]  language  [                         ] │
      │             year must be a whole number, not “１９９３年”. Write 1993.       │
      └ lands last in 早川書房, after ソラリス ──────────────────────────────────────┘
       Enter save  Esc back  Tab next field  ^E in $EDITOR            2 fields changed
      """
    )
    let surface = BrowserView.surface(of: world.model)
    #expect(surface.showsCursor)
    #expect(surface.cursor == Surface.Position(line: 14, column: 24))
  }

  @Test func `R137: a small screen is the form's alone, and long texts scroll`() async throws {
    var world = try await world(columns: 40, lines: 12)
    try world.press("\tの長い長い長い長い長い長い長い題名である")
    try world.answerForms()
    expect(
      world,
      """
       books.sqlite                        5 ●
      ┌ edit 帰還, Book 3 ───────────────────┐
      │ publisher  [岩波書店               ] │
      │ title     *<長い長い長い題名である ] │
      │ year       [1993                   ] │
      │ language   [                       ] │
      │                                      │
      │                                      │
      │                                      │
      │                                      │
      └ stays where it is ───────────────────┘
       Enter save  Esc back  Tab next field
      """
    )
    try world.press("\u{1B}")
    expect(
      world,
      """
       books.sqlite                        5 ●
      ┌ edit 帰還, Book 3 ───────────────────┐
      │ publisher  [岩波書店               ] │
      │ title     *<長い長い長い題名である ] │
      │ year       [1993                   ] │
      │ language   [                       ] │
      │ One field is not saved. Enter saves  │
      │ it; Esc once more gives it up.       │
      │                                      │
      │                                      │
      └ stays where it is ───────────────────┘
       Enter save  Esc back  Tab next field
      """
    )
  }

  @Test func `R137: a conflict shows the three versions of each changed field`() async throws {
    var world = try await world(columns: 80, lines: 18)
    try world.press("\u{15}早川書房\t\t\u{15}1992")
    try await world.write { transaction, world in
      try transaction.change("帰還", in: world) { $0[2] = .integer(1994) }
    }
    try world.press("\r")
    try world.answerForms()
    expect(
      world,
      """
       book-catalog  books.sqlite  by publisher ▸ title           5 books in 2  ● live
         title                                                                 year
      ▾ 岩波書店 ──────────────────────────────────────────────────────────────── 3 岩
         こわれた腕環                                                          1976 早
         さいはての島へ                                                        1977
      >~ 帰還                                                                  1994
      ▾ 早川書房 ──────────────────────────────────────────────────────────────── 2
         あなたの人生の物語                                                    2003
         ソラリス                                                              2004



      ┌ 帰還, Book 3: changed by others meanwhile ───────────────────────────────────┐
      │            you began with       stored now           you would write         │
      │ publisher  岩波書店             岩波書店             早川書房                │
      │ year       1993                 1994  !              1992  !                 │
      └──────────────────────────────────────────────────────────────────────────────┘
       m merge  o write mine  t keep theirs  Esc back
      """
    )
    try world.send(.resized(TerminalSize(columns: 40, rows: 12)))
    expect(
      world,
      """
       books.sqlite                        5 ●
      ┌ 帰還, Book 3: changed by others me… ─┐
      │ publisher                            │
      │  began   岩波書店                    │
      │  stored  岩波書店                    │
      │  yours   早川書房                    │
      │ year  !                              │
      │  began   1993                        │
      │  stored  1994                        │
      │  yours   1992                        │
      └──────────────────────────────────────┘
       m merge  o write mine  t keep theirs
      """
    )
  }
}
