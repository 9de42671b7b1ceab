public import ResultsDomain

/// Why a delta cannot be applied, composed or trusted: what is wrong, and where.
public enum DeltaError: Error, Hashable, Sendable {
  /// One of the two lists a delta lies between.
  public enum Side: String, Hashable, Sendable {
    /// The generation it leads from.
    case before
    /// The generation it leads to.
    case after
  }

  /// The lists of a delta whose order is canonical (C2).
  public enum Part: String, Hashable, Sendable {
    /// Sections that are gone.
    case sectionDeletes
    /// Sections that changed place.
    case sectionMoves
    /// Sections that are new.
    case sectionInserts
    /// Sections that changed their title or their aggregates.
    case sectionUpdates
    /// Rows that left.
    case rowDeletes
    /// Rows that changed place.
    case rowMoves
    /// Rows that came.
    case rowInserts
    /// Rows that changed their content.
    case rowUpdates
  }

  /// The delta leads from another generation than the one at hand (R44).
  case outOfSync(expected: Int, found: Int)
  /// The delta is of another list, whatever its generations are (R44).
  case otherLife(expected: ResultsLife, found: ResultsLife)
  /// The delta names only the rows that somebody observed.
  case partial
  /// The list has not the number of sections that the delta says.
  case sectionCount(Side, expected: Int, found: Int)
  /// There is no such section.
  case noSection(Side, at: Int)
  /// Another section, another title, or other aggregates stand there.
  case wrongSection(Side, at: Int, expected: SectionHeader, found: SectionHeader)
  /// There is no such row.
  case noRow(Side, at: RowPath)
  /// Another row stands there, or none that the delta could know.
  case wrongRow(Side, at: RowPath, expected: ObjectID, found: ObjectID?)
  /// A place is claimed by two entries.
  case placeTwice(Side, at: RowPath)
  /// A section is named by two entries (R31).
  case sectionTwice(Side, at: Int)
  /// A row is named by two entries (R31).
  case rowTwice(ObjectID)
  /// A deleted section still has rows that no entry names (C3).
  case leftoverRows(section: Int, count: Int)
  /// The row numbers of a section after the change differ from the list's.
  case rowCount(section: Int, expected: Int, found: Int)
  /// A list inside the delta is not in canonical order (C2).
  case notCanonical(Part)
  /// A row that could have stayed in place is moved (C6, C8).
  case needlessMove(ObjectID)
  /// A section that could have stayed in place is moved.
  case needlessSectionMove(SectionID)
  /// A section is deleted and inserted again where it should be moved, updated or left alone (C4).
  case sectionReplaced(SectionID)
  /// An update says that nothing changed (C7, R27).
  case emptyUpdate(ObjectID)
}

extension DeltaError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String {
    switch self {
    case .outOfSync(let expected, let found):
      "The delta leads from generation \(expected), but the list is at \(found)."
    case .otherLife(let expected, let found):
      "The delta is of the list \(expected), but this is \(found). Begin with a snapshot of the present list."
    case .partial: "The delta names only the rows that were observed."
    case .sectionCount(let side, let expected, let found):
      "There are \(found) sections \(side.rawValue) the change, not \(expected)."
    case .noSection(let side, let index):
      "There is no section \(index) \(side.rawValue) the change."
    case .wrongSection(let side, let index, let expected, let found):
      "Section \(index) \(side.rawValue) the change is \(DeltaError.words(found)), "
        + "not \(DeltaError.words(expected))."
    case .noRow(let side, let path): "There is no row \(path) \(side.rawValue) the change."
    case .wrongRow(let side, let path, let expected, let found):
      "Row \(path) \(side.rawValue) the change is \(found?.description ?? "another"), "
        + "not \(expected)."
    case .placeTwice(let side, let path): "Row \(path) \(side.rawValue) the change is named twice."
    case .sectionTwice(let side, let index):
      "Section \(index) \(side.rawValue) the change is named twice."
    case .rowTwice(let id): "\(id) is named twice."
    case .leftoverRows(let section, let count):
      "Section \(section) is deleted, but \(count) of its rows are not accounted for."
    case .rowCount(let section, let expected, let found):
      "Section \(section) after the change has \(found) rows, not \(expected)."
    case .notCanonical(let part): "The list \(part.rawValue) is not in canonical order."
    case .needlessMove(let id): "\(id) is moved although it could stay."
    case .needlessSectionMove(let id): "Section \(id) is moved although it could stay."
    case .sectionReplaced(let id): "Section \(id) is deleted and inserted again."
    case .emptyUpdate(let id): "\(id) is updated although nothing changed."
    }
  }

  private static func words(_ header: SectionHeader) -> String {
    let aggregates = header.aggregates.isEmpty ? "" : " and \(header.aggregates)"
    return "\(header.id) with title '\(header.title)'\(aggregates)"
  }
}
