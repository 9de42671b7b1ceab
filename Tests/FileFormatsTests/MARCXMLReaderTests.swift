import ResultsDomain
import ResultsTesting
import Testing

@testable import FileFormats

/// R293: records of libraries as books, in MARCXML.
@Suite struct MARCXMLReaderTests {
  private let xml = MARCFile.xml([
    [("245", "14$aThe zoo /")], [("100", "1 $aA")], [("245", "00$aB")],
  ])

  private func read(_ text: String) -> (records: [Record], errors: [RecordError]) {
    MARCXMLReader(bytes: Array(text.utf8), source: "x").all()
  }

  private func reader(_ text: String, format: ImportFormat? = nil) throws -> String {
    let file = RecordFile(source: "a.xml", bytes: Array(text.utf8))
    return "\(type(of: try file.reader(format: format)))"
  }

  @Test func `R293: records without a title are refused with their line, and the others are read`()
  {
    let (records, errors) = read(xml)
    #expect(records.map(MARCFile.title) == ["The zoo", "B"])
    #expect(errors.map(\.description) == ["x:4: there is no title (field 245). A book needs one."])
  }

  @Test func `R293: the first element and its namespace decide what a file is`() throws {
    let namespace = "xmlns='http://www.loc.gov/MARC21/slim'"
    for text in [
      xml, "<record \(namespace)/>", "<!-- <rss> --><?x <rss> ?>\n<collection\n \(namespace)>",
      "<m:collection xmlns:m=\"http://www.loc.gov/MARC21/slim\"></m:collection>",
    ] {
      #expect(try reader(text) == "MARCXMLReader", "\(text)")
      #expect(try reader(text, format: .feed) == "FeedReader")
    }
    for text in [
      "<rss/>", "<collection/>", "<rss \(namespace)>", "<!-- <record \(namespace)>", "<",
    ] {
      #expect(try reader(text) == "FeedReader", "\(text)")
      #expect(try reader(text, format: .marc) == "MARCXMLReader")
    }
    var utf16: [UInt8] = [0xFF, 0xFE]
    for unit in xml.utf16 { utf16 += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let file = RecordFile(source: "-", bytes: utf16)
    var utf16Reader: any RecordReader = try file.reader()
    #expect(try utf16Reader.next().map(MARCFile.title) == "The zoo")
  }

  @Test func `R293: records may stand in other elements, and other elements in them`() {
    let wrapped = "<answer><item>\(xml.dropFirst(MARCFile.declaration.count))</item></answer>"
    #expect(read(wrapped).records.map(MARCFile.title) == ["The zoo", "B"])
    let nested =
      xml.replacing(
        "<subfield code=\"a\">The",
        with: "<subfield code=\"a\"><x xmlns='y'>&amp; </x>The"
      )
    #expect(
      read(nested).records.first.map(MARCFile.title) == "& The zoo",
      "\(read(nested)) \(nested)"
    )
  }

  @Test(
    arguments: [
      ("<rss/>", "x:1: the file has no element of MARCXML"),
      ("", "x:1: the XML is not well formed"),
      ("<a><b></a>", "x:1: the XML is not well formed"),
      ("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "x:1: the document defines its own entities"),
      ("<a>\n\0</a>", "x:2: a NUL character"),
    ]
  )
  func `R293: a file that cannot be read is refused as a whole`(_ text: String, _ message: String) {
    let (records, errors) = read(text)
    #expect(records.isEmpty && errors.count == 1 && errors.first?.isRecoverable == false)
    #expect(errors.first?.description.hasPrefix(message) == true, "\(errors)")
  }

  @Test func `R293: a file that is too long is refused`() {
    let reader = MARCXMLReader(bytes: Array(xml.utf8), source: "x", maximumBytes: 10)
    let error = reader.all().errors.first
    #expect(error?.message.contains("the limit of MARCXML is 10") == true)
  }

  @Test func `R293: no MARCXML stops the reader`() {
    var generator = SeededGenerator(seed: 21)
    let parts = [
      "<record>", "</record>", "<leader>", "</leader>", "<controlfield tag=\"008\">",
      "</controlfield>",
      "<datafield tag=\"245\" ind1=\"\" ind2=\"é\">", "<datafield tag=\"24\">", "</datafield>",
      "<subfield code=\"\">", "<subfield code=\"a\">", "</subfield>", "x", "é", "</collection>",
      "<![CDATA[y]]>",
    ]
    for _ in 0..<1500 {
      var text = xml
      if generator.happens(percent: 50) {
        text = "<collection xmlns=\"\(MARCXMLReader.namespace)\">"
        for _ in 0..<generator.number(in: 0...12) { text += generator.pick(parts) }
      }
      var bytes = Array(text.utf8)
      if generator.happens(percent: 50) {
        bytes[generator.number(in: 0...(bytes.count - 1))] = UInt8(generator.number(in: 0...255))
      }
      if generator.happens(percent: 20) { bytes.removeLast(generator.number(in: 0...bytes.count)) }
      let read = MARCXMLReader(bytes: bytes, source: "x").all()
      #expect(read.errors.allSatisfy { $0.line != nil }, "seed \(generator.seed): \(bytes)")
    }
  }
}
