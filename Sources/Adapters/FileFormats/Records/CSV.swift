package import ResultsDomain

/// Reads comma-separated values by the names in the header line (RFC 4180).
///
/// Where the header has semicolons and no commas, semicolons separate the fields, as spreadsheets write them in many languages.
/// Quoted fields may contain separators, line ends and doubled quotes. Lines end in LF, CR LF or CR. A UTF-8 byte order mark,
/// empty lines, and spaces around names in the header are ignored. All values are texts; the attribute that takes
/// a value converts it.
package struct CSVReader: RecordReader, Sendable {
  private var reader: DelimitedReader

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The file, in UTF-8.
  ///   - source: The name of the file for error messages.
  ///   - firstLine: The number of the line that the bytes begin with, for error messages.
  ///   - emptyIsNull: Whether an empty unquoted field is null instead of an empty text.
  ///   - maximumFieldBytes: The largest size of a field, in bytes.
  package init(
    bytes: [UInt8],
    source: String,
    firstLine: Int = 1,
    emptyIsNull: Bool = false,
    maximumFieldBytes: Int = 1 << 20
  ) {
    reader = DelimitedReader(
      bytes: bytes,
      source: source,
      firstLine: firstLine,
      dialect: .csv,
      emptyIsNull: emptyIsNull,
      unescapes: false,
      maximumFieldBytes: maximumFieldBytes
    )
  }

  /// Returns the next record, or `nil` at the end.
  /// - Throws: `RecordError`; the reader can continue after it, unless the header is wrong or a quote is not closed.
  /// - Complexity: O(*n*) in the record's bytes.
  package mutating func next() throws(RecordError) -> Record? { try reader.next() }
}

/// Writes comma-separated values (RFC 4180, lines ending in LF).
///
/// Null is an empty field, an empty text is a quoted one. Numbers have a decimal point, blobs are base64. Texts are
/// written unchanged, unless ``guardsFormulas`` is set.
package struct CSVWriter: RecordWriter, Sendable {
  /// Whether an apostrophe is written before texts that a spreadsheet would run as formulas.
  ///
  /// These are texts that begin with `=`, `+`, `-` or `@`, also in a full-width or small form or after white space, or with a
  /// control character. Numbers are never changed. Importing the file again does not remove the apostrophe.
  package var guardsFormulas: Bool

  /// A writer.
  package init(guardsFormulas: Bool = false) { self.guardsFormulas = guardsFormulas }

  /// Returns the header line.
  package mutating func begin(columns: [String]) -> String {
    line(columns.map { field($0) })
  }

  /// Returns one line, or several if a text contains line ends.
  /// - Complexity: O(*n*) in the bytes of the values.
  package mutating func write(_ values: [Value]) -> String {
    line(
      values.map { value in
        switch value {
        case .text(let text): field(text)
        default: PlainForm.text(of: value)
        }
      }
    )
  }

  /// Returns nothing: the format has no end.
  package mutating func end() -> String { "" }

  private func line(_ fields: [String]) -> String {
    // A single null would be an empty line, which readers skip.
    if fields.count == 1, fields[0].isEmpty { return "\"\"\n" }
    return fields.joined(separator: ",") + "\n"
  }

  private func field(_ text: String) -> String {
    let text = guardsFormulas ? FormulaGuard.guarded(text) : text
    let needsQuotes =
      text.isEmpty
      || text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D || $0 == 0 }
    guard needsQuotes else { return text }
    // Scalars, not characters: a quote and a combining mark after it are one character.
    let inner = text.unicodeScalars.reduce(into: "") { result, scalar in
      result.unicodeScalars.append(scalar)
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
    }
    return "\"" + inner + "\""
  }
}
