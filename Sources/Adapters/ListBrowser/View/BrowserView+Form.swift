import ResultsDomain
import TerminalFrontEnd

extension BrowserView {
  /// Returns the number of fields side by side in a form on a screen.
  static func formColumns(_ form: BrowserForm, _ size: TerminalSize) -> Int {
    FormBox.columns(entries: form.entries.count, width: size.columns - 4)
  }

  /// Returns the model whose list is drawn: above an open form the cursor's row stays in sight.
  static func listed(_ model: BrowserModel, _ layout: BrowserLayout) -> BrowserModel {
    guard let form = model.form, let frame = frame(of: form, model, layout) else { return model }
    let room = frame.top(layout) - layout.listLines.lowerBound
    guard room > 1, model.pane.line >= room else { return model }
    var listed = model
    listed.pane.put(model.pane.cursor, onLine: room - 1)
    return listed
  }

  /// Draws the open form over the lower part of the list, or over the whole screen where that is small.
  static func drawForm(
    _ form: BrowserForm,
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    guard let frame = frame(of: form, model, layout) else { return }
    frame.draw(layout, model.setup.width, &surface)
    drawFormHints(form, model, layout, &surface)
  }

  /// Returns the frame of a form; `nil` for one that is not shown yet.
  private static func frame(
    of form: BrowserForm,
    _ model: BrowserModel,
    _ layout: BrowserLayout
  ) -> FormFrame? {
    let measure = model.setup.width
    let width = layout.size.columns - 4
    var title = form.title
    var footer = model.landingText ?? ""
    let box: FormBox
    switch form.phase {
    case .opening: return nil
    case .inEditor where form.usesEditor: return nil
    case .editing, .saving, .inEditor: box = FormBox(fieldsOf: form, width: width, measure)
    case .conflict(let conflict, _):
      footer = ""
      (title, box) = conflictBox(conflict, form, model, width)
    }
    return FormFrame(form, box, title: title, footer: footer, model.setup.signs)
  }

  private static func conflictBox(
    _ conflict: FormConflict,
    _ form: BrowserForm,
    _ model: BrowserModel,
    _ width: Int
  ) -> (title: String, FormBox) {
    let measure = model.setup.width
    let what = form.title.hasPrefix("edit ") ? String(form.title.dropFirst(5)) : form.title
    switch conflict {
    case .changed(let fields, _):
      return (
        "\(what): changed by others meanwhile",
        FormBox(versions: fields, of: form, width: width, measure)
      )
    case .deleted:
      let text = "Others have deleted this \(model.setup.nouns.one) while you edited it."
      return ("\(what): deleted meanwhile", FormBox(text: text, width: width, measure))
    case .several(let changed, _):
      let count = "\(grouped(changed)) of \(grouped(form.begun.count)) \(model.setup.nouns.many)"
      let text =
        "\(count) were changed or deleted by others in these fields while you edited them."
        + " Nothing has been written."
      return ("\(count) changed meanwhile", FormBox(text: text, width: width, measure))
    }
  }

  private static func drawFormHints(
    _ form: BrowserForm,
    _ model: BrowserModel,
    _ layout: BrowserLayout,
    _ surface: inout Surface
  ) {
    let style = Style(dim: true)
    var hints: [String]
    var right = ""
    switch form.phase {
    case .conflict(.changed, _): hints = ["m merge", "o write mine", "t keep theirs", "Esc back"]
    case .conflict(.deleted, _): hints = ["a add it again", "Esc back"]
    case .conflict(.several, _): hints = ["s skip those", "o overwrite", "Esc back"]
    case .saving:
      let text = model.waitingText ?? "saving…"
      hints = [model.setup.width.cutMiddle(text, columns: layout.size.columns - 3)]
    default:
      hints = ["Enter save", "Esc back", "Tab next field", "^E in $EDITOR", "^R restore field"]
      let count = form.entries.count(where: \.isChanged)
      if count > 0, !layout.isNarrow {
        right = count == 1 ? "1 field changed" : "\(count) fields changed"
      }
    }
    if case .conflict(.changed(let fields, _), let submission) = form.phase,
      fields.count(where: \.isChanged) == submission.texts.count
    {
      hints.removeFirst()
    }
    surface.write("", line: layout.hintLine, columns: 0..<layout.size.columns)
    let end = drawAtEnd(right, line: layout.hintLine, style: style, &surface, model.setup.width)
    var column = 1
    for hint in hints {
      let width = model.setup.width.columns(of: hint)
      guard column + width < end else { break }
      surface.write(hint, line: layout.hintLine, column: column, style: style)
      column += width + 2
    }
  }
}

