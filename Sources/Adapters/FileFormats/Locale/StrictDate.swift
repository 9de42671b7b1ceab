import Foundation
package import ResultsDomain

/// Parses dates in ISO form and in the forms of a locale, and refuses dates that do not exist.
///
/// It accepts `2026-11-03`, `2026-11-03T09:00:00+09:00`, a four-digit year followed by month and day, as in `2026/11/3` or
/// `2026.11.03`, and the numeric forms of the locale with a four-digit year, as in `2026年11月3日`, `11/3/2026` or `3.11.2026`. A
/// date without a time is a whole day: that date in every time zone.
package struct StrictDate: Sendable {
  private let patterns: [DatePattern]

  /// A parser for ISO forms and those of a locale.
  /// - Parameter locale: The identifier of the locale whose forms are accepted, or `nil` for ISO forms only.
  package init(locale: String?) {
    patterns = locale.map { DatePattern.patterns(of: Locale(identifier: $0)) } ?? []
  }

  /// A parser for ISO forms and one of a file.
  /// - Parameter pattern: The form in letters, such as `DD.MM.YYYY` or `MM/DD/YY`. A year of two digits is one from 1970 to 2069.
  /// - Throws: `LocaleTextError` if the pattern has no day, month and year.
  package init(pattern: String) throws(LocaleTextError) {
    guard let parsed = DatePattern(letters: pattern) else {
      throw LocaleTextError(
        message: "“\(pattern)” is not a form of dates.",
        remedy: "Write day, month and year as DD, MM and YYYY, such as DD.MM.YYYY or MM/DD/YY."
      )
    }
    patterns = [parsed]
  }

  /// Returns the instant of a date.
  /// - Throws: `LocaleTextError` if the text has none of these forms, or the day does not exist.
  package func instant(of text: String) throws(LocaleTextError) -> Instant {
    let trimmed = HTMLText.trimmed(text)
    if case .instant(let instant) = ISODate.form(of: trimmed) { return instant }
    for parts in patterns.lazy.compactMap({ $0.match(trimmed) }) {
      return try wholeDay(parts.year, parts.month, parts.day, text)
    }
    if let parts = DatePattern.yearFirst(trimmed) {
      return try wholeDay(parts.year, parts.month, parts.day, text)
    }
    guard ISODate.form(of: trimmed + "Z") == nil else {
      throw LocaleTextError(
        message: "“\(text)” has a time without a time zone.",
        remedy: "Add Z for UTC, or an offset such as +09:00; or leave the time out."
      )
    }
    throw error("“\(text)” is not a date in a form that is understood.")
  }

  private func wholeDay(
    _ year: Int,
    _ month: Int,
    _ day: Int,
    _ text: String
  ) throws(LocaleTextError) -> Instant {
    guard let date = CivilDate(year: year, month: month, day: day),
      let instant = Instant(wholeDay: Int64(date.daysSince1970))
    else { throw error("“\(text)” is not a date that exists.") }
    return instant
  }

  private func error(_ message: String) -> LocaleTextError {
    let forms = ["2026-11-03", "2026-11-03T09:00Z"] + patterns.prefix(1).map(\.example)
    return LocaleTextError(
      message: message,
      remedy: "Write it as \(forms.map { "“\($0)”" }.joined(separator: " or "))."
    )
  }
}

/// The order of year, month and day in a locale's numeric dates, and the text between them.
private struct DatePattern: Sendable {
  private enum Component: Sendable {
    case year
    case shortYear
    case month
    case day
    case literal(String)
  }

  private let components: [Component]
  /// 3 November 2026 in this form.
  let example: String

