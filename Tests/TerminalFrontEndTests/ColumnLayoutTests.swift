import Testing

@testable import TerminalFrontEnd

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

  @Test func `a table without columns has no widths`() {
    #expect(ColumnLayout(columns: [], natural: [], lineWidth: 10).widths.isEmpty)
  }
}
