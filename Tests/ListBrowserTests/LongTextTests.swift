import ResultsDomain
import TerminalFrontEnd
import Testing

@testable import ListBrowser

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// R209: what is laid out is bounded, however long a value is.
///
/// Processor times of this thread are compared with each other, so the tests do not depend on what else the machine does.
@Suite("Long texts on the screen", .timeLimit(.minutes(3)))
struct LongTextTests {
  private static let escape = "\u{1B}"

  /// The processor time of a closure.
  private func time(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
  }

  @Test(arguments: [("\0", 300_000), ("x: y\n", 20_000), ("語", 100_000), ("é ", 100_000)])
  func `R209: an editor's text that cannot be read does not stop the browser`(
    _ part: String,
    _ count: Int
  ) async throws {
    var world = try await World.editing()
    let usual = time { _ = world.screen }
    try world.press("\u{5}")
    let number = try #require(world.model.form?.number)
    let text = String(repeating: part, count: count)
    let taken = try time { try world.send(.form(number: number, .edited(text))) }
    #expect(taken < .seconds(2))
    #expect(time { _ = world.screen } < usual * 5 + .milliseconds(50))
    #expect(world.screen.contains { $0.contains("Line 1") })
  }

  /// A world whose first row and section have a text.
  private func world(_ text: String) async throws -> World {
    try await World([(text, text, 1), ("~", "b", 2)], columns: 120, lines: 30)
  }

  @Test(arguments: ["\u{301}", "語", "x", "\0", "\u{AD}"])
  func `R209: a row with a text of megabytes is drawn and moved over as fast as another`(
    _ character: String
  ) async throws {
    var (short, long) = (
      try await world(String(repeating: character, count: 4096)),
      try await world(String(repeating: character, count: 1_000_000))
    )
    // To copy the text takes some time for each frame, and to lay it out would take far more.
    let drawn = time { for _ in 0..<5 { _ = long.screen } }
    #expect(drawn < time { for _ in 0..<5 { _ = short.screen } } * 4 + .seconds(1))
    let keys = ["j", "k", "*", Self.escape, "\"", Self.escape, "j"]
    let usual = try time { for key in keys { try short.press(key) } }
    #expect(try time { for key in keys { try long.press(key) } } < usual * 4 + .seconds(2))
  }

  @Test(arguments: ["語", "x", "\0"])
  func `R209: the detail pane lays out as much as a long article has`(_ character: String)
    async throws
  {
    var (full, long) = (
      try await world(String(repeating: character, count: BrowserView.mostDetailScalars)),
      try await world(String(repeating: character, count: 2_000_000))
    )
    try full.press("\r")
    try long.press("\r")
    #expect(time { _ = long.screen } < time { _ = full.screen } * 3 + .milliseconds(500))
  }
}
