/// Reads fixed forms of ASCII digits and signs from a text.
struct DigitScanner {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = rest.first, UInt32(byte) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  /// A number of exactly so many digits.
  mutating func number(digits: Int) -> Int? { number(digits: digits...digits) }

  /// A number of so many digits, and no digit behind it.
  mutating func number(digits: ClosedRange<Int>) -> Int? {
    let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.contains(found.count) else { return nil }
    rest = rest.dropFirst(found.count)
    return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// The digits behind a decimal point as a number of so many places; what is finer is cut off.
  mutating func fraction(places: Int) -> Int? {
    let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !found.isEmpty else { return nil }
    rest = rest.dropFirst(found.count)
    let digits =
      Array(found.prefix(places)) + Array(repeating: 0x30, count: max(0, places - found.count))
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// An offset from Greenwich in minutes: `Z`, `+09:00` or `+0900`.
  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let first = rest.first, first >= 0x30 else { return nil }
    var digits = 0
    if rest.dropFirst(2).first == UInt8(ascii: ":") {
      guard let hours = number(digits: 2), take(":"), let minutes = number(digits: 2) else {
        return nil
      }
      digits = hours * 100 + minutes
    } else {
      guard let number = number(digits: 4) else { return nil }
      digits = number
    }
    guard digits / 100 < 24, digits % 100 < 60 else { return nil }
    return (digits / 100 * 60 + digits % 100) * (isWest ? -1 : 1)
  }

  /// Letters, in lower case.
  mutating func word() -> String {
    let found = rest.prefix { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
    rest = rest.dropFirst(found.count)
    return String(decoding: found.map { $0 | 0x20 }, as: UTF8.self)
  }

  /// Steps over spaces and says whether there was one.
  mutating func skipSpaces() -> Bool {
    let found = rest.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    rest = rest.dropFirst(found.count)
    return !found.isEmpty
  }
}
