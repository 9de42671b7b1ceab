/// A span of time and what measures it; lists that share both are led together.
struct DeliveryPeriod: Hashable, Sendable {
  let span: Duration
  let clock: any Clock<Duration>
  private let clockIdentity: ObjectIdentifier

  /// The span of a list, or `nil` for a list that waits for no time.
  /// - Parameters:
  ///   - options: The options of the list.
  ///   - owner: An object that no other list has.
  init?(_ options: ResultsOptions, of owner: AnyObject) {
    guard case .every(let span) = options.delivery else { return nil }
    self.span = span
    clock = options.clock
    switch clock {
    // All values of this type tell the same time.
    case is ContinuousClock: clockIdentity = ObjectIdentifier(ContinuousClock.self)
    // All values of this type tell the same time.
    case is SuspendingClock: clockIdentity = ObjectIdentifier(SuspendingClock.self)
    default:
      // Two values of another clock type may tell different times.
      let isObject = type(of: clock) is AnyClass
      clockIdentity = ObjectIdentifier(isObject ? clock as AnyObject : owner)
    }
  }

  static func == (left: DeliveryPeriod, right: DeliveryPeriod) -> Bool {
    left.span == right.span && left.clockIdentity == right.clockIdentity
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(span)
    hasher.combine(clockIdentity)
  }
}
