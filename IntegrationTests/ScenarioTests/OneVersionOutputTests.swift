import Foundation
import Testing

/// What is printed of a list is one version of it, though its reader is slow and others write meanwhile (R48).
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
struct OneVersionOutputTests {
  private static let count = 1500

  /// More rows than a pipe and the program's own buffer hold.
  private func filled() throws -> ProgramRun {
    let run = try ProgramRun()
    let title = String(repeating: "t", count: 300)
    let lines = (0..<OneVersionOutputTests.count).map { "p\($0 % 7),\(title)\($0),old" }
    try run.write("publisher,title,author\n" + lines.joined(separator: "\n") + "\n", to: "many.csv")
    try run.run("book-catalog", "import", "many.csv", "--store", "b.sqlite")
    return run
  }

  @discardableResult
  private func sql(_ run: ProgramRun, _ statements: String) throws -> String {
    let shell = try RunningProgram(
      "/usr/bin/sqlite3",
      ["-batch", "-cmd", ".timeout 20000", "b.sqlite", statements],
      environment: run.environment,
      folder: run.folder
    )
    let result = try shell.finish()
    #expect(result.status == 0, "\(result)")
    return result.output
  }

  @Test(arguments: [
    ["list"], ["list", "--format", "csv"], ["list", "--format", "plain"],
    ["list", "--format", "table"], ["list", "--format", "jsonl"],
    ["list", "--sort", "-title", "--section-by", "none"],
    ["export", "-"], ["export", "-", "--format", "csv"], ["export", "/dev/stdout"],
    ["dump"],
  ])
  func `a slow reader is given one version (R48)`(_ arguments: [String]) throws {
    let run = try filled()
    let program = try RunningProgram(
      "book-catalog",
      arguments + ["--store", "b.sqlite"],
      environment: run.environment,
      folder: run.folder
    )
    let first = try #require(try program.line())
    try sql(run, "DELETE FROM Book WHERE id % 2; UPDATE Book SET author = 'new'")
    let result = try program.finish()
    #expect(result.status == 0, "\(result.errors)")
    #expect(!(first + result.output).contains("new"))
    #expect(result.lines.count >= OneVersionOutputTests.count - 1)
  }

  @Test func `rows that are gone before a watch has printed them do not end it (R48)`() throws {
    let run = try filled()
    let options = ["--columns", "title,author", "--store", "b.sqlite"]
    let watch = try RunningProgram(
      "book-catalog",
      ["watch"] + options,
      environment: run.environment,
      folder: run.folder
    )
    let first = try #require(try watch.line())
    // A commit that the log does not hear, as of a program that makes the triggers anew.
    try sql(
      run,
      """
      BEGIN; DROP TRIGGER _results_1_delete; DROP TRIGGER _results_1_update;
      DELETE FROM Book WHERE id % 2 = 0; UPDATE Book SET author = 'new'; COMMIT
      """
    )
    var lines = [first]
    while lines.last?.hasPrefix("1500 books") != true, let line = try watch.line() {
      lines.append(line)
    }
    #expect(lines.count == 1501)
    #expect(!lines.contains { $0.contains("new") })
    _ = try #require(try watch.line(), "what happened to the list is shown as well")
    watch.send(SIGTERM)
    let result = try watch.finish()
    #expect(result.status == 128 + SIGTERM, "\(result.errors)")
    #expect(result.errors == "")
  }

  @Test func `a reader that takes nothing holds no version (R63)`() throws {
    let run = try filled()
    let list = try run.start("book-catalog", "list", "--store", "b.sqlite")
    _ = try #require(try list.line())
    try sql(run, "UPDATE Book SET author = 'new'")
    // It waits for readers of an earlier version; its first column says whether it did in vain.
    let checkpoint = try sql(run, "PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(checkpoint.hasPrefix("0|"), "\(checkpoint)")
    let result = try list.finish()
    #expect(result.status == 0 && !result.output.contains("new"), "\(result.errors)")
  }
}
