import EventLog
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization
import Testing

@Suite struct StoreManagerTests {
  private let store: InMemoryStore
  private let manager: StoreManager

  init() throws {
    let store = try InMemoryStore(entities: [Event.entity, Note.entity])
    self.store = store
    manager = try StoreManagers(dataFolder: "") { _, _ in store }.manager(of: "Log")
  }

  @Test
  func
    `new objects are pending until saved; only select of their manager includes them (R47, N18)`()
    async throws
  {
    let list = try manager.controller("Event", sortedBy: "timeStamp")
    try await list.performFetch()
    let event = try manager.new("Event")
    event["timeStamp"] = 5
    #expect(event.id == nil && event.isChanged && manager.hasChanges)
    #expect(try stamps() == [5])
    try await list.refresh()
    #expect(list.rows?.isEmpty == true)
    try manager.save()
    #expect(event.id != nil && !event.isChanged && !manager.hasChanges)
    try await list.refresh()
    #expect(list.rows?.count == 1)
    #expect(list.definition.request.fetchBatchSize == 20)
    #expect(try manager.select("Event").first === event)
  }

  @Test func `a save that fails writes nothing, and its changes stay pending`() throws {
    try add(1, 2)
    let good = try manager.new("Event")
    good["timeStamp"] = 3
    let bad = try manager.new("Event")
    let first = try #require(try manager.select("Event").first)
    first["timeStamp"] = 10
    #expect(try manager.delete("Event", at: 1))
    let error = #expect(throws: StoreError.self) { try manager.save() }
    #expect("\(try #require(error))".contains("timeStamp"))
    #expect(try stored() == [1, 2])
    #expect(manager.hasChanges)
    #expect(try manager.select("Event").count == 3)
    bad["timeStamp"] = 4
    try manager.save()
    #expect(try stored() == [10, 3, 4])
  }

  @Test func `rollback discards new, changed and deleted objects`() throws {
    try add(1, 2)
    let objects = try manager.select("Event")
    objects[0]["timeStamp"] = 7
    manager.delete(objects[1])
    _ = try manager.new("Event")
    #expect(try manager.select("Event").count == 2)
    manager.rollback()
    #expect(!manager.hasChanges)
    #expect(try stamps() == [1, 2])
    #expect(objects[0]["timeStamp"] == 1)
    try manager.save()
    #expect(try stored() == [1, 2])
  }

  @Test(arguments: [nil, "", "  \n", "TRUEPREDICATE"])
  func `no predicate, or an empty one, selects all objects by key`(text: String?) throws {
    try add(3, 1, 2)
    #expect(try manager.select("Event", where: text).map { $0["timeStamp"] } == [3, 1, 2])
  }

  @Test(arguments: [false, true])
  func `predicate, order, limit and offset work the same with and without pending changes`(
    isPending: Bool
  ) throws {
    try add(30, 10, 20)
    for stamp in [50, 40] as [Int64] {
      let event = try manager.new("Event")
      event["timeStamp"] = .integer(stamp)
    }
    try #require(try manager.select("Event", where: "timeStamp == 10").first)["timeStamp"] = 15
    if !isPending { try manager.save() }
    #expect(try stamps() == [30, 15, 20, 50, 40])
    #expect(try stamps(limit: 2, offset: 1) == [15, 20])
    #expect(try stamps(where: "timeStamp > 15", limit: 2) == [30, 20])
    #expect(try stamps(where: "timeStamp == 10") == [])
    #expect(try stamps(limit: 3, by: [.descending("timeStamp")]) == [50, 40, 30])
    #expect(try stamps(offset: 9) == [])
    #expect(try stamps(limit: 0) == [])
    #expect(try manager.select("Event", where: "timeStamp < %@", arguments: [20]).count == 1)
  }

