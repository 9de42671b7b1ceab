import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// A list that is read out in lines, for screen readers, braille displays, and terminals that know no escape sequences.
///
/// It has the model of the full screen, and typed lines in place of keys. Like the model it is a value that knows no terminal and no
/// store. After each command it reads out the row under the cursor; what others change is announced in words.
struct LineBrowser: Sendable {
  /// The state that it shares with the full screen.
  var model: BrowserModel
  /// What others changed and what became of the cursor, not yet read out.
  private var announcements: [String] = []
  /// The lines that the last command has to show before the row.
  private var answers: [String] = []
  /// The section whose name was read out last.
  private var namedSection: SectionID?
  /// The cursor's item that was read out last.
  private var readID: ObjectID?
  /// The number of the pane that was read out last.
  private var readPane = 0
  /// The number of the last reading, which stands for a frame on a screen.
  private var reading: Int?
  /// The line from which a command that moves by pages has started.
  private var pageStart: Int?

  /// The number of changed rows that are named one by one.
  static let mostNamedChanges = 5
  /// The number of choices that are listed at once.
  static let mostListedChoices = 40

  init(_ setup: BrowserSetup) {
    model = BrowserModel(setup, size: TerminalSize(columns: 80, rows: 24))
  }

  /// Whether everything that the last line asked for has been done, so that it can be read out.
  var isReady: Bool { model.hasList && model.isSettled }

  /// Whether the list cannot be read at present, so that it has to be tried again.
  var hasFailed: Bool { model.failure != nil }

  /// Takes an event that is no key.
  mutating func update(_ event: BrowserEvent, at now: Duration) -> [BrowserEffect] {
    let isHeld = model.held != nil
    let before = model.message
    let hadFailed = model.failure != nil
    let effects = model.update(event, at: now)
    if hadFailed, model.failure == nil { announcements.append("The list can be read again.") }
    if case .ended(.some) = event { announcements.append(model.message) }
    guard case .list(let pane, let event) = event, pane == model.pane.id, reading != nil, !isHeld
    else { return effects }
    switch event {
    case .change(let change) where !BrowserModel.isOwn(change.delta): announce(change)
    case .change, .snapshot: break
    case .reset, .failure:
      if !model.message.isEmpty, model.message != before { announcements.append(model.message) }
    }
    return effects
  }

  /// Lets what is shown be read out again, after another list has been read out.
  mutating func comeBack() {
    (namedSection, readPane) = (nil, -1)
    model.message = ""
  }

  /// Gives up the wait of a write for other writers.
  /// - Returns: What is to be done; `nil` if there is no such wait.
  mutating func giveUpWaiting(at now: Duration) -> [BrowserEffect]? {
    model.now = now
    return model.giveUpWaiting()
  }

  // MARK: - Lines

  /// Takes a line that was typed.
  mutating func enter(_ line: String, at now: Duration) -> [BrowserEffect] {
    var effects: [BrowserEffect] = []
    model.message = ""
    if model.menu != nil {
      effects = choose(line)
    } else {
      switch LineCommand(line, commands: model.setup.commands) {
      case .unknown(let text):
        model.message =
          SafeText.oneLine("There is no key “\(text)”. ? lists the keys, /\(text) filters.")
      case .program(let key):
        if let command = model.command(withKey: key) {
          effects = model.run(command, frame: reading)
        }
      case .action(let action, let count, let text):
        effects = perform(action, count: count, text: text)
      }
    }
    // The rows that are to be read out are asked for.
    return effects + model.update(.tick, at: now)
  }

  /// Takes a key that was pressed on an empty line, such as an arrow.
  mutating func press(_ key: Key, at now: Duration) -> [BrowserEffect]? {
    if model.menu != nil { return choose("") }
    guard case .action(let action) = BrowserKeymap.meaning(of: [key.description]) else {
      return nil
    }
    model.message = ""
    return perform(action, count: nil, text: "") + model.update(.tick, at: now)
  }

