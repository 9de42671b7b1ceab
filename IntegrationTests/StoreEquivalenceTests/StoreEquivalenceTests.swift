import ResultsDomain
import ResultsTesting
import Testing

/// R47, R87: both stores do and say the same under the same random transactions.
@Suite struct StoreEquivalenceTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `rows, counts and encoded entries are the same in both stores`(seed: UInt64) throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let twins = try TwinStores(entity)
    for step in 0..<60 {
      let what = "seed \(seed), step \(step)"
      let rows = try twins.rows(twins.memory)
      let operations = workload.transaction(on: entity, rows: rows)
      let isUndone = workload.generator.happens(percent: 10)
      try twins.transact(operations, isUndone: isUndone, what)
      let now = try twins.rows(twins.memory)
      try #require(try twins.rows(twins.sqlite) == now, "\(what): rows")

      let terms = workload.sortDescriptors(for: entity)
      let predicate = workload.predicate(for: entity, keys: now.map(\.id.key))
      guard
        let list = try? OrderDefinition(
          entity: entity,
          predicate: predicate,
          sortDescriptors: terms
        )
      else { continue }
      let fromMemory = try look(at: twins.memory, list)
      let fromFile = try look(at: twins.sqlite, list)
      try #require(fromMemory == fromFile, "\(what): \(predicate) by \(terms)")
    }
  }

  @Test(arguments: 101...108 as ClosedRange<UInt64>)
  func `both stores tell the same history`(seed: UInt64) throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let twins = try TwinStores(entity)
    for step in 0..<40 {
      let what = "seed \(seed), step \(step)"
      let before = try versions(twins)
      let operations = workload.transaction(on: entity, rows: try twins.rows(twins.memory))
      try twins.transact(operations, isUndone: false, what)
      let fromMemory = try changes(twins.memory, since: before.memory, of: entity)
      let fromFile = try changes(twins.sqlite, since: before.sqlite, of: entity)
      try #require(fromMemory == fromFile, "\(what): \(operations)")
    }
  }

  /// What a store says of a list, as far as it can be compared.
  private struct View: Equatable {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    var count = 0
  }

  private func look(at store: any Store, _ list: OrderDefinition) throws -> View {
    try store.read { (snapshot) throws(StoreError) in
      var view = View()
      try snapshot.entries(of: list) { (batch) throws(StoreError) in
        view.ends += batch.ends.map { $0 + view.bytes.count }
        view.bytes += batch.bytes
        return true
      }
      view.count = try snapshot.count(of: list.entity, where: list.predicate)
      return view
    }
  }

  private func versions(
    _ twins: TwinStores
  ) throws -> (memory: StoreVersion, sqlite: StoreVersion) {
    let versions = try [twins.memory, twins.sqlite].map { (store: any Store) in
      try store.read { (snapshot) throws(StoreError) in snapshot.version }
    }
    return (versions[0], versions[1])
  }

  /// The net changes of all commits since a version, by key.
  private func changes(
    _ store: any Store,
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws -> [ObjectKey: CommittedChange] {
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: version, of: entity)
    }
    guard case .commits(let commits) = history else {
      Issue.record("a gap where one process wrote")
      return [:]
    }
    try #require(commits.count <= 1)
    let pairs = commits.flatMap(\.changes).map { ($0.id.key, $0) }
    return Dictionary(pairs) { first, _ in first }
  }
}
