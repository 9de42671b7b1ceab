import Foundation
public import ResultsDomain

/// Parses dates as a program or a user of a locale writes them, and refuses dates that do not exist.
///
/// Understood are `2026-11-03`, `2026-11-03T09:00:00+09:00`, a year in full with month and day behind it, as `2026/11/3` or
/// `2026.11.03`, and the locale's own numeric forms with the year in full, as `2026年11月3日`, `11/3/2026` or `3.11.2026`. A
/// date without a time is a whole day: that date in every time zone.
public struct StrictDate: Sendable {
  private let patterns: [DatePattern]

  /// A parser.
  /// - Parameter locale: The identifier of the locale whose forms are understood too, or `nil`.
  public init(locale: String?) {
    patterns = locale.map { DatePattern.patterns(of: Locale(identifier: $0)) } ?? []
  }

  /// The instant a text stands for.
  /// - Throws: `LocaleTextError` if the text is no date in these forms, or the day does not exist.
  public func instant(of text: String) throws(LocaleTextError) -> Instant {
    let trimmed = HTMLText.trimmed(text)
    if case .instant(let instant) = ISODate.form(of: trimmed) { return instant }
    for parts in patterns.lazy.compactMap({ $0.match(trimmed) }) {
      return try wholeDay(parts.year, parts.month, parts.day, text)
    }
    if let parts = DatePattern.yearFirst(trimmed) {
      return try wholeDay(parts.year, parts.month, parts.day, text)
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
