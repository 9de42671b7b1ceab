import Foundation
import ResultsPresentation
import Testing
import WireFormat

/// R62, R71, R72: a store's file goes away, is replaced or comes back under a running `watch`.
///
/// The last good list stays, an error line says that the file is gone, and what follows leads to what is listed.
@Suite struct ReplacedStoreTests {
  /// A `watch` of `b.sqlite`, line by line.
  private struct Follower {
    let run: ProgramRun
    let watch: RunningProgram
    var replay = WireReplay()
    var errorCount = 0

    init(_ run: ProgramRun) throws {
      self.run = run
      watch = try run.start("book-catalog", "watch", "--format", "jsonl", "--store", "b.sqlite")
      try take()
    }

    /// Takes lines until the list shows a title, or to the first error if none is named.
    mutating func take(until title: String? = nil) throws {
      while true {
        let line = try #require(try watch.line(within: 20), "\(try? watch.finish())")
        try replay.apply(line: line)
        if replay.failure != nil { errorCount += 1 }
        guard let title else { return }
        if titles.contains(title) { return }
      }
    }

    var titles: [String] {
      (replay.list?.sections ?? []).flatMap(\.rows).compactMap { $0["title"]?.string }
    }

    /// What is shown is what is listed.
    func expectList() throws {
      let list = try run.run("book-catalog", "list", "--format", "json", "--store", "b.sqlite")
      var listed = WireReplay()
      try listed.apply(line: try #require(list.lines.first))
      #expect(replay.list?.sections == listed.list?.sections)
    }
  }

  private func makeStore(_ run: ProgramRun, _ name: String, _ title: String) throws {
    try run.run("book-catalog", "add", "publisher=P", "title=\(title)", "--store", name)
  }

  private func move(_ run: ProgramRun, _ from: String, _ to: String) throws {
    for end in ["", "-wal", "-shm"]
    where FileManager.default.fileExists(atPath: run.path(from + end)) {
      try FileManager.default.moveItem(atPath: run.path(from + end), toPath: run.path(to + end))
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a file that is moved away and back goes on where it was`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    var follower = try Follower(run)
    try move(run, "b.sqlite", "away.sqlite")
    try follower.take()
    #expect(follower.replay.failure?.contains("b.sqlite") == true)
    #expect(follower.titles == ["first"])
    try move(run, "away.sqlite", "b.sqlite")
    try makeStore(run, "b.sqlite", "second")
    try follower.take(until: "second")
    try follower.expectList()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a file that is replaced by another store is followed`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    try makeStore(run, "other.sqlite", "another")
    var follower = try Follower(run)
    #expect(rename(run.path("other.sqlite"), run.path("b.sqlite")) == 0)
    try follower.take(until: "another")
    #expect(follower.titles == ["another"])
    try makeStore(run, "b.sqlite", "more")
    try follower.take(until: "more")
    try follower.expectList()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a file that is deleted and made anew is followed`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    var follower = try Follower(run)
    for end in ["", "-wal", "-shm"] { unlink(run.path("b.sqlite" + end)) }
    try follower.take()
    #expect(follower.replay.failure?.contains("b.sqlite") == true)
    #expect(follower.titles == ["first"])
    try makeStore(run, "b.sqlite", "anew")
    try follower.take(until: "anew")
    try follower.expectList()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a file that is damaged and then mended goes on`() throws {
    let run = try ProgramRun()
    try makeStore(run, "b.sqlite", "first")
    try makeStore(run, "good.sqlite", "good")
    var follower = try Follower(run)
    try run.write(String(repeating: "This is no database. ", count: 400), to: "bad.sqlite")
    #expect(rename(run.path("bad.sqlite"), run.path("b.sqlite")) == 0)
    try follower.take()
    #expect(follower.replay.failure?.contains("b.sqlite") == true)
    #expect(follower.titles == ["first"])
    #expect(rename(run.path("good.sqlite"), run.path("b.sqlite")) == 0)
    try follower.take(until: "good")
    try follower.expectList()
  }
}
