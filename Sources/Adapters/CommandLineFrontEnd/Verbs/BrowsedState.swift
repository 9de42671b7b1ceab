import Foundation
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import Synchronization
import TerminalFrontEnd

/// What one run of `browse` takes over from the last one, and keeps for the next.
///
/// The lock guards what is to be remembered, which the browser hands over when it is left.
final class BrowsedState: Sendable {
  private let state: SavedState
  private let found: Result<BrowserMemory?, SavedState.Unreadable>
  private let kept = Mutex<BrowserMemory?>(nil)

  /// Creates the state of a store's list, or returns `nil` where nothing is remembered: for a store in memory, and for a list with a
  /// condition, in the opposite order, or with a window of rows.
  init?(
    of list: ListOptions,
    _ entity: String,
    in store: any Store,
    program: String,
    environment: [String: String]
  ) {
    guard list.predicate == nil, !list.reversed, list.limit == nil, list.offset == nil,
      store.capabilities.isDurable
    else { return nil }
    let shown = SavedState.List(entity: entity, sort: list.sort, sectionBy: list.sectionBy)
    guard
      let state = SavedState(of: store.identity, shown, program: program, environment: environment)
    else { return nil }
    self.state = state
    found = Result { () throws(SavedState.Unreadable) in try state.read() }
  }

  /// What is remembered, or `nil` for nothing.
  var memory: BrowserMemory? { (try? found.get()) ?? nil }

  /// Makes the browser begin with what is remembered; a file that cannot be read is ignored, and the browser says so.
  func begin(_ setup: inout BrowserSetup) {
    do {
      setup.memory = try found.get()
    } catch {
      setup.notice = SafeText.oneLine(
        "What was remembered in \(state.path) cannot be read, and is ignored."
      )
    }
    setup.remember = { [self] memory in kept.withLock { $0 = memory } }
  }

  /// Writes what the browser wants remembered.
  /// - Parameter program: The program that prints why that is not possible; `nil` prints nothing.
  func end(_ program: String? = nil) {
    guard let memory = kept.withLock({ $0 }) else { return }
    do {
      try state.write(memory)
    } catch {
      guard let program else { return }
      let note =
        "\(program): Nothing is remembered: \(state.path) cannot be written. Use --no-state, or set XDG_STATE_HOME."
      try? TerminalOutput.standardError.write(SafeText.oneLine(note) + "\n")
    }
  }
}
