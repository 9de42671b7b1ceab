import ResultsDomain

/// What a live list is led on by, and what that came to, whatever its objects are.
struct LedList: Sendable {
  var engine: ListEngine?
  /// Whether there is an engine; a thousand lists are asked that at every commit, and an engine is costly to copy.
  var isFetched = false
  var isPaused = false
  /// Whether what was committed during a pause is still to be told, as one change.
  var isResuming = false
  /// Whether the last attempt failed, so that the next good one must say that the list is ready.
  var hasFailed = false
  /// The rows that deltas name, as they were declared last.
  var observed: Range<Int>?
  /// What is to be shown.
  var outcomes: [ListOutcome] = []
  var answering: Int?
  /// Which blocks are to be counted again, and what the last count found.
  var shares: [Double] = []
  var audit = ListAudit()
  /// How many blocks were ever chosen.
  var sharesTaken = 0
  var auditing: Task<Void, Never>?
  /// How the list came to what it shows.
  var account: ListExplanation.Account?

  /// Whether leading the list to a version takes no longer than a commit's caller may wait.
  func canFollowPromptly(in history: SnapshotHistory) -> Bool {
    engine?.canFollowPromptly(in: history) ?? true
  }

  /// Shows what the engine holds, whether or not a step led to it.
  mutating func settle() {
    if let snapshot = engine?.snapshot { outcomes.append(.settled(snapshot)) }
  }

  /// Shows what the engine holds, to which no delta leads.
  private mutating func reset(because reason: ResultsResetReason) {
    if let snapshot = engine?.snapshot { outcomes.append(.reset(reason, snapshot)) }
  }

  /// Leads the list to a version.
  /// - Throws: The store's error; the list is then as it was.
  mutating func lead(
    in history: SnapshotHistory,
    folding isFolding: Bool,
    _ clock: any Clock<Duration>
  ) throws(StoreError) {
    let (asked, stopwatch) = (history.snapshot.work, Stopwatch(clock))
    let progress = try engine?.advance(
      in: history,
      folding: isFolding || isPaused || isResuming
    )
    isResuming = false
    if let path = progress?.path {
      account = ListExplanation.Account(
        path: path,
        work: history.snapshot.work.since(asked),
        duration: stopwatch.elapsed()
      )
    }
    switch progress {
    case .unmoved, .noted, nil: break
    case .moved(let steps):
      for step in steps { outcomes.append(.advanced(step)) }
      if engine?.isTold(by: steps.last) != true { settle() }
    case .reset(let reason): reset(because: reason)
    }
    if !shares.isEmpty { try auditBlocks(in: history) }
  }

  /// Counts the blocks again that were chosen, and the whole list if one of them is not sound.
  private mutating func auditBlocks(in history: SnapshotHistory) throws(StoreError) {
    let shares = shares
    self.shares = []
    audit = try engine?.audit(shares, in: history.snapshot) ?? ListAudit()
    guard audit.unsoundBlocks > 0 else { return }
    _ = try engine?.fetchAnew(.indexLost, in: history.snapshot)
    reset(because: .indexLost)
  }
}

extension ListEngine {
  /// Whether what the list is now is what a step led to; later commits may have changed its version or counts alone.
  fileprivate func isTold(by step: Step?) -> Bool {
    guard let last = step?.snapshot else { return false }
    return last.version == snapshot.version && last.additionalCounts == snapshot.additionalCounts
  }
}
