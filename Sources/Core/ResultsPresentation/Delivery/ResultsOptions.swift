public import ResultsDomain

/// How a controller delivers changes, and where it caches its list.
///
/// No option affects the content of the list.
public struct ResultsOptions: Sendable {
  /// When changes are delivered.
  public var delivery: ResultsDelivery
  /// The number of row changes that the journal retains.
  ///
  /// `FetchedResultsController.catchUp(from:)`, `changes(from:)` and `deliver(to:from:)` use it. At 0 it retains none, and a
  /// consumer of an earlier generation receives a reset (R45).
  public var journalCapacity: Int
  /// The number of row changes above which a change is delivered as a reset, or `nil` for no limit (R43).
  ///
  /// A change with exactly that many is still delivered row by row.
  public var resetThreshold: Int?
  /// The length up to which a list holds its keys in memory; a longer one leaves them to an index of the store, if an index has them in
  /// order.
  ///
  /// At 0 every list with a row at its first fetch uses the index; below 0 an empty list does too. Held keys are found without the store,
  /// but the memory and the time of the first fetch grow with the rows. The content of the list is the same either way.
  public var inMemoryKeyLimit: Int
  /// The time after which a few blocks of an idle list over an index are counted again, or `nil` for never.
  ///
  /// A miscount is delivered as a reset, `ResultsResetReason.indexLost`. A list that has changed meanwhile is not idle.
  public var auditPeriod: Duration?
  /// How the positions of many keys are found in an index, for benchmarks.
  package var keyLookup = KeyLookup.automatic
  /// The clock for `ResultsDelivery.throttled(for:)` and `auditPeriod`.
  public var clock: any Clock<Duration>
  /// The clock that shows the time of day, for a definition that follows it (R15); without one, such a definition is refused.
  public var wallClock: (any WallClock)?

  /// The life in which generations are counted, or `nil` for a random one, which every list with remote consumers should have.
  ///
  /// A fixed life is for tests and simulations with reproducible output.
  public var life: ResultsLife?

  /// The storage for the caches of lists with a cache name, or `nil` for no caches (R88).
  public var caches: (any SectionCacheStorage)?

  /// Creates options.
  public init(
    delivery: ResultsDelivery = .immediate,
    journalCapacity: Int = 0,
    resetThreshold: Int? = nil,
    inMemoryKeyLimit: Int = 4096,
    auditPeriod: Duration? = .seconds(60),
    // The caller can replace this default.
    clock: any Clock<Duration> = ContinuousClock(),
    wallClock: (any WallClock)? = nil,
    life: ResultsLife? = nil,
    caches: (any SectionCacheStorage)? = nil
  ) {
    self.delivery = delivery
    self.journalCapacity = journalCapacity
    self.resetThreshold = resetThreshold
    self.inMemoryKeyLimit = inMemoryKeyLimit
    self.auditPeriod = auditPeriod
    self.clock = clock
    self.wallClock = wallClock
    self.life = life
    self.caches = caches
  }
}

/// When a controller delivers commits (R65).
///
/// The library has no timing of its own: a span is chosen by the consumer, and measured by the clock of `ResultsOptions`.
public enum ResultsDelivery: Hashable, Sendable {
  /// At once, each commit with a change of its own.
  ///
  /// A commit of a few rows by this store object is delivered within the call that makes it, unless another thread is advancing lists at
  /// that moment: when the call returns, `FetchedResultsController.state` shows it. All other commits are delivered by a task.
  case immediate
  /// At most once in each span, which begins with the first commit: the commits until its end arrive as one change.
  ///
  /// Lists of one store with the same span and clock are advanced to the same commit together.
  case throttled(for: Duration)
  /// Only on `FetchedResultsController.refresh()`, as one change.
  ///
  /// The store is not observed, so a list that is fetched once registers nothing in it. If the store is closed, the next refresh fails.
  case onDemand
}

/// A span of time and its clock; lists that share both are advanced together.
struct DeliveryPeriod: Hashable, Sendable {
  let span: Duration
  let clock: any Clock<Duration>
  private let clockIdentity: ObjectIdentifier

  /// The span of a list, or `nil` for a list without one.
  /// - Parameters:
  ///   - options: The options of the list.
  ///   - owner: An object that no other list has.
  init?(_ options: ResultsOptions, of owner: AnyObject) {
    guard case .throttled(let span) = options.delivery else { return nil }
    self.span = span
    clock = options.clock
    switch clock {
    // All values of this type show the same time.
    case is ContinuousClock: clockIdentity = ObjectIdentifier(ContinuousClock.self)
    // All values of this type show the same time.
    case is SuspendingClock: clockIdentity = ObjectIdentifier(SuspendingClock.self)
    default:
      // Two values of another clock type may show different times.
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
