import Foundation
import ResultsDomain

/// A transaction of a journal of hledger: postings that sum to zero in each currency.
struct JournalTransaction {
  /// An amount on an account, with two decimal places.
  struct Posting: Hashable {
    let line: Int
    let account: String
    /// `nil` where the amount is what the others leave.
    var units: Int64?
    var currency: String?
  }

  let line: Int
  let date: String
  let payee: String
  let memo: String
  var postings: [Posting] = []
  /// The most postings of one transaction, since each is compared with those of other accounts.
  static let mostPostings = 1000
  static let tooManyPostings = "the transaction has more than \(mostPostings) postings."

  /// Whether an account is one of one's own, and not a category.
  static func isOwn(_ account: String) -> Bool {
    let kinds = ["asset", "assets", "liability", "liabilities", "debt", "debts"]
    let first = account.utf8.prefix { $0 != UInt8(ascii: ":") }
    return kinds.contains { String(decoding: first, as: UTF8.self).lowercased() == $0 }
  }

  /// The category that stands for an account: its whole name, without `expenses:` where that is all before it.
  static func category(ofAccount account: String) -> String {
    let parts = account.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    if parts.count == 1 { return account + ":" }
    guard parts.count == 2, parts[0].elementsEqual("expenses".utf8), !parts[1].isEmpty else {
      return account
    }
    return String(decoding: parts[1], as: UTF8.self)
  }

  /// The account that stands for a category: the inverse of `category(ofAccount:)`.
  static func account(ofCategory category: String) -> String {
    let bytes = category.utf8
    let mark = UInt8(ascii: ":")
    guard let first = bytes.firstIndex(of: mark) else { return "expenses:" + category }
    let isAlone = bytes.index(after: first) == bytes.endIndex && first != bytes.startIndex
    return isAlone ? String(decoding: bytes.dropLast(), as: UTF8.self) : category
  }

  /// Returns the rows of a ledger that the postings are: one for each category, on the largest own account, and for what is left on own
  /// accounts the sides of a transfer.
  ///
  /// All have one number if there are several. The sum of the rows of an account is that of its postings, and so is, with the opposite
  /// sign, that of the rows of a category.
  /// - Throws: `RecordError` for postings that do not sum to zero, or of which none is on an account of assets or liabilities.
  func records(source: String) throws(RecordError) -> [Record] {
    var rows: [(account: String, category: String, units: Int64, currency: String?)] = []
    for (currency, postings) in try balanced(source) {
      let code = currency.text
      let own = postings.filter { JournalTransaction.isOwn($0.account) }
      let others = postings.filter { !JournalTransaction.isOwn($0.account) }
      func size(_ posting: Posting) -> UInt64 { (posting.units ?? 0).magnitude }
      guard let largest = own.max(by: { size($0) < size($1) }) else {
        if others.allSatisfy({ $0.units == 0 }) { continue }
        throw error(source, "no posting is on an account of assets or liabilities.")
      }
      var rest: [(account: String, units: Int64)] = []
      func add(_ units: Int64, to account: String) throws(RecordError) {
        let index = rest.firstIndex { $0.account.hasSameBytes(as: account) } ?? rest.count
        if index == rest.count { rest.append((account, 0)) }
        rest[index].units = try sum(rest[index].units, units, source)
      }
      for posting in own { try add(posting.units ?? 0, to: posting.account) }
      for posting in others where posting.units != 0 {
        let units = try sum(0, posting.units ?? 0, source, subtracting: true)
        let category = JournalTransaction.category(ofAccount: posting.account)
        rows.append((largest.account, category, units, code))
        try add(posting.units ?? 0, to: largest.account)
      }
      for side in rest where side.units != 0 { rows.append((side.account, "", side.units, code)) }
    }
    return rows.map { row in
      var fields = [
        ("date", date), ("payee", payee), ("memo", memo), ("account", row.account),
        ("category", row.category), ("amount", "\(ExactDecimal(units: row.units, scale: 2))"),
      ]
      if let code = row.currency { fields.append(("currency", code)) }
      if rows.count > 1 { fields.append(("transfer", String(line))) }
      return Record(
        line: line,
        fields: fields.map { RecordField(name: $0.0, value: .text($0.1), column: 1) }
      )
    }
  }

  /// The postings of each currency, in which the amount that was left out is known.
  private func balanced(_ source: String) throws(RecordError) -> [(Value, [Posting])] {
    var currencies: [(currency: Value, postings: [Posting])] = []
    for posting in postings where posting.units != nil {
      let currency = posting.currency.map { Value.text($0) } ?? .null
      let index = currencies.firstIndex { $0.currency == currency } ?? currencies.count
      if index == currencies.count { currencies.append((currency, [])) }
      currencies[index].postings.append(posting)
    }
    let open = postings.filter { $0.units == nil }
    guard open.count < 2 else { throw error(source, "several postings have no amount.") }
    for index in currencies.indices {
      var total: Int64 = 0
      for posting in currencies[index].postings {
        total = try sum(total, posting.units ?? 0, source)
      }
      guard total != 0 else { continue }
      guard var posting = open.first else {
        let code = currencies[index].currency.text.map { " \($0)" } ?? ""
        let text = "\(ExactDecimal(units: total, scale: 2))\(code)"
        throw error(source, "the postings sum to \(text), not to zero.")
      }
      posting.units = try sum(0, total, source, subtracting: true)
      posting.currency = currencies[index].currency.text
      currencies[index].postings.append(posting)
    }
    return currencies.map { ($0.currency, $0.postings) }
  }

