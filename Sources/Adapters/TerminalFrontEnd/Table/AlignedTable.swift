/// The state of an aligned table: lines wait until the widths are known.
struct AlignedTable: Sendable {
  private enum Line: Sendable {
    case section(title: String, detail: String)
    case row([String])
  }

  private let columns: [TableColumn]
  private let options: TableWriter.Options
  private var waiting: [Line] = []
  private var waitingRows = 0
  private var natural: [Int]
  private var layout: ColumnLayout?
  private var hasSections = false
  private var hasLines = false

  init(columns: [TableColumn], options: TableWriter.Options) {
    self.columns = columns
    self.options = options
    natural = columns.map { options.width.columns(of: $0.title) }
  }

  mutating func section(title: String, count: Int?, aggregate: String?) -> String {
    hasSections = true
    let counted = count.map { "(\($0))" }
    let detail = [counted, aggregate.map(SafeText.oneLine)].compactMap(\.self)
    return add(
      .section(
        title: title.isEmpty ? "(none)" : SafeText.oneLine(title),
        detail: detail.joined(separator: "  ")
      )
    )
  }

  mutating func row(_ cells: [String]) -> String {
    let safe = columns.indices.map { $0 < cells.count ? SafeText.oneLine(cells[$0]) : "" }
    if layout == nil {
      for index in safe.indices {
        natural[index] = max(natural[index], options.width.columns(of: safe[index]))
      }
      waitingRows += 1
    }
    return add(.row(safe))
  }

  mutating func end() -> String {
    layout == nil ? release() : ""
  }

  private mutating func add(_ line: Line) -> String {
    if layout != nil { return text(of: line) }
    waiting.append(line)
    return waitingRows < options.measuredRows ? "" : release()
  }

  private mutating func release() -> String {
    let indent = hasSections ? AlignedTable.indent.utf8.count : 0
    layout = ColumnLayout(
      columns: columns,
      natural: natural,
      lineWidth: options.lineWidth.map { max($0 - indent, 1) }
    )
    guard !waiting.isEmpty else { return "" }
    let heading = styled(rowText(columns.map(\.title)), .secondary) + "\n"
    let lines = waiting
    waiting = []
    return lines.reduce(into: heading) { $0 += text(of: $1) }
  }

  private mutating func text(of line: Line) -> String {
    defer { hasLines = true }
    switch line {
    case .row(let cells): return rowText(cells) + "\n"
    case .section(let title, let detail):
      return (hasLines ? "\n" : "") + sectionText(title, detail) + "\n"
    }
  }

  private static let indent = "  "

  private func rowText(_ cells: [String]) -> String {
    let widths = layout?.widths ?? natural
    let shown = cells.indices.filter { widths[$0] > 0 }
    let fields = shown.map { index in
      // Padding after the last column would only make lines long.
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
    let line = (hasSections ? AlignedTable.indent : "") + fields.joined(separator: gap)
    // Blanks after the last cell with text would only make lines long.
    let blanks = line.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
    return String(line.dropLast(blanks))
  }

  private func sectionText(_ title: String, _ detail: String) -> String {
    let detail = options.lineWidth.map { options.width.cut(detail, columns: $0 / 2) } ?? detail
    let room = options.lineWidth.map { $0 - options.width.columns(of: detail) - 2 }
    let shown = room.map { options.width.cut(title, columns: max($0, 1)) } ?? title
    guard !detail.isEmpty else { return styled(shown, .sectionTitle) }
    return styled(shown, .sectionTitle) + "  " + styled(detail, .secondary)
  }

  private func styled(_ text: String, _ style: Style) -> String {
    options.isColored ? style.applied(to: text) : text
  }
}
