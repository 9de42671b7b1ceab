import Foundation
import ResultsPresentation
import Synchronization
package import TerminalFrontEnd

/// The only part of the browser that waits: it feeds the model with events, and shows what it draws.
///
/// One task takes the events one by one. A thread of its own waits for the terminal's input; pages are read and lists are opened on the
/// store's executor.
package struct BrowserLoop: Sendable {
  /// How a loop ended.
  package enum End: Hashable, Sendable {
    /// With an exit status: 0 after `q`, 129 when the terminal was closed, 130 after `^C` twice.
    case status(Int32)
    /// By a signal; the terminal has been left.
    case signal(Int32)
  }

  private enum Event: Sendable {
    /// What happened to a list, by its number.
    case level(Int, LevelEvent)
    /// The terminal's input, and the frame that was on the screen when it was read.
    case terminal(TerminalInput, frame: ShownFrame.Number)
    case frame
    case tick
  }

  private let setup: BrowserSetup
  private let source: BrowserSource
  /// The least time between two frames while keys come.
  private static let frameSpan = Duration.milliseconds(16)
  /// The least time between two frames that only commits ask for.
  private static let quietFrameSpan = Duration.milliseconds(33)
  /// For how long after a key its effects are painted without delay.
  private static let keySpan = Duration.milliseconds(250)
  /// The time that a frame waits for a page which is being read.
  private static let pagePatience = Duration.milliseconds(10)
  private static let tickSpan = Duration.milliseconds(250)

  /// Creates a loop over a program's lists.
  package init(_ setup: BrowserSetup, source: BrowserSource) {
    self.setup = setup
    self.source = source
  }

  // MARK: - On a terminal

  /// Shows the list on a terminal until the user leaves it; the terminal is then as it was found.
  /// - Parameters:
  ///   - session: The terminal.
  ///   - isColored: Whether colours are used.
  /// - Returns: How it ended.
  /// - Throws: The store's error if the list cannot be fetched at all, or `TerminalOutputError`.
  package func run(on session: TerminalSession, isColored: Bool) async throws -> End {
    defer {
      session.stopReading()
      session.leave()
    }
    let (events, continuation) = AsyncStream<Event>.makeStream()
    let shownFrame = ShownFrame()
    let reader = InputReader(session) {
      continuation.yield(.terminal($0, frame: shownFrame.number))
    }
    reader.start()
    var screen = Screen(
      BrowserLevels(BrowserModel(setup, size: session.size), source: source) {
        continuation.yield(.level($0, $1))
      },
      isColored: isColored
    )
    let outcome: Result<End, any Error>
    do {
      outcome = .success(
        try await show(&screen, on: session, events, continuation, shownFrame, reader)
      )
    } catch {
      outcome = .failure(error)
    }
    session.leave()
    for model in screen.levels.all { model.keepMemory() }
    await screen.levels.end()
    return try outcome.get()
  }

  private func show(
    _ screen: inout Screen,
    on session: TerminalSession,
    _ events: AsyncStream<Event>,
    _ continuation: AsyncStream<Event>.Continuation,
    _ shownFrame: ShownFrame,
    _ reader: InputReader
  ) async throws -> End {
    let clock = ContinuousClock()
    let start = clock.now
    try session.write(screen.painter.paint(BrowserView.surface(of: screen.levels.top)))
    for await event in events {
      let now = clock.now - start
      switch event {
      case .frame: screen.frames.hasFired()
      case .terminal(.signal(let number), _): return .signal(number)
      case .terminal(.closed, _): return .status(129)
      default: break
      }
      var effects = try take(event, &screen, at: now)
      while true {
        if effects.isEmpty, !screen.isBetweenLists, !screen.typedAhead.isEmpty {
          let (input, frame) = screen.typedAhead.removeFirst()
          effects = take(input, frame, &screen, at: now)
        }
        guard !effects.isEmpty else { break }
        let (number, effect) = effects.removeFirst()
        switch effect {
        case .quit(let status): return .status(status)
        case .show(let visit):
          var model = BrowserModel(visit.setup, size: session.size)
          model.hasMouse = screen.levels.top.hasMouse
          screen.levels.push(model, visit)
        case .leave:
          guard let left = screen.levels.pop() else { return .status(0) }
          left.keepMemory()
          screen.levels.top.hasMouse = left.hasMouse
          effects += screen.update(.resized(session.size), at: now)
        case .repaint: screen.painter.reset()
        case .copy(let text): try session.write(Clipboard.sequence(for: text))
        case .mouse(let isOn): try session.write(Mouse.reporting(isOn))
        case .suspend:
          session.suspend()
          effects += try screen.reenter(session, at: now)
        case .form(let form, .edit(let text)):
          let event = await reader.edit(text)
          effects += try screen.reenter(session, at: now)
          effects += screen.update(.form(number: form, event), at: now)
        case let effect: screen.levels.work(of: number)?.perform(effect)
        }
      }
      // A page that is about to come is waited for, so that rows do not flicker.
      let wait = screen.levels.top.isSettled ? Duration.zero : BrowserLoop.pagePatience
      let span =
        now - screen.pressed < BrowserLoop.keySpan
        ? BrowserLoop.frameSpan : BrowserLoop.quietFrameSpan
      if let delay = screen.frames.delay(now, span: span, patience: wait) {
        if delay > .zero { wake(by: .frame, after: delay, continuation) }
        continue
      }
      try session.write(screen.painter.paint(BrowserView.surface(of: screen.levels.top)))
      screen.frames.hasPainted(at: now)
      let frame = screen.levels.top.notePainted()
      shownFrame.number = ShownFrame.Number(level: screen.levels.topNumber, frame: frame)
      if screen.levels.all.contains(where: \.needsTicks), screen.frames.startTicking() {
        wake(by: .tick, after: BrowserLoop.tickSpan, continuation)
      }
    }
    return .status(0)
  }

  /// Takes an event for the list that it concerns.
  /// - Returns: What is to be done, each with the number of the list that asks for it.
  private func take(
    _ event: Event,
    _ screen: inout Screen,
    at now: Duration
  ) throws -> [(Int, BrowserEffect)] {
    switch event {
    case .level(let number, .failed(let error)):
      guard number == screen.levels.topNumber, screen.levels.hasBelow else {
        if number == 0 { throw error }
        return []
      }
      screen.levels.pop()
      screen.levels.top.sayFailed(error)
      return []
    case .level(let number, .browser(let event)):
      guard let effects = screen.levels.change(number, { $0.update(event, at: now) }) else {
        event.discard()
        return []
      }
      return effects.map { (number, $0) }
    case .tick:
      screen.frames.hasTicked()
      return screen.levels.numbers.flatMap { number in
        (screen.levels.change(number) { $0.update(.tick, at: now) } ?? []).map { (number, $0) }
      }
    case .terminal(.input(let input), let frame):
      if case .key = input { screen.pressed = now }
      if screen.isBetweenLists, !screen.takesAtOnce(input) {
        screen.typedAhead.append((input, frame))
        return []
      }
      return take(input, frame, &screen, at: now)
    case .terminal(.resized(let size), _): return screen.update(.resized(size), at: now)
    case .terminal(.stop, _): return [(screen.levels.topNumber, .suspend)]
    case .terminal(.signal, _), .terminal(.closed, _), .frame: return []
    }
  }

  /// Takes what was typed for the list on the screen.
  private func take(
    _ input: KeyInput,
    _ seen: ShownFrame.Number,
    _ screen: inout Screen,
    at now: Duration
  ) -> [(Int, BrowserEffect)] {
    switch input {
    case .key(let key):
      // A frame of another list shows none of the rows of this one.
      let isShown = seen.level == screen.levels.topNumber
      return screen.update(.key(key, frame: isShown ? seen.frame : -1), at: now)
    case .paste(let text): return screen.update(.paste(text), at: now)
    case .mouse(let mouse): return screen.update(.mouse(mouse), at: now)
    }
  }

  private func wake(
    by event: Event,
    after delay: Duration,
    _ continuation: AsyncStream<Event>.Continuation
  ) {
    Task {
      try? await Task.sleep(for: delay)
      continuation.yield(event)
    }
  }

  // MARK: - Without a terminal

  /// Plays keys against the real model and the real lists, and returns the last screen.
  ///
  /// Between two keys it waits until the lists show every commit and every row on the screen has been read, so the result depends on
  /// the store alone. If others commit without a pause, it waits only for a time.
  /// - Parameters:
  ///   - keys: The keys and pastes.
  ///   - size: The size of the screen.
  ///   - patience: How long to wait after a key for the lists to show every commit.
  /// - Returns: What the terminal would show.
  /// - Throws: The store's error if the list cannot be fetched.
  package func screen(
    after keys: [KeyInput],
    size: TerminalSize,
    patience: Duration = .seconds(5)
  ) async throws -> Surface {
    let (events, continuation) = AsyncStream<(Int, LevelEvent)>.makeStream()
    var levels = BrowserLevels(BrowserModel(setup, size: size), source: source) {
      continuation.yield(($0, $1))
    }
    var rest = keys[...]
    var end = ContinuousClock.now + patience
    var outcome: Result<Surface, any Error> = .success(BrowserView.surface(of: levels.top))
    events: for await (number, event) in events {
      switch event {
      case .failed(let error):
        guard number != 0 else {
          outcome = .failure(error)
          break events
        }
        guard number == levels.topNumber else { break }
        levels.pop()
        levels.top.sayFailed(error)
      case .browser(let event): play(event, of: number, &levels, size, &rest)
      }
      var isDone = false
      while levels.top.hasList, levels.top.running == 0 {
        let isSettled =
          levels.top.isSettled ? await levels.topWork.hasDelivered(to: levels.top) : false
        guard isSettled || .now >= end else { break }
        end = .now + patience
        guard let input = rest.popFirst() else {
          isDone = true
          break
        }
        let event: BrowserEvent =
          switch input {
          case .key(let key): .key(key)
          case .paste(let text): .paste(text)
          case .mouse(let mouse): .mouse(mouse)
          }
        play(event, of: levels.topNumber, &levels, size, &rest)
      }
      outcome = .success(BrowserView.surface(of: levels.top))
      if isDone { break }
    }
    await levels.end()
    return try outcome.get()
  }

  /// Takes an event, and does what is to be done because of it.
  private func play(
    _ event: BrowserEvent,
    of number: Int,
    _ levels: inout BrowserLevels<BrowserModel>,
    _ size: TerminalSize,
    _ rest: inout ArraySlice<KeyInput>
  ) {
    guard let effects = levels.change(number, { $0.update(event, at: .zero) }) else {
      return event.discard()
    }
    for effect in effects {
      switch effect {
      case .quit: rest = []
      case .show(let visit): levels.push(BrowserModel(visit.setup, size: size), visit)
      case .leave: if levels.pop() == nil { rest = [] }
      default: levels.work(of: number)?.perform(effect)
      }
    }
  }
}

