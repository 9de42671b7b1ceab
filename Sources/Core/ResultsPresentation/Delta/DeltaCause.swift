/// Why a list changed.
///
/// Several commits folded into one delta take the first that applies: external, own, clock, locale, definition.
public enum DeltaCause: String, Hashable, Sendable, CaseIterable {
  /// Any other writer of the store.
  case external
  /// This process, through this store object.
  case own
  /// The time that a definition depends on.
  case clock
  /// The locale or time zone of titles and groupings.
  case locale
  /// The request, its window, its sections or its fixed set.
  case definition
}

extension DeltaCause {
  /// The cause of two changes folded into one.
  public func joined(with other: DeltaCause) -> DeltaCause {
    let order = DeltaCause.allCases
    guard let left = order.firstIndex(of: self), let right = order.firstIndex(of: other) else {
      return self
    }
    return order[min(left, right)]
  }
}
