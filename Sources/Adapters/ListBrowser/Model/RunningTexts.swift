package import ResultsDomain
package import ResultsPresentation
import TerminalFrontEnd

extension BrowserSetup {
  /// The column whose texts are values of the list up to a row, such as a balance (R285).
  package struct RunningColumn: Sendable {
    /// The index among the columns.
    package var index: Int
    /// Returns the text of a value; it need not be safe for a terminal.
    package var text: @Sendable (AggregateValue) -> String

    /// Creates a column.
    package init(
      _ index: Int,
      text: @escaping @Sendable (AggregateValue) -> String
    ) {
      (self.index, self.text) = (index, text)
    }

    /// Reads the texts of the list's only aggregate at some positions; none if the store cannot say them any more, in which case a change is on its way.
    /// - Complexity: As `ResultsList.runningValues(of:from:at:)`.
    package func texts(
      of list: ResultsList<Row>,
      at positions: Range<Int>,
      from origin: RunningOrigin
    ) -> [String] {
      guard let name = list.section(at: 0)?.aggregates.first?.name else { return [] }
      let values = try? list.runningValues(of: name, from: origin, at: positions)
      return (values ?? []).map(text)
    }
  }
}

/// The texts of the running column near the screen, in one generation of a list.
///
/// A change of any row can change them all, so they do not follow changes, and are read again for each generation.
struct RunningTexts: Sendable {
  /// The list that they are of.
  private var list: ResultsPosition?
  private var positions = RangeSet<Int>()
  private var texts: [Int: String] = [:]
  /// Whether some are being read.
  var isReading = false

  /// Creates the texts of no list.
  init() {}

  /// Creates texts that were read; positions without a text could not be read.
  init(_ texts: [Int: String], at positions: RangeSet<Int>, of list: ResultsPosition) {
    (self.texts, self.positions, self.list) = (texts, positions, list)
  }

  /// Whether the texts at some positions of a list were read.
  func cover(_ positions: RangeSet<Int>, of list: ResultsPosition) -> Bool {
    self.list == list && positions.isSubset(of: self.positions)
  }

  /// The text at a position of a list; an empty one if it is not known.
  func text(at position: Int, of list: ResultsPosition) -> String {
    self.list == list ? texts[position] ?? "" : ""
  }
}

extension BrowserModel {
  /// Asks for the running values on the screen, once for each generation of the list.
  mutating func readRunningValues() -> [BrowserEffect] {
    guard let column = setup.running, let origin = order.runningOrigin, let list = pane.list,
      !runningTexts.isReading
    else { return [] }
    let shown = pane.lines.positions(onLines: pane.top..<pane.top + pane.height)
    guard !runningTexts.cover(shown, of: list.position) else { return [] }
    runningTexts.isReading = true
    let positions = shown.union(pane.rows.positions)
    return [.readRunning(column, list, positions, from: origin)]
  }

  /// Takes texts of the running column of a list.
  mutating func take(
    _ texts: [Int: String],
    at positions: RangeSet<Int>,
    of list: ResultsPosition
  ) {
    runningTexts.isReading = false
    guard let column = setup.running, pane.list?.position == list else { return }
    let texts = texts.mapValues { SafeText.oneLine($0) }
    runningTexts = RunningTexts(texts, at: positions, of: list)
    let widest = texts.values.map { setup.width.columns(of: $0) }.max() ?? 0
    naturalWidths[column.index] = max(naturalWidths[column.index], widest)
  }

  /// The text of the running column at a position of the shown list, and the index of the column; `nil` without such a column.
  func runningText(at position: Int) -> (column: Int, text: String)? {
    guard let column = setup.running, let list = pane.list else { return nil }
    return (column.index, runningTexts.text(at: position, of: list.position))
  }
}
