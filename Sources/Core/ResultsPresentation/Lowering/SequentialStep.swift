public import ResultsDomain

/// One edit of a list that holds on its own: its places count in the list as it stands just before it (R35).
public enum SequentialStep: Hashable, Sendable {
  /// Takes a row out; a row that moves is taken out and inserted again.
  case removeRow(at: RowPath)
  /// Takes out a section, which has no rows any more.
  case removeSection(at: Int)
  /// Takes out a section with its rows and puts it in at a place counted without it.
  case moveSection(from: Int, to: Int)
  /// Puts in a section without rows.
  case insertSection(at: Int, SectionHeader)
  /// Gives a section another title, or other aggregates.
  case retitleSection(at: Int, SectionHeader)
  /// Puts in a row; `row` holds its values where they were read.
  case insertRow(at: RowPath, ObjectID, row: Row?)
  /// Replaces a row's values, where they were read.
  case replaceRow(at: RowPath, ObjectID, row: Row?)
}

extension ResultsContent {
  /// Makes one edit.
  /// - Throws: `DeltaError` if there is no such place, or a removed section has rows left.
  /// - Complexity: O(*n*) in the sections, or in the rows of the section.
  public mutating func apply(_ step: SequentialStep) throws(DeltaError) {
    switch step {
    case .removeRow(let path):
      guard id(at: path) != nil else { throw .noRow(.before, at: path) }
      sections[path.section].rows.remove(at: path.row)
    case .removeSection(let index):
      try checkSection(index)
      guard sections[index].rows.isEmpty else {
        throw .leftoverRows(section: index, count: sections[index].rows.count)
      }
      sections.remove(at: index)
    case .moveSection(let from, let to):
      try checkSection(from)
      try checkSection(to)
      sections.insert(sections.remove(at: from), at: to)
    case .insertSection(let index, let header):
      guard (0...sections.count).contains(index) else { throw .noSection(.after, at: index) }
      sections.insert(Section(header: header, rows: []), at: index)
    case .retitleSection(let index, let header):
      try checkSection(index)
      sections[index].header = header
    case .insertRow(let path, let id, _):
      try checkSection(path.section)
      guard (0...sections[path.section].rows.count).contains(path.row) else {
        throw .noRow(.after, at: path)
      }
      sections[path.section].rows.insert(id, at: path.row)
    case .replaceRow(let path, let expected, _):
      guard let found = id(at: path) else { throw .noRow(.after, at: path) }
      guard found == expected else {
        throw .wrongRow(.after, at: path, expected: expected, found: found)
      }
    }
  }

  private func checkSection(_ index: Int) throws(DeltaError) {
    guard sections.indices.contains(index) else { throw .noSection(.before, at: index) }
  }
}
