import EventLog
import InMemoryPersistence
import ResultsDomain
import Synchronization
import Testing

@Suite struct StoreManagersTests {
  private let opened = Opened()

  /// What has been opened, in order.
  private final class Opened: Sendable {
    let places = Mutex<[String]>([])
  }

  private func managers(in folder: String = "data") -> StoreManagers {
    StoreManagers(dataFolder: folder) { [opened] path, kind in
      opened.places.withLock { $0.append("\(kind) \(path)") }
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
    #expect(opened.places.withLock { $0 } == ["file data/Log.sqlite"])
    let other = ObjectIdentifier(try managers.manager(of: "Other"))
    #expect(!found.contains(other))
  }

  @Test func `the file and the kind of store can be named`() throws {
    let managers = managers()
    let named = try managers.manager(of: "Log", file: "/tmp/x.sqlite")
    let inMemory = try managers.manager(of: "Scratch", kind: .memory)
    #expect(opened.places.withLock { $0 } == ["file /tmp/x.sqlite", "memory :memory:"])
    // Whoever does not say where gets the one that is there.
    #expect(try managers.manager(of: "Log") === named)
    #expect(try managers.manager(of: "Log", file: "/tmp/x.sqlite") === named)
    #expect(try managers.manager(of: "Scratch") === inMemory)
  }

  @Test func `a known model with another file or kind is refused, and stays what it is`() throws {
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

  @Test func `names are told apart by their bytes`() throws {
    let managers = managers()
    let composed = try managers.manager(of: "が")
    #expect(try managers.manager(of: "か\u{3099}") !== composed)
  }

  @Test(arguments: ["", "..", "../other", "a/b", ".hidden", "a\\b"])
  func `a name that would leave the data folder is refused unless the file is named`(
    name: String
  ) throws {
    #expect(throws: StoreManagerError.invalidName(name)) { try managers().manager(of: name) }
    _ = try managers().manager(of: name, file: "x.sqlite")
  }

  @Test func `a store that cannot be opened is an error, and can be tried again`() throws {
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
