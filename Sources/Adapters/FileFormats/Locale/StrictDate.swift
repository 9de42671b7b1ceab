public import Foundation
public import ResultsDomain

/// Parses dates as a program or a user of a locale writes them, and refuses dates that do not exist.
///
/// Understood are `2026-11-03`, `2026-11-03T09:00:00+09:00`, and the locale's own numeric forms with the year in full, as
/// `2026/11/3`, `2026年11月3日`, `11/3/2026` or `3.11.2026`. A day without a time is its noon in the time
/// zone, so that it stays that day a few hours to either side.
public struct StrictDate: Sendable {
  private let timeZone: TimeZone
  private let locale: Locale?
  private let patterns: [DatePattern]

  /// A parser.
  /// - Parameters:
  ///   - timeZone: The zone days are days of.
  ///   - locale: The identifier of the locale whose forms are understood too, or `nil`.
  public init(timeZone: TimeZone, locale: String?) {
    self.timeZone = timeZone
    self.locale = locale.map(Locale.init(identifier:))
    patterns = self.locale.map(DatePattern.patterns) ?? []
  }

  /// The instant a text stands for.
  /// - Throws: `LocaleTextError` if the text is no date in these forms, or the day does not exist.
  public func instant(of text: String) throws(LocaleTextError) -> Instant {
    let trimmed = HTMLText.trimmed(text)
    switch ISODate.form(of: trimmed) {
    case .instant(let instant): return instant
    case .day(let day): return try noon(of: day, text)
    case nil: break
    }
    for pattern in patterns {
      if let parts = pattern.match(trimmed) {
        guard let day = CivilDate(year: parts.year, month: parts.month, day: parts.day) else {
          break
        }
        return try noon(of: day, text)
      }
    }
    let forms = ["2026-11-03", "2026-11-03T09:00Z"] + patterns.prefix(1).map(\.example)
    throw LocaleTextError(
      message: "“\(text)” is not a date that exists.",
      remedy: "Write it as \(forms.map { "“\($0)”" }.joined(separator: " or "))."
    )
  }

  /// Noon of a day in the zone; a zone that changed sides of the date line left a day out.
  private func noon(of day: CivilDate, _ text: String) throws(LocaleTextError) -> Instant {
    let local = day.daysSince1970 * 86_400 + 43_200
    // The offset of the zone at the very instant that is looked for: two steps settle it.
    var seconds = local
    for _ in 0..<2 {
      let date = Date(timeIntervalSince1970: Double(seconds))
      seconds = local - timeZone.secondsFromGMT(for: date)
    }
    let offset = timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    guard seconds + offset == local else {
      throw LocaleTextError(
        message: "“\(text)” is a day that \(timeZone.identifier) left out.",
        remedy: "Write the day before or after."
      )
    }
    return Instant(microseconds: Int64(seconds) * 1_000_000)
  }
}
