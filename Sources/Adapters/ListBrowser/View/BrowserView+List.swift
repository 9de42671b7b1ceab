import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

extension BrowserView {
  /// The columns before a row's first text: the cursor, a mark, a blank.
  private static let gutter = 3

  /// Draws the headings, the lines of the list and the index strip.
  static func drawList(_ model: BrowserModel, _ layout: BrowserLayout, _ surface: inout Surface) {
    let pane = model.pane
    let columns = columnRanges(model, layout)
    if let line = layout.headingLine {
      for (column, range) in zip(model.setup.columns, columns) {
        surface.write(
          heading(column, model),
          line: line,
          columns: range,
          alignment: column.alignment,
          style: Style(dim: true)
        )
      }
    }
    if let first = model.shownFirstRows {
      return drawFirstRows(first, columns, model, layout, &surface)
    }
    guard pane.cursor != nil else { return drawEmpty(model, layout, &surface) }
    for (screenLine, line) in layout.listLines.enumerated() {
      guard let item = pane.item(onLine: screenLine) else { break }
      switch item {
      case .group(let section): drawGroup(section, line, model, layout, &surface)
      case .header(let section): drawHeader(section, line, model, layout, &surface)
      case .row(let path): drawRow(path, line, columns, model, layout, &surface)
      }
      if item == pane.cursor, screenLine == pane.line {
        surface.restyle(line: line, columns: layout.listColumns) { $0.isReversed = true }
        surface.cursor = Surface.Position(line: line, column: 0)
      }
    }
    drawStrip(model, layout, &surface)
  }

  /// Draws the first rows of a list that is being opened.
  private static func drawFirstRows(
    _ first: FirstRows,
    _ columns: [Range<Int>],
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    for (line, row) in zip(layout.listLines, first.rows) {
      drawTexts(of: row, line, columns, model, &surface, style: Style())
    }
    let line = layout.listLines.lowerBound
    surface.write(">", line: line, column: layout.listColumns.lowerBound)
    surface.restyle(line: line, columns: layout.listColumns) { $0.isReversed = true }
    surface.cursor = Surface.Position(line: line, column: 0)
  }

  private static func drawTexts(
    of row: Row,
    _ line: Int,
    _ columns: [Range<Int>],
    _ model: BrowserModel,
    _ surface: inout Surface,
    style: Style,
    changed: AttributeSet? = nil,
    running: (column: Int, text: String)? = nil
  ) {
    for (index, range) in columns.enumerated() where !range.isEmpty {
      let column = model.setup.columns[index]
      let text = running?.column == index ? running?.text ?? "" : column.line(row)
      surface.write(text, line: line, columns: range, alignment: column.alignment, style: style)
      guard let changed, let attribute = column.attribute, changed.indexes.contains(attribute)
      else { continue }
      // Only the text is underlined, not the blanks beside it.
      let used = min(model.setup.width.columns(of: text), range.count)
      let isTrailing = column.alignment == .trailing
      let start = isTrailing ? range.upperBound - used : range.lowerBound
      surface.restyle(line: line, columns: start..<start + used) { $0.isUnderlined = true }
    }
  }

  /// The heading of a column, with a sign if the rows are sorted by it.
  private static func heading(_ column: BrowserSetup.Column, _ model: BrowserModel) -> String {
    let (order, signs) = (model.shownFirstRows?.order ?? model.order, model.setup.signs)
    let title = SafeText.oneLine(column.title)
    guard order.column == column.title else { return title }
    return title + (order.isDescending ? signs.descending : signs.ascending)
  }

  /// Returns the columns of the list on the screen; those that have no room are empty.
  private static func columnRanges(_ model: BrowserModel, _ layout: BrowserLayout) -> [Range<Int>] {
    let columns = model.setup.columns
    let fitted = fittedColumns(model, layout)
    let room = max(layout.listColumns.count - gutter, 0)
    var widths = fitted.widths
    // What is left over belongs to the names of rows, or to the first column of words, so that the line is filled.
    let rest = room - fitted.lineWidth
    let words = columns.indices.filter { columns[$0].alignment == .leading }
    let widest = words.contains(model.setup.titleColumn) ? model.setup.titleColumn : words.first
    if rest > 0, let widest, widths[widest] > 0 { widths[widest] += rest }
    var start = layout.listColumns.lowerBound + gutter
    return widths.map { width in
      defer { start += width > 0 ? width + ColumnLayout.gap : 0 }
      return start..<start + width
    }
  }

