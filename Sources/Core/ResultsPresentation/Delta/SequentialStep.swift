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

// MARK: - Lowering

extension ResultsDelta {
  /// The same change as edits that hold one after the other, each counted in the list just before it (R35).
  ///
  /// Rows are taken out from the end, then sections; sections are moved and put in from the beginning, then rows; titles
  /// and values are replaced. The list holds together after each edit, only rows that move are missing for a while.
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

  /// Moves and inserts of sections, by ascending final place, after the deleted ones are gone.
  ///
  /// Sections that wait to be moved still stand among the others. Each step puts its section right after all that stand
  /// before it in the end, and before every waiting one of the same gap; so the place of each is found by counting.
  private var sectionPlacements: [SequentialStep] {
    let moves = sections.moves.sorted { $0.to < $1.to }
    let deleted = sections.deletes.map(\.from).sorted()
    let leaving = (deleted + moves.map(\.from)).sorted()
    /// For each move, how many sections that stay stand before its old place.
    let gaps = moves.map { $0.from &- PlaceShift.rank(of: $0.from, in: leaving) }
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
