import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import FileFormats

@Suite("CSVWriter and TSVWriter")
struct WriterTests {
  private static let row: [Value] = [
    .text("a,\"b\""), .integer(-5), .real(0.1), .null, .text(""), .blob([255]), .text("x\ty\\"),
  ]

  @Test func `values are written in machine form`() {
    var csv = CSVWriter()
    #expect(
      csv.begin(columns: ["t", "n,"]) + csv.write(Self.row) + csv.end() == """
        t,"n,"
        "a,""b""\",-5,0.1,,"",/w==,x\ty\\

        """
    )
    var tsv = TSVWriter()
    #expect(
      tsv.begin(columns: ["t", "n\t"]) + tsv.write(Self.row) + tsv.end() == """
        t\tn\\t
        a,"b"\t-5\t0.1\t\t\t/w==\tx\\ty\\\\

        """
    )
  }

  @Test(
    arguments: [
      (.text("=1+1"), "'=1+1"), (.text("+1"), "'+1"), (.text("-1"), "'-1"), (.text("@a"), "'@a"),
      (.text("\tx"), "'\tx"), (.text("\rx"), "\"'\rx\""), (.text("a=1"), "a=1"),
      (.integer(-1), "-1"),
      (.real(-1.5), "-1.5"), (.text("=\"x\""), "\"'=\"\"x\"\"\""), (.text("=\u{301}"), "'=\u{301}"),
      (.text("'"), "'"),
    ] as [(Value, String)]
  )
  func `texts that a spreadsheet would run are guarded, numbers never`(
    value: Value,
    written: String
  ) {
    var writer = CSVWriter(guardsFormulas: true)
    #expect(Array(writer.write([value, 1]).utf8) == Array("\(written),1\n".utf8))
  }

  /// Random texts of characters that are special in one of the formats.
  private static func text(_ generator: inout SeededGenerator) -> String {
    let fragments = [
      "a", "\"", "\"\"", ",", "\t", "\n", "\r", "\r\n", "\\", "\\n", "\\x1B", "\u{1B}", "\u{9B}",
      "\u{0}1",
      "猫", "か\u{3099}", "\u{301}", "👨‍👩‍👧", " ", "'", "=", "\u{FEFF}", "\u{2028}", "\\N", "\u{7F}",
    ]
    let count = Int.random(in: 0...6, using: &generator)
    return (0..<count).map { _ in fragments.randomElement(using: &generator) ?? "" }.joined()
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `written values are read again byte for byte`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let width = Int.random(in: 1...4, using: &generator)
    let rows = (0..<20).map { _ in
      (0..<width).map { _ in
        // No delimited text has a NUL.
        Self.text(&generator).replacing("\u{0}", with: "0")
      }
    }
    let columns = (0..<width).map { "c\($0)" }
    let expected = rows.map { $0.map(Value.text) }
    #expect(
      try again(CSVWriter(), columns, expected) { CSVReader(bytes: $0, source: "\(seed)") }
        == expected
    )
    #expect(
      try again(TSVWriter(), columns, expected) { TSVReader(bytes: $0, source: "\(seed)") }
        == expected
    )
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `JSON lines preserve every value`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let rows: [[Value]] = (0..<20).map { _ in
      [
        .text(Self.text(&generator)), .integer(Int64.random(in: .min ... .max, using: &generator)),
        .real(Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))),
        .blob((0..<5).map { _ in UInt8.random(in: 0...255, using: &generator) }), .null,
      ]
    }
    let columns = ["t", "i", "r", "b", "n"]
    let found = try again(JSONLinesWriter(), columns, rows) {
      JSONLinesReader(bytes: $0, source: "\(seed)")
    }
    #expect(found == rows)
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `random bytes give records or errors, never a trap`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet =
      Array("a,\"\t\n\r\\x{}[]:0-.eu\u{0}<>&;!DOCTYPE ".utf8) + [0xE9, 0xC2, 0xF0, 0xFF, 0xFE]
    let bytes = (0..<200).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
    let json = Array("{\"a\":".utf8) + bytes
    let limit = 300
    #expect(everything(CSVReader(bytes: bytes, source: "f")).count <= limit)
    #expect(everything(TSVReader(bytes: bytes, source: "f")).count <= limit)
    #expect(everything(JSONLinesReader(bytes: json, source: "f")).count <= limit)
    #expect(everything(FeedReader(bytes: Array("<rss>".utf8) + bytes, source: "f")).count <= limit)
  }

  @Test func `R197: booleans are words in JSON lines, and read again`() throws {
    let row: [Value] = ["true", "false", "true", "no"]
    var writer = JSONLinesWriter()
    _ = writer.begin(columns: ["a", "b", "c", "d"])
    let line = writer.write(row, booleans: [0, 1, 3])
    #expect(line == #"{"a":true,"b":false,"c":"true","d":"no"}"# + "\n")
    #expect(
      try values(JSONLinesReader(bytes: Array(line.utf8), source: "f")) == [[1, 0, "true", "no"]]
    )
    var csv = CSVWriter()
    _ = csv.begin(columns: ["a", "b", "c", "d"])
    #expect(csv.write(row, booleans: [0, 1, 3]).hasPrefix("true,false,true,no"))
  }

  private func again(
    _ writer: some RecordWriter,
    _ columns: [String],
    _ rows: [[Value]],
    read: ([UInt8]) -> some RecordReader
  ) throws -> [[Value]] {
    var writer = writer
    var text = writer.begin(columns: columns)
    for row in rows { text += writer.write(row) }
    return try values(read(Array((text + writer.end()).utf8)))
  }
}