  private mutating func perform(
    _ action: BrowserAction,
    count: Int?,
    text: String
  ) -> [BrowserEffect] {
    guard LineCommand.actions.contains(action) else {
      model.message =
        action == .edit || action == .editInEditor || action == .add
        ? "That needs a full screen. The verbs add and edit of \(model.setup.program) do it in lines."
        : "That needs a full screen."
      return []
    }
    switch action {
    case .filter:
      if !text.isEmpty { model.searchText = text }
      var filtered = model.choice
      filtered.filter = text
      return filtered == model.choice ? [] : model.open(filtered)
    case .goTo:
      guard !text.isEmpty else {
        model.message = "Type a row number behind the colon, or a share such as :50%."
        return []
      }
      model.field = InputField(purpose: .goTo, text: text)
      return model.pressInField(Key(.enter))
    case .indexTitle:
      guard model.pane.hasIndex else {
        model.openMenu(.sections)
        return model.menu == nil || text.isEmpty ? [] : choose(text)
      }
      guard let letter = text.first else {
        model.message = "Type the letter behind the apostrophe."
        return []
      }
      model.pendingKeys = ["'"]
      return model.press(Key(.character(letter)))
    case .repaint:
      namedSection = nil
      return []
    case .help:
      answers += help(containing: text)
      return []
    case .halfPageDown, .halfPageUp, .pageDown, .pageUp:
      pageStart = model.pane.cursor.map { model.pane.lines.line(of: $0) }
    default: break
    }
    let effects = model.perform(action, count: count, frame: reading)
    if model.field != nil {
      // A line is typed as a whole.
      model.field = nil
      model.message = "Nothing has been searched yet: /words filters, * takes a value of this row."
    }
    if model.menu != nil, !text.isEmpty { return choose(text) }
    return effects
  }

  /// Chooses from the menu that is open: by the number of a choice, or by a part of its name.
  private mutating func choose(_ line: String) -> [BrowserEffect] {
    guard var menu = model.menu else { return [] }
    if let number = Int(line), menu.items.indices.contains(number - 1) {
      menu.index = number - 1
    } else {
      menu.typed = line
      let items = menu.items
      let exact = items.firstIndex { $0.text.lowercased() == line.lowercased() }
      guard !line.isEmpty, !items.isEmpty else {
        let effects = model.pressInMenu(Key(.escape))
        if !line.isEmpty { model.message = SafeText.oneLine("There is no choice “\(line)”.") }
        return effects
      }
      guard items.count == 1 || exact != nil else {
        model.menu = menu
        return []
      }
      menu.index = exact ?? 0
    }
    model.menu = menu
    return model.pressInMenu(Key(.enter))
  }

  /// The keys that work without a screen, as the keymap and the program have them.
  private func help(containing text: String) -> [String] {
    let keys = BrowserKeymap.entries.filter {
      LineCommand.actions.contains($0.action) && (model.setup.hasLinks || $0.action != .links)
    }
    .map { (line: "\($0.keyText): \($0.help)", synonyms: $0.synonyms) }
    let commands = model.offeredCommands.filter { $0.key != nil }
      .map { (line: "\($0.keyText): \($0.title)", synonyms: "") }
    let sought = text.lowercased()
    let found = (keys + commands).filter { line, synonyms in
      sought.isEmpty || "\(line) \(synonyms)".lowercased().contains(sought)
    }
    guard !found.isEmpty else { return ["No key does “\(text)”. ? lists all keys."] }
    return [
      "Type a key and Enter. A number before it repeats it; a number alone goes to that row."
    ] + found.map(\.line)
  }

  // MARK: - Reading out

  /// The first lines: what is shown, and how it is used.
  mutating func greeting() -> [String] {
    let setup = model.setup
    let names = [setup.program, setup.file, model.order.words].filter { !$0.isEmpty }
    return [
      SafeText.oneLine("\(names.joined(separator: ", ")): \(counts)."),
      "Type a key and Enter: j next, k before, ? all keys, \(setup.isVisit ? "q back" : "q leave").",
    ]
  }

  /// The number of rows and sections.
  private var counts: String {
    guard let list = model.pane.list else { return "" }
    let noun = list.count == 1 ? model.setup.nouns.one : model.setup.nouns.many
    guard list.isSectioned else { return "\(BrowserView.grouped(list.count)) \(noun)" }
    let word = list.sections.count == 1 ? "section" : "sections"
    let sections = " in \(BrowserView.grouped(list.sections.count)) \(word)"
    return "\(BrowserView.grouped(list.count)) \(noun)\(sections)"
  }

