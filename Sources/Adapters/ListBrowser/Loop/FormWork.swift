import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Synchronization

/// A form that is open, with the task that opens it and follows the store.
struct FormAtWork: Sendable {
  let number: Int
  let task: Task<Void, Never>
  var form: OpenForm?
}

/// What forms ask for: reading, storing, and finding where a row would stand.
extension BrowserWork {
  /// Performs an effect of a form.
  func perform(_ effect: FormEffect, ofForm number: Int) {
    switch effect {
    case .begin(let subject): openForm(number, subject)
    case .draft(let submission, let revision, let list, let choice):
      answer(number) { await BrowserWork.draft(submission, revision, list, choice, in: $0) }
    case .save(let submission):
      let wait = beginWait()
      answer(number) { await BrowserWork.save(submission, wait, in: $0) }
    case .edit: send(.form(number: number, .notEdited("There is no terminal for an editor here.")))
    case .end: endForm { $0 == number }
    }
  }

  private func openForm(_ number: Int, _ subject: FormSubject) {
    guard let forms = source.forms else {
      return send(.form(number: number, .refused("There are no forms here.")))
    }
    endForm { _ in true }
    form.withLock { form in
      // Under the lock, so that the task finds the form that it opens however soon it runs.
      let task = Task(executorPreference: executor) { [weak self, send] in
        let opened = forms.open(subject)
        self?.form.withLock { form in if form?.number == number { form?.form = opened } }
        let changes = opened.changes()
        send(.form(number: number, await BrowserWork.begin(opened)))
        for await _ in changes { send(.form(number: number, .changed)) }
      }
      form = FormAtWork(number: number, task: task)
    }
  }

  /// Ends the draft of the open form, if its number is one of those.
  func endForm(where isEnded: (Int) -> Bool) {
    form.withLock { open in
      guard let number = open?.number, isEnded(number) else { return }
      open?.task.cancel()
      open = nil
    }
  }

  private func answer(
    _ number: Int,
    _ body: @escaping @Sendable (OpenForm) async -> FormEvent
  ) {
    guard let open = form.withLock({ $0?.number == number ? $0?.form : nil }) else { return }
    Task(executorPreference: executor) { [send] in
      send(.form(number: number, await body(open)))
    }
  }

  @concurrent private static func begin(_ form: OpenForm) async -> FormEvent {
    do { return .begun(try form.begin()) } catch { return .refused(reason(of: error)) }
  }

  @concurrent private static func save(
    _ submission: FormSubmission,
    _ wait: WriterWait,
    in form: OpenForm
  ) async -> FormEvent {
    do {
      let outcome = try WriterWait.$current.withValue(wait) { try form.save(submission) }
      return .saved(outcome, of: submission)
    } catch {
      return .saved(.failed(reason(of: error)), of: submission)
    }
  }

  @concurrent private static func draft(
    _ submission: FormSubmission,
    _ revision: Int,
    _ list: ResultsList<Row>,
    _ choice: BrowserChoice,
    in form: OpenForm
  ) async -> FormEvent {
    var content: FormContent?
    let landing: FormLanding
    do {
      let draft = try form.draft(submission, choice)
      content = draft.content
      landing = try FormLanding(of: draft.edited.get(), in: list)
    } catch {
      landing = .unknown(reason(of: error))
    }
    return .drafted(content, landing, revision: revision, in: list.position)
  }

  private static func reason(of error: any Error) -> String {
    (error as? BrowserSource.Refusal)?.reason ?? "\(error)"
  }
}

extension FormLanding {
  /// Finds where a row would stand in a list.
  /// - Throws: `ResultsError` where the list cannot be read.
  /// - Complexity: That of `ResultsList.landingPath(of:)`; two rows are read.
  init(of edited: FormDraft.Edited, in list: ResultsList<Row>) throws(ResultsError) {
    guard
      let (path, landed, name) = try list.landing(of: edited.row, as: edited.id, in: edited.store)
    else {
      self = .outside
      return
    }
    let old = list.path(of: edited.id)
    // The path counts sections and rows without the row itself.
    let vanishing = old.flatMap { path in
      list.isSectioned && list.section(at: path.section)?.count == 1 ? path.section : nil
    }
    let section = path.section + (vanishing.map { path.section >= $0 ? 1 : 0 } ?? 0)
    let isNew =
      list.isSectioned && path.row == 0
      && (list.section(at: section).map { section in
        landed.map { $0.value != section.id.value } ?? false
      } ?? true)
    if isNew {
      let title = landed.map { name ?? edited.title($0.value) } ?? ""
      if let vanishing, path.section == vanishing, list.section(at: vanishing)?.title == title {
        self = .same
        return
      }
      let next = list.section(at: section)?.title
      let before = section - 1 == vanishing ? section - 2 : section - 1
      self = .newSection(title, between: list.section(at: before)?.title, and: next)
      return
    }
    if let old, old.section == section, old.row == path.row {
      self = .same
      return
    }
    guard let shown = list.section(at: section) else {
      self = .between(nil, nil, section: nil)
      return
    }
    // The rows beside it, without the row itself.
    let own = old.flatMap { $0.section == section ? $0.row : nil }
    let rows = try [path.row - 1, path.row].map { row throws(ResultsError) -> Row? in
      let index = row + (own.map { row >= $0 ? 1 : 0 } ?? 0)
      guard row >= 0, index < shown.count else { return nil }
      return try shown.rows.objects(at: index..<index + 1).first
    }
    self = .between(rows[0], rows[1], section: list.isSectioned ? shown.title : nil)
  }
}
