import FileFormats
import Foundation
import FoundationAttributes
package import ResultsDomain

/// A strict parser of the values that a person or a file gives for attributes.
package struct ValueParser {
  private let dates: StrictDate
  private let numbers: StrictNumber
  private let words: TimeWords?

  /// Creates a parser.
  /// - Parameters:
  ///   - settings: The locale.
  ///   - takesWords: Whether a person types the values, who may write `now` or `yesterday` for a date.
  package init(_ settings: LocaleSettings, takesWords: Bool = false) {
    words = takesWords ? TimeWords(settings) : nil
    dates =
      settings.datePattern.flatMap { try? StrictDate(pattern: $0) }
      ?? StrictDate(locale: settings.locale?.identifier)
    numbers =
      settings.numberExample.flatMap { try? StrictNumber(example: $0) }
      ?? StrictNumber(locale: settings.amountLocale?.identifier)
  }

  /// Returns the value of a text on the command line.
  /// - Throws: `CommandFailure` that names the attribute and the accepted forms.
  package func value(_ text: String, of attribute: AttributeDescription) throws(CommandFailure)
    -> Value
  {
    do {
      return try parse(text, attribute, numbers)
    } catch {
      throw CommandFailure(
        .badData,
        "\(attribute.name): \(error.message)",
        remedy: error.remedy
      )
    }
  }

  /// Returns the value of a field of a file.
  /// - Throws: `RecordError` with the field's line and column.
  package func value(
    _ field: RecordField,
    of attribute: AttributeDescription,
    line: Int
  ) throws(RecordError) -> Value {
    do {
      if case .text(let text) = field.value { return try parse(text, attribute, numbers) }
      if attribute.words != nil, !field.value.isNull {
        return try parse(plain(field.value), attribute, numbers)
      }
      return try parse(number: field.value, attribute.type)
    } catch {
      let colon = error.message.hasPrefix("“") ? ":" : ""
      throw RecordError(
        source: "",
        line: line,
        column: field.column,
        message: "\(attribute.name)\(colon) \(error.message)",
        remedy: error.remedy,
        isRecoverable: true
      )
    }
  }

  /// Returns the value of a number in a file, which is in the plain form whatever the locale.
  private func parse(
    number value: Value,
    _ type: AttributeType
  ) throws(Rejection) -> Value {
    switch type {
    case .date where !value.isNull:
      throw Rejection(
        message: "must be a date, not the number \(plain(value)).",
        remedy: "Write it as “2026-11-03” or “2026-11-03T09:00Z”."
      )
    case .decimal where !value.isNull:
      return try parse(plain(value), type, StrictNumber(locale: nil))
    case .real:
      if let number = value.double { return .real(number) }
    default: break
    }
    if value.isNull || type.accepts(value) { return value }
    return try parse(plain(value), type, StrictNumber(locale: nil))
  }

  private struct Rejection: Error {
    var message: String
    var remedy: String
  }

  private func plain(_ value: Value) -> String {
    switch value {
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .illFormedText(let text): text.repaired
    case .null, .blob: ""
    }
  }

  private func parse(
    _ text: String,
    _ attribute: AttributeDescription,
    _ numbers: StrictNumber
  ) throws(Rejection) -> Value {
    guard let words = attribute.words else { return try parse(text, attribute.type, numbers) }
    if let value = attribute.value(parsing: text) { return value }
    let meant = NearestName.of(text, among: words).map { "Did you mean “\($0)”?" }
    let all = words.joined(separator: ", ")
    throw Rejection(
      message: "must be one of \(all), not “\(text)”.",
      remedy: meant ?? "Write one of these words."
    )
  }

  private func parse(
    _ text: String,
    _ type: AttributeType,
    _ numbers: StrictNumber
  ) throws(Rejection) -> Value {
    switch type {
    case .text: return .text(text)
    case .date:
      if let infinite = Instant(infinity: text) { return .integer(infinite.microseconds) }
      return try parse { () throws(LocaleTextError) in
        if let instant = try words?.value(of: text) { return .integer(instant.microseconds) }
        return .integer(try dates.instant(of: text).microseconds)
      }
    case .decimal(let scale):
      return try parse { () throws(LocaleTextError) in
        .integer(try numbers.decimal(of: text, scale: scale).units)
      }
    case .integer16, .integer32, .integer64, .boolean, .real, .blob:
      if let value = type.value(parsing: text) { return value }
      throw Rejection(
        message: "must be \(noun(of: type)), not “\(text)”.",
        remedy: "Write \(example(of: type))."
      )
    }
  }

  private func parse(
    _ read: () throws(LocaleTextError) -> Value
  ) throws(Rejection) -> Value {
    do {
      return try read()
    } catch {
      throw Rejection(message: error.message, remedy: error.remedy)
    }
  }

  private func noun(of type: AttributeType) -> String {
    switch type {
    case .integer16: "a whole number from -32768 to 32767"
    case .integer32, .integer64: "a whole number"
    case .boolean: "true or false"
    case .real: "a number"
    case .blob: "Base64"
    case .date: "a date"
    case .decimal: "an amount"
    case .text: "a text"
    }
  }

  private func example(of type: AttributeType) -> String {
    switch type {
    case .boolean: "true or false"
    case .real: "digits with a point, such as 3.5"
    case .blob: "the bytes as Base64"
    default: "digits, after a minus for a negative number, such as 1914"
    }
  }
}

