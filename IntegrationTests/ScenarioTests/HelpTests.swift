import ResultsStoreKit
import Foundation
import GRDB
import Testing

/// The help of the real programs: every verb has an abstract and examples, and the examples work.
@Suite struct HelpTests {
  static let programs = [
    "book-catalog", "household-ledger", "event-log", "student-roster", "news-feed",
  ]

  /// A command of a program, as the argument parser describes it.
  struct Command: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    let superCommands: [String]?
    let subcommands: [Command]?

    /// The commands below this one that the help shows; `help` itself is the parser's.
    var all: [Command] {
      let shown = (subcommands ?? []).filter {
        $0.shouldDisplay != false && $0.commandName != "help"
      }
      return shown.flatMap { [$0] + $0.all }
    }

    /// The words that run this command.
    var path: String { ((superCommands ?? []) + [commandName]).joined(separator: " ") }

    /// The lines of the examples in the help.
    var examples: [String] {
      let parts = (discussion ?? "").components(separatedBy: "Examples:\n")
      return (parts.count == 2 ? parts[1] : "").split(separator: "\n")
        .prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    }
  }

  private struct Dump: Decodable { let command: Command }

  private func root(of program: String, _ run: ProgramRun) throws -> Command {
    let dump = try run.run(program, "--experimental-dump-help").output
    return try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
  }

  @Test(arguments: programs)
  func `every verb has an abstract and an example`(_ program: String) throws {
    let root = try root(of: program, ProgramRun())
    #expect(root.examples.count >= 3)
    #expect(root.all.count >= 12)
    for command in root.all {
      #expect(command.abstract?.hasSuffix(".") == true, "\(command.path)")
      #expect(!command.examples.isEmpty, "\(command.path) has no example")
      for example in command.examples {
        #expect(example.hasPrefix("\(command.path)"), "\(command.path): \(example)")
      }
    }
  }

  @Test(arguments: programs)
  func `every example works as it is written`(_ program: String) throws {
    let run = try ProgramRun()
    let root = try root(of: program, run)
    let commands = root.all
    func examples(_ verb: String) -> [String] {
      commands.filter { $0.path.hasPrefix("\(program) \(verb)") }.flatMap(\.examples)
    }
    // The objects and files that the examples name.
    let add = try #require(examples("add").first)
    for _ in 0..<(program == "news-feed" ? 1 : 8) { try shell(add, run) }
    for example in examples("accounts add") { try shell(example, run) }
    if program == "news-feed" {
      try shell(add.replacing("note-1", with: "note-2"), run)
      try run.write(
        """
        <feed xmlns="http://www.w3.org/2005/Atom"><title>f</title><id>f</id><entry><id>e</id>\
        <title>t</title><updated>2026-11-03</updated></entry></feed>
        """,
        to: "feed.xml"
      )
    } else {
      for example in examples("import") {
        guard let file = example.split(separator: " ").dropFirst(2).first, file != "-" else {
          continue
        }
        if file.hasSuffix(".mrc") {
          let marc = URL(fileURLWithPath: ProgramFolder.fixture("library.mrc"))
          try? Data(contentsOf: marc).write(to: URL(fileURLWithPath: run.path(String(file))))
        } else {
          try run.run(program, "export", String(file))
        }
      }
      try run.write("0306406152\n", to: "isbns.txt")
    }
    for file in ["app.log", "db.log"] where program == "event-log" {
      try run.write("a line\n", to: file)
    }
    // A server runs until it is ended, and `WebTests` run it; `SubscriptionTests` fetch feeds.
    let others = ["add", "remove", "serve", "subscribe", "unsubscribe", "refresh"]
    let later = examples("subscribe").filter { $0.hasSuffix(" --later") }
    let rest = commands.filter { !others.contains($0.commandName) }.flatMap(\.examples)
    let all = later + rest + examples("remove") + examples("unsubscribe")
    for example in all where !example.contains(" column ") {
      let words = example.split(separator: " ")
      // A watch and a follower run until they are interrupted, and a simulation until its time is over.
      let end =
        words.dropFirst().prefix(2).contains("watch")
        ? " --deltas 0"
        : words[1] == "simulate"
          ? " --operations 3" : words[1] == "follow" && !words.contains("--once") ? " --once" : ""
      try shell(example + end, run, expecting: words.contains("--based-on") ? 75 : 0)
    }
    // Each needs what the one before it has made.
    for verb in ["add", "rename", "remove"] {
      let example = commands.flatMap(\.examples).first { $0.contains(" column \(verb) ") }
      try shell(try #require(example), run)
    }
  }

  /// Runs a line as a person would, in a shell, with an empty table as the standard input.
  private func shell(_ line: String, _ run: ProgramRun, expecting status: Int32 = 0) throws {
    let program = try #require(line.split(separator: " ").first.map(String.init))
    let folder = URL(fileURLWithPath: try ProgramFolder.executable(program))
      .deletingLastPathComponent().path
    var environment = run.environment
    environment["PATH"] = "\(folder):/usr/bin:/bin"
    let running = try RunningProgram(
      "/bin/sh",
      ["-c", line],
      environment: environment,
      folder: run.folder
    )
    try running.write("title\n")
    let result = try running.finish()
    #expect(result.status == status, "\(line): \(result)")
    #expect(!result.errors.contains("columns not imported"), "\(line): \(result)")
  }

  @Test(arguments: [
    (["help", "lst"], "There is no help on “lst”. Did you mean “list”?"),
    (["help", "wher"], "There is no help on “wher”. Did you mean “where”?"),
    (["cache", "lst"], "Unknown command “lst”. Did you mean “list”?"),
    (["list", "--lmit", "3"], "Unknown option '--lmit'. Did you mean '--limit'?"),
    (
      ["show"],
      "Missing expected argument '<id>'. The id, as 'book-catalog list --columns id,title' shows it."
    ),
    (
      ["list", "--busy-timeout", "x"],
      "such as 500ms or 5s; a number alone is seconds. See 'book-catalog list --help'."
    ),
    (
      ["list", "--limit", "x"],
      "'x' is invalid for '--limit <limit>': Give a whole number such as 20. See 'book-catalog list"
    ),
    (
      ["list", "--where", " "], "--where is empty. Leave it out to select all, or give a condition"
    ),
    (
      ["add", "author=A"],
      "A book needs values for publisher and title. For example: book-catalog add publisher=Collins"
    ),
    (["add", "publisher=A"], "A book needs a value for title. For example: book-catalog add"),
    (["remove", "1", "--read-only"], "Unknown option '--read-only'."),
    (
      ["watch", "--format", "csv"],
      "Please provide one of 'table', 'plain', 'json' or 'jsonl'."
    ),
    (
      ["list", "--format", "xml"],
      "Please provide one of the following: table, plain, tsv, csv, json, jsonl."
    ),
    (
      ["cache", "delete"],
      "Name a cache or use --all, not both. See 'book-catalog cache delete --help'."
    ),
    (["help", "where", "more"], "'help where' takes no further word. Leave out “more”."),
  ])
  func `usage errors have one voice and one status`(_ arguments: [String], _ words: String) throws {
    let result = try ProgramRun().run("book-catalog", arguments)
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("book-catalog: "))
    #expect(result.errors.contains(words), "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
  }

  @Test func `unknown columns of an import are named with the nearest attribute`() throws {
    let run = try ProgramRun()
    let imported = try run.run(
      "book-catalog",
      "import",
      "-",
      input: "publisher,title,auhtor,colour\nP,T,A,red\n"
    )
    #expect(
      imported.errors
        == "book-catalog: columns not imported: auhtor (did you mean “author”?), colour\n"
    )
    let refused = try run.run(
      "book-catalog",
      "import",
      "-",
      input: "publisher,titel\nP,T\n",
      expecting: 65
    )
    for words in [
      "there is no title column, and every Book needs one (it may be empty).",
      "Rename “titel” if it is meant. Columns found: publisher, titel. Columns understood: publisher,",
    ] {
      #expect(refused.errors.contains(words), "\(refused)")
    }
  }

  @Test(arguments: programs)
  func `the help names what the program has, and offers only what it takes`(_ program: String)
    throws
  {
    let run = try ProgramRun()
    let conditions = try run.run(program, "help", "where").output
    #expect(!conditions.contains("ATTRIBUTE"), "\(conditions)")
    for verb in ["list", "story", "watch", "add"] {
      let help = try run.run(program, "help", verb).output
      #expect(!help.contains("PROGRAM"), "\(help)")
      #expect(help.contains("--read-only") == ["list", "watch"].contains(verb), "\(help)")
    }
    let watch = try run.run(program, "help", "watch").output
      .split { $0.isWhitespace }.joined(separator: " ")
    #expect(watch.contains("table, plain, json, jsonl;"), "\(watch)")
    #expect(watch.contains("a number alone is seconds"), "\(watch)")
  }

  // MARK: - The document

  /// The blocks of a page below a marker such as `<!-- help: book-catalog help where -->`.
  private static func blocks(
    _ marker: String,
    in page: String = "docs/commands.md"
  ) throws -> [(name: String, text: String)] {
    let document = try String(
      contentsOfFile: ProgramFolder.fixture("../\(page)"),
      encoding: .utf8
    )
    return document.components(separatedBy: "<!-- \(marker): ").dropFirst().compactMap { part in
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
      guard let first = lines.first, let name = first.components(separatedBy: " -->").first else {
        return nil
      }
      let block = lines.dropFirst(2).prefix { $0 != "```" }
      return (name, block.map { $0 + "\n" }.joined())
    }
  }

  @Test func `the document shows the help that programs print`() throws {
    let run = try ProgramRun()
    let blocks = try Self.blocks("help")
    #expect(blocks.count >= 4)
    for (command, text) in blocks {
      let words = command.split(separator: " ").map(String.init)
      let help = try run.run(words[0], Array(words.dropFirst()))
      #expect(help.output == text, "\(command)")
    }
  }

  @Test func `the documents' sessions print what they show`() throws {
    var sessions: [(name: String, text: String)] = []
    let days = ["book-catalog", "event-log", "household-ledger", "news-feed", "student-roster"]
    for page in ["docs/commands.md", "README.md"] + days.map({ "docs/programs/\($0).md" }) {
      let blocks = try Self.blocks("session", in: page)
      #expect(!blocks.isEmpty, "\(page)")
      for block in blocks {
        // A session may have prose in between.
        if sessions.last?.name == block.name {
          sessions[sessions.count - 1].text += block.text
        } else {
          sessions.append(block)
        }
      }
    }
    #expect(Set(sessions.map(\.name)).isSuperset(of: ["books", "live-list", "own-database"]))
    let music = try String(
      contentsOfFile: ProgramFolder.fixture("Databases/music.sql"),
      encoding: .utf8
    )
    for (name, text) in sessions {
      let run = try ProgramRun()
      let database = try DatabaseQueue(path: run.path("music.sqlite"))
      try database.inDatabase { try $0.execute(sql: music) }
      try database.close()
      var commands: [(line: String, output: String)] = []
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if line.hasPrefix("$ ") {
          commands.append((String(line.dropFirst(2)), ""))
        } else if !commands.isEmpty {
          commands[commands.count - 1].output += line + "\n"
        }
      }
      let folder = URL(fileURLWithPath: try ProgramFolder.executable("book-catalog"))
        .deletingLastPathComponent().path
      run.environment["PATH"] = "\(folder):/usr/bin:/bin"
      for command in commands {
        let result = try RunningProgram(
          "/bin/sh",
          ["-c", "\(command.line) 2>&1"],
          environment: run.environment,
          folder: run.folder
        ).finish()
        #expect(result.output == command.output, "\(name): \(command.line)")
      }
    }
  }
}
