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
      ("a.mrc", .marc), ("a.marc", .marc), ("a.marcxml", .marc), ("a.txt", nil),
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
      ("[1]", .jsonl), ("", .csv), ("title\n", .csv), ("00046nam a2200037 i 4500x", .marc),
      ("\u{FEFF}00046nam a2200037 i 4500", .marc), ("00046,nam,22,00037,4500,5", .csv),
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

  @Test(
    arguments: [
      ("a;b\n1,5;2\n", ["2: a@1='1,5' b@5='2'"]),
      ("\"a\";\"b\"\r\n\"x;y\";\"\"\"\"\r\n", ["2: a@1='x;y' b@7='\"'"]),
      ("\n\na;b\n;\n", ["4: a@1='' b@2=''"]), ("a;b,c\n1,2\n", ["2: a;b@1='1' c@3='2'"]),
      ("\"a;b\"\n1\n", ["2: a;b@1='1'"]),
      (
        "a;b\n1;2;3\n",
        [
          "? f:2:5: 3 fields, but the header names 2. Enclose a field that contains a semicolon in quotes."
        ]
      ),
      (
        "a;b\n\"1\",2\n",
        [
          "? f:2:4: text after the closing quote of the field. Write a quote inside a quoted field as \"\"."
        ]
      ),
    ] as [(String, [String])]
  )
  func `R282: semicolons separate columns where the header has no commas`(
    text: String,
    expected: [String]
  ) {
    #expect(everything(CSVReader(bytes: Array(text.utf8), source: "f")) == expected)
  }

  @Test func `R282: lines before the header are skipped and still counted`() throws {
    let text = "Account;1\r\n\r\na;b\r\n1;2\r\n3\r\n"
    let file = RecordFile(source: "f", bytes: Array(text.utf8))
    #expect(
      everything(try file.skippingLines(2).reader(format: .csv)) == [
        "4: a@1='1' b@3='2'",
        "? f:5:1: 1 field, but the header names 2. Add the missing fields at the end of the line.",
      ]
    )
    #expect(
      try everything(file.skippingLines(9).reader(format: .tsv)).first?.hasPrefix("!") == true
    )
    #expect(
      try everything(file.skippingLines(0).reader(format: .csv)).first?.contains("2 field") == false
    )
  }

  @Test(
    arguments: [
      ("ISO-8859-1", [0x66, 0xFC, 0x72], "für"), ("windows-1252", [0x80], "€"),
      ("UTF-8", [0xC3, 0xA9], "é"), ("utf-16", [0xFF, 0xFE, 0xE9, 0x00], "é"),
      ("UTF-16", [0xFE, 0xFF, 0x00, 0xE9], "é"), ("UTF-16BE", [0x00, 0xE9], "é"),
      ("Shift_JIS", [0x82, 0xA0], "あ"), ("UTF-16", [0x41], nil), ("klingon", [0x41], nil),
    ] as [(String, [UInt8], String?)]
  )
  func `R282: a file is read in the encoding that is named`(
    name: String,
    bytes: [UInt8],
    text: String?
  ) throws {
    let file = RecordFile(source: "f", bytes: bytes)
    guard let text else {
      #expect(throws: RecordError.self) { try file.decoded(from: name) }
      return
    }
    #expect(try file.decoded(from: name).bytes == Array(text.utf8))
  }

  @Test(
    arguments: [
      ("DD.MM.YYYY", "24.11.2026", "2026-11-24"), ("DD.MM.YYYY", "4.1.2026", "2026-01-04"),
      ("DD.MM.YY", "24.11.26", "2026-11-24"), ("MM/DD/YY", "11/24/69", "2069-11-24"),
      ("MM/DD/YY", "11/24/70", "1970-11-24"), ("YYYY/MM/DD", "2026/11/24", "2026-11-24"),
      ("DD.MM.YYYY", "2026-11-24", "2026-11-24"), ("DD.MM.YYYY", "24/11/2026", nil),
      ("DD.MM.YYYY", "31.11.2026", nil), ("DD.MM.YYYY", "24.11.26", nil),
      ("DD.MM.YY", "24.11.2026", nil), ("D. M. YYYY", "4. 1. 2026", "2026-01-04"),
    ] as [(String, String, String?)]
  )
  func `R282: dates have the form that is named`(pattern: String, text: String, day: String?)
    throws
  {
    let dates = try StrictDate(pattern: pattern)
    guard let day else {
      #expect(throws: LocaleTextError.self) { try dates.instant(of: text) }
      return
    }
    #expect(try dates.instant(of: text) == StrictDate(locale: nil).instant(of: day))
  }

  @Test(arguments: [
    "", "DD.MM", "DDMMYYYY", "DD.MM.YYY", "DD.DD.YYYY", "DD.MM.YYYY 10", "dd.mm.yyyy",
  ])
  func `R282: a form of dates has one day, one month and one year`(pattern: String) {
    #expect(throws: LocaleTextError.self) { try StrictDate(pattern: pattern) }
  }

  @Test(
    arguments: [
      ("1.234,56", "-1.023,40", "-1023.40"), ("1.234,56", "1950,00", "1950.00"),
      ("1.234,56", "7", "7.00"), ("1.234,56", "1.950", "1950.00"), ("1.234,56", "1.95", nil),
      ("1.234,56", "1,950.00", nil), ("1234,56", "1.950,00", nil), ("1234,56", "-3,5", "-3.50"),
      ("1'234.56", "1’234’567.8", "1234567.80"), ("1 234,56", "1\u{A0}950,10", "1950.10"),
      ("1,234.56", "+1,950.00", "1950.00"), ("1.234,56", "1,2,3", nil), ("1.234,56", "", nil),
      ("1.234,56", "92233720368547758,08", nil), ("1.234,56", "-0,5", "-0.50"),
    ] as [(String, String, String?)]
  )
  func `R282: numbers have the form of the example`(example: String, text: String, number: String?)
    throws
  {
    let numbers = try StrictNumber(example: example)
    #expect((try? numbers.decimal(of: text, scale: 2))?.description == number)
  }

  @Test(arguments: [
    "", "1234", "1.23,4", "1,2,3", "1;2", "1.234.", ",5", "1.234'567.8", "x", "1'5",
  ])
  func `R282: an example is a number with decimals`(example: String) {
    #expect(throws: LocaleTextError.self) { try StrictNumber(example: example) }
  }
}
