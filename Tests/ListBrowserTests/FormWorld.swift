import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd
import Testing

@testable import ListBrowser

extension World {
  /// Lets the browser open forms on publisher, title and year.
  mutating func allowForms() {
    model.setup.canWrite = true
    model.setup.fields = [
      FormField("publisher"), FormField("title"),
      FormField("year") { text in
        text.isEmpty || Int64(text) != nil
          ? nil : "must be a whole number, not “\(text)”. Write 1993."
      },
    ]
  }

  /// A world with a form on the row with a title.
  static func editing(
    _ title: String = "title 4",
    columns: Int = 80,
    lines: Int = 24
  ) async throws -> World {
    let rows = (0..<9).map { ("A", "title \($0)", Optional(1990 + $0)) }
    var world = try await World(rows, columns: columns, lines: lines)
    world.allowForms()
    try world.go(to: title)
    world.model.notePainted()
    try world.press("e")
    try world.answerForms()
    return world
  }

  /// What the open form waits for, oldest first; it is answered with this.
  mutating func takeFormEffects() -> [(number: Int, effect: FormEffect)] {
    let taken = effects.compactMap { effect -> (Int, FormEffect)? in
      switch effect {
      case .form(_, .end): nil
      case .form(let number, let effect): (number, effect)
      default: nil
      }
    }
    effects.removeAll { if case .form = $0 { true } else { false } }
    return taken
  }

  /// What the open form wants to store; the rest of what it waits for is dropped.
  mutating func takeSubmissions() -> [FormSubmission] {
    takeFormEffects().compactMap {
      if case .save(let submission) = $0.effect { submission } else { nil }
    }
  }

  /// Answers what the open form waits for as a program would, until it waits for nothing but an editor.
  mutating func answerForms() throws {
    while true {
      let waiting = takeFormEffects()
      if waiting.isEmpty { return }
      for (number, effect) in waiting {
        guard let answer = try answer(effect) else {
          effects.append(.form(number: number, effect))
          return
        }
        try send(.form(number: number, answer))
      }
    }
  }

  private func answer(_ effect: FormEffect) throws -> FormEvent? {
    switch effect {
    case .begin(.new): return .begun(FormContent(rows: [], texts: ["", "", ""]))
    case .begin(let subject):
      let all = try controller.results.objects().map(\.id)
      let ids = if case .rows(let ids) = subject { ids } else { all }
      let rows = try stored(ids).compactMap(\.self)
      let texts = (0..<3).map { index -> String? in
        let texts = Set(rows.map { World.text($0.values[index]) })
        return texts.count == 1 ? texts.first : nil
      }
      return .begun(FormContent(rows: rows.map(World.formRow), texts: texts))
    case .save(let submission): return .saved(try save(submission), of: submission)
    case .draft(let submission, let revision, let list, _):
      let (draft, id) = try draft(of: submission)
      let key = try #require(id?.key ?? submission.begun.first?.stored.id.key)
      let row = try draft.read { (snapshot) throws(StoreError) in
        try snapshot.rows([key], of: entity).first ?? nil
      }
      let content = try content(of: submission, in: draft)
      guard let row else {
        return .drafted(content, .unknown("deleted"), revision: revision, in: list.position)
      }
      let new = ObjectID(entity: entity.name, key: .integer(.max))
      let edited = FormDraft.Edited(row, as: id == nil ? row.id : new, in: draft, title: World.text)
      let landing = try FormLanding(of: edited, in: list)
      return .drafted(content, landing, revision: revision, in: list.position)
    case .edit, .end: return nil
    }
  }

  private static func formRow(_ row: Row) -> FormRow { FormRow(stored: row, shown: row) }

