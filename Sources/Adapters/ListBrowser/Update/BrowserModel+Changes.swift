import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

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
      if marksChanges { pane.marks.add(delta, from: before, to: after, at: now) }
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
    // What a command of this browser did is said by the command.
    if BrowserModel.isOwn(delta) { return effects }
    message = words(for: delta, before, after)
    switch outcome {
    case .stayed:
      let above = wasAtTop ? rowsAbove(delta) : 0
      if above > 0 { message = "↑ \(above) new above" }
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
