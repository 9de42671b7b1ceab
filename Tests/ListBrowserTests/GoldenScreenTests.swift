import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

/// R134: screens as they are drawn, line by line.
@Suite("Screens of the full-screen list", .timeLimit(.minutes(1)))
struct GoldenScreenTests {
  private static let books: [(String, String, Int?)] = [
    ("岩波書店", "こわれた腕環", 1976), ("岩波書店", "さいはての島へ", 1977), ("岩波書店", "帰還", 1993),
    ("岩波書店", "ゲド戦記外伝", 2004), ("文藝春秋", "11/22/63(上)", 2013),
    ("文藝春秋", "ミスター・メルセデス 上", 2016), ("早川書房", "あなたの人生の物語", 2003),
    ("早川書房", "ソラリス", 2004), ("東京創元社", "ラドチ戦史 👩‍🚀 合本", 2018),
    ("東京創元社", "叛逆航路", 2015), ("東京創元社", "亡霊星域", 2016),
  ]

  private func expect(
    _ world: World,
    _ lines: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    // The hints have a test of their own.
    let screen = world.screen.dropLast().joined(separator: "\n")
    let isRight = screen == lines
    #expect(isRight, "the screen is\n\(screen)\nEND", sourceLocation: location)
    let width = DisplayWidth()
    let widest = world.screen.map { width.columns(of: $0) }.max() ?? 0
    #expect(widest <= world.model.size.columns, sourceLocation: location)
  }

  @Test func `R134: a list with sections, marks and an index`() async throws {
    var world = try await World(Self.books, columns: 80, lines: 18)
    try world.go(to: "帰還")
    try world.press(" ")
    try await world.write { transaction, world in
      try transaction.add("岩波書店", "影との戦い", 1976, in: world)
      try transaction.change("ソラリス", in: world) { $0[2] = .integer(1977) }
      try transaction.change("叛逆航路", in: world) { $0[0] = .text("早川書房") }
    }
    expect(
      world,
      """
       book-catalog  books.sqlite  by publisher ▸ title          12 books in 4  ● live
         title                                                                 year
      ▾ 岩波書店 ──────────────────────────────────────────────────────────── 5  +1 岩
         さいはての島へ                                                        1977 文
         ゲド戦記外伝                                                          2004 早
       * 帰還                                                                  1993 東
       + 影との戦い                                                            1976
      ▾>文藝春秋 ──────────────────────────────────────────────────────────────── 2
         11/22/63(上)                                                          2013
         ミスター・メルセデス 上                                               2016
      ▾ 早川書房 ──────────────────────────────────────────────────────────── 3  +1
         あなたの人生の物語                                                    2003
       ~ ソラリス                                                              1977
       → 叛逆航路 from 東京創元社                                              2015
      ▾ 東京創元社 ────────────────────────────────────────────────────────── 2  −1
         ラドチ戦史 👩‍🚀 合本                                                    2018
       +1 →1 ~1                                                       1 selected  6/12
      """
    )
  }

  @Test func `R134: a narrow screen`() async throws {
    var world = try await World(Self.books, columns: 40, lines: 12)
    try world.press("3j")
    expect(
      world,
      """
       books.sqlite                       11 ●
      ▾ 岩波書店 ─────────────────────────── 4
         こわれた腕環                     1976
         さいはての島へ                   1977
         ゲド戦記外伝                     2004
      >  帰還                             1993
      ▾ 文藝春秋 ─────────────────────────── 2
         11/22/63(上)                     2013
         ミスター・メルセデス 上          2016
      ▾ 早川書房 ─────────────────────────── 2
                                          4/11
      """
    )
  }

  @Test func `R134: the smallest screen, and one that is too small`() async throws {
    var world = try await World(Self.books, columns: 20, lines: 4)
    expect(
      world,
      """
       books.sqlite   11 ●
      >  こわれた腕…  1976
                      1/11
      """
    )
    try world.send(.resized(TerminalSize(columns: 19, rows: 4)))
    #expect(world.screen == ["at least 20x4", "not 19x4", "", ""])
  }

