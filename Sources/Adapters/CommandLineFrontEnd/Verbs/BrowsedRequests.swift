import Foundation
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
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
  }

  private let store: any Store
  private let settings: LocaleSettings
  private let state: Mutex<State>

  init(_ store: any Store, settings: LocaleSettings) {
    self.store = store
    self.settings = settings
    state = Mutex(State(runner: CommandRunner(store, name: "browse")))
  }

  /// Performs a request.
  /// - Returns: A sentence about what was done.
  /// - Throws: The store's error; `StoreError.conflict` for an undo that would overwrite a change of others.
  func perform(_ request: BrowserRequest) throws -> String {
    try state.withLock { state in
      switch request {
      case .delete(let ids): try delete(ids, &state)
      case .command(let name, let ids, let section): try run(name, ids, section, &state)
      case .undo: try undo(&state)
      case .redo: try redo(&state)
      }
    }
  }

  private func delete(_ ids: [ObjectID], _ state: inout State) throws -> String {
    let performed = try state.runner.perform { store, origin in
      try store.commit(origin: origin) { transaction in
        try ids.count { try transaction.delete($0, of: Program.entity) }
      }.result
    }
    let count = performed.result
    let noun = count == 1 ? Program.nouns.one : Program.nouns.many
    return note("deleted \(count) \(noun)", performed.changes, &state)
  }

  private func run(
    _ name: String,
    _ ids: [ObjectID],
    _ section: SectionID?,
    _ state: inout State
  ) throws -> String {
    guard let command = Program.commands.first(where: { $0.name == name }) else {
      return "There is no command “\(name)”."
    }
    let context = CommandContext(
      store: store,
      definition: Program.definition(for: settings),
      ids: ids,
      section: section,
      settings: settings,
      now: Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    )
    let performed = try state.runner.perform(command, in: context)
    var message = performed.result.message
    if case .lines(_, let lines) = performed.result.effect {
      message = ([message] + lines).joined(separator: "  ")
    }
    return note(message, command.writes ? performed.changes : [], &state)
  }

  /// Keeps what a request changed, and says whether it can be taken back.
  private func note(_ title: String, _ changes: [CommittedChange]?, _ state: inout State) -> String
  {
    guard let changes else { return "\(title); it cannot be undone." }
    guard !changes.isEmpty else { return "\(title)." }
    state.steps.push(UndoStep(title, changes))
    return "\(title): u undoes."
  }

  private func undo(_ state: inout State) throws -> String {
    guard let step = state.steps.undoable else { return "There is nothing to undo." }
    try state.runner.undo(step)
    state.steps.noteUndo()
    return "undid: \(step.title). ^R does it again."
  }

  private func redo(_ state: inout State) throws -> String {
    guard let step = state.steps.redoable else { return "There is nothing to do again." }
    try state.runner.undo(step.inverse)
    state.steps.noteRedo()
    return "did again: \(step.title). u undoes."
  }
}
