/// The text form of bytes (RFC 4648, section 4): the standard alphabet, padded.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  /// Encodes bytes as four characters for each three bytes.
  /// - Complexity: O(*n*)
  package static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var word: UInt32 = 0
      for offset in 0..<3 {
        word = word << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
      }
      for offset in 0..<4 {
        let digit = Int(word >> UInt32(18 - 6 * offset) & 63)
        text.append(offset <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text, or returns `nil` for anything that `encoded(_:)` does not write.
  /// - Complexity: O(*n*)
  package static func decoded(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let missing = start + 4 == digits.count ? padding : 0
      var word: UInt32 = 0
      for offset in 0..<4 {
        guard offset < 4 - missing else {
          word <<= 6
          continue
        }
        guard let digit = value(of: digits[start + offset]) else { return nil }
        word = word << 6 | digit
      }
      guard word & ((1 << UInt32(8 * missing)) - 1) == 0 else { return nil }
      for offset in 0..<(3 - missing) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * offset)))
      }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case 0x41...0x5A: UInt32(digit - 0x41)
    case 0x61...0x7A: UInt32(digit - 0x61) + 26
    case 0x30...0x39: UInt32(digit - 0x30) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