/// What is on the terminal, and what waits for it.
private struct Screen {
  var levels: BrowserLevels<BrowserModel>
  var painter: Painter
  var frames = FrameTimer()
  /// When a key was pressed last.
  var pressed = Duration.seconds(-1)
  /// Keys that were typed while a list is being opened over the shown one, for which they are meant.
  var typedAhead: [(input: KeyInput, frame: ShownFrame.Number)] = []

  init(_ levels: BrowserLevels<BrowserModel>, isColored: Bool) {
    self.levels = levels
    painter = Painter(isColored: isColored)
  }

  /// Whether a list is being opened over another one, and nothing of it is shown yet.
  var isBetweenLists: Bool {
    let top = levels.top
    return top.isVisiting || levels.hasBelow && !top.hasList && top.shownFirstRows == nil
  }

  /// Whether a key is for what is on the screen between two lists: one that interrupts, or that leaves a list which is slow to open.
  func takesAtOnce(_ input: KeyInput) -> Bool {
    guard case .key(let key) = input else { return false }
    if key == Key(.character("c"), control: true) || key == Key(.character("z"), control: true) {
      return true
    }
    let leaving: [BrowserAction] = [.quit, .quitAll, .escape, .back]
    return typedAhead.isEmpty && !levels.top.isVisiting
      && leaving.contains { BrowserKeymap.meaning(of: [key.description]) == .action($0) }
  }

