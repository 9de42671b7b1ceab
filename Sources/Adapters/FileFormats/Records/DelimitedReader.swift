import ResultsDomain

/// Reads records from a delimited file by the names in its header line.
struct DelimitedReader: Sendable {
  private enum State: Sendable {
    case beforeHeader
    case reading(names: [String])
    case finished
  }

  let source: String
  let emptyIsNull: Bool
  let unescapes: Bool
  let maximumFieldBytes: Int
  private var scanner: DelimitedScanner
  private var state = State.beforeHeader
  /// Whether the whole file is valid UTF-8, so that fields need no validation.
  private let isValid: Bool

  init(
    bytes: [UInt8],
    source: String,
    firstLine: Int = 1,
    dialect: DelimitedScanner.Dialect,
    emptyIsNull: Bool,
    unescapes: Bool,
    maximumFieldBytes: Int
  ) {
    self.source = source
    self.emptyIsNull = emptyIsNull
    self.unescapes = unescapes
    self.maximumFieldBytes = maximumFieldBytes
    isValid = String(validating: bytes, as: UTF8.self) != nil
    let start = bytes.starts(with: ByteOrderMark.utf8) ? ByteOrderMark.utf8.count : 0
    let isSemicolons =
      dialect == .csv && DelimitedScanner.separatesBySemicolons(bytes, from: start)
    scanner = DelimitedScanner(
      bytes: bytes,
      from: start,
      line: firstLine,
      dialect: isSemicolons ? .semicolons : dialect
    )
  }

  mutating func next() throws(RecordError) -> Record? {
    switch state {
    case .finished: return nil
    case .reading(let names): return try record(names)
    case .beforeHeader:
      state = .finished
      do throws(RecordError) {
        let names = try header()
        state = .reading(names: names)
        return try record(names)
      } catch {
        // Without a header no record can be read; an error of the first record is like any other.
        guard case .finished = state else { throw error }
        throw final(error)
      }
    }
  }

  private mutating func header() throws(RecordError) -> [String] {
    if let mark = ByteOrderMark.foreign(in: scanner.bytes) { throw mark.error(source: source) }
    guard try scan(skippingBlankLines: true) != nil else {
      throw error(
        1,
        nil,
        "the file is empty; a header line with the column names was expected.",
        "Write the column names in the first line."
      )
    }
    var names: [String] = []
    var seen: Set<[UInt8]> = []
    for (index, field) in scanner.fields.enumerated() {
      guard let name = try text(of: field).map(trimmed), !name.isEmpty else {
        throw error(
          field.line,
          field.column,
          "column \(index + 1) has no name.",
          "Name it in the header line, or remove the column."
        )
      }
      guard seen.insert(Array(name.utf8)).inserted else {
        throw error(
          field.line,
          field.column,
          "the column “\(name)” occurs twice.",
          "Rename or remove one of them."
        )
      }
      names.append(name)
    }
    if let error = otherDelimiter(in: names) { throw error }
    return names
  }

  /// Returns an error if the only name contains the delimiter of another dialect.
  private func otherDelimiter(in names: [String]) -> RecordError? {
    guard names.count == 1, let field = scanner.fields.first, !field.isQuoted else { return nil }
    let others: [(Character, String, String)] = [
      (";", "semicolons", "Choose the format csv, or name the file .csv."),
      ("\t", "tabs", "Choose the format tsv, or name the file .tsv."),
      (",", "commas", "Choose the format csv, or name the file .csv."),
    ]
    guard let (_, found, remedy) = others.first(where: { names[0].contains($0.0) }) else {
      return nil
    }
    let expected = scanner.dialect == .csv ? "commas" : "tabs"
    return error(
      field.line,
      nil,
      "the columns seem to be separated by \(found), where \(expected) were expected.",
      remedy
    )
  }

