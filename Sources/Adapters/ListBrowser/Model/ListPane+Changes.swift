import ResultsDomain
import ResultsPresentation

/// What a change did to the cursor.
enum CursorOutcome: Hashable, Sendable {
  /// The cursor is where its row or header is.
  case stayed
  /// Another user's change moved the cursor's row out of the screen; the cursor is on a neighbour.
  case left(ObjectID, to: RowPath)
  /// The cursor's row is not in the list any more.
  case gone
}

extension ListPane {
  /// Takes a change of the list.
  ///
  /// The cursor stays on its row and on its screen line. A row that this browser's own command moved is followed; one that others
  /// moved is followed on the screen, and out of it the cursor stays where it is, on a neighbour. So does the cursor of a deleted row.
  /// - Parameters:
  ///   - delta: The difference from the list shown.
  ///   - after: The list after.
  ///   - isOwn: Whether a command of this browser made the change.
  /// - Returns: What happened to the cursor.
  /// - Complexity: O(*c* log *n*) in the changes.
  mutating func apply(
    _ delta: ResultsDelta,
    to after: ResultsList<Row>,
    isOwn: Bool
  ) -> CursorOutcome {
    guard let before = list, delta.unobserved == nil else {
      return replace(with: after, paths: [:])
    }
    let mapping = PathMapping(delta)
    rows.follow(delta, from: before, to: after)
    unreadable = []
    let (old, screenLine) = (cursor, line)
    lines = LineMap(after, folded: foldedSections(after: delta, mapping))
    collectIndexTitles(unless: delta.sections.isEmpty)
    defer { holdRows() }
    if let edge {
      go(to: edge)
      return .stayed
    }
    switch old {
    case nil: put(nil, onLine: 0)
    case .group(let section), .header(let section):
      put(header(after: section, delta, mapping), onLine: screenLine)
    case .row(let path):
      return follow(path, screenLine, delta, mapping, isOwn: isOwn)
    }
    return .stayed
  }

  private mutating func follow(
    _ path: RowPath,
    _ screenLine: Int,
    _ delta: ResultsDelta,
    _ mapping: PathMapping,
    isOwn: Bool
  ) -> CursorOutcome {
    let moved = delta.rows.moves.first { $0.from.path == path }
    if let to = mapping.newPath(for: OldPath(path)), moved == nil || isOwn {
      put(.row(to.path), onLine: screenLine)
      return .stayed
    }
    let neighbour = mapping.nearestNeighbour(
      of: OldPath(path),
      oldSectionCount: delta.oldSectionCount,
      newSectionCount: delta.newSectionCount
    ) { lines.rowCount(inSection: $0) }
    put(neighbour.map { .row($0.path) }, onLine: screenLine)
    guard let moved else { return .gone }
    let item = ListItem.row(moved.to.path)
    let absolute = lines.line(of: item)
    guard lines.visible(item) == item, isVisible(absolute, top: top, as: item) else {
      return .left(moved.id, to: moved.to.path)
    }
    put(item, onLine: absolute - top)
    return .stayed
  }

  /// The header for the cursor of a header: its own, the next that is left, or the one before; for that of a group, a group's.
  func header(
    after section: Int,
    _ delta: ResultsDelta,
    _ mapping: PathMapping
  ) -> ListItem? {
    func header(_ section: Int) -> ListItem {
      if case .group = cursor { .group(section) } else { .header(section) }
    }
    if let new = mapping.newSection(for: section) { return header(new) }
    let later = section + 1..<max(delta.oldSectionCount, section + 1)
    let found =
      later.lazy.compactMap { mapping.newSection(for: $0) }.first
      ?? (0..<section).reversed().lazy.compactMap { mapping.newSection(for: $0) }.first
    return found.map(header)
  }

  /// Shows another list in place of this one, where no change from one to the other is known.
  ///
  /// The cursor is found again by its identity; if that is gone, by the nearest row of the page that is left, the lower of two.
  /// - Parameters:
  ///   - after: The list.
  ///   - paths: The paths in it of `idsNearCursor`, as far as it has them.
  /// - Returns: What happened to the cursor.
  mutating func replace(
    with after: ResultsList<Row>,
    paths: [ObjectID: RowPath]
  ) -> CursorOutcome {
    let (old, screenLine, position) = (cursor, line, position)
    let headerID = old.flatMap { $0.isRow ? nil : header($0.section)?.id }
    let kept = rows
    // The positions may lie beyond the end of a shorter list.
    rows = ShownRows()
    unreadable = []
    lines = LineMap(after, folded: foldedSections(in: after))
    collectIndexTitles(unless: false)
    defer { holdRows() }
    if let edge {
      go(to: edge)
      return .stayed
    }
    guard let old, let position else {
      go(to: .first)
      edge = nil
      return .stayed
    }
    if !old.isRow {
      let section = old.section
      let found = headerID.flatMap { after.snapshot.section(of: $0) }
      put(
        after.isSectioned && after.count > 0
          ? .header(found ?? min(section, lines.sectionCount - 1)) : nil,
        onLine: screenLine
      )
      return .stayed
    }
    if let path = nearestPath(to: position, of: kept, paths) {
      put(.row(path.path), onLine: screenLine)
      return path.isOwn ? .stayed : .gone
    }
    let path = lines.path(at: min(position, max(after.count - 1, 0)))
    put(path.map { .row($0) }, onLine: screenLine)
    return .gone
  }

  /// The rows of the page that a cursor can go to if its own row is gone, the nearest first; none where a row is not what it keeps to.
  var idsNearCursor: [ObjectID] {
    guard edge == nil, let cursor, cursor.isRow, let position else { return [] }
    return positions(near: position).compactMap { rows[$0]?.id }
  }

  private func positions(near position: Int) -> [Int] {
    [position] + (1...3 * height).flatMap { [position + $0, position - $0] }
  }

  private func nearestPath(
    to position: Int,
    of kept: ShownRows<Row>,
    _ paths: [ObjectID: RowPath]
  ) -> (path: RowPath, isOwn: Bool)? {
    for candidate in positions(near: position) {
      if let id = kept[candidate]?.id, let path = paths[id] { return (path, candidate == position) }
    }
    return nil
  }

  mutating func collectIndexTitles(unless isKnown: Bool) {
    guard !isKnown || indexTitles == nil else { return }
    let isShort = lines.hasHeaders && lines.sectionCount <= ListPane.mostIndexedSections
    indexTitles = isShort ? list?.sectionIndexTitles : nil
  }
}
