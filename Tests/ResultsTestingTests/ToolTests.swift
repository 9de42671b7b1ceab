import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Synchronization
import Testing

@Suite struct `A recorder` {
  @Test func `waiting ends when there are enough elements`() async {
    let recorder = Recorder<Int>()
    recorder.record(1)
    async let elements = recorder.wait(forCount: 3)
    recorder.record(2)
    recorder.record(3)
    #expect(await elements == [1, 2, 3])
    #expect(recorder.elements == [1, 2, 3])
  }

  @Test func `waiting ends when the task is cancelled`() async {
    let recorder = Recorder<Int>()
    let task = Task { await recorder.wait(forCount: 1) }
    task.cancel()
    #expect(await task.value.isEmpty)
  }
}

@Suite struct `Manual clock` {
  @Test func `a sleeper wakes when the clock reaches its deadline, not before`() async throws {
    let clock = ManualClock()
    let woken = Recorder<Int>()
    async let first: Void = sleep(clock, .seconds(1), 1, woken)
    async let second: Void = sleep(clock, .seconds(3), 3, woken)
    await clock.waitForSleepers(2)
    clock.advance(by: .milliseconds(999))
    #expect(clock.sleeperCount == 2)
    clock.advance(by: .milliseconds(1))
    #expect(await woken.wait(forCount: 1) == [1])
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(2))
    #expect(await woken.wait(forCount: 2) == [1, 3])
    _ = try await (first, second)
    #expect(clock.now == ManualClock.Instant(offset: .seconds(3)))
  }

  @Test func `sleeping until a past instant returns immediately`() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(5))
    try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)), tolerance: nil)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a cancelled sleeper throws`() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }

  private func sleep(
    _ clock: ManualClock,
    _ duration: Duration,
    _ number: Int,
    _ recorder: Recorder<Int>
  ) async throws {
    try await clock.sleep(for: duration)
    recorder.record(number)
  }
}

@Suite struct `List picture` {
  @Test func `sections, their counts and aligned cells are shown`() {
    let picture = ListPicture([
      ListPicture.Section("Ace", [["Emma", "1815", "x"], ["Persuasion", "1817"]]),
      ListPicture.Section("", []),
    ])
    #expect(
      picture.description == """
        = Ace (2)
          Emma        1815  x
          Persuasion  1817
        =  (0)
        """
    )
  }

  @Test func `a list without sections has no title lines`() {
    #expect(ListPicture(rows: [["a"], ["b"]]).description == "a\nb")
    #expect(ListPicture(rows: []).description.isEmpty)
  }

  @Test func `any sequence of sections can be drawn`() {
    let picture = ListPicture(
      [("one", [1, 2]), ("two", [3])],
      title: { $0.0 },
      rows: { $0.1 },
      cells: { [String($0)] }
    )
    #expect(picture.description == "= one (2)\n  1\n  2\n= two (1)\n  3")
  }
}

@Suite struct `Seeded generator` {
  @Test func `the numbers of a seed are the published ones`() {
    var generator = SeededGenerator(seed: 1_234_567)
    // Reference values of SplitMix64 for this seed (Vigna's splitmix64.c).
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.seed == 1_234_567)
  }
}

/// A store that forwards to another one reads no more of it than the other store would.
@Suite("Stores that forward")
struct ForwardingTests {
  private final class Probe: SnapshotForwarding {
    let base: any StoreSnapshot
    var limits: [Int] = []

    init(_ base: any StoreSnapshot) { self.base = base }

    func firstEntries(
      of definition: OrderDefinition,
      limit: Int
    ) throws(StoreError) -> EntryBatch {
      limits.append(limit)
      return try base.firstEntries(of: definition, limit: limit)
    }
  }

  private final class Outer: SnapshotForwarding {
    let base: any StoreSnapshot

    init(base: any StoreSnapshot) { self.base = base }
  }

  /// A transaction around another one.
  private final class OuterTransaction: SnapshotForwarding, StoreTransaction {
    let base: any StoreSnapshot
    private let transaction: any StoreTransaction

    init(_ transaction: any StoreTransaction, reading base: any StoreSnapshot) {
      (self.transaction, self.base) = (transaction, base)
    }

    func insert(
      _ values: [Value],
      key: ObjectKey?,
      into entity: EntityDescription
    ) throws(StoreError) -> ObjectID {
      try transaction.insert(values, key: key, into: entity)
    }

    func update(
      _ id: ObjectID,
      to values: [Value],
      of entity: EntityDescription,
      ifUnchangedFrom expected: Row?
    ) throws(StoreError) {
      try transaction.update(id, to: values, of: entity, ifUnchangedFrom: expected)
    }

    func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
      try transaction.delete(id, of: entity)
    }
  }

  private struct OuterStore: ForwardingStore {
    let target: any Store

    func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { Outer(base: snapshot) }
  }

  /// A store that records which versions observers need no more.
  private final class ReleasingStore: ForwardingStore {
    let target: any Store
    let released = Mutex<[StoreVersion]>([])

    init(_ target: any Store) { self.target = target }

    func releaseHistory(through version: StoreVersion) {
      released.withLock { $0.append(version) }
    }
  }

  private static func store() throws -> (InMemoryStore, EntityDescription) {
    let entity = try EntityDescription(
      name: "Thing",
      attributes: [AttributeDescription("n", .text)]
    )
    return (try InMemoryStore(entities: [entity]), entity)
  }

  @Test func `a commit is offered with a wrapped snapshot before the write returns`() throws {
    let (store, entity) = try Self.store()
    let outer = OuterStore(target: store)
    let offered = Mutex<[Bool]>([])
    let notifications = outer.commitNotifications { snapshot in
      offered.withLock { $0.append(snapshot is Outer) }
      return true
    }
    try outer.write { try $0.insert([.text("a")], key: nil, into: entity) }
    #expect(offered.withLock(\.self) == [true])
    withExtendedLifetime(notifications) {}
  }

  @Test func `a version that nobody needs is released`() throws {
    let (store, _) = try Self.store()
    let inner = ReleasingStore(store)
    let version = try store.read { (snapshot) throws(StoreError) in snapshot.version }
    OuterStore(target: inner).releaseHistory(through: version)
    #expect(inner.released.withLock(\.self) == [version])
  }

  @Test func `a snapshot has the index of the one inside, and a transaction has none`() throws {
    let (store, entity) = try Self.store()
    let definition = try OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: [.ascending("n")]
    )
    try store.read { (snapshot) throws(StoreError) in
      let outer = Outer(base: snapshot)
      #expect(try snapshot.orderedSource(of: definition) != nil)
      #expect(try outer.orderedSource(of: definition) != nil)
      #expect(try outer.source(of: definition) == snapshot.source(of: definition))
    }
    try store.write { transaction in
      let other = try store.read { (snapshot) throws(StoreError) in
        let outer = OuterTransaction(transaction, reading: snapshot)
        return (
          hasIndex: try outer.orderedSource(of: definition) != nil,
          source: try outer.source(of: definition),
          planned: try outer.plan(of: definition).source
        )
      }
      #expect(!other.hasIndex && other.source == .unknown && other.planned == .unknown)
    }
  }

  @Test func `the first keys are requested as such`() throws {
    let (store, entity) = try Self.store()
    try store.write { transaction in
      for text in ["a", "b", "c"] {
        try transaction.insert([.text(text)], key: nil, into: entity)
      }
    }
    let limits = try store.read { (snapshot) throws(StoreError) in
      let probe = Probe(snapshot)
      let request = FetchRequest<ObjectID>(
        entity: entity,
        sortedBy: [.descending("n")],
        fetchLimit: 2
      )
      let keys = try Outer(base: probe).keys(of: request)
      #expect(keys == [.integer(3), .integer(2)])
      return probe.limits
    }
    #expect(limits == [2])
  }
}
