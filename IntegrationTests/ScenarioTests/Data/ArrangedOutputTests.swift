import Foundation
import GRDB
import Testing
import WireFormat

/// R08, R79, R80, R107: the programs arrange sections by options, live, and the full-screen list opens and folds them.
@Suite("Arranged sections in the programs", .timeLimit(.minutes(2)))
struct ArrangedOutputTests {
  private static let table = """
    CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT NOT NULL, status TEXT);
    INSERT INTO task (title, status) VALUES ('Write', 'doing'), ('Read', 'done'), ('Land', 'todo'),
      ('Measure', 'todo'), ('Draw', 'todo'), ('Thank', 'later'), ('Drop', NULL);
    """
  private let run: ProgramRun

  init() throws {
    run = try ProgramRun()
    try execute(ArrangedOutputTests.table)
  }

  /// Runs statements as another program would.
  private func execute(_ sql: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    let queue = try DatabaseQueue(path: run.path("t.sqlite"), configuration: configuration)
    try queue.inDatabase { try $0.execute(sql: sql) }
    try queue.close()
  }

  private let sections = ["--section-by", "status", "--sections", "todo,review,doing"]

  private func list(_ options: String...) throws -> ProgramResult {
    try run.run("live-list", ["list", "t.sqlite", "task"] + options)
  }

  @Test func `R08: named sections come first, and the others after, before or not at all`() throws {
    func order(_ others: String...) throws -> [String] {
      let options = sections + ["--format", "table"] + others
      return try run.run("live-list", ["list", "t.sqlite", "task"] + options).lines
        .filter { $0.hasSuffix(")") && !$0.hasPrefix(" ") }
    }
    let fixed = ["todo  (3)", "review  (0)", "doing  (1)"]
    let others = ["(none)  (1)", "done  (1)", "later  (1)"]
    #expect(try order() == fixed + others)
    #expect(try order("--other-sections", "before") == others + fixed)
    #expect(try order("--other-sections", "hidden") == fixed)
  }

  @Test func `R79: a limited section says how many rows it has, a collapsed one has none to print`()
    throws
  {
    let limited = try list("--section-by", "status", "--section-limit", "2", "--format", "table")
    #expect(limited.lines.contains("todo  (2 of 3)"), "\(limited)")
    #expect(limited.lines.last == "6 of 7 rows in 5 sections", "\(limited)")
    let collapsed = try list(
      "--section-by",
      "status",
      "--collapse",
      "todo,(none)",
      "--format",
      "json"
    )
    #expect(collapsed.output.contains(#""title":"todo","total":3,"rows":[]"#), "\(collapsed)")
    #expect(collapsed.output.contains(#"{"id":null,"title":"","total":1,"rows":[]"#))
  }

  @Test func `R08: what cannot be arranged is refused, and says what to do`() throws {
    for (options, words) in [
      (["--section-limit", "2"], "The list has no sections to arrange."),
      (["--section-by", "status", "--section-limit", "-1"], "--section-limit must be 0 or more"),
      (["--section-by", "status", "--sections", "a,a"], "Two fixed sections have the id 'a'"),
      (["--section-by", "status", "--other-sections", "hidden"], "needs --sections"),
      (sections + ["--other-sections", "nowhere"], "Use before, after or hidden."),
    ] {
      let refused = try run.run("live-list", ["list", "t.sqlite", "task"] + options)
      #expect(refused.status == 64, "\(refused)")
      #expect(refused.errors.contains(words), "\(refused)")
    }
    let months = try run.run("event-log", ["stamp", "--store", "e.sqlite"])
    #expect(months.status == 0, "\(months)")
    let day = ["list", "--store", "e.sqlite", "--section-by", "day(timeStamp)", "--collapse", "x"]
    let computed = try run.run("event-log", day)
    #expect(computed.status == 64 && computed.errors.contains("computed from them"), "\(computed)")
  }

  @Test func `R79: a watch follows other programs, and its lines replay to the list`() throws {
    let options = sections + ["--section-limit", "2", "--format", "jsonl", "--for", "20s"]
    let arguments = ["watch", "t.sqlite", "task"] + options
    let watch = try RunningProgram(
      "live-list",
      arguments,
      environment: run.environment,
      folder: run.folder
    )
    var replay = WireReplay()
    try replay.apply(line: try #require(try watch.line()))
    for sql in [
      "UPDATE task SET status = 'review' WHERE title = 'Land'",
      "INSERT INTO task (title, status) VALUES ('X', 'todo'), ('Y', 'todo')",
      "DELETE FROM task WHERE status = 'todo' AND title IN ('Measure', 'X')",
      "UPDATE task SET status = 'todo'",
    ] {
      try execute(sql)
      try replay.apply(line: try #require(try watch.line()))
      let listed = try run.run(
        "live-list",
        ["list", "t.sqlite", "task", "--format", "json", "--section-limit", "2"] + sections
      )
      var again = WireReplay()
      try again.apply(line: listed.lines[0])
      #expect(replay.list?.sections == again.list?.sections, "\(sql)")
      #expect(listed.output.contains(#""total":"#))
    }
    watch.send(SIGINT)
    _ = try watch.finish()
  }

  @Test func `R80: in the full-screen list a key opens a limited section and closes it again`()
    throws
  {
    func screen(_ keys: String, _ options: String...) throws -> [String] {
      let browse = ["browse", "t.sqlite", "task", "--print", "--size", "60x18", "--keys", keys]
      let result = try run.run("live-list", browse + sections + options)
      #expect(result.status == 0, "\(result)")
      return result.lines
    }
    func header(_ title: String, _ lines: [String]) -> String {
      lines.first { $0.contains("\(title) ──") }?
        .replacing("─", with: "").replacing(">", with: " ") ?? ""
    }
    let limited = try screen("", "--section-limit", "1")
    #expect(header("todo", limited).hasPrefix("▾ todo  1 of 3"), "\(limited)")
    let opened = try screen("l", "--section-limit", "1")
    #expect(header("todo", opened).hasPrefix("▾ todo  3"), "\(opened)")
    #expect(!opened.contains { $0.hasPrefix(" + ") }, "what was hidden is no change: \(opened)")
    let closed = try screen("lh", "--section-limit", "1")
    #expect(header("todo", closed).hasPrefix("▾ todo  1 of 3"), "\(closed)")
    #expect(header("todo", try screen("lhh", "--section-limit", "1")).hasPrefix("▸"))
    let collapsed = try screen("", "--collapse", "todo")
    #expect(header("todo", collapsed).hasPrefix("▸ todo  0 of 3"), "\(collapsed)")
    let without = try screen("Snone\\r", "--section-limit", "1")
    #expect(!without.contains { $0.contains("──") }, "\(without)")
    #expect(without.contains { $0.contains("7 rows") }, "\(without)")
    let other = try screen("Stitle\\r", "--section-limit", "0")
    #expect(header("Drop", other).hasPrefix("▸ Drop  0 of 1"), "\(other)")
    let all = try screen("gl", "--collapse", "todo")
    #expect(header("todo", all).hasPrefix("▾ todo  3"), "\(all)")
  }
}