  /// The numeric and the long form of a locale, if they have digits and separators only.
  static func patterns(of locale: Locale) -> [DatePattern] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return [Date.FormatStyle.DateStyle.numeric, .long].compactMap { date in
      DatePattern(
        style: Date.FormatStyle(
          date: date,
          time: .omitted,
          locale: locale,
          calendar: calendar,
          timeZone: .gmt
        )
      )
    }
  }

  /// The pattern of a style, inferred from a date whose year, month and day are different numbers.
  private init?(style: Date.FormatStyle) {
    // 2034-11-22, in which no number occurs twice.
    let probe = style.format(Date(timeIntervalSince1970: 2_047_766_400))
    var components: [Component] = []
    for run in DatePattern.runs(probe) {
      switch run {
      case "2034": components.append(.year)
      case "11": components.append(.month)
      case "22": components.append(.day)
      default:
        guard !run.unicodeScalars.contains(where: DatePattern.isDigit) else { return nil }
        components.append(.literal(run))
      }
    }
    let numbers = components.filter { if case .literal = $0 { false } else { true } }
    guard numbers.count == 3 else { return nil }
    self.components = components
    example = style.format(Date(timeIntervalSince1970: 1_793_664_000))
  }

  /// Parses a pattern in letters.
  init?(letters: String) {
    var (components, example): ([Component], String) = ([], "")
    var found: Set<Unicode.Scalar> = []
    let scalars = Array(letters.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      let count = scalars[index...].prefix { $0 == scalar }.count
      switch (scalar, count) {
      case ("D", 1...2):
        components.append(.day)
        example += count == 1 ? "3" : "03"
      case ("M", 1...2):
        components.append(.month)
        example += "11"
      case ("Y", 4):
        components.append(.year)
        example += "2026"
      case ("Y", 2):
        components.append(.shortYear)
        example += "26"
      case ("D", _), ("M", _), ("Y", _): return nil
      default:
        guard !DatePattern.isDigit(scalar) else { return nil }
        let plain = String(repeating: DatePattern.plain(scalar), count: count)
        if case .literal(let before) = components.last {
          components[components.count - 1] = .literal(before + plain)
        } else {
          components.append(.literal(plain))
        }
        example += plain
      }
      if "DMY".unicodeScalars.contains(scalar), !found.insert(scalar).inserted { return nil }
      index += count
    }
    guard found.count == 3 else { return nil }
    // Numbers without anything between them would be read as one.
    let isNumber = components.map { if case .literal = $0 { false } else { true } }
    guard !zip(isNumber, isNumber.dropFirst()).contains(where: { $0 && $1 }) else { return nil }
    (self.components, self.example) = (components, example)
  }

  /// Matches a text; a day and a month may have a leading zero.
  func match(_ text: String) -> (year: Int, month: Int, day: Int)? {
    let runs = DatePattern.runs(text)
    guard runs.count == components.count else { return nil }
    var result = (year: 0, month: 0, day: 0)
    for (run, component) in zip(runs, components) {
      switch component {
      case .literal(let literal):
        guard run.utf8.elementsEqual(literal.utf8) else { return nil }
      case .year:
        guard run.utf8.count == 4, let number = Int(run) else { return nil }
        result.year = number
      case .shortYear:
        guard run.utf8.count == 2, let number = Int(run) else { return nil }
        result.year = number + (number < 70 ? 2000 : 1900)
      case .month:
        guard run.utf8.count <= 2, let number = Int(run) else { return nil }
        result.month = number
      case .day:
        guard run.utf8.count <= 2, let number = Int(run) else { return nil }
        result.day = number
      }
    }
    return result
  }

  /// Matches a text that begins with a four-digit year, with `-`, `/` or `.` as separators.
  static func yearFirst(_ text: String) -> (year: Int, month: Int, day: Int)? {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(digits: 4),
      let separator = ["-", "/", "."].first(where: { scanner.take($0) }),
      let month = scanner.number(digits: 1...2), scanner.take(separator),
      let day = scanner.number(digits: 1...2), scanner.isAtEnd
    else { return nil }
    return (year, month, day)
  }

  /// Splits a text into runs of digits and runs of other characters, with ASCII digits and plain spaces,
  /// without direction marks.
  private static func runs(_ text: String) -> [String] {
    var runs: [String] = []
    var wasDigit: Bool?
    for scalar in text.unicodeScalars {
      if scalar == "\u{200E}" || scalar == "\u{200F}" || scalar == "\u{61C}" { continue }
      let isDigit = isDigit(scalar)
      if isDigit != wasDigit { runs.append("") }
      wasDigit = isDigit
      runs[runs.count - 1] += isDigit ? digit(scalar) : plain(scalar)
    }
    return runs
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .decimalNumber
  }

  private static func digit(_ scalar: Unicode.Scalar) -> String {
    scalar.properties.numericValue.map { String(Int($0)) } ?? String(scalar)
  }

  private static func plain(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\u{A0}", "\u{202F}", "\u{3000}": " "
    case "\u{FF0F}": "/"
    default: String(scalar)
    }
  }
}
