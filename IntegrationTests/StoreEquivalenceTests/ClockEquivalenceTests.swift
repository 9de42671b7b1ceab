import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R15: a list that follows the clock shows what a list fetched at that time shows, in memory and over a file, whatever commits.
@Suite struct ClockEquivalenceTests {
  static let steps =
    (ProcessInfo.processInfo.environment["RESULTS_LAW_STEPS"].flatMap { Int($0) } ?? 10_000) / 400

  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `R15: a list in memory follows the clock as if it were fetched at each time`(
    seed: UInt64
  ) async throws {
    let entities = try ClockWalk.Entities()
    let store = try InMemoryStore(entities: entities.all)
    var walk = ClockWalk(
      seed: seed,
      over: store,
      writtenBy: [store],
      beside: try InMemoryStore(entities: entities.all),
      entities
    )
    #expect(try await walk.run(lists: 8, steps: Self.steps) > 0)
  }

  @Test(
    arguments: [
      nil, .epochSeconds, .epochMilliseconds, .iso8601(digits: 0), .dateText(digits: 3), .dayText,
    ] as [StoredForm?],
    [true, false]
  )
  func `R15: a list over a file is that in memory, with two writers and dates of any form`(
    form: StoredForm?,
    maintainsChangeLog: Bool
  ) async throws {
    let folder = NSTemporaryDirectory() + "clock-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/store.sqlite"
    let entities = try ClockWalk.Entities(form)
    var options = SQLiteStoreOptions(pollInterval: nil)
    options.maintainsChangeLog = maintainsChangeLog
    let store = try SQLiteStore(at: path, entities: entities.all, options: options)
    let other = try SQLiteStore(at: path, entities: entities.all, options: options)
    var walk = ClockWalk(
      seed: 7,
      over: store,
      writtenBy: [store, other],
      beside: try InMemoryStore(entities: entities.all),
      entities
    )
    #expect(try await walk.run(lists: 6, steps: Self.steps) > 0)
    try other.close()
    try store.close()
  }
}
