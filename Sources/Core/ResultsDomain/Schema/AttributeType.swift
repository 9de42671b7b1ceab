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