/// A formatter of values for people, in a locale, or for machines.
package struct ValueFormatter {
  private let settings: LocaleSettings
  private let isForMachines: Bool
  private let dateStyle: Date.FormatStyle?
  private let dayStyle: Date.FormatStyle?

  /// Creates a formatter for a locale, or with `nil` for machines: ISO 8601, decimal points, no grouping.
  package init(for settings: LocaleSettings?) {
    self.settings = settings ?? .machine
    isForMachines = settings == nil
    dateStyle = settings?.style(.shortened, in: self.settings.timeZone)
    dayStyle = settings?.style(.omitted, in: .gmt)
  }

  /// Returns the text of an attribute's value, by its form; an empty text for null.
  package func text(_ value: Value, of attribute: AttributeDescription) -> String {
    let shown = attribute.shown(value)
    return text(shown.value, of: shown.type)
  }

  /// Returns the text of a value; an empty text for null.
  package func text(_ value: Value, of type: AttributeType) -> String {
    guard !isForMachines else { return value.isNull ? "" : type.machineText(of: value) }
    switch (type, value) {
    case (_, .null): return ""
    case (.date, .integer(let microseconds)): return date(microseconds)
    case (.decimal(let scale), .integer(let units)): return amount(units, scale)
    case (_, .blob(let bytes)): return ValueFormatter.size(of: bytes.count)
    default: return type.machineText(of: value)
    }
  }

  /// The size of a blob in its place, such as `⟨12 KB⟩`: its bytes mean nothing to people, and machines get all of them.
  private static func size(of count: Int) -> String {
    switch count {
    case ..<1000: "⟨\(count) \(count == 1 ? "byte" : "bytes")⟩"
    case ..<999_500: "⟨\((count + 500) / 1000) KB⟩"
    default: "⟨\((count + 500_000) / 1_000_000) MB⟩"
    }
  }

  private func date(_ microseconds: Int64) -> String {
    let instant = Instant(microseconds: microseconds)
    guard !instant.isInfinite else { return instant.plainText }
    // A whole day is that date in every time zone; its instant is in that day in UTC.
    if instant.wholeDay != nil, dayStyle == nil { return instant.plainText }
    let dateStyle = instant.wholeDay == nil ? dateStyle : dayStyle
    let date = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    if let dateStyle { return date.formatted(dateStyle) }
    return date.formatted(
      Date.ISO8601FormatStyle(timeZone: settings.timeZone).year().month().day()
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false)
    )
  }

  private func amount(_ units: Int64, _ scale: Int) -> String {
    guard let locale = settings.amountLocale else {
      return ExactDecimal(units: units, scale: scale).description
    }
    let number = Decimal(units) / pow(10, scale)
    return number.formatted(.number.locale(locale).precision(.fractionLength(scale)))
  }
}

extension LocaleSettings {
  /// Returns the style of numeric dates in the locale, or `nil` for plain forms.
  fileprivate func style(
    _ time: Date.FormatStyle.TimeStyle,
    in zone: TimeZone
  ) -> Date.FormatStyle? {
    locale.map { locale in
      Date.FormatStyle(
        date: .numeric,
        time: time,
        locale: locale,
        calendar: calendar,
        timeZone: zone
      )
    }
  }
}

/// The present time of the programs.
package enum PresentTime {
  /// The clock that their lists follow.
  package static var clock: any WallClock { SystemWallClock.shared }
}

extension Instant {
  /// The present time.
  package static var now: Instant { SystemWallClock.shared.now }
}

extension FetchPredicate {
  /// The condition as it is now, for what is fetched once.
  package func resolvedNow(in entity: EntityDescription) -> FetchPredicate {
    resolved(at: .now, in: entity)
  }
}
