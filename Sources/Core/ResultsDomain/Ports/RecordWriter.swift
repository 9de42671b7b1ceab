/// Turns rows into the text of a file: the export port.
public protocol RecordWriter {
  /// What stands before the first row.
  mutating func begin(columns: [String]) -> String
  /// One row, with a value for each column.
  mutating func write(_ values: [Value]) -> String
  /// What stands after the last row.
  mutating func end() -> String
}
