import ResultsDomain
import Testing

@testable import FileFormats

@Suite("CSVReader")
struct CSVReaderTests {
  @Test(
    arguments: [
      ("a,b\n1,2\n", ["2: a@1='1' b@3='2'"]),
      ("a,b\r\n1,2\r\n3,4", ["2: a@1='1' b@3='2'", "3: a@1='3' b@3='4'"]),
      ("a,b\r1,2\r", ["2: a@1='1' b@3='2'"]), ("\u{FEFF}a,b\n1,2", ["2: a@1='1' b@3='2'"]),
      ("a,b\n\"1,1\",\"say \"\"hi\"\"\"\n", ["2: a@1='1,1' b@7='say \"hi\"'"]),
      ("a,b\n\"x\ny\r\nz\",2\n3,4\n", ["2: a@1='x\ny\r\nz' b@4='2'", "5: a@1='3' b@3='4'"]),
      ("a,b\n\n1,\n\n", ["3: a@1='1' b@3=''"]), ("a,b\n,\"\"", ["2: a@1='' b@2=''"]),
      (" a , b \n 1 , 2 ", ["2: a@1=' 1 ' b@5=' 2 '"]),
      ("題,著者\nこころ,漱石\n", ["2: 題@1='こころ' 著者@5='漱石'"]),
      ("a\n\"\"\n", ["2: a@1=''"]), ("a,b\n", []), ("a,b", []), ("\n\na\n1\n", ["4: a@1='1'"]),
      ("a,b\n\\t,\\\n", ["2: a@1='\\t' b@4='\\'"]), ("a\n\u{1B}[31m\n", ["2: a@1='\u{1B}[31m'"]),
    ] as [(String, [String])]
  )
  func `values are matched by the names in the header`(text: String, expected: [String]) {
    #expect(everything(CSVReader(bytes: Array(text.utf8), source: "f.csv")) == expected)
  }

  @Test(
    arguments: [
      (
        "",
        "! f.csv:1: the file is empty; a header line with the column names was expected. "
          + "Write the column names in the first line."
      ),
      (
        "\n\n",
        "! f.csv:1: the file is empty; a header line with the column names was expected. "
          + "Write the column names in the first line."
      ),
      ("a,b,a\n", "! f.csv:1:5: the column “a” occurs twice. Rename or remove one of them."),
      (
        "a,,b\n",
        "! f.csv:1:3: column 2 has no name. Name it in the header line, or remove the column."
      ),
      (
        "a,b\n1,2\n\"x,2\n3,4\n",
        "! f.csv:3:1: a quote opens here and is never closed. "
          + "Close it, or write a quote in a text as \"\"."
      ),
      (
        "a,b\n1\n",
        "? f.csv:2:1: 1 field, but the header names 2. "
          + "Add the missing fields at the end of the line."
      ),
      (
        "a,b\n1,2,3\n",
        "? f.csv:2:5: 3 fields, but the header names 2. "
          + "Enclose a field that contains a comma in quotes."
      ),
      (
        "a,b\n\"1\"x,2\n",
        "? f.csv:2:4: text after the closing quote of the field. "
          + "Write a quote inside a quoted field as \"\"."
      ),
      (
        "a,b\n猫\"x,2\n",
        "? f.csv:2:2: a quote inside a field that is not quoted. "
          + "Enclose the field in quotes, and write the quote inside it as \"\"."
      ),
      (
        "a,b\n1,x\u{0}y\n",
        "? f.csv:2:3: a NUL byte outside quotes. "
          + "If the file is UTF-16, convert it to UTF-8; if it is not a text file, name another."
      ),
    ] as [(String, String)]
  )
  func `an error names its position and the remedy`(text: String, expected: String) throws {
    let found = everything(CSVReader(bytes: Array(text.utf8), source: "f.csv"))
    #expect(found.last { $0.hasPrefix("!") || $0.hasPrefix("?") } == expected)
  }

