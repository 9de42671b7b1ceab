import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// A search for rows of a list by their identities.
///
/// It may wait for the store, so it runs outside of the model.
struct RowSearch: Sendable {
  /// What is done with the paths that are found.
  enum Purpose: Sendable {
    /// The list takes the place of the one that a pane shows.
    case replace(reason: String?)
    /// The list is shown beside the base list.
    case open(BrowserChoice, BrowserOrder)
    /// The rows that are no longer in the list are no longer selected.
    case selection
    /// The cursor goes to the row.
    case go
    /// The cursor goes to the row, and all its values are shown.
    case detail
    /// The cursor goes to the row that it was on in the last run, if the list still has it.
    case resume
  }

  let pane: Int
  let list: ResultsList<Row>
  let ids: [ObjectID]
  let purpose: Purpose
  /// Events of the list that came since; they wait, so that none is lost.
  var later: [ResultsEvent<Row>] = []

  /// Whether the pane's events wait for the search.
  var holdsEvents: Bool {
    switch purpose {
    case .replace, .open: true
    case .selection, .go, .detail, .resume: false
    }
  }
}

extension BrowserModel {
  /// Asks for the paths of rows; without rows to find there is nothing to wait for.
  mutating func search(
    for ids: [ObjectID],
    in list: ResultsList<Row>,
    of pane: Int,
    _ purpose: RowSearch.Purpose
  ) -> [BrowserEffect] {
    let search = RowSearch(pane: pane, list: list, ids: ids, purpose: purpose)
    guard !ids.isEmpty else { return finish(search, [:]) }
    newestSearch += 1
    searches[newestSearch] = search
    return [.find(search: newestSearch, pane: pane, list, ids)]
  }

  /// Asks for the path of one row of the shown list.
  mutating func search(for id: ObjectID, _ purpose: RowSearch.Purpose) -> [BrowserEffect] {
    guard let list = pane.list else { return [] }
    return search(for: [id], in: list, of: pane.id, purpose)
  }

  /// Asks which of the selected rows are still in the list, one search at a time.
  mutating func searchSelection() -> [BrowserEffect] {
    let isUnderWay = searches.values.contains { search in
      if case .selection = search.purpose { true } else { false }
    }
    guard !isUnderWay, !selection.isEmpty, let list = base.list else { return [] }
    return search(for: Array(selection), in: list, of: base.id, .selection)
  }

  /// Lets an event wait for the search that decides what its pane shows.
  /// - Returns: Whether it waits.
  mutating func letWait(_ event: ResultsEvent<Row>, of id: Int) -> Bool {
    guard let number = searches.first(where: { $0.value.pane == id && $0.value.holdsEvents })?.key
    else { return false }
    switch event {
    case .change, .failure: searches[number]?.later.append(event)
    // The whole list makes what came before it superfluous.
    case .snapshot, .reset: searches[number]?.later = [event]
    }
    return true
  }

  /// Takes the paths of the rows that were sought.
  mutating func take(_ paths: [RowPath?], ofSearch number: Int) -> [BrowserEffect] {
    guard let search = searches.removeValue(forKey: number) else { return [] }
    var found: [ObjectID: RowPath] = [:]
    for (id, path) in zip(search.ids, paths) { found[id] = path }
    var effects = finish(search, found)
    for event in search.later { effects += take(event, of: search.pane) }
    return effects
  }

  private mutating func finish(
    _ search: RowSearch,
    _ paths: [ObjectID: RowPath]
  ) -> [BrowserEffect] {
    switch search.purpose {
    case .replace(let reason):
      if held != nil, search.pane == pane.id {
        held?.noteGap(to: search.list)
      } else {
        replace(with: search.list, in: search.pane, paths, because: reason)
      }
    case .open(let choice, let order):
      return show(search.list, choice, order, in: search.pane, paths)
    case .selection:
      selection.subtract(search.ids.filter { paths[$0] == nil })
      // What was deleted meanwhile may not have been named either.
      if base.list?.position != search.list.position { return searchSelection() }
    case .go, .detail, .resume:
      guard search.pane == pane.id, let list = pane.list, let id = search.ids.first else {
        return []
      }
      // A path of another list than the shown one means nothing.
      guard list.position == search.list.position else {
        return self.search(for: id, search.purpose)
      }
      let path = paths[id]
      if case .go = search.purpose { return goBack(to: path) }
      if let path { pane.go(to: .row(path)) }
      if case .resume = search.purpose { return [] }
      detail = detail ?? DetailPane()
      fit()
    }
    return []
  }
}
