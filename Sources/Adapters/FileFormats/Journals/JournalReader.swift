import Foundation
package import ResultsDomain

/// Reads a journal of hledger as records of a ledger: date, payee, memo, account, category, amount, currency and transfer.
///
/// It understands transactions, comments, and directives that say how amounts are written. What would change amounts or accounts, such as
/// prices, other files and rules, is refused with its line.
package struct JournalReader: RecordReader, Sendable {
  private let bytes: [UInt8]
  private let source: String
  private var position = 0
  private var line = 0
  private var records: [Record] = []
  private var year: Int?
  private var commodity: String?
  /// The decimal marks by commodity; that of all others has no name.
  private var marks: [String: UInt8] = [:]

  /// A reader of bytes in memory.
  package init(bytes: [UInt8], source: String) {
    (self.bytes, self.source) = (bytes, source)
  }

  /// Returns the next record, or `nil` at the end.
  /// - Throws: `RecordError`; after a recoverable one the next transaction follows.
  /// - Complexity: O(*n*) in the transaction's bytes.
  package mutating func next() throws(RecordError) -> Record? {
    while records.isEmpty {
      guard let text = try takeLine() else { return nil }
      try read(text)
    }
    return records.removeFirst()
  }

  private mutating func read(_ text: String) throws(RecordError) {
    let start = line
    switch text.utf8.first {
    case nil, UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "*"): return
    case UInt8(ascii: " "), UInt8(ascii: "\t"):
      let rest = text.trimmed
      guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ";") else {
        throw refusal("a posting without a transaction.", at: start)
      }
    case (UInt8(ascii: "0")...UInt8(ascii: "9"))?: try readTransaction(text)
    case UInt8(ascii: "~"):
      try skipBlock()
      throw refusal("a periodic transaction is no transaction yet.", at: start)
    case UInt8(ascii: "="):
      try skipBlock()
      throw refusal("a rule for transactions is not applied.", at: start)
    default: try readDirective(text)
    }
  }

  // MARK: - Directives

  private mutating func readDirective(_ text: String) throws(RecordError) {
    let start = line
    let words = text.split(separator: " ", maxSplits: 1).map { String($0).trimmed }
    let rest = words.count > 1 ? words[1].withoutComment : ""
    switch words.first ?? "" {
    case "comment":
      while let text = try takeLine(), text.trimmed != "end comment" {}
    case "account", "payee", "tag", "P": try skipBlock()
    case "commodity":
      try takeStyle(rest, at: start)
      while let text = try takeIndented() {
        let words = text.trimmed.withoutComment
        if words.utf8.starts(with: "format ".utf8) {
          try takeStyle(String(words.utf8.dropFirst(7)) ?? "", at: start)
        }
      }
    case "D": commodity = try takeStyle(rest, at: start)
    case "decimal-mark":
      guard rest == "." || rest == "," else {
        throw refusal("a decimal mark is “.” or “,”.", at: start)
      }
      marks[""] = rest.utf8.first
    case "Y", "year":
      guard let number = Int(rest), (1...9999).contains(number) else {
        throw refusal("“\(rest)” is no year.", at: start)
      }
      year = number
    case "include", "!include":
      throw refusal("another file is not read: include.", at: start)
    case "alias", "apply", "end":
      throw RecordError(
        source: source,
        line: start,
        column: 1,
        message: "\(words[0]) changes the names of accounts, which is not understood.",
        remedy: JournalReader.wayRound,
        isRecoverable: false
      )
    default:
      try skipBlock()
      throw refusal("this is no line of a journal that is understood.", at: start)
    }
  }

  /// Takes the decimal mark of an amount that shows how a commodity is written.
  /// - Returns: The commodity.
  @discardableResult
  private mutating func takeStyle(_ text: String, at line: Int) throws(RecordError) -> String? {
    do throws(JournalAmount.Refusal) {
      let (_, number, name) = try JournalAmount.parts(of: text.trimmed)
      let mark = number.last { $0 == 0x2E || $0 == 0x2C }
      if let mark { marks[name ?? ""] = mark }
      return name
    } catch {
      // A commodity alone says nothing about its numbers.
      return text.utf8.contains { (0x30...0x39).contains($0) }
        ? try fail(refusal(error.message, at: line)) : nil
    }
  }

  private func fail(_ error: RecordError) throws(RecordError) -> String? { throw error }

  // MARK: - Transactions

  private mutating func readTransaction(_ text: String) throws(RecordError) {
    let start = line
    var failure: RecordError?
    var transaction: JournalTransaction?
    do throws(RecordError) { transaction = try header(text) } catch { failure = error }
    while true {
      // All lines belong to the transaction, also behind one that is refused.
      do throws(RecordError) {
        guard let text = try takeIndented() else { break }
        guard let posting = try posting(text) else { continue }
        guard transaction?.postings.count ?? 0 < JournalTransaction.mostPostings else {
          throw refusal(JournalTransaction.tooManyPostings, at: start)
        }
        transaction?.postings.append(posting)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    guard let transaction else { return }
    guard !transaction.postings.isEmpty else {
      throw refusal("the transaction has no postings.", at: start)
    }
    records = try transaction.records(source: source)
  }

  private func header(_ text: String) throws(RecordError) -> JournalTransaction {
    let (front, comment) = text.split(atComment: true)
    let bytes = front.utf8
    let end = bytes.firstIndex { $0 == 0x20 || $0 == 0x09 } ?? bytes.endIndex
    let dates = front[..<end]
    guard let date = date(String(dates.split(separator: "=").first ?? "")) else {
      throw refusal("“\(dates)” is no date.", at: line)
    }
    var rest = String(front[end...]).trimmed
    if let first = rest.utf8.first, first == UInt8(ascii: "*") || first == UInt8(ascii: "!") {
      rest = (String(rest.utf8.dropFirst()) ?? "").trimmed
    }
    if rest.utf8.first == UInt8(ascii: "("), let close = rest.utf8.firstIndex(of: UInt8(ascii: ")"))
    {
      rest = String(rest[rest.utf8.index(after: close)...]).trimmed
    }
    return JournalTransaction(line: line, date: date, payee: rest, memo: comment.trimmed)
  }

  /// Returns a date as `yyyy-MM-dd`, from a form of hledger.
  private func date(_ text: String) -> String? {
    let parts = text.utf8.split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".")
    }
    let numbers = parts.compactMap { part in
      part.count <= 4 && part.allSatisfy { (0x30...0x39).contains($0) }
        ? Int(String(decoding: part, as: UTF8.self)) : nil
    }
    guard numbers.count == parts.count, (2...3).contains(parts.count),
      let year = parts.count == 3 ? numbers[0] : year, year > 0
    else { return nil }
    let (month, day) = (numbers[numbers.count - 2], numbers[numbers.count - 1])
    guard CivilDate(year: year, month: month, day: day) != nil else { return nil }
    func padded(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// Returns the posting of a line, or `nil` for a comment.
  private func posting(_ text: String) throws(RecordError) -> JournalTransaction.Posting? {
    var rest = text.trimmed
    guard let first = rest.utf8.first, first != UInt8(ascii: ";") else { return nil }
    if first == UInt8(ascii: "*") || first == UInt8(ascii: "!") {
      rest = (String(rest.utf8.dropFirst()) ?? "").trimmed
    }
    let bytes = Array(rest.utf8)
    let end =
      bytes.indices.first { index in
        bytes[index] == 0x09
          || (bytes[index] == 0x20 && index + 1 < bytes.count
            && (bytes[index + 1] == 0x20 || bytes[index + 1] == 0x09))
      } ?? bytes.count
    let account = String(decoding: bytes[..<end], as: UTF8.self)
    guard !account.isEmpty, bytes[0] != UInt8(ascii: "("), bytes[0] != UInt8(ascii: "[") else {
      throw refusal("the posting “\(account)” has no other side.", at: line)
    }
    let amount = String(decoding: bytes[end...], as: UTF8.self).withoutComment
    return try JournalReader.posting(
      account,
      amount,
      at: line,
      marks,
      commodity: commodity,
      in: source
    )
  }

  static func posting(
    _ account: String,
    _ amount: String,
    at line: Int,
    _ marks: [String: UInt8],
    commodity usual: String?,
    in source: String
  ) throws(RecordError) -> JournalTransaction.Posting {
    func refuse(_ message: String, _ remedy: String = "") -> RecordError {
      RecordError(
        source: source,
        line: line,
        column: 1,
        message: message,
        remedy: remedy,
        isRecoverable: true
      )
    }
    if amount.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "{") }) {
      throw refuse("prices are not converted: \(amount).", "Write what was paid.")
    }
    let parts = amount.utf8.split(
      separator: UInt8(ascii: "="),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let text = parts.first.map { String(decoding: $0, as: UTF8.self).trimmed } ?? ""
    guard !text.isEmpty else {
      guard parts.count < 2 else {
        throw refuse("an amount is missing before “=”.", "Write the amount.")
      }
      return JournalTransaction.Posting(line: line, account: account)
    }
    do throws(JournalAmount.Refusal) {
      let (isNegative, number, name) = try JournalAmount.parts(of: text)
      let currency = name ?? usual
      let mark = marks[currency ?? ""] ?? marks[""]
      if let currency, !JournalAmount.isCurrency(currency) {
        throw JournalAmount.Refusal(message: "“\(currency)” is no currency.")
      }
      return JournalTransaction.Posting(
        line: line,
        account: account,
        units: try JournalAmount.units(of: number, isNegative: isNegative, mark: mark),
        currency: currency
      )
    } catch {
      throw refuse(error.message, error.remedy)
    }
  }

  // MARK: - Lines

  private static let wayRound = "Export what hledger makes of it: hledger print -O csv."

  private func refusal(_ message: String, at line: Int) -> RecordError {
    RecordError(
      source: source,
      line: line,
      column: 1,
      message: message,
      remedy: JournalReader.wayRound,
      isRecoverable: true
    )
  }

  private mutating func skipBlock() throws(RecordError) { while try takeIndented() != nil {} }

  /// Takes the next line if it begins with a space and is not blank.
  private mutating func takeIndented() throws(RecordError) -> String? {
    guard position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 else {
      return nil
    }
    let rest = bytes[position...].prefix { $0 != 0x0A }
    guard rest.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return nil }
    return try takeLine()
  }

  private mutating func takeLine() throws(RecordError) -> String? {
    guard position < bytes.count else { return nil }
    let rest = bytes[position...].prefix { $0 != 0x0A }
    position = min(rest.endIndex + 1, bytes.count)
    line += 1
    let start = line == 1 && rest.starts(with: ByteOrderMark.utf8) ? 3 : 0
    let text = rest.dropFirst(start)
    let isEnded = text.last == 0x0D
    guard let valid = String(validating: isEnded ? text.dropLast() : text, as: UTF8.self) else {
      throw refusal("the line is not UTF-8.", at: line)
    }
    return valid
  }
}

