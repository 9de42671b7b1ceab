public import ResultsDomain

/// An event with its time.
public struct Event: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The time of the event.
  public var timeStamp: Instant

  /// An event without a key.
  public init(timeStamp: Instant) { self.timeStamp = timeStamp }

  /// An empty event, to be filled from a row.
  public init() { self.init(timeStamp: Instant(microseconds: 0)) }

  /// The entity Event.
  public static let schema = EntitySchema<Event>("Event", identity: \.id) {
    Attribute(\.timeStamp, "timeStamp")
  }
}
