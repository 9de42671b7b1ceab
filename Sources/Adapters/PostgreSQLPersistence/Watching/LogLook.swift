#if PostgreSQL
import ResultsDomain

/// What a look at the log found; the next look is compared with it.
struct LogLook: Sendable {
  let mark: Mark
  let instance: ServerInstance
  let marks: [Int64]
  /// The oldest transaction that was running.
  let oldest: UInt64
  /// Whether something was committed, or the server or a table replaced, since the look before.
  let hasNews: Bool
}

extension ChangeLog {
  /// Looks whether anything was committed since another look, or since the newest version that the store has read.
  ///
  /// It runs outside of a transaction.
  func look(
    since old: LogLook?,
    on connection: Connection
  ) throws(PostgreSQLFailure) -> LogLook {
    let (isStandby, layout) = lookState
    let mark = old?.mark ?? Mark(bound: .max, unseen: [], seen: [])
    // One statement has one snapshot; several would have several.
    var statements = [
      Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      ReadingFacts.statement(isStandby: isStandby, layout, in: schema),
      FreshReader.exists(since: mark, in: schema),
    ]
    if isStandby { statements.append(FreshReader.visible(in: schema)) }
    statements.append(Statement("COMMIT"))
    let results: [QueryResult]
    do {
      results = try connection.run(statements)
    } catch {
      if error.isConnectionLost { throw error }
      try connection.run("ROLLBACK")
      // A standby cannot read the unlogged table: the server was replaced.
      guard error.state == "0A000", try renewLife(on: connection) else { throw error }
      return try look(since: old, on: connection)
    }
    guard let facts = ReadingFacts(results[1]) else {
      throw PostgreSQLFailure(state: "XX000", message: "the change log has no description")
    }
    var next = Mark.running(facts.snapshot)
    if isStandby {
      let visible = (0..<results[3].count).compactMap { results[3].unsigned($0, 0) }
      next = .seen(facts.snapshot, visible: visible)
    }
    return LogLook(
      mark: next,
      instance: facts.instance,
      marks: facts.marks,
      oldest: facts.snapshot.xmin,
      hasNews: results[2].boolean(0, 0) ?? true || old?.instance != facts.instance
        || old?.marks != facts.marks
        // What a process missed that was stopped for long may have been removed from the log.
        || mark.floor < facts.trimmed
    )
  }
}
#endif
