package import ResultsDomain

/// Writes rows of a ledger as a journal of hledger, in which each account has the balance of its rows.
///
/// A row with a category is a transaction of two postings. Rows with one number are one transaction; they follow at the end.
package struct JournalWriter: RecordWriter {
  /// The columns that a row must have, as the list names them.
  package static let columns =
    "date,amount,payee,category,memo,account,transfer,currency,account.kind"

  private struct Row {
    let values: [String: String]

    subscript(name: String) -> String { values[name] ?? "" }
  }

  private var columns: [String] = []
  private var parts: [(number: Value, rows: [Row])] = []
  private var indexes: [Value: Int] = [:]

  /// A writer.
  package init() {}

  /// Takes the names of the columns.
  package mutating func begin(columns: [String]) -> String {
    self.columns = columns
    return ""
  }

  /// Returns the transaction of a row; an empty text for a part of one.
  package mutating func write(_ values: [Value]) -> String {
    var texts: [String: String] = [:]
    var number = Value.null
    for (column, value) in zip(columns, values) {
      texts[column] = value.text
      if column.hasSameBytes(as: "transfer") { number = value }
    }
    let row = Row(values: texts)
    guard !number.isNull else { return transaction([row]) }
    if let index = indexes[number] {
      parts[index].rows.append(row)
    } else {
      indexes[number] = parts.count
      parts.append((number, [row]))
    }
    return ""
  }

  /// Returns the transactions of several rows.
  package mutating func end() -> String {
    defer { (parts, indexes) = ([], [:]) }
    return parts.map { transaction($0.rows) }.joined()
  }

  private func transaction(_ rows: [Row]) -> String {
    var payee = JournalWriter.line(rows[0]["payee"])
    // A sign at the beginning would be a status or a code.
    if let first = payee.utf8.first, "*!(".utf8.contains(first) { payee = "* () " + payee }
    let memo = JournalWriter.line(rows[0]["memo"], isComment: true)
    let date = String(decoding: rows[0]["date"].utf8.prefix(10), as: UTF8.self)
    var text = date + (payee.isEmpty ? "" : " " + payee)
    text += (memo.isEmpty ? "" : "  ; " + memo) + "\n"
    var open: [(currency: String, units: Int64?)] = []
    for row in rows {
      let amount = row["amount"]
      let currency = JournalWriter.commodity(row["currency"])
      text += "    \(JournalWriter.account(row))  \(amount)\(currency)\n"
      let category = row["category"]
      guard category.isEmpty else {
        let name = JournalWriter.name(JournalTransaction.account(ofCategory: category))
        text += "    \(name)  \(JournalWriter.opposite(amount))\(currency)\n"
        continue
      }
      let units = ExactDecimal(amount)?.units
      if let index = open.firstIndex(where: { $0.currency.hasSameBytes(as: currency) }) {
        let sum = open[index].units.flatMap { one in units.map(one.addingReportingOverflow) }
        open[index].units = sum.flatMap { $0.overflow ? nil : $0.partialValue }
      } else {
        open.append((currency, units))
      }
    }
    // A side that is missing, or another sum, is a posting of its own, so that no account changes.
    for (currency, units) in open where units != 0 {
      let amount = units.map { "\(ExactDecimal(units: $0, scale: 2))" }
      text += "    equity:transfers"
      text += amount.map { "  \(JournalWriter.opposite($0))\(currency)\n" } ?? "\n"
    }
    return text + "\n"
  }

  private static func opposite(_ amount: String) -> String {
    amount.utf8.first == UInt8(ascii: "-")
      ? String(decoding: amount.utf8.dropFirst(), as: UTF8.self) : "-" + amount
  }

  private static func commodity(_ code: String) -> String {
    guard !code.isEmpty else { return "" }
    return JournalAmount.isCurrency(code)
      ? " " + code : " \"" + line(code).utf8Filtered { $0 != UInt8(ascii: "\"") } + "\""
  }

  private static func account(_ row: Row) -> String {
    let name = row["account"].isEmpty ? "unnamed" : row["account"]
    let kind = row["account.kind"].hasSameBytes(as: "liability") ? "liabilities:" : "assets:"
    return self.name(JournalTransaction.isOwn(name) ? name : kind + name)
  }

  /// A name in which no sign ends it.
  private static func name(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in line(text).utf8 where byte != 0x20 || bytes.last != 0x20 { bytes.append(byte) }
    guard let first = bytes.first, "([*!;".utf8.contains(first) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return "expenses:" + String(decoding: bytes, as: UTF8.self)
  }

  /// A text in one line, without the sign that begins a comment.
  private static func line(_ text: String, isComment: Bool = false) -> String {
    let bytes = text.utf8.map { byte -> UInt8 in
      if byte < 0x20 || byte == 0x7F { return 0x20 }
      return byte == UInt8(ascii: ";") && !isComment ? UInt8(ascii: ",") : byte
    }
    return String(decoding: bytes, as: UTF8.self).trimmed
  }
}

extension String {
  fileprivate func utf8Filtered(_ isIncluded: (UInt8) -> Bool) -> String {
    String(decoding: utf8.filter(isIncluded), as: UTF8.self)
  }
}
