import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

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
    if submission.texts.isEmpty, submission.subject != .new {
      form = nil
      message = "Nothing was changed."
      return []
    }
    form?.phase = .saving
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
    case .saved(let outcome, let submission): return take(outcome, of: submission)
    case .landed(let landing, let revision, let list):
      form?.landing = landing
      form?.landingState.isLooking = false
      form?.landingState.found = revision
      form?.landingState.list = list
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
    case .conflict(let conflict): form?.phase = .conflict(conflict, of: submission)
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
    open.reason = problems.joined(separator: " ")
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

  /// Asks where the row of the form would stand, if the form or the list has changed since the last answer.
  mutating func landForm() -> [BrowserEffect] {
    guard let open = form, case .editing = open.phase, let list = pane.list,
      open.subject == .new || open.begun.count == 1
    else { return [] }
    let state = open.landingState
    guard !state.isLooking, state.found != state.revision || state.list != list.position,
      state.found != state.revision || now - state.time >= LandingState.patience
    else { return [] }
    form?.landingState.isLooking = true
    form?.landingState.time = now
    let request = FormEffect.land(
      open.submission,
      revision: state.revision,
      pane: pane.id,
      list,
      choice
    )
    return [.form(number: open.number, request)]
  }
}
