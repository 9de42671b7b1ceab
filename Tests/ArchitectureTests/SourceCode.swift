/// Swift source without its comments and the contents of its string literals, line by line.
///
/// A scanner instead of a parser suffices to distinguish code from text, with nested comments, raw and multi-line strings and
/// interpolations.
struct SourceCode {
  /// The code of each line.
  let code: [String]
  /// The lines as written.
  let lines: [String]

  init(_ text: String) {
    var scanner = Scanner(bytes: Array(text.utf8))
    scanner.scan()
    code = Self.split(scanner.output)
    lines = Self.split(Array(text.utf8))
  }

  private static func split(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

private struct Scanner {
  let bytes: [UInt8]
  var output: [UInt8] = []
  private var position = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count)
  }

  mutating func scan() {
    while position < bytes.count { scanCode() }
  }

  /// Scans a comment, a string literal, or one byte of code.
  private mutating func scanCode() {
    if starts("//") {
      skip { $0.bytes[$0.position] == UInt8(ascii: "\n") }
    } else if starts("/*") {
      skipComment()
    } else if let hashes = hashesBeforeQuote() {
      scanString(hashes)
    } else {
      output.append(bytes[position])
      position += 1
    }
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        position += 2
      } else if starts("*/") {
        depth -= 1
        position += 2
      } else {
        skipByte()
      }
    } while depth > 0 && position < bytes.count
  }

  private mutating func scanString(_ hashes: Int) {
    position += hashes
    let mark = starts("\"\"\"") ? 3 : 1
    position += mark
    let quotes = String(repeating: "\"", count: mark)
    let pounds = String(repeating: "#", count: hashes)
    while position < bytes.count, !starts(quotes + pounds) {
      if starts("\\" + pounds + "(") {
        position += 2 + hashes
        scanInterpolation()
      } else if starts("\\" + pounds) {
        position += 1 + hashes
        skipByte()
      } else {
        skipByte()
      }
    }
    position = min(bytes.count, position + mark + hashes)
    output.append(contentsOf: "\"\"".utf8)
  }

  private mutating func scanInterpolation() {
    var depth = 1
    while position < bytes.count, depth > 0 {
      if bytes[position] == UInt8(ascii: "(") { depth += 1 }
      if bytes[position] == UInt8(ascii: ")") { depth -= 1 }
      scanCode()
    }
  }

  private func hashesBeforeQuote() -> Int? {
    var index = position
    while index < bytes.count, bytes[index] == UInt8(ascii: "#") { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
    return index - position
  }

  private func starts(_ text: String) -> Bool {
    let wanted = text.utf8
    guard position + wanted.count <= bytes.count, bytes[position] == wanted.first else {
      return false
    }
    return bytes[position..<(position + wanted.count)].elementsEqual(wanted)
  }

  private mutating func skip(until isEnd: (Self) -> Bool) {
    while position < bytes.count, !isEnd(self) { position += 1 }
  }

  /// Skips a byte, but copies line feeds, so that line numbers stay correct.
  private mutating func skipByte() {
    guard position < bytes.count else { return }
    if bytes[position] == UInt8(ascii: "\n") { output.append(bytes[position]) }
    position += 1
  }
}
