public import ResultsDomain

/// Reads tab-separated values by the names in the header line.
///
/// There are no quotes: a `"` is a character like any other. `\t`, `\n`, `\r`, `\\` and `\x` with the two
/// hexadecimal digits of a control character stand for those characters, as the writer writes them; a
/// backslash before anything else stands for itself. All values are texts.
public struct TSVReader: RecordReader, Sendable {
  private var reader: DelimitedReader

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The file, in UTF-8.
  ///   - source: The file's name for messages.
  ///   - emptyIsNull: Whether an empty field is null instead of an empty text.
  ///   - unescapes: Whether escapes with a backslash are read; otherwise every backslash stands for itself.
  ///   - maximumFieldBytes: The longest field that is read.
  public init(
    bytes: [UInt8],
    source: String,
    emptyIsNull: Bool = false,
    unescapes: Bool = true,
    maximumFieldBytes: Int = 1 << 20
  ) {
    reader = DelimitedReader(
      bytes: bytes,
      source: source,
      dialect: .tsv,
      emptyIsNull: emptyIsNull,
      unescapes: unescapes,
      maximumFieldBytes: maximumFieldBytes
    )
  }

  /// The next record, or `nil` at the end.
  /// - Throws: `RecordError`; only a defect of the header ends the reading.
  /// - Complexity: O(*n*) in the record's bytes.
  public mutating func next() throws(RecordError) -> Record? { try reader.next() }
}

/// Writes tab-separated values, one row a line, as ``TSVReader`` reads them.
///
/// Null and an empty text are both an empty field; numbers have a decimal point, blobs are base64; control characters
/// and backslashes are escaped.
public struct TSVWriter: RecordWriter, Sendable {
  /// Whether a text that a spreadsheet would run as a formula gets an apostrophe in front, as in ``CSVWriter``.
  public var guardsFormulas: Bool

  /// A writer.
  public init(guardsFormulas: Bool = false) { self.guardsFormulas = guardsFormulas }

  /// The header line.
  public mutating func begin(columns: [String]) -> String {
    columns.map(TabEscapes.escaped).joined(separator: "\t") + "\n"
  }

  /// One line.
  /// - Complexity: O(*n*) in the bytes of the values.
  public mutating func write(_ values: [Value]) -> String {
    let fields = values.map { value in
      switch value {
      case .text(let text):
        TabEscapes.escaped(guardsFormulas ? FormulaGuard.guarded(text) : text)
      default: PlainForm.text(of: value)
      }
    }
    return fields.joined(separator: "\t") + "\n"
  }

  /// Nothing.
  public mutating func end() -> String { "" }
}