  /// Returns the widths of the columns on the screen.
  static func fittedColumns(_ model: BrowserModel, _ layout: BrowserLayout) -> ColumnLayout {
    let columns = model.setup.columns
    return ColumnLayout(
      columns: columns.map {
        TableColumn($0.title, alignment: $0.alignment, minimumWidth: $0.minimumWidth)
      },
      natural: zip(columns, model.naturalWidths).map { column, natural in
        max(natural, model.setup.width.columns(of: heading(column, model)))
      },
      lineWidth: max(layout.listColumns.count - gutter, 0)
    )
  }

  private static func drawEmpty(
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    guard model.pane.list != nil else { return }
    let noun = model.setup.nouns.many
    var texts = [
      "No \(noun) match “\(model.choice.filter)”: Esc shows all.",
      "A word is searched in what is shown; all:word searches everything.",
    ]
    if model.choice.filter.isEmpty {
      texts = ["There are no \(noun)."]
      if model.setup.canWrite {
        if !model.setup.fields.isEmpty { texts.append("a  \(model.addingTitle)") }
        texts += model.offeredCommands.filter { $0.key != nil && $0.writes && $0.scope == .list }
          .map { "\($0.keyText)  \($0.title)" }
      }
    }
    let first = layout.listLines.lowerBound + min(1, layout.listLines.count - 1)
    for (line, text) in zip(first..<layout.listLines.upperBound, texts) {
      surface.write(SafeText.oneLine(text), line: line, columns: 3..<surface.size.columns)
    }
  }

  // MARK: - Lines

  private static func drawHeader(
    _ section: Int,
    _ line: Int,
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    let (pane, signs, width) = (model.pane, model.setup.signs, model.setup.width)
    guard let header = pane.header(section) else { return }
    let (start, end) = (layout.listColumns.lowerBound, layout.listColumns.upperBound)
    let style = Style(bold: true)
    let count = pane.lines.rowCount(inSection: section)
    let isClosed = pane.lines.isFolded(section) || count == 0 && (header.matchingCount ?? 0) > 0
    let sign = isClosed ? signs.folded : signs.open
    surface.write(sign, line: line, column: start, limit: end, style: style)
    if pane.cursor == .header(section) {
      surface.write(">", line: line, column: start + width.columns(of: sign), limit: end)
    }
    var tail = " " + grouped(count)
    if let all = header.matchingCount, all != count { tail += " of \(grouped(all))" }
    if !header.aggregates.isEmpty {
      let sums = SafeText.oneLine(model.setup.aggregates(header.aggregates))
      tail = " " + sums + " " + tail
    }
    if let count = pane.marks.counts[header.id] {
      tail += "  " + (count.change > 0 ? "+" : signs.minus) + grouped(Int(count.change.magnitude))
    }
    let tailColumn = max(end - width.columns(of: tail), start + 2)
    let most = BrowserSetup.Column.mostScalars
    let title = header.title.isEmpty ? "(none)" : SafeText.oneLine(header.title, atMost: most)
    let fitted = width.cut(title, columns: max(tailColumn - start - 3, 1))
    var column = surface.write(fitted, line: line, column: start + 2, limit: end, style: style) + 1
    while column < tailColumn {
      column = surface.write(signs.rule, line: line, column: column, style: Style(dim: true))
    }
    surface.write(tail, line: line, column: tailColumn, limit: end)
  }

  private static func drawGroup(
    _ section: Int,
    _ line: Int,
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    let (pane, signs, width) = (model.pane, model.setup.signs, model.setup.width)
    guard let header = pane.group(ofSection: section)?.header else { return }
    let (start, end) = (layout.listColumns.lowerBound, layout.listColumns.upperBound)
    let style = Style(bold: true, underlined: true)
    let sign = pane.isGroupFolded(section) ? signs.folded : signs.open
    surface.write(sign, line: line, column: start, limit: end, style: Style(bold: true))
    if pane.cursor == .group(section) {
      surface.write(">", line: line, column: start + width.columns(of: sign), limit: end)
    }
    let sums = SafeText.oneLine(model.setup.aggregates(header.aggregates))
    let tail = (sums.isEmpty ? " " : " " + sums + "  ") + grouped(header.rowCount)
    let tailColumn = max(end - width.columns(of: tail), start + 2)
    let most = BrowserSetup.Column.mostScalars
    let title = header.title.isEmpty ? "(none)" : SafeText.oneLine(header.title, atMost: most)
    let fitted = width.cut(title, columns: max(tailColumn - start - 3, 1))
    surface.write(fitted, line: line, column: start + 2, limit: end, style: style)
    surface.write(tail, line: line, column: tailColumn, limit: end)
  }

