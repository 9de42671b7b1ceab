/// A stored value of one of the five storage classes that every store has.
///
/// Equality and hashing use the storage class and the bytes: two texts are equal only if their UTF-8 bytes are, so
/// that an in-memory list and a database never disagree about decomposed Unicode. `integer(1)` and `real(1)`
/// are not equal; `Value.compare(_:_:)` is the numeric comparison that predicates use.
public enum Value: Sendable {
  /// The absence of a value.
  case null
  /// A signed 64-bit integer, which also represents dates, exact decimals and booleans.
  case integer(Int64)
  /// A finite or infinite IEEE 754 double; not-a-number is stored as `null`.
  case real(Double)
  /// A text, ordered and compared as UTF-8 bytes.
  case text(String)
  /// Bytes.
  case blob([UInt8])
  /// A text that is not UTF-8, ordered and compared by its bytes like any other.
  case illFormedText(IllFormedText)
}

extension Value {
  /// Whether this is the absence of a value.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The integer, if this is one.
  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The text, if this is one in UTF-8.
  public var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The number as a double, if this is an integer or a real.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob, .illFormedText: nil
    }
  }

  /// The value's storage class, or `nil` for null.
  public var storage: StorageClass? {
    switch self {
    case .null: nil
    case .integer: .integer
    case .real: .real
    case .text, .illFormedText: .text
    case .blob: .blob
    }
  }

  /// The value with a real without a fraction converted to an integer, so that numbers that compare as the same are equal.
  package var wholeNumber: Value {
    guard case .real(let number) = self else { return self }
    if number.isNaN { return .null }
    // `Int64(exactly:)` would need the C library's `trunc`, which is not linked without Foundation.
    guard number >= -0x1p63, number < 0x1p63 else { return self }
    let whole = Int64(number)
    return Double(whole) == number ? .integer(whole) : self
  }

  /// The value as a store holds it, with not-a-number as null.
  package var orderable: Value {
    if case .real(let number) = self, number.isNaN { .null } else { self }
  }
}

extension Value: Hashable {
  /// Whether two values have the same storage class and the same bytes.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
    case (.blob(let left), .blob(let right)): left == right
    case (.illFormedText(let left), .illFormedText(let right)): left == right
    default: false
    }
  }

  /// Hashes the storage class and the bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value):
      hasher.combine(1 as UInt8)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2 as UInt8)
      hasher.combine(value == 0 ? 0 : value)
    case .text(var value):
      hasher.combine(3 as UInt8)
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value):
      hasher.combine(4 as UInt8)
      value.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .illFormedText(let value):
      hasher.combine(3 as UInt8)
      value.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}

extension Value: CustomStringConvertible {
  /// A short form for messages: text in single quotes, the length of a blob.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): "'\(value)'"
    case .illFormedText(let value): "'\(value.repaired)'"
    case .blob(let value): "blob of \(value.count) bytes"
    }
  }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A boolean, stored as the integer 0 or 1.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension String {
  /// Whether two strings have the same UTF-8 bytes, without Unicode normalisation.
  /// - Complexity: O(*n*) in the bytes.
  package func hasSameBytes(as other: String) -> Bool {
    // Most texts that differ have other lengths, which a string knows.
    guard utf8.count == other.utf8.count else { return false }
    let same = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { bytes.isSame(as: $0) }
    }
    return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether the string's UTF-8 bytes equal those of a buffer.
  /// - Complexity: O(*n*) in the bytes.
  package func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.isSame(as: bytes) } ?? utf8.elementsEqual(bytes)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Compares eight bytes at a time, because every text of a changed row is compared.
  fileprivate func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
    var offset = 0
    while offset &+ 8 <= count {
      let word = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard word == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else {
        return false
      }
      offset &+= 8
    }
    while offset < count {
      guard left[offset] == right[offset] else { return false }
      offset &+= 1
    }
    return true
  }
}

// MARK: - Comparison

/// The result of comparing two values.
public enum ValueOrder: Int, Sendable {
  /// The first value sorts before the second.
  case ascending = -1
  /// The values sort equally.
  case same = 0
  /// The first value sorts after the second.
  case descending = 1
}

extension Value {
  /// Compares two values in the order of every store: null, then numbers by value, then texts by
  /// UTF-8 bytes, then blobs by bytes.
  ///
  /// An integer and a real are compared exactly even beyond 2^53, as in SQLite.
  /// - Complexity: O(*n*) in the bytes of the shorter value.
  public static func compare(_ left: Value, _ right: Value) -> ValueOrder {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): order(left, right)
    case (.real(let left), .real(let right)): order(left, right)
    case (.integer(let left), .real(let right)): compareExactly(left, right)
    case (.real(let left), .integer(let right)): compareExactly(right, left).reversed
    case (.text(let left), .text(let right)): compareBytes(left.utf8, right.utf8)
    case (.blob(let left), .blob(let right)): compareBytes(left, right)
    case (.illFormedText(let left), .illFormedText(let right)):
      compareBytes(left.bytes, right.bytes)
    case (.text(let left), .illFormedText(let right)): compareBytes(left.utf8, right.bytes)
    case (.illFormedText(let left), .text(let right)): compareBytes(left.bytes, right.utf8)
    default: order(left.storageRank, right.storageRank)
    }
  }

  private var storageRank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text, .illFormedText: 2
    case .blob: 3
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> ValueOrder {
    left < right ? .ascending : (left > right ? .descending : .same)
  }

  /// Compares an integer with a double without rounding either.
  ///
  /// A double of magnitude 2^63 or more is beyond every integer; otherwise its integral part is exactly an `Int64`. The
  /// conversion truncates without the C library's `floor`, which release builds without Foundation do not link.
  private static func compareExactly(_ integer: Int64, _ real: Double) -> ValueOrder {
    guard real < 0x1p63 else { return .ascending }
    guard real >= -0x1p63 else { return .descending }
    let whole = Int64(real)
    return integer == whole ? order(Double(whole), real) : order(integer, whole)
  }

  private static func compareBytes(
    _ left: some Collection<UInt8>,
    _ right: some Collection<UInt8>
  ) -> ValueOrder {
    if left.lexicographicallyPrecedes(right) { return .ascending }
    return left.elementsEqual(right) ? .same : .descending
  }
}

extension ValueOrder {
  /// The result with the two values exchanged.
  public var reversed: ValueOrder {
    switch self {
    case .ascending: .descending
    case .same: .same
    case .descending: .ascending
    }
  }
}
