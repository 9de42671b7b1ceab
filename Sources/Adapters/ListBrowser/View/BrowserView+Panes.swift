import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

extension BrowserView {
  /// Draws all values of the row under the cursor, if the pane is open.
  static func drawDetail(
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    guard let shown = model.detail, let (lines, columns) = layout.detail else { return }
    let (setup, width) = (model.setup, model.setup.width)
    for line in lines { surface.write("", line: line, columns: columns) }
    if layout.size.columns >= 120 {
      for line in lines { surface.write("│", line: line, column: columns.lowerBound - 1) }
    }
    guard let row = model.pane.cursorRow else {
      surface.write("No row.", line: lines.lowerBound, columns: columns)
      return
    }
    let rule = setup.signs.rule
    let title =
      "\(rule)\(rule) \(setup.title(of: row)) \(rule) \(SafeText.oneLine(row.id.description)) "
    var column = surface.write(
      width.cut(title, columns: columns.count),
      line: lines.lowerBound,
      column: columns.lowerBound,
      style: Style(bold: shown.hasFocus)
    )
    while column < columns.upperBound {
      column = surface.write(rule, line: lines.lowerBound, column: column, style: Style(dim: true))
    }
    let all = detailLines(of: row, model, columns.count)
    let room = lines.count - 1
    let top = min(shown.top, max(all.count - room, 0))
    if all.count > room {
      let part = " \(top + 1)–\(min(top + room, all.count)) of \(all.count), Tab scrolls"
      let start = columns.upperBound - width.columns(of: part)
      if start > columns.lowerBound + columns.count / 2 {
        surface.write(part, line: lines.lowerBound, column: start, limit: columns.upperBound)
      }
    }
    for (index, entry) in all.dropFirst(top).prefix(room).enumerated() {
      surface.write(
        entry.text,
        line: lines.lowerBound + 1 + index,
        columns: columns,
        style: Style(underlined: entry.isChanged)
      )
    }
  }

  /// Returns the lines of the detail pane: names, and values that have their own lines and wrap.
  private static func detailLines(
    of row: Row,
    _ model: BrowserModel,
    _ columns: Int
  ) -> [(text: String, isChanged: Bool)] {
    let (setup, width) = (model.setup, model.setup.width)
    let mark = model.pane.marks.rows[row.id]
    let names = min(setup.details.map { width.columns(of: $0.title) }.max() ?? 0, columns / 3)
    let room = max(columns - names - 5, 1)
    let related = model.relatedDetails.flatMap { $0.id == row.id ? $0.lines : nil } ?? []
    let known = setup.details.map { detail in
      let isChanged =
        detail.attribute.flatMap { index in mark?.changed?.indexes.contains(index) } ?? false
      return (title: detail.title, text: detail.text(row), isChanged: isChanged)
    }
    // All of it is laid out again for every frame.
    var rest = mostDetailScalars
    return (known + related.map { (title: $0.title, text: $0.text, isChanged: false) })
      .flatMap { detail in
        let text = SafeText.lines(detail.text, atMost: max(rest, BrowserSetup.mostTitleScalars))
        rest -= text.unicodeScalars.count
        let paragraphs = text.unicodeScalars.split(
          separator: "\n",
          omittingEmptySubsequences: false
        )
        let lines = paragraphs.flatMap { wrapped(String($0), room, width) }
        return lines.enumerated().map { index, line in
          let name = width.fit(
            index == 0 ? SafeText.oneLine(detail.title) : "",
            columns: names
          )
          return ("  \(name)  \(line)", detail.isChanged)
        }
      }
  }

  /// The scalars that the values of a row can have in the detail pane; of a longer row the ends of values are left out.
  static let mostDetailScalars = 131_072

  /// Returns a text in lines of at most a number of columns.
  private static func wrapped(_ text: String, _ columns: Int, _ width: DisplayWidth) -> [String] {
    var lines = [""]
    var used = 0
    for cluster in text {
      let needed = width.columns(of: cluster)
      if used + needed > columns, used > 0 {
        lines.append("")
        used = 0
      }
      lines[lines.count - 1].append(cluster)
      used += needed
    }
    return lines
  }

  /// Draws a menu over the list.
  static func drawMenu(
    _ menu: Menu,
    _ layout: BrowserLayout,
    _ surface: inout Surface,
    _ measure: DisplayWidth
  ) {
    let lines =
      layout.listLines.lowerBound - (layout.headingLine == nil ? 0 : 1)..<layout.statusLine
    let columns = 0..<layout.size.columns
    for line in lines { surface.write("", line: line, columns: columns) }
    let column = surface.write(
      "  \(menu.title): \(SafeText.oneLine(menu.typed))",
      line: lines.lowerBound,
      column: 0,
      limit: columns.upperBound - 1,
      style: Style(bold: true)
    )
    surface.cursor = Surface.Position(line: lines.lowerBound, column: column)
    surface.showsCursor = true
    let items = menu.items
    let room = lines.count - 1
    let top = min(max(menu.index - room / 2, 0), max(items.count - room, 0))
    // Beside notes there is room for the longer part; a text alone has the whole line.
    let hasNotes = items.contains { !$0.note.isEmpty }
    let widest = min(
      items.map { measure.columns(of: $0.text) }.max() ?? 0,
      menu.purpose == .help ? 14 : hasNotes ? columns.count * 2 / 3 : max(columns.count - 3, 0)
    )
    if items.isEmpty, room > 0 {
      let noun = menu.purpose == .help ? "No key does" : "Nothing here contains"
      let text = "\(noun) “\(SafeText.oneLine(menu.typed))”: Backspace, or Esc back."
      surface.write(text, line: lines.lowerBound + 1, columns: 3..<layout.size.columns)
    }
    for (index, item) in items.dropFirst(top).prefix(room).enumerated() {
      let line = lines.lowerBound + 1 + index
      let isPresent = top + index == menu.index
      let note = item.note.isEmpty ? "" : "  \(item.note)"
      let text = "\(isPresent ? ">" : " ")  \(measure.fit(item.text, columns: widest))\(note)"
      surface.write(
        text,
        line: line,
        columns: columns,
        style: Style(reversed: isPresent)
      )
    }
  }
}
