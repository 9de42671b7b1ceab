import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// Going to rows that match a text without narrowing the list, and selecting all rows.
extension BrowserModel {
  /// Goes to the next row that the last filter text matches, or to the one before.
  mutating func match(backward: Bool) -> [BrowserEffect] {
    guard !searchText.isEmpty else {
      message = "Nothing has been sought yet: / filters, * takes a value of this row."
      return []
    }
    guard let list = pane.list, let position = pane.position else { return [] }
    isMatching = true
    message = SafeText.oneLine("seeking \(searchText) …")
    // The header of a section stands before its first row.
    let isHeader = pane.cursor?.isRow == false
    let start = backward ? position - 1 : isHeader ? position : position + 1
    return [.match(pane: pane.id, list, choice, searchText, from: start, backward: backward)]
  }

  /// Goes to the row that was found.
  mutating func take(match id: ObjectID?, _ reason: String?) -> [BrowserEffect] {
    isMatching = false
    message = SafeText.oneLine(reason ?? (id == nil ? "No further row matches \(searchText)." : ""))
    return id.map { search(for: $0, .go) } ?? []
  }

  /// Opens a menu of the values of the cursor's row, to go to the next row with one of them.
  mutating func openSameValues() {
    guard let row = pane.cursorRow else { return message = "There is no row under the cursor." }
    let items = setup.details.filter { $0.attribute != nil }.enumerated().compactMap {
      index,
      detail -> Menu.Item? in
      let text = detail.text(row)
      guard !text.isEmpty, !text.contains("\"") else { return nil }
      return Menu.Item(text: detail.title, note: "\(detail.title)=\"\(text)\"", index: index)
    }
    menu = Menu(purpose: .sameValue, title: "Next row with the same", all: items)
  }

  /// Selects all rows of the list by its definition, whichever they are; again, selects none.
  mutating func selectAll() {
    selectsAll.toggle()
    selection = []
  }

  // MARK: - The mouse

  /// Lets the terminal report the mouse, or no longer.
  mutating func toggleMouse() -> [BrowserEffect] {
    hasMouse.toggle()
    message =
      hasMouse
      ? "The mouse is on: click, wheel. Shift selects text in most terminals." : "The mouse is off."
    return [.mouse(hasMouse)]
  }

  /// Puts the cursor where the mouse is, folds the section of a header, or scrolls.
  mutating func take(_ mouse: Mouse) -> [BrowserEffect] {
    guard field == nil, form == nil else { return [] }
    switch mouse.action {
    case .wheelUp, .wheelDown:
      let count = mouse.action == .wheelDown ? 3 : -3
      if let open = menu {
        menu?.index = min(max(open.index + count, 0), max(open.items.count - 1, 0))
      } else {
        pane.scroll(by: count)
      }
    case .press:
      guard menu == nil, layout.listLines.contains(mouse.line),
        layout.listColumns.contains(mouse.column)
      else { return [] }
      let line = mouse.line - layout.listLines.lowerBound
      guard let item = pane.item(onLine: line) else { return [] }
      pane.edge = nil
      pane.put(item, onLine: line)
      if case .header(let section) = item {
        pane.setFolded(!pane.lines.isFolded(section), section: section)
      }
    }
    return []
  }
}
