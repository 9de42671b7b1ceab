import InMemoryPersistence
import ResultsDomain
import ResultsTesting
import Testing

@Suite struct `Draft over a store in memory` {
  /// R49, R109, R110, R269, R270: a draft is a store like any other, of which there can be drafts again.
  @Test(arguments: StoreConformance.cases)
  func `keeps the promises of a store`(_ testCase: StoreConformance.Case) async throws {
    let provider = StoreProvider(
      open: { entities in KeyedDraft(over: try InMemoryStore(entities: entities)) },
      openWithHistory: { entities, rows in
        KeyedDraft(over: try InMemoryStore(entities: entities), historyCapacity: rows)
      }
    )
    let outcome = try await testCase.run(with: provider)
    let skipped: [StoreConformance.Need] = [
      .reopening, .readOnlyOpening, .noZeroCharacters, .otherAssignedKeys,
    ]
    #expect(
      outcome == testCase.need.flatMap { skipped.contains($0) ? .skipped($0) : nil } ?? .passed
    )
  }
}
