import ResultsDomain

/// A bibliographic record of MARC 21, with the fields that a catalogue of books has.
///
/// The fields are those of loc.gov/marc/bibliographic; what is not read of them is not kept.
struct MARCRecord: Sendable {
  /// A field with subfields.
  struct Field: Sendable {
    let tag: String
    /// The second indicator.
    let indicator: UInt8
    var subfields: [(code: UInt8, text: String)] = []

    /// The texts of the subfields with some codes, in the order of the record.
    func texts(_ codes: String) -> [String] {
      subfields.filter { codes.utf8.contains($0.code) }.map(\.text)
    }

    /// Whether the person is named as an author, or without a role (loc.gov/marc/relators).
    fileprivate var isOfAuthor: Bool {
      let roles = texts("e4").map { $0.lowercased() }
      return roles.isEmpty || roles.contains { $0.contains("aut") }
    }
  }

  /// The number of the record, or the line that it begins in.
  let line: Int
  /// The record status (leader/05).
  var status: UInt8?
  /// The fixed-length data (008).
  var fixedData: [UInt8] = []
  private(set) var fields: [Field] = []

  init(line: Int) { self.line = line }

  /// Whether a field with this tag is read.
  static func reads(_ tag: String) -> Bool {
    [
      "008", "010", "020", "022", "041", "100", "110", "245", "260", "264", "490", "650",
      "700",
    ].contains { $0.hasSameBytes(as: tag) }
  }

  mutating func append(_ field: Field) { fields.append(field) }

  private func fields(_ tag: String) -> [Field] { fields.filter { $0.tag.hasSameBytes(as: tag) } }
}

// MARK: - As a record of books

extension MARCRecord {
  /// What is wrong with the record although its form is right, or `nil`.
  private var defect: (message: String, remedy: String)? {
    if status == UInt8(ascii: "d") {
      return ("the record is marked as deleted (leader/05 is d).", "Leave it out.")
    }
    return title.isEmpty ? ("there is no title (field 245).", "A book needs one.") : nil
  }

  /// Returns the record as one of books.
  ///
  /// Its fields are `title`, `nonfiling` (the number of characters that filing skips), `author`, `publisher`, `year`, `language`, an
  /// `isbn` for each number (else an `lccn`, else the ISSN as `identifier`), `series`, `volume`, and `coauthors` and `tags`, in which a
  /// backslash stands before semicolons.
  /// - Parameter source: The name of the file for error messages.
  /// - Returns: The record.
  /// - Throws: `RecordError` for a record that is deleted or has no title.
  func record(source: String) throws(RecordError) -> Record {
    if let defect {
      throw RecordError(
        source: source,
        line: line,
        message: defect.message,
        remedy: defect.remedy,
        isRecoverable: true
      )
    }
    var values: [(name: String, text: String?)] = [
      ("title", title), ("nonfiling", nonfiling), ("author", authors.first),
      ("publisher", publisher ?? ""),
      ("year", year), ("language", language),
    ]
    values += numbers.map { ($0.name, $0.text) }
    values += [("series", series.title), ("volume", series.volume)]
    values += [("coauthors", joined(Array(authors.dropFirst()))), ("tags", joined(subjects))]
    return Record(
      line: line,
      fields: values.compactMap { name, text in
        text.map { RecordField(name: name, value: .text($0), column: 1) }
      }
    )
  }

