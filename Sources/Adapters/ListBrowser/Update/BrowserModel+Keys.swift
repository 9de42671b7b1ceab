import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

// MARK: - Keys of the list

extension BrowserModel {
  /// Takes a key: for the menu, the field or the pane that is open, else for the list.
  mutating func press(_ key: Key, frame: Int? = nil) -> [BrowserEffect] {
    if key == Key(.character("z"), control: true) { return [.suspend] }
    if key != Key(.character("c"), control: true) { interruption = nil }
    earlierMessage = ""
    if key == Key(.character("c"), control: true) {
      if let effects = giveUpWaiting() { return effects }
      if pendingWrite?.isGivenUp == true { return interrupt() }
    }
    if belongsToDeletion(key) { return [] }
    if form != nil { return pressInForm(key, frame: frame) }
    if menu != nil { return pressInMenu(key) }
    if field != nil { return pressInField(key) }
    if detail != nil, pressInDetail(key) { return [] }
    if pendingKeys == ["'"] { return jump(to: key) }
    if pendingKeys.isEmpty, !key.isControl, !key.isAlt, case .character(let character) = key.code,
      let digit = character.wholeNumberValue, digit > 0 || pendingCount != nil
    {
      pendingCount = min((pendingCount ?? 0) * 10 + digit, BrowserModel.mostCount)
      return []
    }
    pendingKeys.append(key.description)
    switch BrowserKeymap.meaning(of: pendingKeys) {
    case .prefix: return []
    case .none:
      let typed = pendingKeys
      (pendingKeys, pendingCount) = ([], nil)
      guard let command = setup.commands.first(where: { typed == [$0.keyText] }) else {
        sayNoKey(typed.joined())
        return []
      }
      guard !mustWait(nil) else { return [] }
      return run(command, frame: frame)
    case .action(.indexTitle) where pane.hasIndex:
      pendingKeys = ["'"]
      return []
    case .action(let action):
      let count = pendingCount
      (pendingKeys, pendingCount) = ([], nil)
      earlierMessage = isMinorMessage ? "" : message
      message = ""
      guard !mustWait(action) else { return [] }
      let row = pane.cursorID
      let effects = perform(action, count: count, frame: frame)
      // A request that finds nothing to do leaves the message too.
      if isPerforming, message.isEmpty { message = earlierMessage }
      noteMove(from: row, inFrame: frame)
      if action == .delete, !effects.isEmpty { deleted = now }
      return effects
    }
  }

  /// Says that there is nothing to do, unless that would hide a message that says more.
  mutating func sayIdle(_ text: String) {
    let shown = message.isEmpty || isMinorMessage ? earlierMessage : message
    message = shown.isEmpty ? text : shown
    isMinorMessage = shown.isEmpty
  }

  /// Says that a key means nothing here.
  mutating func sayNoKey(_ typed: String) {
    sayIdle(SafeText.oneLine("\(typed) is not a key here: ? shows all keys."))
  }

  /// The time in which another press of the key that deletes belongs to the one before.
  static let deletionSpan = Duration.milliseconds(400)

  /// Whether a key is one more press of the key that has just deleted rows: `dd`, as in other programs, or a key held down.
  private mutating func belongsToDeletion(_ key: Key) -> Bool {
    guard let time = deleted else { return false }
    deleted = nil
    let isAgain = BrowserKeymap.meaning(of: [key.description]) == .action(.delete)
    guard isAgain, pendingKeys.isEmpty, now - time < BrowserModel.deletionSpan else { return false }
    deleted = now
    return true
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
    case .fold, .open, .toggleFold: return fold(action)
    case .foldAll: pane.setAllFolded(true)
    case .openAll: pane.setAllFolded(false)
    case .select: for _ in 0..<min(times, 10_000) { select() }
    case .selectAll: selectAll()
    case .nextMatch, .previousMatch: return match(backward: action == .previousMatch)
    case .sameValue: openSameValues()
    case .mouse: return toggleMouse()
    case .selectSection: selectSection()
    case .enter: return enter(frame: frame)
    case .detail: return showDetail(frame: frame)
    case .links: return readLinks("f")
    case .copyCell: return copyCell()
    case .copyRows: return copyRows()
    case .hold: return toggleHold()
    case .applyHeld: return held == nil ? reopenList() : applyHeld()
    case .goTo: field = InputField(purpose: .goTo)
    case .filter: field = InputField(purpose: .filter, text: choice.filter)
    case .usual: return openUsual()
    case .help, .sections, .sort, .sectionBy, .savedLists, .commands, .messages: openMenu(action)
    case .columns: openColumnMenu()
    case .edit, .editInEditor: return edit(usesEditor: action == .editInEditor, frame: frame)
    case .add: return add()
    case .delete: return delete(count: count, frame: frame)
    case .undo: return request(.undo)
    case .redo: return request(.redo)
    case .indexTitle: openMenu(.sections)
    case .repaint: return [.repaint]
    case .suspend: return [.suspend]
    case .escape: return escape()
    case .interrupt: return interrupt()
    case .quit: return [setup.isVisit ? .leave : .quit(0)]
    case .quitAll: return [.quit(0)]
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
    if setup.isVisit { return [.leave] }
    return goBack(to: nil)
  }

