public import ResultsDomain

/// The reason why a delta cannot be applied, composed or verified: what is wrong, and where.
public enum DeltaError: Error, Hashable, Sendable {
  /// One of the two lists of a delta.
  public enum Side: String, Hashable, Sendable {
    /// The list before the change.
    case before
    /// The list after the change.
    case after
  }

  /// A part of a delta whose entries are in canonical order (C2).
  public enum Part: String, Hashable, Sendable {
    /// Deleted sections.
    case sectionDeletes
    /// Moved sections.
    case sectionMoves
    /// Inserted sections.
    case sectionInserts
    /// Sections whose title or aggregates changed.
    case sectionUpdates
    /// Deleted groups.
    case groupDeletes
    /// Moved groups.
    case groupMoves
    /// Inserted groups.
    case groupInserts
    /// Groups whose title, numbers or aggregates changed.
    case groupUpdates
    /// Deleted rows.
    case rowDeletes
    /// Moved rows.
    case rowMoves
    /// Inserted rows.
    case rowInserts
    /// Rows whose content changed.
    case rowUpdates
  }

  /// The delta does not start at the generation of the list (R44).
  case outOfSync(expected: Int, found: Int)
  /// The delta belongs to another list, whatever its generations are (R44).
  case otherLife(expected: ResultsLife, found: ResultsLife)
  /// The delta names only observed rows.
  case partial
  /// The list does not have the number of sections that the delta states.
  case sectionCount(Side, expected: Int, found: Int)
  /// There is no such section.
  case noSection(Side, at: Int)
  /// The section there has another identity, title or aggregates.
  case wrongSection(Side, at: Int, expected: SectionHeader, found: SectionHeader)
  /// There is no such row.
  case noRow(Side, at: RowPath)
  /// The row there is another one, or one that the delta cannot know.
  case wrongRow(Side, at: RowPath, expected: ObjectID, found: ObjectID?)
  /// Two entries name one path.
  case duplicatePath(Side, at: RowPath)
  /// Two entries name one section (R31).
  case duplicateSection(Side, at: Int)
  /// Two entries name one row (R31).
  case duplicateRow(ObjectID)
  /// A deleted section still has rows that no entry names (C3).
  case leftoverRows(section: Int, count: Int)
  /// A section has another number of rows after the change than the list.
  case rowCount(section: Int, expected: Int, found: Int)
  /// A part of the delta is not in canonical order (C2).
  case notCanonical(Part)
  /// A row is moved that could have stayed (C6, C8).
  case needlessMove(ObjectID)
  /// A section is moved that could have stayed.
  case needlessSectionMove(SectionID)
  /// A section is deleted and inserted again instead of being moved, updated or left as it is (C4).
  case sectionReplaced(SectionID)
  /// An update states that nothing changed (C7, R27).
  case emptyUpdate(ObjectID)
  /// There is no such group.
  case noGroup(Side, at: Int)
  /// The group there has another identity, title, number of rows or sections, or other aggregates.
  case wrongGroup(Side, at: Int, expected: GroupHeader, found: GroupHeader)
  /// Two entries name one group (R31).
  case duplicateGroup(Side, at: Int)
  /// The list does not have the number of groups that the delta leaves.
  case groupCount(expected: Int, found: Int)
  /// The groups together have another number of sections than the list.
  case sectionsOfGroups(expected: Int, found: Int)
  /// A group is moved that could have stayed.
  case needlessGroupMove(Value)
  /// A group is deleted and inserted again instead of being moved, updated or left as it is (C4).
  case groupReplaced(Value)
}

extension DeltaError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String {
    switch self {
    case .outOfSync(let expected, let found):
      "The delta starts at generation \(expected), but the list is at generation \(found)."
    case .otherLife(let expected, let found):
      "The delta belongs to list \(expected), but this is list \(found). Start from a snapshot of the present list."
    case .partial: "The delta names only observed rows, so it cannot be applied to the whole list."
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
    case .duplicatePath(let side, let path):
      "Row \(path) \(side.rawValue) the change is named twice."
    case .duplicateSection(let side, let index):
      "Section \(index) \(side.rawValue) the change is named twice."
    case .duplicateRow(let id): "\(id) is named twice."
    case .leftoverRows(let section, let count):
      "Section \(section) is deleted, but \(count) of its rows are not accounted for."
    case .rowCount(let section, let expected, let found):
      "Section \(section) after the change has \(found) rows, not \(expected)."
    case .notCanonical(let part): "The entries of \(part.rawValue) are not in canonical order."
    case .needlessMove(let id): "\(id) is moved although it could have stayed."
    case .needlessSectionMove(let id): "Section \(id) is moved although it could have stayed."
    case .sectionReplaced(let id): "Section \(id) is deleted and inserted again."
    case .emptyUpdate(let id): "\(id) is updated although nothing changed."
    case .noGroup(let side, let index): "There is no group \(index) \(side.rawValue) the change."
    case .wrongGroup(let side, let index, let expected, let found):
      "Group \(index) \(side.rawValue) the change is \(found), not \(expected)."
    case .duplicateGroup(let side, let index):
      "Group \(index) \(side.rawValue) the change is named twice."
    case .groupCount(let expected, let found):
      "There are \(found) groups after the change, not \(expected)."
    case .sectionsOfGroups(let expected, let found):
      "The groups have \(found) sections after the change, not \(expected)."
    case .needlessGroupMove(let id): "Group \(id) is moved although it could have stayed."
    case .groupReplaced(let id): "Group \(id) is deleted and inserted again."
    }
  }

  private static func words(_ header: SectionHeader) -> String {
    let aggregates = header.aggregates.isEmpty ? "" : " and \(header.aggregates)"
    return "\(header.id) with title '\(header.title)'\(aggregates)"
  }
}

// MARK: - Errors of headers

/// The header of what a delta names by its index: a section or a group.
protocol DeltaHeader: Identifiable, Hashable, Sendable where ID: Sendable {
  static func missing(_ side: DeltaError.Side, at index: Int) -> DeltaError
  static func duplicate(_ side: DeltaError.Side, at index: Int) -> DeltaError
  static func needlessMove(_ id: ID) -> DeltaError
  static func replaced(_ id: ID) -> DeltaError
}

extension SectionHeader: DeltaHeader {
  static func missing(_ side: DeltaError.Side, at index: Int) -> DeltaError {
    .noSection(side, at: index)
  }
  static func duplicate(_ side: DeltaError.Side, at index: Int) -> DeltaError {
    .duplicateSection(side, at: index)
  }
  static func needlessMove(_ id: SectionID) -> DeltaError { .needlessSectionMove(id) }
  static func replaced(_ id: SectionID) -> DeltaError { .sectionReplaced(id) }
}

extension GroupHeader: DeltaHeader {
  static func missing(_ side: DeltaError.Side, at index: Int) -> DeltaError {
    .noGroup(side, at: index)
  }
  static func duplicate(_ side: DeltaError.Side, at index: Int) -> DeltaError {
    .duplicateGroup(side, at: index)
  }
  static func needlessMove(_ id: Value) -> DeltaError { .needlessGroupMove(id) }
  static func replaced(_ id: Value) -> DeltaError { .groupReplaced(id) }
}
