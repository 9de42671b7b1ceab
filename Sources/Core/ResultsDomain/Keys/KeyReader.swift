/// Reads a column of an encoded key back into a value.
public enum KeyReader {
  /// The value of a column's bytes, tag included; null if they are not of the column's form.
  /// - Complexity: O(*n*) in the bytes.
  public static func value(_ column: KeyColumn, _ bytes: UnsafeRawBufferPointer) -> Value {
    guard let tag = bytes.first, tag == 2 else { return .null }
    let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    switch column.storage {
    case .integer:
      return word(content, column).map { .integer(Int64(bitPattern: $0 ^ (1 << 63))) } ?? .null
    case .real:
      return word(content, column).map {
        .real(Double(bitPattern: $0 >> 63 == 1 ? $0 & ~(1 << 63) : ~$0))
      } ?? .null
    case .text: return .text(String(decoding: unescaped(content, column), as: UTF8.self))
    case .blob: return .blob(unescaped(content, column))
    }
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
