import ResultsDomain
import ResultsPresentation

/// What one change of the big table takes, ours and in plain C, in blocks by turns.
struct ChangeTimes {
  /// From the end of the transaction's closure to the return of the commit, which has followed the change.
  var commit = Samples()
  /// The same where no list listens.
  var bareCommit = Samples()
  /// From the call to the return of the commit.
  var whole = Samples()
  /// From the commit's return to the delta that a subscriber, a task of its own, holds.
  var delivery = Samples()
  /// How many changes were shown when their commit returned, and how many were not.
  var prompt = (shown: 0, late: 0)
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
  ///
  /// What following costs is the difference between commits with a list and without, which take turns in blocks.
  /// - Parameters:
  ///   - moving: Whether rows move.
  ///   - observed: The rows that deltas name, or `nil` for all.
  /// - Returns: What was measured.
  /// - Throws: What goes wrong.
  func changes(moving: Bool, observing observed: Range<Int>? = nil) async throws -> ChangeTimes {
    var times = ChangeTimes()
    for _ in 0..<4 {
      try await followed(moving: moving, observing: observed, &times)
      for round in 0..<12 * runs {
        let written = try change(anyID(), moving: moving)
        guard round > 4 else { continue }
        times.bareCommit.add((ContinuousClock.now - written).microseconds)
      }
      guard moving else { continue }
      for _ in 0..<12 * runs { try changePlainly(&times) }
      try store.checkForExternalChanges()
      times.refetches.add(try refetch())
    }
    return times
  }

  private func followed(
    moving: Bool,
    observing observed: Range<Int>?,
    _ times: inout ChangeTimes
  ) async throws {
    let controller = list(of: Message.self)
    try await controller.fetchExactly()
    controller.observedRows = observed
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    for round in 0..<12 * runs {
      let id = anyID()
      let generation = try controller.results.generation
      let start = ContinuousClock.now
      let written = try change(id, moving: moving)
      let committed = ContinuousClock.now
      let isShown = try controller.results.generation > generation
      guard case .change(let change) = await events.next(),
        change.delta.rows.count == 1 || observed != nil,
        change.delta.rows.moves.count == 1 || !moving
      else { throw BenchmarkError.wrongResult("one change") }
      let end = ContinuousClock.now
      // The first ones find caches that the reference has left cold.
      guard round > 4 else { continue }
      times.delivery.add((end - committed).microseconds)
      if isShown {
        times.prompt.shown += 1
        times.commit.add((committed - written).microseconds)
        times.whole.add((committed - start).microseconds)
      } else {
        times.prompt.late += 1
      }
      guard round.isMultiple(of: 8), try isFar(id, from: observed, in: controller) else { continue }
      times.note(try await controller.explain()?.last)
    }
    controller.cancel()
  }

  /// Whether a row is not among the observed ones or beside them.
  private func isFar(
    _ id: Int64,
    from observed: Range<Int>?,
    in controller: FetchedResultsController<Message>
  ) throws -> Bool {
    guard let observed else { return true }
    let snapshot = try controller.results.snapshot
    let path = snapshot.path(of: ObjectID(entity: Message.entity.name, key: .integer(id)))
    guard let path, let place = snapshot.flatPosition(of: path) else { return false }
    return place < observed.lowerBound - 1000 || place >= observed.upperBound + 1000
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
      let body = Value.text("another body of \(draws.title())")
      // Tables that are kept have been through the same draws already.
      values[Message.bodyPlace] = values[Message.bodyPlace] == body ? .text("a body") : body
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
  /// From the end of the commit itself to the exact delta.
  var following: Double { max(0, commit.median - bareCommit.median) }

  /// How many of a hundred changes were shown when their commit returned.
  var promptShare: Double {
    let all = prompt.shown + prompt.late
    return all == 0 ? 0 : 100 * Double(prompt.shown) / Double(all)
  }

  /// Keeps the most that was asked for a change.
  fileprivate mutating func note(_ account: ListExplanation.Account?) {
    guard let asked = account?.work else { return }
    work.queries = max(work.queries, asked.queries)
    work.keys = max(work.keys, asked.keys)
    work.rows = max(work.rows, asked.rows)
  }
}
