#if Web
import Foundation
import ResultsDomain
import ResultsTesting
import Testing
import WireFormat

/// R242: the condition in an address reaches the parser of conditions and nothing else, whatever stands beside its quotes.
///
/// `RESULTS_WEB_FUZZ` sets the number of requests, `RESULTS_LAW_SEED` the seed; a failure names its own.
@Suite("Conditions in addresses", .serialized, .timeLimit(.minutes(10)))
struct WebConditionTests {
  @Test
  func `R242: what a condition selects is what list selects, and others are refused by words`()
    throws
  {
    let folder = try WebFolder()
    try folder.makeBooks(1)
    let fuzz = ConditionFuzz(folder, store: "b.sqlite")
    let shell = try SQLiteWriter(folder)
    try shell.run("DELETE FROM Book")
    for (number, title) in fuzz.titles.enumerated() {
      try shell.run(
        "INSERT INTO Book(id, publisher, title) VALUES(\(number), 'p', CAST(x'\(ConditionFuzz.hex(title))' AS TEXT))"
      )
    }
    try fuzz.run()
  }

  #if PostgreSQL
  @Test
  func `R242: PostgreSQL, too, sees a condition only as values of a statement`() throws {
    let folder = try WebFolder()
    let database = try WebDatabase(in: folder, books: 1)
    let fuzz = ConditionFuzz(folder, store: database.url)
    let rows = fuzz.titles.enumerated().map { number, title in
      "(\(number), 'p', convert_from(decode('\(ConditionFuzz.hex(title))', 'hex'), 'UTF8'))"
    }
    try database.psql(
      "DELETE FROM \"Book\"; INSERT INTO \"Book\"(id, publisher, title) VALUES \(rows.joined(separator: ", "))"
    )
    try fuzz.run()
  }
  #endif
}

/// Titles and conditions with quotes beside all of Unicode, over one store.
private struct ConditionFuzz {
  private let folder: WebFolder
  private let store: String
  /// The titles of the store's rows, which have the titles' positions as ids.
  let titles: [String]
  private let seed = WebFuzzTests.seed
  private static let marks: [Unicode.Scalar] = ["'", "\"", "\\", "%"]
  private static let entity = try? EntityDescription(
    name: "Book",
    identity: .integer(),
    attributes: [AttributeDescription("title", .text)]
  )

  init(_ folder: WebFolder, store: String) {
    (self.folder, self.store) = (folder, store)
    var generator = SeededGenerator(seed: seed)
    let all = QuotingTexts.all(around: Self.marks)
    let sequences = all.filter { (1...3).contains($0.unicodeScalars.count) }
    let long = all.filter { $0.unicodeScalars.count > 3 }
    var titles = ["", "plain", "\u{202E}'\u{202C}", "\u{2066}\"\u{2069}", "''", "\"\"", "\\'"]
    let count = min(WebFuzzTests.count / 50, 2000)
    for _ in 0..<count {
      titles.append(generator.element(of: sequences) ?? "")
      // A part of the texts in which each scalar of Unicode stands between two marks.
      let text = Array((generator.element(of: long) ?? "").unicodeScalars)
      let start = generator.number(in: 0...max(text.count - 1, 0))
      titles.append(String(String.UnicodeScalarView(text[start...].prefix(40))))
    }
    self.titles = titles
  }

  static func hex(_ text: String) -> String { encoded(text.utf8, prefix: "") }

