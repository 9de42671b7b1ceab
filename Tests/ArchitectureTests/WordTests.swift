import Testing

/// The words that `docs/vocabulary.md` asks us to avoid.
struct AvoidedWords {
  /// Single words, in lower case; they are also found as parts of names.
  let words: Set<String>
  /// Words that are right in prose and not in names: the table marks them with “in names”.
  let names: Set<String>
  /// Phrases of several words, in lower case.
  let phrases: [String]

  /// Reads the table between `<!-- forbidden -->` and `<!-- end -->`.
  init(vocabulary: String) {
    var isInside = false
    var terms: [String] = []
    var names: [String] = []
    for line in vocabulary.split(separator: "\n") {
      if line == "<!-- forbidden -->" { isInside = true }
      if line == "<!-- end -->" { isInside = false }
      let cells = line.split(separator: "|")
      guard isInside, cells.count == 2, !line.hasPrefix("|---"), cells[0] != " avoid " else {
        continue
      }
      let listed = cells[0].prefix { $0 != "(" }
      let listedTerms = listed.split(separator: ",").map(Self.trimmed)
      if cells[0].contains("(in names)") { names += listedTerms } else { terms += listedTerms }
    }
    self.names = Set(names)
    words = Set(terms.filter { !$0.contains(" ") })
    phrases = terms.filter { $0.contains(" ") }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    text.split(separator: " ").joined(separator: " ").lowercased()
  }

  /// Technical phrases in which a word is right.
  static let allowed = [
    "leading column", "leading zero", "leading minus", "leading space", "leading slash",
    "leading byte", "leading one", "leading dimension", "lead byte", "lead author",
    "in place", "in-place", "placeholder", "decimal place", "decimal places", "decimalplaces",
    "publisher,place,",
    "imported: place,", "leadingzerobitcount", "calendar.component.era", ".era",
    "era:",
  ]

  /// Finds the words in a text; one line each, with its number.
  /// - Complexity: O(*n*) in the bytes of the text.
  func occurrences(in text: String, of path: String) -> [String] {
    var found: [String] = []
    for (index, line) in text.utf8.split(separator: 10, omittingEmptySubsequences: false)
      .enumerated()
    {
      var isInside = false
      // A rough test: names are in lines that are no comments, in Swift.
      let isCode = path.hasSuffix(".swift") && line.first { $0 != 32 } != 47
      var start = line.startIndex
      var hits: [String] = []
      func end(at index: Substring.UTF8View.Index) {
        guard isInside, (3...9).contains(line.distance(from: start, to: index)) else { return }
        let part = String(Substring(line[start..<index])).lowercased()
        if words.contains(part) || (isCode && names.contains(part)) { hits.append(part) }
      }
      var wasLower = false
      for position in line.indices {
        let byte = line[position]
        let isUpper = (65...90).contains(byte)
        let isLower = (97...122).contains(byte)
        if isInside, !isUpper, !isLower { end(at: position) }
        if isUpper, isInside, wasLower { end(at: position) }
        if (isUpper && (!isInside || wasLower)) || (isLower && !isInside) { start = position }
        isInside = isUpper || isLower
        wasLower = isLower
      }
      end(at: line.endIndex)
      let lowercased = String(Substring(line)).lowercased()
      hits += phrases.filter { Self.contains($0, in: lowercased) }
      for hit in hits where !Self.isAllowed(hit, in: lowercased) {
        found.append("\(path):\(index + 1): \(hit)")
      }
    }
    return found
  }

  /// Whether a line contains a phrase as whole words.
  private static func contains(_ phrase: String, in line: String) -> Bool {
    line.ranges(of: phrase).contains { range in
      let before = line[..<range.lowerBound].last
      let after = line[range.upperBound...].first
      return before?.isLetter != true && after?.isLetter != true
    }
  }

  private static func isAllowed(_ hit: String, in line: String) -> Bool {
    allowed.contains { $0.contains(hit) && line.contains($0) }
  }
}