  private func sum(
    _ first: Int64,
    _ second: Int64,
    _ source: String,
    subtracting: Bool = false
  ) throws(RecordError) -> Int64 {
    let sum =
      subtracting
      ? first.subtractingReportingOverflow(second) : first.addingReportingOverflow(second)
    guard !sum.overflow else { throw error(source, "the amounts are too large.") }
    return sum.partialValue
  }

  func error(_ source: String, _ message: String) -> RecordError {
    RecordError(
      source: source,
      line: line,
      column: 1,
      message: message,
      remedy: "Correct the transaction.",
      isRecoverable: true
    )
  }
}

/// An amount of a journal: a number with a commodity before or behind it.
enum JournalAmount {
  /// What is wrong with an amount, and what to do.
  struct Refusal: Error {
    let message: String
    var remedy = ""
  }

  private static let codes = Set(Locale.commonISOCurrencyCodes)

  /// Whether a commodity is a currency: a code of ISO 4217, or one sign.
  static func isCurrency(_ name: String) -> Bool {
    if codes.contains(name) { return true }
    let scalars = name.unicodeScalars
    return scalars.count == 1
      && scalars.first?.properties.generalCategory == .currencySymbol
  }

  /// Parses an amount.
  /// - Parameter text: The amount, without spaces around it.
  /// - Returns: The number, as it is written, and the commodity, or `nil` for none.
  /// - Throws: `Refusal`.
  static func parts(
    of text: String
  ) throws(Refusal) -> (isNegative: Bool, number: [UInt8], commodity: String?) {
    let scalars = Array(text.unicodeScalars)
    var position = 0
    var (isNegative, hasSign) = (false, false)
    var commodity: String?
    func isNumber(_ scalar: Unicode.Scalar) -> Bool {
      ("0"..."9").contains(scalar) || scalar == "." || scalar == ","
    }
    func skipSpaces() {
      while position < scalars.count, scalars[position] == " " || scalars[position] == "\u{A0}" {
        position += 1
      }
    }
    func takeSign() {
      guard !hasSign, position < scalars.count, "+-".unicodeScalars.contains(scalars[position])
      else { return }
      (isNegative, hasSign) = (scalars[position] == "-", true)
      position += 1
      skipSpaces()
    }
    func takeCommodity() throws(Refusal) {
      guard commodity == nil, position < scalars.count else { return }
      var name = String.UnicodeScalarView()
      if scalars[position] == "\"" {
        position += 1
        while position < scalars.count, scalars[position] != "\"" {
          name.append(scalars[position])
          position += 1
        }
        guard position < scalars.count else { throw Refusal(message: "a quote has no end.") }
        position += 1
      } else {
        while position < scalars.count, !isNumber(scalars[position]),
          !" \u{A0}+-\"".unicodeScalars.contains(scalars[position])
        {
          name.append(scalars[position])
          position += 1
        }
      }
      if !name.isEmpty { commodity = String(name) }
      skipSpaces()
    }
    takeSign()
    try takeCommodity()
    takeSign()
    var number: [UInt8] = []
    while position < scalars.count, isNumber(scalars[position]) {
      number.append(UInt8(truncatingIfNeeded: scalars[position].value))
      position += 1
    }
    skipSpaces()
    try takeCommodity()
    guard !number.isEmpty, position == scalars.count else {
      throw Refusal(message: "“\(text)” is no amount.")
    }
    return (isNegative, number, commodity)
  }

  /// Returns the units of a number with two decimal places.
  /// - Throws: `Refusal` for a number that can be read in two ways, has more digits, or is too large.
  static func units(
    of number: [UInt8],
    isNegative: Bool,
    mark known: UInt8?
  ) throws(Refusal) -> Int64 {
    let text = String(decoding: number, as: UTF8.self)
    let marks = number.filter { $0 == 0x2E || $0 == 0x2C }
    var mark = known
    if known == nil, let last = marks.last {
      let isOneKind = marks.allSatisfy { $0 == last }
      let (first, digits) = (
        number.firstIndex(of: last) ?? 0, number.reversed().prefix { $0 != last }.count
      )
      if isOneKind, marks.count == 1, digits == 3, (1...3).contains(first), number[0] != 0x30 {
        throw Refusal(
          message: "“\(text)” can be a thousand, or have three decimal places.",
          remedy: "Write a line such as “decimal-mark .” before it."
        )
      }
      // A sign that occurs again separates groups of digits.
      mark = isOneKind && marks.count > 1 ? (last == 0x2E ? 0x2C : 0x2E) : last
    }
    let parts = number.split(
      separator: mark ?? 0x2E,
      maxSplits: 2,
      omittingEmptySubsequences: false
    )
    let whole = parts[0]
    let groups = whole.split(omittingEmptySubsequences: false) { $0 == 0x2E || $0 == 0x2C }
    let isGrouped = groups.count == 1 || groups.dropFirst().allSatisfy { $0.count == 3 }
    let fraction = parts.count > 1 ? Array(parts[1]) : []
    guard parts.count < 3, isGrouped, groups.count == 1 || !groups[0].isEmpty,
      fraction.allSatisfy({ (0x30...0x39).contains($0) }),
      !(groups.joined().isEmpty && fraction.isEmpty)
    else { throw Refusal(message: "“\(text)” is no number.") }
    guard fraction.dropFirst(2).allSatisfy({ $0 == 0x30 }) else {
      throw Refusal(message: "“\(text)” has more than two decimal places.")
    }
    var units: Int64 = 0
    for digit in Array(groups.joined()) + (fraction + [0x30, 0x30]).prefix(2) {
      let (tens, overflow) = units.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int64(digit - 0x30))
      guard !overflow, !carry else { throw Refusal(message: "“\(text)” is too large.") }
      units = sum
    }
    return isNegative ? -units : units
  }
}
