@testable import EventLog
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@Suite struct LogFollowerTests {
  private let files = ScriptedLogFiles()
  private let store: InMemoryStore
  private let manager: StoreManager

  init() throws {
    let store = try InMemoryStore(entities: [Event.entity, LogSource.entity])
    self.store = store
    manager = try StoreManagers(dataFolder: "") { _, _ in store }.manager(of: "Log")
  }

  /// What followers said.
  private final class Notes {
    var all: [LogFollower.Note] = []
  }

  private let notes = Notes()

  private func follower(
    _ name: String = "app.log",
    startsAtEnd: Bool = false,
    chunk: Int = 1 << 18
  ) -> LogFollower {
    let notes = notes
    let follower = LogFollower(
      path: ScriptedLogFiles.folder + name,
      machine: "a3",
      startsAtEnd: startsAtEnd,
      manager: manager,
      files: files,
      event: { line in
        Event(line: Event.text(of: line.bytes).text, at: Instant(microseconds: 0))
      },
      say: { notes.all.append($0) }
    )
    follower.chunk = chunk
    return follower
  }

  private func run(_ follower: LogFollower) throws {
    while try follower.step() == .advanced {}
  }

  private var messages: [String] {
    get throws { try manager.select("Event").map { $0["message"].text ?? "" } }
  }

  @Test func `R279: what is appended becomes events, and a line without its end does not`() throws {
    let follower = follower()
    try run(follower)
    #expect(notes.all == [.missing])
    files.append("one\r\n\n\r\ntwo\nthr")
    try run(follower)
    #expect(try messages == ["one", "two"] && follower.count == 2)
    #expect(follower.hasUnfinishedLine)
    files.append("ee\n")
    try run(follower)
    #expect(try messages == ["one", "two", "three"] && !follower.hasUnfinishedLine)
    #expect(notes.all == [.missing])
  }

  @Test func `R279: another follower goes on where the last one ended`() throws {
    files.append("one\ntwo\nthr")
    try run(follower())
    files.append("ee\nfour\n")
    try run(follower(startsAtEnd: true))
    #expect(try messages == ["one", "two", "three", "four"])
  }

  @Test func `R279: a file can be followed from its end, at the beginning of a line`() throws {
    files.append("one\ntwo\nthr")
    let follower = follower(startsAtEnd: true, chunk: 2)
    try run(follower)
    files.append("ee\n")
    try run(follower)
    #expect(try messages == ["three"])
  }

  @Test(arguments: [false, true])
  func `R279: a renamed file is read to its end, and then the new one`(isKilled: Bool) throws {
    var follower = follower()
    files.append("zero\n", to: "app.log.1")
    files.append("one\n")
    try run(follower)
    files.append("two\n")
    files.rename("app.log", to: "app.log.1")
    files.create("app.log")
    if isKilled { follower = self.follower() }
    try run(follower)
    // The program has not opened the new one yet.
    files.append("three\nend", to: "app.log.1")
    if isKilled { follower = self.follower() }
    try run(follower)
    #expect(try messages == ["one", "two", "three"])
    files.append("four\n")
    if isKilled { follower = self.follower() }
    try run(follower)
    #expect(try messages == ["one", "two", "three", "end", "four"])
    #expect(notes.all == [])
  }

  @Test(arguments: [
    ["app.log.1", "app.log.2", "app.log.3"], ["app.log-20261101", "app.log-20261102"],
    ["app-2026-11-01.log", "app-2026-11-02.log"], ["app.log.2026-11-01T10:00", "app.1.log"],
  ])
  func `R279: rotated files that nobody followed are read in their order`(names: [String]) throws {
    files.append("old\n", to: "app.log.9")
    files.append("1\n")
    try run(follower())
    var expected = ["1"]
    for (index, name) in names.enumerated() {
      files.append("a\(index)\nb\(index)\n")
      files.rename("app.log", to: name)
      expected += ["a\(index)", "b\(index)"]
    }
    files.append("not ours\n", to: "app.log.old")
    files.append("not ours\n", to: "apple.log")
    files.append("not ours\n", to: "app.log.1.gz")
    files.append("last\n")
    try run(follower())
    #expect(try messages == expected + ["last"])
    try run(follower())
    #expect(try messages == expected + ["last"])
    #expect(notes.all == [])
  }

  @Test(arguments: [false, true])
  func `R279: a truncated file is read from its start`(isKilled: Bool) throws {
    var follower = follower()
    files.append("one\ntwo\n")
    try run(follower)
    files.truncate()
    if isKilled { follower = self.follower() }
    files.append("three, which is longer\n")
    try run(follower)
    #expect(try messages == ["one", "two", "three, which is longer"])
    #expect(notes.all == [.truncated])
  }

  @Test(arguments: [false, true])
  func `R279: the copy that was made before a file was truncated is read to its end`(
    isKilled: Bool
  ) throws {
    var follower = follower()
    files.append("one\n")
    try run(follower)
    files.append("two\n")
    files.copy("app.log", to: "app.log.1")
    files.truncate()
    if isKilled { follower = self.follower() }
    try run(follower)
    files.append("three\n")
    try run(follower)
    files.rename("app.log", to: "app.log.2")
    files.append("four\n")
    if isKilled { follower = self.follower() }
    try run(follower)
    #expect(try messages == ["one", "two", "three", "four"])
    #expect(notes.all == [])
  }

  @Test func `R279: a copy of the followed file is no other file`() throws {
    let follower = follower()
    files.append("one\n")
    try run(follower)
    files.copy("app.log", to: "app.log.1")
    files.append("two\n")
    files.rename("app.log", to: "app.log.2")
    files.append("three\n")
    try run(follower)
    #expect(try messages == ["one", "two", "three"])
    // As an editor does, or a backup that is brought back.
    files.copy("app.log", to: "app.log.new")
    files.remove("app.log")
    files.rename("app.log.new", to: "app.log")
    files.append("four\n")
    try run(follower)
    #expect(try messages == ["one", "two", "three", "four"])
  }

  @Test func `R279: a file that is gone is said once, and a new one is read from its start`() throws
  {
    let follower = follower()
    files.append("one\n")
    try run(follower)
    files.remove("app.log")
    for _ in 0..<3 { try run(follower) }
    #expect(notes.all == [.gone])
    files.append("two\n")
    try run(follower)
    files.remove("app.log")
    files.append("three\n")
    try run(self.follower())
    #expect(try messages == ["one", "two", "three"])
    #expect(notes.all == [.gone, .lost])
  }

  @Test func `R279: a file that cannot be read is said once, and tried again`() throws {
    let follower = follower()
    files.append("one\n")
    try run(follower)
    files.append("two\n")
    files.files["app.log"]?.isReadable = false
    for _ in 0..<3 { try run(follower) }
    #expect(notes.all == [.failed(.unreadable(path: "it", reason: "no permission"))])
    files.files["app.log"]?.isReadable = true
    try run(follower)
    #expect(try messages == ["one", "two"])
  }

  @Test func `R279: a line of any length is one event, and what is not UTF-8 stays visible`() throws
  {
    let follower = follower(chunk: 1000)
    let long = String(repeating: "x", count: 2_000_000)
    files.append("a\n\(long)\nb\n")
    files.files["app.log"]?.bytes += [0x63, 0xFF, 0x00, 0xC3, 0x0A]
    try run(follower)
    let found = try messages
    #expect(found.count == 4 && found[2] == "b" && found[3] == "c\\xFF\\xC3", "\(found.last ?? "")")
    #expect(found[1].utf8.count <= Event.longestMessage + 3 && found[1].hasSuffix("x…"))
    files.append("d\n")
    try run(self.follower())
    #expect(try messages.last == "d")
  }

  @Test(arguments: 0..<60)
  func `R279: every line is one event, whatever rotates, ends and follows`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var expected: [String] = []
    var followers = [follower(chunk: 7)]
    files.create("app.log")
    try run(followers[0])
    var rotations = 0
    func write() {
      let line = "line \(expected.count) of \(seed)"
      expected.append(line)
      let text = line + "\n"
      // A line may come in parts.
      let cut = Int.random(in: 0...text.utf8.count, using: &random)
      files.append(String(text.prefix(cut)))
      if Int.random(in: 0..<3, using: &random) == 0 { _ = try? followers[0].step() }
      files.append(String(text.dropFirst(cut)))
    }
    for _ in 0..<120 {
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<6: write()
      case 6..<11:
        let index = Int.random(in: followers.indices, using: &random)
        for _ in 0..<Int.random(in: 1...12, using: &random) { _ = try followers[index].step() }
      case 11:
        // A kill: what was read and not committed is forgotten.
        followers[Int.random(in: followers.indices, using: &random)] = follower(
          chunk: Int.random(in: 1...300, using: &random)
        )
      case 12 where followers.count < 3: followers.append(follower(chunk: 50))
      case 13, 14:
        guard files.files["app.log"]?.bytes.isEmpty == false else { continue }
        if seed % 2 == 0 {
          for number in stride(from: rotations, to: 0, by: -1) {
            files.rename("app.log.\(number)", to: "app.log.\(number + 1)")
          }
          files.rename("app.log", to: "app.log.1")
        } else {
          files.rename("app.log", to: "app.log-2026.\(1000 + rotations)")
        }
        rotations += 1
        if Bool.random(using: &random) { files.create("app.log") }
      case 15 where seed % 2 == 1:
        write()
        // Of a file of which nothing was read, a copy cannot be known.
        try run(followers[0])
        write()
        files.copy("app.log", to: "app.log-2026.\(1000 + rotations)")
        rotations += 1
        files.truncate()
      default: continue
      }
    }
    write()
    for _ in 0..<2 { for follower in followers { try run(follower) } }
    let isSame = try messages == expected
    #expect(isSame, "seed \(seed)")
    #expect(notes.all.allSatisfy { $0 == .missing || $0 == .gone }, "seed \(seed): \(notes.all)")
  }

  /// A large file that notes how much is read of it at once.
  private final class LargeFile: LogFile {
    var most = 0
    func status() throws(LogFileError) -> LogFileStatus {
      LogFileStatus(device: 1, inode: 7, size: 1 << 30, modified: 0)
    }

    func read(at offset: Int64, atMost count: Int) throws(LogFileError) -> [UInt8] {
      most = max(most, abs(count))
      return []
    }
  }

  @Test(arguments: [
    "7 1000000000 x", "7 -1000000000 x", "7 1025 x", "7 9223372036854775807 x", "7 x",
  ])
  func
    `R279: what the store says of a file that was read is no reason to read more than its beginning`(
      _ finished: String
    ) throws
  {
    var source = LogSource(name: "a")
    source.finished = finished
    let file = LargeFile()
    #expect(try !source.hasFinished(file, file.status()))
    #expect(file.most <= 1024)
  }
}
