import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import InMemoryPersistence

@Suite("Orders that the in-memory store caches")
struct OrderedSourceTests {
  /// The entries of a list, and the expected answers of a source.
  private struct Truth {
    let keys: [[UInt8]]
    let layout: KeyLayout

    init(_ definition: OrderDefinition, in snapshot: any StoreSnapshot) throws(StoreError) {
      var keys: [[UInt8]] = []
      try snapshot.entries(of: definition) { (batch) throws(StoreError) in
        keys += batch.keys
        return true
      }
      self.keys = keys
      layout = definition.layout
    }

    /// The first columns of a key, those of the identity included.
    func prefix(_ columns: Int, of key: [UInt8]) -> [UInt8] {
      key.withUnsafeBytes { bytes in
        var end = 0
        for column in (layout.order + layout.identity).prefix(columns) {
          end = layout.end(of: column, in: bytes, from: end)
        }
        return Array(bytes[..<end])
      }
    }

    /// The position of the bound at the first columns of a whole key: before or after the keys that agree in them, or else the
    /// position of the key itself.
    func position(_ columns: Int, of key: [UInt8], isAfter: Bool) -> Int {
      let wanted = prefix(columns, of: key)
      let matches = keys.indices.filter { prefix(columns, of: keys[$0]) == wanted }
      guard let first = matches.first, let last = matches.last else {
        return keys.count { KeyOrder.compare($0, key) < 0 }
      }
      return isAfter ? last + 1 : first
    }
  }

  private struct Workload {
    var random: RandomStoreWorkload
    let entity: EntityDescription
    let store: InMemoryStore
    var definitions: [OrderDefinition] = []

    init(seed: UInt64) throws {
      random = RandomStoreWorkload(seed: seed)
      entity = try random.entity()
      store = try InMemoryStore(entities: [entity])
      for _ in 0..<3 { definitions.append(try definition()) }
    }

    mutating func definition() throws -> OrderDefinition {
      for _ in 0..<20 {
        let predicate =
          random.generator.happens(percent: 50) ? FetchPredicate.all : random.predicate(for: entity)
        let descriptors = random.sortDescriptors(for: entity)
        let made = try? OrderDefinition(
          entity: entity,
          predicate: predicate,
          sortDescriptors: descriptors
        )
        if let made { return made }
      }
      return try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [.init(.attribute(entity.attributes[0].name))]
      )
    }

    mutating func commit() throws {
      let rows = store.core.content?.tables[0].chunks.flatMap(\.self) ?? []
      let steps = random.transaction(on: entity, rows: rows, count: 12)
      _ = try store.commit(origin: .unnamed) { transaction in
        for step in steps { _ = try transaction.perform(step, on: entity) }
      }
    }

    /// A bound and its position.
    mutating func bound(
      in truth: Truth,
      of definition: OrderDefinition
    ) throws -> (bound: KeyBound, position: Int)? {
      var key = random.generator.element(of: truth.keys)
      if key == nil || random.generator.happens(percent: 40) {
        let values = random.values(for: entity)
        let isInteger = if case .integer = entity.identity { true } else { false }
        let given = random.key(for: entity) ?? (isInteger ? .integer(7) : nil)
        guard let found = try entity.key(for: values, given: given) else { return nil }
        key = try? RowKeyEncoder(definition).key(values, key: found)
      }
      guard let key else { return nil }
      let all = truth.layout.order.count + truth.layout.identity.count
      let columns = random.generator.number(in: 0...all)
      let isAfter = random.generator.happens(percent: 50)
      let prefix = truth.prefix(columns, of: key)
      return (
        isAfter ? .after(prefix) : .before(prefix),
        truth.position(columns, of: key, isAfter: isAfter)
      )
    }

