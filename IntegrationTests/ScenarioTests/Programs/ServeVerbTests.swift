import Foundation
import Testing

/// R243: `serve` is there in every build, and one without the web front end says how to build it.
@Suite struct ServeVerbTests {
  /// The programs, with what each needs besides the verb.
  static let programs: [[String]] =
    ["book-catalog", "household-ledger", "event-log", "student-roster", "news-feed"].map {
      [$0, "serve", "--store", "s.sqlite"]
    } + [["live-list", "serve", "s.sqlite"]]

  private func run(_ words: [String], _ more: String...) throws -> ProgramResult {
    let run = try ProgramRun()
    // `live-list` shows a database that is there.
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    try FileManager.default.copyItem(atPath: run.path("b.sqlite"), toPath: run.path("s.sqlite"))
    if words[0] != "live-list" { try FileManager.default.removeItem(atPath: run.path("s.sqlite")) }
    return try run.run(words[0], Array(words.dropFirst()) + more)
  }

  #if !Web
  @Test(arguments: programs)
  func `R243: a build without the trait says how to build the server`(_ words: [String]) throws {
    let result = try run(words, "--port", "0")
    #expect(result.status == 69, "\(result)")
    #expect(result.output == "", "\(result)")
    #expect(
      result.errors.contains("\(words[0]) was built without the web front end."),
      "\(result)"
    )
    #expect(result.errors.contains("swift build --traits Web"), "\(result)")
  }
  #endif

  @Test(arguments: programs)
  func `R243: what no server can listen at is refused before anything is opened`(
    _ words: [String]
  ) throws {
    for (options, message) in [
      (["--port", "65536"], "--port must be 0 to 65535, not 65536."),
      (["--port", "-1"], "--port"),
      (["--max-streams", "0"], "--max-streams must be 1 to 100000, not 0."),
      (["--listen", "0.0.0.0"], "Add --allow-network"),
      (["--listen", "127.0.0.1.example"], "Add --allow-network"),
      (["--host", "evil/example"], "--host: “evil/example” is not the name of a machine"),
      (["--host", "lists.example:"], "--host: “lists.example:” is not"),
      (["--host", "lists.example:x"], "--host: “lists.example:x” is not"),
      (["--host", "lists.example:65536"], "--host: “lists.example:65536” is not"),
      (["--host", "::1"], "--host: “::1” is not"), (["--host", ":80"], "--host: “:80” is not"),
    ] {
      let result = try run(words + options)
      #expect(result.status == 64, "\(result)")
      #expect(result.output == "" && result.errors.contains(message), "\(result)")
    }
  }
}
