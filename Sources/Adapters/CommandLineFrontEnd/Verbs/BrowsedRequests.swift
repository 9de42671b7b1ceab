import Foundation
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization

/// Changes a program's store for the browser, and keeps what is needed to take each change back.
///
/// Requests run one after the other: the lock is held while the store reads and commits, which takes no other lock of this package's
/// front ends.
final class BrowsedRequests<Program: ListProgram>: Sendable {
  private struct State {
    var runner: CommandRunner
    var steps = UndoStack()
    /// What commands have started and what may still run, by the commands' names.
    var started: [String: Task<Void, Never>] = [:]
  }

  private let lists: BrowsedLists<Program>
  private let state: Mutex<State>

  init(_ lists: BrowsedLists<Program>) {
    self.lists = lists
    state = Mutex(State(runner: CommandRunner(lists.store, of: Program.name, by: "browse")))
  }

  /// Performs a request.
  /// - Returns: What it came to.
  /// - Throws: The store's error; `StoreError.conflict` for an undo that would overwrite a change of others.
  func perform(_ request: BrowserRequest) throws -> BrowserOutcome {
    try state.withLock { state in
      switch request {
      case .delete(let ids): try delete(ids, &state)
      case .deleteAll(let choice): try delete(try lists.ids(of: choice), &state)
      case .command(let call): try run(call, &state)
      case .undo: try undo(&state)
      case .redo: try redo(&state)
      }
    }
  }

  /// Runs a change, and keeps what is needed to take it back.
  /// - Parameters:
  ///   - title: What is about to be done, for later processes, in words without a period.
  ///   - body: Makes commits with the name that it is given, and returns what it did, in words without a period.
  /// - Returns: A sentence that says what was done and how it is taken back, or an empty text if nothing was.
  /// - Throws: What the closure throws.
  func perform<Result: Sendable>(
    _ title: String,
    _ body: (any Store, CommitOrigin) throws -> (title: String, Result)
  ) throws -> (message: String, Result) {
    try state.withLock { state in
      let performed = try state.runner.perform(title, body)
      let (title, result) = performed.result
      return (title.isEmpty ? "" : note(title, performed, &state), result)
    }
  }

  /// Ends what commands have started.
  func stop() {
    state.withLock { state in
      for task in state.started.values { task.cancel() }
      state.started = [:]
    }
  }

  private func delete(_ ids: [ObjectID], _ state: inout State) throws -> BrowserOutcome {
    let all = ids.count == 1 ? Program.nouns.one : Program.nouns.many
    let title = "deleted \(ids.count) \(all)"
    let performed = try state.runner.perform(title) { store, origin in
      try store.commit(origin: origin) { transaction in
        try Program.fields.delete(ids, in: transaction).count
      }.result
    }
    let count = performed.result
    let noun = count == 1 ? Program.nouns.one : Program.nouns.many
    guard count > 0 else {
      let subject =
        ids.count == 1 ? "The \(Program.nouns.one) is" : "The \(Program.nouns.many) are"
      return .nothing("\(subject) no longer in the store: nothing was deleted.")
    }
    return BrowserOutcome(note("deleted \(count) \(noun)", performed, &state))
  }