@Suite("The words of the package", .timeLimit(.minutes(5)))
struct WordTests {
  private static func avoided() throws -> AvoidedWords {
    AvoidedWords(vocabulary: try PackageTree.text("docs/vocabulary.md"))
  }

  @Test(arguments: ["Sources", "Tests", "IntegrationTests", "docs", "script", ""])
  func `the words to avoid do not appear`(_ folder: String) throws {
    let avoided = try Self.avoided()
    let paths =
      folder.isEmpty
      ? ["README.md", "CHANGELOG.md", "Package.swift"]
      : PackageTree.files(under: folder).filter(Self.isProse)
    let found = try paths.flatMap { path in
      avoided.occurrences(in: Self.withoutTable(try PackageTree.text(path)), of: path)
    }
    // The whole list would make a long message.
    let isClean = found.isEmpty
    #expect(isClean, "\(found.count) in all\n\(found.prefix(60).joined(separator: "\n"))")
  }

  @Test func `every verb of the vocabulary is used`() throws {
    let vocabulary = try PackageTree.text("docs/vocabulary.md")
    let section = try #require(vocabulary.split(separator: "## What code does\n").last)
    var verbs: [String] = []
    for line in section.prefix(while: { $0 != "#" }).split(separator: "\n").dropFirst(2) {
      guard line.hasPrefix("| "), let cell = line.split(separator: "|").first else { continue }
      for verb in cell.split(separator: ",") { verbs.append(verb.filter { $0 != " " }) }
    }
    #expect(verbs.count > 20)
    let sources = try PackageTree.files(under: "Sources", "swift")
      .map { try PackageTree.text($0).lowercased() }
    let unused = verbs.filter { verb in
      let endsInVowel = verb.hasSuffix("e") || verb.hasSuffix("y")
      let stem = endsInVowel ? String(verb.dropLast()) : verb
      return !sources.contains { $0.contains(stem) }
    }
    #expect(unused == [])
  }

  /// Whether a file is written by us: sources, documents and scripts, but no data.
  private static func isProse(_ path: String) -> Bool {
    let suffixes = [".swift", ".c", ".h", ".md"]
    let others = [".generated.swift", "/WordTests.swift"]
    return (suffixes.contains { path.hasSuffix($0) } || path.hasPrefix("script/"))
      && !others.contains { path.hasSuffix($0) }
  }

  /// A text without the table that lists the words, and with as many lines.
  private static func withoutTable(_ text: String) -> String {
    guard text.contains("<!-- forbidden -->") else { return text }
    var isInside = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line == "<!-- forbidden -->" { isInside = true }
      if line == "<!-- end -->" { isInside = false }
      return isInside ? "" : String(line)
    }.joined(separator: "\n")
  }
}

@Suite("The check of the words catches what it should")
struct WordProof {
  private let avoided = AvoidedWords(
    vocabulary: """
      <!-- forbidden -->
      | avoid | write |
      |---|---|
      | lead, leads, led (a list) | advance |
      | era | key version |
      | so many | this many |
      | place (in names) | index |
      | an own | its own |
      <!-- end -->
      """
  )

  @Test(arguments: [
    "/// Leads the list on.", "struct LedList {", "func lead(to list: List)", "keyEra.note()",
    "\"at most so many rows\"", "let leads = 1", "// so many", "let place = 0", "rowPlace = 0",
  ])
  func `a word is found in comments, texts and names`(_ text: String) {
    #expect(avoided.occurrences(in: text, of: "Made.swift").count == 1)
  }

  @Test(arguments: [
    "/// The leading columns of an index.", "let ledger = Ledger()", "case operator", "misleading",
    "import HouseholdLedger", "components(.era)", "several", "// so that many", "// an owner",
    "// in its place",
  ])
  func `other words and technical phrases are not`(_ text: String) {
    #expect(avoided.occurrences(in: text, of: "Made.swift") == [])
  }
}
