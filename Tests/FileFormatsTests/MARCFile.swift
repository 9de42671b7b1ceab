import FileFormats
import ResultsDomain

/// Records of MARC 21 for tests: the text of a field begins with its indicators, and a dollar sign stands before each subfield.
enum MARCFile {
  static let declaration = "<?xml version=\"1.0\"?>\n"

  /// A record in ISO 2709.
  static func iso(_ fields: [(tag: String, text: String)]) -> [UInt8] {
    var directory = ""
    var data: [UInt8] = []
    for field in fields {
      let text = field.text.replacing("$", with: "\u{1F}") + "\u{1E}"
      directory += "\(field.tag)\(padded(text.utf8.count, 4))\(padded(data.count, 5))"
      data += Array(text.utf8)
    }
    let base = 24 + directory.utf8.count + 1
    let leader = "\(padded(base + data.count + 1, 5))nam a22\(padded(base, 5)) i 4500"
    return Array((leader + directory + "\u{1E}").utf8) + data + [0x1D]
  }

  /// A collection in MARCXML, with each record in a line.
  static func xml(_ records: [[(tag: String, text: String)]]) -> String {
    let lines = records.map { fields in
      let elements = fields.map { field in
        let parts = field.text.replacing("&", with: "&amp;")
          .split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count > 1 else {
          return "<controlfield tag=\"\(field.tag)\">\(field.text)</controlfield>"
        }
        let subfields = parts.dropFirst().map { part in
          let text = String(part.unicodeScalars.dropFirst())
          return "<subfield code=\"\(part.unicodeScalars.first ?? "?")\">\(text)</subfield>"
        }
        let indicators = parts[0].unicodeScalars.map { String($0) }
        return
          "<datafield tag=\"\(field.tag)\" ind1=\"\(indicators[0])\" ind2=\"\(indicators[1])\">"
          + subfields.joined() + "</datafield>"
      }
      return "<record><leader>00000nam a2200000 i 4500</leader>\(elements.joined())</record>\n"
    }
    return declaration + "<collection xmlns=\"http://www.loc.gov/MARC21/slim\">\n"
      + lines.joined() + "</collection>\n"
  }

  static func padded(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
  }

  /// The fields of a record in one line.
  static func text(_ record: Record) -> String {
    record.fields.map { "\($0.name)=\($0.value.text ?? "")" }.joined(separator: " ")
  }

  static func title(_ record: Record) -> String { record.fields.first?.value.text ?? "" }
}

extension RecordReader {
  /// All records and errors, in order; of errors at most a thousand.
  func all() -> (records: [Record], errors: [RecordError]) {
    var reader = self
    var (records, errors): ([Record], [RecordError]) = ([], [])
    while true {
      do throws(RecordError) {
        guard let record = try reader.next() else { return (records, errors) }
        records.append(record)
      } catch {
        errors.append(error)
        guard error.isRecoverable, errors.count < 1000 else { return (records, errors) }
      }
    }
  }
}
