import Foundation
import ResultsTesting
import WireFormat

/// A value as the shell prints it, exactly.
enum NaiveValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  /// The value of a line's field.
  init?(_ field: Substring, isUTF16: Bool) {
    let rest = field.dropFirst()
    switch field.first {
    case "N": self = .null
    case "I":
      guard let number = Int64(rest) else { return nil }
      self = .integer(number)
    case "R":
      guard let number = NaiveValue.real(rest) else { return nil }
      self = .real(number)
    case "T":
      let bytes = NaiveValue.bytes(rest)
      guard isUTF16 else {
        self = .text(bytes)
        return
      }
      let units = stride(from: 0, to: bytes.count - 1, by: 2)
        .map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
      self = .text(Array(String(decoding: units, as: UTF16.self).utf8))
    case "B": self = .blob(NaiveValue.bytes(rest))
    default: return nil
    }
  }

  private static func real(_ text: Substring) -> Double? {
    switch text.lowercased() {
    case "inf", "9.0e+999": .infinity
    case "-inf", "-9.0e+999": -.infinity
    default: Double(text)
    }
  }

  private static func bytes(_ text: Substring) -> [UInt8] {
    let digits = text.utf8.map { $0 < 58 ? $0 - 48 : $0 - 55 }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Whether a value of the wire form is this one.
  func equals(_ json: JSONValue) -> Bool {
    switch (self, json) {
    case (.null, .null): return true
    case (.integer(let number), .number(let digits)): return Int64(digits) == number
    case (.integer(let number), .boolean(let isTrue)): return number == (isTrue ? 1 : 0)
    case (.real(let number), .number(let digits)): return Double(digits) == number
    case (.real(let number), .string(let text)):
      return !number.isFinite && text == (number < 0 ? "-inf" : "inf")
    case (.text(let bytes), .string(let text)):
      // A text that is not UTF-8 has the replacement character in place of what is wrong.
      return Array(text.utf8) == bytes
        || String(validating: bytes, as: UTF8.self) == nil
          && Array(text.utf8) == Array(String(decoding: bytes, as: UTF8.self).utf8)
    case (.text(let bytes), .object):
      return String(validating: bytes, as: UTF8.self) == nil
        && json["base64"]?.string == Data(bytes).base64EncodedString()
    case (.blob(let bytes), .object):
      return json["base64"]?.string == Data(bytes).base64EncodedString()
    case (.blob(let bytes), .string(let text)):
      // A column of 16 bytes whose name says so holds UUIDs.
      return bytes.count == 16 && text.count == 36
        && NaiveValue.bytes(text.filter { $0 != "-" }[...]) == bytes
    default: return false
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// The order of values: nulls, numbers, texts and blobs by their bytes.
  static func precedes(_ left: NaiveValue, _ right: NaiveValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return left < right
    case (.real(let left), .real(let right)): return left < right
    case (.integer(let left), .real(let right)): return isLess(left, right)
    case (.real(let left), .integer(let right)): return isGreater(right, left)
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      return left.lexicographicallyPrecedes(right)
    default: return left.rank < right.rank
    }
  }

  private static func isLess(_ integer: Int64, _ real: Double) -> Bool {
    guard real < 0x1p63 else { return true }
    guard real >= -0x1p63 else { return false }
    let whole = Int64(real.rounded(.down))
    return integer < whole || integer == whole && Double(whole) < real
  }

  private static func isGreater(_ integer: Int64, _ real: Double) -> Bool {
    guard real < 0x1p63 else { return false }
    guard real >= -0x1p63 else { return true }
    return integer > Int64(real.rounded(.down))
  }
}

/// The rows of a table as the shell reads them.
struct NaiveTable {
  /// The columns that a statement can read, in their order.
  let columns: [StrangerColumn]
  /// The values by row, and the row's number at the end if the table has one.
  let rows: [[NaiveValue]]
  private let hasRowID: Bool

  /// Reads tables in one run of the shell.
  /// - Returns: The tables by name; one that cannot be read is missing, with the reason.
  static func read(
    _ names: [StrangerTable],
    with shell: SQLiteShell,
    isUTF16: Bool
  ) throws -> (tables: [String: NaiveTable], failures: [String: String]) {
    var (tables, failures): ([String: NaiveTable], [String: String]) = ([:], [:])
    for table in names {
      let fields = table.columns.map { column in
        let name = column.name.quotedName
        return """
          CASE typeof(\(name)) WHEN 'null' THEN 'N' WHEN 'integer' THEN 'I' || \(name) \
          WHEN 'real' THEN 'R' || quote(\(name)) WHEN 'text' THEN 'T' || hex(\(name)) \
          ELSE 'B' || hex(\(name)) END
          """
      }
      let number = table.rowIDName.map { ["'I' || \($0)"] } ?? []
      let result = try shell.waiting.run(
        "SELECT \((fields + number).joined(separator: " || ',' || ")) FROM \(table.name.quotedName);"
      )
      guard result.status == 0 else {
        failures[table.name] = result.errors
        continue
      }
      let rows = result.output.split(separator: "\n").map { line in
        line.split(separator: ",").map { NaiveValue($0, isUTF16: isUTF16) ?? .null }
      }
      tables[table.name] = NaiveTable(
        columns: table.columns,
        rows: rows,
        hasRowID: table.rowIDName != nil
      )
    }
    return (tables, failures)
  }

  /// The rows that a list of some columns shows in one of the orders that the list may have.
  struct Expected {
    var rows: [[NaiveValue]]
    var isOrdered: Bool
  }

  /// The expected rows: the columns of a list that began with them, in the list's order; `nil` if a column has gone.
  func expected(
    _ shown: [String],
    key: [String],
    sortedBy sort: String?
  ) -> [Expected]? {
    var indexes: [Int] = []
    for name in shown {
      guard let index = column(named: name) else { return nil }
      indexes.append(index)
    }
    let leading = sort.flatMap { column(named: $0) }.map { [$0] } ?? []
    let keys = key.compactMap { column(named: $0) }
    var orders = keys.isEmpty ? [] : [leading + keys]
    if hasRowID { orders.append(leading + [columns.count]) }
    guard !orders.isEmpty else {
      return [Expected(rows: rows.map { row in indexes.map { row[$0] } }, isOrdered: false)]
    }
    return orders.map { order in
      let sorted = rows.enumerated()
        .sorted { left, right in
          for index in order where left.element[index] != right.element[index] {
            if NaiveValue.precedes(left.element[index], right.element[index]) { return true }
            if NaiveValue.precedes(right.element[index], left.element[index]) { return false }
          }
          return left.offset < right.offset
        }
      return Expected(rows: sorted.map { row in indexes.map { row.element[$0] } }, isOrdered: true)
    }
  }

  /// What is different in the same table of another file, in words.
  func difference(from other: NaiveTable?) -> String {
    guard let other else { return "it cannot be read there" }
    guard rows.count == other.rows.count else {
      return "\(rows.count) rows, and \(other.rows.count) there"
    }
    for (number, (mine, theirs)) in zip(rows, other.rows).enumerated() where mine != theirs {
      let (mine, theirs) = ("\(mine)".suffix(300), "\(theirs)".suffix(300))
      return "row \(number) of \(rows.count) is \(mine), and \(theirs) there"
    }
    return "nothing"
  }

  /// The column that SQLite finds by a name: the case of ASCII letters does not count.
  private func column(named name: String) -> Int? {
    func folded(_ name: String) -> [UInt8] {
      name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    return columns.firstIndex { folded($0.name) == folded(name) }
  }
}
