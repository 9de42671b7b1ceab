/// The rows that a controller observes, as positions counted over all sections, and what they keep to while the list changes (R81).
struct ObservedRows: Hashable, Sendable {
  enum Anchor: Hashable, Sendable {
    /// The rows before them: what comes or goes above shifts them.
    case start
    /// The row at a position, or the next one that stays if it leaves. That number of rows before it is observed, or all if there are fewer.
    case row(at: Int, before: Int)
    /// The end of the list: they are its last rows.
    case end
  }

  var range: Range<Int>
  var anchor = Anchor.start

  /// The same observed rows in a list of some length to which no change is known.
  func inList(of count: Int) -> ObservedRows {
    guard anchor == .end else { return self }
    let start = max(0, count - range.count)
    return ObservedRows(range: start..<start + range.count, anchor: .end)
  }

  /// The observed rows after a change.
  /// - Parameters:
  ///   - removed: The positions before of rows that were deleted or moved.
  ///   - inserted: The positions after of rows that were inserted or moved.
  ///   - count: The number of rows after.
  /// - Returns: The observed rows, of which there are as many as before.
  /// - Complexity: O(*k* log *k*) for *k* changes.
  func shifted(
    removing removed: [Int],
    inserting inserted: [Int],
    inListOf count: Int
  ) -> ObservedRows {
    var next = inList(of: count)
    switch anchor {
    case .end: return next
    case .start:
      let start = ObservedRows.start(after: range.lowerBound, removed, inserted)
      next.range = start..<start + range.count
    case .row(let row, let before):
      let shift = IndexShift(removed: removed.sorted(), inserted: inserted.sorted())
      // Of a row that left its position, that is the next one that stays.
      let position = shift.newIndex(ofRank: shift.rank(ofOld: row))
      let start = max(0, position - before)
      next = ObservedRows(
        range: start..<start + range.count,
        anchor: .row(at: position, before: before)
      )
    }
    return next
  }

  /// Returns the new position of observed rows that began at a position before the change.
  ///
  /// The same rows precede it as before, apart from inserted and deleted ones; a row inserted exactly there follows it.
  private static func start(after position: Int, _ removed: [Int], _ inserted: [Int]) -> Int {
    var start = position - removed.count { $0 < position }
    for position in inserted.sorted() {
      guard position < start else { break }
      start += 1
    }
    return start
  }
}
