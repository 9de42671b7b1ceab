import Foundation
import FoundationAttributes
package import ResultsDomain

/// Sections by the days, weeks, months or years of a date: `day(added)`, `week(added)`, `month(added)` and `year(added)` in `--section-by`.
enum DateSections {
  /// The unit and the name of the date in a text such as `day(added)`; `nil` for any other text.
  static func parts(of text: String) -> (unit: CalendarGrouping.Unit, name: String)? {
    guard text.hasSuffix(")"), let start = text.firstIndex(of: "("),
      let unit = CalendarGrouping.Unit(rawValue: text[..<start].lowercased())
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
    _ unit: CalendarGrouping.Unit,
    of name: String,
    _ expression: FetchExpression,
    _ attribute: AttributeDescription,
    for settings: LocaleSettings
  ) throws(CommandFailure) -> SectionKey {
    if attribute.type == .date {
      // A year is the same in every locale.
      let grouping = CalendarGrouping(
        unit,
        calendar: settings.calendar,
        locale: unit == .year ? nil : settings.locale
      )
      var key = SectionKey.transient(source: name, grouping: grouping)
      key.contiguity = .merge
      key.title = { $0 == "" ? "no date" : grouping.title(of: $0) }
      return key
    }
    guard attribute.type == .text, let length = unit.length else {
      throw CommandFailure(
        .usage,
        "--section-by: \(unit.rawValue)(\(name)) needs a date, and \(name) is of type \(attribute.type).",
        remedy: "Leave out \(unit.rawValue)( ) for sections by the values of \(name)."
      )
    }
    return .expression(.prefix(expression, length: length))
  }
}

extension CalendarGrouping.Unit {
  /// The number of characters that a date such as `2026-11-03` begins with; `nil` for a week, which is not written in a date.
  fileprivate var length: Int? {
    switch self {
    case .day: 10
    case .week: nil
    case .month: 7
    case .year: 4
    }
  }
}

extension SectionKey {
  /// What its sections are called, if that follows from the key: `day`, or the name of an attribute.
  package var name: String? {
    switch source {
    case .transient(let source, let grouping):
      (grouping as? CalendarGrouping)?.unit.rawValue ?? source
    case .expression(.attribute(let name), _, _, _): name
    case .expression: nil
    case .relationship(let sections): sections.path.joined(separator: ".")
    }
  }
}
