public import ResultsDomain

/// The conformance kit: every promise of the store ports as a named case, for any store (R87).
///
/// One test runs the whole kit on a store:
///
/// ```swift
/// @Test(arguments: StoreConformance.cases)
/// func `my store keeps its promises`(_ testCase: StoreConformance.Case) async throws {
///   try await testCase.run { entities in try MyStore(entities: entities) }
/// }
/// ```
///
/// A case opens fresh stores and closes them at its end. It fails by throwing `ConformanceFailure`, so the kit works in any test
/// framework and in none.
public enum StoreConformance {
  /// All cases.
  public static let cases: [Case] =
    identityCases + valueCases + editCases + transactionCases + isolationCases + orderCases
    + predicateCases + digestCases + historyCases + hintCases + lifeCases + randomCases

  /// What a case needs besides a way to open an empty store.
  public enum Need: String, Hashable, Sendable, CaseIterable {
    /// `StoreProvider.reopen`, which only a store that lasts can give.
    case reopening
    /// `StoreProvider.openForReading`.
    case readOnlyOpening
    /// `StoreProvider.openWithHistory`.
    case boundedHistory
  }

  /// What came of a case that did not fail.
  public enum Outcome: Hashable, Sendable {
    /// The store kept the promise.
    case passed
    /// The provider does not give what the case needs.
    case skipped(Need)
  }
}

extension StoreConformance {
  /// One promise and how it is examined.
  public struct Case: Sendable {
    /// The promise, as a sentence.
    public let name: String
    /// The rows of the semantics' table that it proves, such as `R13`.
    public let rows: [String]
    /// What it needs besides a way to open an empty store.
    public let need: Need?
    private let body: @Sendable (StoreBench) async throws -> Void

    init(
      _ name: String,
      _ rows: [String],
      needs need: Need? = nil,
      _ body: @escaping @Sendable (StoreBench) async throws -> Void
    ) {
      self.name = name
      self.rows = rows
      self.need = need
      self.body = body
    }

    /// Examines the stores that a closure opens.
    /// - Throws: `ConformanceFailure`, also for an error of the store that the case did not ask for.
    @discardableResult
    public func run(
      _ open: @escaping @Sendable ([EntityDescription]) throws -> any Store
    ) async throws(ConformanceFailure) -> Outcome {
      try await run(with: StoreProvider(open: open))
    }

    /// Examines the stores of a provider.
    /// - Throws: `ConformanceFailure`, also for an error of the store that the case did not ask for.
    @discardableResult
    public func run(
      with provider: StoreProvider
    ) async throws(ConformanceFailure) -> Outcome {
      if let need, !provider.meets(need) { return .skipped(need) }
      let bench = StoreBench(caseName: name, provider: provider)
      defer { bench.closeAll() }
      do {
        try await body(bench)
      } catch let failure as ConformanceFailure {
        throw failure
      } catch {
        // A failure inside a transaction comes out wrapped, as every error of a closure does.
        if let store = error as? StoreError, case .aborted(let inner) = store,
          let failure = inner as? ConformanceFailure
        {
          throw failure
        }
        throw ConformanceFailure(testCase: name, expectation: "no error", seen: "\(error)")
      }
      return .passed
    }
  }
}

extension StoreConformance.Case: CustomStringConvertible {
  /// The name and the rows it proves.
  public var description: String { "\(name) (\(rows.joined(separator: ", ")))" }
}

extension StoreProvider {
  /// Whether it gives what a case needs.
  public func meets(_ need: StoreConformance.Need) -> Bool {
    switch need {
    case .reopening: reopen != nil
    case .readOnlyOpening: openForReading != nil
    case .boundedHistory: openWithHistory != nil
    }
  }
}
