public import ResultsDomain

/// Writes one JSON object a line, with the keys in the order of the columns.
///
/// Printable text is never escaped. Blobs are `{"base64":"…"}`; infinite numbers, which JSON lacks, are null.
public struct JSONLinesWriter: RecordWriter, Sendable {
  /// The keys with what stands around them, made once.
  private var keys: [String] = []

  /// A writer.
  public init() {}

  /// Nothing; takes the keys of the objects.
  public mutating func begin(columns: [String]) -> String {
    keys = columns.enumerated().map { index, name in
      var key = index == 0 ? "" : ","
      JSONText.appendString(name, to: &key)
      return key + ":"
    }
    return ""
  }

  /// One line.
  /// - Complexity: O(*n*) in the bytes of the values.
  public mutating func write(_ values: [Value]) -> String {
    var line = "{"
    for (key, value) in zip(keys, values) {
      line += key
      JSONText.append(value, to: &line)
    }
    return line + "}\n"
  }

  /// Nothing.
  public mutating func end() -> String { "" }
}