  /// Returns what the last command came to and the row under the cursor.
  ///
  /// Whatever a value of the store contains, the lines have no control character.
  mutating func readOut() -> [String] { answered().map(SafeText.oneLine) }

  private mutating func answered() -> [String] {
    var lines = answers
    answers = []
    if let menu = model.menu { return lines + choices(of: menu) }
    if model.detail != nil {
      model.detail = nil
      lines += details()
    }
    if let start = pageStart { lines += rows(from: start) }
    pageStart = nil
    if !model.message.isEmpty { lines.append(model.message) }
    if model.pane.id != readPane {
      let filter = model.choice.filter
      lines.append(
        SafeText.oneLine((filter.isEmpty ? model.order.words : "/" + filter) + ": \(counts).")
      )
    }
    readPane = model.pane.id
    if let waiting = model.heldText { lines.append("The list is held. \(waiting).") }
    return lines + announced() + present()
  }

  /// Whether something has happened that was not read out yet.
  var hasAnnouncements: Bool { !announcements.isEmpty || model.pane.cursorID != readID }

  /// Returns what others changed, and the row under the cursor if that is another one now.
  mutating func readAnnouncements() -> [String] {
    let moved = model.pane.cursorID != readID
    return (announced() + (moved ? present() : [])).map(SafeText.oneLine)
  }

  private mutating func announced() -> [String] {
    defer { announcements = [] }
    return announcements
  }

  /// Returns the item under the cursor, after the name of its section where that is another one.
  private mutating func present() -> [String] {
    reading = model.notePainted()
    readID = model.pane.cursorID
    guard let cursor = model.pane.cursor, let list = model.pane.list else {
      let filter = model.choice.filter
      let noun = model.setup.nouns.many
      namedSection = nil
      return [
        filter.isEmpty
          ? "There are no \(noun)." : SafeText.oneLine("No \(noun) match \(filter). / shows all.")
      ]
    }
    let header = model.pane.header(cursor.section)
    let isNew = header?.id != namedSection
    namedSection = header?.id
    if case .group(let section) = cursor { return [group(section)] }
    guard case .row(let path) = cursor else { return [section(cursor.section)] }
    let position = (model.pane.position ?? 0) + 1
    let count = BrowserView.grouped(list.count)
    let row = text(at: path)
    let isSelected = model.selectsAll || readID.map(model.selection.contains) ?? false
    return (isNew && list.isSectioned ? [section(path.section)] : []) + [
      "\(row), \(BrowserView.grouped(position)) of \(count)" + (isSelected ? ", selected" : "")
    ]
  }

  private func group(_ section: Int) -> String {
    guard let header = model.pane.group(ofSection: section)?.header else { return "" }
    let noun = header.rowCount == 1 ? model.setup.nouns.one : model.setup.nouns.many
    let sums = model.setup.aggregates(header.aggregates)
    let title = header.title.isEmpty ? "(none)" : header.title
    let numbers = "\(BrowserView.grouped(header.rowCount)) \(noun)"
    let sections =
      "\(BrowserView.grouped(header.sectionCount)) section\(header.sectionCount == 1 ? "" : "s")"
    let folded =
      (sums.isEmpty ? "" : ", \(sums)") + (model.pane.isGroupFolded(section) ? ", folded" : "")
    return SafeText.oneLine("Group \(title), \(numbers) in \(sections)\(folded)")
  }

  private func section(_ index: Int) -> String {
    let pane = model.pane
    let title = pane.header(index).map { $0.title.isEmpty ? "(none)" : $0.title } ?? ""
    let count = pane.lines.rowCount(inSection: index)
    let all = pane.header(index)?.matchingCount ?? count
    let noun = all == 1 ? model.setup.nouns.one : model.setup.nouns.many
    let shown = all == count ? "" : "\(BrowserView.grouped(count)) of "
    let sums = pane.header(index).map { model.setup.aggregates($0.aggregates) } ?? ""
    let folded = (sums.isEmpty ? "" : ", \(sums)") + (pane.lines.isFolded(index) ? ", folded" : "")
    return SafeText.oneLine(
      "Section \(title), \(shown)\(BrowserView.grouped(all)) \(noun)\(folded)"
    )
  }

