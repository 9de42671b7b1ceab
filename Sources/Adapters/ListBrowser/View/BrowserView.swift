import ResultsDomain
import ResultsPresentation
package import TerminalFrontEnd

/// The drawing of a browser: a pure function from the model to a surface.
package enum BrowserView {
  /// Returns what the terminal shall show.
  /// - Complexity: O(*k* log *n*) for *k* lines.
  package static func surface(of model: BrowserModel) -> Surface {
    var surface = Surface(size: model.size, width: model.setup.width)
    let layout = model.layout
    guard layout.isUsable else {
      let least = BrowserLayout.smallest
      surface.write("at least \(least.columns)x\(least.rows)", line: 0, column: 0)
      surface.write("not \(model.size.columns)x\(model.size.rows)", line: 1, column: 0)
      return surface
    }
    drawTitle(model, layout, &surface)
    drawList(listed(model, layout), layout, &surface)
    drawDetail(model, layout, &surface)
    if let menu = model.menu { drawMenu(menu, layout, &surface, model.setup.width) }
    drawStatus(model, layout, &surface)
    drawHints(model, layout, &surface)
    if let form = model.form { drawForm(form, model, layout, &surface) }
    return surface
  }

  /// Returns a number with a comma between thousands.
  static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }

  /// Draws a text at the end of a line.
  /// - Returns: The column where it begins.
  @discardableResult
  static func drawAtEnd(
    _ text: String,
    line: Int,
    style: Style = Style(),
    _ surface: inout Surface,
    _ width: DisplayWidth
  ) -> Int {
    let column = max(surface.size.columns - width.columns(of: text), 0)
    surface.write(text, line: line, column: column, style: style)
    return column
  }
}

// MARK: - The first line

extension BrowserView {
  private static func drawTitle(
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    let setup = model.setup
    let right = counts(model, layout)
    let end = drawAtEnd(right, line: 0, &surface, setup.width)
    var parts = layout.isNarrow ? [setup.file] : [setup.program, setup.file]
    let order = model.shownFirstRows?.order ?? model.order
    if !layout.isNarrow, !order.words.isEmpty { parts.append(order.words) }
    if !model.choice.filter.isEmpty { parts.append("/\(model.choice.filter)") }
    let left = " " + parts.map(SafeText.oneLine).joined(separator: "  ")
    surface.write(
      left,
      line: 0,
      columns: 0..<max(end - 1, 0),
      style: Style(bold: true)
    )
  }

  private static func counts(_ model: BrowserModel, _ layout: BrowserLayout) -> String {
    let (setup, signs) = (model.setup, model.setup.signs)
    var words: [String] = []
    if let first = model.shownFirstRows {
      let count = "first \(grouped(first.rows.count))"
      words.append(layout.isNarrow ? count : "\(count) \(setup.nouns.many)")
    } else if let list = model.pane.list {
      let shown = grouped(list.count)
      let isLimited = list.matchingCount != list.count
      let count = isLimited ? "\(shown) of \(grouped(list.matchingCount))" : shown
      if layout.isNarrow {
        words.append(count)
      } else {
        let noun = list.count == 1 && !isLimited ? setup.nouns.one : setup.nouns.many
        let sections = list.isSectioned ? " in \(grouped(list.sections.count))" : ""
        words.append("\(count) \(noun)\(sections)")
      }
    }
    switch model.pane.edge {
    case .first: words.append(signs.first + (layout.isNarrow ? "" : " first"))
    case .last: words.append(signs.last + (layout.isNarrow ? "" : " last"))
    case nil: break
    }
    let (sign, name) = state(model)
    words.append(layout.isNarrow ? sign : "\(sign) \(name)")
    return words.joined(separator: layout.isNarrow ? " " : "  ")
  }

  private static func state(_ model: BrowserModel) -> (sign: String, name: String) {
    let signs = model.setup.signs
    if model.failure != nil { return (signs.failed, "failed") }
    if let held = model.held { return (signs.held, "held " + span(model.now - held.since)) }
    if let first = model.shownFirstRows {
      return (signs.opening, "opening " + span(model.now - first.since))
    }
    if model.opening != nil || model.base.list == nil { return (signs.opening, "opening") }
    if let time = model.setup.copyTime { return (signs.held, "copy of \(time)") }
    return model.captureProblems.isEmpty ? (signs.live, "live") : (signs.failed, "compared")
  }

  private static func span(_ time: Duration) -> String {
    let seconds = time.components.seconds
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
  }
}

// MARK: - The last lines