  private mutating func record(_ names: [String]) throws(RecordError) -> Record? {
    // In a TSV file with one column, an empty line is a record with an empty field.
    let isOneBareField = names.count == 1 && scanner.dialect == .tsv
    guard let line = try scan(skippingBlankLines: !isOneBareField) else {
      state = .finished
      return nil
    }
    let fields = scanner.fields
    guard fields.count == names.count else { throw countError(names.count, line) }
    var record = Record(line: line, fields: [])
    record.fields.reserveCapacity(names.count)
    for index in fields.indices {
      let value = try text(of: fields[index]).map(Value.text) ?? .null
      record.fields.append(
        RecordField(name: names[index], value: value, column: fields[index].column)
      )
    }
    return record
  }

  /// Scans the next record into `scanner.fields`, and returns its line, or `nil` at the end.
  private mutating func scan(skippingBlankLines: Bool) throws(RecordError) -> Int? {
    switch scanner.next(skippingBlankLines: skippingBlankLines) {
    case .record(let line): return line
    case .end: return nil
    case .defect(let defect, let line, let column):
      throw DelimitedReader.error(defect, source: source, line: line, column: column)
    }
  }

  /// The text of a field, or `nil` for null.
  private func text(of field: DelimitedScanner.Field) throws(RecordError) -> String? {
    if emptyIsNull, field.bytes.isEmpty, !field.isQuoted { return nil }
    guard field.bytes.count <= maximumFieldBytes else {
      throw error(
        field.line,
        field.column,
        "the field has \(field.bytes.count) bytes; the limit is \(maximumFieldBytes).",
        "Check for a quote that is not closed."
      )
    }
    // Inside quotes NUL is data; outside it is most likely half of a UTF-16 character.
    guard !field.hasNull || field.isQuoted else {
      throw error(
        field.line,
        field.column,
        "a NUL byte outside quotes.",
        "If the file is UTF-16, convert it to UTF-8; if it is not a text file, name another."
      )
    }
    let text: String? = scanner.bytes.withUnsafeBufferPointer { buffer in
      let bytes = UnsafeBufferPointer(rebasing: buffer[field.bytes])
      guard field.hasEscapes else {
        return isValid
          ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
      }
      if field.isQuoted { return String(validating: undoubled(bytes), as: UTF8.self) }
      guard unescapes else { return String(validating: bytes, as: UTF8.self) }
      return String(validating: TabEscapes.unescaped(bytes), as: UTF8.self)
    }
    guard let text else { throw invalidUTF8(in: field) }
    return text
  }

