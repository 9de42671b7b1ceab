/// A writer of sections and rows, as a table for people or as lines for programs.
///
/// The writer is pure: each call returns the text to print now. An aligned table measures its first rows before it
/// prints them, so the first calls return nothing; memory stays bounded for lists of any length. The other formats
/// print at once and are lossless: complete values, no style, and on request a column with the section's title.
///
/// ```swift
/// var writer = TableWriter(columns: [TableColumn("title"), TableColumn("year", alignment: .trailing)])
/// print(writer.section(title: "岩波書店", count: 1), terminator: "")
/// print(writer.row(["こころ", "1914"]), terminator: "")
/// print(writer.end(), terminator: "")
/// ```
package struct TableWriter: Sendable {
  /// The options of a writer, apart from the columns.
  package struct Options: Hashable, Sendable {
    /// The format.
    package var format: TableFormat
    /// The width of the terminal, or `nil` if nothing may be truncated.
    package var lineWidth: Int?
    /// Whether styles are written as escape sequences.
    package var isColored: Bool
    /// Whether the text goes to a terminal, so that control characters have to be made visible in every format.
    package var isTerminal: Bool
    /// The measure of widths.
    package var width: DisplayWidth
    /// The heading of the section column in the line formats, or `nil` for no such column.
    package var sectionHeading: String?
    /// The heading of the group column in the line formats, or `nil` for a list without groups of sections.
    package var groupHeading: String?
    /// The number of rows to measure before the first is printed.
    package var measuredRows: Int

    /// Creates options; by default a table for a pipe, without colour.
    package init(
      format: TableFormat = .table,
      lineWidth: Int? = nil,
      isColored: Bool = false,
      isTerminal: Bool = false,
      width: DisplayWidth = DisplayWidth(),
      sectionHeading: String? = nil,
      groupHeading: String? = nil,
      measuredRows: Int = 500
    ) {
      self.format = format
      self.lineWidth = lineWidth
      self.isColored = isColored
      self.isTerminal = isTerminal
      self.width = width
      self.sectionHeading = sectionHeading
      self.groupHeading = groupHeading
      self.measuredRows = measuredRows
    }
  }

  private let columns: [TableColumn]
  private let options: Options
  private var aligned: AlignedTable
  private var groupTitle = ""
  private var sectionTitle = ""
  private var hasBegun = false

  /// Creates a writer for a list with these columns.
  package init(columns: [TableColumn], options: Options = Options()) {
    self.columns = columns
    self.options = options
    aligned = AlignedTable(columns: columns, options: options)
  }

  /// Begins a group of sections.
  /// - Parameters:
  ///   - title: The group's title; an empty one is shown as `(none)` in a table.
  ///   - detail: A text for the end of the header, such as numbers and sums.
  /// - Returns: The text to print now.
  package mutating func group(title: String, detail: String) -> String {
    guard options.format == .table else {
      groupTitle = title
      return begin()
    }
    return aligned.group(title: title, detail: detail)
  }

  /// Begins a section.
  /// - Parameters:
  ///   - title: The section's title; an empty one is shown as `(none)` in a table.
  ///   - count: The number of rows that follow, or `nil` to omit it.
  ///   - total: The number of rows of the section, if not all of them follow.
  ///   - aggregate: A text for the end of the header, such as a sum.
  /// - Returns: The text to print now.
  package mutating func section(
    title: String,
    count: Int? = nil,
    total: Int? = nil,
    aggregate: String? = nil
  ) -> String {
    guard options.format == .table else {
      sectionTitle = title
      return begin()
    }
    return aligned.section(title: title, count: count, total: total, aggregate: aggregate)
  }

  /// Writes one row; missing cells are empty, surplus cells are dropped.
  /// - Returns: The text to print now.
  /// - Complexity: O(*n*) in the bytes of the row.
  package mutating func row(_ cells: [String]) -> String {
    guard options.format == .table else {
      let group = options.groupHeading == nil ? [] : [groupTitle]
      let section = group + (options.sectionHeading == nil ? [] : [sectionTitle])
      let padding = Array(repeating: "", count: max(columns.count - cells.count, 0))
      return begin() + line(section + cells.prefix(columns.count) + padding)
    }
    return aligned.row(cells)
  }

  /// Ends the list.
  /// - Returns: The text to print now.
  package mutating func end() -> String {
    options.format == .table ? aligned.end() : begin()
  }

  /// The number of columns that the table does not show because the terminal is too narrow; known once rows are printed.
  package var hiddenColumns: Int { aligned.hiddenColumns }

  private mutating func begin() -> String {
    guard !hasBegun else { return "" }
    hasBegun = true
    guard options.format != .plain else { return "" }
    let section = [options.groupHeading, options.sectionHeading].compactMap(\.self)
    return line(section + columns.map(\.title))
  }

  private func line(_ cells: [String]) -> String {
    let isCSV = options.format == .csv
    let texts = cells.map { cell in
      if isCSV { return quoted(options.isTerminal ? SafeText.lines(cell) : cell) }
      let escaped = SafeText.escaped(cell)
      return options.isTerminal ? SafeText.oneLine(escaped) : escaped
    }
    // A single empty cell would be an empty line, which parsers skip.
    if isCSV, texts == [""] { return "\"\"\n" }
    return texts.joined(separator: isCSV ? "," : "\t") + "\n"
  }

  private func quoted(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains {
      $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D
    }
    guard needsQuotes else { return cell }
    // Scalars, not clusters: a combining mark must not hide the quote before it.
    let inner = cell.unicodeScalars.reduce(into: "") { result, scalar in
      result.unicodeScalars.append(scalar)
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
    }
    return "\"" + inner + "\""
  }
}

