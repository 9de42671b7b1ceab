import Testing

@Suite("What sources may hold", .timeLimit(.minutes(15)))
struct SourceRuleTests {
  @Test(arguments: SourceRule.all)
  func `a dangerous construct has its reason next to it`(_ rule: SourceRule) throws {
    let violations = try PackageTree.files(under: rule.folder, "swift").flatMap { path in
      rule.violations(in: try PackageTree.text(path), of: path)
    }
    #expect(violations == [])
  }

  @Test(arguments: [("Sources", 800), ("Tests", 1000), ("IntegrationTests", 1000)])
  func `a file can be read in one sitting`(_ folder: String, _ limit: Int) throws {
    let long = try PackageTree.files(under: folder, "swift", "c", "h").compactMap { path in
      let lines = try PackageTree.text(path).utf8.count { $0 == UInt8(ascii: "\n") }
      // What a script writes is read where it is written from.
      let isWritten = !path.hasSuffix(".generated.swift")
      return isWritten && lines > limit ? "\(path): \(lines) lines, at most \(limit)" : nil
    }
    #expect(long == [])
  }

  /// A feature that does not fit is shared by all programs or left out.
  ///
  /// Two programs are larger than the others, and do not grow either.
  @Test(arguments: [
    ("book-catalog", "BookCatalog", 900), ("household-ledger", "HouseholdLedger", 900),
    ("student-roster", "StudentRoster", 900), ("event-log", "EventLog", 2250),
    ("news-feed", "NewsFeed", 2700),
  ])
  func `a program and its use case have at most so much code`(
    program: String,
    useCase: String,
    limit: Int
  ) throws {
    let files =
      PackageTree.files(under: "Sources/Scenarios/\(program)")
      + PackageTree.files(under: "Sources/UseCases/\(useCase)")
    let lines = try files.reduce(0) { try $0 + PackageTree.text($1).count { $0 == "\n" } }
    #expect(lines > 300 && lines <= limit, "\(program) and \(useCase): \(lines) lines")
  }

  @Test func `the tree names no path of one machine`() throws {
    let found = try PackageTree.textFiles().filter { path in
      let text = try PackageTree.text(path)
      return Self.machinePaths.contains { text.contains($0) }
    }
    #expect(found == [])
  }

  @Test func `README is short`() throws {
    let lines = try PackageTree.text("README.md").split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    #expect(lines.count <= 151)
  }

  // Written in two parts, so that this file does not contain them.
  private static let machinePaths = ["/wo" + "rk/", "/opt/" + "swift", "/ro" + "ot/"]
}

@Suite("The source check catches what it should")
struct SourceRuleProof {
  private let rule = SourceRule(construct: "try!", folder: "Sources", instead: "throw")

  @Test(arguments: [
    "let value = try! read()",
    "// short why\nlet value = try! read()",
    "/// A documentation comment is not a reason.\nlet value = try! read()",
    "let text = \"\\(try! read())\"",
    "// a reason that is too far away\n\nlet value = try! read()",
  ])
  func `a made-up violation is found`(_ text: String) {
    #expect(rule.violations(in: text, of: "Made.swift").count == 1)
  }

  @Test(arguments: [
    "// The literal above is valid.\nlet value = try! read()",
    "let value = try! read()\n// It cannot fail: see above.",
    "// try! is never used here",
    "let text = \"try! this\"",
    "let text = \"\"\"\n  try! \"this\"\n  \"\"\"",
  ])
  func `a reason next to it, a comment or a string is no violation`(_ text: String) {
    #expect(rule.violations(in: text, of: "Made.swift") == [])
  }
}
