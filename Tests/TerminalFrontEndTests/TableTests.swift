import ResultsStoreKit
import Testing

@testable import TerminalFrontEnd

@Suite("TableWriter")
struct TableWriterTests {
  private static let columns = [
    TableColumn("title"), TableColumn("author"), TableColumn("year", alignment: .trailing),
  ]

  private static func write(_ options: TableWriter.Options) -> String {
    var writer = TableWriter(columns: columns, options: options)
    var text = writer.section(title: "岩波書店", count: 2)
    text += writer.row(["吾輩は猫である", "夏目漱石", "1905"])
    text += writer.row(["Kokoro, a novel in three parts", "Natsume Soseki", "1914"])
    text += writer.section(title: "", count: 1, aggregate: "1 unread")
    text += writer.row(["👨‍👩‍👧‍👦 か\u{3099}\tx", "\u{1B}[31m", "7"])
    return text + writer.end()
  }

  @Test func `a table is fitted to the terminal`() {
    let text = Self.write(.init(lineWidth: 40, isTerminal: true))
    #expect(
      text == """
          title             author          year
        岩波書店  (2)
          吾輩は猫である    夏目漱石        1905
          Kokoro, a novel…  Natsume Soseki  1914

        (none)  (1)  1 unread
          👨‍👩‍👧‍👦 か\u{3099}␉x           ␛[31m              7

        """
    )
    for line in text.split(separator: "\n") {
      #expect(DisplayWidth().columns(of: String(line)) <= 40)
    }
  }

  @Test func `ids stay whole while other columns can shrink`() {
    let columns = [
      TableColumn("id", minimumWidth: .max), TableColumn("title"),
      TableColumn("amount", alignment: .trailing),
    ]
    var writer = TableWriter(columns: columns, options: .init(lineWidth: 24, isTerminal: true))
    var text = writer.row(["guid-0123456789", "A long title", "1234567.89"])
    text += writer.end()
    #expect(text.contains("guid-0123456789  "), "\(text)")
    for line in text.split(separator: "\n") {
      #expect(DisplayWidth().columns(of: String(line)) <= 24)
    }
  }

  @Test func `a table without a width truncates nothing`() {
    #expect(
      Self.write(.init()) == """
          title                           author          year
        岩波書店  (2)
          吾輩は猫である                  夏目漱石        1905
          Kokoro, a novel in three parts  Natsume Soseki  1914

        (none)  (1)  1 unread
          👨‍👩‍👧‍👦 か\u{3099}␉x                         ␛[31m              7

        """
    )
  }

  @Test func `plain lines are tab-separated without headings`() {
    #expect(
      Self.write(.init(format: .plain, sectionHeading: "section")) == """
        岩波書店\t吾輩は猫である\t夏目漱石\t1905
        岩波書店\tKokoro, a novel in three parts\tNatsume Soseki\t1914
        \t👨‍👩‍👧‍👦 か\u{3099}\\tx\t\\x1B[31m\t7

        """
    )
  }

  @Test func `tab-separated values begin with the headings`() {
    #expect(
      Self.write(.init(format: .tsv)) == """
        title\tauthor\tyear
        吾輩は猫である\t夏目漱石\t1905
        Kokoro, a novel in three parts\tNatsume Soseki\t1914
        👨‍👩‍👧‍👦 か\u{3099}\\tx\t\\x1B[31m\t7

        """
    )
  }

  @Test func `comma-separated values are quoted where necessary`() {
    #expect(
      Self.write(.init(format: .csv, sectionHeading: "publisher")) == """
        publisher,title,author,year
        岩波書店,吾輩は猫である,夏目漱石,1905
        岩波書店,"Kokoro, a novel in three parts",Natsume Soseki,1914
        ,👨‍👩‍👧‍👦 か\u{3099}\tx,\u{1B}[31m,7

        """
    )
  }

  @Test(arguments: TableFormat.allCases)
  func `nothing written to a terminal can drive it`(format: TableFormat) {
    let text = Self.write(.init(format: format, lineWidth: 40, isTerminal: true))
    #expect(!text.utf8.contains(0x1B))
  }

  @Test(
    arguments: [
      ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""), ("\"\u{301}", "\"\"\"\u{301}\""), ("", "\"\""),
      (" a ", " a "),
    ] as [(String, String)]
  )
  func `a quote is doubled even under a mark`(cell: String, written: String) {
    var writer = TableWriter(columns: [TableColumn("c")], options: .init(format: .csv))
    let text = writer.row([cell])
    #expect(Array(text.utf8) == Array("c\n\(written)\n".utf8))
  }

  @Test func `styles are written only with colour`() {
    let colored = Self.write(.init(lineWidth: 40, isColored: true, isTerminal: true))
    #expect(colored.contains("\u{1B}[1m岩波書店\u{1B}[0m  \u{1B}[2m(2)\u{1B}[0m\n"))
    #expect(!Self.write(.init(lineWidth: 40)).contains("\u{1B}["))
  }

  @Test func `a table prints row by row once its widths are known`() {
    let options = TableWriter.Options(lineWidth: 20, measuredRows: 2)
    var writer = TableWriter(columns: [TableColumn("a")], options: options)
    #expect(writer.row(["1"]).isEmpty)
    #expect(writer.row(["22"]) == "a\n1\n22\n")
    #expect(writer.row(["long"]) == "l…\n")
    #expect(writer.end().isEmpty)
  }

  @Test func `rows with too few or too many cells keep the columns`() {
    var writer = TableWriter(
      columns: [TableColumn("a"), TableColumn("b")],
      options: .init(format: .tsv)
    )
    #expect(writer.row(["1"]) == "a\tb\n1\t\n")
    #expect(writer.row(["1", "2", "3"]) == "1\t2\n")
  }

  @Test(
    arguments: [(TableFormat.table, ""), (.plain, ""), (.tsv, "a\n"), (.csv, "a\n")])
  func `an empty list writes no rows`(format: TableFormat, text: String) {
    var writer = TableWriter(columns: [TableColumn("a")], options: .init(format: format))
    #expect(writer.end() == text)
  }

  @Test func `a terminal of one column still shows text`() {
    let text = Self.write(.init(lineWidth: 1, isTerminal: true))
    #expect(text.hasPrefix("  …\n"))
  }
}