  /// Field 245: title proper ($a), the remainder ($b), and the number and name of a part ($n, $p), without what ISBD puts behind them.
  ///
  /// See loc.gov/marc/bibliographic/bd245.html. A medium ($h) is left out, but for the mark at its end, which belongs to what follows.
  private var title: String {
    guard let field = fields("245").first else { return "" }
    var title = ""
    for (code, text) in field.subfields {
      switch code {
      case UInt8(ascii: "h"):
        let mark = text.utf8.last.map { String(UnicodeScalar($0)) } ?? ""
        if !title.isEmpty, ":=/".utf8.contains(mark.utf8.first ?? 0) { title += " " + mark }
      case UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "n"), UInt8(ascii: "p"):
        let next = MARCText.withoutSortMarks(text).trimmed
        if title.isEmpty {
          title = next
        } else {
          // Records without ISBD's marks have none here either (leader/18).
          let isMarked = ":=;.,/".utf8.contains(title.utf8.last ?? 0)
          title += (isMarked ? " " : code == UInt8(ascii: "b") ? " : " : ". ") + next
        }
      default: break
      }
    }
    return MARCText.plain(title, endsField: MARCText.ends(field, with: "abnp"))
  }

  /// The second indicator of 245, or the characters between the marks of what is not sorted, where a record has them.
  ///
  /// Characters are code points, as loc.gov/marc/specifications/speccharucs.html counts them.
  private var nonfiling: String? {
    guard let field = fields("245").first else { return nil }
    if let count = field.texts("a").first.flatMap(MARCText.unsortedCount) { return String(count) }
    guard (0x30...0x39).contains(field.indicator) else { return nil }
    return String(field.indicator - 0x30)
  }

  /// The main entry of a person (100) and the other persons who are authors (700), else the first other person, else the main entry of a
  /// body (110).
  ///
  /// A 700 with a $t is of a work in the book. See loc.gov/marc/bibliographic/bd1xx.html.
  private var authors: [String] {
    let others = fields("700").filter { $0.texts("t").isEmpty }
    var names: [String] = []
    for name in (fields("100") + others.filter(\.isOfAuthor)).map(name)
    where !name.isEmpty && !names.contains(where: name.hasSameBytes) {
      names.append(name)
    }
    guard names.isEmpty else { return names }
    return (others + fields("110")).map(name).first { !$0.isEmpty }.map { [$0] } ?? []
  }

  private func name(_ field: Field) -> String {
    MARCText.plain(
      field.texts("ab").map(\.trimmed).joined(separator: " "),
      endsField: MARCText.ends(field, with: "ab")
    )
  }

  /// The first series statement (490, loc.gov/marc/bibliographic/bd490.html): its title ($a), and the volume ($v) if that has one number.
  private var series: (title: String?, volume: String?) {
    let series = fields("490").lazy.map { field in
      (
        title: MARCText.plain(
          field.texts("a").first ?? "",
          endsField: MARCText.ends(field, with: "a")
        ),
        volume: field.texts("v").first.flatMap(MARCText.volume)
      )
    }.first { !$0.title.isEmpty }
    return (series?.title, series?.volume)
  }

  /// The fields of publication: 264 with the second indicator 1 (loc.gov/marc/bibliographic/bd264.html), else 260.
  private var publications: [Field] {
    fields("264").filter { $0.indicator == UInt8(ascii: "1") } + fields("260")
  }

  private var publisher: String? {
    publications.lazy.flatMap { $0.texts("b") }
      .map { MARCText.plain($0, endsField: false) }.first { !$0.isEmpty }
  }

  /// The year of publication, else date 1 of field 008 (loc.gov/marc/bibliographic/bd008a.html), if all its digits are known.
  private var year: String? {
    let dates = publications.lazy.flatMap { $0.texts("c") }
    if let year = dates.compactMap(MARCText.year).first { return year }
    return fixed(7..<11).flatMap(MARCText.year)
  }

  /// The language of the text (041 $a, loc.gov/marc/bibliographic/bd041.html), else that of field 008.
  private var language: String? {
    let texts = fields("041").filter { $0.indicator == UInt8(ascii: " ") }.flatMap { $0.texts("a") }
    // Codes stood together in one subfield once: engfre.
    let codes = texts.map { String(decoding: $0.utf8.prefix(3), as: UTF8.self) }
    return (codes + [fixed(35..<38)].compactMap(\.self)).first(where: MARCText.isLanguage)
  }

  private func fixed(_ range: Range<Int>) -> String? {
    fixedData.count >= range.upperBound
      ? String(validating: fixedData[range], as: UTF8.self) : nil
  }

  /// The ISBNs (020 $a), else the number of the Library of Congress (010 $a), else the ISSN (022 $a).
  private var numbers: [(name: String, text: String)] {
    let isbns = fields("020").flatMap { $0.texts("a") }.map(MARCText.isbn).filter { !$0.isEmpty }
    guard isbns.isEmpty else { return isbns.map { ("isbn", $0) } }
    let lccn = fields("010").flatMap { $0.texts("a") }.map(MARCText.lccn).first { !$0.isEmpty }
    if let lccn { return [("lccn", lccn)] }
    let issn = fields("022").flatMap { $0.texts("a") }.map(\.trimmed).first { !$0.isEmpty }
    return issn.map { [("identifier", $0)] } ?? []
  }

  /// The subjects (650 $a, loc.gov/marc/bibliographic/bd650.html).
  private var subjects: [String] {
    fields("650").compactMap { field in
      field.texts("a").first.map { MARCText.plain($0, endsField: MARCText.ends(field, with: "a")) }
    }.filter { !$0.isEmpty }
  }

  private func joined(_ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    let quoted = names.map { name in
      let bytes = name.utf8.flatMap { byte in
        ";\\".utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    return quoted.joined(separator: "; ")
  }
}
