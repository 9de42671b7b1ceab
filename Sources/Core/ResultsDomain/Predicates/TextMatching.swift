/// A text operator with its right side, compiled for many rows.
struct TextMatcher: Sendable {
  private enum Form: Sendable {
    case prefix([UInt8])
    case suffix([UInt8])
    case infix([UInt8])
    case pattern(LikePattern)
    case expression(MatchPattern?)
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
      // Validation refuses a pattern that cannot be compiled.
      case .matches: .expression(try? MatchPattern(text, caseInsensitive: caseInsensitive))
      }
  }

  func matches(_ text: String) -> Bool {
    var text = isFolding ? TextFolding.folded(text) : text
    if case .expression(let pattern) = form {
      return pattern?.matches(text.unicodeScalars) ?? false
    }
    return text.withUTF8 { matches($0) }
  }

  /// Whether a text that is not UTF-8 matches: by its bytes, or as it is shown where letters matter.
  func matches(_ text: IllFormedText) -> Bool {
    if isFolding { return matches(text.repaired) }
    if case .expression = form { return matches(text.repaired) }
    return text.bytes.withUnsafeBufferPointer { matches($0) }
  }

  private func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch form {
    case .prefix(let sought): TextMatcher.found(sought, in: bytes, at: 0)
    case .suffix(let sought):
      TextMatcher.found(sought, in: bytes, at: bytes.count - sought.count)
    case .infix(let sought): TextMatcher.contains(sought, in: bytes)
    case .pattern(let pattern): pattern.matches(bytes)
    case .expression: false
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

/// The case folding of `[c]`, which is applied to both texts before they are compared.
///
/// A store that evaluates predicates in another language registers this function there, so that all stores fold alike.
package enum TextFolding {
  /// Returns a text in lowercase by Unicode's default mapping, independent of the locale.
  /// - Complexity: O(*n*) in the bytes.
  package static func folded(_ text: String) -> String { text.lowercased() }
}

// MARK: - LIKE

/// A compiled pattern of `LIKE`.
///
/// `*` matches any run of scalars, `?` one Unicode scalar, and a backslash makes the next scalar literal. The pattern
/// must match the whole text.
package struct LikePattern: Hashable, Sendable {
  private enum Element: Hashable {
    case byte(UInt8)
    case anyScalar
    case anyRun
  }

  private let elements: [Element]

  /// Compiles a pattern; a backslash at its end is literal.
  package init(_ text: String) {
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

  /// Whether the pattern matches a whole text.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches($0) }
  }

  /// Whether the pattern matches the UTF-8 bytes of a whole text.
  ///
  /// Backtracking to the last `*` is enough: a longer match of an earlier one could not help.
  /// - Complexity: O(*n* · *m*) in the bytes of text and pattern, O(*n*) without `*`.
  package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (offset, element) = (0, 0)
    var retry: (offset: Int, element: Int)?
    while offset < text.count || element < elements.count {
      if element < elements.count {
        switch elements[element] {
        case .anyRun:
          element += 1
          retry = (offset, element)
          continue
        case .anyScalar where offset < text.count:
          offset = LikePattern.end(ofScalarAt: offset, in: text)
          element += 1
          continue
        case .byte(let byte) where offset < text.count && text[offset] == byte:
          offset += 1
          element += 1
          continue
        default: break
        }
      }
      guard let last = retry, last.offset < text.count else { return false }
      offset = LikePattern.end(ofScalarAt: last.offset, in: text)
      element = last.element
      retry = (offset, element)
    }
    return true
  }

  private static func end(
    ofScalarAt offset: Int,
    in text: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var end = offset + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
