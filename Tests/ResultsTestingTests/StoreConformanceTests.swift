import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@Suite struct `Store conformance` {
  /// R87: the kit runs as a third party runs it, on a wrapped store without a fault.
  @Test(arguments: StoreConformance.cases)
  func `a store without a fault passes`(_ testCase: StoreConformance.Case) async throws {
    let outcome = try await testCase.run { entities in
      try FaultyStore(entities: entities, fault: nil)
    }
    let met: [StoreConformance.Need?] = [
      nil, .zeroCharacters, .largestKeyPlusOne, .extendedEntities,
    ]
    #expect(
      outcome == testCase.need.flatMap { met.contains($0) ? nil : .skipped($0) } ?? .passed
    )
  }

  /// R87: each fault is detected by the case that is meant for it.
  @Test(arguments: StoreFault.allCases)
  func `each fault is detected by its case`(_ fault: StoreFault) async throws {
    let testCase = try #require(StoreConformance.cases.first { $0.name == fault.detectingCase })
    let provider = StoreProvider(
      open: { entities in try FaultyStore(entities: entities, fault: fault) },
      timeout: .milliseconds(fault == .readersWaitForWriters ? 1000 : 4000)
    )
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await testCase.run(with: provider)
    }
    #expect(failure?.testCase == fault.detectingCase)
    #expect(failure?.actual.isEmpty == false)
  }

  @Test func `a store that cannot be opened fails the case`() async throws {
    let testCase = try #require(StoreConformance.cases.first)
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await testCase.run { _ in throw StoreError.diskFull(path: "nowhere") }
    }
    #expect(failure?.expectation == "no error")
    #expect("\(try #require(failure))".hasPrefix("\(testCase.name): expected no error, but found"))
  }

  @Test func `case names are unique and every case names the rows it proves`() {
    let names = StoreConformance.cases.map(\.name)
    #expect(Set(names).count == names.count)
    for testCase in StoreConformance.cases {
      #expect(!testCase.rows.isEmpty)
      #expect(testCase.rows.allSatisfy { $0.hasPrefix("R") && Int($0.dropFirst()) != nil })
    }
  }
}
