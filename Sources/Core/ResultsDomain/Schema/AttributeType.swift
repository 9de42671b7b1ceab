/// The type of an attribute's values, which decides how a store holds them.
public enum AttributeType: Hashable, Sendable {
  /// Whole numbers from -32,768 to 32,767.
  case integer16
  /// Whole numbers of 32 bits.
  case integer32
  /// Whole numbers of 64 bits.
  case integer64
  /// Truth values, stored as the integers 0 and 1.
  case boolean
  /// Instants, stored as an integer of microseconds since 1970-01-01T00:00:00Z.
  case date
  /// Exact decimals, stored as an integer of units of 10^-scale.
  case decimal(scale: Int)
  /// Floating-point numbers.
  case real
  /// Texts.
  case text
  /// Bytes.
  case blob
}

extension AttributeType {
  /// The storage class of its values.
  public var storage: StorageClass {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .date, .decimal: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  /// Whether a stored value that is not null belongs to this type.
  public func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (.integer16, .integer(let number)): Int16(exactly: number) != nil
    case (.integer32, .integer(let number)): Int32(exactly: number) != nil
    case (.integer64, .integer), (.date, .integer), (.decimal, .integer): true
    case (.boolean, .integer(let number)): number == 0 || number == 1
    case (.real, .real(let number)): !number.isNaN
    case (.text, .text), (.text, .illFormedText), (.blob, .blob): true
    default: false
    }
  }
}

/// The storage class of a column.
public enum StorageClass: String, Hashable, Sendable {
  /// A signed 64-bit integer.
  case integer
  /// A double.
  case real
  /// Text.
  case text
  /// Bytes.
  case blob
  /// Values of all classes, in the order of `Value.compare(_:_:)`; no value has this class itself.
  case any
}

extension StorageClass {
  /// Whether some values are texts.
  package var hasTexts: Bool { self == .text || self == .any }
}

extension AttributeType: CustomStringConvertible {
  /// The type's name in messages and schema listings.
  public var description: String {
    switch self {
    case .integer16: "integer16"
    case .integer32: "integer32"
    case .integer64: "integer64"
    case .boolean: "boolean"
    case .date: "date"
    case .decimal(let scale): "decimal(\(scale))"
    case .real: "real"
    case .text: "text"
    case .blob: "blob"
    }
  }
}

// MARK: - Machine text

extension AttributeType {
  /// Parses a value from locale-independent text, or returns `nil` if the text is not a value of this type.
  ///
  /// - Integers have an optional sign and digits and must be in range.
  /// - Decimals have no more decimal places than the scale, apart from trailing zeros.
  /// - Reals can have an exponent; infinities are `inf` and `-inf`.
  /// - Dates are parsed as `Instant(plainText:)` does.
  /// - Booleans are `true` and `false` in any letter case, `1` or `0`.
  /// - Blobs are base64; text is used as it is.
  ///
  /// No text is parsed as null.
  /// - Complexity: O(*n*) in the bytes.
  public func value(parsing text: String) -> Value? {
    let value: Value? =
      switch self {
      case .integer16, .integer32, .integer64: Int64(text).map { .integer($0) }
      case .boolean:
        switch PredicateWord.capitals(text) {
        case "TRUE", "1": .integer(1)
        case "FALSE", "0": .integer(0)
        default: nil
        }
      case .date: Instant(plainText: text).map { .integer($0.microseconds) }
      case .decimal(let scale):
        ExactDecimal(text)?.rescaled(to: scale).map { .integer($0.units) }
      case .real: AttributeType.real(text).map { .real($0) }
      case .text: .text(text)
      case .blob: Base64.decoded(text).map { .blob($0) }
      }
    return value.flatMap { accepts($0) ? $0 : nil }
  }

  /// Formats a stored value as locale-independent text that `value(parsing:)` parses.
  ///
  /// Dates are in ISO 8601 with offset `Z`, without a time for a whole day; decimals have all decimal places of their
  /// scale; blobs are base64. A text that is not UTF-8 has U+FFFD in place of what is wrong. Null is the empty text, which is a value of text attributes only. A value of another storage
  /// class is formatted according to that class.
  /// - Complexity: O(*n*) in the bytes.
  public func machineText(of value: Value) -> String {
    switch (value, self) {
    case (.null, _): ""
    case (.integer(let number), .date): Instant(microseconds: number).plainText
    case (.integer(let units), .decimal(let scale)):
      ExactDecimal(units: units, scale: scale).description
    case (.integer(0), .boolean): "false"
    case (.integer(1), .boolean): "true"
    case (.integer(let number), .real) where Int64(exactly: Double(number)) == number:
      String(Double(number))
    case (.integer(let number), _): String(number)
    case (.real(let number), _): String(number)
    case (.text(let text), _): text
    case (.illFormedText(let text), _): text.repaired
    case (.blob(let bytes), _): Base64.encoded(bytes)
    }
  }

  /// Parses digits with an optional point and exponent, but no hexadecimal or spelled-out numbers, and none out of range.
  static func real(_ text: String) -> Double? {
    if text == "inf" || text == "-inf" { return text == "inf" ? .infinity : -.infinity }
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    guard isPlain, let number = Double(text), number.isFinite else { return nil }
    return number
  }
}
