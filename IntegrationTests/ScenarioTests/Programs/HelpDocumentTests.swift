import ResultsStoreKit
import Foundation
import Testing

/// The manual pages and the completions that programs print.
@Suite("Manual pages and completions", .timeLimit(.minutes(3)))
struct HelpDocumentTests {
  private static let groff = "/usr/bin/groff"

  @Test(arguments: HelpTests.programs + ["live-list"])
  func `the manual page has every verb, every option and every key, without a warning`(
    _ program: String
  ) throws {
    let run = try ProgramRun()
    let page = try run.run(program, "help", "manual").output
    #expect(page.hasPrefix(".TH \"\(program.uppercased().replacing("-", with: "\\-"))\" 1"))
    let dump = try run.run(program, "--experimental-dump-help").output
    let names = displayedNames(in: try JSONSerialization.jsonObject(with: Data(dump.utf8)))
      .filter { $0.count > 1 && $0 != "help" && $0 != "version" }
    let options = Set(names).map { "--\($0)" }
    #expect(options.count >= 8)
    let verbs = try run.run(program, "--help").output.split(separator: "\n")
      .drop { !$0.hasPrefix("SUBCOMMANDS") }.dropFirst()
      .filter { $0.hasPrefix("  ") && $0.dropFirst(2).first != " " }
      .compactMap { $0.split(separator: " ").first }.filter { $0 != "See" }
    #expect(verbs.count >= 5)
    for word in options + verbs.map(String.init) where word != "cache" {
      #expect(page.contains(word.replacing("-", with: "\\-")), "\(word)")
    }
    guard FileManager.default.isExecutableFile(atPath: Self.groff) else { return }
    try run.write(page, to: "page.1")
    let set = try run.run(
      Self.groff,
      ["-man", "-ww", "-Tutf8", "-K", "utf8", "-rLL=100n", "-P-cbou", run.path("page.1")]
    )
    #expect(set.status == 0 && set.errors == "", "\(set.errors)")
    #expect(set.output.contains("EXIT STATUS") && set.output.contains("'"))
    if program == "book-catalog" {
      for words in ["take the last change of this browser back", "add the demo books", "--where"] {
        #expect(set.output.contains(words), "\(words)")
      }
    }
  }

  /// The names of the options in a description, without those that a program does not show.
  private func displayedNames(in description: Any) -> [String] {
    if let list = description as? [Any] { return list.flatMap(displayedNames) }
    guard let object = description as? [String: Any] else { return [] }
    guard object["shouldDisplay"] as? Bool != false else { return [] }
    return (object["name"] as? String).map { [$0] } ?? object.values.flatMap(displayedNames)
  }

  @Test(arguments: [
    (["help", "completions"], "'help completions' takes the name of a shell."),
    (["help", "completions", "csh"], "Name bash, zsh or fish."),
    (["help", "manual", "x"], "'help manual' takes no further word. Leave out “x”."),
    (["help", "manuel"], "Did you mean “manual”?"),
  ])
  func `a wrong word is a usage error`(_ arguments: [String], _ words: String) throws {
    let result = try ProgramRun().run("book-catalog", arguments)
    #expect(result.status == 64 && result.errors.contains(words), "\(result)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `every shell gets its script`(_ shell: String) throws {
    let script = try ProgramRun().run("book-catalog", "help", "completions", shell).output
    for words in ["section-by", "remove", "book-catalog"] { #expect(script.contains(words)) }
  }

  @Test func `names of a list are completed one by one, by a program that does not read the store`()
    throws
  {
    let run = try ProgramRun()
    func names(_ option: String, _ typed: String) throws -> [String] {
      let words = ["book-catalog", "list", option, typed]
      return try run.run(
        "book-catalog",
        ["---completion", "list", "--", option, "3", "\(typed.utf8.count)"] + words
      ).lines
    }
    #expect(try names("--section-by", "").prefix(2) == ["decade", "letter"])
    #expect(try names("--sort", "").contains("-year"))
    let further = try names("--sort", "-year,")
    #expect(further.contains("-year,title") && !further.contains("-year,year"))
    #expect(try names("--columns", "id,").contains("id,tags"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.folder) == [])
  }

  @Test(.enabled(if: TerminalRun.exists))
  func `bash completes verbs, options and the program's names`() throws {
    let terminal = try TerminalRun()
    try terminal.enter("exec bash --norc --noprofile")
    try terminal.enter("PS1='RE''ADY '; clear; source <(book-catalog help completions bash)")
    try terminal.wait("bash") { $0.contains("READY") && !$0.contains("source") }
    for (typed, completed) in [
      ("book-catalog lis", "book-catalog list"),
      ("book-catalog browse --section-by dec", "--section-by decade"),
      ("book-catalog list --sort -ye", "--sort -year"),
      ("book-catalog list --color nev", "--color never"),
      ("book-catalog list --no-c", "--no-config"),
    ] {
      try terminal.type(typed)
      try terminal.press("Tab")
      try terminal.wait(completed) { $0.contains(completed) }
      try terminal.press("C-u")
    }
  }
}
