package import ArgumentParser
import FileFormats
import Foundation
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// The options for the locale, calendar and time zone of a list.
package struct LocaleOptions: ParsableArguments, Sendable {
  /// The locale of dates, amounts and titles.
  @Option(help: "A locale such as ja_JP, or C for plain forms (default: LC_ALL, LC_TIME, LANG).")
  package var locale: String?

  /// The calendar of days and months.
  @Option(help: "A calendar such as gregorian, japanese or buddhist.")
  package var calendar: String?

  /// The time zone of dates with a time.
  @Option(help: "A time zone such as Asia/Tokyo (default: TZ, or that of the system).")
  package var timeZone: String?

  /// Creates the options with their defaults.
  package init() {}

  /// Returns the settings that the options and the environment give.
  /// - Throws: `CommandFailure` for an unknown locale, calendar or time zone.
  package func settings() throws -> LocaleSettings {
    let environment = ProcessInfo.processInfo.environment
    try warnOfUnknownTimeZone(in: environment)
    return try settings(environment: environment, timeZone: .current)
  }

  /// Prints a warning if the environment names a time zone that does not exist; the system then uses another.
  private func warnOfUnknownTimeZone(in environment: [String: String]) throws {
    guard timeZone == nil, let name = environment["TZ"], !EnvironmentLocale.isTimeZone(name) else {
      return
    }
    try TerminalOutput.standardError.write(
      SafeText.oneLine(
        "\(ProcessInfo.processInfo.processName): TZ=\(name) is not a time zone; \(TimeZone.current.identifier) is used."
          + " Set TZ to a name such as Asia/Tokyo, or use --time-zone."
      ) + "\n"
    )
  }

  /// Returns the settings for an output format.
  ///
  /// Machine formats are the same everywhere: for them only the options count, and not the environment.
  /// - Throws: `CommandFailure` for an unknown locale, calendar or time zone.
  package func settings(for format: OutputFormat) throws -> LocaleSettings {
    try format.isForPeople ? settings() : settings(environment: [:], timeZone: .gmt)
  }

  private func settings(
    environment: [String: String],
    timeZone: TimeZone
  ) throws -> LocaleSettings {
    let names = EnvironmentLocale(option: locale, environment: environment)
    let dates = try names.dates.flatMap(known)
    var calendar = Calendar(identifier: try calendarIdentifier())
    calendar.timeZone = try chosenTimeZone() ?? timeZone
    if let dates { calendar.locale = dates }
    return LocaleSettings(
      locale: dates,
      amountLocale: try names.amounts.flatMap(known),
      calendar: calendar
    )
  }

  /// Returns the locale of a name.
  ///
  /// An unknown locale in the environment counts as `C`, as everywhere in Unix.
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

  private func chosenTimeZone() throws -> TimeZone? {
    guard let timeZone else { return nil }
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
