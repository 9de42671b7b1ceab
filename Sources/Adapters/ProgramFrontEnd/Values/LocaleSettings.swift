import FileFormats
package import Foundation
import FoundationAttributes
package import ResultsDomain

/// The locale, calendar and time zone in which values are printed and parsed.
package struct LocaleSettings: Hashable, Sendable {
  /// The locale of dates and titles, or `nil` for plain forms (`C` and `POSIX`).
  package let locale: Locale?
  /// The locale of amounts, or `nil` for plain forms.
  package let amountLocale: Locale?
  /// The calendar in which days and months are counted.
  package let calendar: Calendar
  /// The form of a file's dates in letters, such as `DD.MM.YYYY`, instead of the locale's.
  package var datePattern: String?
  /// An example of a file's numbers, such as `1.234,56`, instead of the locale's form.
  package var numberExample: String?
  /// The time zone of dates with a time.
  package var timeZone: TimeZone { calendar.timeZone }
  /// The days of `today()` in a condition.
  package var days: any DayCalendar { CalendarDays(calendar) }

  /// Creates settings.
  package init(locale: Locale?, amountLocale: Locale?, calendar: Calendar) {
    self.locale = locale
    self.amountLocale = amountLocale
    self.calendar = calendar
  }

  /// Returns an amount in the form of the locale.
  package func amount(_ number: ExactDecimal) -> String {
    StrictNumber(locale: amountLocale?.identifier).text(of: number)
  }

  /// The same calendar and time zone, with plain forms of dates and numbers.
  package var withPlainForms: LocaleSettings {
    LocaleSettings(locale: nil, amountLocale: nil, calendar: calendar)
  }

  /// Plain forms in the Gregorian calendar and UTC.
  package static let machine: LocaleSettings = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return LocaleSettings(locale: nil, amountLocale: nil, calendar: calendar)
  }()
}
