/// Why a text is not JSON, and where.
public struct JSONError: Error, Hashable, Sendable {
  /// What is wrong with the text.
  public enum Reason: String, Hashable, Sendable {
    /// The text ends in the middle of a value.
    case unexpectedEnd = "the text ends too early"
    /// A character stands where it cannot.
    case unexpectedCharacter = "this character cannot stand here"
    /// Something follows the value.
    case trailingCharacters = "something follows the value"
    /// A number is not written as JSON wants it.
    case invalidNumber = "this is not a number"
    /// A string holds a control character, an unknown escape or half a surrogate pair.
    case invalidString = "this string is not valid"
    /// The bytes are not UTF-8.
    case invalidUTF8 = "the bytes are not UTF-8"
    /// An object has two members of one name.
    case repeatedName = "this name was given before"
    /// Values are nested deeper than allowed.
    case tooDeep = "the values are nested too deep"
    /// The text is longer than allowed.
    case tooLong = "the text is too long"
  }

  /// What is wrong.
  public let reason: Reason
  /// Where, in bytes from 1.
  public let column: Int

  /// Why a text is not JSON.
  public init(_ reason: Reason, column: Int) {
    self.reason = reason
    self.column = column
  }
}

extension JSONError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String { "Not JSON at column \(column): \(reason.rawValue)." }
}
