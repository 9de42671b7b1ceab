import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// Requests to the program: deleting, undoing, and the program's own commands.
///
/// A row can take the cursor in the moment in which a key is pressed. So a request acts on the row that the user saw: if that is
/// under the cursor no more, it waits for the key to be pressed again.
extension BrowserModel {
  /// Deletes the selected rows, or the row under the cursor.
  mutating func delete(frame: Int?) -> [BrowserEffect] {
    if selectsAll { return mayChangeAll("d again deletes") ? request(.deleteAll(choice)) : [] }
    guard let ids = rows(for: "d again deletes", frame: frame) else { return [] }
    return request(.delete(ids))
  }

  /// Runs a command of the program.
  mutating func run(_ command: BrowserCommand, frame: Int?) -> [BrowserEffect] {
    var ids: [ObjectID] = []
    var section: SectionID?
    switch command.scope {
    case .list: break
    case .section: section = pane.cursor.flatMap { pane.header($0.section)?.id }
    case .rows:
      let key = command.key.map(String.init) ?? "it"
      if selectsAll {
        guard !command.writes || mayChangeAll("\(key) again acts on") else { return [] }
        ids = pane.cursorID.map { [$0] } ?? []
        break
      }
      guard let rows = rows(for: "\(key) again acts on", frame: frame) else { return [] }
      ids = rows
    }
    let call = call(of: command, on: ids, section)
    guard setup.isOffered(call) else {
      message = "There is nothing to do for “\(command.title)”."
      return []
    }
    return request(.command(call), writes: command.writes)
  }

  /// A command with what it acts on in the shown list.
  private func call(
    of command: BrowserCommand,
    on ids: [ObjectID],
    _ section: SectionID?
  ) -> BrowserCall {
    BrowserCall(
      name: command.name,
      ids: ids,
      section: section,
      choice: choice,
      matchingCount: pane.list?.matchingCount ?? 0,
      actsOnAll: selectsAll && command.scope == .rows
    )
  }

  /// The commands that make sense now, in the program's order.
  var offeredCommands: [BrowserCommand] {
    let ids = selection.isEmpty ? pane.cursorID.map { [$0] } ?? [] : Array(selection)
    let section = pane.cursor.flatMap { pane.header($0.section)?.id }
    return setup.commands.filter { command in
      (setup.canWrite || !command.writes) && setup.isOffered(call(of: command, on: ids, section))
    }
  }

  /// The command that a key starts.
  func command(withKey key: Character) -> BrowserCommand? {
    setup.commands.first { $0.key == key }
  }

  // MARK: - Outcomes

  /// Says what a request came to, and shows what it has to show.
  mutating func take(_ outcome: BrowserOutcome) -> [BrowserEffect] {
    isPerforming = false
    let call = performing
    performing = nil
    message = SafeText.oneLine(outcome.message)
    switch outcome.effect {
    case .none: break
    case .lines(let title, let lines):
      let items = lines.enumerated().map { Menu.Item(text: SafeText.oneLine($1), index: $0) }
      let isClosed = readsLinesAgain && menu?.purpose != .lines
      readsLinesAgain = false
      guard !isClosed else { break }
      var lines = Menu(purpose: .lines, title: title, all: items)
      if let menu, menu.purpose == .lines, linesCall?.name == call?.name {
        (lines.typed, lines.index) = (menu.typed, min(menu.index, max(items.count - 1, 0)))
      }
      menu = lines
      linesCall = call
      if areLinesOld { return readLinesAgain() }
    case .detail(let id): return search(for: id, .detail)
    case .list(let choice):
      listCall = call
      return open(choice)
    case .jump(let row):
      guard let list = pane.list else { break }
      isPerforming = true
      return [.land(pane: pane.id, list, row)]
    }
    return []
  }

  /// Goes to where a row stands or would stand, or asks again if the list has changed since.
  mutating func land(
    _ row: Row,
    at path: RowPath?,
    of list: ResultsList<Row>,
    in id: Int
  ) -> [BrowserEffect] {
    isPerforming = false
    guard id == pane.id, let present = pane.list, present.count > 0 else { return [] }
    guard present.position == list.position else {
      isPerforming = true
      return [.land(pane: id, present, row)]
    }
    guard let path else {
      message = "That would not be in this list."
      return []
    }
    // A section that would be new stands before the one that has its number now.
    let start = pane.lines.position(of: RowPath(section: path.section, row: 0)) ?? present.count
    goal = pane.cursorID ?? goal
    if let target = pane.lines.path(at: min(start + path.row, present.count - 1)) {
      pane.go(to: .row(target))
    }
    return []
  }

  /// Asks for a request to be performed, if the store may be changed or is not.
  mutating func request(_ request: BrowserRequest, writes: Bool = true) -> [BrowserEffect] {
    guard setup.canWrite || !writes else {
      message = "Rows cannot be changed here."
      return []
    }
    if case .delete = request { selection = [] }
    if case .delete = request { selectsAll = false }
    if case .deleteAll = request { selectsAll = false }
    isPerforming = true
    if case .command(let call) = request { performing = call }
    return [.perform(request)]
  }

  /// Whether all rows may be changed; the user is asked first if there are more than can be taken back.
  private mutating func mayChangeAll(_ again: String) -> Bool {
    guard let list = pane.list else { return false }
    guard list.matchingCount > setup.mostUndoableRows, askedAbout != list.position else {
      return true
    }
    askedAbout = list.position
    message =
      "u cannot take back \(BrowserView.grouped(list.matchingCount)) rows: \(again) them all."
    return false
  }

  /// Reads the lines of a command again after a change, as long as they are shown.
  mutating func readLinesAgain() -> [BrowserEffect] {
    guard menu?.purpose == .lines, let call = linesCall else { return [] }
    areLinesOld = isPerforming
    guard !isPerforming else { return [] }
    readsLinesAgain = true
    return request(.command(call), writes: false)
  }

  /// Reads the list of a command again, so that it shows what the command would choose now.
  mutating func reopenList() -> [BrowserEffect] {
    guard choice.commandList != nil, var call = listCall else { return [] }
    call.choice = BrowserChoice()
    return request(.command(call), writes: false)
  }

  /// Returns the rows to act on, or `nil` if there is none or the user saw another one.
  mutating func rows(for again: String, frame: Int?) -> [ObjectID]? {
    if !selection.isEmpty { return selection.sorted { "\($0.key)" < "\($1.key)" } }
    guard let id = pane.cursorID, let row = pane.cursorRow else {
      message = "There is no row under the cursor."
      return nil
    }
    guard cursorID(inFrame: frame) == id else {
      message = "The list just changed: \(again) \(setup.title(of: row))."
      return nil
    }
    return [id]
  }
}
