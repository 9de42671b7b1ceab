/// A named field of an imported record, and its column.
public struct RecordField: Sendable {
  /// The field's name, from a header line or a key.
  public var name: String
  /// The field's value, which is text in untyped formats.
  public var value: Value
  /// The column of its first character in the source line, counted from 1.
  public var column: Int
  /// Whether the source has a word for true or false in place of the value, which is 1 or 0.
  public var isBoolean = false

  /// Creates a field.
  public init(name: String, value: Value, column: Int) {
    self.name = name
    self.value = value
    self.column = column
  }
}

/// A record of an imported file.
public struct Record: Sendable {
  /// The line where it starts, counted from 1.
  public var line: Int
  /// The fields, in the order of the file.
  public var fields: [RecordField]

  /// Creates a record.
  public init(line: Int, fields: [RecordField]) {
    self.line = line
    self.fields = fields
  }
}

/// Reads the records of a file one by one: the import port.
public protocol RecordReader {
  /// Returns the next record, or `nil` at the end.
  /// - Throws: `RecordError`; after a recoverable error, the next call returns the following record.
  mutating func next() throws(RecordError) -> Record?
}

/// An error in a record, with its location.
public struct RecordError: Error, Hashable, Sendable {
  /// The file's name, or `-` for standard input.
  public var source: String
  /// The line, counted from 1, if known.
  public var line: Int?
  /// The column in characters, counted from 1, if known.
  public var column: Int?
  /// What is wrong.
  public var message: String
  /// What to do.
  public var remedy: String
  /// Whether reading can continue after this record.
  public var isRecoverable: Bool

  /// Creates an error.
  public init(
    source: String,
    line: Int? = nil,
    column: Int? = nil,
    message: String,
    remedy: String,
    isRecoverable: Bool
  ) {
    self.source = source
    self.line = line
    self.column = column
    self.message = message
    self.remedy = remedy
    self.isRecoverable = isRecoverable
  }
}

extension RecordError: CustomStringConvertible {
  /// The location, what is wrong, and what to do: `books.csv:17:23: …`.
  public var description: String {
    let location = [source, line.map(String.init), column.map(String.init)].compactMap(\.self)
    return "\(location.joined(separator: ":")): \(message)" + (remedy.isEmpty ? "" : " \(remedy)")
  }
}

// MARK: - Export

/// Formats rows as the text of a file: the export port.
public protocol RecordWriter {
  /// Returns the text before the first row.
  mutating func begin(columns: [String]) -> String
  /// Returns the text of a row with a value for each column.
  mutating func write(_ values: [Value]) -> String
  /// Returns the text of a row, some of whose values are the words `true` and `false` and mean booleans.
  mutating func write(_ values: [Value], booleans: Set<Int>) -> String
  /// Returns the text after the last row.
  mutating func end() -> String
}

extension RecordWriter {
  /// Returns the text of a row in a format that has no booleans besides their words.
  public mutating func write(_ values: [Value], booleans: Set<Int>) -> String { write(values) }
}
