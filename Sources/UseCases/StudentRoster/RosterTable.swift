import ResultsDomain
import ResultsPresentation

/// A table that is kept by the five callbacks alone, the way a table view is.
///
/// It gathers the reports of one change and applies them at its end: rows out by old paths from behind, sections out and in, rows in by
/// new paths from the front, cells drawn again. `forgetsSections` and `forgetsMovedCells` are the two mistakes of the well-known
/// example code, to show what they do.
final class RosterTable: FetchedResultsControllerDelegate {
  let forgetsSections: Bool
  let forgetsMovedCells: Bool
  private(set) var sections: [(title: String, cells: [String])] = []
  private(set) var calls: [String] = []
  /// What a table view would say of reports that do not add up.
  private(set) var complaint: String?
  private var removedRows: [OldPath] = []
  private var placedRows: [(path: NewPath, id: ObjectID, cell: String?)] = []
  private var removedSections: [Int] = []
  private var placedSections: [(index: Int, title: String)] = []

  init(forgetsSections: Bool = false, forgetsMovedCells: Bool = false) {
    self.forgetsSections = forgetsSections
    self.forgetsMovedCells = forgetsMovedCells
  }

  /// Fills the table anew.
  func reload(_ results: ResultsList<Student>) {
    complaint = nil
    sections = results.sections.map { section in
      (section.title, section.map { (try? $0.object.line) ?? "?" })
    }
  }

  func controllerWillChangeContent(_ results: ResultsList<Student>) {
    calls = ["will change"]
    (removedRows, placedRows, removedSections, placedSections) = ([], [], [], [])
  }

  func controller(
    _ results: ResultsList<Student>,
    didChange section: SectionHeader,
    atSectionIndex index: Int,
    for type: SectionChangeType
  ) {
    switch type {
    case .insert:
      calls.append("section \(index) (\(section.title)) inserted")
      placedSections.append((index, section.title))
    case .delete:
      calls.append("section \(index) (\(section.title)) deleted")
      removedSections.append(index)
    case .move, .update: calls.append("section \(index) (\(section.title)) changed")
    }
  }

  func controller(
    _ results: ResultsList<Student>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  ) {
    let cell = newPath.flatMap { try? results.object(at: $0.path).line }
    switch (type, oldPath, newPath) {
    case (.insert, _, let to?):
      calls.append("object inserted at \(to.path)")
      placedRows.append((to, id, cell))
    case (.delete, let from?, _):
      calls.append("object deleted at \(from.path)")
      removedRows.append(from)
    case (.move, let from?, let to?):
      calls.append("object moved from \(from.path) to \(to.path)")
      let stale = sections.indices.contains(from.section) ? cellText(at: from) : nil
      removedRows.append(from)
      placedRows.append((to, id, forgetsMovedCells ? stale : cell))
    case (.update, let from?, let to?):
      calls.append("object updated at \(from.path)")
      removedRows.append(from)
      placedRows.append((to, id, cell))
    default: calls.append("object changed without a path")
    }
  }

  func controllerDidChangeContent(_ results: ResultsList<Student>) {
    calls.append("did change")
    for path in removedRows.sorted(by: >) {
      guard cellText(at: path) != nil else { return complain("no cell at \(path.path)") }
      sections[path.section].cells.remove(at: path.row)
    }
    if !forgetsSections {
      for index in removedSections.sorted(by: >) { sections.remove(at: index) }
      for section in placedSections.sorted(by: { $0.index < $1.index }) {
        sections.insert((section.title, []), at: section.index)
      }
    }
    for row in placedRows.sorted(by: { $0.path < $1.path }) {
      guard sections.indices.contains(row.path.section),
        row.path.row <= sections[row.path.section].cells.count
      else { return complain("no place for a cell at \(row.path.path)") }
      sections[row.path.section].cells.insert(row.cell ?? "?", at: row.path.row)
    }
    if sections.count != results.sections.count {
      complain("\(sections.count) sections shown, the list has \(results.sections.count)")
    }
  }

  /// The table as lines.
  var lines: [String] {
    sections.flatMap { section in ["\(section.title)"] + section.cells.map { "  \($0)" } }
  }

  private func cellText(at path: OldPath) -> String? {
    guard sections.indices.contains(path.section),
      sections[path.section].cells.indices.contains(path.row)
    else { return nil }
    return sections[path.section].cells[path.row]
  }

  private func complain(_ text: String) { complaint = complaint ?? text }
}
