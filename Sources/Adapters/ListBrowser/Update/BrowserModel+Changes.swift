import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

// MARK: - Events of lists

extension BrowserModel {
  /// The beginning of the names under which a browser commits.
  static let originPrefix = "browse-"

  /// Takes an event of a list.
  mutating func take(_ event: ResultsEvent<Row>, of id: Int) -> [BrowserEffect] {
    if letWait(event, of: id) { return [] }
    guard let pane = pane(id) else { return [] }
    switch event {
    case .failure(let error):
      failure = error.description
      message = SafeText.oneLine(error.description)
    case .snapshot(let list):
      failure = nil
      // A subscription begins with the present list, which may be shown already.
      if pane.list?.position == list.position { return [] }
      return replace(with: list, in: pane.id, because: nil)
    case .reset(let reason, let list):
      failure = nil
      return replace(with: list, in: pane.id, because: reason.description)
    case .change(let change):
      failure = nil
      guard held != nil, pane.id == self.pane.id else {
        return apply(change.delta, to: change.after, in: pane.id)
      }
      keepWaiting(change)
    }
    return []
  }

  // MARK: - Lists in place of others

  /// Shows a list in place of another once the rows near the cursor, and the selected ones, have been found in it.
  private mutating func replace(
    with list: ResultsList<Row>,
    in id: Int,
    because reason: String?
  ) -> [BrowserEffect] {
    guard let shown = pane(id) else { return [] }
    if held != nil, id == pane.id {
      held?.noteGap(to: list)
      return []
    }
    // Which rows were deleted is not known, so every selected one is sought.
    let selected = derived == nil ? Array(selection) : []
    return search(for: shown.idsNearCursor + selected, in: list, of: id, .replace(reason: reason))
  }

  /// Shows a list in place of another, with the paths of the rows near the cursor.
  mutating func replace(
    with list: ResultsList<Row>,
    in id: Int,
    _ paths: [ObjectID: RowPath],
    because reason: String?
  ) {
    if reading?.pane == id { reading?.changes = nil }
    changePane(id) { _ = $0.replace(with: list, paths: paths) }
    if derived == nil { selection = selection.filter { paths[$0] != nil } }
    if let reason, id == pane.id { message = "The list was read again: \(reason)." }
  }

  // MARK: - Changes

  /// Shows a change, and says what happened.
  mutating func apply(
    _ delta: ResultsDelta,
    to after: ResultsList<Row>,
    in id: Int
  ) -> [BrowserEffect] {
    guard let pane = pane(id) else { return [] }
    guard let before = pane.list, before.position.generation == delta.from,
      before.position.life == delta.life
    else { return replace(with: after, in: id, because: "a change was missed") }
    let cursorTitle = pane.cursorRow.map { setup.title(of: $0) }
    let wasAtTop = pane.top == 0 && pane.edge == nil
    var outcome = CursorOutcome.stayed
    let (now, marksChanges) = (now, setup.markTime != .zero)
    var isKnown = true
    changePane(id) { pane in
      if delta.unobserved == nil {
        outcome = pane.apply(delta, to: after, isOwn: BrowserModel.isOwn(delta))
      } else if let found = pane.applyPart(delta, to: after, isOwn: BrowserModel.isOwn(delta)) {
        outcome = found
      } else {
        isKnown = false
        return
      }
      // What another limit shows or hides has not changed.
      if marksChanges, delta.cause != .definition {
        pane.marks.add(delta, from: before, to: after, at: now)
      }
    }
    // What happened to the cursor's row is not known, so it is sought.
    guard isKnown else { return replace(with: after, in: id, because: nil) }
    if reading?.pane == id { reading?.changes?.append((delta, before, after)) }
    guard id == self.pane.id else { return [] }
    requestedDetails = nil
    var effects = readLinesAgain()
    if derived == nil {
      for deleted in delta.rows.deletes { selection.remove(deleted.id) }
      // A change that names some rows does not name a deleted row far from the screen.
      if delta.unobserved != nil { effects += searchSelection() }
    }
    // What a command of this browser did is said by the command, and another limit is no change of rows.
    if BrowserModel.isOwn(delta) || delta.cause == .definition { return effects }
    message = words(for: delta, before, after)
    switch outcome {
    case .stayed:
      let above = wasAtTop ? rowsAbove(delta) : 0
      if above > 0 { message = "↑ \(above) new above" }
      isMinorMessage = true
    case .left(let row, let path):
      goal = row
      let section = after.isSectioned ? after.section(at: path.section)?.title ?? "" : ""
      let target =
        section.isEmpty ? "row \((after.snapshot.flatPosition(of: path) ?? 0) + 1)" : section
      message = SafeText.oneLine("↗ \(cursorTitle ?? "the row") went to \(target): ^O follows")
    case .gone:
      guard let cursorTitle else { break }
      let author = BrowserModel.author(of: delta)
      message =
        author.map { "\(cursorTitle) was removed by \($0)." }
        ?? "\(cursorTitle) is no longer in the list."
    }
    return effects
  }

  /// Whether commands of this browser alone made a change.
  static func isOwn(_ delta: ResultsDelta) -> Bool {
    delta.cause == .own && !delta.origins.isEmpty
      && delta.origins.allSatisfy { $0.name.hasPrefix(originPrefix) }
  }

  /// Who made a change, if it is known and not this browser.
  static func author(of delta: ResultsDelta) -> String? {
    switch delta.cause {
    case .external: return "another program"
    case .own:
      let name = delta.origins.count == 1 ? delta.origins[0].name : ""
      return name.isEmpty || name.hasPrefix(originPrefix) ? nil : SafeText.oneLine(name)
    case .clock, .locale, .definition: return nil
    }
  }

