import Foundation
import ResultsPresentation
package import TerminalFrontEnd

/// The loop of a list that is read out in lines: it takes typed lines, and writes text without escape sequences.
///
/// What is typed while a command is still at work waits for it. Changes of others are announced while the line is empty.
package struct LineLoop: Sendable {
  private enum Event: Sendable {
    /// What happened to a list, by its number.
    case level(Int, LevelEvent)
    case terminal(TerminalInput)
    /// The time to try again to read a list that has failed.
    case retry
    /// The time after which a wait for the store is worth a word.
    case quiet
  }

  private let setup: BrowserSetup
  private let source: BrowserSource
  private static let prompt = "> "
  private static let patience = Duration.seconds(1)
  /// The number of events for which the changes of a command are waited for.
  private static let mostChecks = 20

  /// Creates a loop over a program's lists.
  package init(_ setup: BrowserSetup, source: BrowserSource) {
    self.setup = setup
    self.source = source
  }

  /// Reads the list out until the user leaves it.
  /// - Parameter session: The terminal, in the modes of lines.
  /// - Returns: How it ended.
  /// - Throws: The store's error if the list cannot be fetched at all, or `TerminalOutputError`.
  package func run(on session: TerminalSession) async throws -> BrowserLoop.End {
    defer {
      session.stopReading()
      session.leave()
    }
    let (events, continuation) = AsyncStream<Event>.makeStream()
    Thread.detachNewThread { session.readInput { continuation.yield(.terminal($0)) } }
    var state = State(
      BrowserLevels(LineBrowser(setup), source: source) { continuation.yield(.level($0, $1)) },
      setup.width,
      echoes: session.echoes
    )
    let outcome: Result<BrowserLoop.End, any Error>
    do {
      outcome = .success(try await read(&state, events, continuation, session))
    } catch {
      outcome = .failure(error)
    }
    session.leave()
    for browser in state.levels.all { browser.model.keepMemory() }
    await state.levels.end()
    return try outcome.get()
  }

  private func read(
    _ state: inout State,
    _ events: AsyncStream<Event>,
    _ continuation: AsyncStream<Event>.Continuation,
    _ session: TerminalSession
  ) async throws -> BrowserLoop.End {
    let clock = ContinuousClock()
    let start = clock.now
    var isWaiting = false
    var checks = 0
    for await event in events {
      state.now = clock.now - start
      switch event {
      case .level(let number, .failed(let error)):
        guard number == state.levels.topNumber, state.levels.hasBelow else {
          if number == 0 { throw error }
          break
        }
        state.leave()
        state.browser.model.sayFailed(error)
      case .retry:
        isWaiting = false
        state.update(.tick)
      case .quiet: state.update(.tick)
      case .level(let number, .browser(let event)): state.update(event, of: number)
      case .terminal(.input(let input)): state.take(early: input)
      case .terminal(.resized): break
      case .terminal(.stop): state.effects.append((state.levels.topNumber, .suspend))
      case .terminal(.signal(let number)): return .signal(number)
      case .terminal(.closed): return .status(129)
      }
      repeat {
        try session.write(state.takeOutput())
        for (number, effect) in state.takeEffects() {
          switch effect {
          case .quit(let status): return .status(status)
          case .suspend: session.suspend()
          case .show(let visit): state.show(visit)
          case .leave: if !state.leave() { return .status(0) }
          case .repaint, .copy: break
          case .perform:
            checks = LineLoop.mostChecks
            state.levels.work(of: number)?.perform(effect)
            Task {
              try? await Task.sleep(for: BrowserModel.quietSpan)
              continuation.yield(.quiet)
            }
          default: state.levels.work(of: number)?.perform(effect)
          }
        }
        // What a command wrote is read out with its answer. Others may write all the time, so there is an end to waiting.
        if checks > 0, state.isReady {
          checks -= 1
          guard await state.levels.topWork.hasDelivered(to: state.browser.model) else { break }
          checks = 0
        }
      } while state.advance()
      if state.browser.hasFailed, !isWaiting {
        isWaiting = true
        Task {
          try? await Task.sleep(for: LineLoop.patience)
          continuation.yield(.retry)
        }
      }
    }
    return .status(0)
  }
}

