import ResultsDomain

extension ListEngine {
  /// How many rows are counted anew in the time that one changed row is placed.
  private static let rowsCountedForOnePlaced = 256

  /// Why the list is counted anew instead of being led on by a commit: its consumer wants no change of so many rows (R43), and
  /// counting costs less than placing them.
  /// - Parameter rows: The rows that the commit touched.
  /// - Returns: `nil` if the list is to be led on. Where it cannot be said beforehand how many rows the change will name, it is.
  func reasonToCountAnew(after rows: [AffectedRow]) -> ResultsResetReason? {
    guard let threshold = indexing?.resetThreshold, case .indexed(let keys) = snapshot.keys,
      snapshot.window.count == keys.count, plan.window(of: .max).count == .max,
      snapshot.aggregates == nil, rows.count > threshold,
      rows.count > keys.count / ListEngine.rowsCountedForOnePlaced
    else { return nil }
    // A row whose key alone changed may stay in its place, and is not told then.
    let told = rows.count { row in
      row.oldKey == nil || row.newKey == nil || row.changed?.isEmpty == false
    }
    return told > threshold ? .tooManyChanges(count: told) : nil
  }
}
