/// The bare shape of a delta: which places are emptied and which are filled, whatever stands there.
///
/// It is the one implementation of the wire rule, shared by lists of identities and by lists of lines: take out the
/// rows of all old paths, take out deleted and moved sections, place sections ascending, place rows ascending.
package struct ListPatch {
  /// Old paths of deleted and moved rows, in any order.
  package var removedRows: [OldPath]
  /// New paths of moved and inserted rows, in any order.
  package var placedRows: [NewPath]
  /// Old places of deleted sections.
  package var deletedSections: [Int]
  /// Old and new places of moved sections.
  package var movedSections: [(from: Int, to: Int)]
  /// New places of inserted sections.
  package var insertedSections: [Int]

  package init(
    removedRows: [OldPath] = [],
    placedRows: [NewPath] = [],
    deletedSections: [Int] = [],
    movedSections: [(from: Int, to: Int)] = [],
    insertedSections: [Int] = []
  ) {
    self.removedRows = removedRows
    self.placedRows = placedRows
    self.deletedSections = deletedSections
    self.movedSections = movedSections
    self.insertedSections = insertedSections
  }

  /// A patched list: its rows, and for each section the one it was before.
  package struct Result<Row> {
    package var rows: [[Row]]
    package var sources: [Int?]
  }

  /// Applies the shape to sections of rows; `place(index)` is the row for `placedRows[index]`.
  /// - Complexity: O(*n*) in all rows and O(*c* log *c*) in the changes.
  package func apply<Row>(
    to old: [[Row]],
    placing place: (Int) -> Row
  ) throws(DeltaError) -> Result<Row> {
    var kept = try removingRows(from: old)
    let sources = try arrangedSections(of: kept)
    var rows: [[Row]] = []
    rows.reserveCapacity(sources.count)
    for source in sources {
      guard let source else {
        rows.append([])
        continue
      }
      rows.append(kept[source])
      kept[source] = []
    }
    try placeRows(into: &rows, place)
    return Result(rows: rows, sources: sources)
  }

  private func removingRows<Row>(from old: [[Row]]) throws(DeltaError) -> [[Row]] {
    var rows = old
    let paths = removedRows.sorted()
    var index = 0
    while index < paths.count {
      let section = paths[index].section
      guard old.indices.contains(section) else { throw .noSection(.before, at: section) }
      var end = index
      var kept: [Row] = []
      var next = 0
      while end < paths.count, paths[end].section == section {
        let row = paths[end].row
        guard old[section].indices.contains(row) else {
          throw .noRow(.before, at: paths[end].path)
        }
        guard row >= next else { throw .placeTwice(.before, at: paths[end].path) }
        kept.append(contentsOf: old[section][next..<row])
        next = row + 1
        end += 1
      }
      kept.append(contentsOf: old[section][next...])
      rows[section] = kept
      index = end
    }
    return rows
  }

  /// Where each section of the patched list comes from.
  private func arrangedSections<Row>(of rows: [[Row]]) throws(DeltaError) -> [Int?] {
    var leaves = [Bool](repeating: false, count: rows.count)
    for from in deletedSections + movedSections.map(\.from) {
      guard rows.indices.contains(from) else { throw .noSection(.before, at: from) }
      guard !leaves[from] else { throw .sectionTwice(.before, at: from) }
      leaves[from] = true
    }
    for from in deletedSections where !rows[from].isEmpty {
      throw .leftoverRows(section: from, count: rows[from].count)
    }
    let count = rows.count - deletedSections.count + insertedSections.count
    var placed: [Int: Int?] = [:]
    for (to, source) in insertedSections.map({ ($0, Int?.none) })
      + movedSections.map({ ($0.to, Int?.some($0.from)) })
    {
      guard to >= 0, to < count else { throw .noSection(.after, at: to) }
      guard placed.updateValue(source, forKey: to) == nil else {
        throw .sectionTwice(.after, at: to)
      }
    }
    var stationary = rows.indices.lazy.filter { !leaves[$0] }.makeIterator()
    return (0..<count).map { to in
      if let source = placed[to] { source } else { stationary.next() }
    }
  }

  private func placeRows<Row>(
    into rows: inout [[Row]],
    _ place: (Int) -> Row
  ) throws(DeltaError) {
    let order = placedRows.indices.sorted { placedRows[$0] < placedRows[$1] }
    for (first, second) in zip(order, order.dropFirst())
    where placedRows[first] == placedRows[second] {
      throw .placeTwice(.after, at: placedRows[first].path)
    }
    var index = 0
    while index < order.count {
      let section = placedRows[order[index]].section
      guard rows.indices.contains(section) else { throw .noSection(.after, at: section) }
      var end = index
      while end < order.count, placedRows[order[end]].section == section { end += 1 }
      let kept = rows[section]
      let count = kept.count + end - index
      for path in [placedRows[order[index]], placedRows[order[end - 1]]]
      where path.row < 0 || path.row >= count {
        throw .noRow(.after, at: path.path)
      }
      var filled: [Row] = []
      filled.reserveCapacity(count)
      var taken = 0
      for position in order[index..<end] {
        let path = placedRows[position]
        let gap = path.row - filled.count
        // Distinct ascending places below the final count always leave enough rows for the gaps.
        filled.append(contentsOf: kept[taken..<taken + gap])
        taken += gap
        filled.append(place(position))
      }
      filled.append(contentsOf: kept[taken...])
      rows[section] = filled
      index = end
    }
  }
}

extension ListPatch {
  /// The shape of a delta; moves are placed before inserts.
  init(_ delta: ResultsDelta) {
    self.init(
      removedRows: delta.rows.deletes.map(\.from) + delta.rows.moves.map(\.from),
      placedRows: delta.rows.moves.map(\.to) + delta.rows.inserts.map(\.to),
      deletedSections: delta.sections.deletes.map(\.from),
      movedSections: delta.sections.moves.map { ($0.from, $0.to) },
      insertedSections: delta.sections.inserts.map(\.to)
    )
  }
}
