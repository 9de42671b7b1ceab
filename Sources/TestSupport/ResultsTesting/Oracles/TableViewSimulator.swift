public import ResultsPresentation

/// A table view without a screen: it checks a batch of updates by the rules that make the real ones raise.
public struct TableViewSimulator: Sendable {
  /// What a table view would raise for.
  public enum Violation: Error, Hashable, Sendable {
    /// A place that does not exist before the batch, or not after it.
    case noSuchPlace(String)
    /// Two operations name one place.
    case doubleOperation(String)
    /// A row operation lies inside a deleted or inserted section.
    case rowInChangedSection(String)
    /// The number of sections after the batch is not the one before with the operations applied.
    case sectionCount(expected: Int, found: Int)
    /// The number of rows of a section after the batch is not the one before with the operations applied.
    case rowCount(section: Int, expected: Int, found: Int)
  }

  /// The numbers of rows of the sections now shown.
  public private(set) var rowCounts: [Int]

  /// A table view that shows sections of so many rows.
  public init(rowCounts: [Int]) { self.rowCounts = rowCounts }

  /// Performs one batch, after which the data source has sections of so many rows.
  /// - Throws: `Violation` where a table view would raise.
  /// - Complexity: O(*n*) in the sections and operations.
  public mutating func perform(
    _ batch: TableViewBatch,
    newRowCounts: [Int]
  ) throws(Violation) {
    var oldSections: Set<Int> = []
    for section in batch.deletedSections {
      guard rowCounts.indices.contains(section) else {
        throw .noSuchPlace("deleted section \(section)")
      }
      guard oldSections.insert(section).inserted else {
        throw .doubleOperation("deleted section \(section)")
      }
    }
    var newSections: Set<Int> = []
    for section in batch.insertedSections {
      guard newRowCounts.indices.contains(section) else {
        throw .noSuchPlace("inserted section \(section)")
      }
      guard newSections.insert(section).inserted else {
        throw .doubleOperation("inserted section \(section)")
      }
    }
    let count = rowCounts.count - oldSections.count + newSections.count
    guard count == newRowCounts.count else {
      throw .sectionCount(expected: count, found: newRowCounts.count)
    }
    let leaving = batch.deletedRows.map(\.path) + batch.movedRows.map(\.from.path)
    let arriving = batch.insertedRows.map(\.path) + batch.movedRows.map(\.to.path)
    try TableViewSimulator.check(
      leaving + batch.updatedRows.map(\.path),
      in: rowCounts,
      outside: oldSections,
      "old"
    )
    try TableViewSimulator.check(arriving, in: newRowCounts, outside: newSections, "new")

    var staying = rowCounts.indices.filter { !oldSections.contains($0) }.makeIterator()
    for section in newRowCounts.indices where !newSections.contains(section) {
      guard let old = staying.next() else { break }
      let expected =
        rowCounts[old] - leaving.count { $0.section == old }
        + arriving.count { $0.section == section }
      guard expected == newRowCounts[section] else {
        throw .rowCount(section: section, expected: expected, found: newRowCounts[section])
      }
    }
    rowCounts = newRowCounts
  }

  private static func check(
    _ paths: [RowPath],
    in rowCounts: [Int],
    outside sections: Set<Int>,
    _ side: String
  ) throws(Violation) {
    var seen: Set<RowPath> = []
    for path in paths {
      guard rowCounts.indices.contains(path.section), path.row >= 0,
        path.row < rowCounts[path.section]
      else { throw .noSuchPlace("\(side) row \(path)") }
      guard seen.insert(path).inserted else { throw .doubleOperation("\(side) row \(path)") }
      guard !sections.contains(path.section) else {
        throw .rowInChangedSection("\(side) row \(path)")
      }
    }
  }
}