/// The frame of a form on the screen, with its title and where the row would stand.
private struct FormFrame {
  let form: BrowserForm
  let box: FormBox
  let title: String
  let footer: String
  let signs: BrowserSigns

  init(
    _ form: BrowserForm,
    _ box: FormBox,
    title: String,
    footer: String,
    _ signs: BrowserSigns
  ) {
    self.form = form
    self.box = box
    self.title = title
    self.footer = footer
    self.signs = signs
  }

  /// The corners, clockwise from the upper left, and the upright line.
  private var corners: [String] {
    signs.rule == "─" ? ["┌", "┐", "┘", "└", "│"] : ["+", "+", "+", "+", "|"]
  }

  /// The least line where the frame may begin.
  private func least(_ layout: BrowserLayout) -> Int { layout.size.rows < 8 ? 0 : 1 }

  /// The lines at the bottom of the frame that do not scroll.
  private func pinned(_ layout: BrowserLayout) -> [[FormBox.Part]] {
    Array(box.pinned.prefix(max(layout.statusLine - least(layout) - 2, 0)))
  }

  /// The line of the upper border.
  ///
  /// Where the list would have less than a few lines, the form takes the whole screen below the title.
  func top(_ layout: BrowserLayout) -> Int {
    let (least, bottom) = (least(layout), layout.statusLine)
    let count = min(box.lines.count + pinned(layout).count, bottom - least - 1)
    return bottom - 1 - count < 6 ? least : bottom - 1 - count
  }

  func draw(_ layout: BrowserLayout, _ measure: DisplayWidth, _ surface: inout Surface) {
    let (top, bottom, pinned) = (top(layout), layout.statusLine, pinned(layout))
    let shown = max(bottom - top - 1 - pinned.count, 0)
    drawBorder(title, line: top, left: corners[0], right: corners[1], measure, &surface, bold: true)
    drawBorder(footer, line: bottom, left: corners[3], right: corners[2], measure, &surface)
    let first = min(max(box.focus - shown / 2, 0), max(box.lines.count - shown, 0))
    let visible = Array(box.lines.dropFirst(first).prefix(shown)) + pinned
    for line in top + 1..<max(bottom, top + 1) {
      surface.write("", line: line, columns: 0..<layout.size.columns)
      surface.write(corners[4], line: line, column: 0)
      surface.write(corners[4], line: line, column: layout.size.columns - 1)
      let index = line - top - 1
      guard visible.indices.contains(index) else { continue }
      for part in visible[index] { draw(part, line, measure, &surface) }
    }
  }

  private func drawBorder(
    _ text: String,
    line: Int,
    left: String,
    right: String,
    _ measure: DisplayWidth,
    _ surface: inout Surface,
    bold: Bool = false
  ) {
    let end = surface.size.columns
    surface.write("", line: line, columns: 0..<end)
    var column = surface.write(left, line: line, column: 0)
    if !text.isEmpty {
      let cut = measure.cut(text, columns: max(end - 5, 0))
      column = surface.write(" \(cut) ", line: line, column: column, style: Style(bold: bold))
    }
    while column < end - 1 { column = surface.write(signs.rule, line: line, column: column) }
    surface.write(right, line: line, column: end - 1)
  }

