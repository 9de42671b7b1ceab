public import ResultsDomain

#if canImport(FoundationEssentials)
public import FoundationEssentials
import FoundationInternationalization
#else
public import Foundation
#endif

/// Gathers instants into the months of a time zone, titled in a locale's words.
///
/// A month is the days that `DayGrouping` puts into it, so that the two never disagree about an instant.
public struct MonthGrouping: SectionGrouping {
  private let days: LocalDays
  private let calendar: Calendar
  private let locale: Locale?

  /// Months of a calendar's time zone.
  /// - Parameters:
  ///   - calendar: The calendar and time zone; the calendar decides only how titles count years.
  ///   - locale: The locale of titles, or `nil` for ISO months.
  public init(calendar: Calendar, locale: Locale?) {
    days = LocalDays(timeZone: calendar.timeZone)
    self.calendar = calendar
    self.locale = locale
  }

  /// What a list does with the rows of a month that stand apart: nothing, where they cannot.
  var contiguity: SectionContiguity { days.scattersWholeDays ? .merge : .error }

  /// The month of an instant, with its first instant and that of the next month.
  public func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    if let day = days.scatteredDay(of: microseconds) {
      return SectionGroup(id: .text(CivilDay(day).monthText))
    }
    let day = days.day(of: LocalDays.quotient(microseconds, 1_000_000))
    let civil = CivilDay(day)
    let first = day - civil.dayOfMonth + 1
    return SectionGroup(
      id: .text(civil.monthText),
      days,
      from: first,
      upTo: first + civil.monthLength
    )
  }

  /// The title of a month.
  public func title(of id: Value) -> String {
    guard case .text(let month) = id else { return "" }
    guard let locale, let noon = CivilDay.noon(of: month + "-15") else { return month }
    var style = Date.FormatStyle.dateTime.year().month(.wide).locale(locale)
    style.calendar = hasGregorianMonths ? calendar : Calendar(identifier: .gregorian)
    style.timeZone = .gmt
    return noon.formatted(style)
  }

  /// The time zone decides which month an instant is in.
  public var groupingIdentity: String { "month \(calendar.timeZone.identifier)" }

  /// Locale and calendar decide how a month is written.
  public var titleIdentity: String { "\(locale?.identifier ?? "ISO") \(calendar.identifier)" }

  /// Locale, calendar and time zone, each apart.
  public var dependencies: GroupingDependencies {
    GroupingDependencies(
      locale: locale?.identifier ?? "ISO",
      calendar: "\(calendar.identifier)",
      timeZone: calendar.timeZone.identifier
    )
  }

  /// A calendar with other months cannot name these.
  private var hasGregorianMonths: Bool {
    switch calendar.identifier {
    case .gregorian, .iso8601, .japanese, .buddhist, .republicOfChina: true
    default: false
    }
  }
}
