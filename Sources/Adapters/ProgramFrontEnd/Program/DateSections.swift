import Foundation
import FoundationAttributes
package import ResultsDomain

/// Sections by the days, weeks, months or years of a date, or by where it is from today: `day(added)`, `week(added)`, `month(added)`,
/// `year(added)`, `recent(added)` and `due(added)` in `--section-by`.
enum DateSections {
  /// A rule that divides dates.
  enum Rule: Equatable {
    case unit(CalendarGrouping.Unit)
    /// Periods around today, by their word.
    case periods(String, [PeriodGrouping.Period])

    /// The rule's word.
    var word: String {
      switch self {
      case .unit(let unit): unit.rawValue
      case .periods(let word, _): word
      }
    }

    fileprivate init?(_ word: String) {
      switch word {
      case "due": self = .periods(word, .due)
      case "recent": self = .periods(word, .recent)
      default:
        guard let unit = CalendarGrouping.Unit(rawValue: word) else { return nil }
        self = .unit(unit)
      }
    }
  }

  /// The rule and the name of the date in a text such as `day(added)`; `nil` for any other text.
  static func parts(of text: String) -> (rule: Rule, name: String)? {
    guard text.hasSuffix(")"), let start = text.firstIndex(of: "("),
      let rule = Rule(text[..<start].lowercased())
    else { return nil }
    let name = text[text.index(after: start)...].dropLast()
    return (rule, name.trimmingCharacters(in: .whitespaces))
  }

  /// The section key for a date.
  ///
  /// Sections are merged: a list of another application can have values between two dates of a day that are none. Texts without a form are
  /// divided by their first characters, as dates without a time are written.
  /// - Parameters:
  ///   - rule: The rule.
  ///   - name: The name of the attribute as it was given.
  ///   - expression: What it names.
  ///   - attribute: Its description.
  ///   - settings: The time zone of days, and the locale of their titles.
  /// - Returns: The section key.
  /// - Throws: `CommandFailure` for an attribute that is neither.
  static func key(
    _ rule: Rule,
    of name: String,
    _ expression: FetchExpression,
    _ attribute: AttributeDescription,
    for settings: LocaleSettings
  ) throws(CommandFailure) -> SectionKey {
    if attribute.type == .date {
      let grouping = grouping(rule, settings)
      var key = SectionKey.transient(source: name, grouping: grouping)
      key.contiguity = .merge
      key.title = { $0 == "" ? "no date" : grouping.title(of: $0) }
      return key
    }
    guard attribute.type == .text, case .unit(let unit) = rule, let length = unit.length else {
      throw CommandFailure(
        .usage,
        "--section-by: \(rule.word)(\(name)) needs a date, and \(name) is of type \(attribute.type).",
        remedy: "Leave out \(rule.word)( ) for sections by the values of \(name)."
      )
    }
    return .expression(.prefix(expression, length: length))
  }

  private static func grouping(_ rule: Rule, _ settings: LocaleSettings) -> any SectionGrouping {
    switch rule {
    case .periods(_, let periods): PeriodGrouping(periods, calendar: settings.calendar)
    case .unit(let unit):
      // A year is the same in every locale.
      CalendarGrouping(
        unit,
        calendar: settings.calendar,
        locale: unit == .year ? nil : settings.locale
      )
    }
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
