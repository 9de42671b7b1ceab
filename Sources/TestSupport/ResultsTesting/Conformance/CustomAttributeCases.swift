import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// An entity of a program that knows nothing of the attributes that its user has added.
private struct Pupil: Entity {
  var id: Int64?
  var name = ""
  var age: Int16?

  static let schema = EntitySchema<Pupil>("Pupil", identity: \.id) {
    Attribute(\.name, "name")
    Attribute(\.age, "age")
  }

  /// The entity with a mark and a remark.
  static func extended() throws -> EntityDescription {
    try entity.adding(custom: [
      AttributeDescription("mark", .decimal(scale: 2), isOptional: true),
      AttributeDescription("remark", .text, isOptional: true),
    ])
  }
}

extension StoreConformance {
  static let customAttributeCases: [Case] = [
    Case(
      "objects keep the values of attributes that their program does not know",
      ["R295"],
      needs: .extendedEntities
    ) { fixture in
      let extended = try Pupil.extended()
      let store = try fixture.open([extended])
      try fixture.checkCustomAttributes(store, extended, key: 1)
    },

    Case("objects of a draft keep them too", ["R295"], needs: .extendedEntities) { fixture in
      let extended = try Pupil.extended()
      let store = try fixture.open([extended])
      let draft = DraftStore(over: store)
      try fixture.checkCustomAttributes(draft, extended, key: 1)
      // One that the draft changes is completed from the base.
      let id = ObjectID(entity: "Pupil", key: .integer(50))
      let values: [Value] = [.text("Eve"), .integer(9), .integer(350), .text("kind")]
      try fixture.write(store) { _ = try $0.insert(values, key: id.key, into: extended) }
      try fixture.write(draft) { transaction in
        try transaction.update(id, to: [.text("Eva"), .integer(9)], of: Pupil.entity)
      }
      try fixture.expectEqual(
        try fixture.row(draft, id, extended)?.values,
        [.text("Eva")] + values[1...],
        "the row of the draft"
      )
      _ = try await draft.commit(origin: CommitOrigin("me"))
      try fixture.expectEqual(
        try fixture.row(store, id, extended)?.values,
        [.text("Eva")] + values[1...],
        "the row of the base"
      )
    },

    Case(
      "lists of such objects follow every change, with and without them",
      ["R295"],
      needs: .extendedEntities
    ) { fixture in
      let extended = try Pupil.extended()
      let store = try fixture.open([extended])
      let rows = FetchedResultsController(
        FetchRequest<Row>(entity: extended, sortedBy: [.descending("mark"), .ascending("name")]),
        in: store
      )
      let pupils = FetchedResultsController(
        FetchRequest<Pupil>(sortedBy: [.ascending(\.name)]),
        in: store
      )
      try await rows.performFetch()
      try await pupils.performFetch()
      func expect(_ names: [String], _ marks: [Value], _ what: String) async throws {
        try await rows.refresh()
        try await pupils.refresh()
        try fixture.expectEqual(
          try pupils.results.rows.map { try $0.object.name },
          names,
          "\(what): the objects"
        )
        try fixture.expectEqual(
          try rows.results.rows.map { try $0.object["mark"] },
          marks,
          "\(what): the rows"
        )
      }
      try fixture.write(store) { transaction in
        var ann = Pupil()
        ann.name = "Ann"
        _ = try transaction.insert(ann)
        let bob: [Value] = [.text("Bob"), .integer(8), .integer(250), .null]
        try transaction.insert(bob, key: nil, into: extended)
      }
      try await expect(["Ann", "Bob"], [.integer(250), .null], "inserted")
      try fixture.write(store) { transaction in
        let found = try transaction.fetch(
          FetchRequest<Pupil>(where: \.name == "Bob", sortedBy: [.ascending(\.name)])
        )
        for var bob in found {
          bob.name = "Zoe"
          try transaction.update(bob)
        }
      }
      try await expect(["Ann", "Zoe"], [.integer(250), .null], "renamed")
      try fixture.write(store) { transaction in
        for case .some(let row) in try transaction.rows([.integer(1)], of: Pupil.entity) {
          var values = row.values
          values[2] = .integer(300)
          try transaction.update(row.id, to: values, of: Pupil.entity)
        }
      }
      try await expect(["Ann", "Zoe"], [.integer(300), .integer(250)], "marked")
      rows.cancel()
      pupils.cancel()
    },
  ]
}

extension ConformanceFixture {
  /// Writes objects by an entity that the store has extended, and reads them by both.
  fileprivate func checkCustomAttributes(
    _ store: any Store,
    _ extended: EntityDescription,
    key: Int64
  ) throws {
    let (first, second) = (
      ObjectID(entity: "Pupil", key: .integer(key)),
      ObjectID(entity: "Pupil", key: .integer(key + 1))
    )
    let version = try version(store)
    try write(store) { transaction in
      try transaction.insert([.text("Ann"), .null], key: first.key, into: Pupil.entity)
      _ = try transaction.insert(
        [[.text("Bob"), .integer(8)]],
        keys: [second.key],
        into: Pupil.entity
      )
    }
    let ann: [Value] = [.text("Ann"), .null, .null, .null]
    try expectEqual(try row(store, first, extended)?.values, ann, "a row that was inserted")
    try expectEqual(
      try changes(store, since: version, of: Pupil.entity).map(\.after?.values.count),
      [4, 4],
      "the values of the changes"
    )
    let marked: [Value] = [.text("Ann"), .null, .integer(250), .text("late")]
    try write(store) { try $0.update(first, to: marked, of: extended) }
    try write(store) { transaction in
      try transaction.update(first, to: [.text("Ann"), .integer(9)], of: Pupil.entity)
    }
    let aged: [Value] = [.text("Ann"), .integer(9), .integer(250), .text("late")]
    try expectEqual(try row(store, first, extended)?.values, aged, "a row that was updated")
    let narrow = Row(entity: Pupil.entity, id: first, values: [.text("Ann"), .integer(9)])
    try write(store) { transaction in
      let values: [Value] = [.text("Anna"), .integer(9)]
      try transaction.update(first, to: values, of: Pupil.entity, ifUnchangedFrom: narrow)
    }
    try expectEqual(
      try row(store, first, extended)?.values,
      [.text("Anna")] + aged[1...],
      "a row that was updated if it was unchanged"
    )
    try expectError("a conflict", { if case .conflict = $0 { true } else { false } }) {
      try write(store) { transaction in
        let values: [Value] = [.text("Anne"), .integer(9)]
        try transaction.update(first, to: values, of: Pupil.entity, ifUnchangedFrom: narrow)
      }
    }
    let pupil = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([first.key], of: Pupil.entity)
    }.compactMap(\.self).map { try Pupil(row: $0) }
    try expectEqual(pupil.map(\.name), ["Anna"], "the object")
    let count = try store.read { (snapshot) throws(StoreError) in
      try snapshot.count(
        of: Pupil.entity,
        where: .comparison(.attribute("age"), .equal, .literal(.integer(9)))
      )
    }
    try expectEqual(count, 1, "the objects of a condition")
    try expectError("one attribute too few", { if case .invalid = $0 { true } else { false } }) {
      try write(store) { try $0.insert([.text("Cy")], key: nil, into: Pupil.entity) }
    }
    try write(store) { _ = try $0.delete(second, of: Pupil.entity) }
    try expectEqual(try row(store, second, extended), nil, "the row that was deleted")
  }
}
