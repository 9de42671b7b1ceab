public import ResultsDomain

/// Encodes the columns of a key, so that comparing keys as bytes sorts rows in the order of a request.
///
/// A column is a tag (1 for null before other values, 2 for a value, 3 for null after other values) and, for a value,
/// its bytes: integers as eight big-endian bytes with the sign bit flipped; reals as a bit pattern that sorts by value;
/// texts and blobs as they are, with 0 encoded as 0 255, and a terminating 0. In a descending column the bytes after the
/// tag are complemented. A column of values of any class has the class after the tag. The scheme is that of FoundationDB's tuple layer, with directions and null placement added.
public struct KeyWriter: Sendable {
  /// The bytes written so far.
  public var bytes: [UInt8]

  /// Creates an empty key.
  public init() { bytes = [] }

  /// Appends a null.
  public mutating func appendNull(_ column: KeyColumn) {
    bytes.append(column.nulls == .first ? 1 : 3)
  }

  /// Appends an integer.
  public mutating func append(_ integer: Int64, _ column: KeyColumn) {
    appendWord(UInt64(bitPattern: integer) ^ (1 << 63), column)
  }

  /// Appends a real; negative zero is zero.
  public mutating func append(_ real: Double, _ column: KeyColumn) {
    let bits = (real == 0 ? 0 : real).bitPattern
    appendWord(bits >> 63 == 1 ? ~bits : bits | (1 << 63), column)
  }

  /// Appends the bytes of a text or a blob.
  /// - Complexity: O(*n*) in the bytes.
  public mutating func append(_ content: UnsafeBufferPointer<UInt8>, _ column: KeyColumn) {
    let mask: UInt8 = column.isDescending ? 255 : 0
    bytes.append(2)
    if mask == 0, !content.contains(0) {
      bytes.append(contentsOf: content)
    } else {
      for byte in content {
        bytes.append(byte ^ mask)
        if byte == 0 { bytes.append(255 ^ mask) }
      }
    }
    bytes.append(mask)
  }

  /// Appends any value.
  /// - Returns: False, without writing anything, if the value is neither null nor of the column's storage class.
  public mutating func append(_ value: Value, _ column: KeyColumn) -> Bool {
    switch (value, column.storage) {
    case (.null, _): appendNull(column)
    case (.real(let number), _) where number.isNaN: appendNull(column)
    case (.integer(let number), .integer): append(number, column)
    case (.real(let number), .real): append(number, column)
    case (.integer(let number), .real): append(Double(number), column)
    case (.text(var text), .text): text.withUTF8 { append($0, column) }
    case (.blob(let content), .blob):
      content.withUnsafeBufferPointer { append($0, column) }
    case (.integer(let number), .any): appendNumber(AnyValueCoding.Number(number), column)
    case (.real(let number), .any): appendNumber(AnyValueCoding.Number(number), column)
    case (.text(var text), .any): text.withUTF8 { append($0, as: .text, column) }
    case (.illFormedText(let text), .text):
      text.bytes.withUnsafeBufferPointer { append($0, column) }
    case (.illFormedText(let text), .any):
      text.bytes.withUnsafeBufferPointer { append($0, as: .text, column) }
    case (.blob(let content), .any):
      content.withUnsafeBufferPointer { append($0, as: .blob, column) }
    default: return false
    }
    return true
  }

  /// Appends the bytes of a text or a blob to a column of values of any class.
  /// - Complexity: O(*n*) in the bytes.
  public mutating func append(
    _ content: UnsafeBufferPointer<UInt8>,
    as storage: StorageClass,
    _ column: KeyColumn
  ) {
    let start = bytes.count
    append(content, column)
    bytes.insert(AnyValueCoding.classByte(of: storage, column), at: start + 1)
  }

  private mutating func appendNumber(_ number: AnyValueCoding.Number, _ column: KeyColumn) {
    let mask: UInt8 = column.isDescending ? 255 : 0
    bytes.append(2)
    bytes.append(AnyValueCoding.classByte(of: .real, column))
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number.word >> UInt64(shift)) ^ mask)
    }
    bytes.append(UInt8(truncatingIfNeeded: number.rest >> 8) ^ mask)
    bytes.append(UInt8(truncatingIfNeeded: number.rest) ^ mask)
  }

  private mutating func appendWord(_ word: UInt64, _ column: KeyColumn) {
    // The tag and the eight bytes are appended at once: most columns of a long list are encoded here.
    let stored = (column.isDescending ? ~word : word).bigEndian.littleEndian
    let column = ((2 | stored << 8).littleEndian, (stored >> 56).littleEndian)
    withUnsafeBytes(of: column) { content in
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: content[0..<9]))
    }
  }
}

/// Decodes the columns of a key.
public enum KeyReader {
  /// The value of a column's bytes, tag included; null if the bytes are not valid for the column.
  /// - Complexity: O(*n*) in the bytes.
  public static func value(of column: KeyColumn, in bytes: UnsafeRawBufferPointer) -> Value {
    guard let tag = bytes.first, tag == 2 else { return .null }
    var content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    var storage = column.storage
    if storage == .any {
      guard let byte = content.first else { return .null }
      content = UnsafeRawBufferPointer(rebasing: content.dropFirst())
      if AnyValueCoding.isNumber(byte, column) { return number(content, column) }
      storage = byte == AnyValueCoding.classByte(of: .text, column) ? .text : .blob
    }
    switch storage {
    case .integer:
      return word(content, column).map { .integer(Int64(bitPattern: $0 ^ (1 << 63))) } ?? .null
    case .real:
      return word(content, column).map {
        .real(Double(bitPattern: $0 >> 63 == 1 ? $0 & ~(1 << 63) : ~$0))
      } ?? .null
    case .text: return Value(textBytes: unescaped(content, column))
    case .blob: return .blob(unescaped(content, column))
    case .any: return .null
    }
  }

  private static func number(_ content: UnsafeRawBufferPointer, _ column: KeyColumn) -> Value {
    guard content.count >= 10, let word = word(content, column) else { return .null }
    let mask: UInt16 = column.isDescending ? .max : 0
    let rest = (UInt16(content[8]) << 8 | UInt16(content[9])) ^ mask
    return AnyValueCoding.Number(word: word, rest: rest).value
  }

  private static func word(_ content: UnsafeRawBufferPointer, _ column: KeyColumn) -> UInt64? {
    guard content.count >= 8 else { return nil }
    let word = UInt64(bigEndian: content.loadUnaligned(as: UInt64.self))
    return column.isDescending ? ~word : word
  }

  private static func unescaped(_ content: UnsafeRawBufferPointer, _ column: KeyColumn) -> [UInt8] {
    let mask: UInt8 = column.isDescending ? 255 : 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var index = 0
    while index < content.count {
      let byte = content[index] ^ mask
      if byte == 0 {
        guard index + 1 < content.count, content[index + 1] ^ mask == 255 else { break }
        index += 1
      }
      bytes.append(byte)
      index += 1
    }
    return bytes
  }
}
