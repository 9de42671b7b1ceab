import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R279: `event-log follow` beside programs that write, rotate, truncate and remove its files.
@Suite(.timeLimit(.minutes(10))) struct FollowTests {
  private let run: ProgramRun

  init() throws { run = try ProgramRun() }

  private func log(_ words: String..., expecting status: Int32 = 0) throws -> ProgramResult {
    let result = try run.run("event-log", words)
    #expect(result.status == status, "\(result)")
    return result
  }

  /// The messages of all events, in the order in which they were stored.
  private func messages(_ store: String? = nil) throws -> [String] {
    let options = ["--columns", "message", "--sort", "id", "--format", "tsv"]
    let result = try run.run(
      "event-log",
      ["list"] + (store.map { ["--store", $0] } ?? []) + options
    )
    #expect(result.status == 0, "\(result)")
    return Array(result.lines.dropFirst())
  }

  private func append(_ text: String, to name: String = "app.log") throws {
    let path = run.path(name)
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: Data(text.utf8))
  }

  private func rename(_ name: String, _ other: String) throws {
    try #require(Foundation.rename(run.path(name), run.path(other)) == 0)
  }

  /// Starts a follower of `app.log`.
  private func follow() throws -> RunningProgram { try run.start("event-log", "follow", "app.log") }

  /// Starts a watch that prints a line for each commit.
  private func watch() throws -> RunningProgram {
    let watch = try run.start(
      "event-log",
      "watch",
      "--format",
      "jsonl",
      "--columns",
      "id",
      "--sort",
      "-id",
      "--limit",
      "1"
    )
    #expect(try watch.line() != nil)
    return watch
  }

  /// Rotates as logrotate does by names, with numbers that grow with age.
  private func rotate(_ rotations: inout Int) throws {
    for number in stride(from: rotations, to: 0, by: -1) {
      try rename("app.log.\(number)", "app.log.\(number + 1)")
    }
    try rename("app.log", "app.log.1")
    rotations += 1
  }

  @Test func `R279: a rotated file is found whose name begins with a sign that combines`() throws {
    let name = "\u{301}app.log"
    try append("1\n", to: name)
    _ = try log("follow", name, "--once")
    try append("2\n", to: name)
    try rename(name, name + ".1")
    try append("3\n", to: name)
    _ = try log("follow", name, "--once")
    #expect(try messages() == ["1", "2", "3"])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `R279: whenever it is killed, the events are the lines of the files`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var written = 0
    var rotations = 0
    try append("")
    // From now on the file is known.
    _ = try log("follow", "app.log", "--once")
    let watch = try watch()
    for _ in 0..<40 {
      let follow = try follow()
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let count = Int.random(in: 1...1500, using: &random)
        let text = (written..<(written + count)).map { "line \($0)\n" }.joined()
        written += count
        let cut = text.utf8.index(
          text.startIndex,
          offsetBy: Int.random(in: 0...text.utf8.count, using: &random)
        )
        try append(String(text[..<cut]))
        if Bool.random(using: &random) { _ = watch.lineIfAny(within: 0.1) }
        try append(String(text[cut...]))
        if Int.random(in: 0..<3, using: &random) == 0 { try rotate(&rotations) }
      }
      if Int.random(in: 0..<4, using: &random) > 0 { _ = watch.lineIfAny(within: 0.3) }
      follow.send(SIGKILL)
      _ = try follow.finish()
    }
    watch.send(SIGKILL)
    try append("last\n")
    _ = try log("follow", "app.log", "--once")
    let expected = (0..<written).map { "line \($0)" } + ["last"]
    let found = try messages()
    let isSame = found == expected
    let first = zip(found, expected).first { $0 != $1 }
    #expect(
      isSame,
      "seed \(seed): \(found.count) of \(expected.count), \(String(describing: first))"
    )
  }

  @Test func `R279: two followers of a file share its lines`() throws {
    try append("")
    _ = try log("follow", "app.log", "--once")
    let watch = try watch()
    let followers = try (0..<2).map { _ in try follow() }
    var expected: [String] = []
    var rotations = 0
    for round in 0..<30 {
      let lines = (0..<200).map { "line \(round) \($0)" }
      expected += lines
      try append(lines.map { $0 + "\n" }.joined())
      #expect(try watch.line() != nil)
      if round % 7 == 6 { try rotate(&rotations) }
    }
    try append("last\n")
    while try messages().last != "last" { #expect(try watch.line() != nil) }
    var stored = 0
    for follower in followers {
      follower.send(SIGTERM)
      let result = try follower.finish()
      #expect(result.status == 128 + SIGTERM, "\(result)")
      let count = result.output.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      stored += try #require(count, "\(result)")
    }
    watch.send(SIGKILL)
    #expect(try messages() == expected + ["last"])
    #expect(stored == expected.count + 1)
  }

  @Test func `R279: a line is on the screen of a watch, and its source is the file`() throws {
    let watch = try watch()
    let follow = try follow()
    try append("{\"msg\":\"one\",\"severity\":\"WARN\",\"host\":\"a3\"}\n")
    #expect(try watch.line() != nil)
    try append("two\n")
    #expect(try watch.line() != nil)
    follow.send(SIGINT)
    let result = try follow.finish()
    #expect(result.status == 128 + SIGINT && result.output == "stored 2 events\n", "\(result)")
    #expect(result.errors.isEmpty || result.errors.contains("does not exist yet"), "\(result)")
    watch.send(SIGKILL)
    try append("three\n", to: "db.log")
    let other = try log("follow", "db.log", "app.log", "--once", "--source", "db")
    #expect(other.output == "stored 1 event\n", "\(other)")
    let columns = ["--columns", "level,message,source,fields", "--sort", "id", "--format", "tsv"]
    #expect(
      try run.run("event-log", ["list"] + columns).lines.dropFirst() == [
        "warning\tone\tapp.log\t{\"host\":\"a3\"}", "\ttwo\tapp.log\t", "\tthree\tdb\t",
      ]
    )
  }

  @Test func `R279: what it says of files that are truncated, removed and created`() throws {
    let follow = try follow()
    let watch = try watch()
    try append("one\n")
    #expect(try watch.line() != nil)
    try #require(truncate(run.path("app.log"), 0) == 0)
    try append("2\n")
    #expect(try watch.line() != nil)
    try FileManager.default.removeItem(atPath: run.path("app.log"))
    while !follow.errorText.contains("is gone") { _ = follow.lineIfAny(within: 0.05) }
    try append("three\n")
    #expect(try watch.line() != nil)
    follow.send(SIGTERM)
    let result = try follow.finish()
    watch.send(SIGKILL)
    let path = "\(try #require(realpath(run.folder, nil).map { String(cString: $0) }))/app.log"
    let lines = result.errors.split(separator: "\n").map(String.init).filter {
      !$0.contains("does not exist yet")
    }
    #expect(
      lines == [
        "event-log: \(path) was truncated, and is read from its start.",
        "event-log: \(path) is gone; a new file is waited for.",
      ],
      "\(result)"
    )
    #expect(try messages() == ["one", "2", "three"])
  }

  @Test func `R279: what cannot be followed is refused`() throws {
    let cases: [([String], Int32, String)] = [
      (["."], 66, "is no ordinary file"), (["/dev/null"], 66, "is no ordinary file"),
      (["none.log", "--once"], 66, "The file none.log does not exist."),
      (["none/app.log"], 66, "The folder of none/app.log does not exist."),
      (["-"], 64, "use 'event-log stamp -'"), ([], 64, "Missing expected argument"),
    ]
    for (words, status, message) in cases {
      let result = try run.run("event-log", ["follow"] + words)
      #expect(result.status == status && result.errors.contains(message), "\(result)")
    }
  }

  @Test func `R279: lines that are not stored as they came are counted`() throws {
    var data = Data("a\n".utf8) + Data([0xFF, 0x0A]) + Data([0xC3, 0x0A])
    data += Data(String(repeating: "x", count: 1_500_000).utf8) + Data("\n{\"msg\":\nb".utf8)
    try data.write(to: URL(fileURLWithPath: run.path("app.log")))
    let result = try log("follow", "app.log", "--once")
    #expect(
      result.output == "stored 5 events; 2 lines were not UTF-8; 1 message was cut\n",
      "\(result)"
    )
    #expect(result.errors.contains("has no end yet"), "\(result)")
    let found = try messages()
    #expect(found.count == 5 && found[0] == "a" && found[4] == "{\"msg\":", "\(found.count)")
    let pipe = try run.run("event-log", ["stamp", "-"], input: "c\n\nd")
    #expect(pipe.output == "stamped 2 events\n", "\(pipe)")
  }

  @Test func `R279: where the store cannot grow, nothing is lost`() throws {
    let lines = (0..<30_000).map { "a line of some length, number \($0)" }
    try append(lines.map { $0 + "\n" }.joined())
    _ = try log("stamp", "first", "--store", "small.sqlite")
    let program = try ProgramFolder.executable("event-log")
    let shell = try RunningProgram(
      "/bin/sh",
      ["-c", "ulimit -f 2000; exec '\(program)' follow app.log --once --store small.sqlite"],
      environment: run.environment,
      folder: run.folder
    )
    let result = try shell.finish()
    #expect(result.status == 74, "\(result)")
    let before = try messages("small.sqlite").count
    #expect(before > 1 && before < lines.count, "\(result)")
    _ = try log("follow", "app.log", "--once", "--store", "small.sqlite")
    #expect(try messages("small.sqlite") == ["first"] + lines)
  }

  @Test func `R279: lines wait for a store that is in use, and that is said once`() throws {
    _ = try log("stamp", "first", "--store", "busy.sqlite")
    try append("one\ntwo\n")
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: run.path("busy.sqlite"), configuration: configuration)
    try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let follow = try run.start(
      "event-log",
      "follow",
      "app.log",
      "--store",
      "busy.sqlite",
      "--busy-timeout",
      "10ms"
    )
    let deadline = ContinuousClock.now.advanced(by: .seconds(60))
    while !follow.errorText.contains("as soon as that is over"), ContinuousClock.now < deadline {
      _ = follow.lineIfAny(within: 0.05)
    }
    _ = follow.lineIfAny(within: 0.3)
    try other.inDatabase { try $0.execute(sql: "COMMIT") }
    try other.close()
    while try messages("busy.sqlite").count < 3, ContinuousClock.now < deadline {}
    follow.send(SIGTERM)
    let result = try follow.finish()
    #expect(result.errors.components(separatedBy: "is being written").count == 2, "\(result)")
    #expect(try messages("busy.sqlite") == ["first", "one", "two"])
  }

  @Test func `R279: a store without followed files is read as it is, and gets them`() throws {
    let text = { (name: String) in AttributeDescription(name, .text, isOptional: true) }
    let levels = ["debug", "info", "notice", "warning", "error", "fatal"]
    let event = try EntityDescription(
      name: "Event",
      attributes: [
        AttributeDescription("timeStamp", .date),
        AttributeDescription("level", .text, isOptional: true, form: .words(levels)),
        text("message"), text("source"), text("fields"),
      ]
    )
    let store = try SQLiteStore(at: run.path("old.sqlite"), entities: [event])
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert([1, 3, "earlier", .null, .null], key: nil, into: event)
    }
    try store.close()
    let options = ["--store", "old.sqlite"]
    let list = try run.run("event-log", ["list", "--read-only"] + options)
    #expect(list.status == 0 && list.output.contains("warning\tearlier"), "\(list)")
    try append("later\n")
    let follow = try run.run("event-log", ["follow", "app.log", "--once"] + options)
    #expect(follow.output == "stored 1 event\n", "\(follow)")
    #expect(try messages("old.sqlite") == ["earlier", "later"])
  }
}
