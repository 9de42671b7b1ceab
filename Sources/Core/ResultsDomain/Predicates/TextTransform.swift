/// A function from texts to texts that is the same in every store, for conditions and orders.
///
/// A store that evaluates expressions in another language registers these functions there.
public enum TextTransform: String, Hashable, Sendable, CaseIterable {
  /// The text without accents and other nonspacing marks: `[d]` of text operators.
  ///
  /// Letters are decomposed canonically. A kana with a voicing mark and a Hangul syllable are letters of their own: が is not か.
  case baseLetters = "baseletters"
  /// A text whose bytes sort as people sort names with numbers: `natural(x)`.
  ///
  /// Letter case and marks are ignored, and digits compare by the value of the number: `file2`, `File 10`. Texts that
  /// agree in that are sorted by their bytes. The order does not depend on the locale.
  case natural
}

extension TextTransform {
  /// Returns the function's value for a text.
  /// - Complexity: O(*n*) in the bytes.
  public func applied(to text: String) -> String {
    switch self {
    case .baseLetters: TextTransform.baseLetters(of: text)
    case .natural: TextTransform.naturalKey(of: text)
    }
  }

  /// The text for which the function has a value, if the value says so: a key of natural order ends with its text.
  /// - Complexity: O(*n*) in the bytes.
  func source(of value: String) -> String? {
    guard self == .natural else { return nil }
    // The mark between the folded text and the text; both have the same number of marks of their own.
    let marks = value.utf8.indices.filter { value.utf8[$0] == 1 }
    guard marks.count % 2 == 1 else { return nil }
    return String(value[value.utf8.index(after: marks[marks.count / 2])...])
  }

  private static func baseLetters(of text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    var letters = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0xC0: letters.append(scalar)
      case 0x3099, 0x309A:
        if let last = letters.last, let voiced = BaseLetterTable.kana(last, voicedBy: scalar) {
          letters.removeLast()
          letters.append(voiced)
        } else {
          letters.append(scalar)
        }
      default:
        if scalar.properties.generalCategory == .nonspacingMark { continue }
        BaseLetterTable.append(scalar, to: &letters)
      }
    }
    return String(letters)
  }

  /// The folded text with a count of digits before each number, then the text itself.
  private static func naturalKey(of text: String) -> String {
    var key = String.UnicodeScalarView()
    var digits = String.UnicodeScalarView()
    var isNumber = false
    func endNumber() {
      guard isNumber else { return }
      // A number with more digits is greater. Nines continue the count, so that counts sort as texts.
      for _ in 0..<(digits.count / 9) { key.append("9") }
      key.append(digit(digits.count % 9))
      key.append(contentsOf: digits)
      digits = String.UnicodeScalarView()
      isNumber = false
    }
    for scalar in TextFolding.folded(baseLetters(of: text)).unicodeScalars {
      guard let value = TextTransform.value(ofDigit: scalar) else {
        endNumber()
        key.append(scalar)
        continue
      }
      isNumber = true
      if value > 0 || !digits.isEmpty { digits.append(digit(value)) }
    }
    endNumber()
    key.append("\u{1}")
    key.append(contentsOf: text.unicodeScalars)
    return String(key)
  }

  private static func digit(_ value: Int) -> Unicode.Scalar {
    Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
  }

  private static func value(ofDigit scalar: Unicode.Scalar) -> Int? {
    if scalar.isASCII {
      return ("0"..."9").contains(scalar) ? Int(scalar.value) - 0x30 : nil
    }
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue,
      (0...9).contains(value)
    else { return nil }
    return Int(value)
  }
}
