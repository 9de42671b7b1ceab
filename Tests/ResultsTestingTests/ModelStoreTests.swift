import ResultsDomain
import ResultsTesting
import Testing

@Suite struct `Model store` {
  private static func entity() throws -> EntityDescription {
    try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription("title", .text),
        AttributeDescription("year", .integer16, isOptional: true),
      ]
    )
  }

  @Test func `rows are sorted by the terms, nulls where asked, then by key`() throws {
    let entity = try Self.entity()
    var model = ModelStore(entity: entity)
    let rows: [[Value]] = [["b", 1999], ["a", .null], ["c", 1815], ["d", 1999]]
    for values in rows { _ = model.perform(.insert(values, key: nil)) }
    func titles(_ term: FetchSortDescriptor) throws -> [Value] {
      let definition = try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [term]
      )
      return model.list(definition).map { $0["title"] }
    }
    #expect(try titles(.ascending("year")) == ["a", "c", "b", "d"])
    #expect(try titles(.ascending("year", nulls: .last)) == ["c", "b", "d", "a"])
    #expect(try titles(.descending("year")) == ["b", "d", "c", "a"])
    #expect(try titles(.descending("year", nulls: .first)) == ["a", "b", "d", "c"])
  }

  @Test func `changes are told with the row before and after`() throws {
    let entity = try Self.entity()
    var old = ModelStore(entity: entity)
    for title in ["a", "b", "c"] { _ = old.perform(.insert([.text(title), .null], key: nil)) }
    var new = old
    let ids = old.rows.map(\.id)
    #expect(new.perform(.update(ids[0], to: ["a", .null])) == .done(ids[0]))
    #expect(new.perform(.update(ids[1], to: ["B", 1])) == .done(ids[1]))
    #expect(new.perform(.delete(ids[2])) == .done(ids[2]))
    #expect(new.perform(.delete(ids[2])) == .nothingToDelete)
    #expect(new.perform(.update(ids[2], to: ["c", 1])) == .notFound)
    #expect(new.perform(.insert(["d", 40_000], key: nil)) == .invalid)
    #expect(new.perform(.insert(["d", 4], key: ids[0].key)) == .alreadyExists)
    let changes = new.changes(from: old)
    #expect(changes.map(\.id) == [ids[1], ids[2]])
    #expect(changes.map(\.before) == [old.rows[1], old.rows[2]])
    #expect(changes.map(\.after) == [new.rows[1], nil])
  }
}
