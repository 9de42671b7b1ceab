import Foundation
import ResultsDomain

/// Sections by the days, months or years of a date: `day(added)`, `month(added)` and `year(added)` in `--section-by`.
enum DateSections {
  /// The part of a date that the dates of one section share.
  enum Unit: String, CaseIterable {
    case day, month, year

    /// The number of characters that a date such as `2026-11-03` begins with.
    var length: Int {
      switch self {
      case .day: 10
      case .month: 7
      case .year: 4
      }
    }
  }

  /// The unit and the name of the date in a text such as `day(added)`; `nil` for any other text.
  static func parts(of text: String) -> (unit: Unit, name: String)? {
    guard text.hasSuffix(")"), let start = text.firstIndex(of: "("),
      let unit = Unit(rawValue: text[..<start].lowercased())
    else { return nil }
    let name = text[text.index(after: start)...].dropLast()
    return (unit, name.trimmingCharacters(in: .whitespaces))
  }

  /// The section key for a date.
  ///
  /// Sections are merged: a list of another application can have values between two dates of a day that are none. Texts without a form are
  /// divided by their first characters, as dates without a time are written.
  /// - Parameters:
  ///   - unit: The unit.
  ///   - name: The name of the attribute as it was given.
  ///   - expression: What it names.
  ///   - attribute: Its description.
  ///   - settings: The time zone of days, and the locale of their titles.
  /// - Returns: The section key.
  /// - Throws: `CommandFailure` for an attribute that is neither.
  static func key(
    _ unit: Unit,
    of name: String,
    _ expression: FetchExpression,
    _ attribute: AttributeDescription,
    for settings: LocaleSettings
  ) throws(CommandFailure) -> SectionKey {
    if attribute.type == .date {
      var key = SectionKey.transient(
        source: name,
        grouping: CalendarGrouping(unit, settings)
      )
      key.contiguity = .merge
      return key
    }
    guard attribute.type == .text else {
      throw CommandFailure(
        .usage,
        "--section-by: \(unit.rawValue)(\(name)) needs a date, and \(name) is of type \(attribute.type).",
        remedy: "Leave out \(unit.rawValue)( ) for sections by the values of \(name)."
      )
    }
    return .expression(.prefix(expression, length: unit.length))
  }
}

/// Groups instants by the days, months or years of a time zone.
///
/// An id is the beginning of a date such as `2026-11-03`, the same in every locale. A date without a time is that day in every time
/// zone. Where clocks go back across midnight, sections have to be merged.
struct CalendarGrouping: SectionGrouping {
  private let unit: DateSections.Unit
  private let settings: LocaleSettings

  init(_ unit: DateSections.Unit, _ settings: LocaleSettings) {
    self.unit = unit
    self.settings = settings
  }

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    let instant = Instant(microseconds: microseconds)
    var local = microseconds
    if instant.wholeDay == nil {
      let date = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
      let offset = Int64(settings.timeZone.secondsFromGMT(for: date)) * 1_000_000
      let (sum, overflow) = microseconds.addingReportingOverflow(offset)
      local = overflow ? microseconds : sum
    }
    // Years before 0 and after 9999 have a sign and more digits.
    let day = Instant(microseconds: local).iso8601.prefix { $0 != "T" }
    return SectionGroup(id: .text(String(day.dropLast(10 - unit.length))))
  }

  func title(of id: Value) -> String {
    guard case .text(let text) = id else { return "" }
    guard !text.isEmpty else { return "no date" }
    guard let locale = settings.locale, unit != .year else { return text }
    let day = unit == .day ? text : text + "-15"
    guard let noon = Instant(iso8601: day + "T12:00:00Z") else { return text }
    let date = Date(timeIntervalSince1970: Double(noon.microseconds) / 1_000_000)
    if unit == .day {
      return date.formatted(
        Date.FormatStyle(
          date: .numeric,
          time: .omitted,
          locale: locale,
          calendar: settings.calendar,
          timeZone: .gmt
        )
      )
    }
    var style = Date.FormatStyle.dateTime.year().month(.wide).locale(locale)
    style.calendar = Calendar(identifier: .gregorian)
    style.timeZone = .gmt
    return date.formatted(style)
  }

  var groupingIdentity: String { "\(unit.rawValue) \(settings.timeZone.identifier)" }

  var titleIdentity: String {
    "\(settings.locale?.identifier ?? "ISO") \(settings.calendar.identifier)"
  }

  var dependencies: GroupingDependencies {
    GroupingDependencies(
      locale: settings.locale?.identifier ?? "ISO",
      calendar: "\(settings.calendar.identifier)",
      timeZone: settings.timeZone.identifier
    )
  }
}
