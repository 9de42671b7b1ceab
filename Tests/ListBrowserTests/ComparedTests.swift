import ResultsDomain
import Testing

@testable import ListBrowser

/// R181: incomplete capture is said on the screen as long as it lasts.
@Suite("Compared lists on the screen", .timeLimit(.minutes(1)))
struct ComparedTests {
  @Test(arguments: [80, 40])
  func `R181: the screen says that the list is compared, why, and when it no longer is`(
    columns: Int
  ) async throws {
    var world = try await World([("A", "a", 1)], columns: columns)
    let live = world.screen[0]
    try world.send(.compared(["triggers were switched off"]))
    #expect(world.screen[0] != live)
    if columns == 80 {
      #expect(world.screen[0].hasSuffix("! compared"))
      let why = world.screen[world.screen.count - 2]
      #expect(why.hasPrefix(" The list is compared"), "\(why)")
      #expect(why.contains("switched off."), "\(why)")
    }
    try world.press("j")
    #expect(world.screen[0] != live)
    try world.send(.compared([]))
    #expect(world.screen[0] == live)
    #expect(columns < 80 || world.screen.contains { $0.contains("every commit again.") })
  }
}
