/// One named field of a record that is imported, and where it stood.
public struct RecordField: Sendable {
  /// The field's name, from a header line or a key.
  public var name: String
  /// Its value; files without types give texts.
  public var value: Value
  /// The column of its first character in the source line, from 1.
  public var column: Int

  /// One named field.
  public init(name: String, value: Value, column: Int) {
    self.name = name
    self.value = value
    self.column = column
  }
}

/// One record of a file that is imported.
public struct Record: Sendable {
  /// The line where it starts, from 1.
  public var line: Int
  /// Its fields, in the order of the file.
  public var fields: [RecordField]

  /// One record.
  public init(line: Int, fields: [RecordField]) {
    self.line = line
    self.fields = fields
  }
}

/// Hands out the records of a file, one by one: the import port.
public protocol RecordReader {
  /// The next record, or `nil` at the end.
  /// - Throws: `RecordError`; after a recoverable one the record after it can be asked for.
  mutating func next() throws(RecordError) -> Record?
}

/// What is wrong with a record, and where.
public struct RecordError: Error, Hashable, Sendable {
  /// The file's name, or `-` for standard input.
  public var source: String
  /// The line, from 1, if known.
  public var line: Int?
  /// The column in characters, from 1, if known.
  public var column: Int?
  /// What is wrong.
  public var message: String
  /// What to do.
  public var remedy: String
  /// Whether reading can go on behind this record.
  public var isRecoverable: Bool

  /// What is wrong with a record.
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
  /// The place, what is wrong, and what to do: `books.csv:17:23: …`.
  public var description: String {
    let place = [source, line.map(String.init), column.map(String.init)].compactMap(\.self)
    return "\(place.joined(separator: ":")): \(message) \(remedy)"
  }
}

// MARK: - Export

/// Turns rows into the text of a file: the export port.
public protocol RecordWriter {
  /// What stands before the first row.
  mutating func begin(columns: [String]) -> String
  /// One row, with a value for each column.
  mutating func write(_ values: [Value]) -> String
  /// What stands after the last row.
  mutating func end() -> String
}
