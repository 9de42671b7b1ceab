package import ResultsDomain
import ResultsStoreKit
package import ResultsPresentation

/// A table that follows a list through the five delegate callbacks alone, the way a table view does.
///
/// It collects the callbacks of one change and applies them at the end: it removes rows by their old paths from the back, deletes and
/// inserts sections, then inserts rows by their new paths from the front. `forgetsSections` and `forgetsMovedCells` are two mistakes
/// of well-known example code; they show what goes wrong.
package final class RosterTable: FetchedResultsControllerDelegate {
  /// The callbacks of the latest change, in order.
  package private(set) var calls: [String] = []
  /// Why a table view would refuse the callbacks, or `nil` if they are consistent.
  package private(set) var complaint: String?
  private let forgetsSections: Bool
  private let forgetsMovedCells: Bool
  private var sections: [(title: String, cells: [String])] = []
  private var removedRows: [OldPath] = []
  private var insertedRows: [(path: NewPath, id: ObjectID, cell: String?)] = []
  private var removedSections: [Int] = []
  private var insertedSections: [(index: Int, title: String)] = []

  /// An empty table, with the mistakes it makes.
  package init(forgetsSections: Bool = false, forgetsMovedCells: Bool = false) {
    self.forgetsSections = forgetsSections
    self.forgetsMovedCells = forgetsMovedCells
  }

  /// Replaces the content of the table by a list, and forgets its complaint.
  package func reload(_ results: ResultsList<Student>) {
    complaint = nil
    sections = results.sections.map { section in
      (section.title, section.map { (try? $0.object.line) ?? "?" })
    }
  }

  package func controllerWillChangeContent(_ results: ResultsList<Student>) {
    calls = ["will change"]
    (removedRows, insertedRows, removedSections, insertedSections) = ([], [], [], [])
  }

  package func controller(
    _ results: ResultsList<Student>,
    didChange section: SectionHeader,
    atSectionIndex index: Int,
    for type: SectionChangeType
  ) {
    switch type {
    case .insert:
      calls.append("section \(index) (\(section.title)) inserted")
      insertedSections.append((index, section.title))
    case .delete:
      calls.append("section \(index) (\(section.title)) deleted")
      removedSections.append(index)
    case .move, .update: calls.append("section \(index) (\(section.title)) changed")
    }
  }

  package func controller(
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
      insertedRows.append((to, id, cell))
    case (.delete, let from?, _):
      calls.append("object deleted at \(from.path)")
      removedRows.append(from)
    case (.move, let from?, let to?):
      calls.append("object moved from \(from.path) to \(to.path)")
      let stale = sections.indices.contains(from.section) ? cellText(at: from) : nil
      removedRows.append(from)
      insertedRows.append((to, id, forgetsMovedCells ? stale : cell))
    case (.update, let from?, let to?):
      calls.append("object updated at \(from.path)")
      removedRows.append(from)
      insertedRows.append((to, id, cell))
    default: calls.append("object changed without a path")
    }
  }

  package func controllerDidChangeContent(_ results: ResultsList<Student>) {
    calls.append("did change")
    for path in removedRows.sorted(by: >) {
      guard cellText(at: path) != nil else { return complain("no cell at \(path.path)") }
      sections[path.section].cells.remove(at: path.row)
    }
    if !forgetsSections {
      for index in removedSections.sorted(by: >) { sections.remove(at: index) }
      for section in insertedSections.sorted(by: { $0.index < $1.index }) {
        sections.insert((section.title, []), at: section.index)
      }
    }
    for row in insertedRows.sorted(by: { $0.path < $1.path }) {
      guard sections.indices.contains(row.path.section),
        row.path.row <= sections[row.path.section].cells.count
      else { return complain("no position for a cell at \(row.path.path)") }
      sections[row.path.section].cells.insert(row.cell ?? "?", at: row.path.row)
    }
    if sections.count != results.sections.count {
      complain("\(sections.count) sections shown, the list has \(results.sections.count)")
    }
  }

  /// The titles of sections, and their cells indented below them.
  package var lines: [String] {
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
