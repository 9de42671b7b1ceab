import ResultsDomain
import ResultsPresentation

/// What one change of the big table takes, ours and in plain C, in blocks by turns.
struct ChangeTimes {
  /// From the commit's return to the delta that a subscriber holds.
  var delta = Samples()
  /// From the end of the transaction's closure to the delta, so that the commit itself is part of it.
  var commit = Samples()
  /// From the call to the delta.
  var whole = Samples()
  /// In plain C, from the commit's return: the row read and two ranks.
  var plainRanks = Samples()
  /// In plain C, with the commit.
  var plainCommit = Samples()
  /// In plain C, with the writing.
  var plainWhole = Samples()
  /// In plain C, all identities read again.
  var refetches = Samples()
  /// What the list asked of the store for a change, at most.
  var work = ListWork()
}

extension MessageBench {
  /// Changes rows one by one, and waits for the delta of each: either to another folder and date, or in their body only.
  func changes(moving: Bool) async throws -> ChangeTimes {
    var times = ChangeTimes()
    let controller = list(of: Message.self)
    try await controller.fetchExactly()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    for _ in 0..<4 {
      for round in 0..<12 * runs {
        let id = anyID()
        let start = ContinuousClock.now
        let written = try change(id, moving: moving)
        let committed = ContinuousClock.now
        guard case .change(let change) = await events.next(), change.delta.rows.count == 1,
          change.delta.rows.moves.count == 1 || !moving
        else { throw BenchmarkError.wrongResult("one change") }
        let end = ContinuousClock.now
        // The first ones find caches that the reference has left cold.
        guard round > 4 else { continue }
        times.delta.add((end - committed).microseconds)
        times.commit.add((end - written).microseconds)
        times.whole.add((end - start).microseconds)
        if round.isMultiple(of: 8) { times.note(try await controller.explain()?.last) }
      }
      if moving {
        for _ in 0..<12 * runs { try changePlainly(&times) }
        try store.lookForOtherWriters()
        times.refetches.add(try refetch())
      }
    }
    controller.cancel()
    return times
  }

  /// Changes one row through the store.
  /// - Returns: When the transaction's closure was left, and its commit began.
  @discardableResult
  func change(_ id: Int64, moving: Bool) throws -> ContinuousClock.Instant {
    let place = anyPlace()
    return try store.commit(origin: .unnamed) { transaction in
      try self.change(id, moving ? place : nil, in: transaction)
      return ContinuousClock.now
    }.result
  }

  /// Changes one row: its folder and date, or else its body.
  func change(
    _ id: Int64,
    _ place: (folder: Int64, date: Int64)?,
    in transaction: any StoreTransaction
  ) throws {
    guard let row = try transaction.rows([.integer(id)], of: Message.entity).first ?? nil else {
      throw BenchmarkError.wrongResult("a lookup of a message")
    }
    var values = row.values
    if let place {
      let isSame = values[Message.folderPlace] == .integer(place.folder)
      values[Message.folderPlace] = .integer(
        isSame ? (place.folder + 1) % Int64(Message.folders) : place.folder
      )
      values[Message.datePlace] = .integer(place.date)
    } else {
      values[Message.bodyPlace] = .text("another body of \(draws.title())")
    }
    try transaction.update(row.id, to: values, of: Message.entity, ifUnchangedFrom: nil)
  }

  /// The same in plain C, and back again, so that the list need not hear of it.
  private func changePlainly(_ times: inout ChangeTimes) throws {
    let ranks = try ranks()
    writer.setTriggers(false)
    defer { writer.setTriggers(true) }
    let (id, place) = (anyID(), anyPlace())
    let start = ContinuousClock.now
    try writer.each("BEGIN IMMEDIATE")
    guard let old = try PlainRanks.key(of: id, in: writer) else {
      throw BenchmarkError.wrongResult("a plain lookup")
    }
    try move(id, place.folder, place.date)
    let written = ContinuousClock.now
    try writer.each("COMMIT")
    let committed = ContinuousClock.now
    guard let new = try PlainRanks.key(of: id, in: writer) else {
      throw BenchmarkError.wrongResult("a plain lookup")
    }
    _ = try ranks.rank(of: old, in: writer)
    _ = try ranks.rank(of: new, in: writer)
    let end = ContinuousClock.now
    times.plainRanks.add((end - committed).microseconds)
    times.plainCommit.add((end - written).microseconds)
    times.plainWhole.add((end - start).microseconds)
    try move(id, old.folder, old.date)
  }

  private func move(_ id: Int64, _ folder: Int64, _ date: Int64) throws {
    try writer.each(
      "UPDATE Message SET folder = ?, date = ? WHERE id = ?",
      [.integer(folder), .integer(date), .integer(id)]
    )
  }
}

extension ChangeTimes {
  /// Keeps the most that was asked for a change.
  fileprivate mutating func note(_ account: ListExplanation.Account?) {
    guard let asked = account?.work else { return }
    work.queries = max(work.queries, asked.queries)
    work.keys = max(work.keys, asked.keys)
    work.rows = max(work.rows, asked.rows)
  }
}
