import ResultsDomain
import ResultsPresentation

/// A list on the screen: what is shown of it, where the cursor is, and which sections are folded.
///
/// The cursor belongs to a row or a header, not to a number, and it has a screen line. Both stay as they are while the list changes
/// around them; the first visible line follows from the two.
struct ListPane: Sendable {
  /// An end of a list to which the cursor keeps.
  enum Edge: Hashable, Sendable { case first, last }

  /// The number by which events name the pane.
  let id: Int
  /// The lines of the list.
  var lines = LineMap()
  /// The rows near the cursor.
  var rows = ShownRows<Row>()
  /// The item under the cursor, or `nil` in an empty list.
  var cursor: ListItem?
  /// The screen line of the cursor, from 0 at the top of the list.
  var line = 0
  /// The number of lines for the list on the screen.
  var height = 1
  /// The end to which the cursor keeps, if the last movement went there.
  var edge: Edge?
  /// The identities of folded sections, also of those that are not in the list at present.
  var foldedIDs: Set<SectionID> = []
  /// The identities of sections whose limit was lifted.
  var unlimitedIDs: Set<SectionID> = []
  /// The positions of the rows that changes name, or `nil` for all.
  var observed: Range<Int>?
  /// What changed lately.
  var marks = ChangeMarks()
  /// The index titles, or `nil` where the list has too many sections to collect them.
  var indexTitles: SectionIndexTitles?
  /// Positions whose rows could not be read since the last change.
  var unreadable: Set<Int> = []

  /// Whether the index titles distinguish sections; those of numbers and dates are all the same.
  var hasIndex: Bool { indexTitles.map { $0.titles.count > 1 } ?? false }

  /// The number of sections above which no index titles are collected.
  static let mostIndexedSections = 5000

  init(id: Int) { self.id = id }

  /// The list, or `nil` before the first fetch.
  var list: ResultsList<Row>? { lines.list }

  /// Whether the first line always shows the header of the section below it.
  var hasStickyHeader: Bool { lines.hasHeaders && height >= 8 }

  /// The line of the list that the first screen line shows, if it does not show a header in its stead.
  var top: Int { cursor.map { lines.line(of: $0) - line } ?? 0 }

  /// The item that a screen line shows, or `nil` below the end of the list.
  func item(onLine screenLine: Int) -> ListItem? {
    guard let item = lines.item(at: top + screenLine) else { return nil }
    if case .group = item { return item }
    return screenLine == 0 && hasStickyHeader ? .header(item.section) : item
  }

  /// The position of the cursor's row counted over all sections; for a header, that of its first row.
  var position: Int? {
    switch cursor {
    case nil: nil
    case .row(let path): lines.position(of: path)
    case .group(let section), .header(let section):
      lines.position(of: RowPath(section: section, row: 0))
    }
  }

  /// The row under the cursor, if it has been read.
  var cursorRow: Row? {
    guard case .row(let path) = cursor, let position = lines.position(of: path) else { return nil }
    return rows[position]?.content
  }

  /// The identity of the row under the cursor, if it has been read.
  var cursorID: ObjectID? { cursorRow?.id }

  /// Returns the group that a section is in, or `nil` if there are no groups.
  func group(ofSection section: Int) -> ResultsGroup<Row>? { list?.group(ofSection: section) }

  /// Returns the header of a section.
  func header(_ section: Int) -> SectionHeader? { list?.snapshot.header(ofSection: section) }
}

// MARK: - The cursor on the screen

extension ListPane {
  /// Puts the cursor on an item and on a screen line, or as near to it as the ends of the list allow.
  mutating func put(_ item: ListItem?, onLine wanted: Int) {
    guard let item = item ?? lines.item(at: 0) else {
      (cursor, line) = (nil, 0)
      return
    }
    let visible = lines.visible(item)
    cursor = visible
    let absolute = lines.line(of: visible)
    line = absolute - clampedTop(absolute - min(max(wanted, 0), height - 1), showing: visible)
  }

  /// Returns the top line nearest to a wanted one at which the list fills the screen, and an item is not under the sticky header.
  func clampedTop(_ wanted: Int, showing item: ListItem) -> Int {
    var top = min(max(wanted, 0), max(0, lines.count - height))
    let absolute = lines.line(of: item)
    if hasStickyHeader, case .row = item, absolute == top { top -= 1 }
    return top
  }

  /// Whether a line of the list is visible for some first line.
  func isVisible(_ absolute: Int, top: Int, as item: ListItem) -> Bool {
    guard absolute >= top, absolute < top + height else { return false }
    if hasStickyHeader, case .row = item { return absolute > top }
    return true
  }

  /// Moves the cursor by lines; the screen follows only where the cursor would leave it.
  mutating func move(by lineCount: Int) {
    guard let cursor else { return }
    edge = nil
    let to = min(max(lines.line(of: cursor) + lineCount, 0), lines.count - 1)
    put(lines.item(at: to), onLine: to - top)
  }

  /// Moves the screen and the cursor by lines, so that the cursor stays on its screen line.
  mutating func scroll(by lineCount: Int) {
    guard let cursor else { return }
    edge = nil
    let to = min(max(lines.line(of: cursor) + lineCount, 0), lines.count - 1)
    put(lines.item(at: to), onLine: line)
  }

  /// Moves the cursor to an item, at the screen line where it is if it is visible, else in the middle.
  mutating func go(to item: ListItem) {
    edge = nil
    let item = lines.visible(item)
    let absolute = lines.line(of: item)
    let isShown = cursor != nil && isVisible(absolute, top: top, as: item)
    put(item, onLine: isShown ? absolute - top : height / 2)
  }

  /// Moves the cursor to an end of the list; it then keeps to that end.
  mutating func go(to edge: Edge) {
    self.edge = edge
    switch edge {
    case .first:
      // The first row, or the header of a section that shows none.
      let line = lines.hasGroups ? 2 : 1
      let first = lines.hasHeaders ? lines.item(at: line) : nil
      if let first, first.isRow {
        put(first, onLine: line)
      } else {
        put(lines.item(at: 0), onLine: 0)
      }
    case .last: put(lines.item(at: lines.count - 1), onLine: height - 1)
    }
  }

  /// Takes another number of screen lines.
  mutating func resize(to height: Int) {
    guard height != self.height else { return }
    self.height = max(height, 1)
    if let edge { go(to: edge) } else { put(cursor, onLine: min(line, self.height - 1)) }
  }

  /// Holds the rows that the screen shows and some around them.
  ///
  /// While half a screen above and below is held, nothing changes, so that a step of the cursor reads nothing.
  mutating func holdRows() {
    let margin = height / 2
    let needed = lines.positions(onLines: top - margin..<top + height + margin)
    let isSmall = rows.positions.ranges.reduce(0) { $0 + $1.count } <= 3 * height
    guard !isSmall || !needed.isSubset(of: rows.positions) else { return }
    rows.show(lines.positions(onLines: top - height..<top + 2 * height))
  }

  /// The positions of a page to read, or `nil` if everything is held.
  var missing: Range<Int>? {
    guard unreadable.isEmpty else {
      return rows.positions.ranges.lazy.compactMap { range in
        range.first { rows[$0] == nil && !unreadable.contains($0) }
      }.first.map { $0..<$0 + 1 }
    }
    return rows.missing
  }
}

extension ListItem {
  /// Whether the item is a row.
  var isRow: Bool { if case .row = self { true } else { false } }
}
