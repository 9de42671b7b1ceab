import Foundation
package import ResultsDomain

/// Parses and formats exact decimal numbers in a locale, and accepts only what it would format itself.
///
/// Lenient parsers read `1.234,5` as 1.234 in a locale that groups with commas. This one accepts a text only if its
/// number, formatted again with or without grouping, gives the same text. Full-width digits, a leading plus
/// and every space and apostrophe that is used for grouping are accepted.
///
/// ```swift
/// try StrictNumber(locale: "de_DE").decimal(of: "1.234,50", scale: 2)  // 1234.50
/// ```
package struct StrictNumber: Sendable {
  /// The form of numbers.
  private enum Form: Sendable {
    case plain
    case locale(Locale)
    /// A decimal sign and the sign that groups thousands, if there is one.
    case signs(decimal: String, group: String?)
  }

  private let form: Form

  /// A parser for a locale's identifier; `nil` is the plain form with a decimal point and no grouping.
  package init(locale: String?) {
    form = locale.map { .locale(Locale(identifier: $0)) } ?? .plain
  }

  /// A parser for the form of an example.
  /// - Parameter example: A number with decimals, such as `1.234,56`, `1234,56` or `1'234.56`.
  /// - Throws: `LocaleTextError` if it is not such a number.
  package init(example: String) throws(LocaleTextError) {
    let scalars = StrictNumber.folded(example).unicodeScalars
    let signs = scalars.filter { !("0"..."9").contains($0) }
    let digits = scalars.split(omittingEmptySubsequences: false) { !("0"..."9").contains($0) }
    let known: Set<Unicode.Scalar> = [".", ",", " ", "'"]
    let groups = Set(signs.dropLast())
    guard let last = signs.last, known.isSuperset(of: signs), groups.count <= 1,
      !groups.contains(last), last == "." || last == ",", digits.allSatisfy({ !$0.isEmpty }),
      digits.dropFirst().dropLast().allSatisfy({ $0.count == 3 })
    else {
      throw LocaleTextError(
        message: "“\(example)” is not an example of a number.",
        remedy: "Write one with decimals, such as 1.234,56 or 1234.56."
      )
    }
    form = .signs(decimal: String(last), group: groups.first.map { String($0) })
  }

  /// Parses a number.
  /// - Parameters:
  ///   - text: The text; white space at its ends is ignored.
  ///   - scale: The number of decimal places of the result, 0 to 18.
  /// - Returns: The exact number at that scale.
  /// - Throws: `LocaleTextError` if the text is not a number in this locale, has more decimal places, or is too
  ///   large.
  package func decimal(of text: String, scale: Int) throws(LocaleTextError) -> ExactDecimal {
    let folded = StrictNumber.folded(text)
    let unsigned = folded.hasPrefix("+") ? String(folded.dropFirst()) : folded
    guard let number = plainNumber(unsigned), isWritten(number, as: unsigned) else {
      if StrictNumber.hasTooManyDigits(unsigned) {
        throw LocaleTextError(message: "“\(text)” is too large.", remedy: "Write a smaller number.")
      }
      throw LocaleTextError(
        message: "“\(text)” is not a number in this locale.",
        remedy: "Write numbers as in \(example(scale))."
      )
    }
    guard let result = number.rescaled(to: scale) else {
      guard number.scale > scale else {
        throw LocaleTextError(message: "“\(text)” is too large.", remedy: "Write a smaller number.")
      }
      throw LocaleTextError(
        message: "“\(text)” has \(StrictNumber.decimalPlaces(number.scale)).",
        remedy: remedy(for: number, scale: scale)
      )
    }
    return result
  }

  /// Formats a number with grouping and all decimal places of its scale.
  package func text(of number: ExactDecimal) -> String {
    written(number, isGrouped: true)
  }

  /// The remedy for a number with too many decimal places.
  ///
  /// With three decimal places, the separator may have been meant to group thousands. Both numbers are possible, so the
  /// remedy names both.
  private func remedy(for number: ExactDecimal, scale: Int) -> String {
    let limit =
      scale == 0 ? "a number without decimals" : "at most \(StrictNumber.decimalPlaces(scale))"
    guard number.scale == 3 else { return "Write \(limit), as in \(example(scale))." }
    let whole = written(ExactDecimal(units: number.units, scale: 0), isGrouped: false)
    return "If thousands are meant, write “\(whole)”; otherwise \(limit), as in \(example(scale))."
  }

  private static func decimalPlaces(_ count: Int) -> String {
    count == 1 ? "1 decimal place" : "\(count) decimal places"
  }

  private func example(_ scale: Int) -> String {
    // Four decimal places are enough for an example, and fit an integer.
    let digits = min(max(scale, 0), 4)
    let units = (0..<digits).reduce(9876) { units, _ in units * 10 } + (digits > 0 ? 5 : 0)
    return "“\(text(of: ExactDecimal(units: Int64(units), scale: digits)))”"
  }
}

