import ResultsStoreKit
import ResultsTesting
import Testing

@testable import TerminalFrontEnd

/// R131: after any frames, the terminal shows exactly the last surface.
@Suite("The painter")
struct PainterTests {
  private static let clusters: [Character] = [
    "a", "b", " ", " ", "─", "影", "戦", "👩‍🚀", "❤️", "🪿", "か\u{3099}", "न", "ｶﾞ",
  ]

  private func draw(
    _ generator: inout SeededGenerator,
    on surface: inout Surface
  ) {
    let text = String(
      (0..<generator.number(in: 0...12)).compactMap { _ in
        generator.element(of: Self.clusters)
      }
    )
    let style = generator.choice(
      Style(),
      Style(bold: true),
      Style(reversed: true),
      Style(underlined: true, color: .red)
    )
    surface.write(
      text,
      line: generator.number(in: 0...surface.size.rows),
      column: generator.number(in: 0...surface.size.columns),
      style: style
    )
  }

  @Test(arguments: 1..<UInt64(21))
  func `R131: random frames are shown as they were drawn`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let size = TerminalSize(columns: 23, rows: 5)
    var painter = Painter()
    var screen = ReplayedScreen(size: size)
    var surface = Surface(size: size)
    for step in 0..<50 {
      if generator.happens(percent: 20) { surface = Surface(size: size) }
      for _ in 0..<generator.number(in: 0...3) { draw(&generator, on: &surface) }
      surface.cursor = Surface.Position(line: generator.number(in: 0...4), column: 0)
      if generator.happens(percent: 5) { painter.reset() }
      screen.replay(painter.paint(surface))
      var shown = screen.surface
      shown.cursor = surface.cursor
      #expect(shown == surface, "seed \(seed), step \(step)")
      #expect(screen.cursor == surface.cursor, "seed \(seed), step \(step)")
      #expect(screen.unknown == [])
      #expect(painter.paint(surface) == "", "an equal frame costs no byte")
    }
  }

  @Test func `R131: columns stay in line on a terminal that measures emoji otherwise`() {
    let size = TerminalSize(columns: 20, rows: 1)
    var surface = Surface(size: size)
    surface.write("❤️x👩‍🚀|end", line: 0, column: 0)
    var painter = Painter()
    let bytes = painter.paint(surface)
    // Behind each emoji comes an absolute position.
    #expect(bytes.contains("❤️\u{1B}[1;3Hx"))
    #expect(bytes.contains("👩‍🚀\u{1B}[1;6H|end"))
  }

  @Test func `R131: a step of the cursor costs few bytes`() {
    let size = TerminalSize(columns: 80, rows: 24)
    var painter = Painter()
    var surface = Surface(size: size)
    for line in 0..<24 {
      surface.write("   a title of some length and its author", line: line, column: 0)
    }
    surface.restyle(line: 5, columns: 0..<78) { $0.isReversed = true }
    _ = painter.paint(surface)
    surface.restyle(line: 5, columns: 0..<78) { $0.isReversed = false }
    surface.restyle(line: 6, columns: 0..<78) { $0.isReversed = true }
    #expect(painter.paint(surface).utf8.count <= 250)
  }

  @Test func `a wide cluster is never split`() {
    var surface = Surface(size: TerminalSize(columns: 6, rows: 1))
    surface.write("影影影", line: 0, column: 0)
    surface.write("x", line: 0, column: 1)
    #expect(surface.lines == [" x影影"])
    surface.write("影", line: 0, column: 5)
    #expect(surface.lines == [" x影影"])
    surface.write("影", line: 0, column: 3)
    #expect(surface.lines == [" x 影"])
  }
}
