public import Foundation
public import ResultsDomain

extension SectionGroups {
  /// Months or years of sections by days, weeks or months: of those that `SectionKey.calendar` makes, and of texts that begin like a date.
  ///
  /// ```swift
  /// let ledger = ResultsDefinition(
  ///   FetchRequest<Message>(sortedBy: [.descending(\.sent)]),
  ///   sectionedBy: EntitySectionKey<Message>.calendar(.day, of: \.sent).key,
  ///   groupedBy: .calendar(.month)
  /// )
  /// ```
  ///
  /// A week belongs to the year of its first Thursday, and to no month. A section without a date is a group of its own.
  /// - Parameters:
  ///   - unit: The span of a group.
  ///   - calendar: The calendar that decides how titles count years.
  ///   - locale: The locale of titles, or `nil` for the ids.
  /// - Returns: Groups whose ids are `2026-11` or `2026`.
  public static func calendar(
    _ unit: CalendarGrouping.Unit,
    in calendar: Calendar = .current,
    locale: Locale? = .current
  ) -> SectionGroups {
    .ids(by: DateTextGrouping(CalendarGrouping(unit, calendar: calendar, locale: locale)))
  }
}

/// Gathers the ids of dates, such as `2026-11-03`, by what they begin with.
private struct DateTextGrouping: SectionGrouping {
  private let spans: CalendarGrouping

  init(_ spans: CalendarGrouping) { self.spans = spans }

  func group(of value: Value) -> SectionGroup {
    guard case .text(let text) = value else { return SectionGroup(id: value) }
    // A year can have a sign.
    let sign = text.unicodeScalars.prefix { $0 == "-" || $0 == "+" }
    let parts = text.unicodeScalars.dropFirst(sign.count).split(separator: "-")
    let isWeek = parts.count == 2 && parts[1].first == "W"
    let count =
      switch spans.unit {
      case .day: 3
      case .month: isWeek ? 3 : 2
      case .week: isWeek ? 2 : 3
      case .year: 1
      }
    guard parts.count > count else { return SectionGroup(id: value) }
    let joined = parts.prefix(count).map { String(String.UnicodeScalarView($0)) }
    let id = String(String.UnicodeScalarView(sign)) + joined.joined(separator: "-")
    return SectionGroup(id: .text(id))
  }

  func title(of id: Value) -> String { spans.title(of: id) }
  var groupingIdentity: String { "\(spans.unit.rawValue) of dates" }
  var titleIdentity: String { spans.titleIdentity }
  var dependencies: GroupingDependencies { spans.dependencies }
}
