public import ResultsDomain

/// An event with its time, and what is known about it.
public struct Event: Entity {
  /// The key; the store assigns it.
  public var id: Int64?
  /// The time of the event.
  public var timeStamp: Instant
  /// How grave it is: one of `levels`.
  public var level: String?
  /// What happened.
  public var message: String?
  /// What reports it, such as a program or a machine.
  public var source: String?
  /// Further values, as a JSON object.
  public var fields: String?
  /// The values of the columns that the user has added to the store, in their order; empty for none.
  public var columns: [Value] = []

  /// The levels, from the least grave.
  public static let levels = ["debug", "info", "notice", "warning", "error", "fatal"]

  /// An event without a key.
  public init(
    timeStamp: Instant,
    level: String? = nil,
    message: String? = nil,
    source: String? = nil,
    fields: String? = nil
  ) {
    (self.timeStamp, self.level, self.message) = (timeStamp, level, message)
    (self.source, self.fields) = (source, fields)
  }

  /// An empty event, to be filled from a row.
  public init() { self.init(timeStamp: Instant(microseconds: 0)) }

  /// The values with which the event is inserted.
  var insertedValues: [Value] { attributeValues + columns }

  /// The entity Event.
  public static let schema = EntitySchema<Event>("Event", identity: \.id) {
    Attribute(\.timeStamp, "timeStamp")
    Attribute(\.level, "level", as: .words(levels))
    Attribute(\.message, "message")
    Attribute(\.source, "source")
    Attribute(\.fields, "fields")
  }
}
