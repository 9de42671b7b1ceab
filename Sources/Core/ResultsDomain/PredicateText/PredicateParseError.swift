/// An error in the text of a predicate, with its location and a remedy.
public struct PredicateParseError: Error, Hashable, Sendable {
  /// The kind of error.
  public indirect enum Problem: Error, Hashable, Sendable {
    /// Something else is expected.
    case unexpected(expected: String, found: String)
    /// The entity has no attribute of that name; `suggestion` is a similar name, if there is one.
    case unknownAttribute(String, entity: String, suggestion: String?, known: [String])
    /// A computed attribute, which is not stored.
    case transientAttribute(String, entity: String)
    /// Syntax of another language, with its equivalent here.
    case unsupported(String, instead: String)
    /// A constant that does not fit the type that it is compared with.
    case invalidConstant(String, reason: String)
    /// Two sides that cannot be compared.
    case mixedKinds(left: String, right: String)
    /// A quotation without a closing quote.
    case unterminated(String)
    /// A placeholder without an argument.
    case missingArgument(placeholder: String, given: Int)
    /// Arguments without a placeholder.
    case unusedArguments(used: Int, given: Int)
    /// A variable without an argument; `suggestion` is a similar name that has one.
    case missingVariable(String, suggestion: String?)
    /// An argument of a variable that the text does not use.
    case unusedVariable(String)
    /// An argument that does not fit its placeholder or variable.
    case wrongArgument(placeholder: String, expected: String, found: String)
    /// Parentheses, functions and NOTs nested beyond the limit.
    case tooDeep(limit: Int)
    /// A comparison that is invalid in any request.
    case refused(RequestError)
  }

  /// The kind of error.
  public let problem: Problem
  /// The column where it begins, in characters counted from 1; one past the text if something is missing at its end.
  public let column: Int
  /// The whole text.
  public let text: String
}

extension PredicateParseError {
  /// What is wrong, in one sentence, without the location.
  public var message: String {
    switch problem {
    case .unexpected(let expected, let found): "Expected \(expected), found \(found)."
    case .unknownAttribute(let name, let entity, _, _): "\(entity) has no attribute named \(name)."
    case .transientAttribute(let name, let entity):
      "\(name) of \(entity) is computed, not stored, so it cannot be used in a predicate."
    case .unsupported(let what, _): "\(what) is not part of the language."
    case .invalidConstant(let constant, let reason): "\(constant) \(reason)."
    case .mixedKinds(let left, let right): "\(left) cannot be compared with \(right)."
    case .unterminated(let what): "\(what) is not closed."
    case .missingArgument(let placeholder, let given):
      "There is no argument for \(placeholder); \(given) \(given == 1 ? "is" : "are") given."
    case .unusedArguments(let used, let given):
      "\(given) arguments are given, and \(used) \(used == 1 ? "is" : "are") used."
    case .missingVariable(let name, _): "There is no argument for $\(name)."
    case .unusedVariable(let name):
      "An argument is given for $\(name), which the text does not use."
    case .wrongArgument(let placeholder, let expected, let found):
      "\(placeholder) needs \(expected), and the argument is \(found)."
    case .tooDeep(let limit): "The predicate is nested more than \(limit) levels deep."
    case .refused(let error): error.description
    }
  }

  /// What to do about it, in one sentence.
  public var remedy: String? {
    switch problem {
    case .unexpected("a value", _): "Write a value there; a text goes between quotes."
    case .unexpected(let expected, _): "Write \(expected) there."
    case .unknownAttribute(_, _, .some(let suggestion), _): "Did you mean \(suggestion)?"
    case .unknownAttribute(_, _, .none, let known):
      "It has \(known.joined(separator: ", ")); a text goes between quotes."
    case .transientAttribute: "Compare the attributes it is computed from."
    case .unsupported(_, let instead): "Write \(instead)."
    case .invalidConstant: "Correct the value."
    case .mixedKinds: "Compare like with like."
    case .unterminated: "Close it."
    case .missingArgument: "Give one argument for each placeholder, in order."
    case .unusedArguments: "Give one argument for each placeholder, in order."
    case .missingVariable(_, .some(let suggestion)): "Did you mean $\(suggestion)?"
    case .missingVariable:
      "Give one by that name, without the $. The variable of a SUBQUERY is known inside SUBQUERY alone."
    case .unusedVariable: "Use the variable, or leave its argument out."
    case .wrongArgument(let placeholder, _, _):
      placeholder.utf8.first == UInt8(ascii: "$")
        ? "Give the variable such an argument." : "Give an argument that fits the placeholder."
    case .tooDeep: "Flatten the predicate, or use IN for a list of values."
    case .refused: nil
    }
  }

  /// The text around the error in one line, and a caret under the error in the next.
  ///
  /// The caret is aligned in terminals that show East Asian characters two cells wide, because it is indented with ideographic
  /// spaces under those. Characters that are invisible or would move the caret are shown as `·`.
  public var excerpt: String {
    let (before, after) = (24, 24)
    var line = ""
    var pad = ""
    var position = 0
    var isCut = false
    for character in text {
      position += 1
      if position < column - before {
        isCut = true
        continue
      }
      guard position <= column + after else {
        line += "…"
        break
      }
      let isVisible = character.unicodeScalars.allSatisfy(PredicateParseError.isVisible)
      line.append(isVisible ? character : "·")
      if position < column { pad += isVisible && character.isWide ? "\u{3000}" : " " }
    }
    return isCut ? "…\(line)\n \(pad)^" : "\(line)\n\(pad)^"
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
    case .format: scalar == "\u{200D}"
    default: true
    }
  }
}

extension PredicateParseError: CustomStringConvertible {
  /// What is wrong and where, the text with a caret under the error, and what to do.
  public var description: String {
    (["column \(column): \(message)", excerpt] + [remedy].compactMap(\.self))
      .joined(separator: "\n")
  }
}

extension Character {
  /// Whether terminals show it two cells wide; approximated by the blocks of East Asian scripts and emoji.
  fileprivate var isWide: Bool {
    guard let scalar = unicodeScalars.first else { return false }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
