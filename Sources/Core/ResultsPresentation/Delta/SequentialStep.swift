public import ResultsDomain
import ResultsStoreKit

/// One edit of a list in a sequence; its indexes and paths count in the list just before it (R35).
public enum SequentialStep: Hashable, Sendable {
  /// Removes a row; a row that moves is removed and inserted again.
  case removeRow(at: RowPath)
  /// Removes a section, which is empty by then.
  case removeSection(at: Int)
  /// Removes a section with its rows and inserts it at an index counted without it.
  case moveSection(from: Int, to: Int)
  /// Inserts an empty section.
  case insertSection(at: Int, SectionHeader)
  /// Replaces the title or the aggregates of a section.
  case retitleSection(at: Int, SectionHeader)
  /// Inserts a row; `row` holds its values where they were read.
  case insertRow(at: RowPath, ObjectID, row: Row?)
  /// Replaces a row's values, where they were read.
  case replaceRow(at: RowPath, ObjectID, row: Row?)
}

extension ResultsContent {
  /// Applies one edit.
  /// - Throws: `DeltaError` if an index or path does not exist, or a removed section is not empty.
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

// MARK: - Lowering

extension ResultsDelta {
  /// The same change as a sequence of edits, each counted in the list just before it (R35).
  ///
  /// Rows are removed from the end, then sections; sections are moved and inserted from the beginning; headers are replaced; rows are
  /// inserted; values are replaced. The list is consistent after each edit; only rows that move are missing for a while.
  /// - Complexity: O(*c* log *c*) in the changed rows, O(*s*²) in the changed sections.
  public var sequentialSteps: [SequentialStep] {
    var steps: [SequentialStep] = (rows.deletes.map(\.from.path) + rows.moves.map(\.from.path))
      .sorted(by: >)
      .map { .removeRow(at: $0) }
    steps += sections.deletes.map(\.from).sorted(by: >).map { .removeSection(at: $0) }
    steps += sectionPlacements
    for move in sections.updates + sections.moves where move.old != move.new {
      steps.append(.retitleSection(at: move.to, move.new))
    }
    let entering =
      rows.moves.map { ($0.to.path, $0.id, $0.new) }
      + rows.inserts.map { ($0.to.path, $0.id, $0.new) }
    steps += entering.sorted { $0.0 < $1.0 }.map { .insertRow(at: $0.0, $0.1, row: $0.2) }
    steps += rows.updates.map { .replaceRow(at: $0.to.path, $0.id, row: $0.new) }
    return steps
  }

  /// Moves and inserts of sections, by ascending final index, after the deleted ones have been removed.
  ///
  /// Sections waiting to be moved are still among the others. Each step puts its section right after all that precede it in the end, and
  /// before every waiting one of the same gap, so the index of each is found by counting.
  private var sectionPlacements: [SequentialStep] {
    let moves = sections.moves.sorted { $0.to < $1.to }
    let deleted = sections.deletes.map(\.from).sorted()
    let removed = (deleted + moves.map(\.from)).sorted()
    /// For each move, the number of stationary sections before its old index.
    let gaps = moves.map { $0.from &- IndexShift.count(below: $0.from, in: removed) }
    let targets =
      (moves.enumerated().map { (to: $1.to, move: Int?.some($0)) }
      + sections.inserts.enumerated().map { (to: $1.to, move: Int?.none) })
      .sorted { $0.to < $1.to }
    let headers = Dictionary(
      sections.inserts.map { ($0.to, $0.new) },
      uniquingKeysWith: { first, _ in first }
    )
    var waiting = Set(moves.indices)
    var steps: [SequentialStep] = []
    for (placed, target) in targets.enumerated() {
      let gap = target.to &- placed
      guard let move = target.move else {
        let before = waiting.count { gaps[$0] < gap }
        guard let header = headers[target.to] else { continue }
        steps.append(.insertSection(at: target.to &+ before, header))
        continue
      }
      let placedBefore = targets[..<placed].enumerated().count { $1.to &- $0 <= gaps[move] }
      let waitingBefore = waiting.count {
        (gaps[$0], moves[$0].from) < (gaps[move], moves[move].from)
      }
      waiting.remove(move)
      let from = gaps[move] &+ placedBefore &+ waitingBefore
      let to = target.to &+ waiting.count { gaps[$0] < gap }
      if from != to { steps.append(.moveSection(from: from, to: to)) }
    }
    return steps
  }
}
