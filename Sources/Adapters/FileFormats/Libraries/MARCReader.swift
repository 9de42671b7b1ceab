package import ResultsDomain

/// Reads the books of a MARC 21 file in ISO 2709, as libraries exchange them, in UTF-8.
///
/// The form is that of loc.gov/marc/specifications/specrecstruc.html: a leader of 24 bytes with the record's length, a directory of tags,
/// lengths and positions, and the fields. Nothing of it is believed: a record whose parts do not agree is refused with its number, which is
/// the line of errors and records, and the next one is read.
package struct MARCReader: RecordReader, Sendable {
  private let bytes: [UInt8]
  private let source: String
  private var position: Int
  private var number = 0
  /// The record terminator at or behind the position, once it was looked for, or the end.
  private var terminator = -1

  /// A reader of bytes in memory.
  package init(bytes: [UInt8], source: String) {
    (self.bytes, self.source) = (bytes, source)
    position = bytes.starts(with: ByteOrderMark.utf8) ? ByteOrderMark.utf8.count : 0
  }

  /// Returns the next book, or `nil` at the end.
  /// - Throws: `RecordError`; after it the next record follows.
  /// - Complexity: O(*n*) in the record's bytes.
  package mutating func next() throws(RecordError) -> Record? {
    // Some programs write each record into a line, or fill the last block.
    while position < bytes.count, [0x00, 0x0A, 0x0D, 0x1A, 0x20].contains(bytes[position]) {
      position += 1
    }
    guard position < bytes.count else { return nil }
    number += 1
    let record = try takeRecord()
    let parsed: MARCRecord
    do throws(Refusal) {
      parsed = try MARCReader.parse(record, number: number)
    } catch {
      throw refusal(error.message, error.remedy)
    }
    return try parsed.record(source: source)
  }

  /// Whether bytes begin like a leader.
  static func isLeader(_ bytes: ArraySlice<UInt8>) -> Bool {
    let leader = Array(bytes.prefix(24))
    return leader.count == 24 && digits(leader[0..<5]) != nil && digits(leader[12..<17]) != nil
      && leader[10..<12].elementsEqual("22".utf8) && leader[20..<22].elementsEqual("45".utf8)
  }

  private static let unended = "the record does not end with its terminator, the byte 1D."

  private func refusal(_ message: String, _ remedy: String = "") -> RecordError {
    RecordError(
      source: source,
      line: number,
      message: message,
      remedy: remedy,
      isRecoverable: true
    )
  }

  /// Takes the bytes up to the next record terminator, if the leader says the same.
  private mutating func takeRecord() throws(RecordError) -> ArraySlice<UInt8> {
    let start = position
    if terminator < start {
      terminator = bytes[start...].firstIndex(of: 0x1D) ?? bytes.count
    }
    let end = min(terminator + 1, bytes.count)
    position = end
    let count = end - start
    guard let length = MARCReader.digits(bytes[start..<min(start + 5, bytes.count)]) else {
      throw refusal("the leader does not begin with the record's length, five digits.")
    }
    let isEnded = terminator < bytes.count
    if length == count, isEnded { return bytes[start..<end] }
    // A record that has lost its terminator ends where the next one begins.
    if length >= 24, start + length < end, MARCReader.isLeader(bytes[(start + length)...]) {
      position = start + length
      throw refusal(MARCReader.unended)
    }
    guard isEnded || length <= count else {
      throw refusal(
        "the file ends after \(count) bytes of the record, which has \(length).",
        "Copy the file again."
      )
    }
    throw refusal(
      isEnded
        ? "the leader says \(length) bytes, and the record has \(count)." : MARCReader.unended
    )
  }
}

// MARK: - Parsing

extension MARCReader {
  /// What is wrong with a record.
  private struct Refusal: Error {
    let message: String
    let remedy: String

    init(_ message: String, remedy: String = "") { (self.message, self.remedy) = (message, remedy) }
  }

