import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

extension BrowserModel {
  /// Takes a key: for the menu, the field or the pane that is open, else for the list.
  mutating func press(_ key: Key, frame: Int? = nil) -> [BrowserEffect] {
    if key == Key(.character("z"), control: true) { return [.suspend] }
    if key != Key(.character("c"), control: true) { interruption = nil }
    if form != nil { return pressInForm(key, frame: frame) }
    if menu != nil { return pressInMenu(key) }
    if field != nil { return pressInField(key) }
    if detail != nil, pressInDetail(key) { return [] }
    if pendingKeys == ["'"] { return jump(to: key) }
    if pendingKeys.isEmpty, !key.isControl, !key.isAlt, case .character(let character) = key.code,
      let digit = character.wholeNumberValue, digit > 0 || pendingCount != nil
    {
      pendingCount = min((pendingCount ?? 0) * 10 + digit, 1_000_000_000_000)
      return []
    }
    pendingKeys.append(key.description)
    switch BrowserKeymap.meaning(of: pendingKeys) {
    case .prefix: return []
    case .none:
      let typed = pendingKeys
      (pendingKeys, pendingCount) = ([], nil)
      let command = setup.commands.first { typed == [$0.keyText] }
      guard command == nil || !mustWait(nil) else { return [] }
      return command.map { run($0, frame: frame) } ?? []
    case .action(.indexTitle):
      pendingKeys = ["'"]
      return []
    case .action(let action):
      let count = pendingCount
      (pendingKeys, pendingCount) = ([], nil)
      message = ""
      guard !mustWait(action) else { return [] }
      let row = pane.cursorID
      let effects = perform(action, count: count, frame: frame)
      noteMove(from: row, inFrame: frame)
      return effects
    }
  }

  /// Performs an action.
  /// - Parameters:
  ///   - action: The action.
  ///   - count: The number typed before its key, if there was one.
  ///   - frame: The frame that was on the screen when the key was pressed.
  /// - Returns: What is to be done.
  mutating func perform(
    _ action: BrowserAction,
    count: Int? = nil,
    frame: Int? = nil
  ) -> [BrowserEffect] {
    let times = max(count ?? 1, 1)
    let page = max(pane.height - (pane.hasStickyHeader ? 2 : 1), 1)
    switch action {
    case .down: pane.move(by: times)
    case .up: pane.move(by: -times)
    case .halfPageDown: pane.scroll(by: max(page / 2, 1) * times)
    case .halfPageUp: pane.scroll(by: -max(page / 2, 1) * times)
    case .pageDown: pane.scroll(by: page * times)
    case .pageUp: pane.scroll(by: -page * times)
    case .first: if let count { go(toRow: count) } else { jump { $0.go(to: .first) } }
    case .last: if let count { go(toRow: count) } else { jump { $0.go(to: .last) } }
    case .nextSection, .previousSection: moveSection(by: action == .nextSection ? times : -times)
    case .share: go(toShare: count ?? 0)
    case .back: return goBack()
    case .lineToMiddle: pane.put(pane.cursor, onLine: pane.height / 2)
    case .lineToTop: pane.put(pane.cursor, onLine: 0)
    case .lineToBottom: pane.put(pane.cursor, onLine: pane.height - 1)
    case .fold, .open, .toggleFold: fold(action)
    case .foldAll: pane.setAllFolded(true)
    case .openAll: pane.setAllFolded(false)
    case .select: for _ in 0..<min(times, 10_000) { select() }
    case .selectAll: selectAll()
    case .nextMatch, .previousMatch: return match(backward: action == .previousMatch)
    case .sameValue: openSameValues()
    case .mouse: return toggleMouse()
    case .selectSection: selectSection()
    case .detail: return showDetail(frame: frame)
    case .copyCell: return pane.cursorRow.map { [.copy(setup.title(of: $0))] } ?? []
    case .copyRows: return copyRows()
    case .hold: return toggleHold()
    case .applyHeld: return held == nil ? reopenList() : applyHeld()
    case .goTo: field = InputField(purpose: .goTo)
    case .filter: field = InputField(purpose: .filter, text: choice.filter)
    case .help, .sections, .sort, .sectionBy, .commands: openMenu(action)
    case .edit, .editInEditor: return edit(usesEditor: action == .editInEditor, frame: frame)
    case .add: return add()
    case .delete: return delete(frame: frame)
    case .undo: return request(.undo)
    case .redo: return request(.redo)
    case .indexTitle: pendingKeys = ["'"]
    case .repaint: return [.repaint]
    case .suspend: return [.suspend]
    case .escape: return escape()
    case .interrupt: return interrupt()
    case .quit: return [.quit(0)]
    }
    return []
  }

  // MARK: - Movements

  /// Moves the cursor far, and keeps where it was for `^O`.
  private mutating func jump(_ move: (inout ListPane) -> Void) {
    goal = pane.cursorID ?? goal
    move(&pane)
  }

