import ResultsDomain

/// Proposes the form in which an application writes the values of a column, by its name, its declared type and a sample.
struct FormProposal {
  private let name: String
  private let declared: String
  private let values: [Value]

  init(_ column: TableShape.Column, _ sample: ColumnSample) {
    name = String(decoding: column.name.caselessIdentifier, as: UTF8.self)
    declared = String(decoding: column.declaredType.caselessIdentifier, as: UTF8.self)
    // A long value was not read, so that nothing is known about all of them.
    values = sample.values.count == sample.count ? sample.values : []
    isCoreData = column.name.hasPrefix("Z")
  }

  /// Whether the column is named like those of Core Data.
  private let isCoreData: Bool

  /// The form that all values of the sample have, or `nil`; the one that the application is known to write stands unless a value
  /// contradicts it.
  func form(expecting known: StoredForm? = nil) -> StoredForm? {
    if let known, values.allSatisfy({ known.logical($0) != nil }) { return known }
    guard let first = values.first else { return nil }
    return candidates(like: first).first { form in
      values.allSatisfy { value in
        form.logical(value) != nil || form == .fileTimeMicroseconds && value == 0
      }
    }
  }

  private func candidates(like first: Value) -> [StoredForm] {
    switch first {
    case .text(let text):
      let digits = text.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.count
      let fraction = text.utf8.contains(UInt8(ascii: ".")) ? digits : 0
      return [
        .dateText(digits: fraction), .dateTextOmittingZeroFraction,
        .iso8601(digits: max(0, fraction - 1)), .dayText, .uuidText(isUppercase: true),
        .uuidText(isUppercase: false),
      ] + (isNamed("uuid", "guid", "id") ? [.uuidHex] : [])
    case .integer, .real: return number().map { [$0] } ?? []
    case .blob: return isNamed("uuid", "guid", "id") || isCoreData ? [.uuidBlob] : []
    case .null, .illFormedText: return []
    }
  }

  /// Whether the name or the declared type says what the values are.
  private func isNamed(_ words: String...) -> Bool {
    words.contains { name.hasSuffix($0) || declared.contains($0) && $0.utf8.count > 2 }
  }

  /// The unit of dates that are numbers, by their size: those of the years 1990 to 2100.
  private func number() -> StoredForm? {
    let isDate =
      isNamed("date", "time", "timestamp", "_at", "_on", "_utc", "time_us", "visited")
      || name.hasPrefix("date") || name.hasSuffix("at") && declared.contains("date")
    guard isDate else { return nil }
    let sizes = values.compactMap(\.double).filter { $0 != 0 }
    guard let least = sizes.min(), let greatest = sizes.max() else { return nil }
    func lies(_ low: Double, _ high: Double) -> Bool { low <= least && greatest <= high }
    if isCoreData { return lies(-4e8, 3.2e9) ? .referenceSeconds : nil }
    if lies(6e8, 4.2e9) { return .epochSeconds }
    if lies(6e11, 4.2e12) { return .epochMilliseconds }
    return lies(1.22e16, 1.58e16) ? .fileTimeMicroseconds : nil
  }

  /// Whether the values are decimals as text: amounts by the column's name or declared type, and not only whole numbers.
  ///
  /// Texts of digits are often no numbers but codes, which have no point.
  var isDecimalText: Bool {
    let texts = values.compactMap(\.text)
    let words = [
      "price", "amount", "total", "cost", "balance", "rate", "tax", "fee", "sum", "salary",
      "decimal", "numeric", "money",
    ]
    return !texts.isEmpty && texts.count == values.count
      && words.contains { name.contains($0) || declared.contains($0) }
      && texts.contains { $0.utf8.contains(UInt8(ascii: ".")) }
      && texts.allSatisfy { StoredForm.decimalText.logical(.text($0)) != nil }
  }

  /// Whether the values are microseconds since 1970, the form of the type `date` itself.
  var isPlainDate: Bool {
    let sizes = values.compactMap(\.integer).filter { $0 != 0 }
    guard sizes.count == values.count, !sizes.isEmpty,
      isNamed("date", "time", "timestamp", "_at", "_on", "_utc", "time_us")
    else { return false }
    return sizes.allSatisfy { (600_000_000_000_000...4_200_000_000_000_000).contains($0) }
  }
}
