import Foundation
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

@testable import ListBrowser
@testable import TerminalFrontEnd

/// R133, R134: after every random commit, key and resize, the cursor and its screen line are those of a naive model, the terminal
/// shows what was drawn, and the screen is that of a browser that has just started.
///
/// `RESULTS_LAW_STEPS` sets the number of steps, of which a tenth are run beyond 10,000, since each draws two screens; `RESULTS_LAW_SEED`
/// sets the first seed. A failure names its own.
@Suite("The full-screen list obeys the laws")
struct BrowserLawTests {
  static let histories = 25
  static let steps = number("RESULTS_LAW_STEPS").map { max(min($0, 10_000), $0 / 10) } ?? 10_000
  static let firstSeed = UInt64(number("RESULTS_LAW_SEED") ?? 1)

  private static let keys = [
    "j", "j", "k", "5j", "3k", "\u{4}", "\u{15}", "\u{6}", "\u{2}", "G", "g", "J", "K", "zt", "zz",
    "zb", "h", "l", "za", "zM", "zR", "zR", " ", "12G", "50%", "\u{F}", "\u{1B}", "y", "'d",
    "3J", "2K", "3v", "\u{1}", "m", "\u{1B}[<0;9;6M", "\u{1B}[<0;9;3M", "\u{1B}[<64;1;1M",
    "\u{1B}[<65;1;1M", "\r",
  ]

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: firstSeed..<firstSeed + UInt64(histories))
  func `R133: the cursor is where a naive model says, and the screen is exact`(seed: UInt64)
    async throws
  {
    var done = 0
    var life: UInt64 = 0
    while done < Self.steps / Self.histories {
      var world = try await LawWorld(seed: seed &+ life &* 1_000_003)
      life += 1
      for step in 0..<min(80, Self.steps / Self.histories) {
        let context: Comment = "seed \(seed), life \(life), step \(step)"
        switch world.generator.number(in: 0...9) {
        case 0...3: try press(&world)
        case 4: try resize(&world)
        // A menu takes the key that holds the list.
        case 5
        where world.model.held == nil && world.model.menu == nil
          && world.generator.happens(percent: 40):
          try await hold(&world, context)
        case 6 where world.generator.happens(percent: 30): try await reset(&world, context)
        default: try await commit(&world, context)
        }
        try check(&world, context)
        done += 1
      }
      world.controller.cancel()
    }
  }

  // MARK: - Steps

  private func press(_ world: inout LawWorld) throws {
    var parser = KeyParser()
    let text = world.generator.element(of: Self.keys) ?? "j"
    for input in parser.feed(Array(text.utf8)) + parser.flush() {
      switch input {
      case .key(let key): try world.send(.key(key))
      case .mouse(let mouse): try world.send(.mouse(mouse))
      case .paste: break
      }
    }
  }

  private func resize(_ world: inout LawWorld) throws {
    let size = TerminalSize(
      columns: world.generator.choice(70, 70, 40, 130, 21),
      rows: world.generator.number(in: 4...24)
    )
    world.painter.reset()
    world.terminal = ReplayedScreen(size: size)
    try world.send(.resized(size))
  }

  private func commit(_ world: inout LawWorld, _ context: Comment) async throws {
    let isOwn = world.generator.happens(percent: 30)
    var hasChanged = false
    let rows = world.generator.choice(1, 1, 2, 3, 5, 20)
    // Several commits before the browser looks arrive as one change.
    for _ in 0..<(isOwn ? 1 : world.generator.choice(1, 1, 2, 4)) {
      let origin = isOwn ? CommitOrigin("browse-1") : CommitOrigin("other")
      if try world.commit(rows: rows, origin: origin) { hasChanged = true }
    }
    guard hasChanged, let event = try await world.nextEvent() else { return }
    guard case .change(let change) = event else {
      return try world.send(.list(pane: 0, event))
    }
    let before = world.model.pane
    try world.send(.list(pane: 0, event))
    try expect(world, after: change.delta, from: before, isOwn: isOwn, context)
  }

  private func hold(_ world: inout LawWorld, _ context: Comment) async throws {
    try world.send(.key(Key(.character("H"))))
    let before = world.model.pane
    for _ in 0..<world.generator.number(in: 0...5)
    where try world.commit(rows: world.generator.choice(1, 3, 8)) {
      if let event = try await world.nextEvent() { try world.send(.list(pane: 0, event)) }
    }
    let (held, after) = (world.model.held, world.model.pane)
    #expect(after.list?.position == before.list?.position, context)
    #expect(after.cursor == before.cursor && after.line == before.line, context)
    try world.send(.key(Key(.character("."))))
    guard let delta = held?.delta, held?.isExact == true else { return }
    try expect(world, after: delta, from: after, isOwn: false, context)
  }

  /// The present list arrives without a change, as after a reset.
  private func reset(_ world: inout LawWorld, _ context: Comment) async throws {
    guard try world.commit(rows: 4), let event = try await world.nextEvent() else { return }
    guard case .change(let change) = event else { return }
    let before = world.model.pane
    let id = before.cursorID
    try world.send(.list(pane: 0, .reset(.beyondJournal, change.after)))
    guard before.edge == nil, let id, let path = change.after.path(of: id) else { return }
    let item = world.model.pane.lines.visible(.row(path))
    #expect(world.model.pane.cursor == item, context)
  }

  // MARK: - Laws

  /// The cursor and its line are those of the naive model.
  private func expect(
    _ world: LawWorld,
    after delta: ResultsDelta,
    from before: ListPane,
    isOwn: Bool,
    _ context: Comment
  ) throws {
    let pane = world.model.pane
    let old = try #require(before.list).snapshot.content
    let content = try #require(pane.list).snapshot.content
    let naive = NaiveCursor(
      content: content,
      isSectioned: pane.lines.hasHeaders,
      folded: pane.foldedIDs,
      height: pane.height
    )
    if let edge = before.edge {
      let lines = naive.lines
      let wanted = edge == .last ? lines.last : lines.dropFirst(pane.lines.hasHeaders ? 1 : 0).first
      if let wanted, case .row = wanted {
        #expect(pane.naiveCursor(in: content) == wanted, context)
      }
      return
    }
    guard let cursor = before.naiveCursor(in: old) else { return }
    if delta.unobserved != nil {
      // Where the cursor's row goes that was deleted or moved, depends on what is known of its neighbours.
      guard case .row(let id) = cursor, content.sections.contains(where: { $0.rows.contains(id) }),
        !delta.rows.moves.contains(where: { $0.id == id })
      else { return }
      let expected = naive.position(of: .row(id), wanted: before.line)
      #expect(pane.naiveCursor(in: content) == expected?.item, context)
      #expect(pane.line == expected?.line, context)
      return
    }
    let expected = naive.cursor(
      after: cursor,
      before.line,
      from: old,
      moved: Set(delta.rows.moves.map(\.id)),
      isOwn: isOwn
    )
    #expect(pane.naiveCursor(in: content) == expected?.item, context)
    if let expected { #expect(pane.line == expected.line, context) }
  }

  private func check(_ world: inout LawWorld, _ context: Comment) throws {
    let surface = BrowserView.surface(of: world.model)
    world.terminal.replay(world.painter.paint(surface))
    var shown = world.terminal.surface
    (shown.cursor, shown.showsCursor) = (surface.cursor, surface.showsCursor)
    #expect(shown == surface, context)
    let pane = world.model.pane
    #expect(pane.rows.all.count { _ in true } <= 3 * pane.height, context)
    if let cursor = pane.cursor {
      #expect(pane.line >= 0 && pane.line < pane.height, context)
      #expect(pane.item(onLine: pane.line) == cursor, context)
      #expect(pane.top >= 0 && pane.top <= max(0, pane.lines.count - pane.height), context)
    } else {
      #expect(pane.lines.count == 0, context)
    }
    guard world.model.held == nil, let list = pane.list else { return }
    let objects = try list.objects()
    for (position, entry) in pane.rows.all {
      #expect(objects.indices.contains(position) && objects[position] == entry.content, context)
    }
    #expect(
      world.model.selection.allSatisfy(world.isAlive) || list.matchingCount > list.count,
      context
    )
    #expect(surface == BrowserView.surface(of: restarted(world.model, list, objects)), context)
  }

  /// The model of a browser that has just opened the same list, with this cursor and line.
  private func restarted(
    _ model: BrowserModel,
    _ list: ResultsList<Row>,
    _ objects: [Row]
  ) -> BrowserModel {
    var model = model
    var pane = ListPane(id: 0)
    pane.foldedIDs = model.pane.foldedIDs
    pane.height = model.pane.height
    pane.lines = LineMap(list, folded: pane.foldedSections(in: list))
    pane.rows.show(0..<list.count)
    pane.rows.fill(objects.map { ($0.id, $0) }, from: 0)
    pane.indexTitles = list.isSectioned ? list.sectionIndexTitles : nil
    (pane.cursor, pane.line) = (model.pane.cursor, model.pane.line)
    (pane.edge, pane.marks) = (model.pane.edge, model.pane.marks)
    pane.observed = model.pane.observed
    model.base = pane
    return model
  }
}
