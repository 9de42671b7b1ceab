import Foundation
import ResultsPresentation
import Synchronization
public import TerminalFrontEnd

/// The only part of the browser that waits: it feeds the model with events, and shows what it draws.
///
/// One task takes the events one by one. A thread of its own waits for the terminal's input; pages are read and lists are opened on the
/// store's executor.
public struct BrowserLoop: Sendable {
  /// How a loop ended.
  public enum End: Hashable, Sendable {
    /// With an exit status: 0 after `q`, 129 when the terminal was closed, 130 after `^C` twice.
    case status(Int32)
    /// By a signal; the terminal has been left.
    case signal(Int32)
  }

  private enum Event: Sendable {
    case browser(BrowserEvent)
    /// The terminal's input, and the frame that was on the screen when it was read.
    case terminal(TerminalInput, frame: Int)
    case frame
    case failed(any Error)
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
  public init(_ setup: BrowserSetup, source: BrowserSource) {
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
  public func run(on session: TerminalSession, isColored: Bool) async throws -> End {
    defer {
      session.stopReading()
      session.leave()
    }
    let (events, continuation) = AsyncStream<Event>.makeStream()
    let work = BrowserWork(source) { continuation.yield(.browser($0)) }
    let shownFrame = ShownFrame()
    let reader = InputReader(session) {
      continuation.yield(.terminal($0, frame: shownFrame.number))
    }
    reader.start()
    let opening = Task {
      do { try await work.openBase() } catch { continuation.yield(.failed(error)) }
    }
    let outcome: Result<End, any Error>
    do {
      outcome = .success(
        try await show(on: session, isColored, events, continuation, work, shownFrame, reader)
      )
    } catch {
      outcome = .failure(error)
    }
    session.leave()
    opening.cancel()
    await work.end()
    return try outcome.get()
  }

  private func show(
    on session: TerminalSession,
    _ isColored: Bool,
    _ events: AsyncStream<Event>,
    _ continuation: AsyncStream<Event>.Continuation,
    _ work: BrowserWork,
    _ shownFrame: ShownFrame,
    _ reader: InputReader
  ) async throws -> End {
    let clock = ContinuousClock()
    let start = clock.now
    var model = BrowserModel(setup, size: session.size)
    defer { if let memory = model.memory { setup.remember?(memory) } }
    var painter = Painter(isColored: isColored)
    var frames = FrameTimer()
    var pressed = Duration.seconds(-1)
    try session.write(painter.paint(BrowserView.surface(of: model)))
    for await event in events {
      let now = clock.now - start
      var effects: [BrowserEffect] = []
      switch event {
      case .failed(let error): throw error
      case .frame: frames.hasFired()
      case .browser(.tick):
        frames.hasTicked()
        effects = model.update(.tick, at: now)
      case .browser(let event): effects = model.update(event, at: now)
      case .terminal(.input(.key(let key)), let frame):
        pressed = now
        effects = model.update(.key(key, frame: frame), at: now)
      case .terminal(.input(.paste(let text)), _): effects = model.update(.paste(text), at: now)
      case .terminal(.input(.mouse(let mouse)), _):
        effects = model.update(.mouse(mouse), at: now)
      case .terminal(.resized(let size), _): effects = model.update(.resized(size), at: now)
      case .terminal(.stop, _): effects = [.suspend]
      case .terminal(.signal(let number), _): return .signal(number)
      case .terminal(.closed, _): return .status(129)
      }
      while !effects.isEmpty {
        switch effects.removeFirst() {
        case .quit(let status): return .status(status)
        case .repaint: painter.reset()
        case .copy(let text): try session.write(Clipboard.sequence(for: text))
        case .mouse(let isOn): try session.write(Mouse.reporting(isOn))
        case .suspend:
          session.suspend()
          painter.reset()
          if model.hasMouse { try session.write(Mouse.reporting(true)) }
          effects += model.update(.resized(session.size), at: now)
        case .form(let number, .edit(let text)):
          let event = await reader.edit(text)
          painter.reset()
          if model.hasMouse { try session.write(Mouse.reporting(true)) }
          effects += model.update(.resized(session.size), at: now)
          effects += model.update(.form(number: number, event), at: now)
        case let effect: work.perform(effect)
        }
      }
      // A page that is about to come is waited for, so that rows do not flicker.
      let wait = model.isSettled ? Duration.zero : BrowserLoop.pagePatience
      let span =
        now - pressed < BrowserLoop.keySpan ? BrowserLoop.frameSpan : BrowserLoop.quietFrameSpan
      if let delay = frames.delay(now, span: span, patience: wait) {
        if delay > .zero { wake(by: .frame, after: delay, continuation) }
        continue
      }
      try session.write(painter.paint(BrowserView.surface(of: model)))
      frames.hasPainted(at: now)
      shownFrame.number = model.notePainted()
      if model.needsTicks, frames.startTicking() {
        wake(by: .browser(.tick), after: BrowserLoop.tickSpan, continuation)
      }
    }
    return .status(0)
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
  /// the store alone.
  /// - Parameters:
  ///   - keys: The keys and pastes.
  ///   - size: The size of the screen.
  /// - Returns: What the terminal would show.
  /// - Throws: The store's error if the list cannot be fetched.
  public func screen(after keys: [KeyInput], size: TerminalSize) async throws -> Surface {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    let work = BrowserWork(source) { continuation.yield(.browser($0)) }
    let opening = Task {
      do { try await work.openBase() } catch { continuation.yield(.failed(error)) }
    }
    var model = BrowserModel(setup, size: size)
    var rest = keys[...]
    var outcome: Result<Surface, any Error> = .success(BrowserView.surface(of: model))
    events: for await event in events {
      switch event {
      case .failed(let error):
        outcome = .failure(error)
        break events
      case .browser(let event):
        for effect in model.update(event, at: .zero) { work.perform(effect) }
      case .frame, .terminal: break
      }
      var isDone = false
      while model.hasList, model.isSettled, await work.hasDelivered(to: model) {
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
        for effect in model.update(event, at: .zero) {
          if case .quit = effect { rest = [] }
          work.perform(effect)
        }
      }
      outcome = .success(BrowserView.surface(of: model))
      if isDone { break }
    }
    opening.cancel()
    await work.end()
    return try outcome.get()
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
  private let value = Atomic<Int>(0)

  var number: Int {
    get { value.load(ordering: .acquiring) }
    set { value.store(newValue, ordering: .releasing) }
  }
}

/// The terminal's clipboard.
private enum Clipboard {
  /// Returns the sequence that copies a text (OSC 52).
  static func sequence(for text: String) -> String {
    "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}"
  }
}
