/// The positions of a delta without its content: which are removed and which are inserted.
///
/// It is the one implementation of applying a delta, shared by contents and by lists of the wire form: remove the rows at all old paths,
/// remove deleted and moved sections, insert sections ascending, insert rows ascending.
package struct ListPatch {
  /// Old paths of deleted and moved rows, in any order.
  package var removedRows: [OldPath]
  /// New paths of moved and inserted rows, in any order.
  package var insertedRows: [NewPath]
  /// Old indexes of deleted sections.
  package var deletedSections: [Int]
  /// Old and new indexes of moved sections.
  package var movedSections: [(from: Int, to: Int)]
  /// New indexes of inserted sections.
  package var insertedSections: [Int]

  package init(
    removedRows: [OldPath] = [],
    insertedRows: [NewPath] = [],
    deletedSections: [Int] = [],
    movedSections: [(from: Int, to: Int)] = [],
    insertedSections: [Int] = []
  ) {
    self.removedRows = removedRows
    self.insertedRows = insertedRows
    self.deletedSections = deletedSections
    self.movedSections = movedSections
    self.insertedSections = insertedSections
  }

  /// A patched list: its rows, and for each section its old index.
  package struct Result<Row> {
    package var rows: [[Row]]
    package var sources: [Int?]
  }

  /// Applies the patch to sections of rows; `row(index)` is the row for `insertedRows[index]`.
  /// - Complexity: O(*n*) in all rows and O(*c* log *c*) in the changes.
  package func apply<Row>(
    to old: [[Row]],
    inserting row: (Int) -> Row
  ) throws(DeltaError) -> Result<Row> {
    var remaining = try removingRows(from: old)
    let sources = try arrangedSections(of: remaining)
    var rows: [[Row]] = []
    rows.reserveCapacity(sources.count)
    for source in sources {
      guard let source else {
        rows.append([])
        continue
      }
      rows.append(remaining[source])
      remaining[source] = []
    }
    try insertRows(into: &rows, row)
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
      var remaining: [Row] = []
      var next = 0
      while end < paths.count, paths[end].section == section {
        let row = paths[end].row
        guard old[section].indices.contains(row) else {
          throw .noRow(.before, at: paths[end].path)
        }
        guard row >= next else { throw .duplicatePath(.before, at: paths[end].path) }
        remaining.append(contentsOf: old[section][next..<row])
        next = row + 1
        end += 1
      }
      remaining.append(contentsOf: old[section][next...])
      rows[section] = remaining
      index = end
    }
    return rows
  }

  /// Returns the old index of each section of the patched list, or `nil` for an inserted one.
  private func arrangedSections<Row>(of rows: [[Row]]) throws(DeltaError) -> [Int?] {
    var isRemoved = [Bool](repeating: false, count: rows.count)
    for from in deletedSections + movedSections.map(\.from) {
      guard rows.indices.contains(from) else { throw .noSection(.before, at: from) }
      guard !isRemoved[from] else { throw .duplicateSection(.before, at: from) }
      isRemoved[from] = true
    }
    for from in deletedSections where !rows[from].isEmpty {
      throw .leftoverRows(section: from, count: rows[from].count)
    }
    let count = rows.count - deletedSections.count + insertedSections.count
    var inserted: [Int: Int?] = [:]
    for (to, source) in insertedSections.map({ ($0, Int?.none) })
      + movedSections.map({ ($0.to, Int?.some($0.from)) })
    {
      guard to >= 0, to < count else { throw .noSection(.after, at: to) }
      guard inserted.updateValue(source, forKey: to) == nil else {
        throw .duplicateSection(.after, at: to)
      }
    }
    var stationary = rows.indices.lazy.filter { !isRemoved[$0] }.makeIterator()
    return (0..<count).map { to in
      if let source = inserted[to] { source } else { stationary.next() }
    }
  }

  private func insertRows<Row>(
    into rows: inout [[Row]],
    _ inserted: (Int) -> Row
  ) throws(DeltaError) {
    let order = insertedRows.indices.sorted { insertedRows[$0] < insertedRows[$1] }
    for (first, second) in zip(order, order.dropFirst())
    where insertedRows[first] == insertedRows[second] {
      throw .duplicatePath(.after, at: insertedRows[first].path)
    }
    var index = 0
    while index < order.count {
      let section = insertedRows[order[index]].section
      guard rows.indices.contains(section) else { throw .noSection(.after, at: section) }
      var end = index
      while end < order.count, insertedRows[order[end]].section == section { end += 1 }
      let remaining = rows[section]
      let count = remaining.count + end - index
      for path in [insertedRows[order[index]], insertedRows[order[end - 1]]]
      where path.row < 0 || path.row >= count {
        throw .noRow(.after, at: path.path)
      }
      var filled: [Row] = []
      filled.reserveCapacity(count)
      var taken = 0
      for position in order[index..<end] {
        let path = insertedRows[position]
        let gap = path.row - filled.count
        // Distinct ascending positions below the final count always leave enough rows for the gaps.
        filled.append(contentsOf: remaining[taken..<taken + gap])
        taken += gap
        filled.append(inserted(position))
      }
      filled.append(contentsOf: remaining[taken...])
      rows[section] = filled
      index = end
    }
  }
}

extension ListPatch {
  /// Creates the patch of a delta; moved rows precede inserted ones.
  init(_ delta: ResultsDelta) {
    self.init(
      removedRows: delta.rows.deletes.map(\.from) + delta.rows.moves.map(\.from),
      insertedRows: delta.rows.moves.map(\.to) + delta.rows.inserts.map(\.to),
      deletedSections: delta.sections.deletes.map(\.from),
      movedSections: delta.sections.moves.map { ($0.from, $0.to) },
      insertedSections: delta.sections.inserts.map(\.to)
    )
  }
}
