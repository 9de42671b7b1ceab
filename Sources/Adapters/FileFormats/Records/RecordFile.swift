import Foundation
package import ResultsDomain

/// A file of records, read into memory, from a path or from standard input.
///
/// ```swift
/// let file = try RecordFile.read(path: "books.csv")
/// var reader = try file.reader()
/// while let record = try reader.next() { … }
/// ```
package struct RecordFile: Sendable {
  /// The name of the file for error messages; `-` is standard input.
  package let source: String
  /// The content.
  package private(set) var bytes: [UInt8]
  /// The number of the line that the content begins with.
  private var firstLine = 1

  /// A file that is already in memory.
  package init(source: String, bytes: [UInt8]) {
    self.source = source
    self.bytes = bytes
  }

  /// Reads a file to its end.
  /// - Parameters:
  ///   - path: The path, or `-` for standard input.
  ///   - maximumBytes: The largest size, in bytes.
  /// - Returns: The file with its content.
  /// - Throws: `InputFailure` if it is missing, a directory, not permitted or too long.
  package static func read(path: String, maximumBytes: Int = 1 << 30) throws(InputFailure)
    -> RecordFile
  {
    guard path != "-" else {
      return try read(descriptor: 0, source: path, maximumBytes: maximumBytes)
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, code: errno) }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, source: path, maximumBytes: maximumBytes)
  }

  /// Reads a file descriptor to its end, and leaves it open.
  /// - Parameters:
  ///   - descriptor: The descriptor.
  ///   - source: The name for error messages.
  ///   - maximumBytes: The largest size, in bytes.
  /// - Returns: The file with its content.
  /// - Throws: `InputFailure`.
  package static func read(
    descriptor: Int32,
    source: String,
    maximumBytes: Int = 1 << 30
  ) throws(InputFailure) -> RecordFile {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = chunk.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(source, code: errno) }
      guard count > 0 else { return RecordFile(source: source, bytes: bytes) }
      bytes += chunk[..<count]
      guard bytes.count <= maximumBytes else {
        throw InputFailure(
          path: source,
          code: 0,
          reason: "it has more than \(maximumBytes) bytes",
          remedy: "Import it in parts."
        )
      }
    }
  }

  private static func failure(_ path: String, code: Int32) -> InputFailure {
    let remedy =
      switch code {
      case ENOENT, ENOTDIR: "Check the path."
      case EISDIR: "Give a file, not a directory."
      case EACCES, EPERM: "Check the permissions of the file and its directories."
      default: "Check the file and its device."
      }
    return InputFailure(
      path: path,
      code: code,
      reason: String(cString: strerror(code)),
      remedy: remedy
    )
  }
}

extension RecordFile {
  /// Returns a reader of the records.
  ///
  /// Without a format, the extension of the file decides, then its content.
  /// - Parameter format: The format, or `nil`.
  /// - Returns: A reader at the first record.
  /// - Throws: `RecordError` if the file is compressed.
  package func reader(format: ImportFormat? = nil) throws(RecordError) -> any RecordReader
    & Sendable
  {
    for (magic, name, tool) in RecordFile.compressed where bytes.starts(with: magic) {
      throw RecordError(
        source: source,
        message: "this is a \(name) file, not text.",
        remedy: "Decompress it first, for example: \(tool) FILE | … import -",
        isRecoverable: false
      )
    }
    switch format ?? ImportFormat(path: source) ?? ImportFormat(detecting: bytes) {
    case .csv where bytes.starts(with: JournalCSVReader.header):
      return JournalCSVReader(bytes: bytes, source: source)
    case .csv: return CSVReader(bytes: bytes, source: source, firstLine: firstLine)
    case .tsv: return TSVReader(bytes: bytes, source: source, firstLine: firstLine)
    case .jsonl: return JSONLinesReader(bytes: bytes, source: source)
    case .feed where format == nil && MARCXMLReader.isRoot(of: bytes):
      return MARCXMLReader(bytes: bytes, source: source)
    case .feed: return FeedReader(bytes: bytes, source: source)
    case .journal: return JournalReader(bytes: bytes, source: source)
    case .marc where ImportFormat(detecting: bytes) == .feed:
      return MARCXMLReader(bytes: bytes, source: source)
    case .marc: return MARCReader(bytes: bytes, source: source)
    }
  }