  private func run(_ call: BrowserCall, _ state: inout State) throws -> BrowserOutcome {
    guard let command = Program.commands.first(where: { $0.name == call.name }) else {
      return BrowserOutcome("There is no command “\(call.name)”.")
    }
    if let task = state.started.removeValue(forKey: command.name), !task.isCancelled {
      task.cancel()
      return BrowserOutcome("stopped: \(command.title)")
    }
    let performed = try perform(command, call, &state)
    let outcome = performed.result
    let message =
      command.writes ? note(outcome.message, performed, &state) : said(outcome.message)
    switch outcome.effect {
    case .none:
      var said = BrowserOutcome(message)
      said.foundNothing = command.writes && performed.changes?.isEmpty == true
      return said
    case .lines(let title, let lines):
      return BrowserOutcome(message, .lines(title: title, lines))
    case .detail(let id): return BrowserOutcome(message, .detail(id))
    case .list(let definition): return BrowserOutcome(message, .list(lists.keep(definition)))
    case .jump(let row): return BrowserOutcome(message, .jump(to: row))
    case .repeated(let span, let step):
      state.started[command.name] = Task(executorPreference: lists.store.executor) {
        // A step that fails ends it; the store's failure is shown by the list.
        while !Task.isCancelled, (try? step()) != nil { try? await Task.sleep(for: span) }
      }
      return BrowserOutcome("\(outcome.message).")
    case .background(let work):
      let (messages, continuation) = AsyncStream<String>.makeStream()
      state.started[command.name] = Task(executorPreference: lists.store.executor) { [weak self] in
        let text: String
        do { text = "\(try await work())." } catch { text = self?.sentence(of: error) ?? "" }
        if let self, !Task.isCancelled {
          self.state.withLock { $0.started[command.name] = nil }
          continuation.yield(text)
        }
        continuation.finish()
      }
      return BrowserOutcome("\(outcome.message).", .later(messages))
    case .open(let address) where lists.showsPages:
      return BrowserOutcome(message, .address(address))
    case .open(let address):
      guard SystemBrowser.open(address) else {
        return BrowserOutcome("No program here opens addresses: \(address)")
      }
      return BrowserOutcome(message)
    }
  }

  /// What is wrong, in words for the user.
  private func sentence(of error: any Error) -> String {
    do {
      return try lists.refusing { throw error }
    } catch {
      return error.reason
    }
  }

  /// Runs a command; one that acts on all rows of a list gets their identities in batches.
  private func perform(
    _ command: ListCommand,
    _ call: BrowserCall,
    _ state: inout State
  ) throws -> CommandRunner.Performed<CommandOutcome> {
    let context = try lists.context(of: call)
    guard call.actsOnAll else { return try state.runner.perform(command, in: context) }
    let ids = try lists.ids(of: call.choice)
    return try state.runner.perform(command.title) { store, origin in
      var outcome = CommandOutcome("there is no row")
      for start in stride(from: 0, to: ids.count, by: 1024) {
        var batch = context
        (batch.store, batch.origin) = (store, origin)
        batch.ids = Array(ids[start..<min(start + 1024, ids.count)])
        // Once a batch is stored, the others are not given up.
        let wait = start == 0 ? WriterWait.current : nil
        outcome = try WriterWait.$current.withValue(wait) { try command.run(batch) }
      }
      if ids.count > 1024 { outcome.message = "\(command.title): \(ids.count) rows" }
      return outcome
    }
  }

  /// Keeps what a request changed, and says whether it can be taken back.
  private func note<Result>(
    _ title: String,
    _ performed: CommandRunner.Performed<Result>,
    _ state: inout State
  ) -> String {
    guard let changes = performed.changes else { return "\(title); it cannot be undone." }
    guard !changes.isEmpty else { return said(title) }
    state.steps.push(UndoStep(title, changes, command: performed.name))
    return "\(title): u undoes."
  }

  /// What a request said that changed nothing, as a sentence.
  private func said(_ title: String) -> String { title.isEmpty ? "" : "\(title)." }

  private func undo(_ state: inout State) throws -> BrowserOutcome {
    guard let step = state.steps.undoable else { return .nothing("There is nothing to undo.") }
    try state.runner.undo(step)
    state.steps.noteUndo()
    return BrowserOutcome("undid: \(step.title). ^R does it again.")
  }

  private func redo(_ state: inout State) throws -> BrowserOutcome {
    guard let step = state.steps.redoable else { return .nothing("There is nothing to do again.") }
    try state.runner.undo(step.inverse)
    state.steps.noteRedo()
    return BrowserOutcome("did again: \(step.title). u undoes.")
  }
}

extension BrowserOutcome {
  /// The outcome of a request that found nothing to do.
  fileprivate static func nothing(_ message: String) -> BrowserOutcome {
    var outcome = BrowserOutcome(message)
    outcome.foundNothing = true
    return outcome
  }
}

/// The program with which the system opens addresses of the web.
private enum SystemBrowser {
  /// Opens an address, which goes to the program as one argument and through no shell.
  /// - Returns: Whether there is such a program.
  static func open(_ address: String) -> Bool {
    let names = ["/usr/bin/open", "/usr/bin/xdg-open", "/usr/local/bin/xdg-open"]
    guard let name = names.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      return false
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: name)
    process.arguments = [address]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return (try? process.run()) != nil
  }
}
