import ResultsDomain
import ResultsStoreKit
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

  @Test func `rows are sorted by the terms, nulls as requested, then by key`() throws {
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

  @Test func `changes hold the row before and after`() throws {
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

@Suite struct `Random store workload` {
  @Test func `the same seed produces the same workload`() throws {
    func workloadText(_ seed: UInt64) throws -> String {
      var workload = RandomStoreWorkload(seed: seed)
      let entity = try workload.entity()
      let values = workload.values(for: entity)
      return "\(entity.attributes) \(values) \(workload.predicate(for: entity))"
        + " \(workload.sortDescriptors(for: entity))"
    }
    #expect(try workloadText(3) == workloadText(3))
    #expect(try workloadText(3) != workloadText(4))
  }

  @Test(arguments: 0..<20)
  func `values, predicates and orders are valid`(_ seed: Int) throws {
    var workload = RandomStoreWorkload(seed: UInt64(seed))
    let entity = try workload.entity()
    for _ in 0..<50 {
      try entity.validate(workload.values(for: entity))
      try workload.predicate(for: entity).validate(in: entity)
    }
  }

  @Test func `predicates are of every kind, and most match some rows but not all`() throws {
    var kinds: Set<String> = []
    var discerning = 0
    for seed in 0..<40 {
      var workload = RandomStoreWorkload(seed: UInt64(seed))
      let entity = try workload.entity()
      var model = ModelStore(entity: entity)
      for _ in 0..<40 {
        let key = workload.key(for: entity)
        _ = model.perform(.insert(workload.values(for: entity), key: key))
      }
      for _ in 0..<25 {
        let predicate = workload.predicate(for: entity, keys: model.rows.map(\.id.key))
        kinds.insert(kind(predicate))
        let count = model.rows.count { predicate.holds(for: $0) }
        if count > 0, count < model.rows.count { discerning += 1 }
      }
    }
    #expect(kinds.count == 11)
    #expect(discerning > 400, "of 1000")
  }

  private func kind(_ predicate: FetchPredicate) -> String {
    switch predicate {
    case .all: "all"
    case .none: "none"
    case .comparison: "comparison"
    case .between: "between"
    case .membership: "membership"
    case .identity: "identity"
    case .text: "text"
    case .isNull: "isNull"
    case .not: "not"
    case .and: "and"
    case .or: "or"
    case .quantified: "quantified"
    case .relative: "relative"
    }
  }
}