  /// Goes to the row that was left, if it is still there; `^O` once more comes back.
  mutating func goBack(to path: RowPath?) -> [BrowserEffect] {
    guard let path else {
      sayIdle("There is nowhere to go back to.")
      return []
    }
    let here = pane.cursorID
    pane.go(to: .row(path))
    goal = here
    return []
  }

  private mutating func moveSection(by count: Int) {
    guard pane.lines.hasHeaders, let cursor = pane.cursor else {
      return sayIdle("The list has no sections: S chooses some.")
    }
    // From a row, the first step back is to its own header.
    var offset = count < 0 && cursor.isRow ? 1 : 0
    // From a group, the first step is to the header below it.
    if case .group = cursor, count > 0 { offset = -1 }
    let section = min(max(cursor.section + count + offset, 0), pane.lines.sectionCount - 1)
    jump { $0.go(to: .header(section)) }
  }

  /// Goes to the next section with an index title.
  private mutating func jump(to key: Key) -> [BrowserEffect] {
    (pendingKeys, pendingCount) = ([], nil)
    guard case .character(let character) = key.code, !key.isControl else { return [] }
    guard pane.hasIndex, let titles = pane.indexTitles, let cursor = pane.cursor else {
      openMenu(.sections)
      return []
    }
    let sought = String(character).uppercased()
    let found = zip(titles.titles, titles.sections).filter { $0.0.uppercased().hasPrefix(sought) }
      .map(\.1)
    if let section = found.first(where: { $0 > cursor.section }) ?? found.first {
      jump { $0.go(to: .header(section)) }
    } else {
      sayIdle(SafeText.oneLine("No section begins with \(sought)."))
    }
    return []
  }

