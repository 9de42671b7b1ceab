/// What a terminal shows, or shall show: lines of cells, and where the cursor stands.
///
/// A surface is drawn by writing texts at positions, counted in cells from 0. A cluster is never split: where only a part of it would
/// fit, blanks are drawn.
package struct Surface: Hashable, Sendable {
  /// A position on a screen, in cells from 0.
  package struct Position: Hashable, Sendable {
    /// The line, from the top.
    package var line: Int
    /// The column, from the left.
    package var column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// The size in cells.
  package let size: TerminalSize
  /// Where the terminal's cursor stands; a reader for blind users reads the line it is in.
  package var cursor: Position?
  /// Whether the cursor is visible, as in a field that is being edited.
  package var showsCursor = false
  private var cells: [Cell]
  private let measure: DisplayWidth

  /// Creates an empty surface.
  package init(size: TerminalSize, width: DisplayWidth = DisplayWidth()) {
    self.size = size
    measure = width
    cells = Array(repeating: .blank, count: max(size.columns, 0) * max(size.rows, 0))
  }

  /// The cell at a position, or a blank outside the surface.
  package subscript(line: Int, column: Int) -> Cell {
    guard contains(line, column) else { return .blank }
    return cells[line * size.columns + column]
  }

  /// Writes a text that has been made safe, and returns the column after it.
  ///
  /// What does not fit between the column and the limit is left out.
  /// - Parameters:
  ///   - text: The text, without control characters.
  ///   - line: The line, from 0; nothing is written outside the surface.
  ///   - column: The column of the first cell, from 0.
  ///   - limit: The column that is not written any more, or `nil` for the end of the line.
  ///   - style: The look.
  /// - Returns: The column after the text.
  /// - Complexity: O(*n*) in the clusters.
  @discardableResult
  package mutating func write(
    _ text: String,
    line: Int,
    column: Int,
    limit: Int? = nil,
    style: Style = Style()
  ) -> Int {
    let end = min(limit ?? size.columns, size.columns)
    guard line >= 0, line < size.rows, column >= 0 else { return column }
    var column = column
    for cluster in text {
      let width = measure.columns(of: cluster)
      guard width > 0 else { continue }
      guard column + width <= end else { break }
      set(Cell(cluster, width: width, style: style), line, column)
      column += width
    }
    return column
  }

  /// Writes a text into a field of exactly a number of columns, truncated with `…` or padded.
  package mutating func write(
    _ text: String,
    line: Int,
    columns: Range<Int>,
    alignment: TextAlignment = .leading,
    style: Style = Style()
  ) {
    let fitted = measure.fit(text, columns: columns.count, alignment: alignment)
    write(fitted, line: line, column: columns.lowerBound, limit: columns.upperBound, style: style)
  }

  /// Changes the style of some cells of a line, and leaves their clusters.
  package mutating func restyle(line: Int, columns: Range<Int>, _ change: (inout Style) -> Void) {
    guard line >= 0, line < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      change(&cells[line * size.columns + column].style)
    }
  }

  /// The text of a line without the blanks at its end.
  package func text(ofLine line: Int) -> String {
    var text = ""
    for column in 0..<size.columns {
      if let cluster = self[line, column].cluster { text.append(cluster) }
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  /// The texts of all lines.
  package var lines: [String] { (0..<size.rows).map(text(ofLine:)) }

  private func contains(_ line: Int, _ column: Int) -> Bool {
    line >= 0 && line < size.rows && column >= 0 && column < size.columns
  }

  /// Puts a cell, and blanks what is left of clusters that it covers in part.
  private mutating func set(_ cell: Cell, _ line: Int, _ column: Int) {
    let start = line * size.columns
    for covered in column..<column + cell.width { clear(start, covered) }
    cells[start + column] = cell
    for covered in column + 1..<max(column + cell.width, column + 1) {
      cells[start + covered] = Cell(nil, width: 0, style: cell.style)
    }
  }

  /// Blanks the whole cluster that covers a cell.
  private mutating func clear(_ start: Int, _ column: Int) {
    var first = column
    while first > 0, cells[start + first].cluster == nil { first -= 1 }
    let width = cells[start + first].width
    guard width > 1 else { return cells[start + column] = .blank }
    for covered in first..<min(first + width, size.columns) {
      cells[start + covered] = Cell(" ", style: cells[start + covered].style)
    }
  }
}
