import ResultsDomain
import ResultsPresentation

/// Requests that change the store.
///
/// A row can take the cursor in the moment in which a key is pressed. So a request acts on the row that the user saw: if that is
/// under the cursor no more, it waits for the key to be pressed again.
extension BrowserModel {
  /// Deletes the selected rows, or the row under the cursor.
  mutating func delete(frame: Int?) -> [BrowserEffect] {
    guard let ids = rows(for: "d again deletes", frame: frame) else { return [] }
    return request(.delete(ids))
  }

  /// Runs a command of the program.
  mutating func run(_ command: BrowserCommand, frame: Int?) -> [BrowserEffect] {
    var ids: [ObjectID] = []
    var section: SectionID?
    switch command.scope {
    case .list: break
    case .section: section = pane.cursor.flatMap { pane.header($0.section)?.id }
    case .rows:
      let key = command.key.map(String.init) ?? "it"
      guard let rows = rows(for: "\(key) again acts on", frame: frame) else { return [] }
      ids = rows
    }
    return request(.command(command.name, ids, section))
  }

  /// Asks for a change of the store, if that may be changed.
  mutating func request(_ request: BrowserRequest) -> [BrowserEffect] {
    guard setup.canWrite else {
      message = "Rows cannot be changed here."
      return []
    }
    if case .delete = request { selection = [] }
    isPerforming = true
    return [.perform(request)]
  }

  /// Returns the rows to act on, or `nil` if there is none or the user saw another one.
  private mutating func rows(for again: String, frame: Int?) -> [ObjectID]? {
    if !selection.isEmpty { return selection.sorted { "\($0.key)" < "\($1.key)" } }
    guard let id = pane.cursorID, let row = pane.cursorRow else {
      message = "There is no row under the cursor."
      return nil
    }
    guard cursorID(inFrame: frame) == id else {
      message = "The list just changed: \(again) \(setup.title(of: row))."
      return nil
    }
    return [id]
  }
}