  private static func drawRow(
    _ path: RowPath,
    _ line: Int,
    _ columns: [Range<Int>],
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    let pane = model.pane
    let start = layout.listColumns.lowerBound
    if pane.cursor == .row(path) { surface.write(">", line: line, column: start) }
    guard let position = pane.lines.position(of: path), let row = pane.rows[position]?.content
    else {
      surface.write(model.setup.signs.unread, line: line, column: start + gutter)
      return
    }
    let mark = pane.marks.rows[row.id]
    let isSelected = model.selectsAll || model.selection.contains(row.id)
    var (sign, style) = look(of: mark, isSelected: isSelected, model)
    if mark == nil, model.setup.isDimmed(row) { style.isDim = true }
    surface.write(sign, line: line, column: start + 1, limit: start + 2, style: style)
    drawTexts(
      of: row,
      line,
      columns,
      model,
      &surface,
      style: style,
      changed: mark?.changed,
      running: model.runningText(at: position)
    )
    if let origin = mark?.origin, !origin.isEmpty {
      drawOrigin(origin, of: row, line, columns, model, &surface)
    }
  }

  /// Writes after the first column of words from which section a row came, if there is room.
  private static func drawOrigin(
    _ origin: String,
    of row: Row,
    _ line: Int,
    _ columns: [Range<Int>],
    _ model: BrowserModel,
    _ surface: inout Surface
  ) {
    let all = zip(model.setup.columns, columns)
    guard let (column, range) = all.first(where: { $0.alignment == .leading && !$1.isEmpty }) else {
      return
    }
    let width = model.setup.width
    let used = width.columns(of: column.line(row))
    let room = range.count - used - 1
    guard room >= 8 else { return }
    surface.write(
      width.cut("from " + SafeText.oneLine(origin), columns: room),
      line: line,
      column: range.lowerBound + used + 1,
      limit: range.upperBound,
      style: Style(dim: true)
    )
  }

  /// Returns the sign and the style of a row: what changed lately, else whether it is selected.
  private static func look(
    of mark: ChangeMarks.Mark?,
    isSelected: Bool,
    _ model: BrowserModel
  ) -> (sign: String, style: Style) {
    guard let mark else { return (isSelected ? "*" : " ", Style()) }
    let isBright = model.now - mark.time < ChangeMarks.brightTime(of: model.setup.markTime)
    switch mark.kind {
    case .inserted: return ("+", isBright ? .inserted : Style())
    case .updated: return ("~", isBright ? .updated : Style())
    case .moved: return (model.setup.signs.moved, isBright ? .moved : Style())
    }
  }

  // MARK: - The index strip

  private static func drawStrip(
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    guard let columns = layout.stripColumns, let list = model.pane.list, list.count > 0 else {
      return
    }
    let height = layout.listLines.count
    guard model.pane.hasIndex, let titles = model.pane.indexTitles else {
      guard model.pane.lines.count > height else { return }
      let present = (model.pane.position ?? 0) * (height - 1) / max(list.count - 1, 1)
      for (index, line) in layout.listLines.enumerated() {
        let sign = index == present ? model.setup.signs.thumb : model.setup.signs.track
        surface.write(sign, line: line, column: columns.lowerBound + 1, style: Style(dim: true))
      }
      return
    }
    let strip = IndexStrip(titles, section: model.pane.cursor?.section ?? 0, height: height)
    for (index, letter) in strip.letters.enumerated() {
      surface.write(
        letter,
        line: layout.listLines.lowerBound + index,
        column: columns.lowerBound,
        limit: columns.upperBound,
        style: Style(dim: index != strip.present, reversed: index == strip.present)
      )
    }
  }
}