@Suite("ColumnLayout")
struct ColumnLayoutTests {
  private static let words = TableColumn("w", minimumWidth: 4)
  private static let numbers = TableColumn("n", alignment: .trailing, minimumWidth: 2)

  @Test(
    arguments: [
      // Natural widths, width of the line, widths of two word columns and one number column.
      ([10, 20, 5], nil, [10, 20, 5]), ([10, 20, 5], 80, [10, 20, 5]),
      ([10, 20, 5], 39, [10, 20, 5]),
      ([10, 20, 5], 38, [10, 19, 5]), ([10, 20, 5], 29, [10, 10, 5]),
      ([10, 20, 5], 28, [10, 9, 5]),
      ([10, 20, 5], 17, [4, 4, 5]), ([10, 20, 5], 15, [4, 4, 3]), ([10, 20, 5], 14, [4, 4, 2]),
      ([10, 20, 5], 12, [3, 3, 2]), ([10, 20, 5], 7, [1, 1, 1]), ([10, 20, 5], 6, [2, 2, 0]),
      ([10, 20, 5], 4, [1, 1, 0]), ([10, 20, 5], 1, [1, 0, 0]), ([10, 20, 5], 0, [0, 0, 0]),
      ([0, 20, 5], 17, [0, 8, 5]), ([2, 20, 5], 17, [2, 6, 5]),
    ] as [([Int], Int?, [Int])]
  )
  func `the widest words shrink first and numbers last`(
    natural: [Int],
    line: Int?,
    expected: [Int]
  ) {
    let columns = [Self.words, Self.words, Self.numbers]
    let layout = ColumnLayout(columns: columns, natural: natural, lineWidth: line)
    #expect(layout.widths == expected)
    if let line { #expect(layout.lineWidth <= max(line, 0)) }
  }

  @Test(arguments: 0...120)
  func `no line is wider than the terminal and no column wider than its cells`(line: Int) {
    let natural = [3, 40, 17, 0, 8, 90]
    let columns = natural.map { TableColumn("", alignment: $0 == 8 ? .trailing : .leading) }
    let layout = ColumnLayout(columns: columns, natural: natural, lineWidth: line)
    #expect(layout.lineWidth <= line)
    #expect(zip(layout.widths, natural).allSatisfy { $0 <= $1 })
  }

  @Test
  func `R211: of many columns those are shown that have room for letters, and the others counted`()
  {
    let columns = (0..<300).map { TableColumn("column \($0)") }
    let layout = ColumnLayout(columns: columns, natural: columns.map { _ in 9 }, lineWidth: 80)
    #expect(layout.widths.filter { $0 > 0 }.count == 10)
    #expect(layout.widths.prefix(10).allSatisfy { $0 >= 6 })
    #expect(layout.hiddenColumns == 290 && layout.lineWidth <= 80)
    var table = TableWriter(columns: columns, options: .init(lineWidth: 80, isTerminal: true))
    _ = table.row(columns.map { _ in "123456789" })
    _ = table.end()
    #expect(table.hiddenColumns == 290)
  }

  @Test(arguments: 34...120)
  func `R300: the column that names rows keeps 24 columns while the others shrink`(line: Int) {
    let title = TableColumn("title", minimumWidth: TableColumn.nameMinimumWidth)
    let columns = [Self.numbers, title, TableColumn("key", minimumWidth: .max), Self.words]
    let layout = ColumnLayout(columns: columns, natural: [9, 80, 36, 40], lineWidth: line)
    #expect(layout.widths[1] >= 24 && layout.lineWidth <= line)
    // Many others are hidden sooner than it is narrowed.
    let many = [title] + Array(repeating: Self.words, count: 40)
    let crowded = ColumnLayout(columns: many, natural: many.map { _ in 30 }, lineWidth: line + 20)
    #expect(crowded.widths[0] >= 24 && crowded.hiddenColumns > 20)
  }

  @Test func `a table without columns has no widths`() {
    #expect(ColumnLayout(columns: [], natural: [], lineWidth: 10).widths.isEmpty)
  }
}
