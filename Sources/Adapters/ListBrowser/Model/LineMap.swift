import ResultsDomain
import ResultsPresentation

/// An item of a list that takes a line: a header of a group or of a section, or a row.
enum ListItem: Hashable, Sendable {
  /// The header of a group, by the index of its first section.
  case group(Int)
  /// The header of a section, by its index.
  case header(Int)
  /// A row, by its path.
  case row(RowPath)

  /// The index of the section that the item belongs to.
  var section: Int {
    switch self {
    case .group(let section), .header(let section): section
    case .row(let path): path.section
    }
  }
}

/// The lines of a whole list as if the screen had no end: headers, and the rows of sections that are not folded.
///
/// No row is read and no line is stored: a line's item is found by counting.
struct LineMap: Sendable {
  /// The list, or `nil` before the first fetch.
  let list: ResultsList<Row>?
  /// The indexes of folded sections, ascending.
  let folded: [Int]
  /// For each folded section, the number of rows that it and the folded ones before it hide.
  private let hidden: [Int]

  init(_ list: ResultsList<Row>? = nil, folded: [Int] = []) {
    self.list = list
    self.folded = list?.isSectioned == true ? folded.sorted() : []
    var sum = 0
    hidden = self.folded.map { section in
      sum += list?.snapshot.rowCount(inSection: section) ?? 0
      return sum
    }
  }

  /// Whether sections have headers.
  var hasHeaders: Bool { list?.isSectioned ?? false }
  /// Whether groups of sections have headers.
  var hasGroups: Bool { list?.isGrouped ?? false }
  /// The number of sections.
  var sectionCount: Int { list?.snapshot.sectionCount ?? 0 }
  /// The number of lines.
  var count: Int {
    guard let list else { return 0 }
    return list.count - (hidden.last ?? 0)
      + (hasHeaders ? sectionCount + list.snapshot.groupCount : 0)
  }

  /// Whether a section is folded.
  /// - Complexity: O(log *f*) in the folded sections.
  func isFolded(_ section: Int) -> Bool {
    let index = foldedCount(before: section)
    return index < folded.count && folded[index] == section
  }

  /// Returns the number of rows of a section.
  func rowCount(inSection section: Int) -> Int { list?.snapshot.rowCount(inSection: section) ?? 0 }

  /// Returns the position of a row counted over all sections.
  func position(of path: RowPath) -> Int? { list?.snapshot.flatPosition(of: path) }

  /// Returns the path of the row at a position counted over all sections.
  func path(at position: Int) -> RowPath? { list?.snapshot.path(ofFlatPosition: position) }

  /// Returns the line of a header.
  /// - Complexity: O(log *n*)
  func headerLine(_ section: Int) -> Int {
    let start = list?.snapshot.flatPosition(ofSection: section) ?? list?.count ?? 0
    let index = foldedCount(before: section)
    return start + section + groupLines(through: section) - (index > 0 ? hidden[index - 1] : 0)
  }

  /// The number of headers of groups that stand above the header of a section.
  private func groupLines(through section: Int) -> Int {
    guard hasGroups, let list else { return 0 }
    return list.snapshot.group(ofSection: section).map { $0 + 1 } ?? list.snapshot.groupCount
  }

  /// The sections of the group that a section is in, or `nil` if there are no groups.
  /// - Complexity: O(log *n*)
  func sections(inGroupOf section: Int) -> Range<Int>? {
    guard let snapshot = list?.snapshot else { return nil }
    return snapshot.group(ofSection: section).flatMap(snapshot.sections(ofGroup:))
  }

  /// Whether a section is the first one of its group.
  private func beginsGroup(_ section: Int) -> Bool {
    sections(inGroupOf: section)?.lowerBound == section
  }

  /// Returns the line of an item; that of a row in a folded section is its header's.
  /// - Complexity: O(log *n*)
  func line(of item: ListItem) -> Int {
    guard hasHeaders else {
      if case .row(let path) = item { return path.row }
      return 0
    }
    switch item {
    case .group(let section):
      return sections(inGroupOf: section).map { headerLine($0.lowerBound) - 1 }
        ?? headerLine(section)
    case .header(let section): return headerLine(section)
    case .row(let path):
      return headerLine(path.section) + (isFolded(path.section) ? 0 : 1 + path.row)
    }
  }

  /// Returns the item at a line, or `nil` outside the list.
  /// - Complexity: O(log *n* log *s*)
  func item(at line: Int) -> ListItem? {
    guard line >= 0, line < count else { return nil }
    guard hasHeaders else { return .row(RowPath(section: 0, row: line)) }
    var (low, high) = (0, sectionCount - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if headerLine(middle) <= line { low = middle } else { high = middle - 1 }
    }
    let following = headerLine(low) > line ? low : low + 1
    if hasGroups, following < sectionCount, headerLine(following) == line + 1,
      beginsGroup(following)
    {
      return .group(following)
    }
    let row = line - headerLine(low) - 1
    return row < 0 ? .header(low) : .row(RowPath(section: low, row: row))
  }

  /// Returns the positions, counted over all sections, of the rows on some lines.
  /// - Complexity: O(*s* log *n*) in the sections on the lines.
  func positions(onLines wanted: Range<Int>) -> RangeSet<Int> {
    let wanted = wanted.clamped(to: 0..<count)
    var positions = RangeSet<Int>()
    var line = wanted.lowerBound
    while line < wanted.upperBound, let item = item(at: line) {
      guard case .row(let path) = item, let start = position(of: path) else {
        line += 1
        continue
      }
      let length = min(rowCount(inSection: path.section) - path.row, wanted.upperBound - line)
      guard length > 0 else { break }
      positions.insert(contentsOf: start..<start + length)
      line += length
    }
    return positions
  }

  /// Returns the item that stands for another: the header of a folded section for its rows, and that of a group for any of its sections.
  func visible(_ item: ListItem) -> ListItem {
    if case .group(let section) = item {
      return sections(inGroupOf: section).map { .group($0.lowerBound) } ?? .header(section)
    }
    if case .row(let path) = item, isFolded(path.section) { return .header(path.section) }
    return item
  }

  private func foldedCount(before section: Int) -> Int {
    var (low, high) = (0, folded.count)
    while low < high {
      let middle = (low + high) / 2
      if folded[middle] < section { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
