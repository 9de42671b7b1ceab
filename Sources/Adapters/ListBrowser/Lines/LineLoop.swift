import Foundation
import ResultsPresentation
public import TerminalFrontEnd

/// The loop of a list that is read out in lines: it takes typed lines, and writes text without escape sequences.
///
/// What is typed while a command is still at work waits for it. Changes of others are announced while the line is empty.
public struct LineLoop: Sendable {
  private enum Event: Sendable {
    case browser(BrowserEvent)
    case terminal(TerminalInput)
    case failed(any Error)
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
  public init(_ setup: BrowserSetup, source: BrowserSource) {
    self.setup = setup
    self.source = source
  }

  /// Reads the list out until the user leaves it.
  /// - Parameter session: The terminal, in the modes of lines.
  /// - Returns: How it ended.
  /// - Throws: The store's error if the list cannot be fetched at all, or `TerminalOutputError`.
  public func run(on session: TerminalSession) async throws -> BrowserLoop.End {
    defer {
      session.stopReading()
      session.leave()
    }
    let (events, continuation) = AsyncStream<Event>.makeStream()
    let work = BrowserWork(source) { continuation.yield(.browser($0)) }
    Thread.detachNewThread { session.readInput { continuation.yield(.terminal($0)) } }
    let opening = Task {
      do { try await work.openBase() } catch { continuation.yield(.failed(error)) }
    }
    let outcome: Result<BrowserLoop.End, any Error>
    do {
      outcome = .success(try await read(events, continuation, work, session))
    } catch {
      outcome = .failure(error)
    }
    session.leave()
    opening.cancel()
    await work.end()
    return try outcome.get()
  }

  private func read(
    _ events: AsyncStream<Event>,
    _ continuation: AsyncStream<Event>.Continuation,
    _ work: BrowserWork,
    _ session: TerminalSession
  ) async throws -> BrowserLoop.End {
    let clock = ContinuousClock()
    let start = clock.now
    var state = State(setup, echoes: session.echoes)
    defer { if let memory = state.browser.model.memory { setup.remember?(memory) } }
    var isWaiting = false
    var checks = 0
    for await event in events {
      state.now = clock.now - start
      switch event {
      case .failed(let error): throw error
      case .retry:
        isWaiting = false
        state.effects += state.browser.update(.tick, at: state.now)
      case .quiet: state.effects += state.browser.update(.tick, at: state.now)
      case .browser(let event):
        state.effects += state.browser.update(event, at: state.now)
        if case .writer = event { state.announceWait() }
      case .terminal(.input(let input)): state.take(early: input)
      case .terminal(.resized): break
      case .terminal(.stop): state.effects.append(.suspend)
      case .terminal(.signal(let number)): return .signal(number)
      case .terminal(.closed): return .status(129)
      }
      repeat {
        try session.write(state.takeOutput())
        for effect in state.takeEffects() {
          switch effect {
          case .quit(let status): return .status(status)
          case .suspend: session.suspend()
          case .repaint, .copy: break
          case .perform:
            checks = LineLoop.mostChecks
            work.perform(effect)
            Task {
              try? await Task.sleep(for: BrowserModel.quietSpan)
              continuation.yield(.quiet)
            }
          default: work.perform(effect)
          }
        }
        // What a command wrote is read out with its answer. Others may write all the time, so there is an end to waiting.
        if checks > 0, state.isReady {
          checks -= 1
          guard await work.hasDelivered(to: state.browser.model) else { break }
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
    var browser: LineBrowser
    var now = Duration.zero
    /// What is to be done.
    var effects: [BrowserEffect] = []
    /// Input that has not been taken yet.
    var waiting: [KeyInput] = []
    private var editor: LineEditor
    private var output = ""
    /// Whether the list, or a command's outcome, is still to be read out.
    private var isAwaited = true
    private var hasGreeted = false
    private let echoes: Bool

    init(_ setup: BrowserSetup, echoes: Bool) {
      browser = LineBrowser(setup)
      editor = LineEditor(width: setup.width)
      self.echoes = echoes
    }

    /// Whether the outcome of a command can be read out.
    var isReady: Bool { isAwaited && browser.isReady }

    mutating func takeEffects() -> [BrowserEffect] {
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
        effects += wanted
      } else {
        waiting.append(input)
      }
    }

    /// Says what the last command waits for.
    mutating func announceWait() {
      guard isAwaited, let text = browser.model.waitingText else { return }
      output += SafeText.oneLine(text) + "\r\n"
    }

    /// Reads out what is ready, or takes the next input.
    /// - Returns: Whether there may be more to do.
    mutating func advance() -> Bool {
      guard !isAwaited else {
        guard browser.isReady else { return false }
        isAwaited = false
        let greeting = hasGreeted ? [] : browser.greeting()
        hasGreeted = true
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
        effects += browser.enter(line, at: now)
        isAwaited = true
      case .key(let key):
        guard let wanted = browser.press(key, at: now) else { return }
        effects += wanted
        output += "\r\n"
        isAwaited = true
      case .end: effects.append(.quit(0))
      }
    }

    private mutating func write(_ lines: [String]) {
      for line in lines { output += line + "\r\n" }
      output += LineLoop.prompt
    }
  }
}
