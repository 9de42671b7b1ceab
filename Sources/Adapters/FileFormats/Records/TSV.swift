package import ResultsDomain

/// Reads tab-separated values by the names in the header line.
///
/// There is no quoting: a `"` is an ordinary character. `\t`, `\n`, `\r`, `\\`, and `\x` with the two hexadecimal digits
/// of a control character are escapes; any other backslash is an ordinary character. All values are texts.
package struct TSVReader: RecordReader, Sendable {
  private var reader: DelimitedReader

  /// A reader of bytes in memory.
  /// - Parameters:
  ///   - bytes: The file, in UTF-8.
  ///   - source: The name of the file for error messages.
  ///   - firstLine: The number of the line that the bytes begin with, for error messages.
  ///   - emptyIsNull: Whether an empty field is null instead of an empty text.
  ///   - unescapes: Whether escapes are decoded; otherwise every backslash is an ordinary character.
  ///   - maximumFieldBytes: The largest size of a field, in bytes.
  package init(
    bytes: [UInt8],
    source: String,
    firstLine: Int = 1,
    emptyIsNull: Bool = false,
    unescapes: Bool = true,
    maximumFieldBytes: Int = 1 << 20
  ) {
    reader = DelimitedReader(
      bytes: bytes,
      source: source,
      firstLine: firstLine,
      dialect: .tsv,
      emptyIsNull: emptyIsNull,
      unescapes: unescapes,
      maximumFieldBytes: maximumFieldBytes
    )
  }

  /// Returns the next record, or `nil` at the end.
  /// - Throws: `RecordError`; the reader can continue after it, unless the header is wrong.
  /// - Complexity: O(*n*) in the record's bytes.
  package mutating func next() throws(RecordError) -> Record? { try reader.next() }
}

/// Writes tab-separated values, one row per line, as ``TSVReader`` reads them.
///
/// Null and an empty text are both an empty field. Numbers have a decimal point, blobs are base64. Control characters
/// and backslashes are escaped.
package struct TSVWriter: RecordWriter, Sendable {
  /// Whether an apostrophe is written before texts that a spreadsheet would run as formulas, as in ``CSVWriter``.
  package var guardsFormulas: Bool

  /// A writer.
  package init(guardsFormulas: Bool = false) { self.guardsFormulas = guardsFormulas }

  /// Returns the header line.
  package mutating func begin(columns: [String]) -> String {
    columns.map(TabEscapes.escaped).joined(separator: "\t") + "\n"
  }

  /// Returns one line.
  /// - Complexity: O(*n*) in the bytes of the values.
  package mutating func write(_ values: [Value]) -> String {
    let fields = values.map { value in
      switch value {
      case .text(let text):
        TabEscapes.escaped(guardsFormulas ? FormulaGuard.guarded(text) : text)
      default: PlainForm.text(of: value)
      }
    }
    return fields.joined(separator: "\t") + "\n"
  }

  /// Returns nothing: the format has no end.
  package mutating func end() -> String { "" }
}
