/// A place between the keys of an order, whether or not there is a key beside it.
///
/// It is told by the bytes of complete columns: a whole key, or the first columns of one. The place is before or behind
/// all keys that begin with them. So `.before` a whole key is the key's own place, and the rows that agree in the first columns stand
/// between `.before` and `.behind` those columns.
public struct KeyBound: Hashable, Sendable {
  /// The bytes of complete columns.
  public let columns: [UInt8]
  /// Whether the place is behind the keys that begin with the columns, and not before them.
  public let isBehind: Bool

  /// The place before all keys that begin with some columns.
  public static func before(_ columns: [UInt8]) -> KeyBound {
    KeyBound(columns: columns, isBehind: false)
  }

  /// The place behind all keys that begin with some columns.
  public static func behind(_ columns: [UInt8]) -> KeyBound {
    KeyBound(columns: columns, isBehind: true)
  }

  private init(columns: [UInt8], isBehind: Bool) {
    self.columns = columns
    self.isBehind = isBehind
  }
}
