public import ResultsDomain

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
