import ResultsStoreKit
import ResultsPresentation
import Testing
import WireFormat

/// A `watch` of `book-catalog` whose lines are replayed.
struct Follower {
  private let run: ProgramRun
  private let store: String
  private let watch: RunningProgram
  private var replay = WireReplay()
  /// The kinds of the lines that were taken.
  private(set) var kinds: Set<String> = []

  init(_ run: ProgramRun, store: String = "b.sqlite", _ options: String...) throws {
    self.run = run
    self.store = store
    watch = try RunningProgram(
      "book-catalog",
      ["watch", "--format", "jsonl", "--store", store] + options,
      environment: run.environment,
      folder: run.folder
    )
    try take(within: 20)
  }

  /// Follows a watch that was started in another way; `store` is what `list` reads.
  init(_ run: ProgramRun, _ watch: RunningProgram, store: String) throws {
    self.run = run
    self.store = store
    self.watch = watch
    try take(within: 20)
  }

  @discardableResult
  private mutating func take(within seconds: Double) throws -> String {
    let line = try #require(try watch.line(within: seconds))
    let kind = line.split(separator: #""t":""#, maxSplits: 1).last?.prefix { $0 != "\"" }
    kinds.insert(kind.map(String.init) ?? "")
    try replay.apply(line: line)
    return line
  }

  /// Sends a signal to the watch.
  func send(_ signal: Int32) { watch.send(signal) }

  mutating func takeDelta(cause: String = "external", within seconds: Double = 20) throws {
    let line = try take(within: seconds)
    #expect(line.contains(#""t":"delta""#) && line.contains(#""cause":"\#(cause)""#), "\(line)")
  }

  /// Takes lines until the list is the one that `list` prints.
  mutating func takeList(within seconds: Double = 30) throws {
    let expected = try printedList()
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    while replay.list?.sections != expected.list?.sections {
      try take(within: max(0, ContinuousClock.now.duration(to: deadline) / .seconds(1)))
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
