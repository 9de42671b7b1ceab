/// A Swift type that can be stored in an attribute.
///
/// To conform a type of your own, such as an enumeration, declare its attribute type and both conversions.
public protocol AttributeConvertible: Sendable {
  /// The attribute type that stores its values.
  static var attributeType: AttributeType { get }
  /// Whether the type has a value that is stored as null.
  static var isOptionalAttribute: Bool { get }
  /// The stored value.
  var attributeValue: Value { get }
  /// Converts a stored value, or returns `nil` if it is not a value of this type.
  init?(attributeValue: Value)
}

extension AttributeConvertible {
  /// By default, no value is stored as null.
  public static var isOptionalAttribute: Bool { false }
}

extension AttributeConvertible where Self: FixedWidthInteger {
  /// The value as an integer.
  public var attributeValue: Value { .integer(Int64(clamping: self)) }
  /// Converts an integer in range.
  public init?(attributeValue: Value) {
    guard case .integer(let stored) = attributeValue else { return nil }
    self.init(exactly: stored)
  }
}

extension Int: AttributeConvertible {
  /// Stored as a 64-bit integer.
  public static var attributeType: AttributeType { .integer64 }
}

extension Int64: AttributeConvertible {
  /// Stored as a 64-bit integer.
  public static var attributeType: AttributeType { .integer64 }
}

extension Int32: AttributeConvertible {
  /// Stored as a 32-bit integer.
  public static var attributeType: AttributeType { .integer32 }
}

extension Int16: AttributeConvertible {
  /// Stored as a 16-bit integer.
  public static var attributeType: AttributeType { .integer16 }
}

extension Double: AttributeConvertible {
  /// Stored as a real.
  public static var attributeType: AttributeType { .real }
  /// The value as a real; not-a-number is null, as in SQLite.
  public var attributeValue: Value { isNaN ? .null : .real(self) }
  /// Converts a real or an integer.
  public init?(attributeValue: Value) {
    guard let number = attributeValue.double else { return nil }
    self = number
  }
}

extension Bool: AttributeConvertible {
  /// Stored as the integer 0 or 1.
  public static var attributeType: AttributeType { .boolean }
  /// The integer 0 or 1.
  public var attributeValue: Value { .integer(self ? 1 : 0) }
  /// Converts the integer 0 or 1.
  public init?(attributeValue: Value) {
    switch attributeValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension String: AttributeConvertible {
  /// Stored as text.
  public static var attributeType: AttributeType { .text }
  /// The value as text.
  public var attributeValue: Value { .text(self) }
  /// Converts text.
  public init?(attributeValue: Value) {
    guard case .text(let stored) = attributeValue else { return nil }
    self = stored
  }
}

extension Array: AttributeConvertible where Element == UInt8 {
  /// Stored as a blob.
  public static var attributeType: AttributeType { .blob }
  /// The value as a blob.
  public var attributeValue: Value { .blob(self) }
  /// Converts a blob.
  public init?(attributeValue: Value) {
    guard case .blob(let stored) = attributeValue else { return nil }
    self = stored
  }
}

extension Instant: AttributeConvertible {
  /// Stored as an integer of microseconds.
  public static var attributeType: AttributeType { .date }
  /// The microseconds as an integer.
  public var attributeValue: Value { .integer(microseconds) }
  /// Converts an integer of microseconds.
  public init?(attributeValue: Value) {
    guard case .integer(let stored) = attributeValue else { return nil }
    self.init(microseconds: stored)
  }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
  /// Stored as the wrapped type.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// `nil` is stored as null.
  public static var isOptionalAttribute: Bool { true }
  /// The wrapped value, or null for `nil`.
  public var attributeValue: Value { self?.attributeValue ?? .null }
  /// Converts a value of the wrapped type; null is `nil`.
  public init?(attributeValue: Value) {
    guard !attributeValue.isNull else {
      self = .none
      return
    }
    guard let wrapped = Wrapped(attributeValue: attributeValue) else { return nil }
    self = wrapped
  }
}
