#if PostgreSQL
import Foundation
import PostgreSQLPersistence
import ResultsDomain
import ResultsTesting
import Testing

/// R200, R201: what views read at random moments over PostgreSQL is right in the end, with two writers.
@Suite struct PostgreSQLLateViewTests {
  @Test(arguments: [true, false])
  func `views that read at random moments are right in the end (R200, R201)`(
    withLog hasLog: Bool
  ) async throws {
    let stores = try TestStores()
    let options = PostgreSQLStoreOptions(maintainsChangeLog: hasLog)
    let store = try stores.open(try RelatedLibrary().entities, options)
    let other = try stores.open(sameAs: store)
    let world = LateViews.World(store, other: other, remembers: hasLog)
    var tally = LateViews.Tally()
    for number in 0..<UInt64(max(1, Self.steps / 1200)) {
      var views = try await LateViews(seed: Self.firstSeed &+ number, in: world)
      try await views.walk(steps: 120)
      views.end()
      tally.add(views.tally)
    }
    #expect(tally.readsAhead > 0 && tally.cells > 0, "\(tally)")
    try other.close()
    try store.close()
  }

  private static let steps = number("RESULTS_LAW_STEPS") ?? 10_000
  private static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}
#endif