  @Test func `wrong calls are errors with a remedy, never a trap (R20)`() throws {
    #expect(throws: StoreManagerError.unknownEntity("Evnt", known: ["Event", "Note"])) {
      try manager.new("Evnt")
    }
    #expect(throws: StoreManagerError.unknownKey("time", entity: "Event")) {
      try manager.controller("Event", sortedBy: "time")
    }
    #expect(throws: PredicateParseError.self) { try manager.select("Event", where: "time ==") }
    #expect(throws: StoreError.self) { try manager.select("Event", limit: -1) }
    #expect(throws: StoreError.self) { try manager.select("Event", offset: -1) }
    #expect(throws: StoreError.self) { try manager.select("Event", sortedBy: [.ascending("x")]) }
    _ = try manager.new("Event")
    #expect(throws: StoreError.self) { try manager.select("Event", limit: -1) }
    #expect(throws: StoreError.self) { try manager.select("Event", sortedBy: [.ascending("x")]) }
  }

  @Test(arguments: [-1, 3, .max, .min])
  func `deleting at a missing position returns false`(index: Int) throws {
    try add(1, 2, 3)
    #expect(try !manager.delete("Event", at: index))
    #expect(!manager.hasChanges)
  }

  @Test func `deleting by position uses the order of select, including pending changes`() throws {
    try add(3, 1, 2)
    #expect(try manager.delete("Event", at: 0))
    #expect(try manager.delete("Event", at: 0))
    #expect(try stamps() == [2])
    #expect(try stored() == [3, 1, 2])
    #expect(try manager.delete("Event", at: 0, sortedBy: [.descending("timeStamp")]))
    #expect(try !manager.delete("Event", at: 0))
    try manager.save()
    #expect(try stored() == [])
    let new = try manager.new("Event")
    #expect(try manager.delete("Event", at: 0))
    #expect(!manager.hasChanges)
    new["timeStamp"] = 1
    try manager.save()
    #expect(try stored() == [])
  }

  @Test func `commits of others are read, and a lost update is refused`() throws {
    try add(1)
    let event = try #require(try manager.select("Event").first)
    let id = try #require(event.id)
    try store.write {
      try $0.update(
        id,
        to: Event(timeStamp: Instant(microseconds: 2)).attributeValues,
        of: Event.entity,
        ifUnchangedFrom: nil
      )
    }
    #expect(try stamps() == [2])
    #expect(event["timeStamp"] == 2)
    event["timeStamp"] = 5
    try store.write {
      try $0.update(
        id,
        to: Event(timeStamp: Instant(microseconds: 3)).attributeValues,
        of: Event.entity,
        ifUnchangedFrom: nil
      )
    }
    let error = #expect(throws: StoreError.self) { try manager.save() }
    guard case .conflict = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(event["timeStamp"] == 5)
    manager.rollback()
    #expect(try stamps() == [3])
  }

  @Test func `a value of a wrong type is refused by save and does not break select`() throws {
    let event = try manager.new("Event")
    event["timeStamp"] = "noon"
    event["no such attribute"] = 1
    #expect(try manager.select("Event", sortedBy: [.ascending("timeStamp")]).count == 1)
    #expect(throws: StoreError.self) { try manager.save() }
    event["timeStamp"] = 1
    try manager.save()
    #expect(try stored() == [1])
  }

  @Test func `an entity with text keys takes the key of a new object`() throws {
    let note = try manager.new("Note", key: .text("b"))
    note["text"] = "second"
    let other = try manager.new("Note", key: .text("a"))
    other["text"] = "first"
    #expect(try manager.select("Note").map { $0["text"] } == ["first", "second"])
    try manager.save()
    #expect(try manager.select("Note").map { $0["text"] } == ["first", "second"])
    #expect(note.id?.key == .text("b"))
  }

  @Test func `lists of two entities do not disturb each other`() async throws {
    let events = try manager.controller("Event", sortedBy: "timeStamp")
    let notes = try manager.controller("Note", sortedBy: "text")
    try await events.performFetch()
    try await notes.performFetch()
    let note = try manager.new("Note", key: .text("a"))
    note["text"] = "x"
    try manager.save()
    try await events.refresh()
    try await notes.refresh()
    #expect(try events.results.generation == 1)
    #expect(try notes.results.generation == 2)
  }

  @Test func `many threads create, change and save objects, and none is lost or duplicated`()
    async throws
  {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { [manager] in
          guard let event = try? manager.new("Event") else { return }
          event["timeStamp"] = .integer(Int64(number))
          // An incomplete object of another task can make this save fail; a later save includes it.
          try? manager.save()
        }
      }
    }
    try manager.save()
    #expect(try Set(stored()) == Set((0..<200).map { Value.integer($0) }))
    #expect(try stored().count == 200)
  }

  private func add(_ stamps: Int64...) throws {
    try store.write { transaction in
      for stamp in stamps { try transaction.insert(Event(timeStamp: Instant(microseconds: stamp))) }
    }
  }

  private func stamps(
    where predicate: String? = nil,
    limit: Int? = nil,
    offset: Int = 0,
    by order: [FetchSortDescriptor] = StoreManager.keyOrder
  ) throws -> [Value] {
    try manager.select("Event", where: predicate, limit: limit, offset: offset, sortedBy: order)
      .map { $0["timeStamp"] }
  }

  private func stored() throws -> [Value] {
    try store.fetch(FetchRequest<Row>(entity: Event.entity, sortedBy: StoreManager.keyOrder))
      .map { $0["timeStamp"] }
  }
}

/// An entity with a text key.
private struct Note: Entity {
  var name = ""
  var text = ""

  static let schema = EntitySchema<Note>("Note", textIdentity: \.name, column: "name") {
    Attribute(\.text, "text")
  }
}

@Suite struct StoreManagersTests {
  private let opened = Opened()

  /// The opened stores, in order.
  private final class Opened: Sendable {
    let stores = Mutex<[String]>([])
  }

  private func managers(in folder: String = "data") -> StoreManagers {
    StoreManagers(dataFolder: folder) { [opened] path, kind in
      opened.stores.withLock { $0.append("\(kind) \(path)") }
      return try InMemoryStore(entities: [Event.entity])
    }
  }

