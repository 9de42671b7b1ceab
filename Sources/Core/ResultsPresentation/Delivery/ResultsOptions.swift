/// How a controller delivers, and where it keeps what it fetched; none of it decides what the list shows.
public struct ResultsOptions: Sendable {
  /// When commits are told.
  public var delivery: ResultsDelivery
  /// How many row changes are kept for `FetchedResultsController.catchUp(from:)`, `changes(from:)` and `deliver(to:from:)`; 0 keeps none,
  /// and who comes from an earlier generation is then answered by a reset (R45).
  public var journalCapacity: Int
  /// From how many row changes on a change is told as a reset instead, or `nil` for never (R43).
  ///
  /// A change of exactly so many rows is still told row by row.
  public var resetThreshold: Int?
  /// A list of more rows than this leaves its keys to an index of the store, where one has them in order; others hold theirs.
  ///
  /// At 0 every list that has a row when it is fetched leaves its keys; below 0 an empty one does too, which then grows without holding any.
  /// What is held is read at once but costs memory and an opening that grow with the rows. Either way the list shows the same.
  public var heldKeysLimit: Int
  /// How long a list over an index rests before a few of its blocks are counted again, or `nil` for never.
  ///
  /// What does not fit is told as a reset, `ResultsResetReason.indexLost`. A list that was led on meanwhile has not rested.
  public var auditPeriod: Duration?
  /// How the places of many keys are found in an index, for measurements.
  package var keyLookup = KeyLookup.automatic
  /// What measures the spans of `ResultsDelivery.every(_:)` and of `auditPeriod`.
  public var clock: any Clock<Duration>

  /// The life that generations are counted in, or `nil` to draw one at random, as every list that others follow should.
  ///
  /// It is for tests and simulations that want equal bytes.
  public var life: ResultsLife?

  /// Where lists with a cache name are kept for the next start, or `nil` to keep none (R88).
  public var caches: (any SectionCacheStorage)?

  /// How a controller delivers.
  public init(
    delivery: ResultsDelivery = .immediate,
    journalCapacity: Int = 0,
    resetThreshold: Int? = nil,
    heldKeysLimit: Int = 4096,
    auditPeriod: Duration? = .seconds(60),
    // A default that every caller can replace.
    clock: any Clock<Duration> = ContinuousClock(),
    life: ResultsLife? = nil,
    caches: (any SectionCacheStorage)? = nil
  ) {
    self.delivery = delivery
    self.journalCapacity = journalCapacity
    self.resetThreshold = resetThreshold
    self.heldKeysLimit = heldKeysLimit
    self.auditPeriod = auditPeriod
    self.clock = clock
    self.life = life
    self.caches = caches
  }
}

/// When a controller tells what was committed (R65).
///
/// The library has no timing of its own: a span of time is the consumer's, and is measured by the clock of `ResultsOptions`.
public enum ResultsDelivery: Hashable, Sendable {
  /// At once, each commit with a change of its own.
  ///
  /// A commit of a few rows by this store object is followed by the call that makes it, if no other thread is leading lists on just then:
  /// when the call returns, `FetchedResultsController.state` shows it. All other commits are followed by a task.
  case immediate
  /// At most once in each span: what is committed until it has passed since the first commit arrives as one change.
  ///
  /// Lists of one store with the same span and clock are led to the same commit together.
  case every(Duration)
  /// Only when `FetchedResultsController.refresh()` asks, as one change.
  ///
  /// The store is not listened to, so that nothing is registered in it for a list that is fetched once; that the store was closed is told by the
  /// next refresh.
  case onDemand
}

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
