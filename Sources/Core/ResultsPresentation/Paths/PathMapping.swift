/// Where every row and section of one generation stands in another (R42).
///
/// Make it once for a delta and ask it as often as needed; rows the delta does not name are found by counting.
public struct PathMapping: Sendable {
  let sections: PlaceShift
  private let movedSections: [Int: Int]
  private let movedSectionsBack: [Int: Int]
  private let removedRows: [Int: [Int]]
  private let placedRows: [Int: [Int]]
  private let moved: [OldPath: NewPath]
  private let movedBack: [NewPath: OldPath]

  /// The mapping of a delta.
  /// - Complexity: O(*c* log *c*) in the changes.
  public init(_ delta: ResultsDelta) {
    let patch = ListPatch(delta)
    sections = PlaceShift(
      removed: (patch.deletedSections + patch.movedSections.map(\.from)).sorted(),
      placed: (patch.insertedSections + patch.movedSections.map(\.to)).sorted()
    )
    movedSections = Dictionary(
      patch.movedSections.map { ($0.from, $0.to) },
      uniquingKeysWith: { first, _ in first }
    )
    movedSectionsBack = Dictionary(
      patch.movedSections.map { ($0.to, $0.from) },
      uniquingKeysWith: { first, _ in first }
    )
    removedRows = PathMapping.rows(of: patch.removedRows.map(\.path))
    placedRows = PathMapping.rows(of: patch.placedRows.map(\.path))
    moved = Dictionary(
      delta.rows.moves.map { ($0.from, $0.to) },
      uniquingKeysWith: { first, _ in first }
    )
    movedBack = Dictionary(
      delta.rows.moves.map { ($0.to, $0.from) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private static func rows(of paths: [RowPath]) -> [Int: [Int]] {
    Dictionary(grouping: paths, by: \.section).mapValues { $0.map(\.row).sorted() }
  }

  /// Where a section stands now, or `nil` if it is gone.
  /// - Complexity: O(log *c*) in the changes.
  public func newSection(for section: Int) -> Int? {
    movedSections[section] ?? sections.newPlace(ofOld: section)
  }

  /// Where a section stood, or `nil` if it is new.
  /// - Complexity: O(log *c*) in the changes.
  public func oldSection(for section: Int) -> Int? {
    movedSectionsBack[section] ?? sections.oldPlace(ofNew: section)
  }

  /// Where a row stands now, or `nil` if it is gone.
  /// - Complexity: O(log *c*) in the changes.
  public func newPath(for path: OldPath) -> NewPath? {
    if let to = moved[path] { return to }
    guard let section = newSection(for: path.section),
      let row = shift(old: path.section, new: section).newPlace(ofOld: path.row)
    else { return nil }
    return NewPath(section: section, row: row)
  }

  /// Where a row stood, or `nil` if it is new.
  /// - Complexity: O(log *c*) in the changes.
  public func oldPath(for path: NewPath) -> OldPath? {
    if let from = movedBack[path] { return from }
    guard let section = oldSection(for: path.section),
      let row = shift(old: section, new: path.section).oldPlace(ofNew: path.row)
    else { return nil }
    return OldPath(section: section, row: row)
  }

  /// How the rows of a surviving section shift; its moved rows count as taken out and put in.
  func shift(old: Int, new: Int) -> PlaceShift {
    PlaceShift(removed: removedRows[old] ?? [], placed: placedRows[new] ?? [])
  }

  /// The number of rows put into a section.
  func placedCount(inNew section: Int) -> Int { placedRows[section]?.count ?? 0 }
}

extension ResultsDelta {
  /// Where a row of the generation before stands now, or `nil` if it is gone (R42).
  ///
  /// To map many rows, make a `PathMapping` once.
  /// - Complexity: O(*c* log *c*) in the changes.
  public func newPath(for path: OldPath) -> NewPath? { PathMapping(self).newPath(for: path) }

  /// Where a row of the generation after stood, or `nil` if it is new (R42).
  ///
  /// To map many rows, make a `PathMapping` once.
  /// - Complexity: O(*c* log *c*) in the changes.
  public func oldPath(for path: NewPath) -> OldPath? { PathMapping(self).oldPath(for: path) }
}
