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
      let generation = try controller.results().generation
      let start = ContinuousClock.now
      let written = try change(id, moving: moving)
      let committed = ContinuousClock.now
      let isShown = try controller.results().generation > generation
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
    let snapshot = try controller.results().snapshot
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

// MARK: - Figures

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

// MARK: - Other writers

extension MessageBench {
  /// Goal 10: one commit of another connection, from the wake-up to the delta.
  ///
  /// What waits for the file system is left out: `refresh()` does what follows a wake-up.
  func foreignCommit() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    let controller = list(of: Message.self)
    try await controller.fetchExactly()
    try await controller.refresh()
    let ranks = try ranks()
    var (processor, ours, plainTimes) = (Samples(), Samples(), Samples())
    for _ in 0..<20 * runs {
      let (id, place) = (anyID(), anyPlace())
      let old = try PlainRanks.key(of: id, in: writer)
      let generation = try controller.results().generation
      try move(id, to: place)
      let before = ProcessFigures.processorMicroseconds
      ours.add(try await time { try await controller.refresh() })
      processor.add(ProcessFigures.processorMicroseconds - before)
      guard try controller.results().generation == generation + 1, let old else {
        throw BenchmarkError.wrongResult("a foreign commit")
      }
      plainTimes.add(
        try time {
          guard let new = try PlainRanks.key(of: id, in: plain) else { return }
          _ = try ranks.rank(of: old, in: plain)
          _ = try ranks.rank(of: new, in: plain)
        }
      )
    }
    controller.cancel()
    let name = "one foreign commit, wake-up to delta"
    return [
      figure(10, "\(name), processor time", processor.median, atLargest(300)),
      figure(10, name, ours.median)
        .beside(plainTimes.median, "row and two ranks on another connection in C"),
    ]
  }

  /// Goal 11: a cache that is a thousand changes old.
  func staleCache() async throws -> [Measurement] {
    let changes = min(1000, rows / 10)
    var (ours, scans) = (Samples(), Samples())
    for _ in 0..<min(3, runs) {
      try await saveCache(of: .folders)
      try writer.each("BEGIN IMMEDIATE")
      for _ in 0..<changes {
        let (id, place) = (anyID(), anyPlace())
        try writer.each(Self.movement, parameters(id, place))
      }
      try writer.each("COMMIT")
      let other = try file.open()
      let controller = list(of: Message.self, cached: true, in: other)
      ours.add(
        try await time {
          try await controller.performFetch()
          try controller.readFirst(50)
        }
      )
      let outcome = controller.cacheOutcome
      controller.cancel()
      try other.close()
      guard case .replayed = outcome else {
        let words = outcome.map { "\($0)" } ?? "no cache"
        return [
          .missing(goal: 11, Self.staleName, rows: rows, unit: "µs", because: words)
        ]
      }
      scans.add(try scan())
    }
    return [
      figure(11, Self.staleName, ours.median).beside(scans.median, "the index read in C"),
      figure(11, "\(Self.staleName), at most", ours.median, atLargest(30_000)),
    ]
  }

  private static let staleName = "first 50 rows from a cache 1,000 changes old"

  /// Moves a row by another connection's commit.
  func move(_ id: Int64, to place: (folder: Int64, date: Int64)) throws {
    try writer.each("BEGIN IMMEDIATE")
    try writer.each(Self.movement, parameters(id, place))
    try writer.each("COMMIT")
  }

  private static let movement = "UPDATE Message SET folder = ?, date = ? WHERE id = ?"

  private func parameters(
    _ id: Int64,
    _ place: (folder: Int64, date: Int64)
  ) -> [PlainDatabase.Parameter] {
    [.integer(place.folder), .integer(place.date), .integer(id)]
  }
}
