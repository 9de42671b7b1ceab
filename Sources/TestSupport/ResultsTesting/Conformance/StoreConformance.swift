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

// MARK: - Provider

/// How the conformance kit gets the stores that it examines.
///
/// Only `open` is needed. A case that needs more than a provider has is skipped and says so.
public struct StoreProvider: Sendable {
  /// Opens a new empty store of some entities.
  public var open: @Sendable ([EntityDescription]) throws -> any Store
  /// Closes a store that lasts, and opens its content again.
  public var reopen: (@Sendable (any Store) throws -> any Store)?
  /// Opens the content of a store for reading only; the store itself stays open.
  public var openForReading: (@Sendable (any Store) throws -> any Store)?
  /// Opens a new empty store whose history remembers at most so many changed rows.
  public var openWithHistory: (@Sendable ([EntityDescription], _ rows: Int) throws -> any Store)?
  /// How long something that must happen may take before it counts as not happening.
  public var patience: Duration

  /// A provider of stores.
  public init(
    open: @escaping @Sendable ([EntityDescription]) throws -> any Store,
    reopen: (@Sendable (any Store) throws -> any Store)? = nil,
    openForReading: (@Sendable (any Store) throws -> any Store)? = nil,
    openWithHistory: (@Sendable ([EntityDescription], _ rows: Int) throws -> any Store)? = nil,
    patience: Duration = .seconds(20)
  ) {
    self.open = open
    self.reopen = reopen
    self.openForReading = openForReading
    self.openWithHistory = openWithHistory
    self.patience = patience
  }
}

// MARK: - Failure

/// A promise of the store ports that a store did not keep.
public struct ConformanceFailure: Error, Hashable, Sendable {
  /// The name of the case.
  public let testCase: String
  /// What was expected.
  public let expectation: String
  /// What was seen instead.
  public let seen: String

  /// A promise that was not kept.
  public init(testCase: String, expectation: String, seen: String) {
    self.testCase = testCase
    self.expectation = expectation
    self.seen = seen
  }
}

extension ConformanceFailure: CustomStringConvertible {
  /// The case, what was expected and what was seen.
  public var description: String { "\(testCase): expected \(expectation), but saw \(seen)" }
}