  @Test func `R134: folded sections, and the detail pane below`() async throws {
    var world = try await World(Self.books, columns: 60, lines: 20)
    try world.press("Jza")
    try world.press("jj\r")
    expect(
      world,
      """
       book-catalog  books.sqlite  by publi… 11 books in 4  ● live
         title                                             year
      ▾ 岩波書店 ──────────────────────────────────────────── 4 岩
         こわれた腕環                                      1976 文
         さいはての島へ                                    1977 早
         ゲド戦記外伝                                      2004 東
         帰還                                              1993
      ▸ 文藝春秋 ──────────────────────────────────────────── 2
      ▾ 早川書房 ──────────────────────────────────────────── 2
      >  あなたの人生の物語                                2003
         ソラリス                                          2004
      ▾ 東京創元社 ────────────────────────────────────────── 3
      ── あなたの人生の物語 ─ Book 7 ─────────────────────────────
        publisher  早川書房
        title      あなたの人生の物語
        year       2003


                                                              7/11
      """
    )
  }

  @Test func `R134: a value has its own lines in the pane, and is one line in the list`()
    async throws
  {
    let title = "first\r\nsecond\n\n\u{1B}[31mlast"
    var world = try await World([("A", title, 1)], columns: 50, lines: 26, isSectioned: false)
    try world.press("\r")
    let pane = world.screen.drop { !$0.hasPrefix("── ") }
    #expect(world.screen[1].hasPrefix(">  first␍␊second␊␊␛[31mlast"), "\(world.screen)")
    #expect(
      pane.dropFirst().prefix(6).map { String($0.reversed().drop { $0 == " " }.reversed()) }
        == [
          "  publisher  A", "  title      first", "             second", "",
          "             ␛[31mlast", "  year       1",
        ]
    )
  }

  @Test func `R134: a held list says what waits, net`() async throws {
    var world = try await World(Self.books, columns: 80, lines: 12)
    try world.press("H")
    try await world.write { transaction, world in
      try transaction.add("0", "first", 1, in: world)
      try transaction.add("0", "second", 1, in: world)
      try transaction.remove("帰還", in: world)
    }
    try await world.write { transaction, world in
      try transaction.remove("first", in: world)
      try transaction.change("ソラリス", in: world) { $0[2] = .integer(1977) }
    }
    expect(
      world,
      """
       book-catalog  books.sqlite  by publisher ▸ title      11 books in 4  ‖ held 0 s
         title                                                                 year
      ▾ 岩波書店 ──────────────────────────────────────────────────────────────── 4 岩
      >  こわれた腕環                                                          1976 文
         さいはての島へ                                                        1977 早
         ゲド戦記外伝                                                          2004 東
         帰還                                                                  1993
      ▾ 文藝春秋 ──────────────────────────────────────────────────────────────── 2
         11/22/63(上)                                                          2013
         ミスター・メルセデス 上                                               2016
       ‖ 3 net changes wait: +1 −1 ~1, none of them to this row                   1/11
      """
    )
    try world.press(".")
    #expect(world.model.held == nil)
    #expect(world.screen[0].contains("11 books in 5"))
  }

  @Test func `R134: hostile titles are shown by name and never executed`() async throws {
    let world = try await World(
      [("\u{1B}[2J", "\u{1B}]52;c;aGk=\u{7}", 1), ("\u{1B}[2J", "a\u{202E}b\u{9B}31m", 2)],
      columns: 60,
      lines: 8
    )
    expect(
      world,
      """
       book-catalog  books.sqlite  by publis… 2 books in 1  ● live
         title                                             year
      ▾ ␛[2J ──────────────────────────────────────────────── 2
      >  ␛]52;c;aGk=␇                                         1
         a<U+202E>b<U+009B>31m                                2

                                                               1/2
      """
    )
  }

  @Test func `R134: a menu is narrowed by typing`() async throws {
    var world = try await World(Self.books, columns: 60, lines: 14)
    try world.press("\"川")
    expect(
      world,
      """
       book-catalog  books.sqlite  by publi… 11 books in 4  ● live
        Sections: 川
      >  早川書房  2









                                                              1/11
      """
    )
    try world.press("\r")
    #expect(world.model.pane.header(world.model.pane.cursor?.section ?? -1)?.title == "早川書房")
  }

  @Test func `R135: the hints name keys that do something now, the most important first`()
    async throws
  {
    var world = try await World(Self.books, columns: 80, lines: 18)
    #expect(
      world.screen.last
        == " / filter  ' index  J K section  ␣ select  Enter detail  s sort  H hold   ? keys"
    )
    try world.press("H")
    #expect(world.screen.last?.hasPrefix(" . apply  / filter") == true)
    world = try await World(Self.books, columns: 40, lines: 12, isSectioned: false)
    #expect(world.screen.last == " / filter  ␣ select  Enter detail      ?")
  }
}
