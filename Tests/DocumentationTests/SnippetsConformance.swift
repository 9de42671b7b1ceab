// snippet: conformance, declaration
import ResultsTesting
import Testing

@Suite struct ShelfTests {
  @Test(arguments: StoreConformance.cases)
  func `the shelf keeps its promises`(_ testCase: StoreConformance.Case) async throws {
    let provider = StoreProvider(open: { entities in Shelf(entities: entities) })
    try await testCase.run(with: provider)
  }
}
// end
