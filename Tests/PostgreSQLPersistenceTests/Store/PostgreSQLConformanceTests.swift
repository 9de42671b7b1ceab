#if PostgreSQL
import PostgreSQLPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

/// R87, R112: the store over PostgreSQL fulfils every promise of the ports, in both ways of writing and of capturing.
@Suite struct `PostgreSQL store conformance` {
  @Test(arguments: StoreConformance.cases)
  func `a store whose transactions take turns conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    try await run(testCase, PostgreSQLStoreOptions(keyAssignment: .largest))
  }

  @Test(arguments: StoreConformance.cases)
  func `a store whose transactions run side by side conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    try await run(
      testCase,
      PostgreSQLStoreOptions(writing: .concurrently(attempts: 20), keyAssignment: .largest)
    )
  }

  @Test(arguments: StoreConformance.cases)
  func `a store that captures by row, with keys of a sequence, conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    try await run(testCase, PostgreSQLStoreOptions(capture: .byRow))
  }

  /// R109, R269, R270: a draft is a store like any other.
  @Test(arguments: StoreConformance.cases)
  func `a draft over a store conforms`(_ testCase: StoreConformance.Case) async throws {
    let stores = try Self.stores.get()
    try await testCase.run { KeyedDraft(over: try stores.open($0)) }
  }

  /// R174: where every transaction may run on another connection of the server.
  @Test(.enabled(if: TestServer.hasPooler), arguments: StoreConformance.cases)
  func `a store behind a pooler conforms`(_ testCase: StoreConformance.Case) async throws {
    try await run(testCase, PostgreSQLStoreOptions(keyAssignment: .largest), Self.pooled)
  }

  /// R177: who has the documented rights and no more does everything that a store does.
  @Test(arguments: StoreConformance.cases)
  func `a store of a role with the documented rights conforms`(
    _ testCase: StoreConformance.Case
  ) async throws {
    try await run(testCase, PostgreSQLStoreOptions(), Self.ofRoles)
  }

  private static let ofRoles = Result {
    let number = UInt32.random(in: 0 ... .max)
    return try TestStores(editor: "editor_\(number)", reader: "reader_\(number)")
  }

  /// The database that all cases share; it goes with the server's folder.
  private static let stores = Result { try TestStores() }
  private static let pooled = Result { try TestStores(isPooled: true) }

  private func run(
    _ testCase: StoreConformance.Case,
    _ options: PostgreSQLStoreOptions,
    _ stores: Result<TestStores, any Error> = Self.stores
  ) async throws {
    let stores = try stores.get()
    let provider = StoreProvider(
      open: { try stores.open($0, options) },
      reopen: { store in
        try store.close()
        return try stores.open(sameAs: store)
      },
      openForReading: { store in try stores.open(sameAs: store) { $0.isReadOnly = true } }
    )
    try await testCase.run(with: provider)
  }
}
#endif