  private func text(at path: RowPath) -> String {
    guard let position = model.pane.lines.position(of: path),
      let row = model.pane.rows[position]?.content
    else { return "a row that cannot be read" }
    return text(of: row, model.runningText(at: position))
  }

  /// The texts of a row's columns; empty ones are left out.
  private func text(of row: Row, _ running: (column: Int, text: String)? = nil) -> String {
    var texts = model.setup.columns.map { $0.line(row) }
    if let running { texts[running.column] = running.text }
    texts = texts.filter { !$0.isEmpty }
    return texts.isEmpty ? "an empty row" : texts.joined(separator: "; ")
  }

  private func details() -> [String] {
    guard let row = model.pane.cursorRow else { return ["There is no row under the cursor."] }
    let related = model.relatedDetails.flatMap { $0.id == row.id ? $0.lines : nil } ?? []
    let all =
      model.setup.details.map { (title: $0.title, text: $0.text(row)) }
      + related.map { (title: $0.title, text: $0.text) }
    var rest = BrowserView.mostDetailScalars
    return all.map { title, text in
      let shown = SafeText.oneLine(text, atMost: max(rest, BrowserSetup.mostTitleScalars))
      rest -= shown.unicodeScalars.count
      return "\(title): \(shown.isEmpty ? "none" : shown)"
    }
  }

  /// The lines over which a page went; the cursor's own is read out after them.
  private func rows(from start: Int) -> [String] {
    let pane = model.pane
    guard let cursor = pane.cursor else { return [] }
    let end = pane.lines.line(of: cursor)
    let passed = start < end ? Array(start + 1..<end) : (end + 1..<max(start, end + 1)).reversed()
    return passed.compactMap { line in
      switch pane.lines.item(at: line) {
      case .group(let index): group(index)
      case .header(let index): section(index)
      case .row(let path): text(at: path)
      case nil: nil
      }
    }
  }

  private mutating func choices(of menu: Menu) -> [String] {
    let items = menu.items
    let shown = items.prefix(LineBrowser.mostListedChoices).enumerated().map { index, item in
      "\(index + 1) \(item.text)" + (item.note.isEmpty ? "" : ", \(item.note)")
    }
    if menu.purpose.isRead {
      model.menu = nil
      return [SafeText.oneLine(menu.title)] + items.map(\.text) + present()
    }
    let rest = items.count - shown.count
    return ["\(menu.title):"] + shown + (rest > 0 ? ["and \(rest) more"] : []) + [
      "Type a number or a part of a name. Enter alone goes back."
    ]
  }

  // MARK: - Changes of others

  /// Puts a change by others into words: each row, or how many there are.
  private mutating func announce(_ change: ResultsChange<Row>) {
    let delta = change.delta
    var lines: [String] = []
    for row in delta.rows.deletes { lines.append("deleted: \(text(row.old, row.id))") }
    for row in delta.rows.moves {
      let from = title(row.from.path.section, change.before)
      let to = title(row.to.path.section, change.after)
      let origin = from == to ? "" : ", from \(from) to \(to)"
      lines.append("moved: \(text(row.new, row.id))\(origin)")
    }
    for row in delta.rows.inserts {
      let to = title(row.to.path.section, change.after)
      lines.append("added: \(text(row.new, row.id))" + (to.isEmpty ? "" : ", in \(to)"))
    }
    for row in delta.rows.updates { lines.append("changed: \(text(row.new, row.id))") }
    let most = LineBrowser.mostNamedChanges
    announcements += lines.prefix(lines.count > most ? most - 1 : most)
    if lines.count > most {
      let rest = BrowserView.grouped(lines.count - most + 1)
      announcements.append("and \(rest) more changes: \(counts)")
    }
  }

  private func title(_ section: Int, _ list: ResultsList<Row>) -> String {
    guard list.isSectioned, let header = list.section(at: section) else { return "" }
    return SafeText.oneLine(header.title.isEmpty ? "(none)" : header.title)
  }

  private func text(_ row: Row?, _ id: ObjectID) -> String {
    row.map { text(of: $0) } ?? SafeText.oneLine(id.description)
  }
}
