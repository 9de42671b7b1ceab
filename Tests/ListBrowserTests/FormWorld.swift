import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

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
      if case .form(let number, let effect) = effect { (number, effect) } else { nil }
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
      return .begun(FormContent(rows: rows, texts: texts))
    case .save(let submission): return .saved(try save(submission), of: submission)
    case .land(let submission, let revision, _, let list, _):
      let id = ObjectID(entity: entity.name, key: .integer(.max))
      let new = Row(entity: entity, id: id, values: World.values(("", "", nil)))
      let row = World.changed(submission.begun.first ?? new, submission.texts)
      let section = (id: row.values[0], title: World.text(row.values[0]))
      let landing = try FormLanding(of: FormDraft(row, section: section), in: list)
      return .landed(landing, revision: revision, in: list.position)
    case .edit: return nil
    }
  }

  func stored(_ ids: [ObjectID]) throws -> [Row?] {
    try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows(ids.map(\.key), of: entity)
    }
  }

  /// Writes a submission unless others have changed what it changes.
  private func save(_ submission: FormSubmission) throws -> FormOutcome {
    let fields = submission.texts.keys.sorted()
    let stored = try stored(submission.begun.map(\.id))
    let wishes = submission.begun.map { World.changed($0, submission.texts) }
    func isChanged(_ index: Int, _ field: Int) -> Bool {
      guard let now = stored[index] else { return true }
      let (old, wish) = (submission.begun[index].values[field], wishes[index].values[field])
      return now.values[field] != old && now.values[field] != wish
    }
    let conflicts = stored.indices.filter { index in fields.contains { isChanged(index, $0) } }
    if submission.policy == .refuse, let first = conflicts.first {
      if stored.count > 1 {
        return .conflict(.several(changed: conflicts.count, stored: stored.compactMap(\.self)))
      }
      guard let now = stored[first] else { return .conflict(.deleted) }
      let versions = fields.map { field in
        FormConflict.Field(
          field,
          begun: World.text(submission.begun[first].values[field]),
          stored: World.text(now.values[field]),
          wished: World.text(wishes[first].values[field]),
          isChanged: isChanged(first, field)
        )
      }
      return .conflict(.changed(versions, stored: now))
    }
    let entity = entity
    let added = try store.commit(origin: CommitOrigin("browse-1")) { transaction -> ObjectID? in
      if submission.begun.isEmpty {
        let new = World.changed([.text(""), .text(""), .null], submission.texts)
        return try transaction.insert(new, key: nil, into: entity)
      }
      for (index, wish) in wishes.enumerated() {
        if let now = stored[index] {
          if submission.policy == .skip, conflicts.contains(index) { continue }
          let values = World.changed(now.values, submission.texts)
          try transaction.update(wish.id, to: values, of: entity)
        } else if submission.policy == .addDeleted {
          _ = try transaction.insert(wish.values, key: wish.id.key, into: entity)
        }
      }
      return nil
    }.result
    return .saved("changed: u undoes.", added: added)
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
