import Synchronization

/// Whether a part of a `PivotTree` could not be read when it was needed; trees made from one another share it.
public final class PivotDamage: Sendable {
  private let found = Atomic(false)

  init() {}

  /// Whether such a part was met so far.
  public var isFound: Bool { found.load(ordering: .acquiring) }

  func note() { found.store(true, ordering: .releasing) }
}
