// Runs the conformance kit on the stores in memory and over SQLite, and lists that follow several writers at once, in a build with a
// sanitizer, which ends the program at the first race or invalid access. `script/test --sanitize` builds and runs it.
import FetchedResults
import Foundation
import InMemoryPersistence
import ResultsTesting
import SQLitePersistence
import Synchronization

struct Note: Entity {
  var id: Int64?
  var kind = ""
  var stars = 0

  static let schema = EntitySchema<Note>("Note", identity: \.id) {
    Attribute(\.kind, "kind")
    Attribute(\.stars, "stars")
  }
}

/// Names files in a folder of their own.
final class Files: Sendable {
  private let folder = NSTemporaryDirectory() + "sanitized-" + UUID().uuidString
  private let count = Mutex(0)

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func next() -> String {
    let number = count.withLock {
      $0 += 1
      return $0
    }
    return "\(folder)/\(number).sqlite"
  }
}

struct Difference: Error { let seed: UInt64 }

/// Two stores write while lists with each delivery follow one of them and read rows at random.
func follow(_ stores: [any Store], seed: UInt64, steps: Int) async throws {
  let deliveries: [ResultsDelivery] = [.immediate, .throttled(for: .milliseconds(2)), .onDemand]
  let lists = deliveries.map {
    FetchedResultsController(
      FetchRequest<Note>(sortedBy: [.descending(\.stars)]),
      sectionedBy: .attribute(\.kind),
      in: stores[0],
      options: ResultsOptions(delivery: $0)
    )
  }
  for list in lists { try await list.performFetch() }
  try await withThrowingTaskGroup(of: Void.self) { group in
    for (number, store) in stores.enumerated() {
      group.addTask {
        var random = SeededGenerator(seed: seed &+ UInt64(number))
        for _ in 0..<steps {
          let note = Note(
            kind: random.choice("a", "b", "c"),
            stars: random.number(in: 0...9)
          )
          let old = Int64(random.number(in: 1...steps))
          let isDeletion = random.happens(percent: 30)
          try await store.write { transaction in
            _ = try transaction.insert(note)
            guard isDeletion else { return }
            let id = ObjectID(entity: "Note", key: .integer(old))
            _ = try transaction.delete(id, of: Note.entity)
          }
        }
      }
    }
    for (number, list) in lists.enumerated() {
      group.addTask {
        var random = SeededGenerator(seed: seed &+ 100 &+ UInt64(number))
        for _ in 0..<steps {
          _ = try? list.results.sections.first?.first?.object
          if random.happens(percent: 20) { try await list.refresh() }
        }
      }
    }
    try await group.waitForAll()
  }
  var shown: [[Note]] = []
  for list in lists {
    try await list.refresh()
    shown.append(try list.results.sections.flatMap { try $0.map { try $0.object } })
  }
  let counts = Set(shown.map(\.count))
  guard counts.count == 1 else { throw Difference(seed: seed) }
}

let seed = CommandLine.arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1
let files = try Files()
var passed = 0
for testCase in StoreConformance.cases {
  for provider in [
    StoreProvider(open: { try InMemoryStore(entities: $0) }, timeout: .seconds(60)),
    StoreProvider(
      open: { try SQLiteStore(at: files.next(), entities: $0) },
      reopen: { store in
        try store.close()
        return try SQLiteStore(at: store.identity.name, entities: store.entities)
      },
      timeout: .seconds(60)
    ),
  ] {
    passed += try await testCase.run(with: provider) == .passed ? 1 : 0
  }
}
for round in 0..<3 as Range<UInt64> {
  let memory = try InMemoryStore(entities: [Note.entity])
  try await follow([memory, memory], seed: seed &+ round, steps: 60)
  let file = files.next()
  let one = try SQLiteStore(at: file, entities: [Note.entity])
  let other = try SQLiteStore(at: file, entities: [Note.entity])
  try await follow([one, other], seed: seed &+ round, steps: 60)
  try one.close()
  try other.close()
}
print("passed: \(passed) cases of the conformance kit, and lists beside two writers")
