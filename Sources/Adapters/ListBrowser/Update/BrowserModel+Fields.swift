import ResultsPresentation
import TerminalFrontEnd

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
      return open(plain)
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
    let digits = text.hasSuffix("%") ? String(text.dropLast()) : text
    if let number = Int(digits.filter { $0 != "," && $0 != " " }), number >= 0 {
      return perform(text.hasSuffix("%") ? .share : .first, count: number)
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
    func items(_ names: [String], default first: String) -> [Menu.Item] {
      ([first] + names).enumerated().map { Menu.Item(text: $1, index: $0) }
    }
    switch action {
    case .help:
      let lines = BrowserKeymap.entries.enumerated().map { index, entry in
        Menu.Item(text: entry.keyText, note: "\(entry.group.rawValue): \(entry.help)", index: index)
      }
      let commands = setup.commands.enumerated().compactMap { index, command in
        command.key.map { _ in
          Menu.Item(
            text: command.keyText,
            note: "\(setup.program): \(command.title)",
            index: lines.count + index
          )
        }
      }
      menu = Menu(purpose: .help, title: "Keys", all: lines + commands)
    case .sections:
      guard let list = pane.list, list.isSectioned else {
        return message = "The list has no sections: S chooses some."
      }
      let sections = list.sections.prefix(100_000).enumerated().map { index, section in
        Menu.Item(
          text: SafeText.oneLine(section.title),
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
        all: items(setup.sortNames.flatMap { [$0, "-\($0)"] }, default: "the usual order")
      )
    case .sectionBy:
      menu = Menu(
        purpose: .sectionBy,
        title: "Sections by",
        all: items(setup.sectionNames, default: "the usual sections")
      )
    case .commands:
      let offered = offeredCommands
      guard !offered.isEmpty else {
        return message = "The program has no commands for this list."
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
      menu = nil
      return []
    case .enter:
      menu = nil
      guard shown.items.indices.contains(shown.index) else { return [] }
      return choose(shown.items[shown.index], of: shown.purpose)
    case .down, .tab: shown.index = min(shown.index + 1, last)
    case .up: shown.index = max(shown.index - 1, 0)
    case .pageDown: shown.index = min(shown.index + pane.height, last)
    case .pageUp: shown.index = max(shown.index - pane.height, 0)
    case .backspace:
      if !shown.typed.isEmpty { shown.typed.removeLast() }
      shown.index = 0
    case .character("n") where key.isControl: shown.index = min(shown.index + 1, last)
    case .character("p") where key.isControl: shown.index = max(shown.index - 1, 0)
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
    case .lines: return []
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
    case .sort: next.sort = item.index == 0 ? nil : item.text
    case .sectionBy: next.sectionBy = item.index == 0 ? nil : item.text
    }
    return next == choice ? [] : open(next)
  }
}
