import FileFormats
public import Foundation
public import ResultsDomain

/// Whose eyes a list is for: locale, calendar and time zone, from options and the environment.
public struct ReaderSettings: Hashable, Sendable {
  /// The locale of dates and titles, or `nil` for plain machine forms (`C` and `POSIX`).
  public let locale: Locale?
  /// The locale of amounts, or `nil` for plain machine forms.
  public let amountLocale: Locale?
  /// The calendar that days and months are counted in.
  public let calendar: Calendar
  /// The time zone that instants are shown in.
  public var timeZone: TimeZone { calendar.timeZone }

  /// Settings of a reader.
  public init(locale: Locale?, amountLocale: Locale?, calendar: Calendar) {
    self.locale = locale
    self.amountLocale = amountLocale
    self.calendar = calendar
  }

  /// An amount as this reader writes it.
  public func amount(_ number: ExactDecimal) -> String {
    StrictNumber(locale: amountLocale?.identifier).text(of: number)
  }

  /// The same calendar and time zone, with plain forms of dates and numbers.
  var withPlainForms: ReaderSettings {
    ReaderSettings(locale: nil, amountLocale: nil, calendar: calendar)
  }

  /// Machine forms in Universal Time: what every reader agrees on.
  public static let machine: ReaderSettings = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return ReaderSettings(locale: nil, amountLocale: nil, calendar: calendar)
  }()
}
