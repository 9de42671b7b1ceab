/// A text operator with its right side, prepared once for many rows.
struct TextMatcher: Sendable {
  private enum Form: Sendable {
    case prefix([UInt8])
    case suffix([UInt8])
    case infix([UInt8])
    case pattern(LikePattern)
  }

  private let form: Form
  private let isFolding: Bool

  init(_ comparison: TextOperator, _ text: String, caseInsensitive: Bool) {
    isFolding = caseInsensitive
    let sought = caseInsensitive ? TextFolding.folded(text) : text
    form =
      switch comparison {
      case .beginsWith: .prefix(Array(sought.utf8))
      case .endsWith: .suffix(Array(sought.utf8))
      case .contains: .infix(Array(sought.utf8))
      case .like: .pattern(LikePattern(sought))
      }
  }

  func matches(_ text: String) -> Bool {
    var text = isFolding ? TextFolding.folded(text) : text
    return text.withUTF8 { bytes in
      switch form {
      case .prefix(let sought): TextMatcher.found(sought, in: bytes, at: 0)
      case .suffix(let sought):
        TextMatcher.found(sought, in: bytes, at: bytes.count - sought.count)
      case .infix(let sought): TextMatcher.contains(sought, in: bytes)
      case .pattern(let pattern): pattern.matches(bytes)
      }
    }
  }

  private static func found(
    _ sought: [UInt8],
    in bytes: UnsafeBufferPointer<UInt8>,
    at start: Int
  ) -> Bool {
    guard start >= 0, start + sought.count <= bytes.count else { return false }
    return sought.indices.allSatisfy { bytes[start + $0] == sought[$0] }
  }

  private static func contains(_ sought: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = sought.first else { return true }
    var start = 0
    while start + sought.count <= bytes.count {
      if bytes[start] == first, found(sought, in: bytes, at: start) { return true }
      start += 1
    }
    return false
  }
}