/// The format of a list.
package enum TableFormat: String, CaseIterable, Hashable, Sendable {
  /// Aligned columns with section headers, for people.
  case table
  /// Tab-separated values without headings, one row per line.
  case plain
  /// Tab-separated values with a line of headings.
  case tsv
  /// Comma-separated values with a line of headings (RFC 4180, lines ending in LF).
  case csv
}

/// A column of a table: its heading and the alignment of its cells.
package struct TableColumn: Hashable, Sendable {
  /// The heading.
  package var title: String
  /// The alignment of the cells; numbers are trailing.
  package var alignment: TextAlignment
  /// The width below which the column does not shrink while others still can.
  package var minimumWidth: Int

  /// The minimum width of a column that may be truncated.
  package static let usualMinimumWidth = 6
  /// The minimum width of the column whose texts name rows.
  package static let nameMinimumWidth = 24

  /// Creates a column with a heading; with `.max` as its minimum width, it is truncated after all others only.
  package init(
    _ title: String,
    alignment: TextAlignment = .leading,
    minimumWidth: Int = TableColumn.usualMinimumWidth
  ) {
    self.title = title
    self.alignment = alignment
    self.minimumWidth = minimumWidth
  }
}

/// The state of an aligned table, which buffers lines until the column widths are known.
private struct AlignedTable: Sendable {
  private enum Line: Sendable {
    case group(title: String, detail: String)
    case section(title: String, detail: String)
    case row([String])
  }

  private let columns: [TableColumn]
  private let options: TableWriter.Options
  private var buffered: [Line] = []
  private var bufferedRows = 0
  private var natural: [Int]
  private var layout: ColumnLayout?
  private var hasSections = false
  private var hasLines = false
  private var followsGroup = false

  /// The blanks before a row: two for each level above it.
  private var rowIndent: String {
    guard hasSections else { return "" }
    return options.groupHeading == nil
      ? AlignedTable.indent : AlignedTable.indent + AlignedTable.indent
  }

  init(columns: [TableColumn], options: TableWriter.Options) {
    self.columns = columns
    self.options = options
    natural = columns.map { options.width.columns(of: $0.title) }
  }

  mutating func group(title: String, detail: String) -> String {
    add(
      .group(
        title: title.isEmpty ? "(none)" : SafeText.oneLine(title),
        detail: SafeText.oneLine(detail)
      )
    )
  }

