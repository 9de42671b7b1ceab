import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization

/// The forms in which the browser adds and changes a program's objects: the fields are those of the verbs `add` and `edit`.
struct BrowsedForms<Program: ListProgram>: Sendable {
  let lists: BrowsedLists<Program>
  let requests: BrowsedRequests<Program>

  /// What the browser asks of the forms.
  var forms: BrowserForms {
    BrowserForms { subject in
      let form = BrowsedForm(subject, lists, requests)
      return OpenForm(
        begin: { try lists.refusing { try form.begin() } },
        draft: { submission, choice in
          try lists.refusing { try form.draft(submission, for: choice) }
        },
        save: { submission in try lists.refusing { try form.save(submission) } },
        changes: { lists.store.commitNotifications() }
      )
    }
  }
}

extension BrowsedForms {
  /// The fields of the forms: those of the verb `add`, and the key where it is chosen by the user.
  static func fields(for settings: LocaleSettings) -> [FormField] {
    let values = FormValues(settings)
    let attributes = Program.fields.form.attributes.map { attribute in
      FormField(attribute.name) { values.problem(of: $0, for: attribute) }
    }
    guard case .text = Program.entity.identity else { return attributes }
    return attributes + [
      FormField(Program.keyTitle, isKey: true) { text in
        text.isEmpty ? "needs a value." : nil
      }
    ]
  }
}

/// A form that is open, over a draft of the store: what is typed in it and is valid is written into the draft, which merges what others
/// commit, finds conflicts, and is committed when the form is saved.
private final class BrowsedForm<Program: ListProgram>: Sendable {
  private let subject: FormSubject
  private let lists: BrowsedLists<Program>
  private let requests: BrowsedRequests<Program>
  private let draft: DraftStore
  /// The texts of values in a form.
  private let values: FormValues
  /// Held while the draft is written and committed, which takes no other lock of this package's front ends but that of the requests.
  private let turn = Mutex<Void>(())

  private var form: EntityDescription { Program.fields.form }

  init(
    _ subject: FormSubject,
    _ lists: BrowsedLists<Program>,
    _ requests: BrowsedRequests<Program>
  ) {
    self.subject = subject
    self.lists = lists
    self.requests = requests
    draft = DraftStore(over: lists.store)
    values = FormValues(lists.settings)
  }

  // MARK: - What a form begins with

  /// Returns what the form begins with.
  /// - Throws: `CommandFailure` if none of the rows is in the store any more; the store's error.
  func begin() throws -> FormContent {
    let ids: [ObjectID]
    switch subject {
    case .new: return FormContent(rows: [], texts: form.attributes.map { _ in "" })
    case .rows(let rows): ids = rows
    case .all(let choice): ids = try lists.ids(of: choice)
    }
    guard ids.count <= CommandRunner.rowLimit else {
      throw CommandFailure(
        .usage,
        "More than \(CommandRunner.rowLimit) rows cannot be changed at once: it could not be undone.",
        remedy: "Filter the list, and change its parts."
      )
    }
    let rows = try lists.store.read { (snapshot) throws(StoreError) in
      try BrowsedForm.rows(ids.map(\.key), in: snapshot).compactMap(\.self)
    }
    guard !rows.isEmpty else {
      throw CommandFailure(
        .nothingMatched,
        "The \(Program.nouns.one) is not in the store any more."
      )
    }
    return FormContent(rows: rows, texts: texts(of: rows))
  }