    mutating func check(
      _ source: any OrderedSource,
      of definition: OrderDefinition,
      against truth: Truth,
      _ context: Comment
    ) throws {
      let (keys, count) = (truth.keys, truth.keys.count)
      #expect(try source.count(from: nil, to: nil) == count, context)
      for _ in 0..<8 {
        let (lower, upper) = (
          try bound(in: truth, of: definition), try bound(in: truth, of: definition)
        )
        let (start, end) = (lower?.position ?? 0, upper?.position ?? count)
        let slice = start < end ? Array(keys[start..<end]) : []
        #expect(try source.count(from: lower?.bound, to: upper?.bound) == slice.count, context)
        let (skipped, limit) = (
          random.generator.number(in: 0...5), random.generator.choice(0, 1, 4, .max)
        )
        let batch = try source.keys(
          from: lower?.bound,
          to: upper?.bound,
          skipping: skipped,
          limit: limit
        )
        #expect(batch.keys == Array(slice.dropFirst(skipped).prefix(limit)), context)
      }
      let stride = random.generator.number(in: 1...7)
      var sampled: [[UInt8]] = []
      let total = try source.sample(every: stride) { (batch) throws(StoreError) in
        sampled += batch.keys
        return true
      }
      #expect(total == count, context)
      #expect(sampled == Swift.stride(from: 0, to: count, by: stride).map { keys[$0] }, context)
      let columns = random.generator.number(in: 0...truth.layout.order.count)
      var groups: [[UInt8]] = []
      try source.groups(byFirstColumns: columns) { (prefix, count) throws(StoreError) in
        groups += Array(repeating: prefix, count: count)
        return true
      }
      #expect(groups == keys.map { truth.prefix(columns, of: $0) }, context)
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func
    `R77: a source agrees with the entries of its own version, whatever is committed meanwhile`(
      seed: UInt64
    ) throws
  {
    var work = try Workload(seed: seed)
    for step in 0..<25 {
      let context: Comment = "seed \(seed), step \(step)"
      if step % 6 == 5 { work.definitions[step % 3] = try work.definition() }
      try work.store.read { (snapshot) throws(StoreError) in
        do {
          let commitsFirst = work.random.generator.happens(percent: 50)
          if commitsFirst { try work.commit() }
          for definition in work.definitions {
            let truth = try? Truth(definition, in: snapshot)
            let source = try? snapshot.orderedSource(of: definition)
            #expect((truth == nil) == (source == nil), context)
            guard let truth, let source else { continue }
            if !commitsFirst, work.random.generator.happens(percent: 30) { try work.commit() }
            try work.check(source, of: definition, against: truth, context)
          }
        } catch {
          Issue.record("\(error), seed \(seed), step \(step)")
        }
      }
    }
  }

  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Item",
      attributes: [
        AttributeDescription("text", .text), AttributeDescription("n", .integer64),
      ]
    )
  }

  private func definition(_ direction: SortDirection, limit: Int64 = .max) throws
    -> OrderDefinition
  {
    try OrderDefinition(
      entity: entity,
      predicate: .comparison(.attribute("n"), .less, .literal(.integer(limit))),
      sortDescriptors: [.init(.attribute("text"), direction), .init(.attribute("n"))]
    )
  }

  private func add(_ values: [[Value]], to store: InMemoryStore) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      for row in values { try transaction.insert(row, key: nil, into: entity) }
    }
  }

  @Test(arguments: [SortDirection.ascending, .descending])
  func `a text and the same text followed by a zero byte are different groups`(
    direction: SortDirection
  ) throws {
    let store = try InMemoryStore(entities: [entity])
    let texts = ["a", "a\0", "a\0b", "a\0\0", "", "\0", "b", "a"]
    try add(texts.map { [.text($0), 1] }, to: store)
    let definition = try definition(direction)
    try store.read { (snapshot) throws(StoreError) in
      let truth = try Truth(definition, in: snapshot)
      guard let source = try snapshot.orderedSource(of: definition) else {
        Issue.record("no source")
        return
      }
      for key in truth.keys {
        for columns in 0...3 {
          let prefix = truth.prefix(columns, of: key)
          let start = truth.position(columns, of: key, isAfter: false)
          let end = truth.position(columns, of: key, isAfter: true)
          #expect(try source.count(from: nil, to: .before(prefix)) == start)
          #expect(try source.count(from: nil, to: .after(prefix)) == end)
          #expect(try source.count(from: .before(prefix), to: .after(prefix)) == end - start)
        }
      }
      var counts: [Int] = []
      try source.groups(byFirstColumns: 1) { (_, count) throws(StoreError) in
        counts.append(count)
        return true
      }
      #expect(counts.sorted() == [1, 1, 1, 1, 1, 1, 2])
    }
  }

  @Test func `an order is updated by commits, and not read again`() throws {
    let store = try InMemoryStore(entities: [entity])
    let definition = try definition(.ascending, limit: 500)
    try add((0..<1000).map { [.text("t\($0 % 7)"), .integer($0)] }, to: store)
    try touch(definition, of: store)
    let number = store.core.content?.orders[definition]?.number
    #expect(number != nil)
    for step: Int64 in 0..<50 { try add([["new", .integer(480 + step)]], to: store) }
    let cached = try #require(store.core.content?.orders[definition])
    #expect(cached.number == number)
    #expect(cached.keys.count == 520)
    try touch(definition, of: store)
    #expect(store.core.content?.orders.count == 1)
  }

  @Test func `an order that is read while others commit is cached at the current version`() throws {
    let store = try InMemoryStore(entities: [entity])
    let definition = try definition(.descending)
    try add([["a", 1]], to: store)
    try store.read { (snapshot) throws(StoreError) in
      _ = try store.commit(origin: .unnamed) { try $0.insert(["b", 2], key: nil, into: entity) }
      #expect(try snapshot.orderedSource(of: definition)?.count(from: nil, to: nil) == 1)
    }
    #expect(store.core.content?.orders[definition]?.keys.count == 2)
  }

  @Test func `readers get the keys of their own versions while a writer commits`() async throws {
    let store = try InMemoryStore(entities: [entity])
    let definitions = try (0..<20).map { try definition(.ascending, limit: $0 * 5 + 1) }
    try add((0..<300).map { [.text("t\($0 % 7)"), .integer($0 % 100)] }, to: store)
    try await withThrowingTaskGroup { [entity] group in
      group.addTask {
        for number: Int64 in 0..<300 {
          _ = try store.commit(origin: .unnamed) { transaction in
            try transaction.insert(["x", .integer(number % 100)], key: nil, into: entity)
            let id = ObjectID(entity: entity.name, key: .integer(number + 1))
            _ = try transaction.delete(id, of: entity)
          }
        }
      }
      for factor in 1...2 {
        group.addTask {
          for step in 0..<300 {
            let definition = definitions[step * factor % 20]
            try store.read { (snapshot) throws(StoreError) in
              let truth = try Truth(definition, in: snapshot)
              let keys = try snapshot.orderedSource(of: definition)?
                .keys(from: nil, to: nil, skipping: 0, limit: .max)
              #expect(keys?.keys == truth.keys)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let orders = try #require(store.core.content?.orders)
    try store.read { (snapshot) throws(StoreError) in
      for definition in definitions {
        guard let cached = orders[definition] else { continue }
        #expect(try Truth(definition, in: snapshot).keys.count == cached.keys.count)
      }
    }
  }

  @Test func `an order that is inserted while the others are updated is updated too`() throws {
    let store = try InMemoryStore(entities: [entity])
    try add([["a", 1], ["b", 2]], to: store)
    let before = try #require(store.core.content)
    let definitions = [try definition(.ascending), try definition(.descending)]
    let orders = try definitions.compactMap { try CachedOrder(of: $0, in: before) }
    try #require(orders.count == 2)
    var current = CachedOrders()
    current.insert(orders[0])
    let version = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert(["c", 3], key: nil, into: entity)
      _ = try transaction.delete(ObjectID(entity: "Item", key: .integer(1)), of: entity)
    }.version
    let history = store.history(after: before.version, through: version, of: entity)
    guard case .commits(let commits) = history else {
      Issue.record("\(history)")
      return
    }
    let changes = [0: commits.flatMap(\.changes)]
    var updated = current
    updated.apply(changes)
    current.insert(orders[1])
    updated.rebase(onto: current, after: changes)
    try store.read { (snapshot) throws(StoreError) in
      for definition in definitions {
        let keys = updated[definition]?.keys
        #expect(try keys == SortedKeyList(of: Truth(definition, in: snapshot).keys))
      }
    }
  }

  @Test func `only the most recently used definitions are cached`() throws {
    let store = try InMemoryStore(entities: [entity])
    let definitions = try (0..<20).map { try definition(.ascending, limit: $0) }
    for definition in definitions {
      try touch(definition, of: store)
      try touch(definitions[0], of: store)
    }
    let orders = try #require(store.core.content?.orders)
    #expect(orders.count == CachedOrders.limit)
    #expect(orders[definitions[0]] != nil && orders[definitions[19]] != nil)
    #expect(orders[definitions[1]] == nil && orders[definitions[4]] == nil)
    #expect(orders[definitions[5]] != nil)
  }

  @Test
  func `a store without orders has no sources, and a source throws after its snapshot has ended`()
    throws
  {
    let definition = try definition(.ascending)
    let without = try InMemoryStore(entities: [entity], providesOrder: false)
    try without.read { (snapshot) throws(StoreError) in
      #expect(try snapshot.orderedSource(of: definition) == nil)
    }
    let store = try InMemoryStore(entities: [entity])
    var escaped: (any OrderedSource)?
    try InMemoryStore(readingFrom: store).read { (snapshot) throws(StoreError) in
      escaped = try snapshot.orderedSource(of: definition)
    }
    let source = try #require(escaped)
    #expect(throws: StoreError.self) { try source.count(from: nil, to: nil) }
  }

  private func touch(_ definition: OrderDefinition, of store: InMemoryStore) throws {
    try store.read { (snapshot) throws(StoreError) in
      #expect(try snapshot.orderedSource(of: definition) != nil)
    }
  }
}

extension SortedKeyList {
  fileprivate init(of keys: [[UInt8]]) {
    self.init()
    for key in keys { insert(key) }
  }
}

extension EntryBatch {
  fileprivate var keys: [[UInt8]] {
    zip([0] + ends, ends).map { Array(bytes[$0..<$1]) }
  }
}
