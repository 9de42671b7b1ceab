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
