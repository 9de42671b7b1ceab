package import FileFormats
import Foundation
package import ResultsDomain

/// A span of time that a word means, such as `last-week`: from its first instant up to, and without, the first one after it.
package struct TimePeriod: Sendable {
  /// One end of it.
  package enum End: Sendable {
    /// An instant.
    case instant(Instant)
    /// One that follows the clock.
    case relative(RelativeDate)

    /// The instant that it is at a time.
    package func instant(at now: Instant) -> Instant {
      switch self {
      case .instant(let instant): instant
      case .relative(let date): date.instant(at: now)
      }
    }
  }

  /// The first instant.
  package let start: End
  /// The first instant after it, or `nil` for a single instant.
  package let end: End?
  /// The date, for one day.
  fileprivate var day: Int64?

  fileprivate init(_ start: End, _ end: End? = nil, day: Int64? = nil) {
    (self.start, self.end, self.day) = (start, end, day)
  }

  /// Whether it is over when another begins.
  package func isBefore(_ other: TimePeriod, at now: Instant) -> Bool {
    let begin = other.start.instant(at: now)
    return end.map { $0.instant(at: now) <= begin } ?? (start.instant(at: now) < begin)
  }

  /// The condition for values that compare with it as in `x < last-week`.
  package func condition(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator
  ) -> FetchPredicate {
    switch comparison {
    case .equal:
      guard let end else { return expression.compared(.equal, start) }
      return expression.compared(.greaterOrEqual, start) && expression.compared(.less, end)
    case .notEqual: return .not(condition(expression, .equal))
    case .less, .greaterOrEqual: return expression.compared(comparison, start)
    case .lessOrEqual:
      return end.map { expression.compared(.less, $0) } ?? expression.compared(.lessOrEqual, start)
    case .greater:
      return end.map { expression.compared(.greaterOrEqual, $0) }
        ?? expression.compared(.greater, start)
    }
  }
}

extension FetchExpression {
  fileprivate func compared(_ comparison: ComparisonOperator, _ end: TimePeriod.End)
    -> FetchPredicate
  {
    switch end {
    case .instant(let instant):
      .comparison(self, comparison, .literal(.integer(instant.microseconds)))
    case .relative(let date): .relative(self, comparison, date)
    }
  }
}

