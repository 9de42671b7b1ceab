import ResultsDomain
import ResultsPresentation

@testable import ListBrowser

/// The rules of the cursor, decided by linear searches in whole contents: the oracle of the laws.
///
/// It shares nothing with the browser but the contents before and after, and the set of rows that the change calls moved.
struct NaiveCursor {
  /// What takes a line.
  enum Item: Hashable { case header(SectionID), row(ObjectID) }

  let content: ResultsContent
  let isSectioned: Bool
  let folded: Set<SectionID>
  let height: Int

  /// All lines of the list.
  var lines: [Item] {
    content.sections.flatMap { section -> [Item] in
      let rows = section.rows.map { Item.row($0) }
      guard isSectioned else { return rows }
      return [.header(section.header.id)] + (folded.contains(section.header.id) ? [] : rows)
    }
  }

  private var isSticky: Bool { isSectioned && height >= 8 }

  /// The item that stands for a row in a folded section.
  private func visible(_ item: Item) -> Item {
    guard case .row(let id) = item, let section = section(of: id), isSectioned,
      folded.contains(section.header.id)
    else { return item }
    return .header(section.header.id)
  }

  private func section(of id: ObjectID) -> ResultsContent.Section? {
    content.sections.first { $0.rows.contains(id) }
  }

  /// The screen line of an item that is wanted on a line, and the first line of the list.
  func position(of item: Item, wanted: Int) -> (item: Item, line: Int, top: Int)? {
    let (lines, item) = (lines, visible(item))
    guard let index = lines.firstIndex(of: item) else { return nil }
    var top = min(max(index - min(max(wanted, 0), height - 1), 0), max(0, lines.count - height))
    if isSticky, case .row = item, index == top { top -= 1 }
    return (item, index - top, top)
  }

  /// Where the cursor is after a change.
  /// - Parameters:
  ///   - cursor: The item before.
  ///   - line: Its screen line before.
  ///   - before: The content before.
  ///   - moved: The rows that the change names as moved.
  ///   - isOwn: Whether the browser's own command made the change.
  /// - Returns: The item and its screen line, or `nil` in an empty list.
  func cursor(
    after cursor: Item,
    _ line: Int,
    from before: ResultsContent,
    moved: Set<ObjectID>,
    isOwn: Bool
  ) -> (item: Item, line: Int)? {
    switch cursor {
    case .header(let id):
      guard let old = before.sections.firstIndex(where: { $0.header.id == id }) else { return nil }
      let order = [old] + Array(old + 1..<before.sections.count) + (0..<old).reversed()
      let present = Set(content.sections.map(\.header.id))
      guard let found = order.map({ before.sections[$0].header.id }).first(where: present.contains)
      else {
        return lines.first.flatMap { position(of: $0, wanted: line) }.map { ($0.item, $0.line) }
      }
      return position(of: .header(found), wanted: line).map { ($0.item, $0.line) }
    case .row(let id):
      let isPresent = section(of: id) != nil
      if isPresent, isOwn || !moved.contains(id) {
        return position(of: .row(id), wanted: line).map { ($0.item, $0.line) }
      }
      guard let neighbour = neighbour(of: id, in: before, moved),
        let kept = position(of: .row(neighbour), wanted: line)
      else { return nil }
      if isPresent, visible(.row(id)) == .row(id), let index = lines.firstIndex(of: .row(id)),
        index >= kept.top + (isSticky ? 1 : 0), index < kept.top + height
      {
        return (.row(id), index - kept.top)
      }
      return (kept.item, kept.line)
    }
  }

  /// The row that takes the cursor when its own row is gone.
  private func neighbour(
    of id: ObjectID,
    in before: ResultsContent,
    _ moved: Set<ObjectID>
  ) -> ObjectID? {
    guard let old = before.sections.firstIndex(where: { $0.rows.contains(id) }) else { return nil }
    let rows = before.sections[old].rows
    let index = rows.firstIndex(of: id) ?? 0
    func now(_ section: Int) -> ResultsContent.Section? {
      content.sections.first { $0.header.id == before.sections[section].header.id }
    }
    if let section = now(old), !section.rows.isEmpty {
      let stays = { (row: ObjectID) in !moved.contains(row) && section.rows.contains(row) }
      if let next = rows[(index + 1)...].first(where: stays) { return next }
      if let previous = rows[..<index].last(where: stays) { return previous }
      return section.rows.first
    }
    for later in old + 1..<max(before.sections.count, old + 1) {
      if let row = now(later)?.rows.first { return row }
    }
    for earlier in (0..<old).reversed() { if let row = now(earlier)?.rows.last { return row } }
    return content.sections.first { !$0.rows.isEmpty }?.rows.first
  }
}

extension ListPane {
  /// The cursor by identity, found in a content.
  func naiveCursor(in content: ResultsContent) -> NaiveCursor.Item? {
    switch cursor {
    case nil, .group: nil
    case .header(let section):
      content.sections.indices.contains(section)
        ? .header(content.sections[section].header.id) : nil
    case .row(let path): content.id(at: path).map { .row($0) }
    }
  }
}