  /// The number of inserted rows that are above the screen.
  private func rowsAbove(_ delta: ResultsDelta) -> Int {
    let top = pane.top
    if let unobserved = delta.unobserved { return unobserved.above.inserted }
    return delta.rows.inserts.count { pane.lines.line(of: .row($0.to.path)) < top }
  }

  /// Says what a change did: why a single row moved, or how many rows changed.
  private func words(
    for delta: ResultsDelta,
    _ before: ResultsList<Row>,
    _ after: ResultsList<Row>
  ) -> String {
    let counts = BrowserModel.counts(of: delta, setup.signs)
    guard delta.rows.count == 1 else { return counts }
    if let move = delta.rows.moves.first, let row = move.new ?? shownRow(move.id) {
      let from = before.isSectioned ? before.section(at: move.from.section)?.title : nil
      let changed = move.from.section != move.to.section || !delta.sections.isEmpty
      let origin = from.flatMap { changed && !$0.isEmpty ? " from \($0)" : nil } ?? ""
      return SafeText.oneLine("\(setup.signs.moved) \(setup.title(of: row))\(origin)")
    }
    if let delete = delta.rows.deletes.first, let row = delete.old {
      let author = BrowserModel.author(of: delta).map { ", by \($0)" } ?? ""
      return SafeText.oneLine("\(setup.signs.minus) \(setup.title(of: row))\(author)")
    }
    return counts
  }

  private func shownRow(_ id: ObjectID) -> Row? {
    pane.rows.all.first { $0.value.id == id }?.value.content
  }

  /// The numbers of rows of each kind that a change names.
  static func counts(of delta: ResultsDelta, _ signs: BrowserSigns) -> String {
    let (above, below) = (delta.unobserved?.above, delta.unobserved?.below)
    let counts = [
      ("+", delta.rows.inserts.count + (above?.inserted ?? 0) + (below?.inserted ?? 0)),
      (signs.minus, delta.rows.deletes.count + (above?.removed ?? 0) + (below?.removed ?? 0)),
      (signs.moved, delta.rows.moves.count),
      ("~", delta.rows.updates.count + (above?.changed ?? 0) + (below?.changed ?? 0)),
    ]
    return counts.filter { $0.1 > 0 }.map { "\($0.0)\(BrowserView.grouped($0.1))" }
      .joined(separator: " ")
  }
}

// MARK: - Holding a list

extension BrowserModel {
  /// The number of named rows above which changes that wait are no longer composed.
  static let mostHeldRows = 100_000

  /// Holds the shown list, or applies what waits and holds it no longer.
  mutating func toggleHold() -> [BrowserEffect] {
    guard held == nil else { return applyHeld() }
    if let list = pane.list { held = HeldList(since: now, latest: list) }
    return []
  }

  /// Applies everything that waits as one change.
  mutating func applyHeld() -> [BrowserEffect] {
    guard let waiting = held else { return [] }
    held = nil
    if let delta = waiting.delta, waiting.isExact {
      if !delta.isEmpty { return apply(delta, to: waiting.latest, in: pane.id) }
      // Everything that happened was undone again: rows and sections are the same.
      changePane(pane.id) { $0.lines = LineMap(waiting.latest, folded: $0.lines.folded) }
      return []
    }
    guard pane.list?.position != waiting.latest.position else { return [] }
    return replace(with: waiting.latest, in: pane.id, because: "more happened than was kept")
  }

  private mutating func keepWaiting(_ change: ResultsChange<Row>) {
    guard var waiting = held else { return }
    waiting.latest = change.after
    if waiting.isExact {
      waiting.delta =
        if let delta = waiting.delta { try? delta.then(change.delta) } else { change.delta }
      let count = waiting.delta?.rows.count ?? .max
      waiting.isExact = count <= BrowserModel.mostHeldRows && waiting.delta?.unobserved == nil
    }
    held = waiting
  }

  /// What waits, in words, or `nil` while the list is not held.
  var heldText: String? {
    guard let held else { return nil }
    guard held.isExact else { return "More than was kept waits" }
    guard let delta = held.delta, !delta.isEmpty else { return "Nothing waits" }
    let names = Set(
      delta.rows.deletes.map(\.id) + delta.rows.moves.map(\.id) + delta.rows.updates.map(\.id)
    )
    let isCursor = pane.cursorID.map(names.contains) ?? false
    let one = isCursor ? ", one of them to this row" : ", none of them to this row"
    return "\(BrowserView.grouped(delta.rows.count)) net changes wait: "
      + BrowserModel.counts(of: delta, setup.signs) + one
  }
}

// MARK: - Other lists

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
    shownChoice = choice
    showColumns(of: choice)
    return effects
  }

  /// Says why a list cannot be opened; what is shown stays.
  mutating func refuse(_ reason: String) {
    opening = nil
    firstRows = nil
    resumed = nil
    // A filter stays where it is corrected; an order or sections that cannot be shown would be refused with every filter.
    let filter = choice.filter
    choice = shownChoice
    showColumns(of: choice)
    choice.filter = filter
    message = SafeText.oneLine(reason)
  }

  /// Opens no other list after all; what is shown stays.
  mutating func giveUpOpening() -> [BrowserEffect] {
    let effects: [BrowserEffect] = opening.map { [.close(pane: $0)] } ?? []
    opening = nil
    firstRows = nil
    resumed = nil
    choice = shownChoice
    showColumns(of: choice)
    return effects
  }

  /// Shows the base list again, where it is by now.
  mutating func showBase() -> [BrowserEffect] {
    order = setup.order
    choice = BrowserChoice()
    shownChoice = choice
    defer { showColumns(of: choice) }
    guard let closed = derived else { return [] }
    derived = nil
    if reading?.pane == closed.id { reading = nil }
    return [.close(pane: closed.id)]
  }
}

// MARK: - Searches

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
