import Foundation
import ResultsTesting
import Testing

/// A store in a file or a database, in which programs run, and a shell of it, which knows nothing of this package.
struct UndoWorld {
  enum Kind: CaseIterable {
    case file
    #if PostgreSQL
    case database
    #endif
  }

  let run: ProgramRun
  let store: String
  private let writes: (String) throws -> Void
  private let owner: AnyObject?

  init(_ kind: Kind) throws {
    switch kind {
    case .file:
      let run = try ProgramRun()
      let shell = try SQLiteShell(run, folder: run.folder)
      (self.run, store, owner) = (run, "s.sqlite", nil)
      writes = { sql in
        let result = try shell.run("\(sql);", on: "s.sqlite")
        #expect(result.status == 0, "\(result)")
      }
    #if PostgreSQL
    case .database:
      let server = try ServerRun()
      (run, store, owner) = (server.run, server.url, server)
      writes = { [unowned server] sql in try server.psql(sql) }
    #endif
    }
  }

  /// Runs a program over the store.
  @discardableResult
  func callAsFunction(
    _ program: String,
    _ arguments: String...,
    input: String = "",
    expecting status: Int32 = 0,
    at location: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    let result = try run.run(program, arguments + ["--store", store], input: input)
    #expect(result.status == status, "\(result)", sourceLocation: location)
    return result
  }

  /// Writes as a shell of the database does.
  func write(_ sql: String) throws { try writes(sql) }

  /// All objects of a program, with their ids.
  func content(_ program: String, _ more: String...) throws -> String {
    try run.run(
      program,
      ["list", "--format", "jsonl", "--section-by", "none"] + more + ["--store", store]
    )
    .output
  }
}

