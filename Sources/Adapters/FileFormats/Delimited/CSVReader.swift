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
