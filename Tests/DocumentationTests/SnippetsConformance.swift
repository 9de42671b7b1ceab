// snippet: conformance, declaration
import ResultsTesting
import Testing

@Suite struct DictionaryStoreTests {
  @Test(arguments: StoreConformance.cases)
  func `the store keeps its promises`(_ testCase: StoreConformance.Case) async throws {
    let provider = StoreProvider(open: { entities in DictionaryStore(entities: entities) })
    try await testCase.run(with: provider)
  }
}
// end
