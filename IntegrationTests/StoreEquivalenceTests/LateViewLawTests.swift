import Foundation
import GRDB
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R200, R201: whatever a view reads and whenever it reads it, it shows what the store holds once all changes are delivered.
///
/// `RESULTS_LAW_STEPS` sets the number of steps, of which each kind of store takes a tenth; `RESULTS_LAW_SEED` the first seed. A failure
/// names its own.
@Suite struct LateViewLawTests {
  /// A kind of store, and who writes to it.
  enum Setting: String, CaseIterable, CustomTestStringConvertible {
    case memory = "in memory"
    case shortHistory = "in memory, with a short history"
    case file = "in a file"
    case twoWriters = "in a file with another writer"
    case noLog = "in a file without a log, with another writer"

    var testDescription: String { rawValue }
  }

  static let steps = number("RESULTS_LAW_STEPS") ?? 10_000
  static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)
  private static let stepsOfWalk = 120

  @Test(arguments: Setting.allCases)
  func `views that read at random moments are right in the end (R200, R201)`(
    _ setting: Setting
  ) async throws {
    let folder = NSTemporaryDirectory() + "views-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let world = try Self.world(setting, folder)
    var tally = LateViews.Tally()
    for number in 0..<UInt64(max(1, Self.steps / 10 / Self.stepsOfWalk)) {
      var views = try await LateViews(seed: Self.firstSeed &+ number, in: world)
      try await views.walk(steps: Self.stepsOfWalk)
      views.end()
      tally.add(views.tally)
    }
    #expect(tally.readsAhead > 0 && tally.cells > 0, "\(tally)")
    try world.other?.close()
    try world.store.close()
  }

  private static func world(_ setting: Setting, _ folder: String) throws -> LateViews.World {
    let entities = try RelatedLibrary().entities
    switch setting {
    case .memory: return LateViews.World(try InMemoryStore(entities: entities))
    case .shortHistory:
      let store = try InMemoryStore(entities: entities, historyCapacity: 6)
      return LateViews.World(store, remembers: false)
    case .file, .twoWriters, .noLog:
      let path = folder + "/store.sqlite"
      var options = SQLiteStoreOptions(pollInterval: nil)
      options.maintainsChangeLog = setting != .noLog
      try SQLiteStore(at: path, entities: entities, options: options).close()
      let queue = try DatabaseQueue(path: path)
      try queue.write { database in
        try database.execute(
          sql:
            "CREATE INDEX byTitle ON Book(title, id); CREATE INDEX byYear ON Book(year, title, id)"
        )
      }
      try queue.close()
      func open() throws -> SQLiteStore {
        try SQLiteStore(at: path, entities: entities, options: options)
      }
      return LateViews.World(
        try open(),
        other: setting == .file ? nil : try open(),
        remembers: setting != .noLog
      )
    }
  }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}
