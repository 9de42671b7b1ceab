import ResultsDomain
import TerminalFrontEnd

/// The first rows of a long list that is being opened, shown until all of its rows are counted.
///
/// Only they are known, so they have no headers, and the keys that move in a list or change it wait.
struct FirstRows: Sendable {
  /// The pane that is being opened; those of an overtaken one stay until others come.
  var pane: Int
  /// The order of the rows in words.
  let order: BrowserOrder
  /// The rows.
  let rows: [Row]
  /// When they came.
  let since: Duration

  /// What can be done while they are shown.
  static let actions: Set<BrowserAction> = [
    .filter, .sort, .sectionBy, .savedLists, .help, .repaint, .suspend, .escape, .interrupt, .quit,
    .quitAll,
  ]
}

extension BrowserModel {
  /// The first rows that are shown instead of a list, if there are any.
  var shownFirstRows: FirstRows? {
    guard let firstRows else { return nil }
    return firstRows.pane == (opening ?? (base.list == nil ? base.id : nil)) ? firstRows : nil
  }

  /// Takes the first rows of a list that is still wanted.
  mutating func take(_ rows: [Row], _ order: BrowserOrder, firstOf pane: Int) {
    firstRows = FirstRows(pane: pane, order: order, rows: rows, since: now)
    guard shownFirstRows != nil else {
      firstRows = nil
      return
    }
    showColumns(of: choice)
    for row in rows.prefix(size.rows) { measure(row) }
  }

  /// Whether a key that moves in the list or changes it must wait; if so, it is said.
  mutating func mustWait(_ action: BrowserAction?) -> Bool {
    guard shownFirstRows != nil, action.map({ !FirstRows.actions.contains($0) }) ?? true else {
      return false
    }
    message = "The rows are being counted."
    return true
  }
}