  @Test func `the reader continues after a recoverable error`() {
    let text = "a,b\n1,2\n3\n\"x\"y\n5,6\n\"7\n8\",9\n"
    let found = everything(CSVReader(bytes: Array(text.utf8), source: "-"))
    #expect(found.count == 5)
    #expect(found[1].hasPrefix("? -:3:1: 1 field,"))
    #expect(found[2].hasPrefix("? -:4:4: text after"))
    #expect(Array(found[3...]) == ["5: a@1='5' b@3='6'", "6: a@1='7\n8' b@4='9'"])
  }

  @Test func `an invalid byte is reported with its offset`() {
    let bytes = Array("a,b\n1,caf".utf8) + [0xE9] + Array("\n3,4\n".utf8)
    #expect(
      everything(CSVReader(bytes: bytes, source: "f")) == [
        "? f:2:3: the byte E9 at offset 9 is not valid UTF-8. "
          + "Convert the file to UTF-8, for example with: iconv -f ISO-8859-1 -t UTF-8.",
        "3: a@1='3' b@3='4'",
      ]
    )
  }

  @Test(
    arguments: [
      ([0xFF, 0xFE, 0x61, 0], "UTF-16LE", "UTF-16"), ([0xFE, 0xFF, 0, 0x61], "UTF-16BE", "UTF-16"),
      ([0xFF, 0xFE, 0, 0], "UTF-32LE", "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32BE", "UTF-32"),
    ] as [([UInt8], String, String)]
  )
  func `a byte order mark of another encoding is reported`(
    bytes: [UInt8],
    name: String,
    argument: String
  ) {
    let expected = [
      "! f:1:1: the file is \(name), not UTF-8. Convert it first: iconv -f \(argument) -t UTF-8."
    ]
    #expect(everything(CSVReader(bytes: bytes, source: "f")) == expected)
    #expect(everything(TSVReader(bytes: bytes, source: "f")) == expected)
    #expect(everything(JSONLinesReader(bytes: bytes, source: "f")) == expected)
  }

  @Test func `a field above the limit is refused`() {
    let text = "a\n" + String(repeating: "x", count: 11) + "\ny\n"
    #expect(
      everything(CSVReader(bytes: Array(text.utf8), source: "f", maximumFieldBytes: 10)) == [
        "? f:2:1: the field has 11 bytes; the limit is 10. Check for a quote that is not closed.",
        "3: a@1='y'",
      ]
    )
  }

  @Test func `an empty field can be null, a quoted one never`() throws {
    let reader = CSVReader(bytes: Array("a,b\n,\"\"\n".utf8), source: "f", emptyIsNull: true)
    #expect(try values(reader) == [[.null, .text("")]])
  }
}

@Suite("TSVReader")
struct TSVReaderTests {
  @Test(
    arguments: [
      ("a\tb\n\"1\t2\"\n", ["2: a@1='\"1' b@4='2\"'"]), ("a\tb\r\n1\t\r\n", ["2: a@1='1' b@3=''"]),
      ("a\tb\n\n1\t2\n", ["3: a@1='1' b@3='2'"]),
      ("a\n1\n\n2\n", ["2: a@1='1'", "3: a@1=''", "4: a@1='2'"]),
      (#"a\#nx\ty\nz\r\\\q\#n"#, ["2: a@1='x\ty\nz\r\\\\q'"]),
      ("a\nTriga\\Verlag\\\n", ["2: a@1='Triga\\Verlag\\'"]),
      (#"a\#n\x1B\x9b\x41\x1\#n"#, ["2: a@1='\u{1B}\u{9B}\\x41\\x1'"]),
      (
        "a\tb\n1\n",
        [
          "? f:2:1: 1 field, but the header names 2. Add the missing fields at the end of the line."
        ]
      ),
      (
        "a\n1\t2\n",
        ["? f:2:3: 2 fields, but the header names 1. Write a tab inside a field as \\t."]
      ),
    ] as [(String, [String])]
  )
  func `quotes are ordinary characters, and backslashes escape`(text: String, expected: [String]) {
    #expect(everything(TSVReader(bytes: Array(text.utf8), source: "f")) == expected)
  }

  @Test func `escapes are not decoded on request`() throws {
    let reader = TSVReader(bytes: Array("a\nC:\\new\n".utf8), source: "f", unescapes: false)
    #expect(try values(reader) == [["C:\\new"]])
  }
}