  @Test func `the same name is the same manager, from any thread, opened once`() async throws {
    let managers = managers()
    let found = try await withThrowingTaskGroup(of: StoreManager.self) { group in
      for _ in 0..<64 { group.addTask { try managers.manager(of: "Log") } }
      return try await group.reduce(into: [ObjectIdentifier]()) { $0.append(ObjectIdentifier($1)) }
    }
    #expect(Set(found).count == 1)
    #expect(opened.stores.withLock { $0 } == ["file data/Log.sqlite"])
    let other = ObjectIdentifier(try managers.manager(of: "Other"))
    #expect(!found.contains(other))
  }

  @Test func `the file and the kind of store can be named`() throws {
    let managers = managers()
    let named = try managers.manager(of: "Log", file: "/tmp/x.sqlite")
    let inMemory = try managers.manager(of: "Scratch", kind: .memory)
    #expect(opened.stores.withLock { $0 } == ["file /tmp/x.sqlite", "memory :memory:"])
    // Without a file, the open manager is returned.
    #expect(try managers.manager(of: "Log") === named)
    #expect(try managers.manager(of: "Log", file: "/tmp/x.sqlite") === named)
    #expect(try managers.manager(of: "Scratch") === inMemory)
  }

  @Test func `an open model with another file or kind is refused, and not changed`() throws {
    let managers = managers()
    let manager = try managers.manager(of: "Log")
    for (file, kind) in [("other.sqlite", nil), (nil, StoreKind.memory), ("a", .memory)] {
      let error = #expect(throws: StoreManagerError.self) {
        try managers.manager(of: "Log", file: file, kind: kind)
      }
      guard case .otherStore("Log", "data/Log.sqlite", _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(try managers.manager(of: "Log") === manager)
    _ = try managers.manager(of: "Scratch", kind: .memory)
    #expect(throws: StoreManagerError.self) {
      try managers.manager(of: "Scratch", kind: .file)
    }
  }

  @Test func `names are compared by bytes`() throws {
    let managers = managers()
    let composed = try managers.manager(of: "が")
    #expect(try managers.manager(of: "か\u{3099}") !== composed)
  }

  @Test(arguments: ["", "..", "../other", "a/b", ".hidden", "a\\b"])
  func `a name that leaves the data folder is refused, unless a file is given`(
    name: String
  ) throws {
    #expect(throws: StoreManagerError.invalidName(name)) { try managers().manager(of: name) }
    _ = try managers().manager(of: name, file: "x.sqlite")
  }

  @Test func `a store that cannot be opened is an error, and the next call tries again`() throws {
    let works = Mutex(false)
    let managers = StoreManagers(dataFolder: "") { path, _ in
      guard works.withLock({ $0 }) else {
        throw StoreError.cannotOpen(path: path, .isDirectory)
      }
      return try InMemoryStore(entities: [Event.entity])
    }
    #expect(throws: StoreError.self) { try managers.manager(of: "Log") }
    works.withLock { $0 = true }
    _ = try managers.manager(of: "Log")
  }
}

/// R88: the caches of a manager's lists.
@Suite struct StoreManagerCacheTests {
  @Test func `lists of two entities have separate caches`() async throws {
    let store = try InMemoryStore(entities: [Event.entity, Memo.entity])
    let caches = Kept()
    let managers = StoreManagers(dataFolder: "", caches: { _, _ in caches }) { _, _ in store }
    let manager = try managers.manager(of: "Log")
    for expected in [CacheOutcome.miss(.none), .hit] {
      for (entity, key) in [("Event", "timeStamp"), ("Memo", "text")] {
        let list = try manager.controller(entity, sortedBy: key)
        try await list.performFetch()
        #expect(list.cacheOutcome == expected, "\(entity)")
        try await list.saveCache()
        list.cancel()
      }
    }
    #expect(try caches.entries().map(\.name).sorted() == ["Root Event", "Root Memo"])
  }
}

/// A second entity.
private struct Memo: Entity {
  var id: Int64?
  var text = ""

  static let schema = EntitySchema<Memo>("Memo", identity: \.id) { Attribute(\.text, "text") }
}

/// Section caches in memory.
private final class Kept: SectionCacheStorage {
  private let stored = Mutex<[String: [UInt8]]>([:])

  func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]? { stored.withLock { $0[name] } }

  func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure) {
    stored.withLock { $0[name] = bytes }
  }

  func remove(_ name: String) throws(SectionCacheFailure) -> Bool {
    stored.withLock { $0.removeValue(forKey: name) != nil }
  }

  func removeAll() throws(SectionCacheFailure) -> Int {
    stored.withLock { stored in
      defer { stored = [:] }
      return stored.count
    }
  }

  func entries() throws(SectionCacheFailure) -> [SectionCacheEntry] {
    stored.withLock { stored in
      stored.map { SectionCacheEntry(name: $0, byteCount: $1.count, writtenAt: nil) }
    }
  }
}
