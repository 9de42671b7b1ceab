import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import FileFormats

/// R176: a text that is written to a file is that text when the file is read, whatever stands beside its quotes.
@Suite struct QuotingTests {
  /// Pairs of a writer and the reader of what it writes.
  static let formats = ["csv", "tsv", "jsonl"]

  @Test(arguments: formats)
  func `R176: texts are read as they were written, beside all of Unicode`(_ format: String) throws {
    // A parser of lines gets no line of its own for an empty text in the only column.
    let texts = QuotingTexts.all(around: marks(of: format)).filter { !$0.isEmpty }
    let rows = texts.map { [Value.text($0), .text("next")] }
    let columns = ["text", "other"]
    let found: [[Value]] =
      switch format {
      case "csv":
        try values(CSVReader(bytes: bytes(CSVWriter(), columns, rows), source: "f"))
      case "tsv":
        try values(TSVReader(bytes: bytes(TSVWriter(), columns, rows), source: "f"))
      default:
        try values(JSONLinesReader(bytes: bytes(JSONLinesWriter(), columns, rows), source: "f"))
      }
    #expect(found.count == rows.count)
    let wrong = zip(texts, found).filter { text, row in
      guard case .text(let read)? = row.first else { return true }
      return !read.utf8.elementsEqual(text.utf8) || row.last != "next"
    }
    #expect(wrong.map { $0.0.prefix(8).unicodeScalars.map(\.value) }.prefix(3) == [])
  }

  private func marks(of format: String) -> [Unicode.Scalar] {
    switch format {
    case "csv": ["\"", ","]
    case "tsv": ["\\", "\t"]
    default: ["\"", "\\"]
    }
  }

  private func bytes(
    _ writer: some RecordWriter,
    _ columns: [String],
    _ rows: [[Value]]
  ) -> [UInt8] {
    var writer = writer
    var bytes = Array(writer.begin(columns: columns).utf8)
    for row in rows { bytes += writer.write(row).utf8 }
    return bytes + writer.end().utf8
  }
}
