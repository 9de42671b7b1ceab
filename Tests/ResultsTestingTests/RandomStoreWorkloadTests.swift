import ResultsDomain
import ResultsTesting
import Testing

@Suite struct `Random store workload` {
  @Test func `the same seed makes the same workload`() throws {
    func made(_ seed: UInt64) throws -> String {
      var workload = RandomStoreWorkload(seed: seed)
      let entity = try workload.entity()
      let values = workload.values(for: entity)
      return "\(entity.attributes) \(values) \(workload.predicate(for: entity))"
        + " \(workload.sortDescriptors(for: entity))"
    }
    #expect(try made(3) == made(3))
    #expect(try made(3) != made(4))
  }

  @Test(arguments: 0..<20)
  func `values are allowed, predicates and orders can be answered`(_ seed: Int) throws {
    var workload = RandomStoreWorkload(seed: UInt64(seed))
    let entity = try workload.entity()
    for _ in 0..<50 {
      try entity.validate(workload.values(for: entity))
      try workload.predicate(for: entity).validate(in: entity)
    }
  }

  @Test func `predicates are of every kind, and most choose some rows but not all`() throws {
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
    }
  }
}
