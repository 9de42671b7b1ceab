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
