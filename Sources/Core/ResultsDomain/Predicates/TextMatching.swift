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

// MARK: - Folding

/// What `[c]` does to both texts before they are compared.
///
/// A store that evaluates predicates in its own language registers this very function, so that no two stores
/// fold differently.
public enum TextFolding {
  /// A text with each scalar replaced by its lowercase mapping, by Unicode's default, whatever the locale.
  /// - Complexity: O(*n*) in the bytes.
  public static func folded(_ text: String) -> String { text.lowercased() }
}

// MARK: - LIKE

/// A pattern of `LIKE`, read once for many texts.
///
/// `*` is any run of scalars, `?` one Unicode scalar, and a backslash takes the next scalar literally. The pattern
/// must match the whole text.
public struct LikePattern: Hashable, Sendable {
  private enum Element: Hashable {
    case byte(UInt8)
    case anyScalar
    case anyRun
  }

  private let elements: [Element]

  /// A pattern; a backslash at its very end stands for itself.
  public init(_ text: String) {
    var elements: [Element] = []
    var isEscaped = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\") where !isEscaped:
        isEscaped = true
        continue
      case UInt8(ascii: "*") where !isEscaped:
        if elements.last != .anyRun { elements.append(.anyRun) }
      case UInt8(ascii: "?") where !isEscaped: elements.append(.anyScalar)
      default: elements.append(.byte(byte))
      }
      isEscaped = false
    }
    if isEscaped { elements.append(.byte(UInt8(ascii: "\\"))) }
    self.elements = elements
  }

  /// Whether a text as a whole has the pattern's form.
  public func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches($0) }
  }

  /// Whether the UTF-8 bytes of a text as a whole have the pattern's form.
  ///
  /// Only the last run is ever tried again, which is enough: an earlier one that took more could not help.
  /// - Complexity: O(*n* · *m*) in the bytes of text and pattern, O(*n*) without `*`.
  public func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (place, element) = (0, 0)
    var retry: (place: Int, element: Int)?
    while place < text.count || element < elements.count {
      if element < elements.count {
        switch elements[element] {
        case .anyRun:
          element += 1
          retry = (place, element)
          continue
        case .anyScalar where place < text.count:
          place = LikePattern.end(ofScalarAt: place, in: text)
          element += 1
          continue
        case .byte(let byte) where place < text.count && text[place] == byte:
          place += 1
          element += 1
          continue
        default: break
        }
      }
      guard let last = retry, last.place < text.count else { return false }
      place = LikePattern.end(ofScalarAt: last.place, in: text)
      element = last.element
      retry = (place, element)
    }
    return true
  }

  private static func end(
    ofScalarAt place: Int,
    in text: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var end = place + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