extension BrowserModel {
  /// What the line above the hints says: the last message, else what the browser waits for, else why the list is as it is.
  var statusText: String {
    if let waitingText { return waitingText }
    if !message.isEmpty { return message }
    if let failure { return "\(setup.signs.failed) \(failure)" }
    return heldText.map { "\(setup.signs.held) \($0)" } ?? ""
  }
}

extension BrowserView {
  private static func drawStatus(
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    var right: [String] = []
    let pane = model.pane
    if model.selectsAll {
      right.append("all selected")
    } else if !model.selection.isEmpty {
      right.append("\(grouped(model.selection.count)) selected")
    }
    let hidden = fittedColumns(model, layout).hiddenColumns
    if hidden > 0, !layout.isNarrow {
      right.append("+ \(hidden) \(hidden == 1 ? "column" : "columns"): Enter")
    }
    if model.shownFirstRows == nil, let position = pane.position, let count = pane.list?.count {
      right.append("\(grouped(position + 1))/\(grouped(count))")
    }
    let end = drawAtEnd(
      right.joined(separator: "  "),
      line: layout.statusLine,
      &surface,
      model.setup.width
    )
    let typed = (model.pendingCount.map { "\($0)" } ?? "") + model.pendingKeys.joined()
    let text = SafeText.oneLine(typed.isEmpty ? model.statusText : typed)
    // What to do stands at the end, so a long message loses its middle.
    let room = max(end - 1, 0)
    surface.write(
      " " + model.setup.width.cutMiddle(text, columns: room - 1),
      line: layout.statusLine,
      columns: 0..<room
    )
  }

  private static func drawHints(
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    let line = layout.hintLine
    if let field = model.field { return drawField(field, line, model, &surface) }
    let style = Style(dim: true)
    let isMenu = model.menu != nil
    let last =
      model.menu.map { $0.purpose.hint }
      ?? (layout.isNarrow ? "?" : "? keys")
    let end = drawAtEnd(last, line: line, style: style, &surface, model.setup.width)
    guard !isMenu else { return }
    var hints = model.setup.isVisit ? ["q back"] : []
    hints += BrowserKeymap.hinted.filter { isUseful($0, model) }.compactMap { action in
      hint(for: action, model.setup)
    }
    if model.held != nil { hints.insert(". apply", at: 0) }
    let choice = model.choice
    if choice.sort != nil || choice.sectionBy != nil { hints.insert("- usual order", at: 0) }
    if !choice.filter.isEmpty || choice.commandList != nil || choice.savedList != nil
      || model.opening != nil
    {
      hints.insert("Esc back", at: 0)
    }
    var column = 1
    for hint in hints {
      let width = model.setup.width.columns(of: hint)
      guard column + width + 1 < end else { break }
      surface.write(hint, line: line, column: column, style: style)
      column += width + 2
    }
  }

  /// The key of an action and a word for it.
  private static func hint(for action: BrowserAction, _ setup: BrowserSetup) -> String? {
    switch action {
    case .enter where setup.opensRows: "Enter open"
    default: BrowserKeymap.entries.first { $0.action == action }?.hint
    }
  }

  /// Whether an action can do anything at present.
  private static func isUseful(_ action: BrowserAction, _ model: BrowserModel) -> Bool {
    switch action {
    case .indexTitle: model.pane.cursor != nil && model.pane.hasIndex
    case .previousSection: model.pane.cursor != nil && model.pane.lines.hasHeaders
    case .select, .enter: model.pane.cursor != nil
    case .links: model.setup.hasLinks && !model.setup.opensRows && model.pane.cursor?.isRow == true
    case .sort: !model.setup.sortNames.isEmpty
    case .hold: model.held == nil
    case .edit:
      model.setup.canWrite && !model.setup.fields.isEmpty && model.pane.cursor?.isRow == true
    case .delete: model.setup.canWrite && model.pane.cursor?.isRow == true
    case .undo: model.setup.canWrite
    case .quit: !model.setup.isVisit
    default: true
    }
  }

  private static func drawField(
    _ field: InputField,
    _ line: Int,
    _ model: BrowserModel,
    _ surface: inout Surface
  ) {
    let help = field.purpose == .filter ? "Enter keep  Esc back" : "Enter go  Esc back"
    let end = drawAtEnd(help, line: line, style: Style(dim: true), &surface, model.setup.width)
    let prompt = field.purpose == .filter ? " /" : " :"
    // Of a long text its end is shown, where it is typed.
    var text = SafeText.oneLine(field.text)
    while !text.isEmpty, model.setup.width.columns(of: prompt + text) > end - 2 {
      text.removeFirst()
    }
    let column = surface.write(prompt + text, line: line, column: 0, limit: end - 1)
    surface.cursor = Surface.Position(line: line, column: column)
    surface.showsCursor = true
  }
}
