/// Splits the bytes of a delimited file into records and fields, without looking into the fields.
///
/// All bytes that mean something are ASCII, so UTF-8 is never torn. Lines end in LF, CR LF or CR.
struct DelimitedScanner: Sendable {
  /// What separates fields and whether quotes mean something.
  enum Dialect: Sendable {
    case csv
    case tsv
  }

  /// Where a field's bytes are.
  struct Field: Sendable {
    var bytes: Range<Int>
    var line: Int
    /// In Unicode scalars, from 1.
    var column: Int
    var isQuoted = false
    /// Whether a quote in it is doubled, or there is a backslash.
    var hasEscapes = false
    var hasNull = false
  }

  /// What the next bytes are.
  enum Outcome: Sendable {
    case record(line: Int)
    case end
    case defect(Defect, line: Int, column: Int)
  }

  /// How quotes can be wrong.
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
  /// The fields of the record found last.
  private(set) var fields: [Field] = []

  init(bytes: [UInt8], from position: Int, dialect: Dialect) {
    self.bytes = bytes
    self.dialect = dialect
    cursor = Cursor(position: position)
  }

  /// Finds the next record and leaves the cursor behind it, behind a defect too; an unclosed quote ends it all.
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
    let delimiter = dialect == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")
    let hasQuotes = dialect == .csv
    let line = cursor.line
    while true {
      var field = Field(bytes: 0..<0, line: cursor.line, column: cursor.column)
      let isQuoted = hasQuotes && cursor.byte(in: buffer) == UInt8(ascii: "\"")
      let defect =
        isQuoted
        ? cursor.scanQuoted(buffer, &field)
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

  /// Steps over the end of a line, if one is here.
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
    while position < buffer.count {
      let byte = buffer[position]
      // Every byte that ends a field is below this one.
      if byte <= UInt8(ascii: ",") {
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
    _ field: inout DelimitedScanner.Field
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
    case nil, UInt8(ascii: ","), 0x0A, 0x0D: return nil
    default: return defect(.textAfterQuote, buffer)
    }
  }

  /// Reports a defect here and steps behind the line.
  private mutating func defect(
    _ defect: DelimitedScanner.Defect,
    _ buffer: UnsafeBufferPointer<UInt8>
  ) -> DelimitedScanner.Outcome {
    let outcome = DelimitedScanner.Outcome.defect(defect, line: line, column: column)
    while position < buffer.count, !endLine(in: buffer) { position += 1 }
    return outcome
  }
}