  /// Returns the file in UTF-8, from another encoding.
  /// - Parameter encoding: The name of the encoding, such as `windows-1252` or `UTF-16`; letter case is ignored.
  /// - Returns: The file.
  /// - Throws: `RecordError` if the encoding is not known, or the content is not valid in it.
  package func decoded(from encoding: String) throws(RecordError) -> RecordFile {
    var file = self
    let name = encoding.lowercased()
    guard name != "utf-8", name != "utf8" else { return file }
    let decoded: [UInt8]?
    if let forms = UnicodeForm.forms(of: name) {
      let form = forms.first { bytes.starts(with: $0.bytes(of: 0xFEFF)) } ?? forms[0]
      decoded = form.decoded(bytes)
    } else if let known = TextEncoding.named(name) {
      decoded = known.decoded(bytes)
    } else {
      throw RecordError(
        source: source,
        message: "“\(encoding)” is not an encoding that is known.",
        remedy: "Name one such as windows-1252, ISO-8859-15, UTF-16 or Shift_JIS.",
        isRecoverable: false
      )
    }
    guard let decoded else {
      throw RecordError(
        source: source,
        message: "the file is not valid \(encoding).",
        remedy: "Name its encoding, or leave it out for UTF-8.",
        isRecoverable: false
      )
    }
    file.bytes = decoded
    return file
  }

  /// Returns the file without its first lines, such as those that a bank writes before the names of the columns.
  ///
  /// Lines end in LF, CR LF or CR, quoted or not.
  /// - Parameter count: The number of lines.
  /// - Returns: The file; lines in messages count from its beginning as before.
  /// - Complexity: O(*n*) in the lines.
  package func skippingLines(_ count: Int) -> RecordFile {
    var (position, left) = (bytes.startIndex, count)
    while left > 0, position < bytes.endIndex {
      let byte = bytes[position]
      position += 1
      guard byte == 0x0A || byte == 0x0D else { continue }
      if byte == 0x0D, position < bytes.endIndex, bytes[position] == 0x0A { position += 1 }
      left -= 1
    }
    var file = self
    file.bytes = Array(bytes[position...])
    file.firstLine += count
    return file
  }

  /// The lines that are not blank, without white space around them.
  /// - Complexity: O(*n*) in the bytes.
  package var lines: [String] {
    let start = bytes.starts(with: ByteOrderMark.utf8) ? ByteOrderMark.utf8.count : 0
    return bytes[start...].split { $0 == 0x0A || $0 == 0x0D }
      .map { String(decoding: $0, as: UTF8.self).trimmed }.filter { !$0.isEmpty }
  }

  /// The first bytes of compressed files, their formats, and the tools that decompress them.
  private static let compressed: [([UInt8], String, String)] = [
    ([0x1F, 0x8B], "gzip", "gunzip -c"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "zstdcat"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz", "xzcat"), ([0x42, 0x5A, 0x68], "bzip2", "bzcat"),
    ([0x50, 0x4B, 0x03, 0x04], "zip", "unzip -p"),
  ]
}

/// The formats of files that can be imported.
package enum ImportFormat: String, CaseIterable, Hashable, Sendable {
  /// Comma-separated values.
  case csv
  /// Tab-separated values.
  case tsv
  /// One JSON object per line.
  case jsonl
  /// RSS 2.0, RSS 1.0 or Atom.
  case feed
  /// A journal of hledger.
  case journal
  /// MARC 21, in ISO 2709 or MARCXML.
  case marc

  /// The format of a file name, or `nil` if its extension is unknown.
  package init?(path: String) {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last else { return nil }
    switch String(last)?.lowercased() {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "jsonl", "ndjson", "json": self = .jsonl
    case "journal", "hledger", "j": self = .journal
    case "mrc", "marc", "marcxml": self = .marc
    case "xml", "rss", "atom", "rdf": self = .feed
    default: return nil
    }
  }

  /// The format of a file's content: markup is a feed, a leader begins MARC 21, a brace begins JSON lines, a tab in the first line means
  /// tab-separated values, and everything else is comma-separated.
  /// - Complexity: O(*n*) in the first line.
  package init(detecting bytes: [UInt8]) {
    if UnicodeForm(beginning: bytes)?.isMarkup(bytes) == true {
      self = .feed
      return
    }
    let start = bytes.starts(with: ByteOrderMark.utf8) ? ByteOrderMark.utf8.count : 0
    let text = bytes[start...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    switch text.first {
    case UInt8(ascii: "<"): self = .feed
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = .jsonl
    case _ where MARCReader.isLeader(bytes[start...]): self = .marc
    default:
      let line = bytes[start...].prefix { $0 != 0x0A && $0 != 0x0D }
      self = line.contains(0x09) ? .tsv : .csv
    }
  }
}

/// The error for a file that cannot be read.
package struct InputFailure: Error, Hashable, Sendable {
  /// The path, or `-` for standard input.
  package var path: String
  /// The error number of the system, or 0 if the file is too long.
  package var code: Int32
  /// What happened, in the words of the system if it has an error number.
  package var reason: String
  /// The remedy.
  package var remedy: String

  /// An error with a path, a reason and a remedy.
  package init(path: String, code: Int32, reason: String, remedy: String) {
    self.path = path
    self.code = code
    self.reason = reason
    self.remedy = remedy
  }
}

extension InputFailure: CustomStringConvertible {
  /// The path, the reason and the remedy.
  package var description: String { "\(path): cannot be read: \(reason). \(remedy)" }
}
