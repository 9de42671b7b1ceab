import Foundation
import GRDB
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R11, R106: sections that are objects are the same over a file as in memory, with two writers, with and without a change log.
@Suite struct ObjectSectionEquivalenceTests {
  static let steps =
    (ProcessInfo.processInfo.environment["RESULTS_LAW_STEPS"].flatMap { Int($0) } ?? 10_000) / 1000

  @Test(arguments: 1...6 as ClosedRange<UInt64>, [true, false])
  func `R11, R106: a list over a file is that in memory, with two writers`(
    seed: UInt64,
    maintainsChangeLog: Bool
  ) async throws {
    let folder = NSTemporaryDirectory() + "objects-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/store.sqlite"
    let entities = try ObjectSectionWalk.Entities(withTextKeys: seed.isMultiple(of: 2))
    var options = SQLiteStoreOptions(pollInterval: nil)
    options.maintainsChangeLog = maintainsChangeLog
    try SQLiteStore(at: path, entities: entities.all, options: options).close()
    let queue = try DatabaseQueue(path: path)
    try await queue.write { database in
      try database.execute(sql: "CREATE INDEX byAuthor ON Book(authorKey, title, id)")
    }
    try queue.close()
    let store = try SQLiteStore(at: path, entities: entities.all, options: options)
    let other = try SQLiteStore(at: path, entities: entities.all, options: options)
    var walk = ObjectSectionWalk(
      seed: seed,
      over: store,
      writtenBy: [store, other],
      beside: try InMemoryStore(entities: entities.all),
      entities
    )
    try await walk.run(lists: 4, steps: Self.steps)
    try other.close()
    try store.close()
  }
}
