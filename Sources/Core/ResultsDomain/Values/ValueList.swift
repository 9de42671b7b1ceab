extension Value {
  /// Several values as one: a JSON array as text, such as `["sea","war"]`.
  ///
  /// It is what a row has for a property with many values, such as `tags.name`. An integer has no point; a real has a point or an
  /// exponent, and an infinite one is `9e999`; a blob is an object with its Base64 text, and so is a text that is not UTF-8. So lists are equal if their texts are.
  /// - Complexity: O(*n*) in the bytes of the values.
  public static func list(_ values: [Value]) -> Value {
    var text = "["
    for (index, value) in values.enumerated() {
      if index > 0 { text += "," }
      switch value.orderable {
      case .null: text += "null"
      case .integer(let number): text += String(number)
      case .real(let number) where number.isInfinite: text += number < 0 ? "-9e999" : "9e999"
      case .real(let number): text += String(number == 0 ? 0 : number)
      case .text(let string): appendQuoted(string, to: &text)
      case .blob(let bytes): text += "{\"base64\":\"\(Base64.encoded(bytes))\"}"
      case .illFormedText(let part): text += "{\"text\":\"\(Base64.encoded(part.bytes))\"}"
      }
    }
    return .text(text + "]")
  }

  /// The values of a list, or `nil` for any value that `list(_:)` does not return.
  /// - Complexity: O(*n*) in the bytes of the list.
  public var elements: [Value]? {
    guard case .text(let text) = self else { return nil }
    var reader = ListReader(text)
    return reader.list()
  }

  private static func appendQuoted(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        text += "\\"
        text.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u00" + (digits.utf8.count == 1 ? "0" : "") + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// Reads the texts that `Value.list` writes, and no others.
private struct ListReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func list() -> [Value]? {
    guard skip("[") else { return nil }
    var values: [Value] = []
    if skip("]") { return position == bytes.count ? values : nil }
    repeat {
      guard let value = value() else { return nil }
      values.append(value)
    } while skip(",")
    return skip("]") && position == bytes.count ? values : nil
  }

  private mutating func value() -> Value? {
    if skip("null") { return .null }
    if next == UInt8(ascii: "\"") { return string().map { .text($0) } }
    if skip("{\"base64\":") {
      guard let text = string(), skip("}") else { return nil }
      return Base64.decoded(text).map { .blob($0) }
    }
    if skip("{\"text\":") {
      guard let text = string(), skip("}"), let bytes = Base64.decoded(text) else { return nil }
      return IllFormedText(bytes).map { .illFormedText($0) }
    }
    let start = position
    while let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: "]") { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if let number = Int64(text) { return .integer(number) }
    return Double(text).map { .real($0) }
  }

  private mutating func string() -> String? {
    guard skip("\"") else { return nil }
    var content: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = escaped() else { return nil }
        content.append(escaped)
      default: content.append(byte)
      }
    }
    return nil
  }

  private mutating func escaped() -> UInt8? {
    guard skip("u00") else {
      defer { position += 1 }
      return next
    }
    guard position + 2 <= bytes.count else { return nil }
    defer { position += 2 }
    return UInt8(String(decoding: bytes[position..<position + 2], as: UTF8.self), radix: 16)
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    let isNext = text.withUTF8Buffer { $0.elementsEqual(bytes[position..<position + count]) }
    if isNext { position += count }
    return isNext
  }
}
