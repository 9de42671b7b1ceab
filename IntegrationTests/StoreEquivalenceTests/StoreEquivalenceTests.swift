import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import Testing

/// R47, R87: under the same random transactions, both stores give the same results and errors.
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
      let fromMemory = try view(of: twins.memory, list)
      let fromFile = try view(of: twins.sqlite, list)
      try #require(fromMemory == fromFile, "\(what): \(predicate) by \(terms)")
    }
  }

  @Test(arguments: 101...108 as ClosedRange<UInt64>)
  func `both stores have the same history`(seed: UInt64) throws {
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

  /// The rows, counts and entries of a list in one store.
  private struct View: Equatable {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    var count = 0
  }

  private func view(of store: any Store, _ list: OrderDefinition) throws -> View {
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

/// R26, R47, R87: a list shows the same rows and publishes the same changes over both stores.
@Suite struct ListEquivalenceTests {
  @Test(arguments: 201...212 as ClosedRange<UInt64>)
  func `snapshots and deltas are the same over both stores`(seed: UInt64) async throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let twins = try TwinStores(entity)
    for round in 0..<4 {
      let what = "seed \(seed), list \(round)"
      let definition = definition(of: entity, &workload)
      guard var memory = try await Listener(definition, in: twins.memory, what) else {
        let other = try await Listener(definition, in: twins.sqlite, what)
        try #require(other == nil, "\(what): refused by one store only")
        continue
      }
      var sqlite = try #require(try await Listener(definition, in: twins.sqlite, what))
      for step in 0..<25 {
        let operations = workload.transaction(on: entity, rows: try twins.rows(twins.memory))
        try twins.transact(operations, isUndone: workload.generator.happens(percent: 10), what)
        let changes = try await memory.takeChanges()
        let fileChanges = try await sqlite.takeChanges()
        try #require(changes == fileChanges, "\(what), step \(step): \(operations)")
        try #require(
          try memory.content() == sqlite.content(),
          "\(what), step \(step): \(operations)"
        )
      }
      memory.end()
      sqlite.end()
    }
  }

  private func definition(
    of entity: EntityDescription,
    _ workload: inout RandomStoreWorkload
  ) -> ResultsDefinition<Row> {
    let request = FetchRequest<Row>(
      entity: entity,
      where: workload.predicate(for: entity, depth: 1),
      sortedBy: workload.sortDescriptors(for: entity),
      fetchLimit: workload.generator.choice(nil, nil, 5),
      fetchOffset: workload.generator.choice(0, 0, 2)
    )
    let attribute = workload.generator.element(of: entity.attributes)?.name ?? ""
    let sections: SectionKey? = workload.generator.choice(nil, .attribute(attribute))
    return ResultsDefinition(
      request,
      sectionedBy: sections,
      isFrozen: workload.generator.happens(percent: 20)
    )
  }
}

/// A controller and its changes so far.
private struct Listener {
  /// A change without its generations.
  struct Change: Hashable {
    var cause: DeltaCause
    var sections: SectionChanges
    var rows: RowChanges
  }

  private let controller: FetchedResultsController<Row>
  private var events: ResultsChanges<Row>.AsyncIterator
  private var generation: Int

  /// An observer, or `nil` if the store refuses the definition.
  init?(_ definition: ResultsDefinition<Row>, in store: any Store, _ what: String) async throws {
    controller = FetchedResultsController(definition, in: store)
    do {
      try await controller.performFetch()
    } catch .request {
      return nil
    }
    events = controller.changes.makeAsyncIterator()
    guard case .snapshot(let results) = await events.next() else {
      Issue.record("\(what): the first event is no snapshot")
      return nil
    }
    generation = results.generation
  }

  /// Returns every change up to now, after checking its delta.
  mutating func takeChanges() async throws -> [Change] {
    try await controller.refresh()
    let latest = try controller.results.generation
    var changes: [Change] = []
    while generation < latest, let event = await events.next() {
      guard case .change(let change) = event else {
        Issue.record("neither store fails here: \(event)")
        return changes
      }
      generation = change.after.generation
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      let delta = change.delta
      changes.append(Change(cause: delta.cause, sections: delta.sections, rows: delta.rows))
    }
    return changes
  }

  func content() throws -> ResultsContent { try controller.results.snapshot.content }

  func end() { controller.cancel() }
}

/// The same entity in both stores; every operation is performed on both.
final class TwinStores {
  let entity: EntityDescription
  let memory: InMemoryStore
  let sqlite: SQLiteStore
  private let folder: String

  /// Two empty stores; the SQLite store has a temporary file.
  init(_ entity: EntityDescription) throws {
    self.entity = entity
    folder = NSTemporaryDirectory() + "twins-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    memory = try InMemoryStore(entities: [entity])
    sqlite = try SQLiteStore(
      at: folder + "/twin.sqlite",
      entities: [entity],
      // There are no other writers, so nothing has to be checked.
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  deinit {
    try? sqlite.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// All rows, by key.
  func rows(_ store: any Store) throws -> [Row] {
    try store.fetch(FetchRequest<Row>(entity: entity, sortedBy: order(by: [])))
  }

  /// The given sort terms, then the key.
  func order(by terms: [FetchSortDescriptor]) -> [FetchSortDescriptor] {
    guard case .compound = entity.identity else { return terms + [FetchSortDescriptor(.objectKey)] }
    return terms
      + entity.keyAttributeIndexes.map { .ascending(entity.attributes[$0].name) }
  }

  /// Runs a transaction on both stores, and expects the same result or error of each step.
  func transact(_ operations: [StoreOperation], isUndone: Bool, _ what: String) throws {
    let stores: [any Store] = [memory, sqlite]
    let pair = try stores.map { try outcomes(of: operations, isUndone: isUndone, in: $0) }
    try #require(pair[0] == pair[1], "\(what): \(operations)")
  }

  private func outcomes(
    of operations: [StoreOperation],
    isUndone: Bool,
    in store: any Store
  ) throws -> [OperationOutcome] {
    var outcomes: [OperationOutcome] = []
    do throws(StoreError) {
      try store.write { transaction in
        for operation in operations {
          outcomes.append(try transaction.perform(operation, on: entity))
        }
        if isUndone { throw Undone() }
      }
    } catch {
      guard case .aborted(let inner) = error, inner is Undone else { throw error }
    }
    return outcomes
  }

  private struct Undone: Error {}
}
