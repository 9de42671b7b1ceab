import Foundation
import ResultsDomain

/// Writes values for people, in the reader's locale, or for machines.
struct ValuePrinter {
  private let reader: ReaderSettings
  private let isForMachines: Bool
  private let dateStyle: Date.FormatStyle?
  private let dayStyle: Date.FormatStyle?

  /// A printer for a reader, or with `nil` for machines: ISO 8601, decimal points, nothing grouped.
  init(for reader: ReaderSettings?) {
    self.reader = reader ?? .machine
    isForMachines = reader == nil
    dateStyle = reader?.style(.shortened, in: self.reader.timeZone)
    dayStyle = reader?.style(.omitted, in: .gmt)
  }

  /// The text of a value; nothing for null.
  func text(_ value: Value, of type: AttributeType) -> String {
    guard !isForMachines else { return value.isNull ? "" : type.machineText(of: value) }
    switch (type, value) {
    case (_, .null): return ""
    case (.date, .integer(let microseconds)): return date(microseconds)
    case (.decimal(let scale), .integer(let units)): return amount(units, scale)
    default: return type.machineText(of: value)
    }
  }

  private func date(_ microseconds: Int64) -> String {
    let instant = Instant(microseconds: microseconds)
    // A whole day is that date in every time zone; its instant lies in it at Greenwich.
    if instant.wholeDay != nil, dayStyle == nil { return instant.plainText }
    let dateStyle = instant.wholeDay == nil ? dateStyle : dayStyle
    let date = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    if let dateStyle { return date.formatted(dateStyle) }
    return date.formatted(
      Date.ISO8601FormatStyle(timeZone: reader.timeZone).year().month().day()
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false)
    )
  }

  private func amount(_ units: Int64, _ scale: Int) -> String {
    guard let locale = reader.amountLocale else {
      return ExactDecimal(units: units, scale: scale).description
    }
    let number = Decimal(units) / pow(10, scale)
    return number.formatted(.number.locale(locale).precision(.fractionLength(scale)))
  }
}

extension ReaderSettings {
  /// Numeric dates in the reader's locale, or `nil` for plain forms.
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