  /// Folds or opens the section at the cursor.
  ///
  /// One with a limit shows all its rows when it is opened, and its first ones again before it is folded.
  private mutating func fold(_ action: BrowserAction) -> [BrowserEffect] {
    if case .group(let section) = pane.cursor {
      let isFolded = pane.isGroupFolded(section)
      pane.setFolded(action == .toggleFold ? !isFolded : action != .open, groupOf: section)
      return []
    }
    guard let section = pane.cursor?.section, pane.lines.hasHeaders,
      let header = pane.header(section)
    else { return [] }
    let isFolded = pane.lines.isFolded(section)
    let isLimited = (header.matchingCount ?? 0) > pane.lines.rowCount(inSection: section)
    let opens = action == .open || action == .toggleFold && (isFolded || isLimited)
    if opens, isFolded {
      pane.setFolded(false, section: section)
    } else if opens, isLimited {
      pane.unlimitedIDs.insert(header.id)
      changingLimits += 1
      return [.limit(pane: pane.id, header.id, isLifted: true)]
    } else if !opens, pane.unlimitedIDs.remove(header.id) != nil {
      pane.go(to: .header(section))
      changingLimits += 1
      return [.limit(pane: pane.id, header.id, isLifted: false)]
    } else if !opens {
      pane.setFolded(true, section: section)
    }
    return []
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
  mutating func showDetail(frame: Int?) -> [BrowserEffect] {
    if let cursor = pane.cursor, !cursor.isRow { return fold(.toggleFold) }
    if detail == nil, setup.canWrite, let command = command(withKey: "\r") {
      return run(command, frame: frame)
    }
    detail = detail == nil ? DetailPane() : nil
    fit()
    return []
  }

  private func copyCell() -> [BrowserEffect] {
    guard let row = pane.cursorRow, let column = setup.columns.first else { return [] }
    return [.copy(SafeText.oneLine(column.text(row)))]
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

  /// Closes one thing: a pane, the filter, the list of a command, the selection, a list that was opened over another.
  ///
  /// It never ends the browser, and the order and the sections stay.
  private mutating func escape() -> [BrowserEffect] {
    var next = choice
    if detail != nil {
      detail = nil
      fit()
    } else if opening != nil {
      return giveUpOpening()
    } else if !choice.filter.isEmpty {
      next.filter = ""
    } else if choice.commandList != nil {
      next.commandList = nil
    } else if choice.savedList != nil {
      next = BrowserChoice()
      next.columns = choice.columns
    } else if !selection.isEmpty || selectsAll {
      (selection, selectsAll) = ([], false)
    } else if setup.isVisit {
      return [.leave]
    } else {
      sayIdle(
        choice == BrowserChoice()
          ? "q leaves." : "q leaves, and - shows the usual order and sections."
      )
    }
    return next == choice ? [] : open(next)
  }

  /// Shows the order and the sections with which the program begins; the filter stays.
  private mutating func openUsual() -> [BrowserEffect] {
    var usual = choice
    (usual.sort, usual.sectionBy) = (nil, nil)
    guard usual != choice else {
      sayIdle("The list has its usual order and sections.")
      return []
    }
    return open(usual)
  }

  private mutating func interrupt() -> [BrowserEffect] {
    if opening != nil { return giveUpOpening() }
    if let interruption, now - interruption < .seconds(1) { return [.quit(130)] }
    interruption = now
    message =
      setup.isVisit
      ? "q goes back, and ^C once more leaves." : "q leaves, and so does ^C once more."
    return []
  }
}

// MARK: - Keys of fields and menus

extension BrowserModel {
  // MARK: - Fields

  /// Takes a key for the field that is being typed into.
  mutating func pressInField(_ key: Key) -> [BrowserEffect] {
    guard var edited = field else { return [] }
    switch key.code {
    case .escape:
      field = nil
      guard edited.purpose == .filter, !choice.filter.isEmpty else { return [] }
      var plain = choice
      plain.filter = ""
      return opening != nil && plain == shownChoice ? giveUpOpening() : open(plain)
    case .enter:
      field = nil
      return edited.purpose == .goTo ? go(toTyped: edited.text) : []
    case .backspace: if !edited.text.isEmpty { edited.text.removeLast() }
    case .character("u") where key.isControl: edited.text = ""
    case .character("c") where key.isControl:
      field = nil
      return []
    case .character(let character) where !key.isControl && !key.isAlt: edited.text.append(character)
    default: return []
    }
    field = edited
    return typed()
  }

  /// Takes a text that was pasted: it goes into the open field, and never starts an action.
  mutating func type(_ text: String) -> [BrowserEffect] {
    if form != nil { return pasteIntoForm(text) }
    let line = String(text.prefix { !$0.isNewline })
    if menu != nil {
      menu?.typed += line
      menu?.index = 0
      return []
    }
    guard field != nil else {
      message = "A paste goes into a field: / filters."
      return []
    }
    field?.text += line
    return typed()
  }

  /// Filters by what has been typed.
  private mutating func typed() -> [BrowserEffect] {
    guard let field, field.purpose == .filter, field.text != choice.filter else { return [] }
    if !field.text.isEmpty { searchText = field.text }
    var filtered = choice
    filtered.filter = field.text
    return open(filtered)
  }

  /// Goes to a row number, a share, or the place of a value; after `=` a number is a value too.
  private mutating func go(toTyped text: String) -> [BrowserEffect] {
    let isShare = text.hasSuffix("%")
    let isRow = text.hasPrefix("#")
    let digits = isRow ? String(text.dropFirst()) : isShare ? String(text.dropLast()) : text
    // Under an order by dates or years a number of four digits is a year.
    let isYear = setup.isYear(text, choice)
    if !isYear, let number = Int(digits.filter { $0 != "," && $0 != " " }), number >= 0 {
      return perform(isShare ? .share : .first, count: number)
    }
    if ["q", "q!", "quit", "w", "wq"].contains(text) {
      message =
        text.hasPrefix("q")
        ? ":\(text) is no command: q leaves. :=\(text) goes to that value."
        : ":\(text) is no command: all is stored already. :=\(text) goes to that value."
      return []
    }
    let value = text.hasPrefix("=") ? String(text.dropFirst()) : text
    guard let list = pane.list, !value.isEmpty else { return [] }
    isPerforming = true
    return [.seek(pane: pane.id, list, choice, value)]
  }

  // MARK: - Detail

  /// Takes a key for the detail pane.
  /// - Returns: Whether the key was meant for the pane.
  mutating func pressInDetail(_ key: Key) -> Bool {
    if key == Key(.tab) {
      detail?.hasFocus.toggle()
      return true
    }
    guard var shown = detail, shown.hasFocus else { return false }
    switch key.code {
    case .down, .character("j"): shown.top += 1
    case .up, .character("k"): shown.top = max(shown.top - 1, 0)
    case .pageDown, .character(" "): shown.top += 5
    case .pageUp: shown.top = max(shown.top - 5, 0)
    default: return false
    }
    detail = shown
    return true
  }

  // MARK: - Menus

  /// Opens the menu of an action.
  mutating func openMenu(_ action: BrowserAction) {
    func items(_ names: [String], rare: Set<String>, default first: String) -> [Menu.Item] {
      ([first] + names).enumerated().map { index, name in
        Menu.Item(text: name, index: index, isRare: index > 0 && rare.contains(name))
      }
    }
    switch action {
    case .help:
      let keys = BrowserKeymap.entries.enumerated().filter {
        setup.hasLinks || $0.element.action != .links
      }
      let lines = keys.map { index, entry in
        Menu.Item(
          text: entry.keyText,
          note: "\(entry.group.rawValue): \(entry.help)",
          index: index,
          synonyms: "\(entry.synonyms) \(entry.hint ?? "")"
        )
      }
      let offered = offeredCommands.filter { $0.key != nil }
      let commands = setup.commands.enumerated().filter { offered.contains($0.element) }
        .map { index, command in
          Menu.Item(
            text: command.keyText,
            note: "\(setup.program): \(command.title)",
            index: BrowserKeymap.entries.count + index
          )
        }
      menu = Menu(purpose: .help, title: "Keys", all: lines + commands)
    case .sections:
      guard let list = pane.list, list.isSectioned, !list.sections.isEmpty else {
        return sayIdle("The list has no sections: S chooses some.")
      }
      let sections = list.sections.prefix(100_000).enumerated().map { index, section in
        Menu.Item(
          text: section.title.isEmpty
            ? "(none)" : SafeText.oneLine(section.title, atMost: BrowserSetup.mostTitleScalars),
          note: BrowserView.grouped(section.count),
          index: index
        )
      }
      var choices = Menu(purpose: .sections, title: "Sections", all: Array(sections))
      choices.index = pane.cursor?.section ?? 0
      menu = choices
    case .sort:
      menu = Menu(
        purpose: .sort,
        title: "Order",
        all: items(
          setup.sortNames.flatMap { [$0, "-\($0)"] },
          rare: Set(setup.rareNames.flatMap { [$0, "-\($0)"] }),
          default: "the usual order"
        )
      )
    case .sectionBy:
      menu = Menu(
        purpose: .sectionBy,
        title: "Sections by",
        all: items(setup.sectionNames, rare: setup.rareNames, default: "the usual sections")
      )
    case .savedLists:
      guard !setup.savedLists.isEmpty else {
        return sayIdle("No list is saved: '\(setup.program) list … --save NAME' saves one.")
      }
      offers = [BrowserOffer("the usual list", order: "", BrowserChoice())] + setup.savedLists
      offer("Saved lists")
    case .messages:
      let lines = log.lines(columns: size.columns - 4, setup.width)
      guard !lines.isEmpty else { return sayIdle("There has been no message yet.") }
      let items = lines.enumerated().map { Menu.Item(text: $1, index: $0) }
      menu = Menu(purpose: .messages, title: "Messages, the newest first", all: items)
    case .commands:
      let offered = offeredCommands
      guard !offered.isEmpty else {
        return sayIdle("The program has no commands for this list.")
      }
      let commands = setup.commands.enumerated().compactMap { index, command in
        offered.contains(command)
          ? Menu.Item(text: command.title, note: command.keyText, index: index) : nil
      }
      menu = Menu(purpose: .commands, title: "Commands", all: commands)
    default: break
    }
  }

  /// Takes a key for the menu that is open.
  mutating func pressInMenu(_ key: Key) -> [BrowserEffect] {
    guard var shown = menu else { return [] }
    let last = max(shown.items.count - 1, 0)
    switch key.code {
    case .escape:
      if shown.purpose == .columns { return closeColumnMenu() }
      menu = nil
      return []
    case .enter:
      // What was typed stays, so that it can be corrected.
      guard shown.items.indices.contains(shown.index) else { return [] }
      guard shown.purpose != .columns else {
        toggleColumn(shown.items[shown.index])
        return []
      }
      menu = nil
      return choose(shown.items[shown.index], of: shown.purpose)
    case .left, .right:
      if shown.purpose == .columns, shown.items.indices.contains(shown.index) {
        moveColumn(shown.items[shown.index], by: key.code == .left ? -1 : 1)
      }
      return []
    case .down, .tab: shown.index = min(shown.index + 1, last)
    case .up: shown.index = max(shown.index - 1, 0)
    case .pageDown: shown.index = min(shown.index + pane.height, last)
    case .pageUp: shown.index = max(shown.index - pane.height, 0)
    case .backspace:
      if !shown.typed.isEmpty { shown.typed.removeLast() }
      shown.index = 0
    case .character("n") where key.isControl: shown.index = min(shown.index + 1, last)
    case .character("p") where key.isControl: shown.index = max(shown.index - 1, 0)
    case .character("u") where key.isControl: (shown.typed, shown.index) = ("", 0)
    case .character("c") where key.isControl:
      menu = nil
      return []
    case .character(let character) where !key.isControl && !key.isAlt:
      shown.typed.append(character)
      shown.index = 0
    default: return []
    }
    menu = shown
    return []
  }

  private mutating func choose(_ item: Menu.Item, of purpose: Menu.Purpose) -> [BrowserEffect] {
    var next = choice
    switch purpose {
    case .lines, .messages, .columns: return []
    case .sameValue:
      searchText = item.note
      return match(backward: false)
    case .help:
      let number = item.index - BrowserKeymap.entries.count
      if number >= 0 { return run(setup.commands[number], frame: nil) }
      return perform(BrowserKeymap.entries[item.index].action)
    case .sections:
      guard item.index < pane.lines.sectionCount else { return [] }
      goal = pane.cursorID ?? goal
      pane.go(to: .header(item.index))
      return []
    case .commands: return run(setup.commands[item.index], frame: nil)
    case .links:
      guard let links, links.all.indices.contains(item.index) else { return [] }
      return visit(links.all[item.index], from: links.row)
    case .sort:
      next.sort = item.index == 0 ? nil : item.text
      offers = setup.orderOffers(next)
      if !offers.isEmpty {
        offer("Order \(item.text)")
        return []
      }
    case .order:
      next = offers[item.index].choice
      next.columns = choice.columns
    case .sectionBy:
      next.sectionBy = item.index == 0 ? nil : item.text
      offers = setup.sectionOffers(next)
      if !offers.isEmpty {
        offer("Sections by \(item.text)")
        return []
      }
    }
    return next == choice ? [] : open(next)
  }
}

extension BrowserModel {
  /// Lets the user choose what an order is to mean that does not fit the sections, or sections that do not fit the order.
  private mutating func offer(_ title: String) {
    let items = offers.enumerated().map { index, offer in
      Menu.Item(text: offer.title, note: SafeText.oneLine(offer.order), index: index)
    }
    menu = Menu(purpose: .order, title: SafeText.oneLine(title), all: items)
  }
}

// MARK: - Matches

/// Going to rows that match a text without narrowing the list, and selecting all rows.
extension BrowserModel {
  /// Goes to the next row that the last filter text matches, or to the one before.
  mutating func match(backward: Bool) -> [BrowserEffect] {
    guard !searchText.isEmpty else {
      message = "Type what to search: n goes to the next row that matches it."
      field = InputField(purpose: .filter, text: choice.filter)
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
    guard let row = pane.cursorRow else { return sayIdle("There is no row under the cursor.") }
    let items = setup.details.filter { $0.attribute != nil }.enumerated().compactMap {
      index,
      detail -> Menu.Item? in
      let text = detail.text(row)
      // A filter is typed, so no text of pages is one.
      guard !text.isEmpty, text.utf8.count <= 1000, !text.utf8.contains(UInt8(ascii: "\""))
      else { return nil }
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
      switch item {
      case .group(let section): pane.setFolded(!pane.isGroupFolded(section), groupOf: section)
      case .header(let section): pane.setFolded(!pane.lines.isFolded(section), section: section)
      case .row: break
      }
    }
    return []
  }
}