/// Reads what `hledger print -O csv` writes, a line for each posting, as records of a ledger.
package struct JournalCSVReader: RecordReader, Sendable {
  private var reader: CSVReader
  private let source: String
  private var ahead: Record?
  private var records: [Record] = []
  private var isAtEnd = false

  /// The beginning of such a file.
  static let header = Array("\"txnidx\",\"date\",\"date2\",\"status\"".utf8)

  /// A reader of bytes in memory.
  package init(bytes: [UInt8], source: String) {
    reader = CSVReader(bytes: bytes, source: source)
    self.source = source
  }

  /// Returns the next record, or `nil` at the end.
  /// - Throws: `RecordError`; after a recoverable one the next transaction follows.
  package mutating func next() throws(RecordError) -> Record? {
    while records.isEmpty {
      if ahead == nil, !isAtEnd { ahead = try reader.next() }
      guard let first = ahead else { return nil }
      var lines = [first]
      ahead = nil
      while let record = try reader.next() {
        guard record.text("txnidx").hasSameBytes(as: first.text("txnidx")) else {
          ahead = record
          break
        }
        lines.append(record)
      }
      isAtEnd = ahead == nil
      var transaction = JournalTransaction(
        line: first.line,
        date: first.text("date"),
        payee: first.text("description"),
        memo: first.text("comment").trimmed
      )
      guard lines.count <= JournalTransaction.mostPostings else {
        throw transaction.error(source, JournalTransaction.tooManyPostings)
      }
      for line in lines {
        let name = line.text("commodity")
        let quoted = name.isEmpty ? "" : " \"\(name)\""
        transaction.postings.append(
          try JournalReader.posting(
            line.text("account"),
            line.text("amount") + quoted,
            at: line.line,
            [:],
            commodity: nil,
            in: source
          )
        )
      }
      records = try transaction.records(source: source)
    }
    return records.removeFirst()
  }
}

extension Record {
  /// The text of a field, or an empty one.
  fileprivate func text(_ name: String) -> String {
    fields.first { $0.name.hasSameBytes(as: name) }?.value.text ?? ""
  }
}

extension String {
  /// The text without spaces and tabs around it.
  var trimmed: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let start = utf8.firstIndex { !isSpace($0) } ?? utf8.endIndex
    let end = utf8.lastIndex { !isSpace($0) }.map { utf8.index(after: $0) } ?? start
    return String(self[start..<end])
  }

  /// The text before a semicolon, trimmed.
  fileprivate var withoutComment: String { split(atComment: true).0.trimmed }

  /// The text before and behind the first semicolon.
  fileprivate func split(atComment: Bool) -> (String, String) {
    guard let mark = utf8.firstIndex(of: UInt8(ascii: ";")) else { return (self, "") }
    return (String(self[..<mark]), String(self[utf8.index(after: mark)...]))
  }
}
