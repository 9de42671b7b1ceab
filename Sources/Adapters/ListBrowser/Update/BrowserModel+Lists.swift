import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// Other filters, orders and sections: each is a list of its own, and the base list stays live below it.
extension BrowserModel {
  /// Asks for a list with another choice; the base list itself needs none.
  mutating func open(_ choice: BrowserChoice) -> [BrowserEffect] {
    self.choice = choice
    selectsAll = false
    let first = shownFirstRows
    var effects = applyHeld()
    effects += opening.map { [.close(pane: $0)] } ?? []
    opening = nil
    guard choice != BrowserChoice() else { return effects + showBase() }
    newestPane += 1
    opening = newestPane
    firstRows = first
    firstRows?.pane = newestPane
    effects.append(.open(pane: newestPane, choice))
    return effects
  }

  /// Takes a list that was asked for: the cursor's row is sought in it before it is shown.
  mutating func open(
    _ list: ResultsList<Row>,
    _ choice: BrowserChoice,
    _ order: BrowserOrder,
    in id: Int
  ) -> [BrowserEffect] {
    let row = resumed?.cursor ?? pane.cursorID
    return search(for: row.map { [$0] } ?? [], in: list, of: id, .open(choice, order))
  }

  /// Shows a list that was asked for, unless another one has been asked for since.
  ///
  /// The cursor stays on its row if the list has it, on its screen line; otherwise it is on the first row.
  mutating func show(
    _ list: ResultsList<Row>,
    _ choice: BrowserChoice,
    _ order: BrowserOrder,
    in id: Int,
    _ paths: [ObjectID: RowPath]
  ) -> [BrowserEffect] {
    guard id == opening else { return [.close(pane: id)] }
    opening = nil
    firstRows = nil
    message = ""
    let old = pane
    var new = ListPane(id: id)
    new.height = old.height
    _ = new.replace(with: list, paths: [:])
    if let memory = resumed {
      resumed = nil
      new.resume(memory.folded, in: list)
      if let row = memory.cursor, let path = paths[row] {
        new.go(to: .row(path))
        new.holdRows()
      }
    } else if let row = old.cursorID, let path = paths[row] {
      new.put(.row(path), onLine: old.line)
      new.holdRows()
    }
    let effects: [BrowserEffect] = derived.map { [.close(pane: $0.id)] } ?? []
    derived = new
    self.order = order
    return effects
  }

  /// Says why a list cannot be opened; what is shown stays.
  mutating func refuse(_ reason: String) {
    opening = nil
    firstRows = nil
    resumed = nil
    message = SafeText.oneLine(reason)
  }

  /// Shows the base list again, where it is by now.
  mutating func showBase() -> [BrowserEffect] {
    order = setup.order
    choice = BrowserChoice()
    guard let closed = derived else { return [] }
    derived = nil
    if reading?.pane == closed.id { reading = nil }
    return [.close(pane: closed.id)]
  }
}
