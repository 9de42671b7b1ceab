import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// How many rows are counted anew in the time that one changed row is placed.
  private static let rowsCountedForOnePlaced = 256

  /// Why the list is counted anew instead of being led on by a commit: its consumer wants no change of so many rows (R43), and
  /// counting costs less than placing them.
  /// - Parameter rows: The rows that the commit touched.
  /// - Returns: `nil` if the list is to be led on. Where it cannot be said beforehand how many rows the change will name, it is, as where
  ///   only some rows are observed.
  func reasonToCountAnew(after rows: [AffectedRow]) -> ResultsResetReason? {
    guard let threshold = indexing?.resetThreshold, case .indexed(let keys) = snapshot.keys,
      snapshot.window.count == keys.count, plan.window(of: .max).count == .max,
      snapshot.aggregates == nil, observed == nil, rows.count > threshold,
      rows.count > keys.count / ListEngine.rowsCountedForOnePlaced
    else { return nil }
    // A row whose key alone changed may stay in its place within its section, and is not told then.
    let told = rows.count { row in
      guard let old = row.oldKey, let new = row.newKey, row.changed?.isEmpty != false
      else { return true }
      return plan.rule.surelyDiffers(old, new, plan.layout)
    }
    return told > threshold ? .tooManyChanges(count: told) : nil
  }
}

extension SectionRule {
  /// Whether two keys are in different sections, as far as that can be said without much work.
  fileprivate func surelyDiffers(_ old: [UInt8], _ new: [UInt8], _ layout: KeyLayout) -> Bool {
    guard old != new else { return false }
    switch self {
    case .single, .numbered: return false
    case .columns(let count, _):
      let length = old.withUnsafeBytes { layout.prefixLength(columns: count, in: $0) }
      return !new.starts(with: old[..<length])
    case .grouping:
      guard let extent = old.withUnsafeBytes({ extent(of: $0, layout) }) else { return false }
      return KeyOrder.compare(new, extent.lower) < 0
        || !new.withUnsafeBytes { extent.contains($0) }
    }
  }
}