  mutating func section(title: String, count: Int?, total: Int?, aggregate: String?) -> String {
    hasSections = true
    let counted = count.map { count in
      total.flatMap { $0 == count ? nil : "(\(count) of \($0))" } ?? "(\(count))"
    }
    let detail = [counted, aggregate.map(SafeText.oneLine)].compactMap(\.self)
    return add(
      .section(
        title: title.isEmpty ? "(none)" : SafeText.oneLine(title),
        detail: detail.joined(separator: "  ")
      )
    )
  }

  mutating func row(_ cells: [String]) -> String {
    let safe = columns.indices.map { $0 < cells.count ? shown(cells[$0]) : "" }
    if layout == nil {
      for index in safe.indices {
        natural[index] = max(natural[index], options.width.columns(of: safe[index]))
      }
      bufferedRows += 1
    }
    return add(.row(safe))
  }

  var hiddenColumns: Int { layout?.hiddenColumns ?? 0 }

  /// A cell as one line; where cells are cut anyway, a long one is cut before it is measured.
  private func shown(_ cell: String) -> String {
    guard let width = options.lineWidth else { return SafeText.oneLine(cell) }
    return SafeText.oneLine(cell, atMost: max(AlignedTable.mostScalars, 4 * width))
  }

  /// The scalars of a cell of which no more than a line is shown.
  private static let mostScalars = 4096

  mutating func end() -> String {
    layout == nil ? release() : ""
  }

  private mutating func add(_ line: Line) -> String {
    if layout != nil { return text(of: line) }
    buffered.append(line)
    return bufferedRows < options.measuredRows ? "" : release()
  }

  private mutating func release() -> String {
    let indent = rowIndent.utf8.count
    layout = ColumnLayout(
      columns: columns,
      natural: natural,
      lineWidth: options.lineWidth.map { max($0 - indent, 1) }
    )
    guard !buffered.isEmpty else { return "" }
    let heading = styled(rowText(columns.map(\.title)), .secondary) + "\n"
    let lines = buffered
    buffered = []
    return lines.reduce(into: heading) { $0 += text(of: $1) }
  }

  private mutating func text(of line: Line) -> String {
    defer { hasLines = true }
    switch line {
    case .row(let cells): return rowText(cells) + "\n"
    case .group(let title, let detail):
      // Sections stand below their group, and the first one next to it.
      followsGroup = true
      return (hasLines ? "\n" : "") + sectionText(title, detail) + "\n"
    case .section(let title, let detail):
      let gap = hasLines && !followsGroup ? "\n" : ""
      followsGroup = false
      return gap + sectionText(title, detail, indent: options.groupHeading != nil) + "\n"
    }
  }

  private static let indent = "  "

  private func rowText(_ cells: [String]) -> String {
    let widths = layout?.widths ?? natural
    let shown = cells.indices.filter { widths[$0] > 0 }
    let fields = shown.map { index in
      // No padding after the last column.
      if index == shown.last, columns[index].alignment == .leading {
        return options.lineWidth == nil
          ? cells[index] : options.width.cut(cells[index], columns: widths[index])
      }
      if options.lineWidth == nil, options.width.columns(of: cells[index]) > widths[index] {
        return cells[index]
      }
      return options.width.fit(
        cells[index],
        columns: widths[index],
        alignment: columns[index].alignment
      )
    }
    let gap = String(repeating: " ", count: ColumnLayout.gap)
    let line = rowIndent + fields.joined(separator: gap)
    // No spaces after the last cell with text.
    let blanks = line.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
    return String(line.dropLast(blanks))
  }

  private func sectionText(_ title: String, _ detail: String, indent isIndented: Bool = false)
    -> String
  {
    let indent = isIndented ? AlignedTable.indent : ""
    let width = options.lineWidth.map { $0 - indent.utf8.count }
    let detail = width.map { options.width.cut(detail, columns: $0 / 2) } ?? detail
    let room = width.map { $0 - options.width.columns(of: detail) - 2 }
    let shown = room.map { options.width.cut(title, columns: max($0, 1)) } ?? title
    guard !detail.isEmpty else { return indent + styled(shown, .sectionTitle) }
    return indent + styled(shown, .sectionTitle) + "  " + styled(detail, .secondary)
  }

  private func styled(_ text: String, _ style: Style) -> String {
    options.isColored ? style.applied(to: text) : text
  }
}
