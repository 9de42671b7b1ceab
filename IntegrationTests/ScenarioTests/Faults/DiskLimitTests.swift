import Foundation
import Testing

/// R71: programs that may not write any more, because of a limit, a full disk or their rights: a status, and nothing lost.
@Suite struct DiskLimitTests {
  /// Runs a program whose files may not grow beyond a number of bytes, as on a disk without more room.
  private func limited(
    _ run: ProgramRun,
    to bytes: Int,
    _ words: String...
  ) throws -> ProgramResult {
    // The unit of the shell's limit is 512 bytes; the limit counts for standard output as well.
    let script = "ulimit -f \(bytes / 512) && exec \"$0\" \"$@\" > output"
    let program = try ProgramFolder.executable("book-catalog")
    return try RunningProgram(
      "/bin/sh",
      ["-c", script, program] + words,
      environment: run.environment,
      folder: run.folder
    ).finish()
  }

  @Test(arguments: [2048, 20_480, 33_792, 40_960, 61_440, 4_096_000])
  func `an import that does not fit adds nothing, one that fits adds all`(_ bytes: Int) throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "add", "publisher=P", "title=kept", "--store", "b.sqlite")
    let books = ProgramFolder.fixture("books-200.tsv")
    let result = try limited(run, to: bytes, "import", books, "--store", "b.sqlite")
    #expect([0, 74].contains(result.status), "\(result)")
    #expect((result.status == 0) == (bytes > 100_000) || bytes == 61_440, "\(result)")
    if result.status == 74 { #expect(result.errors.contains("Check the disk"), "\(result)") }
    let rows = try run.run("book-catalog", "dump", "--store", "b.sqlite").lines
    #expect(rows.count == (result.status == 0 ? 201 : 1))
    let health = try run.run("book-catalog", "doctor", "--store", "b.sqlite")
    #expect(health.lines.contains { $0.hasPrefix("check") && $0.hasSuffix("ok") }, "\(health)")
  }

  @Test(arguments: [["--help"], ["list", "--help"], ["doctor", "--store", ":memory:"], ["story"]])
  func `output that does not fit is said, not answered by a signal`(_ words: [String]) throws {
    let run = try ProgramRun()
    let program = try ProgramFolder.executable("book-catalog")
    // Not even one block.
    let script = "ulimit -f 0 && exec \"$0\" \"$@\" > output"
    let result = try RunningProgram(
      "/bin/sh",
      ["-c", script, program] + words,
      environment: run.environment,
      folder: run.folder
    ).finish()
    #expect(result.status == 74, "\(result)")
    #expect(result.errors.contains("cannot be written"), "\(result)")
  }

  @Test func `an export that does not fit leaves the earlier one as it was`() throws {
    let run = try ProgramRun()
    let books = ProgramFolder.fixture("books-200.tsv")
    try run.run("book-catalog", "import", books, "--store", "b.sqlite")
    try run.write("what was here\n", to: "books.tsv")
    let result = try limited(run, to: 4096, "export", "books.tsv", "--store", "b.sqlite")
    #expect(result.status == 74, "\(result)")
    #expect(try run.read("books.tsv") == "what was here\n")
  }

  // The first user may write everywhere, so there the programs run as another one.
  private static let other = "/usr/bin/setpriv"
  private static var canBeAnother: Bool {
    geteuid() != 0 || FileManager.default.isExecutableFile(atPath: other)
  }

  private func withoutRights(_ run: ProgramRun, _ words: [String]) throws -> ProgramResult {
    let rights =
      geteuid() == 0 ? [Self.other, "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let command = rights + [try ProgramFolder.executable("book-catalog")] + words
    return try RunningProgram(
      command[0],
      Array(command.dropFirst()),
      environment: run.environment,
      folder: run.folder
    ).finish()
  }

  @Test(.enabled(if: canBeAnother))
  func `a folder and a file that may not be written are told`() throws {
    let run = try ProgramRun()
    try run.run("book-catalog", "demo", "--store", "b.sqlite")
    chmod(run.folder, 0o555)
    defer { chmod(run.folder, 0o755) }
    // The built programs may lie where nobody else may look.
    guard try withoutRights(run, ["--help"]).status == 0 else { return }
    let new = try withoutRights(run, ["demo", "--store", "new.sqlite"])
    #expect(new.status == 73, "\(new)")
    #expect(new.errors.contains("new.sqlite cannot be created: no permission to create files in"))
    for verb in [["list"], ["add", "publisher=A", "title=B"], ["watch", "--deltas", "0"]] {
      let result = try withoutRights(run, verb + ["--store", "b.sqlite"])
      #expect([66, 73].contains(result.status), "\(result)")
      #expect(result.errors.contains("b.sqlite"), "\(result)")
      #expect(result.errors.contains("Copy it to look at it."), "\(result)")
    }
    let reader = try withoutRights(run, ["list", "--read-only", "--store", "b.sqlite"])
    #expect(reader.errors.contains("reading it needs the right to make files in its folder"))
    chmod(run.folder, 0o777)
    let writer = try withoutRights(run, ["list", "--store", "b.sqlite"])
    let words = "b.sqlite cannot be opened for writing. To only look at it, add --read-only."
    #expect(writer.status == 66 && writer.errors.contains(words), "\(writer)")
    let looked = try withoutRights(run, ["list", "--read-only", "--store", "b.sqlite"])
    #expect(looked.status == 0 && looked.output != "", "\(looked)")
    #expect(try run.run("book-catalog", "dump", "--store", "b.sqlite").lines.count == 14)
  }
}