  /// The number that some decimal digits are, or `nil` if they are other bytes, or fewer than five.
  private static func digits(_ bytes: ArraySlice<UInt8>, count: Int = 5) -> Int? {
    guard bytes.count == count else { return nil }
    var number = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      number = number * 10 + Int(byte - 0x30)
    }
    return number
  }

  private static func parse(_ slice: ArraySlice<UInt8>, number: Int) throws(Refusal) -> MARCRecord {
    let bytes = Array(slice)
    guard bytes.count >= 26, isLeader(bytes[...]) else {
      throw Refusal("the leader is not one of MARC 21, with “22”, “45” and two lengths.")
    }
    try checkEncoding(bytes)
    let base = digits(bytes[12..<17]) ?? 0
    guard base >= 25, base < bytes.count, bytes[base - 1] == 0x1E, (base - 25) % 12 == 0 else {
      throw Refusal("the directory does not end at byte \(base), where the leader says.")
    }
    var record = MARCRecord(line: number)
    record.status = bytes[5]
    var total = 0
    for entry in stride(from: 24, to: base - 1, by: 12) {
      let tag = String(decoding: bytes[entry..<(entry + 3)], as: UTF8.self)
      guard let length = digits(bytes[(entry + 3)..<(entry + 7)], count: 4), length > 0,
        let start = digits(bytes[(entry + 7)..<(entry + 12)])
      else { throw Refusal("the directory has no length and position for field \(tag).") }
      total += length
      let end = base + start + length
      guard end < bytes.count, total < bytes.count - base else {
        throw Refusal("field \(tag) does not lie within the record.")
      }
      let field = bytes[(base + start)..<(end - 1)]
      guard bytes[end - 1] == 0x1E, !field.contains(0x1E) else {
        throw Refusal("field \(tag) does not end where the directory says.")
      }
      guard MARCRecord.reads(tag) else { continue }
      if tag.hasSameBytes(as: "008") {
        record.fixedData = Array(field)
      } else {
        record.append(try self.field(tag, field))
      }
    }
    return record
  }

  /// Refuses other encodings than UTF-8 (leader/09).
  ///
  /// MARC-8 is the same for ASCII without escape sequences, which choose other sets.
  private static func checkEncoding(_ bytes: [UInt8]) throws(Refusal) {
    switch bytes[9] {
    case UInt8(ascii: "a"): break
    case UInt8(ascii: " "):
      guard bytes.allSatisfy({ $0 < 0x80 && $0 != 0x1B }) else {
        let convert = "yaz-marcdump -t UTF-8 -o marc -l 9=97"
        // Text in MARC-8 is hardly ever UTF-8 too.
        if !bytes.contains(0x1B), String(validating: bytes, as: UTF8.self) != nil {
          throw Refusal(
            "the record says MARC-8 (leader/09 is blank), and its text is UTF-8.",
            remedy: "Mark it as UTF-8, for example: \(convert) -f UTF-8 FILE"
          )
        }
        throw Refusal(
          "the record is in MARC-8 (leader/09 is blank), which is not read.",
          remedy: "Convert the file to UTF-8, for example: \(convert) -f MARC-8 FILE"
        )
      }
    case let byte:
      let name = String(decoding: [byte], as: UTF8.self)
      throw Refusal("the encoding (leader/09) is “\(name)”, not “a” for UTF-8.")
    }
  }

  private static func field(
    _ tag: String,
    _ bytes: ArraySlice<UInt8>
  ) throws(Refusal) -> MARCRecord.Field {
    var parts = bytes.split(separator: 0x1F, omittingEmptySubsequences: false)[...]
    guard let indicators = parts.popFirst(), indicators.count == 2, let indicator = indicators.last
    else { throw Refusal("field \(tag) does not begin with two indicators.") }
    var field = MARCRecord.Field(tag: tag, indicator: indicator)
    for part in parts {
      guard let code = part.first else {
        throw Refusal("field \(tag) has a subfield without a code.")
      }
      guard let text = String(validating: part.dropFirst(), as: UTF8.self) else {
        throw Refusal(
          "field \(tag) is not UTF-8, although leader/09 says so.",
          remedy: "Convert the file to UTF-8 first."
        )
      }
      field.subfields.append((code, text))
    }
    return field
  }
}
