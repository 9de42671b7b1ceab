#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// What a look at the log found; the next look is compared with it.
struct LogLook: Sendable {
  let mark: Mark
  let instance: ServerInstance
  let marks: [Int64]
  /// How often tables that are not captured had been supposed to have changed, other than because of a look.
  ///
  /// A reading can be the first to suppose it, and passes nothing on.
  let comparisons: Int
  /// The oldest transaction that was running.
  let oldest: UInt64
  /// What has happened since the look before.
  let news: News

  /// What a look may find.
  enum News: Hashable, Sendable {
    case none
    /// The transaction with this number was committed, and nothing else has happened.
    case oneCommit(UInt64)
    /// Several were, or the server or a table was replaced.
    case much
  }
}

extension ChangeLog {
  /// Looks whether anything was committed since another look, or since the newest version that the store has read.
  ///
  /// It runs outside of a transaction.
  func look(
    since old: LogLook?,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> LogLook {
    let (isStandby, texts, comparisons) = lookState
    let mark = old?.mark ?? Mark(bound: .max, unseen: [], seen: [])
    // One statement has one snapshot; several would have several.
    var statements = [
      .begin(.reading),
      texts.readingFacts, texts.newness(since: mark),
    ]
    if isStandby { statements.append(texts.visibleTransactions) }
    statements.append(.commit)
    let results: [QueryResult]
    do {
      results = try connection.run(statements)
    } catch {
      if error.isConnectionLost { throw error }
      try connection.run([.rollback])
      // A standby cannot read the unlogged table: the server was replaced.
      guard error.state == "0A000", try renewLife(on: connection) else { throw error }
      return try look(since: old, on: connection)
    }
    guard let facts = ReadingFacts(results[1]) else {
      throw PostgreSQLFailure(state: "XX000", message: "the change log has no description")
    }
    try noteProblems(facts, on: connection)
    var next = Mark.running(facts.snapshot)
    if isStandby {
      let visible = (0..<results[3].count).compactMap { results[3].unsigned($0, 0) }
      next = .seen(facts.snapshot, visible: visible)
    }
    let compares = mustCompare(facts)
    if compares { announceComparison(facts) }
    let isReplaced =
      old?.instance != facts.instance || old?.marks != facts.marks
      || old?.comparisons != comparisons
      // What a process missed that was stopped for long may have been removed from the log.
      || mark.floor < facts.trimmed || compares
    let news: LogLook.News
    if !isReplaced, results[2].boolean(0, 0) == false {
      news = .none
    } else if !isReplaced, let number = results[2].unsigned(0, 1) {
      news = .oneCommit(number)
    } else {
      news = .much
    }
    return LogLook(
      mark: next,
      instance: facts.instance,
      marks: facts.marks,
      comparisons: comparisons,
      oldest: facts.snapshot.xmin,
      news: news
    )
  }
}
#endif
