import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// Requests to the program: deleting, undoing, and the program's own commands.
///
/// A row can take the cursor in the moment in which a key is pressed. So a request acts on the row that the user saw: if that is
/// under the cursor no more, it waits for the key to be pressed again.
extension BrowserModel {
  /// Deletes the selected rows, or the row under the cursor.
  mutating func delete(count: Int?, frame: Int?) -> [BrowserEffect] {
    // The rows below may have changed since the user saw them; selected rows are shown first.
    if let count, count > 1, selection.isEmpty, !selectsAll {
      message = "d deletes one row, or the selected ones: \(count)␣ selects \(count)."
      return []
    }
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
      sayNoKey(command.keyText)
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
    (isPerforming, isVisiting, pendingWrite) = (false, false, nil)
    let call = performing
    performing = nil
    let text = SafeText.oneLine(outcome.message)
    if outcome.foundNothing { sayIdle(text) } else { message = text }
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
    case .links(let links, let id): return take(links, of: id)
    case .visit(let visit): return [.show(visit)]
    case .later: running += 1
    // A terminal opens no page; the program does.
    case .address: break
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
    let start = present.snapshot.flatPosition(ofSection: path.section) ?? present.count
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
    if writes { pendingWrite = PendingWrite(since: now) }
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
      sayIdle("There is no row under the cursor.")
      return nil
    }
    guard cursorID(inFrame: frame) == id else {
      message = "The list just changed: \(again) \(setup.title(of: row))."
      return nil
    }
    return [id]
  }
}

// MARK: - Forms

/// Forms: opening them, what their keys ask for, and the answers that they wait for.
extension BrowserModel {
  // MARK: - Opening

  /// Opens a form for the selected rows, or for the row under the cursor.
  mutating func edit(usesEditor: Bool, frame: Int?) -> [BrowserEffect] {
    guard canOpenForms else { return [] }
    if selectsAll {
      let count = BrowserView.grouped(pane.list?.count ?? 0)
      return open(
        .all(choice),
        title: "edit all \(count) \(setup.nouns.many)",
        usesEditor: usesEditor
      )
    }
    // The row that the user saw, wherever it is by now: keys that follow are meant for its form.
    let seen = selection.isEmpty ? cursorID(inFrame: frame) ?? pane.cursorID : nil
    guard let ids = seen.map({ [$0] }) ?? rows(for: "e again edits", frame: frame) else {
      return []
    }
    let title: String
    if ids.count == 1, let id = ids.first {
      let row = pane.rows.all.lazy.map(\.value).first { $0.id == id }?.content
      let name = row.map { setup.title(of: $0) } ?? "\(id.key)"
      title = name == "\(id.key)" ? "\(id)" : "\(name), \(id)"
    } else {
      title = "\(ids.count) \(setup.nouns.many)"
    }
    return open(.rows(ids), title: "edit \(title)", usesEditor: usesEditor)
  }

  /// Opens a form for a new row.
  mutating func add() -> [BrowserEffect] {
    guard canOpenForms else { return [] }
    return open(.new, title: addingTitle, usesEditor: false)
  }

  /// The title of the form in which a row is added, such as `add a book`.
  var addingTitle: String {
    let noun = setup.nouns.one
    let article = noun.first.map { "aeiou".contains($0) } == true ? "an" : "a"
    return "add \(article) \(noun)"
  }

  private var canOpenForms: Bool {
    mutating get {
      guard setup.canWrite, !setup.fields.isEmpty else {
        message = "Rows cannot be changed here."
        return false
      }
      return true
    }
  }

  private mutating func open(
    _ subject: FormSubject,
    title: String,
    usesEditor: Bool
  ) -> [BrowserEffect] {
    newestForm += 1
    form = BrowserForm(
      number: newestForm,
      subject: subject,
      fields: setup.fields,
      title: SafeText.oneLine(title),
      usesEditor: usesEditor
    )
    return [.form(number: newestForm, .begin(subject))]
  }

  // MARK: - Keys

  /// Takes a key for the open form; one that comes too early waits.
  mutating func pressInForm(_ key: Key, frame: Int?) -> [BrowserEffect] {
    guard var open = form else { return [] }
    switch open.phase {
    case .opening, .saving, .inEditor:
      if case .opening = open.phase, open.waiting.isEmpty, key.code == .escape {
        form = nil
      } else if key == Key(.character("c"), control: true), case .opening = open.phase {
        form = nil
      } else {
        form?.waiting.append(.key(key, frame: frame))
      }
      return []
    case .editing, .conflict: break
    }
    let step = open.press(key, columns: BrowserView.formColumns(open, size))
    form = open
    switch step {
    case .nothing: return []
    case .repaint: return [.repaint]
    case .close:
      form = nil
      return []
    case .save:
      guard form?.check() == true else { return [] }
      return submit(form?.submission)
    case .editor: return openEditor()
    case .resolve(let character):
      guard let submission = open.submission(resolvedBy: character) else {
        form = nil
        message = "Nothing was written: what is stored stays."
        return []
      }
      return submit(submission)
    }
  }

  /// Takes a pasted text for the open form.
  mutating func pasteIntoForm(_ text: String) -> [BrowserEffect] {
    switch form?.phase {
    case .editing: form?.paste(text)
    case .opening, .saving, .inEditor: form?.waiting.append(.paste(text))
    case .conflict, nil: break
    }
    return []
  }

