import ResultsPresentation
import Testing
import WireFormat

/// A `watch` of `book-catalog` whose lines are replayed.
struct Follower {
  private let run: ProgramRun
  private let store: String
  private let watch: RunningProgram
  private var replay = WireReplay()

  init(_ run: ProgramRun, store: String = "b.sqlite", _ options: String...) throws {
    self.run = run
    self.store = store
    watch = try RunningProgram(
      "book-catalog",
      ["watch", "--format", "jsonl", "--store", store] + options,
      environment: run.environment,
      folder: run.folder
    )
    let snapshot = try #require(try watch.line())
    try replay.apply(line: snapshot)
  }

  /// Sends a signal to the watch.
  func send(_ signal: Int32) { watch.send(signal) }

  mutating func takeDelta(cause: String = "external", within seconds: Double = 20) throws {
    let line = try #require(try watch.line(within: seconds))
    #expect(line.contains(#""t":"delta""#) && line.contains(#""cause":"\#(cause)""#), "\(line)")
    try replay.apply(line: line)
  }

  /// Takes lines until the list is the one that `list` prints.
  mutating func takeList(within seconds: Double = 30) throws {
    let expected = try printedList()
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    while replay.list?.sections != expected.list?.sections {
      let rest = ContinuousClock.now.duration(to: deadline) / .seconds(1)
      try replay.apply(line: try #require(try watch.line(within: max(rest, 0))))
    }
  }

  /// The lists of two processes have the same content, but different generations.
  func expectList() throws {
    #expect(replay.list?.sections == (try printedList()).list?.sections)
  }

  private func printedList() throws -> WireReplay {
    let list = try run.run("book-catalog", "list", "--format", "json", "--store", store)
    var listed = WireReplay()
    try listed.apply(line: try #require(list.lines.first))
    return listed
  }

  func expectEnd() throws {
    let result = try watch.finish()
    #expect(result.status == 0 && result.output == "", "\(result)")
  }
}
