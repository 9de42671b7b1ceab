public import ResultsDomain
import ResultsStoreKit

extension StoreManager {
  /// The most events that are removed in one commit, so that no other writer waits for long.
  static let prunedTogether = 10_000

  /// Removes events that are older than a time and not among the newest.
  /// - Parameters:
  ///   - limit: The time before which an event is old; `nil` if its age does not matter.
  ///   - newest: The number of newest events that stay whatever their age.
  ///   - origin: The name of the commits; each has at most 10,000 events.
  ///   - isStopped: Asked between two commits; what has been removed stays so.
  /// - Returns: The number of events that were removed.
  /// - Throws: `StoreError`.
  /// - Complexity: O(*n*) in the events that are removed or stay for their number.
  @discardableResult
  public func prune(
    before limit: Instant?,
    keeping newest: Int = 0,
    origin: CommitOrigin = CommitOrigin("prune"),
    until isStopped: () -> Bool = { false }
  ) throws(StoreError) -> Int {
    var removed = 0
    while !isStopped() {
      let ids = try old(before: limit, keeping: newest, atMost: Self.prunedTogether)
      guard !ids.isEmpty else { break }
      removed += try store.commit(origin: origin) { transaction -> Int in
        try ids.count { try transaction.delete($0, of: Event.entity) }
      }.result
    }
    return removed
  }

  /// The number of events that `prune` would remove.
  /// - Throws: `StoreError`.
  public func prunableCount(before limit: Instant?, keeping newest: Int = 0) throws(StoreError)
    -> Int
  {
    try old(before: limit, keeping: newest, atMost: nil).count
  }

  /// The old events, the newest first.
  private func old(
    before limit: Instant?,
    keeping newest: Int,
    atMost most: Int?
  ) throws(StoreError) -> [ObjectID] {
    var request = FetchRequest<ObjectID>(
      entity: Event.entity,
      sortedBy: [.descending("timeStamp")],
      fetchLimit: most,
      fetchOffset: newest
    )
    guard let limit else { return try store.fetch(request) }
    let time = FetchExpression.literal(.integer(limit.microseconds))
    if newest > 0 {
      // The newest are those that are not old, and then old ones.
      var recent = request
      (recent.fetchLimit, recent.fetchOffset) = (newest, 0)
      recent.predicate = .comparison(.attribute("timeStamp"), .greaterOrEqual, time)
      request.fetchOffset = newest - (try store.fetch(recent).count)
    }
    request.predicate = .comparison(.attribute("timeStamp"), .less, time)
    return try store.fetch(request)
  }
}
