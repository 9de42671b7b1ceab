import TerminalFrontEnd

/// Where the parts of the screen are, for a size.
struct BrowserLayout: Hashable, Sendable {
  /// The least size in which a list can be shown.
  static let smallest = TerminalSize(columns: 20, rows: 4)

  let size: TerminalSize
  /// The line of the headings, or `nil` on a narrow screen.
  let headingLine: Int?
  /// The lines of the list.
  let listLines: Range<Int>
  /// The columns of the list, without the index strip.
  let listColumns: Range<Int>
  /// The columns of the index strip, or `nil` on a narrow screen.
  let stripColumns: Range<Int>?
  /// The lines and the columns of the detail pane, if it is open.
  let detail: (lines: Range<Int>, columns: Range<Int>)?

  /// The line of the last message, above the hints.
  var statusLine: Int { size.rows - 2 }
  /// The line of the hints.
  var hintLine: Int { size.rows - 1 }
  /// Whether there is room for a list at all.
  var isUsable: Bool {
    size.columns >= BrowserLayout.smallest.columns && size.rows >= BrowserLayout.smallest.rows
  }
  /// Whether headings, strip and long titles are left out.
  var isNarrow: Bool { size.columns < 60 }

  init(size: TerminalSize, hasDetail: Bool, hasStrip: Bool) {
    self.size = size
    let isNarrow = size.columns < 60
    headingLine = isNarrow || size.rows < 8 ? nil : 1
    var lines = (headingLine == nil ? 1 : 2)..<max(size.rows - 2, headingLine == nil ? 2 : 3)
    var columns = 0..<size.columns
    switch (hasDetail, size) {
    case (false, _): detail = nil
    case (true, _) where size.rows < 18:
      detail = (lines, columns)
      lines = lines.lowerBound..<lines.lowerBound + 1
    case (true, _) where size.columns >= 120:
      let start = size.columns * 6 / 10
      detail = (lines, start..<size.columns)
      columns = 0..<start - 2
    default:
      let start = lines.upperBound - lines.count * 4 / 10
      detail = (start..<lines.upperBound, columns)
      lines = lines.lowerBound..<start
    }
    listLines = lines
    stripColumns = isNarrow || !hasStrip ? nil : columns.upperBound - 2..<columns.upperBound
    listColumns = stripColumns.map { columns.lowerBound..<$0.lowerBound - 1 } ?? columns
  }

  static func == (left: BrowserLayout, right: BrowserLayout) -> Bool {
    left.size == right.size && left.listLines == right.listLines
      && left.listColumns == right.listColumns
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(listLines)
  }
}

extension BrowserModel {
  /// Where the parts of the screen are.
  var layout: BrowserLayout {
    BrowserLayout(size: size, hasDetail: detail != nil, hasStrip: true)
  }

  /// Gives the lists the lines that the layout leaves for them.
  mutating func fit() {
    let height = layout.listLines.count
    base.resize(to: height)
    derived?.resize(to: height)
  }
}
