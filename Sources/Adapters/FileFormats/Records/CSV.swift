public import ResultsDomain

/// Reads comma-separated values by the names in the header line (RFC 4180).
///
/// Fields may be quoted, hold commas, line ends and doubled quotes; lines end in LF, CR LF or CR; a UTF-8 byte order
/// mark and empty lines are skipped; spaces around a header's name are not part of it. All values are
/// texts: what a number or a date is, the attribute it goes to decides.
public struct CSVReader: RecordReader, Sendable {
  private var reader: DelimitedReader

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The file, in UTF-8.
  ///   - source: The file's name for messages.
  ///   - emptyIsNull: Whether an empty field without quotes is null instead of an empty text.
  ///   - maximumFieldBytes: The longest field that is read.
  public init(
    bytes: [UInt8],
    source: String,
    emptyIsNull: Bool = false,
    maximumFieldBytes: Int = 1 << 20
  ) {
    reader = DelimitedReader(
      bytes: bytes,
      source: source,
      dialect: .csv,
      emptyIsNull: emptyIsNull,
      unescapes: false,
      maximumFieldBytes: maximumFieldBytes
    )
  }

  /// The next record, or `nil` at the end.
  /// - Throws: `RecordError`; only a defect of the header and an unclosed quote end the reading.
  /// - Complexity: O(*n*) in the record's bytes.
  public mutating func next() throws(RecordError) -> Record? { try reader.next() }
}

/// Writes comma-separated values (RFC 4180, lines ending in LF).
///
/// Null is an empty field and an empty text a quoted one; numbers have a decimal point, blobs are base64. Texts are
/// written as they are, unless ``guardsFormulas`` is set.
public struct CSVWriter: RecordWriter, Sendable {
  /// Whether a text that a spreadsheet would run as a formula gets an apostrophe in front.
  ///
  /// That is a text that begins with `=`, `+`, `-` or `@`, also in a full-width or small form and also behind blanks, or with
  /// a control character. Numbers are never changed. The apostrophe stays when the file is imported again.
  public var guardsFormulas: Bool

  /// A writer.
  public init(guardsFormulas: Bool = false) { self.guardsFormulas = guardsFormulas }

  /// The header line.
  public mutating func begin(columns: [String]) -> String {
    line(columns.map { field($0) })
  }

  /// One line, or several where a text holds line ends.
  /// - Complexity: O(*n*) in the bytes of the values.
  public mutating func write(_ values: [Value]) -> String {
    line(
      values.map { value in
        switch value {
        case .text(let text): field(text)
        default: PlainForm.text(of: value)
        }
      }
    )
  }

  /// Nothing.
  public mutating func end() -> String { "" }

  private func line(_ fields: [String]) -> String {
    // One null alone would be an empty line, which readers skip.
    if fields.count == 1, fields[0].isEmpty { return "\"\"\n" }
    return fields.joined(separator: ",") + "\n"
  }

  private func field(_ text: String) -> String {
    let text = guardsFormulas ? FormulaGuard.guarded(text) : text
    let needsQuotes =
      text.isEmpty
      || text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D || $0 == 0 }
    guard needsQuotes else { return text }
    // Scalars, not clusters: a mark after a quote must not hide the quote.
    let inner = text.unicodeScalars.reduce(into: "") { result, scalar in
      result.unicodeScalars.append(scalar)
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
    }
    return "\"" + inner + "\""
  }
}
