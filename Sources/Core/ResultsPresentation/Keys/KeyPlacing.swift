/// How the places of keys that a change touches are found in an index.
package enum KeyPlacing: Sendable {
  /// In the way that takes less time.
  case cheapest
  /// By a search and a count for each.
  case seeking
  /// By one pass over all keys.
  case passing

  /// How many keys are passed over in the time that one is sought and counted.
  private static let keysPassedForOneSought = 64
  /// So few keys are sought in a list of any length.
  private static let alwaysSought = 8

  /// Whether keys are sought one by one.
  func seeks(_ keys: Int, among count: Int) -> Bool {
    switch self {
    case .cheapest:
      keys <= KeyPlacing.alwaysSought || keys <= count / KeyPlacing.keysPassedForOneSought
    case .seeking: true
    case .passing: false
    }
  }
}
