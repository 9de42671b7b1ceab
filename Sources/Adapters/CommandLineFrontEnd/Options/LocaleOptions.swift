public import ArgumentParser
import FileFormats
public import Foundation
public import ResultsDomain

/// Whose eyes a list is for.
public struct LocaleOptions: ParsableArguments {
  /// The locale of dates, amounts and titles.
  @Option(help: "A locale such as ja_JP; C for plain forms. By default from LC_ALL, LC_TIME, LANG.")
  public var locale: String?

  /// The calendar of days and months.
  @Option(help: "A calendar such as gregorian, japanese or buddhist.")
  public var calendar: String?

  /// The time zone of instants.
  @Option(help: "A time zone such as Asia/Tokyo. By default from TZ or the system.")
  public var timeZone: String?

  /// Makes the options with their defaults.
  public init() {}

  /// The settings that options and environment make.
  /// - Throws: `CommandFailure` for a locale, calendar or time zone that does not exist.
  public func settings() throws -> LocaleSettings {
    let environment = ProcessInfo.processInfo.environment
    let names = EnvironmentLocale(option: locale, environment: environment)
    let dates = try names.dates.flatMap(known)
    var calendar = Calendar(identifier: try calendarIdentifier())
    calendar.timeZone = try zone()
    if let dates { calendar.locale = dates }
    return LocaleSettings(
      locale: dates,
      amountLocale: try names.amounts.flatMap(known),
      calendar: calendar
    )
  }

  /// The locale of a name.
  ///
  /// One that the environment names and nobody knows counts as `C`, as everywhere in Unix.
  private func known(_ name: String) throws -> Locale? {
    guard EnvironmentLocale.isKnown(name) else {
      guard locale != nil else { return nil }
      throw CommandFailure(
        .usage,
        "“\(name)” is not a locale.",
        remedy: "Name one such as en_US or ja_JP, or C for plain forms."
      )
    }
    return Locale(identifier: name)
  }

  private func zone() throws -> TimeZone {
    guard let timeZone else { return .current }
    guard let zone = TimeZone(identifier: timeZone) else {
      throw CommandFailure(
        .usage,
        "“\(timeZone)” is not a time zone.",
        remedy: "Name one such as Asia/Tokyo or UTC."
      )
    }
    return zone
  }

  private func calendarIdentifier() throws -> Calendar.Identifier {
    let known: [String: Calendar.Identifier] = [
      "gregorian": .gregorian, "japanese": .japanese, "buddhist": .buddhist, "iso8601": .iso8601,
      "hebrew": .hebrew, "islamic": .islamic, "persian": .persian, "coptic": .coptic,
      "indian": .indian, "chinese": .chinese, "roc": .republicOfChina,
    ]
    guard let calendar else { return .gregorian }
    guard let identifier = known[calendar.lowercased()] else {
      throw CommandFailure(
        .usage,
        "“\(calendar)” is not a calendar.",
        remedy: "Name one of \(known.keys.sorted().joined(separator: ", "))."
      )
    }
    return identifier
  }
}

/// Whose eyes a list is for: locale, calendar and time zone, from options and the environment.
public struct LocaleSettings: Hashable, Sendable {
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
  var withPlainForms: LocaleSettings {
    LocaleSettings(locale: nil, amountLocale: nil, calendar: calendar)
  }

  /// Machine forms in Universal Time: what every reader agrees on.
  public static let machine: LocaleSettings = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return LocaleSettings(locale: nil, amountLocale: nil, calendar: calendar)
  }()
}
