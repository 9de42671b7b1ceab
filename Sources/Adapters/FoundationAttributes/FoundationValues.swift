public import Foundation
public import ResultsDomain

extension Date: AttributeConvertible {
  /// Stored as an integer of microseconds, or in the form of the attribute.
  public static var attributeType: AttributeType { .date }
  /// The microseconds since 1970, rounded; a date beyond 64 bits is null.
  public var attributeValue: Value {
    let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
    guard microseconds.magnitude < 0x1p63 else { return .null }
    return .integer(Int64(microseconds))
  }
  /// Converts an integer of microseconds.
  public init?(attributeValue: Value) {
    guard case .integer(let microseconds) = attributeValue else { return nil }
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}

extension UUID: AttributeConvertible {
  /// Stored as text with capital letters, or in the form of the attribute.
  public static var attributeType: AttributeType { .text }
  /// The text with capital letters and dashes.
  public var attributeValue: Value { .text(uuidString) }
  /// Converts a text.
  public init?(attributeValue: Value) {
    guard case .text(let text) = attributeValue else { return nil }
    self.init(uuidString: text)
  }
}

extension Data: AttributeConvertible {
  /// Stored as a blob.
  public static var attributeType: AttributeType { .blob }
  /// The bytes.
  public var attributeValue: Value { .blob(Array(self)) }
  /// Converts a blob.
  public init?(attributeValue: Value) {
    guard case .blob(let bytes) = attributeValue else { return nil }
    self.init(bytes)
  }
}

extension Decimal: AttributeConvertible {
  /// Stored as text; declare the attribute with the form `decimalText`, so that no list is ordered by it.
  public static var attributeType: AttributeType { .text }
  /// The number with a decimal point, without an exponent; not-a-number is null.
  public var attributeValue: Value { isNaN ? .null : .text(description) }
  /// Converts a text that is a number as a whole.
  public init?(attributeValue: Value) {
    guard case .text(let text) = attributeValue,
      StoredForm.decimalText.logical(attributeValue) != nil,
      let number = Decimal(string: text)
    else { return nil }
    self = number
  }
}
