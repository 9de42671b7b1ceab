import ResultsDomain
import ResultsStoreKit
import Testing

@testable import ProgramFrontEnd

@Suite("An edit of rows")
struct RowEditTests {
  private let store: any Store
  private let ids: [ObjectID]

  init() throws {
    (store, ids) = try Club.store(
      Club.values("Ann", age: 41, email: "ann@a"),
      Club.values("Bob", age: 41),
      Club.values("Cem", age: 9)
    )
  }

  private func edit(_ positions: Int...) throws -> RowEdit {
    RowEdit(of: try store.members(positions.map { ids[$0] }).compactMap(\.self))
  }

  private func update(_ position: Int, _ attribute: Int, _ value: Value) throws {
    try store.write { transaction in
      guard
        case .some(.some(var row)) = try transaction.rows([ids[position].key], of: Member.entity)
          .first
      else { return }
      row.values[attribute] = value
      try transaction.update(row.id, to: row.values, of: Member.entity)
    }
  }

  private func values(_ position: Int) throws -> [Value]? {
    try store.members([ids[position]]).first.flatMap { $0?.values }
  }

  private func save(_ edit: RowEdit, _ resolution: ConflictResolution = .refuse) throws -> Int {
    do {
      return try store.write { try edit.save(in: $0, resolving: resolution) }
    } catch StoreError.aborted(let inner) {
      throw inner
    }
  }

  @Test func `shows the value that all rows have, and writes only what was changed`() throws {
    var edit = try edit(0, 1, 2)
    #expect(edit.value(ofAttribute: 0) == nil)
    #expect(edit.value(ofAttribute: 2) == .null)
    try edit.set(text: "10", ofAttribute: 1, for: .machine)
    #expect(edit.value(ofAttribute: 1) == 10 && edit.changedNames == ["age"])
    try update(0, 5, "new@a")
    #expect(try save(edit) == 3)
    #expect(try values(0) == Club.values("Ann", age: 10, email: "new@a"))
    #expect(try values(2) == Club.values("Cem", age: 10))
    // What all rows have already is no change.
    edit = try self.edit(0, 1)
    edit.set(10, ofAttribute: 1)
    #expect(edit.changedNames.isEmpty)
    #expect(try save(edit) == 0)
  }

  @Test func `refuses a text that is no value, and takes an empty one as none`() throws {
    var edit = try edit(0)
    let failure = #expect(throws: CommandFailure.self) {
      try edit.set(text: "old", ofAttribute: 1, for: .machine)
    }
    #expect(failure?.message.hasPrefix("age: must be a whole number") == true)
    try edit.set(text: "", ofAttribute: 1, for: .machine)
    #expect(edit.value(ofAttribute: 1) == .null)
    #expect(edit.failures().isEmpty)
    edit.set(.null, ofAttribute: 0)
    #expect(edit.failures().count == 1)
    edit.reset(attribute: 0)
    #expect(edit.failures().isEmpty)
  }

  @Test func `conflicts only where both sides changed one attribute to different values`() throws {
    var edit = try edit(0)
    edit.set("Anna", ofAttribute: 0)
    edit.set(42, ofAttribute: 1)
    try update(0, 5, "other@a")
    try update(0, 0, "Anna")
    try update(0, 1, 43)
    let error = try #require(throws: RowEditConflicts.self) { try save(edit) }
    let conflict = try #require(error.rows.first)
    #expect(conflict.fields == [.init(attribute: 1, begun: 41, stored: 43, wished: 42)])
    #expect("\(error)".contains("was changed by others while you edited it: age."))
    #expect(try values(0) == Club.values("Anna", age: 43, email: "other@a"))
    #expect(try save(edit, .skip) == 0)
    edit.set("2026-01-02", ofAttribute: 5)
    #expect(try save(edit, .merge) == 0 || values(0)?[1] == 43)
    #expect(try save(edit, .overwrite) == 1)
    #expect(try values(0)?[1] == 42)
  }

  @Test func `merging writes the other attributes and leaves those of others`() throws {
    var edit = try edit(0)
    edit.set("Anna", ofAttribute: 0)
    edit.set(42, ofAttribute: 1)
    try update(0, 1, 43)
    #expect(try save(edit, .merge) == 1)
    #expect(try values(0) == Club.values("Anna", age: 43, email: "ann@a"))
  }

  @Test func `of several rows conflicts as a whole, or skips those that do`() throws {
    var edit = try edit(0, 1, 2)
    edit.set(50, ofAttribute: 1)
    try update(1, 1, 51)
    let error = try #require(throws: RowEditConflicts.self) { try save(edit) }
    #expect(error.rows.map(\.id) == [ids[1]] && error.count == 3)
    #expect("\(error)".hasPrefix("1 of 3 rows were changed by others"))
    #expect(try values(0)?[1] == 41)
    #expect(try save(edit, .skip) == 2)
    #expect(try (0..<3).map { try values($0)?[1] } == [50, 51, 50])
  }

  @Test func `of a row that was deleted says so, and can add it again under its key`() throws {
    var edit = try edit(0)
    edit.set(50, ofAttribute: 1)
    try store.write { _ = try $0.delete(ids[0], of: Member.entity) }
    let error = try #require(throws: RowEditConflicts.self) { try save(edit) }
    #expect(error.rows.first?.stored == nil && error.rows.first?.fields == [])
    #expect("\(error)".contains("was deleted while you edited it"))
    #expect(try save(edit, .overwrite) == 0)
    #expect(try store.write { try edit.addDeleted(in: $0) } == 1)
    #expect(try values(0) == Club.values("Ann", age: 50, email: "ann@a"))
  }
}
