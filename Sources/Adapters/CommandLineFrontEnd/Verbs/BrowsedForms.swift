import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// The forms in which the browser adds and changes a program's objects: the fields are those of the verbs `add` and `edit`.
struct BrowsedForms<Program: ListProgram>: Sendable {
  let lists: BrowsedLists<Program>
  let requests: BrowsedRequests<Program>

  private var form: EntityDescription { Program.fields.form }

  /// The texts of values in a form.
  private var values: FormValues { FormValues(lists.settings) }

  // MARK: - What a form begins with

  /// Returns what a form begins with.
  /// - Throws: `CommandFailure` if none of the rows is in the store any more; the store's error.
  func begin(_ subject: FormSubject) throws -> FormContent {
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
    let fields = Program.fields
    let rows = try lists.store.read { (snapshot) throws(StoreError) in
      let rows = try snapshot.rows(ids.map(\.key), of: Program.entity).compactMap(\.self)
      return try fields.rows(rows, in: snapshot)
    }
    guard !rows.isEmpty else {
      throw CommandFailure(
        .nothingMatched,
        "The \(Program.nouns.one) is not in the store any more."
      )
    }
    let edit = RowEdit(of: rows, fields: fields)
    let texts = form.attributes.enumerated().map { index, attribute in
      edit.value(ofAttribute: index).map { values.text($0, of: attribute) }
    }
    return FormContent(rows: rows, texts: texts)
  }

  // MARK: - Saving

  /// Writes a submission in one transaction that can be undone.
  /// - Throws: The store's error; then nothing was written.
  func save(_ submission: FormSubmission) throws -> FormOutcome {
    let read = values.read(submission.texts, of: Program.self)
    guard read.problems.isEmpty else { return .invalid(read.problems) }
    switch submission.subject {
    case .new: return try add(read)
    case .rows, .all: return try edit(submission, read)
    }
  }

  private func add(_ read: FormValues.Reading) throws -> FormOutcome {
    var row = Array(repeating: Value.null, count: form.attributes.count)
    for (field, value) in read.values { row[field] = value }
    row = Program.fields.normalized(row)
    var problems = values.problems(of: row, in: form)
    if case .text = Program.entity.identity, read.key == nil {
      problems[form.attributes.count] = "needs a value."
    }
    guard problems.isEmpty else { return .invalid(problems) }
    let key = read.key
    let (message, id) = try requests.perform { store, origin in
      let id = try store.commit(origin: origin) { [row] transaction in
        var objects = NamedObjects()
        return try Program.fields.insert(row, key: key, into: transaction, finding: &objects)
      }.result
      return ("added \(id)", id)
    }
    return .saved(message, added: id)
  }

  private func edit(_ submission: FormSubmission, _ read: FormValues.Reading) throws -> FormOutcome
  {
    var edit = RowEdit(of: submission.begun, fields: Program.fields)
    for (field, value) in read.values { edit.set(value, ofAttribute: field) }
    let problems = values.problems(edit.failures(), in: form)
    guard problems.isEmpty else { return .invalid(problems) }
    let names = edit.changedNames.joined(separator: ", ")
    do {
      let (message, _) = try requests.perform { store, origin in
        let count = try store.commit(origin: origin) { [edit] transaction in
          switch submission.policy {
          case .addDeleted: try edit.addDeleted(in: transaction)
          case .refuse: try edit.save(in: transaction)
          case .skip: try edit.save(in: transaction, resolving: .skip)
          }
        }.result
        guard count > 0 else { return ("", ()) }
        let one = submission.begun.first.map { "\($0.id)" } ?? Program.nouns.one
        let what =
          edit.begun.count == 1
          ? one : "\(count) \(count == 1 ? Program.nouns.one : Program.nouns.many)"
        return (
          submission.policy == .addDeleted ? "added \(what) again" : "changed \(names) of \(what)",
          ()
        )
      }
      return .saved(message.isEmpty ? "Nothing was changed: the store has these values." : message)
    } catch let conflicts as RowEditConflicts {
      return .conflict(try conflict(conflicts, edit))
    }
  }

