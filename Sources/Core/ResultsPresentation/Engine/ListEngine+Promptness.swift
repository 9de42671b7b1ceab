import ResultsDomain

extension ListEngine {
  /// Whether the list can be led to a version by a few searches, without a pass over rows or keys.
  ///
  /// A list that is short enough may be passed over.
  func canFollowPromptly(in history: SnapshotHistory) -> Bool {
    guard history.snapshot.version != snapshot.version else { return true }
    guard case .commits(let records)? = try? history.since(snapshot.version, of: plan.entity),
      plan.additionalCounts.isEmpty
    else { return false }
    let changeCount = records.reduce(0) { $0 + $1.changes.count }
    guard changeCount <= ListEngine.promptRowLimit else { return false }
    guard snapshot.keys.count > ListEngine.shortLength else { return true }
    return plan.aggregates.isEmpty && storeKeys == nil && !plan.readsSectionsAnew
      && digests == nil
  }

  /// How many changed rows are followed at once.
  private static let promptRowLimit = 64
  /// Up to how many rows a list is short.
  private static let shortLength = 4096
}