  func stored(_ ids: [ObjectID]) throws -> [Row?] {
    try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows(ids.map(\.key), of: entity)
    }
  }

  /// Writes a submission into a draft, based on the rows as the form knows them.
  private func draft(
    of submission: FormSubmission
  ) throws -> (draft: DraftStore, added: ObjectID?) {
    let draft = DraftStore(over: store)
    let stored = try stored(submission.begun.map(\.stored.id))
    let added = try draft.commit(origin: .unnamed) { [entity] transaction -> ObjectID? in
      if submission.begun.isEmpty {
        let new = World.changed([.text(""), .text(""), .null], submission.texts)
        return try transaction.insert(new, key: nil, into: entity)
      }
      for (begun, now) in zip(submission.begun, stored) {
        let id = begun.stored.id
        if let now {
          let values = World.changed(now.values, submission.texts)
          try transaction.update(id, to: values, of: entity)
        } else if submission.policy == .addDeleted {
          let values = World.changed(begun.stored.values, submission.texts)
          _ = try transaction.insert(values, key: id.key, into: entity)
        }
      }
      return nil
    }.result
    draft.setAncestors(submission.begun.map(\.stored))
    return (draft, added)
  }

  /// What a form for one row shows besides a submission.
  private func content(
    of submission: FormSubmission,
    in draft: DraftStore
  ) throws -> FormContent {
    guard let begun = submission.begun.first?.stored else {
      return FormContent(rows: [], texts: [])
    }
    guard let now = try stored([begun.id]).first ?? nil else {
      let texts = begun.values.map(World.text)
      return FormContent(rows: submission.begun, texts: texts, isDeleted: true)
    }
    var row = now
    for field in submission.texts.keys { row.values[field] = begun.values[field] }
    let conflicts = changedFields(of: begun.id, in: draft).map { ($0, World.text(now.values[$0])) }
    return FormContent(
      rows: [World.formRow(row)],
      texts: row.values.map(World.text),
      conflicts: Dictionary(uniqueKeysWithValues: conflicts)
    )
  }

  /// The fields in which a row is in conflict.
  private func changedFields(of id: ObjectID, in draft: DraftStore) -> [Int] {
    guard case .conflict(_, let theirs?)? = draft.state(of: id),
      let ancestor = draft.edits.first(where: { $0.id == id })?.ancestor
    else { return [] }
    return ancestor.values.indices.filter { ancestor.values[$0] != theirs.values[$0] }
  }

  /// Commits a submission unless others have changed what it changes.
  private func save(_ submission: FormSubmission) throws -> FormOutcome {
    let (draft, added) = try draft(of: submission)
    let ids = submission.begun.map(\.stored.id)
    let stored = try stored(ids)
    let conflicts = zip(ids, stored).filter { id, row in
      if case .conflict? = draft.state(of: id) {
        true
      } else {
        row == nil && submission.policy != .addDeleted
      }
    }.map(\.0)
    if submission.policy == .skip {
      for id in conflicts { draft.takeTheirs(id) }
    } else if let first = conflicts.first {
      let rows = stored.compactMap { $0.map(World.formRow) }
      if ids.count > 1 { return .conflict(.several(changed: conflicts.count, stored: rows)) }
      guard let now = rows.first else { return .conflict(.deleted) }
      let changed = changedFields(of: first, in: draft)
      let wish = World.changed(submission.begun[0].stored, submission.texts)
      let versions = submission.texts.keys.sorted().map { field in
        FormConflict.Field(
          field,
          begun: World.text(submission.begun[0].stored.values[field]),
          stored: World.text(now.stored.values[field]),
          wished: World.text(wish.values[field]),
          isChanged: changed.contains(field)
        )
      }
      return .conflict(.changed(versions, stored: now))
    }
    let committed = try draft.commit(origin: CommitOrigin("browse-1"))
    return .saved("changed: u undoes.", added: added.map { committed.result[$0] ?? $0 })
  }

  private static func changed(_ row: Row, _ texts: [Int: String]) -> Row {
    Row(entity: row.entity, id: row.id, values: changed(row.values, texts))
  }

  private static func changed(_ values: [Value], _ texts: [Int: String]) -> [Value] {
    var values = values
    for (field, text) in texts {
      values[field] = field == 2 ? Int64(text).map { .integer($0) } ?? .null : .text(text)
    }
    return values
  }

  static func text(_ value: Value) -> String { value.text ?? value.integer.map(String.init) ?? "" }

  /// The values of the row with a title in the store.
  func values(_ title: String) throws -> [Value]? {
    let request = FetchRequest<ObjectID>(entity: entity, sortedBy: [.ascending("title")])
    let rows = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows(try snapshot.keys(of: request), of: entity)
    }
    return rows.lazy.compactMap(\.self).first { $0.values[1] == .text(title) }?.values
  }
}
