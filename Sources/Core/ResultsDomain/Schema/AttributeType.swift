/// What kind of values an attribute has, and how a store keeps them.
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
  /// The storage class its values have.
  public var storage: StorageClass {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .date, .decimal: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  /// Whether a stored value, not null, is one of this type's.
  public func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (.integer16, .integer(let number)): Int16(exactly: number) != nil
    case (.integer32, .integer(let number)): Int32(exactly: number) != nil
    case (.integer64, .integer), (.date, .integer), (.decimal, .integer): true
    case (.boolean, .integer(let number)): number == 0 || number == 1
    case (.real, .real(let number)): !number.isNaN
    case (.text, .text), (.blob, .blob): true
    default: false
    }
  }
}

/// The storage class a column of a store has.
public enum StorageClass: String, Hashable, Sendable {
  /// A signed 64-bit integer.
  case integer
  /// A double.
  case real
  /// UTF-8 text.
  case text
  /// Bytes.
  case blob
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
  /// The value that a plain, locale-free text stands for, or `nil` if it stands for none of this type.
  ///
  /// Integers have an optional sign and digits and must be in range; decimals a point and no more places than the scale
  /// (trailing zeros aside); reals also an exponent, or are `inf` or `-inf`; dates are ISO 8601 as
  /// `Instant(plainText:)` reads them; booleans `true`, `false` (in any case), `1` or `0`; blobs base64; a text is
  /// itself. No text stands for null.
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

  /// The plain, locale-free text of a stored value, which `value(parsing:)` reads back.
  ///
  /// Dates are ISO 8601 with offset `Z`, without a time if they have none; decimals have a point and all places of their scale, blobs are base64. Null is the
  /// empty text, which only a text attribute has as a value. A value of another storage class than this
  /// type's is written as its own kind.
  /// - Complexity: O(*n*) in the bytes.
  public func machineText(of value: Value) -> String {
    switch (value, self) {
    case (.null, _): ""
    case (.integer(let number), .date): Instant(microseconds: number).plainText
    case (.integer(let units), .decimal(let scale)):
      ExactDecimal(units: units, scale: scale).description
    case (.integer(0), .boolean): "false"
    case (.integer(1), .boolean): "true"
    case (.integer(let number), _): String(number)
    case (.real(let number), _): String(number)
    case (.text(let text), _): text
    case (.blob(let bytes), _): Base64.encoded(bytes)
    }
  }

  /// Digits with an optional point and exponent; hexadecimal and spelled numbers are not read, nor ones too large.
  static func real(_ text: String) -> Double? {
    if text == "inf" || text == "-inf" { return text == "inf" ? .infinity : -.infinity }
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    guard isPlain, let number = Double(text), number.isFinite else { return nil }
    return number
  }
}
