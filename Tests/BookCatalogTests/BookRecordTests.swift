import BookCatalog
import ResultsDomain
import Testing

/// R293, R294: what a library's record says of a book.
@Suite struct BookRecordTests {
  /// The fields of a record as a book has them, and what is odd about it.
  private func prepared(_ fields: [(String, String)]) -> (text: String, remark: String?) {
    let fields = fields.map { RecordField(name: $0.0, value: .text($0.1), column: 1) }
    let (record, remark) = BookRecord.prepared(Record(line: 1, fields: fields))
    let text = record.fields.map { "\($0.name)=\($0.value.text ?? "")" }.joined(separator: " ")
    return (text, remark)
  }

  @Test(
    arguments: [
      ("0306406152", "9780306406157"), ("0-306-40615-2", "9780306406157"),
      ("978-0-306-40615-7", "9780306406157"), ("978 0 306 40615 7", "9780306406157"),
      ("080442957X", "9780804429573"), ("080442957x", "9780804429573"),
      ("9791090636071", "9791090636071"), ("9780306406158", "9780306406158"),
      ("0306406153", "0306406153"), ("X306406152", "X306406152"), ("12345", "12345"),
      ("n 80-123456", "n 80-123456"), ("", ""), ("----------", "----------"),
      ("０３０６", "０３０６"), ("97803064061578", "97803064061578"),
    ]
  )
  func `R294: a number of ten digits and one of thirteen are one identifier`(
    _ identifier: String,
    _ identity: String
  ) {
    #expect(BookRecord.identity(of: .text(identifier)) == .text(identity))
  }

  @Test func `R294: other values are compared as they are`() {
    #expect(BookRecord.identity(of: .null) == .null)
    #expect(BookRecord.identity(of: .integer(1)) == .integer(1))
  }

  @Test func `R294: of several numbers the first right one counts, and a wrong one is said`() {
    let (text, remark) = prepared([("isbn", "0306406153"), ("title", "T"), ("isbn", "080442957X")])
    #expect(text == "title=T isbn=080442957X" && remark == nil)
    let wrong = prepared([("isbn", "0306406153"), ("isbn", "9780306406158")])
    #expect(wrong.text == "isbn=0306406153")
    #expect(
      wrong.remark == "the ISBN 0306406153 has a wrong check digit; it is imported as it is."
    )
    // What is in no form of the number is no wrong one.
    for other in ["", "n/a", "LB 12", "123456789"] {
      #expect(prepared([("ISBN", other)]).remark == nil)
    }
    #expect(prepared([("lccn", "0306406153")]).remark == nil)
  }

  @Test(
    arguments: [
      ("The Zoo", "eng", "4", "Zoo, The"), ("L'étoile", "fre", "2", "étoile, L'"),
      ("L'e\u{301}toile", "fre", "2", "e\u{301}toile, L'"),
      ("La\u{301} Zoo", "", "4", "Zoo, La\u{301}"),
      ("[The] Zoo", "eng", "6", "Zoo, The"), ("\"Die Zeit\"", "ger", "5", "Zeit\", Die"),
      ("Al-Kitab", "ara", "3", "Kitab, Al-"), ("...and all", "eng", "3", "and all"),
      ("ha-sefer", "heb", "3", "sefer, ha-"), ("הספר", "heb", "1", "ספר, ה"),
      // A count that cannot be is none.
      ("The Zoo", "eng", "1", nil), ("The Zoo", "eng", "6", nil), ("The Zoo", "eng", "", nil),
      // Nothing is skipped where a word only looks like an article.
      ("The The", "eng", "0", "The The"), ("A is for alibi", "eng", "0", "A is for alibi"),
      ("Zoo", "eng", "0", nil), ("Zoo", "eng", "9", nil), ("Zoo", "eng", "3", nil),
      ("The", "eng", "4", nil), ("Die  ", "ger", "3", nil), ("Zoo", "eng", "x", nil),
      ("Zoo", "eng", "-1", nil),
    ] as [(String, String, String, String?)]
  )
  func `R293: a title is filed behind the characters that a cataloguer has counted`(
    _ title: String,
    _ language: String,
    _ count: String,
    _ filed: String?
  ) {
    let (text, _) = prepared([("title", title), ("language", language), ("nonfiling", count)])
    let expected = filed.map { " filedAs=\($0)" } ?? ""
    #expect(text.hasSameBytes(as: "title=\(title) language=\(language)\(expected)"), "\(text)")
  }
}