/// A parser of the words for times, as options, filters and fields take them: `2h-ago`, `yesterday`, `last-week`, `2026-W47`, besides the
/// forms of dates.
///
/// | text | what it means |
/// |---|---|
/// | `now`, `30m-ago`, `2h`, `3d`, `1w` | an instant, which follows the clock |
/// | `today`, `yesterday`, `tomorrow` | a day, which follows the clock |
/// | `monday` … `sunday` | the last such day, or the present one |
/// | `this-week`, `last-month`, `last-year` | a week from Monday, a month or a year |
/// | `2026`, `2026-11`, `11/2026`, `2026-W47` | a year, a month, or a week of ISO 8601 |
/// | `2026-11-03`, `2026-11-03T09:00Z` | a date, or an instant; dates are understood in the form of the locale too |
package struct TimeWords: Sendable {
  /// The days of written dates.
  package enum Days: Sendable {
    /// Those of the time zone, in which whole days are, too.
    case local
    /// Those of UTC, as in conditions.
    case utc
  }

  private let settings: LocaleSettings
  private let dates: StrictDate
  private let now: Instant
  private let days: Days
  private let calendar: Calendar

  /// Creates a parser.
  /// - Parameters:
  ///   - settings: The locale in which dates are typed, and the time zone.
  ///   - days: The days of written dates; those of words are always local.
  ///   - now: The present time.
  package init(_ settings: LocaleSettings, days: Days = .local, now: Instant = .now) {
    self.settings = settings
    self.now = now
    self.days = days
    dates = StrictDate(locale: settings.locale?.identifier)
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = settings.timeZone
    self.calendar = calendar
  }

  /// Returns what a text means.
  /// - Throws: `LocaleTextError` with the forms, if it has none of them.
  package func period(of text: String) throws(LocaleTextError) -> TimePeriod {
    if let period = try wordPeriod(of: text) { return period }
    do {
      let instant = try dates.instant(of: text)
      guard let day = instant.wholeDay else { return TimePeriod(.instant(instant)) }
      return period(day, day + 1, days, day: day)
    } catch {
      throw LocaleTextError(message: error.message, remedy: "\(error.remedy) \(Self.forms)")
    }
  }

  /// Returns what a word means, or `nil` for a text that is none, such as a date.
  /// - Throws: `LocaleTextError` for a word like one that is understood.
  package func wordPeriod(of text: String) throws(LocaleTextError) -> TimePeriod? {
    let parts = text.utf8.split { $0 == 0x20 || $0 == UInt8(ascii: "-") }
      .map { String(decoding: $0, as: UTF8.self).lowercased() }
    let word = parts.joined(separator: "-")
    if let date = calendarPeriod(of: word) { return date }
    if let instant = Instant(infinity: text) { return TimePeriod(.instant(instant)) }
    switch word {
    case "now": return TimePeriod(.relative(.now))
    case "today": return day(adding: 0)
    case "yesterday": return day(adding: -1)
    case "tomorrow": return day(adding: 1)
    default: break
    }
    if let span = span(of: word) { return TimePeriod(.relative(.now(adding: .zero - span))) }
    let today = localDay
    if let weekday = Self.weekdays.firstIndex(of: word) {
      let day = monday(notAfter: today - Int64(weekday)) + Int64(weekday)
      return period(day, day + 1, .local, day: day)
    }
    if parts.count == 2, let offset = ["this": 0, "last": -1][parts[0]],
      let period = period(parts[1], adding: offset, to: today)
    {
      return period
    }
    guard !word.isEmpty, word.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x2D }),
      let meant = NearestName.of(word, among: Self.words)
    else { return nil }
    throw LocaleTextError(
      message: "“\(text)” is no time that is understood.",
      remedy: "Did you mean “\(meant)”?"
    )
  }

  /// Returns the value that a word is in a field: the present time, or a whole day; `nil` for a text that is no word.
  /// - Throws: `LocaleTextError` for a word that means more than a day, or that is like one that is understood.
  package func value(of text: String) throws(LocaleTextError) -> Instant? {
    guard Instant(infinity: text) == nil, let period = try wordPeriod(of: text) else { return nil }
    guard period.end != nil else { return period.start.instant(at: now) }
    guard let day = period.day, let date = Instant(wholeDay: day) else {
      throw LocaleTextError(
        message: "“\(text)” is more than a day.",
        remedy: "Write a date such as “2026-11-03”, or today, yesterday or monday."
      )
    }
    return date
  }

  // MARK: Words

  /// A sentence with the words that are understood.
  package static let forms =
    "Or write 2026, 2026-11, 2026-W47, now, 2h-ago, 3d-ago, today, yesterday, monday, this-week, last-week, last-month or last-year."

  private static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
  private static let words =
    weekdays + ["now", "today", "yesterday", "tomorrow"]
    + ["this", "last"].flatMap { first in ["week", "month", "year"].map { "\(first)-\($0)" } }

  /// The duration of `2h-ago` or `2h`, up to some thousand years.
  private func span(of word: String) -> Duration? {
    let text = word.utf8.count > 4 && word.hasSuffix("-ago") ? word.dropLast(4) : word[...]
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard let number = Int64(String(decoding: digits, as: UTF8.self)), number <= 1_000_000 else {
      return nil
    }
    let seconds: Int64? =
      switch String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self) {
      case "s": 1
      case "m", "min": 60
      case "h": 3600
      case "d": 86_400
      case "w": 604_800
      default: nil
      }
    return seconds.map { .seconds($0 * number) }
  }

  private func day(adding days: Int) -> TimePeriod {
    TimePeriod(
      .relative(.today(adding: days, in: settings.days)),
      .relative(.today(adding: days + 1, in: settings.days)),
      day: localDay + Int64(days)
    )
  }

  private func period(_ unit: String, adding offset: Int, to today: Int64) -> TimePeriod? {
    switch unit {
    case "week":
      let monday = monday(notAfter: today) + Int64(7 * offset)
      return period(monday, monday + 7, .local)
    case "month":
      let parts = civil(today)
      return month(parts.year, parts.month + offset, .local)
    case "year":
      return year(civil(today).year + offset, .local)
    default: return nil
    }
  }

  // MARK: Dates

  /// The year, month or week that is written as `2026`, `2026-11`, `11/2026` or `2026-w47`.
  private func calendarPeriod(of word: String) -> TimePeriod? {
    let isDigits = { (text: Substring) in
      !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    let slashed = word.split(separator: "/", omittingEmptySubsequences: false)
    if slashed.count == 2, slashed.allSatisfy(isDigits), slashed[0].utf8.count <= 2,
      slashed[1].utf8.count == 4, let number = Int(slashed[0]), let year = Int(slashed[1]),
      (1...12).contains(number)
    {
      return month(year, number, days)
    }
    guard let first = parts.first, first.utf8.count == 4, isDigits(first), let number = Int(first),
      number > 0
    else { return nil }
    guard parts.count == 2 else { return parts.count == 1 ? year(number, days) : nil }
    let second = parts[1]
    if second.utf8.count == 2, isDigits(second), let part = Int(second), (1...12).contains(part) {
      return month(number, part, days)
    }
    guard second.hasPrefix("w"), isDigits(second.dropFirst()), let week = Int(second.dropFirst()),
      second.utf8.count <= 3
    else { return nil }
    // The fourth of January is in the first week.
    guard let fourth = number.day(1, 4), let next = (number + 1).day(1, 4) else { return nil }
    let start = monday(notAfter: fourth) + Int64(7 * (week - 1))
    guard week >= 1, start < monday(notAfter: next) else { return nil }
    return period(start, start + 7, days)
  }

  /// The last Monday up to a day; both are counted from 1970.
  private func monday(notAfter day: Int64) -> Int64 {
    // The first of January 1970 was a Thursday. The sum is positive for all days of the calendar.
    day - (day + 3 + 7_000_000) % 7
  }

  private func year(_ year: Int, _ days: Days) -> TimePeriod? {
    guard let start = year.day(1, 1), let end = (year + 1).day(1, 1) else { return nil }
    return period(start, end, days)
  }

  /// A month; one before the first of a year is the last of the year before.
  private func month(_ year: Int, _ month: Int, _ days: Days) -> TimePeriod? {
    let (year, month) = month < 1 ? (year - 1, month + 12) : (year, month)
    let (nextYear, next) = month == 12 ? (year + 1, 1) : (year, month + 1)
    guard let start = year.day(month, 1), let end = nextYear.day(next, 1) else { return nil }
    return period(start, end, days)
  }

  private func period(_ start: Int64, _ end: Int64, _ days: Days, day: Int64? = nil) -> TimePeriod {
    TimePeriod(
      .instant(beginning(ofDay: start, days)),
      .instant(beginning(ofDay: end, days)),
      day: day
    )
  }

  /// The first instant of a day, counted from 1970.
  ///
  /// A whole day is in it whatever the time zone is, and in no other: where the beginning is after the instant that stands for the day, or
  /// not after that of the day before, it is moved there.
  private func beginning(ofDay day: Int64, _ days: Days) -> Instant {
    let midnight = Instant(microseconds: day * 86_400_000_000)
    guard case .local = days else { return midnight }
    let parts = civil(day)
    let date = calendar.date(
      from: DateComponents(year: parts.year, month: parts.month, day: parts.day)
    )
    guard let date, let this = Instant(wholeDay: day), let last = Instant(wholeDay: day - 1) else {
      return midnight
    }
    let start = Int64(calendar.startOfDay(for: date).timeIntervalSince1970) * 1_000_000
    return Instant(microseconds: min(max(start, last.microseconds + 1), this.microseconds))
  }

  /// The present day, counted from 1970.
  private var localDay: Int64 {
    let date = Date(timeIntervalSince1970: Double(now.microseconds) / 1_000_000)
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return (parts.year ?? 1970).day(parts.month ?? 1, parts.day ?? 1) ?? 0
  }

  private func civil(_ day: Int64) -> (year: Int, month: Int, day: Int) {
    var utc = Calendar(identifier: .iso8601)
    utc.timeZone = .gmt
    let date = Date(timeIntervalSince1970: Double(day) * 86_400)
    let parts = utc.dateComponents([.year, .month, .day], from: date)
    return (parts.year ?? 1970, parts.month ?? 1, parts.day ?? 1)
  }
}

extension Int {
  /// The number of a day of this year since 1970; `nil` if there is none.
  fileprivate func day(_ month: Int, _ day: Int) -> Int64? {
    func padded(_ number: Int, _ count: Int) -> String {
      String(repeating: "0", count: Swift.max(0, count - String(number).utf8.count))
        + String(number)
    }
    let text = "\(padded(self, 4))-\(padded(month, 2))-\(padded(day, 2))T00:00:00Z"
    return Instant(iso8601: text).map { $0.microseconds / 86_400_000_000 }
  }
}
