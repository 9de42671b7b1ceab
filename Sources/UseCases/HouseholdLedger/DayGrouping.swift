public import ResultsDomain

#if canImport(FoundationEssentials)
public import FoundationEssentials
import FoundationInternationalization
#else
public import Foundation
#endif

/// Gathers instants into the days of a time zone, titled in a locale's short form.
///
/// The id of a day is `2026-11-03` for every reader; only its title speaks the reader's language. Titles are made with
/// `Date.FormatStyle` throughout, so that two forms of a date can never mix in one list.
///
/// The day of an instant is the last day whose first instant is not after it. Where clocks go back across midnight, as in
/// St. John's on 2006-10-29, the repeated minutes before midnight belong to the new day, so that days never come back.
///
/// A whole day, which is a date without a time, is that day in every time zone. In the few zones that are further from
/// Greenwich than ten hours west or fourteen east, it may stand among the instants of a neighbouring day.
public struct DayGrouping: SectionGrouping {
  private let days: LocalDays
  private let calendar: Calendar
  private let locale: Locale?

  /// Days of a calendar's time zone.
  /// - Parameters:
  ///   - calendar: The calendar and time zone; the calendar decides only how titles count years.
  ///   - locale: The locale of titles, or `nil` for ISO dates.
  public init(calendar: Calendar, locale: Locale?) {
    days = LocalDays(timeZone: calendar.timeZone)
    self.calendar = calendar
    self.locale = locale
  }

  /// What a list does with the rows of a day that stand apart: nothing, where they cannot.
  var contiguity: SectionContiguity { days.scattersWholeDays ? .merge : .error }

  /// The day of an instant, with its first instant and that of the next day.
  public func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    if let day = days.scatteredDay(of: microseconds) {
      return SectionGroup(id: .text(CivilDay(day).text))
    }
    let day = days.day(of: LocalDays.quotient(microseconds, 1_000_000))
    return SectionGroup(id: .text(CivilDay(day).text), days, from: day, upTo: day + 1)
  }

  /// The title of a day.
  public func title(of id: Value) -> String {
    guard case .text(let day) = id else { return "" }
    guard let locale, let noon = CivilDay.noon(of: day) else { return day }
    let style = Date.FormatStyle(
      date: .numeric,
      time: .omitted,
      locale: locale,
      calendar: calendar,
      timeZone: .gmt
    )
    return noon.formatted(style)
  }

  /// The time zone decides which day an instant is in.
  public var groupingIdentity: String { "day \(calendar.timeZone.identifier)" }

  /// Locale and calendar decide how a day is written.
  public var titleIdentity: String { "\(locale?.identifier ?? "ISO") \(calendar.identifier)" }

  /// Locale, calendar and time zone, each apart.
  public var dependencies: GroupingDependencies {
    GroupingDependencies(
      locale: locale?.identifier ?? "ISO",
      calendar: "\(calendar.identifier)",
      timeZone: calendar.timeZone.identifier
    )
  }
}

extension SectionGroup {
  /// The instants from the beginning of one day up to that of another, where 64 bits hold both.
  init(id: Value, _ days: LocalDays, from first: Int64, upTo next: Int64) {
    let (start, startOverflow) = days.firstSecond(of: first)
      .multipliedReportingOverflow(by: 1_000_000)
    let (end, endOverflow) = days.firstSecond(of: next)
      .multipliedReportingOverflow(by: 1_000_000)
    guard !startOverflow, !endOverflow else {
      self.init(id: id)
      return
    }
    self.init(id: id, first: .integer(start), next: .integer(end))
  }
}
