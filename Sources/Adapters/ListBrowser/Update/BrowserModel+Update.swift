import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

extension BrowserModel {
  /// Takes an event, and returns what is to be done because of it.
  ///
  /// It is the only way by which a model changes, and it depends on nothing but the model, the event and the time.
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: The time since the start.
  /// - Returns: What is to be done.
  /// - Complexity: O(*c* log *n*) for a change of *c* rows, O(log *n*) for a key.
  public mutating func update(_ event: BrowserEvent, at now: Duration) -> [BrowserEffect] {
    self.now = now
    var effects: [BrowserEffect] = []
    switch event {
    case .key(let key, let frame): effects = press(key, frame: frame)
    case .paste(let text): effects = type(text)
    case .resized(let size):
      self.size = size
      fit()
      effects = [.repaint]
    case .list(let pane, let event):
      effects = take(event, of: pane)
      effects += resume()
    case .opened(let pane, let choice, let list, let order):
      effects = open(list, choice, order, in: pane)
    case .first(let pane, let rows, let order): take(rows, order, firstOf: pane)
    case .refused(let pane, let reason): if pane == opening { refuse(reason) }
    case .page(let pane, let start, let rows): take(rows, from: start, of: pane)
    case .unreadable(let id, let reason):
      guard id == pane.id else { break }
      failure = reason
      message = SafeText.oneLine(reason)
    case .performed(let outcome): effects = take(outcome)
    case .landed(let pane, let row, let path, let list):
      effects = land(row, at: path, of: list, in: pane)
    case .form(let number, let event): effects = take(event, ofForm: number)
    case .found(let search, let paths): effects = take(paths, ofSearch: search)
    case .details(let id, let lines):
      if requestedDetails == id { relatedDetails = (id, lines) }
    case .matched(let id, let reason): effects = take(match: id, reason)
    case .mouse(let mouse): effects = mustWait(nil) ? [] : take(mouse)
    case .recovered(let id):
      guard id == pane.id, failure != nil else { break }
      (failure, message) = (nil, "")
      pane.unreadable = []
    case .tick:
      effects = recheck()
      if let span = setup.markTime {
        base.marks.expire(at: now, span)
        derived?.marks.expire(at: now, span)
      }
    }
    effects += goToAdded(after: event)
    return effects + readPage() + readDetails() + observe() + landForm()
  }

  /// Asks for the rows that the screen needs and that are not held, one page at a time.
  private mutating func readPage() -> [BrowserEffect] {
    pane.holdRows()
    guard reading == nil, let list = pane.list, let missing = pane.missing else { return [] }
    reading = PageRead(pane: pane.id, positions: missing)
    return [.readPage(pane: pane.id, list, missing)]
  }

  /// Asks whether a list that failed can be read again, once a second.
  private mutating func recheck() -> [BrowserEffect] {
    guard failure != nil, now - rechecked >= .seconds(1) else { return [] }
    rechecked = now
    return [.recheck(pane: pane.id)]
  }

  /// Asks for what the detail pane shows of the cursor's row besides its values.
  private mutating func readDetails() -> [BrowserEffect] {
    guard setup.hasMoreDetails, detail != nil, let id = pane.cursorID, id != requestedDetails
    else {
      if detail == nil { requestedDetails = nil }
      return []
    }
    requestedDetails = id
    return [.readDetails(id)]
  }

  /// Takes a page, and lets it follow what happened to its list while it was read.
  private mutating func take(_ rows: [Row?], from start: Int, of id: Int) {
    guard let read = reading, read.pane == id, read.positions.lowerBound == start else { return }
    reading = nil
    guard let changes = read.changes else { return }
    var page = ShownRows<Row>()
    page.show(start..<start + rows.count)
    for (position, row) in zip(start..., rows) {
      if let row { page.fill([(row.id, row)], from: position) }
    }
    for change in changes { page.follow(change.delta, from: change.before, to: change.after) }
    changePane(id) { pane in
      for (position, entry) in page.all {
        pane.rows.fill([(entry.id, entry.content)], from: position)
      }
      guard changes.isEmpty else { return }
      for (position, row) in zip(start..., rows) where row == nil {
        pane.unreadable.insert(position)
      }
    }
    for row in rows.compactMap(\.self) { measure(row) }
  }

  /// Widens the columns for a row.
  mutating func measure(_ row: Row) {
    for (index, column) in setup.columns.enumerated() {
      let width = setup.width.columns(of: SafeText.oneLine(column.text(row)))
      naturalWidths[index] = max(naturalWidths[index], width)
    }
  }

  /// Changes a pane that is still there.
  mutating func changePane(_ id: Int, _ change: (inout ListPane) -> Void) {
    if id == base.id { return change(&base) }
    guard var pane = derived, pane.id == id else { return }
    change(&pane)
    derived = pane
  }

  /// Returns a pane that is still there.
  func pane(_ id: Int) -> ListPane? {
    id == base.id ? base : derived.flatMap { $0.id == id ? $0 : nil }
  }
}