  /// Reads rows as a form knows them, in the order of their keys.
  private static func rows(
    _ keys: [ObjectKey],
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [FormRow?] {
    let stored = try snapshot.rows(keys, of: Program.entity)
    var shown = try Program.fields.rows(stored.compactMap(\.self), in: snapshot)[...]
    return stored.map { stored in
      guard let stored, let shown = shown.popFirst() else { return nil }
      return FormRow(stored: stored, shown: shown)
    }
  }

  /// The text of each field, where the rows have one value in it.
  private func texts(of rows: [FormRow]) -> [String?] {
    form.attributes.enumerated().map { index, attribute in
      guard let value = rows.first?.shown.values[index],
        rows.dropFirst().allSatisfy({ $0.shown.values[index] == value })
      else { return nil }
      return values.text(value, of: attribute)
    }
  }

  // MARK: - What is typed

  /// Writes what is typed and valid into the draft.
  /// - Returns: What the form shows besides, and the row as it would be stored.
  /// - Throws: The store's error, `BrowserSource.Refusal` for a choice that is not valid.
  func draft(_ submission: FormSubmission, for choice: BrowserChoice) throws -> FormDraft {
    let definition = try lists.definition(of: choice)
    var read = values.read(submission.texts, of: Program.self)
    let problems = problems(of: read, submission.begun)
    for field in problems.keys { read.values[field] = nil }
    guard submission.subject != .new || problems.isEmpty else {
      let content = FormContent(rows: [], texts: [])
      return FormDraft(content, .failure(reason(problems, submission)))
    }
    let written = try turn.withLock { _ in try write(submission, read) }
    let content = content(of: submission, written)
    if !problems.isEmpty { return FormDraft(content, .failure(reason(problems, submission))) }
    guard let row = written.row else {
      return FormDraft(content, .failure(BrowserSource.Refusal("it was deleted")))
    }
    // A key that only the draft has is followed by that of the base, which comes after all others.
    var id = row.id
    if submission.subject == .new, case .integer(let number) = id.key, number < 0 {
      id = ObjectID(entity: id.entity, key: .integer(.max))
    }
    let edited = FormDraft.Edited(row, as: id, in: draft) { value in
      definition.sectionKey?.title(of: value) ?? ""
    }
    return FormDraft(content, .success(edited))
  }

  /// The reason why there is no row that would be stored.
  private func reason(
    _ problems: [Int: String],
    _ submission: FormSubmission
  ) -> BrowserSource.Refusal {
    let typed = problems.keys.filter { submission.texts[$0]?.isEmpty == false }
    guard let field = typed.min() ?? problems.keys.min() else { return BrowserSource.Refusal("") }
    let name =
      form.attributes.indices.contains(field) ? form.attributes[field].name : Program.keyTitle
    let isMissing = submission.texts[field]?.isEmpty ?? true
    return BrowserSource.Refusal(name + (isMissing ? " has no value yet" : " cannot be read"))
  }

  /// What is wrong with what is typed, by the fields' positions.
  private func problems(of read: FormValues.Reading, _ begun: [FormRow]) -> [Int: String] {
    var problems = read.problems
    let empty = Array(repeating: Value.null, count: form.attributes.count)
    let rows = subject == .new ? [empty] : begun.map(\.shown.values)
    for row in rows {
      var row = row
      for (field, value) in read.values { row[field] = value }
      let found = values.problems(of: row, in: form)
      problems.merge(found) { first, _ in first }
      if !found.isEmpty { break }
    }
    if subject == .new, case .text = Program.entity.identity, read.key == nil {
      problems[form.attributes.count] = problems[form.attributes.count] ?? "needs a value."
    }
    return problems
  }

  /// The values that are to be written; the value that all rows had is no change.
  private func wishes(_ read: FormValues.Reading, _ begun: [FormRow]) -> [Int: Value] {
    var wishes: [Int: Value] = [:]
    for (field, value) in read.values {
      let value = Program.fields.normalized(value, ofField: field)
      let isChange = begun.contains { $0.shown.values[field] != value }
      wishes[field] = isChange ? value : nil
    }
    return wishes
  }

  // MARK: - The draft

  /// What the draft has of a submission.
  private struct Written: Sendable {
    /// The row of a form for one, as the draft has it.
    var row: Row?
    /// The rows as they are stored, `nil` for those that were deleted.
    var present: [FormRow?] = []
    /// The number of rows that differ from what is stored.
    var count = 0
    var isAddedAgain = false
    /// The related objects that are new.
    var created: [Row] = []
    /// The rows that others have deleted, or changed in the same fields.
    var conflicts: Set<ObjectID> = []
  }

  /// Writes a submission into the draft, in place of what it had, based on the rows as the form knows them.
  private func write(
    _ submission: FormSubmission,
    _ read: FormValues.Reading,
    leaving left: Set<ObjectID> = []
  ) throws -> Written {
    let (fields, begun) = (Program.fields, submission.begun)
    let wishes = wishes(read, begun)
    draft.discard()
    var written = try draft.commit(origin: .unnamed) { transaction in
      var written = Written()
      var objects = NamedObjects()
      if submission.subject == .new {
        var values = Array(repeating: Value.null, count: form.attributes.count)
        for (field, value) in read.values { values[field] = value }
        values = fields.normalized(values)
        let id = try fields.insert(values, key: read.key, into: transaction, finding: &objects)
        written.row = try transaction.rows([id.key], of: Program.entity).first ?? nil
        written.count = 1
        return written
      }
      written.present = try BrowsedForm.rows(begun.map(\.stored.id.key), in: transaction)
      for (begun, present) in zip(begun, written.present) {
        if let present {
          guard !left.contains(present.stored.id) else { continue }
          let changed = try fields.update(
            present.stored,
            setting: wishes,
            from: begun.shown,
            in: transaction,
            finding: &objects
          )
          if !changed.isEmpty { written.count += 1 }
        } else if submission.policy == .addDeleted {
          var values = begun.shown.values
          for (field, value) in wishes { values[field] = value }
          let key = begun.stored.id.key
          try fields.insertAgain(values, key: key, into: transaction, finding: &objects)
          written.count += 1
          written.isAddedAgain = true
        }
      }
      guard begun.count == 1, let key = begun.first?.stored.id.key else { return written }
      written.row = try transaction.rows([key], of: Program.entity).first ?? nil
      return written
    }.result
    draft.setAncestors(begun.map(\.stored))
    for (begun, present) in zip(begun, written.present) where !left.contains(begun.stored.id) {
      let isMissing = present == nil && submission.policy != .addDeleted
      guard !isMissing, case .conflict? = draft.state(of: begun.stored.id) else {
        if isMissing { written.conflicts.insert(begun.stored.id) }
        continue
      }
      written.conflicts.insert(begun.stored.id)
    }
    written.created = draft.edits.compactMap { edit in
      edit.state == .inserted && edit.id != written.row?.id ? edit.row : nil
    }
    return written
  }

  /// The fields in which others have changed a row too.
  private func conflictingFields(of id: ObjectID) -> [Int] {
    guard case .conflict(_, let theirs?)? = draft.state(of: id),
      let ancestor = draft.edits.first(where: { $0.id == id })?.ancestor
    else { return [] }
    return ancestor.values.indices.filter { ancestor.values[$0] != theirs.values[$0] }
  }

  /// What the form shows besides what is typed in it.
  private func content(of submission: FormSubmission, _ written: Written) -> FormContent {
    guard let begun = submission.begun.first else { return FormContent(rows: [], texts: []) }
    guard let present = written.present.first ?? nil else {
      return FormContent(rows: [begun], texts: texts(of: [begun]), isDeleted: true)
    }
    var row = present
    for field in submission.texts.keys where form.attributes.indices.contains(field) {
      row.shown.values[field] = begun.shown.values[field]
      if begun.stored.values.indices.contains(field) {
        row.stored.values[field] = begun.stored.values[field]
      }
    }
    let conflicts = conflictingFields(of: present.stored.id).map { field in
      (field, values.text(present.shown.values[field], of: form.attributes[field]))
    }
    return FormContent(
      rows: [row],
      texts: texts(of: [row]),
      conflicts: Dictionary(conflicts) { first, _ in first }
    )
  }

  // MARK: - Saving

  private enum Saved: Sendable {
    case conflict(FormConflict)
    case added(ObjectID)
    case changed(Int, isAddedAgain: Bool)
  }

  /// Commits a submission in one transaction that can be undone.
  /// - Throws: The store's error; then nothing was written.
  func save(_ submission: FormSubmission) throws -> FormOutcome {
    let read = values.read(submission.texts, of: Program.self)
    let problems = read.problems.isEmpty ? problems(of: read, submission.begun) : read.problems
    guard problems.isEmpty else { return .invalid(problems) }
    let (message, saved) = try turn.withLock { _ in
      try requests.perform(title(of: submission, read)) { _, origin in
        let saved = try commit(submission, read, origin)
        return (title(of: saved, submission, read), saved)
      }
    }
    switch saved {
    case .conflict(let conflict): return .conflict(conflict)
    case .added(let id): return .saved(message, added: id)
    case .changed:
      return .saved(message.isEmpty ? "Nothing was changed: the store has these values." : message)
    }
  }

  /// What is about to be done, in words without a period.
  private func title(of submission: FormSubmission, _ read: FormValues.Reading) -> String {
    guard submission.subject != .new else { return "added \(Program.oneObject)" }
    return title(of: .changed(submission.begun.count, isAddedAgain: false), submission, read)
  }

  /// What was done, in words without a period; empty if nothing was.
  private func title(
    of saved: Saved,
    _ submission: FormSubmission,
    _ read: FormValues.Reading
  ) -> String {
    let nouns = Program.nouns
    switch saved {
    case .conflict, .changed(0, _): return ""
    case .added(let id): return "added \(id)"
    case .changed(let count, let isAddedAgain):
      let one = submission.begun.first.map { "\($0.stored.id)" } ?? nouns.one
      let what =
        submission.begun.count == 1 ? one : "\(count) \(count == 1 ? nouns.one : nouns.many)"
      guard !isAddedAgain else { return "added \(what) again" }
      let names = wishes(read, submission.begun).keys.sorted().map { form.attributes[$0].name }
      return "changed \(names.joined(separator: ", ")) of \(what)"
    }
  }

  /// How often a submission is written again because of commits of others that come in between.
  private static var attempts: Int { 5 }

  private func commit(
    _ submission: FormSubmission,
    _ read: FormValues.Reading,
    _ origin: CommitOrigin
  ) throws -> Saved {
    var failure = StoreError.writeConflict(path: draft.identity.name)
    for _ in 0..<BrowsedForm.attempts {
      var written = try write(submission, read)
      if !written.conflicts.isEmpty {
        guard submission.policy == .skip else {
          return .conflict(conflict(of: submission, read, written))
        }
        written = try write(submission, read, leaving: written.conflicts)
      }
      guard written.count > 0 else { return .changed(0, isAddedAgain: false) }
      do throws(DraftError) {
        let created = written.created
        let committed = try draft.commit(origin: origin) { (base) throws(StoreError) in
          try Program.fields.checkNames(of: created, areNewIn: base)
        }
        guard submission.subject == .new, let id = written.row?.id else {
          return .changed(written.count, isAddedAgain: written.isAddedAgain)
        }
        return .added(committed.result[id] ?? id)
      } catch {
        switch error {
        case .conflicts: continue
        case .store(let error):
          // Others have made an object of that name meanwhile, which is found now.
          guard case .alreadyExists(let id) = error,
            written.created.contains(where: { $0.id == id })
          else { throw error }
          failure = error
        }
      }
    }
    throw failure
  }

  /// The conflict of a submission, in the texts of the fields.
  private func conflict(
    of submission: FormSubmission,
    _ read: FormValues.Reading,
    _ written: Written
  ) -> FormConflict {
    let present = written.present.compactMap(\.self)
    guard submission.begun.count == 1, let begun = submission.begun.first else {
      return .several(changed: written.conflicts.count, stored: present)
    }
    guard let stored = present.first, case .conflict(_, .some)? = draft.state(of: stored.stored.id)
    else { return .deleted }
    let changed = conflictingFields(of: stored.stored.id)
    let fields = wishes(read, [begun]).sorted { $0.key < $1.key }.map { field, wish in
      func text(_ value: Value) -> String { values.text(value, of: form.attributes[field]) }
      return FormConflict.Field(
        field,
        begun: text(begun.shown.values[field]),
        stored: text(stored.shown.values[field]),
        wished: text(wish),
        isChanged: changed.contains(field)
      )
    }
    return .changed(fields, stored: stored)
  }
}
