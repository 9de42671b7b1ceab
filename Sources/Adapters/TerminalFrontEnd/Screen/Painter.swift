/// Turns the difference between two surfaces into the bytes that change one into the other on a terminal.
///
/// Only changed cells are written, at absolute positions; scroll regions are not used, because terminals differ. After a cluster
/// whose width is disputed the painter never trusts the terminal's cursor: it blanks the field, draws, and jumps to the next column.
/// Two equal surfaces give no bytes.
package struct Painter: Sendable {
  /// Whether styles are written.
  package var isColored: Bool
  /// What the terminal shows, as far as is known.
  private var shown: Surface?

  /// Creates a painter for a terminal about which nothing is known.
  package init(isColored: Bool = true) { self.isColored = isColored }

  /// Forgets what the terminal shows, so that the next frame is painted whole.
  package mutating func reset() { shown = nil }

  /// Returns the bytes that make the terminal show a surface.
  /// - Complexity: O(*n*) in the cells.
  package mutating func paint(_ next: Surface) -> String {
    var output = FrameWriter(isColored: isColored)
    let before = shown.flatMap { $0.size == next.size ? $0 : nil }
    if before == nil { output.clear() }
    let old = before ?? Surface(size: next.size)
    for line in 0..<next.size.rows { paint(line, from: old, to: next, &output) }
    output.end(
      at: next.cursor,
      visible: next.showsCursor,
      isSame: before?.showsCursor == next.showsCursor,
      wasAt: before?.cursor
    )
    shown = next
    return output.text
  }

  /// The number of equal cells that are written again rather than jumped over.
  private static let shortGap = 4

  private func paint(_ line: Int, from old: Surface, to new: Surface, _ output: inout FrameWriter) {
    let columns = new.size.columns
    var column = 0
    // Blanks at the end of the line are erased by one sequence.
    var blankFrom = columns
    while blankFrom > 0, new[line, blankFrom - 1] == .blank { blankFrom -= 1 }
    while column < columns {
      guard old[line, column] != new[line, column] else {
        column += 1
        continue
      }
      while column > 0, new[line, column].cluster == nil { column -= 1 }
      if column >= blankFrom {
        output.move(to: line, column)
        return output.eraseToEndOfLine()
      }
      let end = endOfRun(line, from: column, old, new)
      output.move(to: line, column)
      while column < end {
        let cell = new[line, column]
        if column >= blankFrom, end == columns { return output.eraseToEndOfLine() }
        output.write(cell, at: line, column)
        column += max(cell.width, 1)
      }
    }
  }

  /// Returns the end of the cells to write: short runs of equal cells are included.
  private func endOfRun(_ line: Int, from start: Int, _ old: Surface, _ new: Surface) -> Int {
    var (end, column, equal) = (start + 1, start, 0)
    while column < new.size.columns, equal <= Painter.shortGap {
      if old[line, column] == new[line, column] {
        equal += 1
      } else {
        (equal, end) = (0, column + 1)
      }
      column += 1
    }
    while end < new.size.columns, new[line, end].cluster == nil { end += 1 }
    return end
  }
}

/// Collects the bytes of one frame, and knows the terminal's position and style.
private struct FrameWriter {
  let isColored: Bool
  var text = ""
  private var position: Surface.Position?
  private var style = Style()

  init(isColored: Bool) { self.isColored = isColored }

  mutating func clear() { text += "\u{1B}[0m\u{1B}[2J" }

  mutating func move(to line: Int, _ column: Int) {
    let target = Surface.Position(line: line, column: column)
    guard position != target else { return }
    text += "\u{1B}[\(line + 1);\(column + 1)H"
    position = target
  }

  mutating func write(_ cell: Cell, at line: Int, _ column: Int) {
    guard let cluster = cell.cluster else { return }
    move(to: line, column)
    change(to: cell.style)
    if cell.isRisky {
      text += String(repeating: " ", count: cell.width)
      text += "\u{1B}[\(line + 1);\(column + 1)H"
      text.append(cluster)
      position = nil
    } else {
      text.append(cluster)
      position = Surface.Position(line: line, column: column + cell.width)
    }
  }

  mutating func eraseToEndOfLine() {
    change(to: Style())
    text += "\u{1B}[K"
  }

  mutating func end(
    at cursor: Surface.Position?,
    visible: Bool,
    isSame: Bool,
    wasAt: Surface.Position?
  ) {
    let hasPainted = !text.isEmpty
    change(to: Style())
    if let cursor, hasPainted || cursor != wasAt {
      position = nil
      move(to: cursor.line, cursor.column)
    }
    if !isSame { text += visible ? "\u{1B}[?25h" : "\u{1B}[?25l" }
  }

  private mutating func change(to next: Style) {
    guard
      isColored || next.isReversed != style.isReversed || next.isUnderlined != style.isUnderlined,
      next != style
    else { return }
    var shown = next
    // Without colour, reverse and underline remain: they are no colours.
    if !isColored { shown = Style(underlined: next.isUnderlined, reversed: next.isReversed) }
    text += "\u{1B}[0\(shown.codes)m"
    style = next
  }
}

extension Style {
  /// The parameters of the select-graphic-rendition sequence (ECMA-48) after the reset, each with a semicolon before it.
  fileprivate var codes: String {
    var codes = ""
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isUnderlined { codes += ";4" }
    if isReversed { codes += ";7" }
    if let color { codes += ";\(color.rawValue)" }
    return codes
  }
}