  /// Takes an event for the list on the screen.
  mutating func update(_ event: BrowserEvent, at now: Duration) -> [(Int, BrowserEffect)] {
    let number = levels.topNumber
    return levels.top.update(event, at: now).map { (number, $0) }
  }

  /// Shows everything again on a terminal that something else has used.
  mutating func reenter(
    _ session: TerminalSession,
    at now: Duration
  ) throws -> [(Int, BrowserEffect)] {
    painter.reset()
    if levels.top.hasMouse { try session.write(Mouse.reporting(true)) }
    return update(.resized(session.size), at: now)
  }
}

extension BrowserModel {
  /// Hands over what is to be remembered of the list.
  func keepMemory() {
    if let memory { setup.remember?(memory) }
  }

  /// Says why a list that was opened over this one cannot be shown.
  mutating func sayFailed(_ error: any Error) {
    message = SafeText.oneLine((error as? BrowserSource.Refusal)?.reason ?? "\(error)")
  }
}

extension BrowserEvent {
  /// Closes what has come for a list that is no longer open.
  func discard() {
    if case .performed(let outcome) = self, case .visit(let visit) = outcome.effect {
      visit.close()
    }
  }
}

/// When the next frame is due, and which timers run.
private struct FrameTimer {
  private var painted = Duration.seconds(-1)
  private var changedSince: Duration?
  private var isWaiting = false
  private var isTicking = false

  /// Returns the time for which to start a timer, zero if it runs already, or `nil` if the frame is due.
  mutating func delay(_ now: Duration, span: Duration, patience: Duration) -> Duration? {
    let since = changedSince ?? now
    changedSince = since
    let due = max(painted + span, since + patience)
    guard due > now else { return nil }
    guard !isWaiting else { return .zero }
    isWaiting = true
    return due - now
  }

  mutating func hasFired() { isWaiting = false }

  mutating func hasPainted(at now: Duration) {
    painted = now
    changedSince = nil
  }

  mutating func hasTicked() { isTicking = false }

  /// Starts ticking.
  /// - Returns: Whether a tick has to be ordered.
  mutating func startTicking() -> Bool {
    guard !isTicking else { return false }
    isTicking = true
    return true
  }
}

/// The number of the frame on the screen, for the thread that reads keys.
private final class ShownFrame: Sendable {
  /// A frame of one of the lists that are open one over the other.
  struct Number: Hashable, Sendable {
    var level = 0
    var frame = 0
  }

  private let value = Mutex(Number())

  var number: Number {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// The terminal's clipboard.
private enum Clipboard {
  /// Returns the sequence that copies a text (OSC 52).
  static func sequence(for text: String) -> String {
    "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}"
  }
}
