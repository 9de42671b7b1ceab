public import ResultsDomain
public import ResultsStoreKit

/// The conformance kit: each promise of the store ports as a named case that runs against any store (R87).
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
/// A case opens new stores and closes them when it ends. It fails by throwing `ConformanceFailure`, so the kit works with any test
/// framework, or without one.
public enum StoreConformance {
  /// All cases.
  public static let cases: [Case] =
    identityCases + valueCases + editCases + transactionCases + isolationCases + orderCases
    + predicateCases + digestCases + historyCases + notificationCases + lifeCases + randomCases
    + relationCases + linkCases + identityPropertyCases + undoCases + readingCases
    + rankedOrderCases + draftCases + customAttributeCases

  /// A capability of the provider or of its stores that a case requires, besides opening an empty store.
  public enum Need: String, Hashable, Sendable, CaseIterable {
    /// `StoreProvider.reopen`, which only a persistent store can implement.
    case reopening
    /// `StoreProvider.openForReading`.
    case readOnlyOpening
    /// `StoreProvider.openWithHistory`.
    case boundedHistory
    /// Texts may contain NUL (`StoreCapabilities.keepsZeroCharacters`).
    case zeroCharacters
    /// Texts may not contain NUL.
    case noZeroCharacters
    /// An assigned key is one more than the largest (`StoreCapabilities.assignsLargestKeyPlusOne`).
    case largestKeyPlusOne
    /// An assigned key is any that no object has.
    case otherAssignedKeys
    /// An entity is found without the attributes that users have added to it, as the package's own stores do.
    case extendedEntities
  }

  /// The result of a case that did not fail.
  public enum Outcome: Hashable, Sendable {
    /// The store kept the promise.
    case passed
    /// The provider lacks a capability that the case requires.
    case skipped(Need)
  }
}

extension StoreConformance {
  /// One promise and the test that checks it.
  public struct Case: Sendable {
    /// The promise, as a sentence.
    public let name: String
    /// The rows of `docs/semantics.md` that it proves, such as `R13`.
    public let rows: [String]
    /// The capability that it requires of the provider or its stores, if any.
    public let need: Need?
    private let body: @Sendable (ConformanceFixture) async throws -> Void

    init(
      _ name: String,
      _ rows: [String],
      needs need: Need? = nil,
      _ body: @escaping @Sendable (ConformanceFixture) async throws -> Void
    ) {
      self.name = name
      self.rows = rows
      self.need = need
      self.body = body
    }

    /// Runs the case against the stores that a closure opens.
    /// - Parameter open: Opens a new, empty store with the given entities.
    /// - Returns: Whether the case passed or was skipped.
    /// - Throws: `ConformanceFailure`, also for an error of the store that the case does not expect.
    @discardableResult
    public func run(
      _ open: @escaping @Sendable ([EntityDescription]) throws -> any Store
    ) async throws(ConformanceFailure) -> Outcome {
      try await run(with: StoreProvider(open: open))
    }

    /// Runs the case against the stores of a provider.
    /// - Returns: Whether the case passed or was skipped.
    /// - Throws: `ConformanceFailure`, also for an error of the store that the case does not expect.
    @discardableResult
    public func run(
      with provider: StoreProvider
    ) async throws(ConformanceFailure) -> Outcome {
      if let need, !provider.meets(need) { return .skipped(need) }
      let fixture = ConformanceFixture(caseName: name, provider: provider)
      defer { fixture.closeAll() }
      do {
        try await body(fixture)
      } catch let failure as ConformanceFailure {
        throw failure
      } catch {
        // A failure inside a transaction is wrapped, like every error that its closure throws.
        if let store = error as? StoreError, case .aborted(let inner) = store,
          let failure = inner as? ConformanceFailure
        {
          throw failure
        }
        throw ConformanceFailure(testCase: name, expectation: "no error", actual: "\(error)")
      }
      return .passed
    }
  }
}

extension StoreConformance.Case: CustomStringConvertible {
  /// The name, followed by the rows that the case proves.
  public var description: String { "\(name) (\(rows.joined(separator: ", ")))" }
}

extension StoreProvider {
  /// Returns whether the provider has a capability that a case requires.
  public func meets(_ need: StoreConformance.Need) -> Bool {
    switch need {
    case .reopening: reopen != nil
    case .readOnlyOpening: openForReading != nil
    case .boundedHistory: openWithHistory != nil
    case .zeroCharacters: stores { $0.keepsZeroCharacters }
    case .noZeroCharacters: stores { !$0.keepsZeroCharacters }
    case .largestKeyPlusOne: stores { $0.assignsLargestKeyPlusOne }
    case .otherAssignedKeys: stores { !$0.assignsLargestKeyPlusOne }
    case .extendedEntities: stores { $0.findsExtendedEntities }
    }
  }

  /// Whether the provider's stores have a capability, which a new one reports; true if none can be opened, so that the case reports that.
  private func stores(_ isMet: (StoreCapabilities) -> Bool) -> Bool {
    guard let store = try? open(Sample.entities) else { return true }
    defer { try? store.close() }
    return isMet(store.capabilities)
  }
}

// MARK: - Provider

/// Opens the stores that the conformance kit tests.
///
/// Only `open` is required. A case that requires more than the provider or its stores have is skipped and reports the missing capability.
public struct StoreProvider: Sendable {
  /// Opens a new, empty store with the given entities.
  public var open: @Sendable ([EntityDescription]) throws -> any Store
  /// Closes a persistent store and opens its content again.
  public var reopen: (@Sendable (any Store) throws -> any Store)?
  /// Opens the content of a store read-only; the store itself stays open.
  public var openForReading: (@Sendable (any Store) throws -> any Store)?
  /// Opens a new, empty store whose history retains at most the given number of changed rows.
  public var openWithHistory: (@Sendable ([EntityDescription], _ rows: Int) throws -> any Store)?
  /// How long a case waits for an event before it fails.
  public var timeout: Duration

  /// Creates a provider.
  public init(
    open: @escaping @Sendable ([EntityDescription]) throws -> any Store,
    reopen: (@Sendable (any Store) throws -> any Store)? = nil,
    openForReading: (@Sendable (any Store) throws -> any Store)? = nil,
    openWithHistory: (@Sendable ([EntityDescription], _ rows: Int) throws -> any Store)? = nil,
    timeout: Duration = .seconds(20)
  ) {
    self.open = open
    self.reopen = reopen
    self.openForReading = openForReading
    self.openWithHistory = openWithHistory
    self.timeout = timeout
  }
}

// MARK: - Failure

/// A promise of the store ports that a store breaks.
public struct ConformanceFailure: Error, Hashable, Sendable {
  /// The name of the case.
  public let testCase: String
  /// The expected behaviour.
  public let expectation: String
  /// The actual behaviour.
  public let actual: String

  /// Creates a failure.
  public init(testCase: String, expectation: String, actual: String) {
    self.testCase = testCase
    self.expectation = expectation
    self.actual = actual
  }
}

extension ConformanceFailure: CustomStringConvertible {
  /// The case, the expected and the actual behaviour.
  public var description: String { "\(testCase): expected \(expectation), but found \(actual)" }
}
