/// A Swift type that an attribute can have.
///
/// Conform your own type (an enumeration, say) by giving the stored type and both conversions.
public protocol AttributeConvertible: Sendable {
  /// The attribute type its values are stored as.
  static var attributeType: AttributeType { get }
  /// Whether `null` is one of its values.
  static var isOptionalAttribute: Bool { get }
  /// The stored form.
  var attributeValue: Value { get }
  /// The value a stored form stands for, or `nil` if it stands for none.
  init?(attributeValue: Value)
}

extension AttributeConvertible {
  /// Most types have no `null`.
  public static var isOptionalAttribute: Bool { false }
}

extension AttributeConvertible where Self: FixedWidthInteger {
  /// The stored form.
  public var attributeValue: Value { .integer(Int64(clamping: self)) }
  /// The value, if it is an integer in range.
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
  /// The stored form; not-a-number becomes null, as in SQLite.
  public var attributeValue: Value { isNaN ? .null : .real(self) }
  /// The value, if it is a number.
  public init?(attributeValue: Value) {
    guard let number = attributeValue.double else { return nil }
    self = number
  }
}

extension Bool: AttributeConvertible {
  /// Stored as the integer 0 or 1.
  public static var attributeType: AttributeType { .boolean }
  /// The stored form.
  public var attributeValue: Value { .integer(self ? 1 : 0) }
  /// The value, if it is 0 or 1.
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
  /// The stored form.
  public var attributeValue: Value { .text(self) }
  /// The value, if it is a text.
  public init?(attributeValue: Value) {
    guard case .text(let stored) = attributeValue else { return nil }
    self = stored
  }
}

extension Array: AttributeConvertible where Element == UInt8 {
  /// Stored as a blob.
  public static var attributeType: AttributeType { .blob }
  /// The stored form.
  public var attributeValue: Value { .blob(self) }
  /// The value, if it is a blob.
  public init?(attributeValue: Value) {
    guard case .blob(let stored) = attributeValue else { return nil }
    self = stored
  }
}

extension Instant: AttributeConvertible {
  /// Stored as an integer of microseconds.
  public static var attributeType: AttributeType { .date }
  /// The stored form.
  public var attributeValue: Value { .integer(microseconds) }
  /// The value, if it is an integer.
  public init?(attributeValue: Value) {
    guard case .integer(let stored) = attributeValue else { return nil }
    self.init(microseconds: stored)
  }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
  /// Stored as the wrapped type.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// An optional attribute has `null` among its values.
  public static var isOptionalAttribute: Bool { true }
  /// The stored form; `nil` is null.
  public var attributeValue: Value { self?.attributeValue ?? .null }
  /// The value; null is `nil`.
  public init?(attributeValue: Value) {
    guard !attributeValue.isNull else {
      self = .none
      return
    }
    guard let wrapped = Wrapped(attributeValue: attributeValue) else { return nil }
    self = wrapped
  }
}