  private func draw(
    _ part: FormBox.Part,
    _ line: Int,
    _ measure: DisplayWidth,
    _ surface: inout Surface
  ) {
    // The inside begins after the border and a blank.
    let inside = 2
    switch part {
    case .text(let text, let column, let style):
      surface.write(
        text,
        line: line,
        column: inside + column,
        limit: surface.size.columns - inside,
        style: style
      )
    case .field(let index, let columns, let nameWidth):
      let entry = form.entries[index]
      let isPresent = index == form.index
      let name = SafeText.oneLine(form.fields[entry.field].name)
      let start = inside + columns.lowerBound
      let style = Style(bold: isPresent)
      surface.write(
        measure.fit(measure.cut(name, columns: nameWidth), columns: nameWidth),
        line: line,
        column: start,
        style: style
      )
      if entry.isChanged { surface.write("*", line: line, column: start + nameWidth + 1) }
      let open = start + nameWidth + 2
      let close = inside + columns.upperBound - 1
      let text = FieldText(entry, room: close - open - 1, isPresent: isPresent, measure)
      surface.write(text.isCutBefore ? "<" : "[", line: line, column: open, style: style)
      surface.write(text.isCutAfter ? ">" : "]", line: line, column: close, style: style)
      if entry.isVarious {
        let sign = signs.rule == "─" ? "⟨various⟩" : "<various>"
        surface.write(sign, line: line, column: open + 1, limit: close, style: Style(dim: true))
      } else {
        surface.write(text.shown, line: line, column: open + 1, limit: close)
      }
      guard isPresent, case .editing = form.phase else { return }
      surface.cursor = Surface.Position(line: line, column: open + 1 + text.caretColumn)
      surface.showsCursor = true
    }
  }
}

/// The part of a field's text that its box shows: the end of a long text while the caret is there.
private struct FieldText {
  var shown = ""
  var caretColumn = 0
  var isCutBefore = false
  var isCutAfter = false

  init(_ entry: FormEntry, room: Int, isPresent: Bool, _ measure: DisplayWidth) {
    let text = entry.text
    var first = text.startIndex
    if isPresent {
      first = text.index(first, offsetBy: entry.caret, limitedBy: text.endIndex) ?? text.endIndex
      // The caret needs a cell of its own behind the text.
      while first > text.startIndex {
        let before = text.index(before: first)
        let width = measure.columns(of: SafeText.oneLine(String(text[before])))
        guard caretColumn + width <= max(room - 1, 0) else { break }
        caretColumn += width
        first = before
      }
    }
    // Only what has room is laid out: a value can be long.
    var used = 0
    var end = first
    while end < text.endIndex {
      let cluster = SafeText.oneLine(String(text[end]))
      let width = measure.columns(of: cluster)
      guard used + width <= room else { break }
      shown += cluster
      used += width
      end = text.index(after: end)
    }
    isCutBefore = first > text.startIndex
    isCutAfter = end < text.endIndex
  }
}

extension BrowserModel {
  /// Where the row of the open form would stand, in words; `nil` while that is not known.
  var landingText: String? {
    guard let form, let landing = form.landing else { return nil }
    func title(_ row: Row) -> String { setup.title(of: row) }
    func section(_ title: String) -> String { title.isEmpty ? "(none)" : SafeText.oneLine(title) }
    switch landing {
    case .same: return form.hasChanges ? "stays where it is" : nil
    case .outside: return "will not be in this list"
    case .unknown(let reason): return SafeText.oneLine("where it lands is not known: \(reason)")
    case .between(let before, let after, let name):
      let inSection = name.map { " in \(section($0))" } ?? ""
      return switch (before, after) {
      case (nil, nil): "lands alone\(inSection)"
      case (nil, let after?): "lands first\(inSection), before \(title(after))"
      case (let before?, nil): "lands last\(inSection), after \(title(before))"
      case (let before?, let after?):
        "lands\(inSection)\(inSection.isEmpty ? "" : ",") between \(title(before)) and \(title(after))"
      }
    case .newSection(let name, let before, let after):
      let start = "lands in a new section, \(section(name))"
      return switch (before, after) {
      case (nil, nil): start
      case (nil, let after?): "\(start), before \(section(after))"
      case (let before?, nil): "\(start), after \(section(before))"
      case (let before?, let after?):
        "\(start), between \(section(before)) and \(section(after))"
      }
    }
  }
}
