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
  /// Whether the whole file is UTF-8, so that no field needs to be looked at again.
  private let isValid: Bool

  init(
    bytes: [UInt8],
    source: String,
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
    scanner = DelimitedScanner(bytes: bytes, from: start, dialect: dialect)
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
        // Without its header the file says nothing; a defect of the first record is like any other.
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
        "the file is empty; a header line with the names of the columns was expected.",
        "Write the names in the first line."
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
          "the column “\(name)” is there twice.",
          "Rename or remove one of them."
        )
      }
      names.append(name)
    }
    return names
  }

  private mutating func record(_ names: [String]) throws(RecordError) -> Record? {
    // An empty line is a whole record only where a record is one field that cannot be quoted.
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

  /// The line of the next record, whose fields the scanner then holds, or `nil` at the end.
  private mutating func scan(skippingBlankLines: Bool) throws(RecordError) -> Int? {
    switch scanner.next(skippingBlankLines: skippingBlankLines) {
    case .record(let line): return line
    case .end: return nil
    case .defect(let defect, let line, let column):
      throw DelimitedReader.error(defect, source: source, line: line, column: column)
    }
  }

  /// The field's text, or `nil` for a field that stands for null.
  private func text(of field: DelimitedScanner.Field) throws(RecordError) -> String? {
    if emptyIsNull, field.bytes.isEmpty, !field.isQuoted { return nil }
    guard field.bytes.count <= maximumFieldBytes else {
      throw error(
        field.line,
        field.column,
        "a field of \(field.bytes.count) bytes; at most \(maximumFieldBytes) are read.",
        "Look for a quote that is not closed."
      )
    }
    // Between quotes it is a character that the writer wrote; elsewhere it is half of one in another encoding.
    guard !field.hasNull || field.isQuoted else {
      throw error(
        field.line,
        field.column,
        "a NUL byte outside quotes.",
        "If the file is UTF-16, convert it to UTF-8 first; else enclose the field in quotes."
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
    guard fields.count < expected else {
      let surplus = fields[expected]
      return error(
        surplus.line,
        surplus.column,
        message,
        scanner.dialect == .csv
          ? "Enclose a field that holds a comma in quotes." : "Write a tab inside a field as \\t."
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
      "the byte \(byte) at offset \(offset) of the file is not UTF-8.",
      "Convert the file first, for example with: iconv -f ISO-8859-1 -t UTF-8."
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
          "text after the quote that closes the field.",
          "Write a quote inside a quoted field as \"\"."
        )
      case .strayQuote:
        (
          "a quote inside a field that does not begin with one.",
          "Enclose the whole field in quotes and write the quote inside as \"\"."
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
