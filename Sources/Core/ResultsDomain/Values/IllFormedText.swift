/// The bytes of a text that are not UTF-8.
///
/// A database that other programs write can hold such a text, for example one in Latin-1. It is a text: among texts it is ordered and
/// compared by its bytes. What reads letters, such as a condition with `[c]` or a front end, reads it with the replacement character
/// U+FFFD in place of what is wrong.
public struct IllFormedText: Hashable, Sendable {
  /// The bytes as they are stored.
  public let bytes: [UInt8]

  /// Creates a text from bytes, or returns `nil` for UTF-8, which is an ordinary text.
  /// - Complexity: O(*n*) in the bytes.
  public init?(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    self.bytes = bytes
  }

  /// Creates a text from bytes that are known not to be UTF-8.
  fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// The text with U+FFFD in place of each part that is not UTF-8; different texts can agree in it.
  /// - Complexity: O(*n*) in the bytes.
  public var repaired: String { String(decoding: bytes, as: UTF8.self) }
}

extension Value {
  /// Creates the text of some bytes, whether they are UTF-8 or not.
  /// - Complexity: O(*n*) in the bytes.
  public init(textBytes bytes: UnsafeBufferPointer<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = .text(text)
    } else {
      self = .illFormedText(IllFormedText(unchecked: Array(bytes)))
    }
  }

  /// Creates the text of some bytes, whether they are UTF-8 or not.
  /// - Complexity: O(*n*) in the bytes.
  public init(textBytes bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    self = bytes.withUnsafeBufferPointer { Value(textBytes: $0) }
  }

  /// The text as it can be shown, with U+FFFD in place of what is not UTF-8, or `nil` for a value that is no text.
  /// - Complexity: O(1); O(*n*) in the bytes of a text that is not UTF-8.
  public var readableText: String? {
    switch self {
    case .text(let text): text
    case .illFormedText(let text): text.repaired
    case .null, .integer, .real, .blob: nil
    }
  }
}

// MARK: - SQLite's functions over characters

extension IllFormedText {
  /// The first characters up to a zero byte, as `substr(x, 1, count)` of SQLite returns them.
  ///
  /// SQLite takes a byte from C0 on with all continuation bytes that follow for a character, and any other byte for one too
  /// (sqlite.org/src, SQLITE_SKIP_UTF8).
  func prefix(_ count: Int) -> Value {
    var (end, rest) = (0, count)
    while rest > 0, end < bytes.count, bytes[end] != 0 {
      end = endOfCharacter(at: end)
      rest -= 1
    }
    return Value(textBytes: bytes[..<end])
  }

  /// The number of characters before a zero byte, as `length(x)` of SQLite counts them.
  var length: Int64 {
    var (end, count) = (0, 0 as Int64)
    while end < bytes.count, bytes[end] != 0 {
      end = endOfCharacter(at: end)
      count += 1
    }
    return count
  }

  private func endOfCharacter(at start: Int) -> Int {
    var end = start + 1
    guard bytes[start] >= 0xC0 else { return end }
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
