/// How a controller delivers, and where it keeps what it fetched; none of it decides what the list shows.
public struct ResultsOptions: Sendable {
  /// When commits are told.
  public var delivery: ResultsDelivery
  /// How many row changes are kept for `FetchedResultsController.catchUp(from:)`; 0 keeps none (R45).
  public var journalCapacity: Int
  /// From how many row changes on a change is told as a reset instead, or `nil` for never (R43).
  ///
  /// A change of exactly so many rows is still told row by row.
  public var resetThreshold: Int?
  /// What measures the span of `ResultsDelivery.every(_:)`.
  public var clock: any Clock<Duration>

  /// Where lists with a cache name are kept for the next start, or `nil` to keep none (R88).
  public var caches: (any SectionCacheStorage)?

  /// How a controller delivers.
  public init(
    delivery: ResultsDelivery = .immediate,
    journalCapacity: Int = 0,
    resetThreshold: Int? = nil,
    // A default that every caller can replace.
    clock: any Clock<Duration> = ContinuousClock(),
    caches: (any SectionCacheStorage)? = nil
  ) {
    self.delivery = delivery
    self.journalCapacity = journalCapacity
    self.resetThreshold = resetThreshold
    self.clock = clock
    self.caches = caches
  }
}