  private mutating func go(toRow number: Int) {
    guard let count = pane.list?.count, count > 0 else { return }
    guard let path = pane.lines.path(at: min(max(number, 1), count) - 1) else { return }
    jump { $0.go(to: .row(path)) }
  }

  private mutating func go(toShare percent: Int) {
    guard let count = pane.list?.count, count > 0 else { return }
    let share = min(max(percent, 0), 100)
    go(toRow: Int((Double(count - 1) * Double(share) / 100).rounded()) + 1)
  }

  private mutating func goBack() -> [BrowserEffect] {
    if let goal { return search(for: goal, .go) }
    return goBack(to: nil)
  }

  /// Goes to the row that was left, if it is still there; `^O` once more comes back.
  mutating func goBack(to path: RowPath?) -> [BrowserEffect] {
    guard let path else {
      message = "There is nowhere to go back to."
      return []
    }
    let here = pane.cursorID
    pane.go(to: .row(path))
    goal = here
    return []
  }

  private mutating func moveSection(by count: Int) {
    guard pane.lines.hasHeaders, let cursor = pane.cursor else {
      return message = "The list has no sections: S chooses some."
    }
    // From a row, the first step back is to its own header.
    let offset = count < 0 && cursor.isRow ? 1 : 0
    let section = min(max(cursor.section + count + offset, 0), pane.lines.sectionCount - 1)
    jump { $0.go(to: .header(section)) }
  }

  /// Goes to the next section with an index title.
  private mutating func jump(to key: Key) -> [BrowserEffect] {
    (pendingKeys, pendingCount) = ([], nil)
    guard case .character(let character) = key.code, !key.isControl else { return [] }
    guard let titles = pane.indexTitles, let cursor = pane.cursor else {
      message = "The list has no index titles: \" chooses a section."
      return []
    }
    let sought = String(character).uppercased()
    let found = zip(titles.titles, titles.sections).filter { $0.0.uppercased().hasPrefix(sought) }
      .map(\.1)
    if let section = found.first(where: { $0 > cursor.section }) ?? found.first {
      jump { $0.go(to: .header(section)) }
    } else {
      message = SafeText.oneLine("No section begins with \(sought).")
    }
    return []
  }

  private mutating func fold(_ action: BrowserAction) {
    guard let section = pane.cursor?.section, pane.lines.hasHeaders else { return }
    let isFolded = pane.lines.isFolded(section)
    switch action {
    case .fold: pane.setFolded(true, section: section)
    case .open: pane.setFolded(false, section: section)
    default: pane.setFolded(!isFolded, section: section)
    }
  }

  // MARK: - Rows

  private mutating func select() {
    if let id = pane.cursorID, selection.remove(id) == nil { selection.insert(id) }
    pane.move(by: 1)
  }

  private mutating func selectSection() {
    guard let section = pane.cursor?.section else { return }
    let rows = pane.rows.all.filter { pane.lines.path(at: $0.key)?.section == section }
    selection.formUnion(rows.map(\.value.id))
  }

  /// Opens or closes the detail pane, or folds the section under the cursor; a program's own way to open a row goes first.
  private mutating func showDetail(frame: Int?) -> [BrowserEffect] {
    if case .header(let section) = pane.cursor {
      pane.setFolded(!pane.lines.isFolded(section), section: section)
      return []
    }
    if detail == nil, setup.canWrite, let command = command(withKey: "\r") {
      return run(command, frame: frame)
    }
    detail = detail == nil ? DetailPane() : nil
    fit()
    return []
  }

  private func copyRows() -> [BrowserEffect] {
    var rows = pane.rows.all.filter { selection.contains($0.value.id) }
      .sorted { $0.key < $1.key }.map(\.value.content)
    if rows.isEmpty, let row = pane.cursorRow { rows = [row] }
    let lines = rows.map { row in
      setup.columns.map { SafeText.escaped($0.text(row)) }.joined(separator: "\t")
    }
    return lines.isEmpty ? [] : [.copy(lines.joined(separator: "\n"))]
  }

  // MARK: - Leaving things

  /// Closes one thing: a pane, the filter, the selection.
  ///
  /// It never ends the browser.
  private mutating func escape() -> [BrowserEffect] {
    if detail != nil {
      detail = nil
      fit()
    } else if derived != nil || opening != nil {
      return open(BrowserChoice())
    } else if !selection.isEmpty || selectsAll {
      (selection, selectsAll) = ([], false)
    } else {
      message = "q leaves."
    }
    return []
  }

  private mutating func interrupt() -> [BrowserEffect] {
    if opening != nil { return open(derived == nil ? BrowserChoice() : choice) }
    if let interruption, now - interruption < .seconds(1) { return [.quit(130)] }
    interruption = now
    message = "q leaves, and so does ^C once more."
    return []
  }
}
