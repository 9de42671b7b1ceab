import ResultsStoreKit
public import ResultsPresentation

/// A table view without a screen, which checks a batch of updates by the rules that make real table views raise exceptions.
public struct TableViewSimulator: Sendable {
  /// A reason why a table view raises an exception.
  public enum Violation: Error, Hashable, Sendable {
    /// An index that does not exist before or after the batch.
    case indexOutOfRange(String)
    /// Two operations with the same index.
    case duplicateOperation(String)
    /// A row operation inside a deleted or inserted section.
    case rowInChangedSection(String)
    /// The number of sections after the batch is not the one before with the operations applied.
    case sectionCount(expected: Int, found: Int)
    /// The number of rows of a section after the batch is not the one before with the operations applied.
    case rowCount(section: Int, expected: Int, found: Int)
  }

  /// The number of rows of each section.
  public private(set) var rowCounts: [Int]

  /// Creates a table view with the given number of rows in each section.
  public init(rowCounts: [Int]) { self.rowCounts = rowCounts }

  /// Performs one batch, and checks it against the number of rows that the data source reports afterwards.
  /// - Throws: `Violation` where a table view raises an exception.
  /// - Complexity: O(*n*) in the sections and operations.
  public mutating func perform(
    _ batch: TableViewBatch,
    newRowCounts: [Int]
  ) throws(Violation) {
    var oldSections: Set<Int> = []
    for section in batch.deletedSections {
      guard rowCounts.indices.contains(section) else {
        throw .indexOutOfRange("deleted section \(section)")
      }
      guard oldSections.insert(section).inserted else {
        throw .duplicateOperation("deleted section \(section)")
      }
    }
    var newSections: Set<Int> = []
    for section in batch.insertedSections {
      guard newRowCounts.indices.contains(section) else {
        throw .indexOutOfRange("inserted section \(section)")
      }
      guard newSections.insert(section).inserted else {
        throw .duplicateOperation("inserted section \(section)")
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
      else { throw .indexOutOfRange("\(side) row \(path)") }
      guard seen.insert(path).inserted else { throw .duplicateOperation("\(side) row \(path)") }
      guard !sections.contains(path.section) else {
        throw .rowInChangedSection("\(side) row \(path)")
      }
    }
  }
}