// MARK: - Forms

extension StrictNumber {
  /// Parses a text after removing grouping separators and replacing the decimal separator by a point.
  private func plainNumber(_ text: String) -> ExactDecimal? {
    let point: String
    let group: String?
    switch form {
    case .plain: return ExactDecimal(text)
    case .locale(let locale):
      point = StrictNumber.folded(locale.decimalSeparator ?? ".")
      group = StrictNumber.folded(locale.groupingSeparator ?? ",", trimming: false)
    case .signs(let decimal, let thousands): (point, group) = (decimal, thousands)
    }
    var plain = ""
    for character in text.unicodeScalars {
      switch String(character) {
      case point: plain += "."
      case group: continue
      case let other: plain += other
      }
    }
    return ExactDecimal(plain)
  }

  /// Whether a text is a number without grouping that 64 bits cannot hold.
  private static func hasTooManyDigits(_ text: String) -> Bool {
    let unsigned = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = unsigned.utf8.split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
    }
    let digits = parts.joined()
    return parts.count <= 2 && digits.count > 18
      && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  private func isWritten(_ number: ExactDecimal, as text: String) -> Bool {
    [true, false].contains { isGrouped in
      StrictNumber.folded(written(number, isGrouped: isGrouped)).utf8.elementsEqual(text.utf8)
    }
  }

  private func written(_ number: ExactDecimal, isGrouped: Bool) -> String {
    let locale: Locale
    switch form {
    case .plain: return number.description
    case .locale(let known): locale = known
    case .signs(let decimal, let group):
      return StrictNumber.written(number, decimal: decimal, group: isGrouped ? group : nil)
    }
    guard let decimal = Decimal(string: number.description) else { return number.description }
    return decimal.formatted(
      Decimal.FormatStyle(locale: locale).precision(.fractionLength(number.scale))
        .grouping(isGrouped ? .automatic : .never)
    )
  }

  private static func written(_ number: ExactDecimal, decimal: String, group: String?) -> String {
    let parts = number.description.split(separator: ".", omittingEmptySubsequences: false)
    let (sign, digits) =
      parts[0].hasPrefix("-") ? ("-", parts[0].dropFirst()) : ("", parts[0][...])
    var whole = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { whole += group ?? "" }
      whole.append(digit)
    }
    return sign + ([whole] + parts.dropFirst().map(String.init)).joined(separator: decimal)
  }

  /// Replaces variants of digits, signs, spaces and apostrophes by their ASCII forms, and removes direction marks.
  private static func folded(_ text: String, trimming: Bool = true) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{200E}", "\u{200F}", "\u{61C}": continue
      case "\u{2212}", "\u{FF0D}": result += "-"
      case "\u{FF0B}": result += "+"
      case "\u{FF0C}": result += ","
      case "\u{FF0E}": result += "."
      case "\u{A0}", "\u{202F}", "\u{2009}", "\u{3000}": result += " "
      case "\u{2019}": result += "'"
      default:
        let isDigit = scalar.properties.generalCategory == .decimalNumber
        let digit = isDigit ? scalar.properties.numericValue.map { String(Int($0)) } : nil
        result += digit ?? String(scalar)
      }
    }
    return trimming ? HTMLText.trimmed(result) : result
  }
}

/// The error for a text that is not a number or a date.
package struct LocaleTextError: Error, Hashable, Sendable {
  /// What is wrong, without the source of the text.
  package var message: String
  /// The remedy.
  package var remedy: String

  /// An error with a message and a remedy.
  package init(message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}

extension LocaleTextError: CustomStringConvertible {
  /// The message and the remedy.
  package var description: String { "\(message) \(remedy)" }
}
