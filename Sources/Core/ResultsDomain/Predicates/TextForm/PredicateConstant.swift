/// A constant as it was written or given, before it is known what it is compared with.
enum PredicateConstant {
  case null
  case boolean(Bool)
  case number(String)
  case text(String)
  case blob([UInt8])
  case stored(Value)

  /// What kind it is, for a message.
  var kind: String {
    switch self {
    case .null: "NULL"
    case .boolean(let truth): truth ? "TRUE" : "FALSE"
    case .number(let digits): PredicateToken.short(digits)
    case .text(let text), .stored(.text(let text)):
      PredicateToken.short(PredicateWord.quotedText(text))
    case .blob, .stored(.blob): "bytes"
    case .stored(let value): value.description
    }
  }

  var isNull: Bool {
    switch self {
    case .null: true
    case .stored(let value): value.orderable.isNull
    default: false
    }
  }

  /// The stored value it is for a type, or for no particular type; null stays null.
  func value(as type: AttributeType?) throws(PredicateParseError.Problem) -> Value {
    switch (self, type) {
    case (.null, _): return .null
    case (.stored(let value), _) where value.isNull: return .null
    case (.text(let text), .date), (.stored(.text(let text)), .date):
      guard let instant = Instant(iso8601: text) else {
        throw invalid("is not a date such as 2024-02-29 or 2024-02-29T08:30:00+09:00")
      }
      return .integer(instant.microseconds)
    case (.number(let digits), .decimal(let scale)): return try decimal(digits, scale)
    case (.number(let digits), .boolean) where digits != "0" && digits != "1":
      throw invalid("is not a truth value: TRUE, FALSE, 1 or 0")
    case (.number(let digits), .date):
      guard !PredicateConstant.isReal(digits) else { throw mixed(.date) }
      return try plainNumber(digits)
    case (.number(let digits), .none), (.number(let digits), .integer16),
      (.number(let digits), .integer32), (.number(let digits), .integer64),
      (.number(let digits), .boolean), (.number(let digits), .real):
      return try plainNumber(digits)
    case (.boolean(let truth), .none), (.boolean(let truth), .boolean):
      return .integer(truth ? 1 : 0)
    case (.text(let text), .none), (.text(let text), .text): return .text(text)
    case (.blob(let bytes), .none), (.blob(let bytes), .blob): return .blob(bytes)
    case (.stored(let value), .none): return value
    case (.stored(let value), .some(let type))
    where type.storage.compares(with: value.storage) && value.means(type):
      return value
    case (_, .some(let type)): throw mixed(type)
    }
  }

  private func plainNumber(_ digits: String) throws(PredicateParseError.Problem) -> Value {
    if PredicateConstant.isReal(digits) {
      guard let number = AttributeType.real(digits) else { throw invalid("is too large") }
      return .real(number)
    }
    guard let number = Int64(digits) else {
      throw invalid("is not within \(Int64.min) and \(Int64.max)")
    }
    return .integer(number)
  }

  private func decimal(_ digits: String, _ scale: Int) throws(PredicateParseError.Problem) -> Value
  {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }) else {
      throw invalid("is not a decimal; write it without an exponent")
    }
    if let units = ExactDecimal(digits)?.rescaled(to: scale)?.units { return .integer(units) }
    let places = digits.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first
    let needed = places.map { $0.reversed().drop { $0 == "0" }.count } ?? 0
    if needed > scale {
      throw invalid("has more than \(scale) decimal \(scale == 1 ? "place" : "places")")
    }
    throw invalid("is too large for \(scale) decimal \(scale == 1 ? "place" : "places")")
  }

  private static func isReal(_ digits: String) -> Bool {
    digits.utf8.contains { byte in ".eEinf".utf8.contains(byte) }
  }

  private func invalid(_ reason: String) -> PredicateParseError.Problem {
    .invalidConstant(kind, reason: reason)
  }

  private func mixed(_ type: AttributeType) -> PredicateParseError.Problem {
    .mixedKinds(left: "A value of type \(type)", right: kind)
  }
}