extension LineLoop {
  /// What the loop knows: the list, the line that is being typed, and what waits.
  private struct State {
    var levels: BrowserLevels<LineBrowser>
    var now = Duration.zero
    /// What is to be done, each with the number of the list that asks for it.
    var effects: [(Int, BrowserEffect)] = []
    /// Input that has not been taken yet.
    var waiting: [KeyInput] = []
    private var editor: LineEditor
    private var output = ""
    /// Whether the list, or a command's outcome, is still to be read out.
    private var isAwaited = true
    /// Whether it has not been said yet what is read out.
    private var isNew = true
    private let echoes: Bool

    init(_ levels: BrowserLevels<LineBrowser>, _ width: DisplayWidth, echoes: Bool) {
      self.levels = levels
      editor = LineEditor(width: width)
      self.echoes = echoes
    }

    /// The list that is read out.
    var browser: LineBrowser {
      get { levels.top }
      set { levels.top = newValue }
    }

    /// Takes an event for a list; that which is read out if none is named.
    mutating func update(_ event: BrowserEvent, of number: Int? = nil) {
      let (number, now) = (number ?? levels.topNumber, now)
      guard let wanted = levels.change(number, { $0.update(event, at: now) }) else {
        return event.discard()
      }
      append(wanted, number)
      if case .writer = event { announceWait() }
    }

    private mutating func append(_ wanted: [BrowserEffect], _ number: Int? = nil) {
      let number = number ?? levels.topNumber
      effects += wanted.map { (number, $0) }
    }

    /// Reads out another list over the present one.
    mutating func show(_ visit: BrowserVisit) {
      levels.push(LineBrowser(visit.setup), visit)
      (isAwaited, isNew) = (true, true)
    }

    /// Reads out the list below again.
    /// - Returns: Whether there is one.
    @discardableResult
    mutating func leave() -> Bool {
      guard let left = levels.pop() else { return false }
      left.model.keepMemory()
      levels.top.comeBack()
      isAwaited = true
      return true
    }

    /// Whether the outcome of a command can be read out.
    var isReady: Bool { isAwaited && browser.isReady }

    mutating func takeEffects() -> [(Int, BrowserEffect)] {
      defer { effects = [] }
      return effects
    }

    mutating func takeOutput() -> String {
      defer { output = "" }
      return output
    }

    /// Keeps an input until it can be taken; only a wait of a write for other writers is given up at once.
    mutating func take(early input: KeyInput) {
      if case .key(let key) = input, key == Key(.character("c"), control: true),
        let wanted = browser.giveUpWaiting(at: now)
      {
        append(wanted)
      } else {
        waiting.append(input)
      }
    }

    /// Says what the last command waits for.
    private mutating func announceWait() {
      guard isAwaited, let text = browser.model.waitingText else { return }
      output += SafeText.oneLine(text) + "\r\n"
    }

    /// Reads out what is ready, or takes the next input.
    /// - Returns: Whether there may be more to do.
    mutating func advance() -> Bool {
      guard !isAwaited else {
        guard browser.isReady else { return false }
        isAwaited = false
        let greeting = isNew ? browser.greeting() : []
        isNew = false
        write(greeting + browser.readOut())
        return true
      }
      guard !waiting.isEmpty else {
        guard editor.text.isEmpty, browser.isReady, browser.hasAnnouncements else { return false }
        output += "\r\n"
        write(browser.readAnnouncements())
        return true
      }
      take(waiting.removeFirst())
      return true
    }

    private mutating func take(_ input: KeyInput) {
      guard case .key(let key) = input else { return }
      let (outcome, echo) = editor.press(key)
      if echoes { output += echo }
      switch outcome {
      case .typing: break
      case .line(let line):
        append(browser.enter(line, at: now))
        isAwaited = true
      case .key(let key):
        guard let wanted = browser.press(key, at: now) else { return }
        append(wanted)
        output += "\r\n"
        isAwaited = true
      case .end: append([.quit(0)])
      }
    }

    private mutating func write(_ lines: [String]) {
      for line in lines { output += line + "\r\n" }
      output += LineLoop.prompt
    }
  }
}