  /// Puts a conflict into the texts of the fields.
  private func conflict(_ conflicts: RowEditConflicts, _ edit: RowEdit) throws -> FormConflict {
    guard conflicts.count == 1, let conflict = conflicts.rows.first else {
      let content = try? begin(.rows(edit.begun.map(\.id)))
      return .several(changed: conflicts.rows.count, stored: content?.rows ?? [])
    }
    guard let stored = conflict.stored else { return .deleted }
    let changed = Set(conflict.fields.map(\.attribute))
    let fields = edit.wishes.sorted { $0.key < $1.key }.map { index, wish in
      func text(_ value: Value) -> String { values.text(value, of: form.attributes[index]) }
      return FormConflict.Field(
        index,
        begun: text(conflict.begun.values[index]),
        stored: text(stored.values[index]),
        wished: text(wish),
        isChanged: changed.contains(index)
      )
    }
    return .changed(fields, stored: stored)
  }

  // MARK: - Where a row would stand

  /// Returns the row that a submission would store.
  /// - Throws: `CommandFailure` with the reason why that cannot be said.
  func draft(_ submission: FormSubmission, in choice: BrowserChoice) throws -> FormDraft {
    let entity = Program.entity
    let read = values.read(submission.texts, of: Program.self)
    if let field = read.problems.keys.min() {
      throw CommandFailure(.badData, "\(name(of: field)) cannot be read")
    }
    let definition = try lists.definition(of: choice)
    let fields = Program.fields
    let drafted = try lists.store.read {
      (snapshot) throws(StoreError) -> (row: Row, missing: [String])? in
      guard let begun = submission.begun.first else {
        let empty = Array(repeating: Value.null, count: entity.attributes.count)
        let row = Row(
          entity: entity,
          id: ObjectID(entity: entity.name, key: .integer(.max)),
          values: empty
        )
        return try fields.draft(read.values, of: row, in: snapshot)
      }
      guard case .some(.some(let stored)) = try snapshot.rows([begun.id.key], of: entity).first
      else {
        return nil
      }
      return try fields.draft(read.values, of: stored, in: snapshot)
    }
    guard var (row, missing) = drafted else {
      throw CommandFailure(.nothingMatched, "it was deleted")
    }
    if submission.begun.isEmpty { row = try newRow(row, key: read.key) }
    let request = definition.request
    let terms =
      request.sortDescriptors.map { "\($0.expression)" } + [
        "\(request.predicate)", sectionText(definition),
      ]
    missing.removeAll { name in !terms.contains { $0.contains("\(name).") } }
    if let name = missing.first { throw CommandFailure(.nothingMatched, "that \(name) is new") }
    return FormDraft(row, section: section(of: row, in: definition))
  }

  private func name(of field: Int) -> String {
    form.attributes.indices.contains(field) ? form.attributes[field].name : Program.keyTitle
  }

  /// A new row with its key, if it has all required values.
  private func newRow(_ row: Row, key: ObjectKey?) throws -> Row {
    for (attribute, value) in zip(row.entity.attributes, row.values)
    where value.isNull && !attribute.isOptional {
      throw CommandFailure(.nothingMatched, "\(attribute.name) has no value yet")
    }
    let key = try row.entity.key(for: row.values, given: key) ?? .integer(.max)
    return Row(
      entity: row.entity,
      id: ObjectID(entity: row.entity.name, key: key),
      values: row.values
    )
  }

  private func sectionText(_ definition: ResultsDefinition<Row>) -> String {
    guard case .expression(let expression, _, _, _) = definition.sectionKey?.source else {
      return ""
    }
    return "\(expression)"
  }

  /// The section that a row belongs to, where that follows from the row alone.
  private func section(
    of row: Row,
    in definition: ResultsDefinition<Row>
  ) -> (id: Value, title: String)? {
    guard let key = definition.sectionKey else { return nil }
    let id: Value
    switch key.source {
    case .expression(let expression, _, _, _):
      guard !"\(expression)".contains(".") else { return nil }
      id = CompiledExpression(expression, in: row.entity).value(row.values, key: row.id.key)
    case .transient(let source, let grouping):
      guard let index = row.entity.index(of: source) else { return nil }
      id = grouping.group(of: row.values[index]).id
    case .relationship: return nil
    }
    return (id, key.title(of: id))
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