/// R281: `undo` takes back the last command of a program, in whatever process it ran.
@Suite(.timeLimit(.minutes(10))) struct UndoVerbTests {
  @Test(arguments: UndoWorld.Kind.allCases)
  func `R281: every command of a catalog is taken back and done again, step by step`(
    kind: UndoWorld.Kind
  ) throws {
    let world = try UndoWorld(kind)
    let books = ProgramFolder.fixture("books-200.tsv")
    func content() throws -> String {
      try world.content("book-catalog")
        + world("book-catalog", "export", "-", "--format", "csv", "--sort", "id").output
    }
    let commands: [(words: [String], said: String)] = [
      (["import", books], "imported \(books)"),
      (
        ["add", "publisher=P", "title=T", "author=New; N.", "tags=x; y"],
        "added a book: publisher=P"
      ),
      (["edit", "1", "title=Other", "year=NULL"], "changed title, year of Book 1"),
      (["remove", "2", "3", "7"], "removed 3 books"),
    ]
    try world("book-catalog", "demo")
    var states = [try content()]
    for command in commands {
      let result = try world.run.run("book-catalog", command.words + ["--store", world.store])
      #expect(result.status == 0, "\(result)")
      states.append(try content())
    }
    // A command that changes nothing is none to take back.
    try world("book-catalog", "edit", "1", "title=Other")
    let list = try world("book-catalog", "undo", "--list").lines
    #expect(
      list.count == 5 && list.last?.hasSuffix("rows  added the demo books") == true,
      "\(list)"
    )
    #expect(list.first?.hasSuffix("removed 3 books") == true, "\(list)")
    for (index, command) in commands.enumerated().reversed() {
      let dry = try world("book-catalog", "undo", "--dry-run").output
      #expect(dry.hasPrefix("would take back: \(command.said)"), "\(dry)")
      #expect(try content() == states[index + 1], "\(command)")
      let undone = try world("book-catalog", "undo").output
      #expect(undone.hasPrefix("took back: \(command.said)"), "\(undone)")
      #expect(try content() == states[index], "\(command)")
    }
    #expect(try world("book-catalog", "undo").output == "took back: added the demo books\n")
    let end = try world("book-catalog", "undo", expecting: 1)
    #expect(end.errors.contains("Nothing was written."), "\(end)")
    #expect(
      try world("book-catalog", "undo", "--redo").output.hasPrefix("did again: added the demo")
    )
    for (index, command) in commands.enumerated() {
      #expect(
        try world("book-catalog", "undo", "--redo").output.hasPrefix("did again: \(command.said)")
      )
      #expect(try content() == states[index + 1], "\(command)")
    }
    try world("book-catalog", "undo", "--redo", expecting: 1)
  }

  @Test(arguments: UndoWorld.Kind.allCases)
  func `R281: rows that others changed since are named, and nothing is written`(
    kind: UndoWorld.Kind
  ) throws {
    let world = try UndoWorld(kind)
    try world("book-catalog", "demo")
    try world("book-catalog", "remove", "1", "2")
    try world("book-catalog", "edit", "3", "title=Mine")
    try world.write("UPDATE \"Book\" SET year = 2000 WHERE id = 3")
    for dryRun in [[], ["--dry-run"]] {
      let result = try world.run.run("book-catalog", ["undo", "--store", world.store] + dryRun)
      #expect(result.status == 75 && result.output == "", "\(result)")
      #expect(result.errors.contains("1 row has been changed since that command"), "\(result)")
      #expect(result.errors.contains("\n  Book 3: year changed\n"), "\(result)")
    }
    #expect(try world("book-catalog", "show", "3").output.contains("Mine"))
    try world.write("UPDATE \"Book\" SET year = NULL WHERE id = 3")
    #expect(try world("book-catalog", "undo").output == "took back: changed title of Book 3\n")
    #expect(try world("book-catalog", "undo").output == "took back: removed 2 books\n")
    // An object that others name by now stays.
    try world("book-catalog", "add", "publisher=P", "title=T", "author=New; N.")
    try world.write(
      "INSERT INTO \"Book\" (publisher, title, \"authorID\") SELECT 'x', 'y', max(id) FROM \"Author\""
    )
    let refused = try world("book-catalog", "undo", expecting: 65)
    #expect(refused.errors.contains("cannot be taken back. Author "), "\(refused)")
    #expect(refused.errors.contains("Nothing was written."), "\(refused)")
  }

  @Test(arguments: UndoWorld.Kind.allCases)
  func `R281: the verbs of a program's own are commands`(kind: UndoWorld.Kind) throws {
    let feed = try UndoWorld(kind)
    let items = (1...3).map { "<item><guid>\($0)</guid><title>t\($0)</title></item>" }.joined()
    let rss = "<rss version=\"2.0\"><channel><title>A</title>\(items)</channel></rss>"
    try feed("news-feed", "import", "-", input: rss)
    try feed("news-feed", "mark-read", "2")
    let before = try feed.content("news-feed")
    try feed("news-feed", "mark-read", "--all")
    #expect(try feed("news-feed", "undo").output == "took back: marked all items read\n")
    #expect(try feed.content("news-feed") == before)
    #expect(try feed("news-feed", "undo").output == "took back: marked 2 read\n")
    #expect(try feed("news-feed", "undo").output == "took back: imported standard input\n")
    #expect(try feed.content("news-feed") == "")
    #expect(try feed("news-feed", "feeds", "--format", "tsv").lines.count <= 1)
    let again = try feed("news-feed", "undo", "--redo").output
    #expect(again == "did again: imported standard input\n")
    #expect(try feed("news-feed", "list", "--format", "tsv").lines.count == 4)

    let log = try UndoWorld(kind)
    try log("event-log", "stamp", "disk full", "level=warning", "time=2026-11-03T09:00Z")
    let events = try log.content("event-log")
    try log("event-log", "edit", "1", "level=error")
    try log("event-log", "remove-at", "0")
    #expect(try log("event-log", "undo").output == "took back: removed Event 1\n")
    #expect(try log("event-log", "undo").output == "took back: changed level of Event 1\n")
    #expect(try log.content("event-log") == events)
    #expect(try log("event-log", "undo").output == "took back: stamped an event: disk full\n")

    let roster = try UndoWorld(kind)
    for _ in 0..<3 { try roster("student-roster", "add-random") }
    let students = try roster.content("student-roster")
    let removed = try roster("student-roster", "remove-at", "0", "0").output
    #expect(try roster("student-roster", "undo").output == "took back: \(removed)")
    #expect(try roster.content("student-roster") == students)
  }

  @Test(arguments: UndoWorld.Kind.allCases)
  func `R281: commits of one command are taken back together, also if it was killed`(
    kind: UndoWorld.Kind
  ) throws {
    let world = try UndoWorld(kind)
    let lines = (1...32_000).map { "line \($0)\n" }.joined()
    try world("event-log", "stamp", "-", input: lines)
    // A pipe is no command.
    try world("event-log", "undo", expecting: 1)
    func count() throws -> Int {
      let output = try world("event-log", "export", "-", "--format", "csv").lines.count
      return output - 1
    }
    #expect(try count() == 32_000)
    let before = try world("event-log", "export", "-", "--format", "csv").output
    let prune = try world.run.start("event-log", "prune", "--keep", "100", "--store", world.store)
    let deadline = ContinuousClock.now + .seconds(60)
    while try count() == 32_000, ContinuousClock.now < deadline {}
    prune.send(SIGKILL)
    _ = try prune.finish()
    let left = try count()
    #expect(left < 32_000)
    #expect(try world("event-log", "undo").output == "took back: removed old events\n")
    #expect(try world("event-log", "export", "-", "--format", "csv").output == before)
    #expect(try world("event-log", "undo", "--redo").output == "did again: removed old events\n")
    #expect(try count() == left)
  }

  @Test(arguments: UndoWorld.Kind.allCases)
  func `R281: undos at the same time take back one command each`(kind: UndoWorld.Kind) throws {
    let world = try UndoWorld(kind)
    for _ in 0..<4 { try world("student-roster", "add-random") }
    let undos = try (0..<4).map { _ in
      try world.run.start("student-roster", "undo", "--store", world.store)
    }
    for undo in undos {
      let result = try undo.finish()
      #expect(result.output == "took back: added a random student\n", "\(result)")
    }
    #expect(try world.content("student-roster") == "")
    try world("student-roster", "undo", expecting: 1)
    for _ in 0..<4 { try world("student-roster", "undo", "--redo") }
    #expect(try world("student-roster", "list", "--format", "tsv").lines.count == 5)
  }

  /// A law: undoing all of some random commands gives every state before, and doing them again every state after, while others write.
  @Test(arguments: UndoWorld.Kind.allCases, UInt64(1)...3)
  func `R281: random commands are taken back and done again through the same states`(
    kind: UndoWorld.Kind,
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let world = try UndoWorld(kind)
    try world("book-catalog", "demo")
    var others = 0
    func writeAsOthers() throws {
      others += 1
      try world.write(
        """
        INSERT INTO "Book" (id, publisher, title) VALUES (-\(others), 'others', 't');
        UPDATE "Book" SET title = 'u\(others)' WHERE id < 0
        """
      )
    }
    func state() throws -> String {
      try world.content(
        "book-catalog",
        "--where",
        "publisher != 'others'",
        "--columns",
        "id,title,author,tags"
      )
    }
    func ids() throws -> [String] {
      try world(
        "book-catalog",
        "list",
        "--format",
        "csv",
        "--section-by",
        "none",
        "--columns",
        "id"
      ).lines
        .dropFirst().filter { !$0.hasPrefix("-") }
    }
    func command(_ step: Int) throws -> [String] {
      let known = try ids()
      let id = generator.element(of: known) ?? "1"
      switch generator.number(in: 0...5) {
      case 0:
        return [
          "add", "publisher=P\(step)", "title=T\(step)", "author=A\(step % 2)", "tags=x; y\(step)",
        ]
      case 1:
        return ["edit", id, "author=\(generator.choice("A0", "A1", "NULL"))", "title=E\(step)"]
      case 2: return ["edit", id, "tags=\(generator.choice("x", "y; z", "NULL"))", "year=\(step)"]
      case 3: return ["remove"] + Set([id, generator.element(of: known) ?? id]).sorted()
      case 4: return ["remove", id]
      default:
        let rows = (0..<3).map { "P\ti\(step)-\($0)\tA\(step % 3)\n" }.joined()
        try world.run.write("publisher\ttitle\tauthor\n" + rows, to: "i.tsv")
        return ["import", "i.tsv"]
      }
    }
    var states = [try state()]
    for step in 1...6 {
      let words = try command(step)
      let result = try world.run.run("book-catalog", words + ["--store", world.store])
      #expect(result.status == 0, "seed \(seed), \(result)")
      states.append(try state())
      if generator.happens(percent: 50) { try writeAsOthers() }
    }
    for step in (0..<6).reversed() {
      try world("book-catalog", "undo")
      #expect(try state() == states[step], "seed \(seed), \(kind), step \(step)")
      if generator.happens(percent: 30) { try writeAsOthers() }
    }
    for step in 1...6 {
      try world("book-catalog", "undo", "--redo")
      #expect(try state() == states[step], "seed \(seed), \(kind), step \(step)")
      if generator.happens(percent: 30) { try writeAsOthers() }
    }
  }
}
