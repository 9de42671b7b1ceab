import OrderStatistics

// What a benchmark in a package of its own needs and no application: the compiler shows these declarations only to a file that says
// `@_spi(Measurement) import ResultsPresentation`. They are no part of the public interface and may change in any version.

extension ResultsOptions {
  /// Whether the positions of many keys are found by a search for each (`true`), by one pass over all keys (`false`), or by whichever takes
  /// less time (`nil`).
  @_spi(Measurement) public var seeksKeys: Bool? {
    get {
      switch keyLookup {
      case .automatic: nil
      case .seeking: true
      case .scanning: false
      }
    }
    set { keyLookup = newValue.map { $0 ? .seeking : .scanning } ?? .automatic }
  }
}

extension FetchedResultsController {
  /// How often lists of this store were asked whether commits concern them.
  @_spi(Measurement) public var askedListCount: Int { list.scheduler.questionCount }
}

/// The numbers of changes between two lists of integer identities, found as a list finds them that has read all its keys again.
@_spi(Measurement) public struct IdentityComparison: Sendable {
  /// The number of identities that the new list does not hold.
  public let deletions: Int
  /// The number of identities that the old list does not hold.
  public let insertions: Int
  /// The smallest number of the others that must move.
  public let moves: Int

  /// Compares two lists.
  /// - Returns: `nil` if a list holds an identity twice.
  /// - Complexity: O(n) expected, and O(n log n) in the identities whose order changed.
  public init?(from old: [Int64], to new: [Int64]) {
    guard let difference = try? KeyedDifference(from: old, to: new) else { return nil }
    deletions = difference.deletions.count
    insertions = difference.insertions.count
    moves = difference.moves.count
  }
}