  private static func encoded(_ bytes: some Sequence<UInt8>, prefix: String = "%") -> String {
    bytes.map { prefix + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  func run() throws {
    let served = try ServedProgram(in: folder, store: store)
    let session = try WebSession(served)
    try checkSelections(served, session)
    try checkTexts(served, session)
    try checkBytes(served, session)
    #expect(try served.isHealthy, "seed \(seed)")
  }

  // MARK: - Conditions

  /// The ids of the rows that a filter in an address selects, or `nil` if it is refused.
  private func selected(by filter: String, _ session: WebSession) throws -> Set<String>? {
    let query = "from=0&count=512&sections=none&filter=\(Self.encoded(filter.utf8))"
    let connection = try RawConnection(to: session.port)
    let request = session.request("/api/events?\(query)")
    try connection.send(request.bytes(to: session.port))
    let head = try connection.head()
    guard head.status == 200 else {
      var answer = head
      answer.body = try connection.body(of: head)
      check(answer, "\(filter.unicodeScalars.map(\.value))")
      return nil
    }
    let page = try session.page(query)
    let line = try page.takeLine()
    #expect(line["rows"]?.integer == page.replay.rows.count)
    return Set(page.replay.rows.compactMap { $0?.id })
  }

  private func check(_ answer: RawAnswer, _ context: String) {
    let comment: Comment = "seed \(seed), \(context): \(answer.status) \(answer.text)"
    #expect([200, 400, 422].contains(answer.status), comment)
    guard answer.status != 200 else { return }
    #expect(answer.isError, comment)
    // The words of the parsers of databases; a condition is refused by our own, before any of them sees it.
    let words = [
      "syntax error", "near \"", "unrecognized token", "SQLITE", "sqlite", "ERROR", "LINE 1",
      "invalid byte sequence", "unterminated", "SELECT", "operator does not exist",
    ]
    for word in words { #expect(!answer.error.contains(word), comment) }
  }

  /// Conditions that are well formed select what `list` selects, and what a look at the titles says.
  private func checkSelections(_ served: ServedProgram, _ session: WebSession) throws {
    var generator = SeededGenerator(seed: seed)
    let entity = try #require(Self.entity)
    for number in 0..<min(WebFuzzTests.count / 150, titles.count) {
      let title = titles[generator.number(in: 0...titles.count - 1)]
      let sought = generator.happens(percent: 50) ? title : String(title.unicodeScalars.prefix(2))
      let (predicate, isMatch): (FetchPredicate, (String) -> Bool) =
        switch number % 4 {
        case 0:
          (
            .comparison(.attribute("title"), .equal, .literal(.text(sought))),
            { $0.utf8.elementsEqual(sought.utf8) }
          )
        case 1:
          (
            .membership(.attribute("title"), [.text(sought), .text("plain")]),
            { $0.utf8.elementsEqual(sought.utf8) || $0.utf8.elementsEqual("plain".utf8) }
          )
        case 2:
          (
            .text(.attribute("title"), .beginsWith, sought, caseInsensitive: false),
            { $0.utf8.starts(with: sought.utf8) }
          )
        default:
          (
            .text(.attribute("title"), .contains, sought, caseInsensitive: false),
            { $0.containsBytes(of: sought) }
          )
        }
      let text = predicate.text(in: entity)
      let comment: Comment = "seed \(seed), condition \(number): \(text)"
      let shown = try selected(by: "=\(text)", session)
      let expected = titles.indices.filter { isMatch(titles[$0]) }.map(String.init)
      #expect(shown == Set(expected), comment)
      let exported = try session.get(
        "/api/export?format=jsonl&sections=none&filter=\(Self.encoded("=\(text)".utf8))"
      )
      let lines = try exported.body.split(separator: 0x0A).map { try JSONValue(parsing: Array($0)) }
      let texts = lines.map { Array(($0["title"]?.string ?? "").utf8) }
      #expect(
        texts.sorted { $0.lexicographicallyPrecedes($1) }
          == titles.filter(isMatch).map { Array($0.utf8) }.sorted {
            $0.lexicographicallyPrecedes($1)
          },
        comment
      )
      let list = try served.list(["--where", text, "--section-by", "none"])
      #expect(shown == Set(list.rows.map(\.id)), comment)
    }
  }

  /// Texts that are no conditions are words to search for, or are refused by words of the filter.
  private func checkTexts(_ served: ServedProgram, _ session: WebSession) throws {
    var generator = SeededGenerator(seed: seed)
    for number in 0..<WebFuzzTests.count / 30 {
      let title = titles[generator.number(in: 0...titles.count - 1)]
      let filter = generator.choice(
        title,
        "=\(title)",
        "title:\(title)",
        "title=\(title)",
        "title=\"\(title)",
        "= title == '\(title)",
        "= title == \(title)",
        "=\(title) == ''",
        "-\(title)",
        "= title LIKE '\(title)'",
        "title:\(title)..\(title)\u{0}"
      )
      let targets = [
        "/print?filter=", "/api/export?format=csv&filter=",
        "/api/events?from=0&count=32&sort=\(Self.encoded(title.utf8))&filter=",
      ]
      for target in targets {
        let request = session.request(target + Self.encoded(filter.utf8))
        let connection = try RawConnection(to: session.port)
        try connection.send(request.bytes(to: session.port))
        var answer = try connection.head()
        let isStream = answer["content-type"]?.hasPrefix("text/event-stream") == true
        if !isStream { answer.body = try connection.body(of: answer) }
        check(answer, "text \(number), \(target): \(filter.unicodeScalars.map(\.value))")
      }
    }
  }

  // MARK: - Bytes

  /// What no encoder writes: bytes that are no UTF-8, and percent signs that begin nothing.
  private func checkBytes(_ served: ServedProgram, _ session: WebSession) throws {
    let malformed: [[UInt8]] = [
      // A quote in two, three and four bytes; surrogates; beyond the last scalar; bytes that begin nothing or continue nothing.
      [0xC0, 0xA7], [0xE0, 0x80, 0xA7], [0xF0, 0x80, 0x80, 0xA7], [0xC0, 0x80], [0xED, 0xA0, 0x80],
      [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8],
      [0xFF], [0x80], [0xBF, 0x27], [0xC3, 0x27], [0xE2, 0x82, 0x27], [0xF0, 0x9F, 0x91, 0x27],
    ]
    for bytes in malformed {
      for around in ["", "'", "= title == '", "title=\""] {
        let text = Self.encoded(around.utf8) + Self.encoded(bytes) + "%27"
        let answer = try session.get("/print?filter=\(text)")
        #expect(answer.status == 400, "\(text): \(answer.status)")
        check(answer, text)
      }
    }
    // An address that ends anywhere, in the middle of a scalar or of an encoded byte.
    let whole = "= title == '\u{1F469}\u{200D}\u{301}' OR title == \"\u{600}\u{202E}\\\"\""
    let encoded = Self.encoded(whole.utf8)
    for count in 0...encoded.utf8.count {
      let text = String(encoded.prefix(count))
      let answer = try session.get("/print?filter=\(text)")
      check(answer, text)
      if count % 3 != 0 { #expect(answer.status == 400, "\(text): \(answer.status)") }
    }
    // An address has only bytes of ASCII; a request with others is no request, and ends its connection.
    for bytes in malformed + [Array("'\u{301}".utf8), Array("\u{600}'".utf8)] {
      let connection = try RawConnection(to: session.port)
      let request = session.request("/print?filter=@").bytes(to: session.port)
      let at = try #require(request.firstIndex(of: UInt8(ascii: "@")))
      try connection.send(request[..<at] + bytes + request[(at + 1)...])
      guard let answer = try? connection.answer() else { continue }
      #expect(answer.status == 400 && answer["connection"] == "close", "\(bytes)")
    }
  }
}

extension String {
  /// Whether the bytes of a text occur in this one.
  fileprivate func containsBytes(of sought: String) -> Bool {
    let (bytes, part) = (Array(utf8), Array(sought.utf8))
    guard part.count <= bytes.count else { return false }
    return (0...bytes.count - part.count).contains { bytes[$0...].starts(with: part) }
  }
}
#endif
