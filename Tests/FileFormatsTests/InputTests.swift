import Foundation
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import FileFormats

@Suite("Input")
struct InputTests {
  @Test(
    arguments: [
      ("a.csv", .csv), ("A.CSV", .csv), ("dir.csv/a.tsv", .tsv), ("a.tab", .tsv),
      ("a.jsonl", .jsonl),
      ("a.ndjson", .jsonl), ("a.xml", .feed), ("a.rss", .feed), ("a.atom", .feed), ("a.rdf", .feed),
      ("a.txt", nil),
      ("csv", nil), ("-", nil), ("", nil), ("dir.csv/a", nil),
    ] as [(String, ImportFormat?)]
  )
  func `the extension of a file names its format`(path: String, format: ImportFormat?) {
    #expect(ImportFormat(path: path) == format)
  }

  @Test(
    arguments: [
      ("a,b\n", .csv), ("a\tb\n", .tsv), ("a,b\nx\ty", .csv), ("\u{FEFF} \n<rss/>", .feed),
      ("{\"a\":1}", .jsonl),
      ("[1]", .jsonl), ("", .csv), ("title\n", .csv),
    ] as [(String, ImportFormat)]
  )
  func `the format is detected from the content`(text: String, format: ImportFormat) {
    #expect(ImportFormat(detecting: Array(text.utf8)) == format)
  }

  @Test(
    arguments: [
      (
        "/nowhere/a.csv", ENOENT,
        "/nowhere/a.csv: cannot be read: No such file or directory. Check the path."
      ),
      ("/", EISDIR, "/: cannot be read: Is a directory. Give a file, not a directory."),
    ] as [(String, Int32, String)]
  )
  func `an unreadable file is reported in the words of the system`(
    path: String,
    code: Int32,
    text: String
  ) {
    let failure = #expect(throws: InputFailure.self) { try RecordFile.read(path: path) }
    #expect(failure?.code == code)
    #expect(failure?.description == text)
  }

  @Test func `a file is read completely, in the format of its extension`() throws {
    let path = NSTemporaryDirectory() + "formats-\(UInt64.random(in: .min ... .max)).tsv"
    defer { unlink(path) }
    let text = "a\n" + String(repeating: "猫,犬\n", count: 100_000)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let file = try RecordFile.read(path: path)
    #expect(file.bytes.count == text.utf8.count)
    var reader: any RecordReader = try file.reader()
    #expect(try reader.next()?.fields.first?.value == "猫,犬")
    let failure = #expect(throws: InputFailure.self) {
      try RecordFile.read(path: path, maximumBytes: 10)
    }
    #expect(failure?.reason == "it has more than 10 bytes")
  }

  @Test func `the error for a compressed file says how to decompress it`() {
    let file = RecordFile(source: "b.tsv.gz", bytes: [0x1F, 0x8B, 8, 0])
    let error = #expect(throws: RecordError.self) { try file.reader() }
    #expect(
      error?.description
        == "b.tsv.gz: this is a gzip file, not text. "
        + "Decompress it first, for example: gunzip -c FILE | … import -"
    )
  }

  @Test(arguments: [
    ("f.csv", "a\n1\n"), ("f", "a\tb\n1\t2\n"), ("-", "{\"a\":1}"), ("f.jsonl", "{\"a\":1}"),
  ])
  func `the given format comes first, then the file name, then the content`(
    source: String,
    text: String
  ) throws {
    let file = RecordFile(source: source, bytes: Array(text.utf8))
    var reader: any RecordReader = try file.reader()
    #expect(try reader.next()?.fields.first?.name == "a")
    var other: any RecordReader = try file.reader(format: .feed)
    #expect(throws: RecordError.self) { try other.next() }
  }
}