  private func undoubled(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      result.append(bytes[index])
      index += bytes[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return result
  }

  private func trimmed(_ name: String) -> String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let bytes = Array(name.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    return String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: - Errors

extension DelimitedReader {
  private func error(_ line: Int, _ column: Int?, _ message: String, _ remedy: String)
    -> RecordError
  {
    RecordError(
      source: source,
      line: line,
      column: column,
      message: message,
      remedy: remedy,
      isRecoverable: true
    )
  }

  private func final(_ error: RecordError) -> RecordError {
    var error = error
    error.isRecoverable = false
    return error
  }

  private func countError(_ expected: Int, _ line: Int) -> RecordError {
    let fields = scanner.fields
    let count = fields.count
    let message = "\(count) \(count == 1 ? "field" : "fields"), but the header names \(expected)."
    let remedy =
      switch scanner.dialect {
      case .csv: "Enclose a field that contains a comma in quotes."
      case .semicolons: "Enclose a field that contains a semicolon in quotes."
      case .tsv: "Write a tab inside a field as \\t."
      }
    guard fields.count < expected else {
      let surplus = fields[expected]
      return error(
        surplus.line,
        surplus.column,
        message,
        remedy
      )
    }
    return error(
      line,
      fields.last?.column,
      message,
      "Add the missing fields at the end of the line."
    )
  }

  private func invalidUTF8(in field: DelimitedScanner.Field) -> RecordError {
    let offset = UTF8Defect.offset(in: scanner.bytes, field.bytes) ?? field.bytes.lowerBound
    let byte = String(scanner.bytes[offset], radix: 16, uppercase: true)
    return error(
      field.line,
      field.column,
      "the byte \(byte) at offset \(offset) is not valid UTF-8.",
      "Convert the file to UTF-8, for example with: iconv -f ISO-8859-1 -t UTF-8."
    )
  }

  private static func error(
    _ defect: DelimitedScanner.Defect,
    source: String,
    line: Int,
    column: Int
  ) -> RecordError {
    let (message, remedy) =
      switch defect {
      case .unclosedQuote:
        ("a quote opens here and is never closed.", "Close it, or write a quote in a text as \"\".")
      case .textAfterQuote:
        (
          "text after the closing quote of the field.",
          "Write a quote inside a quoted field as \"\"."
        )
      case .strayQuote:
        (
          "a quote inside a field that is not quoted.",
          "Enclose the field in quotes, and write the quote inside it as \"\"."
        )
      }
    let isRecoverable = if case .unclosedQuote = defect { false } else { true }
    return RecordError(
      source: source,
      line: line,
      column: column,
      message: message,
      remedy: remedy,
      isRecoverable: isRecoverable
    )
  }
}

/// Splits the bytes of a delimited file into records and fields, without decoding the fields.
///
/// Delimiters, quotes and line ends are ASCII, so no UTF-8 character is split. Lines end in LF, CR LF or CR.
struct DelimitedScanner: Sendable {
  /// The delimiter, and whether fields may be quoted.
  enum Dialect: Sendable {
    case csv
    /// The form in which spreadsheets write CSV where the comma is the decimal sign.
    case semicolons
    case tsv

    fileprivate var delimiter: UInt8 {
      switch self {
      case .csv: UInt8(ascii: ",")
      case .semicolons: UInt8(ascii: ";")
      case .tsv: UInt8(ascii: "\t")
      }
    }

    fileprivate var hasQuotes: Bool { self != .tsv }
  }

  /// The range and the position of a field.
  struct Field: Sendable {
    var bytes: Range<Int>
    var line: Int
    /// In Unicode scalars, from 1.
    var column: Int
    var isQuoted = false
    /// Whether it contains a doubled quote or a backslash.
    var hasEscapes = false
    var hasNull = false
  }

  /// The result of scanning a record.
  enum Outcome: Sendable {
    case record(line: Int)
    case end
    case defect(Defect, line: Int, column: Int)
  }

  /// An error in the use of quotes.
  enum Defect: Sendable {
    case unclosedQuote
    case textAfterQuote
    case strayQuote
  }

  struct Cursor: Sendable {
    var position: Int
    var line = 1
    var column = 1
  }

  let bytes: [UInt8]
  let dialect: Dialect
  private(set) var cursor: Cursor
  /// The fields of the latest record.
  private(set) var fields: [Field] = []

  init(bytes: [UInt8], from position: Int, line: Int, dialect: Dialect) {
    self.bytes = bytes
    self.dialect = dialect
    cursor = Cursor(position: position, line: line)
  }

  /// Whether the first line that is not empty has semicolons and no commas outside quotes.
  /// - Complexity: O(*n*) in that line.
  static func separatesBySemicolons(_ bytes: [UInt8], from start: Int) -> Bool {
    var (isQuoted, hasSemicolon, hasText) = (false, false, false)
    for byte in bytes[start...] {
      switch byte {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted: return false
      case UInt8(ascii: ";") where !isQuoted: hasSemicolon = true
      case 0x0A, 0x0D:
        if hasText, !isQuoted { return hasSemicolon }
        continue
      default: break
      }
      hasText = true
    }
    return hasSemicolon
  }

  /// Scans the next record and moves the cursor past it, also past a defect; after an unclosed quote nothing is left.
  /// - Complexity: O(*n*) in the record's bytes.
  mutating func next(skippingBlankLines: Bool) -> Outcome {
    var cursor = cursor
    var fields: [Field] = []
    swap(&fields, &self.fields)
    fields.removeAll(keepingCapacity: true)
    let outcome = bytes.withUnsafeBufferPointer { buffer -> Outcome in
      if skippingBlankLines {
        while cursor.endLine(in: buffer) {}
      }
      guard cursor.position < buffer.count else { return .end }
      return scan(buffer, &cursor, &fields)
    }
    self.cursor = cursor
    self.fields = fields
    return outcome
  }

  private func scan(
    _ buffer: UnsafeBufferPointer<UInt8>,
    _ cursor: inout Cursor,
    _ fields: inout [Field]
  ) -> Outcome {
    let (delimiter, hasQuotes) = (dialect.delimiter, dialect.hasQuotes)
    let line = cursor.line
    while true {
      var field = Field(bytes: 0..<0, line: cursor.line, column: cursor.column)
      let isQuoted = hasQuotes && cursor.byte(in: buffer) == UInt8(ascii: "\"")
      let defect =
        isQuoted
        ? cursor.scanQuoted(buffer, &field, delimiter: delimiter)
        : cursor.scanPlain(buffer, &field, delimiter: delimiter, hasQuotes: hasQuotes)
      if let defect { return defect }
      fields.append(field)
      guard cursor.byte(in: buffer) == delimiter else { break }
      cursor.position += 1
      cursor.column += 1
    }
    _ = cursor.endLine(in: buffer)
    return .record(line: line)
  }
}

extension DelimitedScanner.Cursor {
  func byte(in buffer: UnsafeBufferPointer<UInt8>) -> UInt8? {
    position < buffer.count ? buffer[position] : nil
  }

  /// Moves past the end of a line, if the cursor is at one.
  mutating func endLine(in buffer: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let byte = byte(in: buffer), byte == 0x0A || byte == 0x0D else { return false }
    let isPair = byte == 0x0D && position + 1 < buffer.count && buffer[position + 1] == 0x0A
    position += isPair ? 2 : 1
    line += 1
    column = 1
    return true
  }

  fileprivate mutating func scanPlain(
    _ buffer: UnsafeBufferPointer<UInt8>,
    _ field: inout DelimitedScanner.Field,
    delimiter: UInt8,
    hasQuotes: Bool
  ) -> DelimitedScanner.Outcome? {
    let start = position
    // No byte that ends a field is greater.
    let greatest = max(UInt8(ascii: ","), delimiter)
    while position < buffer.count {
      let byte = buffer[position]
      if byte <= greatest {
        if byte == delimiter || byte == 0x0A || byte == 0x0D { break }
        if byte == UInt8(ascii: "\""), hasQuotes { return defect(.strayQuote, buffer) }
        if byte == 0 { field.hasNull = true }
      } else if byte == UInt8(ascii: "\\") {
        field.hasEscapes = true
      }
      position += 1
      column += byte & 0xC0 == 0x80 ? 0 : 1
    }
    field.bytes = start..<position
    return nil
  }

  fileprivate mutating func scanQuoted(
    _ buffer: UnsafeBufferPointer<UInt8>,
    _ field: inout DelimitedScanner.Field,
    delimiter: UInt8
  ) -> DelimitedScanner.Outcome? {
    let opened = self
    position += 1
    column += 1
    while let byte = byte(in: buffer) {
      if byte == UInt8(ascii: "\"") {
        guard position + 1 < buffer.count, buffer[position + 1] == byte else { break }
        field.hasEscapes = true
        position += 2
        column += 2
      } else if !endLine(in: buffer) {
        if byte == 0 { field.hasNull = true }
        position += 1
        column += byte & 0xC0 == 0x80 ? 0 : 1
      }
    }
    guard position < buffer.count else {
      return .defect(.unclosedQuote, line: opened.line, column: opened.column)
    }
    field.bytes = opened.position + 1..<position
    field.isQuoted = true
    position += 1
    column += 1
    switch byte(in: buffer) {
    case nil, delimiter, 0x0A, 0x0D: return nil
    default: return defect(.textAfterQuote, buffer)
    }
  }

  /// Returns a defect at the cursor, and moves past the line.
  private mutating func defect(
    _ defect: DelimitedScanner.Defect,
    _ buffer: UnsafeBufferPointer<UInt8>
  ) -> DelimitedScanner.Outcome {
    let outcome = DelimitedScanner.Outcome.defect(defect, line: line, column: column)
    while position < buffer.count, !endLine(in: buffer) { position += 1 }
    return outcome
  }
}