  private mutating func submit(_ submission: FormSubmission?) -> [BrowserEffect] {
    guard let open = form, let submission else { return [] }
    if submission.texts.isEmpty, submission.subject != .new, submission.policy != .addDeleted {
      guard !open.isDeleted else {
        form?.phase = .conflict(.deleted, of: submission)
        return []
      }
      form = nil
      message = "Nothing was changed."
      return []
    }
    form?.phase = .saving
    pendingWrite = PendingWrite(since: now)
    return [.form(number: open.number, .save(submission))]
  }

  private mutating func openEditor() -> [BrowserEffect] {
    guard let open = form else { return [] }
    form?.phase = .inEditor
    let text = FormLines.text(of: open.entries, open.fields, title: open.title)
    return [.form(number: open.number, .edit(text))]
  }

  // MARK: - Answers

  /// Takes an answer, unless the form that waits for it is closed.
  mutating func take(_ event: FormEvent, ofForm number: Int) -> [BrowserEffect] {
    guard form?.number == number else { return [] }
    switch event {
    case .begun(let content):
      form?.begin(with: content)
      return form?.usesEditor == true ? openEditor() : takeWaiting()
    case .refused(let reason):
      form = nil
      message = SafeText.oneLine(reason)
    case .saved(let outcome, let submission):
      pendingWrite = nil
      return take(outcome, of: submission)
    case .changed: form?.landingState.isOutdated = true
    case .drafted(let content, let landing, let revision, let list):
      form?.landing = landing
      form?.landingState.isLooking = false
      form?.landingState.found = revision
      form?.landingState.list = list
      // What was typed since is based on what was shown then.
      if let content, case .editing = form?.phase, form?.landingState.revision == revision {
        form?.follow(content)
      }
    case .edited(let text): return takeEdited(text)
    case .notEdited(let reason):
      guard form?.usesEditor == false || form?.hasChanges == true else {
        form = nil
        message = SafeText.oneLine(reason)
        return []
      }
      form?.phase = .editing
      form?.reason = reason
      return takeWaiting()
    }
    return []
  }

  private mutating func take(
    _ outcome: FormOutcome,
    of submission: FormSubmission
  ) -> [BrowserEffect] {
    switch outcome {
    case .saved(let text, let added):
      let waiting = form?.waiting ?? []
      let isOutside = form?.landing == .outside
      form = nil
      message = SafeText.oneLine(text) + (isOutside ? " It is not in this list." : "")
      self.added = added
      if added == nil { (selection, selectsAll) = ([], false) }
      // What was typed after Enter was meant for the list.
      return waiting.flatMap { input in
        switch input {
        case .key(let key, let frame): press(key, frame: frame)
        case .paste(let text): type(text)
        }
      }
    case .invalid(let problems):
      form?.phase = .editing
      for index in form?.entries.indices ?? 0..<0 {
        guard let field = form?.entries[index].field else { continue }
        form?.entries[index].problem = problems[field]
      }
      if let first = form?.entries.firstIndex(where: { $0.problem != nil }) { form?.index = first }
    case .conflict(let conflict):
      form?.phase = .conflict(conflict, of: submission)
      form?.landingState.isOutdated = true
    case .failed(let reason):
      form?.phase = .editing
      form?.reason = reason
    }
    // What was typed after Enter took for granted that it would be stored.
    form?.waiting = []
    return []
  }

  private mutating func takeEdited(_ text: String) -> [BrowserEffect] {
    guard var open = form else { return [] }
    let problems = FormLines.read(text, into: &open.entries, open.fields)
    open.phase = .editing
    open.noteTyping()
    let isValid = open.check()
    open.reason = FormLines.summary(problems)
    form = open
    if open.usesEditor, problems.isEmpty, isValid { return submit(open.submission) }
    return takeWaiting()
  }

  private mutating func takeWaiting() -> [BrowserEffect] {
    let waiting = form?.waiting ?? []
    form?.waiting = []
    return waiting.flatMap { input in
      switch input {
      case .key(let key, let frame): press(key, frame: frame)
      case .paste(let text): type(text)
      }
    }
  }

  // MARK: - The list around the form

  /// Puts the cursor on a row that a form has added, as soon as the list has it; a key that comes first keeps the cursor where it is.
  mutating func goToAdded(after event: BrowserEvent) -> [BrowserEffect] {
    guard let id = added else { return [] }
    switch event {
    case .list(let number, .change(let change)):
      guard number == pane.id, pane.list?.position == change.after.position,
        let insert = change.delta.rows.inserts.first(where: { $0.id == id })
      else { return [] }
      goal = pane.cursorID ?? goal
      pane.go(to: .row(insert.to.path))
      added = nil
    // The list may have it already.
    case .form(_, .saved): return held == nil ? search(for: id, .resume) : []
    case .key, .paste: added = nil
    default: break
    }
    return []
  }

  /// Asks what others have stored and where the row of the form would stand, if the form, the store or the list has changed since the last
  /// answer.
  mutating func draftForm() -> [BrowserEffect] {
    guard let open = form, case .editing = open.phase, let list = pane.list,
      open.subject == .new || open.begun.count == 1
    else { return [] }
    let state = open.landingState
    let isTyped = state.found != state.revision
    guard !state.isLooking, isTyped || state.isOutdated || state.list != list.position,
      isTyped || now - state.time >= LandingState.patience
    else { return [] }
    form?.landingState.isLooking = true
    form?.landingState.isOutdated = false
    form?.landingState.time = now
    let request = FormEffect.draft(open.submission, revision: state.revision, list, choice)
    return [.form(number: open.number, request)]
  }
}
