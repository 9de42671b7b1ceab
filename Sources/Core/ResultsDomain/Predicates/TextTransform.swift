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
  /// A text whose bytes sort as a catalogue files titles: `filing(x)`.
  ///
  /// As in natural order, but letters without marks of their own are filed with those that they are written for elsewhere, such as ø as
  /// o, æ as ae and ß as ss. Apostrophes do not count, nor do spaces, quotation marks, brackets and modifier letters before the title.
  /// What precedes a comma and a space comes before longer texts that begin with it.
  case filing
}

extension TextTransform {
  /// Returns the function's value for a text.
  /// - Complexity: O(*n*) in the bytes.
  public func applied(to text: String) -> String {
    switch self {
    case .baseLetters: TextTransform.baseLetters(of: text)
    case .natural, .filing: keyOfASCII(text) ?? keyOfScalars(text)
    }
  }

  /// The key of an order for any text.
  func keyOfScalars(_ text: String) -> String {
    self == .filing
      ? TextTransform.key(of: text, TextTransform.filed(text))
      : TextTransform.key(of: text, TextFolding.folded(TextTransform.baseLetters(of: text)))
  }

  /// The same key for a text of ASCII, as most titles are, made byte by byte; `nil` for another text.
  func keyOfASCII(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { letters in
        let count = TextTransform.fold(bytes, into: letters, isFiled: self == .filing)
        // A number of one digit becomes two bytes; longer ones grow less.
        return String(unsafeUninitializedCapacity: 2 * count + 1 + bytes.count) { key in
          TextTransform.write(letters[..<count], bytes, to: key)
        }
      }
    }
  }

  /// Writes the small letters of ASCII by which a text is ordered.
  /// - Returns: Their number.
  private static func fold(
    _ text: UnsafeBufferPointer<UInt8>,
    into letters: UnsafeMutableBufferPointer<UInt8>,
    isFiled: Bool
  ) -> Int {
    var count = 0
    for byte in text {
      let letter = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      if isFiled {
        let scalar = Unicode.Scalar(letter)
        if isApostrophe(scalar) || count == 0 && opens(scalar) { continue }
        if letter == 0x20, count > 0, letters[count - 1] == UInt8(ascii: ",") {
          letters[count - 1] = 2
          continue
        }
      }
      letters[count] = letter
      count += 1
    }
    return count
  }

  /// Writes letters with a count of digits before each number, then the text itself.
  /// - Returns: The number of bytes.
  private static func write(
    _ letters: Slice<UnsafeMutableBufferPointer<UInt8>>,
    _ text: UnsafeBufferPointer<UInt8>,
    to key: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    var (count, position) = (0, letters.startIndex)
    func append(_ byte: UInt8) {
      key[count] = byte
      count += 1
    }
    while position < letters.endIndex {
      guard isDigit(letters[position]) else {
        append(letters[position])
        position += 1
        continue
      }
      let number = letters[position...].prefix(while: isDigit)
      let digits = number.drop { $0 == 0x30 }
      for _ in 0..<(digits.count / 9) { append(0x39) }
      append(0x30 + UInt8(digits.count % 9))
      for digit in digits { append(digit) }
      position = number.endIndex
    }
    append(1)
    for byte in text { append(byte) }
    return count
  }

  /// The text for which the function has a value, if the value says so: a key of an order ends with its text.
  /// - Complexity: O(*n*) in the bytes.
  func source(of value: String) -> String? {
    guard self != .baseLetters else { return nil }
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

  /// The letters by which a text is filed.
  static func filed(_ text: String) -> String {
    var letters = String.UnicodeScalarView()
    for scalar in TextFolding.folded(baseLetters(of: text)).unicodeScalars {
      if isApostrophe(scalar) || letters.isEmpty && opens(scalar) { continue }
      if scalar == " ", letters.last == "," {
        // What stands before the comma is a whole name: "Sea, The" comes before "Sea The Sea".
        letters.removeLast()
        letters.append("\u{2}")
        continue
      }
      if let replacement = replacement(of: scalar) {
        letters.append(contentsOf: replacement.unicodeScalars)
      } else {
        letters.append(scalar)
      }
    }
    return String(letters)
  }

  /// What a small letter without a decomposition is filed as.
  private static func replacement(of letter: Unicode.Scalar) -> String? {
    switch letter {
    case "ø": "o"
    case "ł": "l"
    case "œ": "oe"
    case "æ": "ae"
    case "đ", "ð": "d"
    case "þ": "th"
    case "ß": "ss"
    case "ı": "i"
    default: nil
    }
  }

  private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "'", "\u{2018}", "\u{2019}", "\u{2BB}", "\u{2BC}", "\u{FF07}": true
    default: false
    }
  }

  /// Whether it stands before what a title begins with: a space, a quotation mark, a bracket, ¿ or ¡, or a modifier letter.
  private static func opens(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x22, 0x60, 0xA1, 0xBF, 0xFF02, 0x2B0...0x2FF: true
    case 0x30...0x39, 0x61...0x7A: false
    default:
      switch scalar.properties.generalCategory {
      case .initialPunctuation, .finalPunctuation, .openPunctuation, .closePunctuation,
        .spaceSeparator:
        true
      default: false
      }
    }
  }

  /// The letters with a count of digits before each number, then the text itself.
  private static func key(of text: String, _ letters: String) -> String {
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
    for scalar in letters.unicodeScalars {
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
