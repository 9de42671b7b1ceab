import ResultsPresentation

extension MessageBench {
  /// Goals 5 to 7: one row that moves, and one that stays, from the commit to the exact delta.
  func oneChange() async throws -> [Measurement] {
    let moves = try await changes(moving: true)
    let edits = try await changes(moving: false)
    let unobserved = try await changes(moving: false, observing: 0..<100)
    let own = moves.following
    let name = "one change, commit to exact paths"
    return [
      figure(5, name, own)
        .beside(moves.plainRanks.median, "row and two ranks in C", atLargest(3)),
      figure(5, "\(name), at most", own, atLargest(60)),
      figure(5, "\(name), with the commit", moves.commit.median)
        .beside(moves.plainCommit.median, "commit, row and two ranks in C"),
      figure(5, "\(name), with its writing", moves.whole.median)
        .beside(moves.plainWhole.median, "update, commit, row and ranks in C"),
      figure(5, "the same, from the commit's return to a subscriber's task", moves.delivery.median),
      figure(5, "changes shown when their commit returned", moves.promptShare, nil, "%"),
      figure(6, name, own)
        .beside(moves.refetches.median, "all identities read again in C", refetchLimit),
      figure(
        7,
        "queries for a change that keeps its keys, far from 100 observed rows",
        Double(unobserved.work.queries),
        0,
        "queries"
      ),
      figure(
        7,
        "the same, all rows observed, so that its path is told",
        Double(edits.work.queries),
        nil,
        "queries"
      ),
      figure(7, "a change that keeps its keys, 100 rows observed", unobserved.following)
        .beside(own, "one that moves a row"),
      figure(7, "a change that keeps its keys, commit to delta", edits.following)
        .beside(own, "one that moves a row"),
    ]
  }

  /// The part of reading everything again that a change may take.
  private var refetchLimit: Double? {
    switch rows {
    case 100_000: 0.01
    case 1_000_000: 0.001
    case 10_000_000: 0.0001
    default: nil
    }
  }

  /// A figure of this size.
  func figure(
    _ goal: Int,
    _ name: String,
    _ value: Double,
    _ limit: Double? = nil,
    _ unit: String = "µs"
  ) -> Measurement {
    Measurement(goal: goal, name: name, rows: rows, value: value, unit: unit, limit: limit)
  }
}

extension Measurement {
  /// The same figure beside a reference; a limit is then one of the ratio.
  func beside(_ reference: Double, _ against: String, _ limit: Double? = nil) -> Measurement {
    var copy = self
    (copy.reference, copy.against, copy.limit) = (reference, against, limit)
    return copy
  }
}
