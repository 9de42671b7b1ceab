import ResultsDomain
import ResultsPresentation

/// Changes of long lists, which name only the rows that are observed.
extension ListPane {
  /// Takes a change that names only observed rows, where it says all that the screen needs.
  ///
  /// The rows on the screen are among the observed ones, so what happened to the cursor's row and its neighbours is known. Where it is
  /// not, nothing has changed, and the list is to be shown as one that was read again.
  /// - Parameters:
  ///   - delta: The difference from the list shown.
  ///   - after: The list after.
  ///   - isOwn: Whether a command of this browser made the change.
  /// - Returns: What happened to the cursor, or `nil` if that is not known.
  /// - Complexity: O((*c* + *k*) log *n*) for *c* named changes and *k* rows held.
  mutating func applyPart(
    _ delta: ResultsDelta,
    to after: ResultsList<Row>,
    isOwn: Bool
  ) -> CursorOutcome? {
    guard let before = list, let observed = delta.unobserved, observed.isComplete,
      delta.sections.moves.isEmpty
    else { return nil }
    var next = self
    next.rows.follow(delta, from: before, to: after)
    next.unreadable = []
    let mapping = PathMapping(delta)
    next.lines = LineMap(after, folded: foldedSections(after: delta, mapping))
    next.collectIndexTitles(unless: delta.sections.isEmpty)
    var outcome = CursorOutcome.stayed
    if let edge {
      next.go(to: edge)
    } else {
      switch cursor {
      case nil: next.put(nil, onLine: 0)
      case .group(let section), .header(let section):
        next.put(header(after: section, delta, mapping), onLine: line)
      case .row(let path):
        guard let position, let id = rows[position]?.id, observed.oldRows.contains(position),
          let found = next.follow(id, from: path, at: position, line, delta, before: self, isOwn)
        else { return nil }
        outcome = found
      }
    }
    next.observed = observed.newRows
    next.holdRows()
    self = next
    return outcome
  }

  /// Puts the cursor where its row went, or on the row that takes its position.
  private mutating func follow(
    _ id: ObjectID,
    from path: RowPath,
    at position: Int,
    _ screenLine: Int,
    _ delta: ResultsDelta,
    before: ListPane,
    _ isOwn: Bool
  ) -> CursorOutcome? {
    let mapped = ObservedPositions(delta, rows)
    let moved = delta.rows.moves.first { $0.id == id }
    if moved == nil || isOwn, let to = moved?.to.path ?? mapped.path(of: id, in: lines) {
      put(.row(to), onLine: screenLine)
      return .stayed
    }
    // It may have been pushed out of the observed rows.
    guard !mapped.kept(id) else { return nil }
    guard let neighbour = neighbour(of: path, at: position, before, mapped) else { return nil }
    put(.row(neighbour), onLine: screenLine)
    guard let moved else { return .gone }
    let item = ListItem.row(moved.to.path)
    let absolute = lines.line(of: item)
    guard lines.visible(item) == item, isVisible(absolute, top: top, as: item) else {
      return .left(moved.id, to: moved.to.path)
    }
    put(item, onLine: absolute - top)
    return .stayed
  }

  /// The next row of the section that kept its position, or the one before; `nil` if none of them is held.
  private func neighbour(
    of path: RowPath,
    at position: Int,
    _ before: ListPane,
    _ mapped: ObservedPositions
  ) -> RowPath? {
    let start = position - path.row
    let end = start + before.lines.rowCount(inSection: path.section)
    for candidate in Array(position + 1..<max(end, position + 1)) + (start..<position).reversed() {
      // Beyond the page nothing is known.
      guard let id = before.rows[candidate]?.id else { return nil }
      if mapped.kept(id) { return mapped.path(of: id, in: lines) }
    }
    return nil
  }
}

/// Where rows are after a change that names the observed ones.
private struct ObservedPositions {
  private var gone: Set<ObjectID>
  private var named: [ObjectID: RowPath] = [:]
  private var positions: [ObjectID: Int] = [:]

  init(_ delta: ResultsDelta, _ rows: ShownRows<Row>) {
    gone = Set(delta.rows.deletes.map(\.id) + delta.rows.moves.map(\.id))
    for row in delta.rows.updates { named[row.id] = row.to.path }
    for (position, entry) in rows.all { positions[entry.id] = position }
  }

  /// Whether a row was neither deleted nor moved.
  func kept(_ id: ObjectID) -> Bool { !gone.contains(id) }

  /// The path of a row that kept its position.
  func path(of id: ObjectID, in lines: LineMap) -> RowPath? {
    guard kept(id) else { return nil }
    return named[id] ?? positions[id].flatMap { lines.path(at: $0) }
  }
}

extension BrowserModel {
  /// Observes the rows near the screen of a long list, and all rows of a short one or while a list is held.
  ///
  /// The observed rows are moved when the screen leaves their inner half.
  mutating func observe() -> [BrowserEffect] {
    guard let list = pane.list else { return [] }
    let screen = pane.lines.positions(onLines: pane.top..<pane.top + pane.height)
    guard list.count > setup.mostWholeRows, held == nil,
      let first = screen.ranges.first?.lowerBound,
      let last = screen.ranges.last?.upperBound
    else {
      guard pane.observed != nil else { return [] }
      pane.observed = nil
      return [.observe(pane: pane.id, nil)]
    }
    let margin = pane.height / 2
    if let observed = pane.observed,
      first - margin >= observed.lowerBound || observed.lowerBound == 0,
      last + margin <= observed.upperBound
    {
      return []
    }
    let wanted = max(first - 2 * pane.height, 0)..<last + 2 * pane.height
    pane.observed = wanted
    return [.observe(pane: pane.id, wanted)]
  }
}
