import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

extension BrowserSetup {
  /// The columns that a user can choose for a list, in the order in which they are to stand.
  package struct ColumnChoice: Sendable {
    /// What the screen needs to know of the columns that are shown.
    package struct Shown: Sendable {
      /// The columns.
      package var columns: [Column]
      /// The index of the column whose texts name rows.
      package var titleColumn: Int
      /// The column of running values, or `nil` for none.
      package var running: RunningColumn?

      /// Creates a description of the columns that are shown.
      package init(_ columns: [Column], titleColumn: Int, running: RunningColumn?) {
        (self.columns, self.titleColumn, self.running) = (columns, titleColumn, running)
      }
    }

    /// The names of all columns.
    package var names: [String]
    /// The names of those that the program shows without a choice.
    package var usual: [String]
    /// The names of those that are shown first.
    package var first: [String]
    /// Those that are remembered from the last run, or `nil` for none.
    package var remembered: [String]?
    /// Returns the columns of some names; `nil` stands for those that are shown first.
    package var shown: @Sendable ([String]?) -> Shown

    /// Creates a choice of columns.
    package init(
      names: [String],
      usual: [String],
      first: [String],
      remembered: [String]? = nil,
      shown: @escaping @Sendable ([String]?) -> Shown
    ) {
      (self.names, self.usual, self.first) = (names, usual, first)
      (self.remembered, self.shown) = (remembered, shown)
    }
  }
}

extension BrowserModel {
  /// The columns that are to be remembered; `nil` for those of the program.
  var rememberedColumns: [String]? {
    guard let columns = choice.columns else { return setup.columnChoice?.remembered }
    return hasSameNames(columns, setup.columnChoice?.usual) ? nil : columns
  }

  /// Opens the menu of columns, which stays open while they are chosen.
  mutating func openColumnMenu() {
    guard let choice = setup.columnChoice else {
      return sayIdle("The columns of this list are fixed.")
    }
    chosenColumns = self.choice.columns ?? choice.first
    listColumns()
  }

  /// Lists the chosen columns in their order, and the others below them.
  private mutating func listColumns() {
    guard let choice = setup.columnChoice else { return }
    let others = unchosen(of: choice)
    let items = (chosenColumns + others).enumerated().map { index, name in
      let isChosen = index < chosenColumns.count
      return Menu.Item(
        text: SafeText.oneLine(name),
        note: isChosen ? "column \(index + 1)" : "",
        index: index
      )
    }
    let usual = Menu.Item(text: "the usual columns", index: items.count)
    var shown = Menu(purpose: .columns, title: "Columns", all: items + [usual])
    if let menu, menu.purpose == .columns { (shown.typed, shown.index) = (menu.typed, menu.index) }
    menu = shown
  }

  /// The names of the columns that are not chosen, by their bytes, in which alone names in a table of others can differ.
  private func unchosen(of choice: BrowserSetup.ColumnChoice) -> [String] {
    choice.names.filter { name in !chosenColumns.contains { $0.hasSameBytes(as: name) } }
  }

  /// Shows or hides the column of an item.
  mutating func toggleColumn(_ item: Menu.Item) {
    guard let choice = setup.columnChoice else { return }
    let others = unchosen(of: choice)
    if chosenColumns.indices.contains(item.index) {
      chosenColumns.remove(at: item.index)
    } else if others.indices.contains(item.index - chosenColumns.count) {
      chosenColumns.append(others[item.index - chosenColumns.count])
    } else {
      chosenColumns = choice.usual
    }
    // The next name is typed from its beginning.
    if menu?.typed.isEmpty == false {
      menu?.typed = ""
      menu?.index = 0
    }
    listColumns()
  }

  /// Moves a chosen column to the left or to the right of its neighbour; the cursor of the menu stays on it.
  mutating func moveColumn(_ item: Menu.Item, by step: Int) {
    let target = item.index + step
    guard chosenColumns.indices.contains(item.index), chosenColumns.indices.contains(target) else {
      return
    }
    chosenColumns.swapAt(item.index, target)
    listColumns()
    let items = menu?.items ?? []
    menu?.index = items.firstIndex { $0.index == target } ?? 0
  }

  /// Shows the columns that were chosen; without any, the list keeps those that it has.
  mutating func closeColumnMenu() -> [BrowserEffect] {
    menu = nil
    var next = choice
    next.columns = hasSameNames(chosenColumns, setup.columnChoice?.first) ? nil : chosenColumns
    guard !chosenColumns.isEmpty else {
      message = "A list has at least one column: the columns stay as they were."
      return []
    }
    return hasSameNames(next.columns, choice.columns) ? [] : open(next)
  }

  /// Shows the columns of a choice.
  mutating func showColumns(of choice: BrowserChoice) {
    guard let offered = setup.columnChoice, !hasSameNames(choice.columns, drawnColumns)
    else { return }
    drawnColumns = choice.columns
    let shown = offered.shown(choice.columns)
    (setup.columns, setup.titleColumn) = (shown.columns, shown.titleColumn)
    setup.running = shown.running
    runningTexts = RunningTexts()
    naturalWidths = setup.columns.map { setup.width.columns(of: $0.title) }
    for (_, entry) in pane.rows.all { measure(entry.content) }
  }

  /// Whether two lists have the same names in one order, byte by byte.
  private func hasSameNames(_ names: [String]?, _ others: [String]?) -> Bool {
    guard let names, let others else { return names == nil && others == nil }
    return names.elementsEqual(others) { $0.hasSameBytes(as: $1) }
  }
}
