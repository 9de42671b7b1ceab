import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@testable import ResultsPresentation

/// Rows that are read later than their list was made are those of the list (R19, R48, R200, R201).
@Suite struct RowsAtPositionsTests {
  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Note",
      attributes: [
        AttributeDescription("text", .text), AttributeDescription("mark", .integer64),
      ]
    )
  }

  private func filled(historyCapacity: Int = 500_000) throws -> (InMemoryStore, [ObjectID]) {
    let store = try InMemoryStore(entities: [entity], historyCapacity: historyCapacity)
    let ids = try store.commit(origin: .unnamed) { transaction in
      try ["a", "b", "c"].map {
        try transaction.insert([.text($0), .integer(0)], key: nil, into: entity)
      }
    }.result
    return (store, ids)
  }

  private func list(
    _ isFrozen: Bool = false,
    in store: any Store,
    _ delivery: ResultsDelivery = .onDemand,
    where predicate: FetchPredicate = .all
  ) -> FetchedResultsController<Row> {
    FetchedResultsController(
      ResultsDefinition(
        FetchRequest(entity: entity, where: predicate, sortedBy: [.ascending("text")]),
        sectionedBy: .attribute("text"),
        isFrozen: isFrozen
      ),
      in: store,
      options: ResultsOptions(delivery: delivery, journalCapacity: 100)
    )
  }

  private func texts(_ results: ResultsList<Row>) throws -> [Value] {
    try results.objects().map { $0.values[0] }
  }

  @Test func `a row that was deleted or moved since is read as it was (R19, R48)`() async throws {
    let (store, ids) = try filled()
    let controller = list(in: store)
    try await controller.performFetch()
    let held = try controller.results
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.delete(ids[0], of: entity)
      try transaction.update(
        ids[1],
        to: [.text("z"), .integer(1)],
        of: entity,
        ifUnchangedFrom: nil
      )
    }
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.delete(ids[1], of: entity)
    }
    #expect(try texts(held) == [.text("a"), .text("b"), .text("c")])
    #expect(held.sections.map(\.title) == ["a", "b", "c"])
    try await controller.refresh()
    #expect(try texts(controller.results) == [.text("c")])
  }

  @Test func `R285: running values are there after commits that do not concern the list`()
    async throws
  {
    let (store, ids) = try filled(historyCapacity: 2)
    let controller = list(
      in: store,
      .immediate,
      where: .comparison(.attribute("mark"), .equal, .literal(0))
    )
    try await controller.update { $0.aggregates = [SectionAggregate("count", .count("text"))] }
    try await controller.performFetch()
    let results = try controller.results
    for number in 1...20 {
      _ = try store.commit(origin: .unnamed) { transaction in
        try transaction.insert([.text("d"), .integer(Int64(number))], key: nil, into: entity)
      }
    }
    let values = try results.runningValues(of: "count", at: 0..<3)
    #expect(values.map(\.value) == [1, 2, 3])
    #expect(results.count == ids.count)
    controller.cancel()
  }

  @Test func `an attribute that decides no position has the list's value too (R200)`() async throws
  {
    let (store, ids) = try filled()
    let controller = list(in: store)
    try await controller.performFetch()
    let held = try controller.results
    try mark(ids[2], 7, in: store)
    #expect(try marks(held) == [0, 0, 0])
    try await controller.refresh()
    #expect(try marks(controller.results) == [0, 0, 7])
    // The generation before is read as it was, also after others.
    #expect(try marks(held) == [0, 0, 0])
  }

  @Test func `members of a frozen list are read as they are in the list (R19, R200)`()
    async throws
  {
    let (store, ids) = try filled()
    let controller = list(true, in: store)
    try await controller.performFetch()
    let held = try controller.results
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.update(
        ids[0],
        to: [.text("z"), .integer(1)],
        of: entity,
        ifUnchangedFrom: nil
      )
      try transaction.delete(ids[1], of: entity)
    }
    #expect(try texts(held) == [.text("a"), .text("b"), .text("c")])
    try await controller.refresh()
    #expect(try texts(controller.results) == [.text("z"), .text("c")])
  }

  /// A history that reaches back to no list: what a reader finds is that of a version between two of the list.
  @Test func `a row that was read between two versions of a list is named (R201)`() async throws {
    let (store, ids) = try filled(historyCapacity: 0)
    let controller = list(in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try mark(ids[2], 7, in: store)
    #expect(try marks(controller.results) == [0, 0, 7])
    try mark(ids[2], 0, in: store)
    try await controller.refresh()
    // The row was read as 7, which no generation has.
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.delta.rows.updates.contains { $0.id == ids[2] && $0.contentChanged })
    #expect(change.delta.repair == .trimmed && !change.isEcho(of: .unnamed))
    #expect(try marks(change.after) == [0, 0, 0])
  }

  @Test func `no composition takes back that a row was read between two versions (R201)`()
    async throws
  {
    let (store, ids) = try filled()
    let forgetful = HistorylessStore(store)
    let controller = list(in: forgetful, .immediate)
    try await controller.performFetch()
    let drawn = try controller.results
    try mark(ids[2], 7, in: forgetful)
    try await controller.refresh()
    // What the first list shows is not known any more: it is read as it is now.
    forgetful.forgets.store(true, ordering: .relaxed)
    #expect(try marks(drawn) == [0, 0, 7])
    forgetful.forgets.store(false, ordering: .relaxed)
    try mark(ids[2], 0, in: forgetful)
    try await controller.refresh()
    guard case .change(let delta, let present) = try controller.catchUp(from: drawn.position) else {
      Issue.record("no change from the first list to the last, although a row was read in between")
      return
    }
    #expect(delta.rows.updates.map(\.id).contains(ids[2]))
    #expect(try marks(present) == [0, 0, 0])
  }

  @Test(arguments: [false, true])
  func `a row that was read late, left and came back as it was is named (R201)`(
    _ isAbsentWhenRead: Bool
  ) async throws {
    let (store, ids) = try filled()
    let forgetful = HistorylessStore(store)
    let marked = FetchPredicate.comparison(.attribute("mark"), .greaterOrEqual, .literal(0))
    let controller = list(in: forgetful, where: marked)
    try await controller.performFetch()
    let drawn = try controller.results
    func commit(_ value: Int64) async throws {
      try mark(ids[2], value, in: forgetful)
      try await controller.refresh()
    }
    func readLate() throws -> Value? {
      forgetful.forgets.store(true, ordering: .relaxed)
      defer { forgetful.forgets.store(false, ordering: .relaxed) }
      return try drawn.objects(at: 2..<3).first?.values[1]
    }
    try await commit(7)
    if !isAbsentWhenRead { #expect(try readLate() == 7) }
    try await commit(-1)
    if isAbsentWhenRead { #expect(try readLate() == -1) }
    // The list has nothing to say about it now, and does not forget it.
    try await commit(-2)
    try await commit(0)
    guard case .change(let delta, _) = try controller.catchUp(from: drawn.position) else {
      Issue.record("no change, although a row was read as no list has it")
      return
    }
    #expect(
      (delta.rows.updates + delta.rows.moves).contains { $0.id == ids[2] && $0.contentChanged }
    )
  }

  @Test func `a list is fetched again after more late reads than are noted (R201)`() async throws {
    let (store, _) = try filled(historyCapacity: 0)
    _ = try store.commit(origin: .unnamed) { transaction in
      for number in 0...LateReads.limit {
        try transaction.insert([.text("d\(number)"), .integer(0)], key: nil, into: entity)
      }
    }
    let controller = list(in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert([.text("e"), .integer(0)], key: nil, into: entity)
    }
    let results = try controller.results
    _ = try results.objects(at: 0..<results.count)
    try await controller.refresh()
    guard case .reset(.historyLost, let list) = await events.next() else {
      Issue.record("no reset")
      return
    }
    #expect(list.count == results.count + 1)
  }

  @Test func `a page costs no history while nothing was committed (R200)`() async throws {
    let (store, ids) = try filled()
    let counted = HistorylessStore(store)
    let controller = list(in: counted, .immediate)
    try await controller.performFetch()
    let before = counted.histories.load(ordering: .relaxed)
    #expect(try marks(controller.results) == [0, 0, 0])
    #expect(counted.histories.load(ordering: .relaxed) == before)
    try mark(ids[0], 1, in: counted)
    try await controller.refresh()
    let after = counted.histories.load(ordering: .relaxed)
    #expect(try marks(controller.results) == [1, 0, 0])
    #expect(counted.histories.load(ordering: .relaxed) == after)
  }

  private func mark(_ id: ObjectID, _ mark: Int64, in store: any Store) throws {
    try store.write { transaction in
      guard case .some(.some(let row)) = try transaction.rows([id.key], of: entity).first else {
        return
      }
      let values = [row.values[0], .integer(mark)]
      try transaction.update(id, to: values, of: entity, ifUnchangedFrom: nil)
    }
  }

  private func marks(_ results: ResultsList<Row>) throws -> [Value] {
    try results.objects().map { $0.values[1] }
  }
}

/// A store that counts the histories that are read, and can forget them.
private final class HistorylessStore: ForwardingStore {
  let base: InMemoryStore
  let forgets = Atomic(false)
  let histories = Atomic(0)
  var target: any Store { base }

  init(_ base: InMemoryStore) { self.base = base }

  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { Snapshot(snapshot, self) }

  private final class Snapshot: SnapshotForwarding {
    let base: any StoreSnapshot
    private let store: HistorylessStore

    init(_ target: any StoreSnapshot, _ store: HistorylessStore) {
      self.store = store
      base = target
    }

    func history(
      since version: StoreVersion,
      of entity: EntityDescription
    ) throws(StoreError) -> StoreHistory {
      store.histories.add(1, ordering: .relaxed)
      if store.forgets.load(ordering: .relaxed) { return .gap(.trimmed) }
      return try base.history(since: version, of: entity)
    }
  }
}
