import CSQLite
import CSQLiteHooks
import FetchedResults
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// Measures single changes of the large table: goals 5 to 7, 10, 12 and 14.
///
/// Commits with a list, commits without one and the same work in C take turns in blocks, and every block yields one pair. Single changes
/// cannot take turns: a write on another connection empties the page cache of the store.
struct ChangeBenchmark {
  /// The figures of changes.
  private struct Figures {
    /// From the commit itself to the exact delta, against the row and two ranks in C.
    var following = Pairs()
    /// From the end of the transaction's closure to the return of the commit, against the same in C.
    var commit = Pairs()
    /// From the call to the return of the commit, against the same in C.
    var whole = Pairs()
    /// From the commit itself to the exact delta, against reading all identities in C.
    var refetches = Pairs()
    /// From the commit's return to the delta in the task of a subscriber.
    var delivery = Samples()
    /// The number of changes that were visible when their commit returned, and of those that were not.
    var visible = (prompt: 0, late: 0)
    /// The largest number of queries for one change.
    var queries = 0

    /// The percentage of changes that were visible when their commit returned.
    var promptShare: Double {
      let all = visible.prompt + visible.late
      return all == 0 ? 0 : 100 * Double(visible.prompt) / Double(all)
    }
  }

  /// The figures of one block.
  private struct Block {
    /// Commits that a list follows.
    var commit = Samples()
    /// Commits that no list follows.
    var bareCommit = Samples()
    var whole = Samples()
    /// In C, from the commit's return: the row and two ranks.
    var plainRanks = Samples()
    var plainCommit = Samples()
    var plainWhole = Samples()

    /// What a list adds to a commit.
    var following: Double { max(0, commit.median - bareCommit.median) }
  }

  private static let blocks = 8

  let table: MessageTable

  init(_ table: MessageTable) { self.table = table }

  /// Goals 5 to 7: one row that moves, and one that stays, from the commit to the exact delta.
  func oneChange() async throws -> [Measurement] {
    let moves = try await changes(moving: true)
    let edits = try await changes(moving: false)
    let unobserved = try await changes(moving: false, observing: 0..<100)
    let name = "one change, commit to exact paths"
    return [
      table.figure(
        5,
        name,
        moves.following,
        against: "row and two ranks in C",
        limit: table.atLargest(3),
        target: 2
      ),
      table.figure(
        5,
        "\(name), with the commit",
        moves.commit,
        against: "commit, row and two ranks in C"
      ),
      table.figure(
        5,
        "\(name), with its writing",
        moves.whole,
        against: "update, commit, row and ranks in C"
      ),
      table.figure(
        5,
        "the same, from the commit's return to a subscriber's task",
        moves.delivery.median
      ),
      table.figure(5, "changes shown when their commit returned", moves.promptShare, nil, "%"),
      table.figure(
        6,
        name,
        moves.refetches,
        against: "all identities read again in C",
        limit: refetchLimit
      ),
      table.figure(
        7,
        "queries for a change that keeps its keys, far from 100 observed rows",
        Double(unobserved.queries),
        0,
        "queries"
      ),
      table.figure(
        7,
        "the same, all rows observed, so that its path is reported",
        Double(edits.queries),
        nil,
        "queries"
      ),
      table.figure(
        7,
        "a change that keeps its keys, 100 rows observed",
        unobserved.following.ours.median
      )
      .compared(to: moves.following.ours.median, "one that moves a row"),
      table.figure(
        7,
        "a change that keeps its keys, commit to delta",
        edits.following.ours.median
      )
      .compared(to: moves.following.ours.median, "one that moves a row"),
    ]
  }

  /// The fraction of reading everything again that a change may take.
  private var refetchLimit: Double? {
    switch table.rows {
    case 100_000: 0.01
    case 1_000_000: 0.001
    case 10_000_000: 0.0001
    default: nil
    }
  }

  /// Changes rows one by one, and waits for the delta of each.
  /// - Parameters:
  ///   - moving: Whether rows move to another folder and date; otherwise only their bodies change.
  ///   - observed: The observed rows, or `nil` for all.
  /// - Returns: The figures of all blocks.
  /// - Throws: The error of the store, or `BenchmarkError.wrongResult`.
  private func changes(moving: Bool, observing observed: Range<Int>? = nil) async throws -> Figures
  {
    var figures = Figures()
    for _ in 0..<Self.blocks {
      var block = Block()
      try await follow(moving: moving, observing: observed, &figures, &block)
      for round in 0..<rounds {
        let written = try table.change(table.anyID(), moving: moving)
        guard round >= warmUp else { continue }
        block.bareCommit.add((ContinuousClock.now - written).microseconds)
      }
      if moving {
        for _ in 0..<rounds { try changeInC(&block) }
        try table.store.checkForExternalChanges()
        figures.refetches.add(block.following, try table.refetch())
      }
      figures.following.add(block.following, block.plainRanks.median)
      figures.commit.add(block.commit.median, block.plainCommit.median)
      figures.whole.add(block.whole.median, block.plainWhole.median)
    }
    return figures
  }

  /// The number of changes in a block.
  private var rounds: Int { warmUp + 5 * table.runs }
  /// The number of changes at the start of a block that find caches the reference has left cold.
  private var warmUp: Int { 5 }

  private func follow(
    moving: Bool,
    observing observed: Range<Int>?,
    _ figures: inout Figures,
    _ block: inout Block
  ) async throws {
    let (controller, first) = try await table.follow(observing: observed)
    var events = first
    for round in 0..<rounds {
      let id = table.anyID()
      let generation = try controller.results.generation
      let start = ContinuousClock.now
      let written = try table.change(id, moving: moving)
      let committed = ContinuousClock.now
      let isPrompt = try controller.results.generation > generation
      guard case .change(let change) = await events.next(),
        change.delta.rows.count == 1 || observed != nil,
        change.delta.rows.moves.count == 1 || !moving
      else { throw BenchmarkError.wrongResult("one change") }
      let end = ContinuousClock.now
      guard round >= warmUp else { continue }
      figures.delivery.add((end - committed).microseconds)
      if isPrompt {
        figures.visible.prompt += 1
        block.commit.add((committed - written).microseconds)
        block.whole.add((committed - start).microseconds)
      } else {
        figures.visible.late += 1
      }
      guard round.isMultiple(of: 8), try isFar(id, from: observed, in: controller) else { continue }
      let work = try await controller.explain()?.last.work
      figures.queries = max(figures.queries, work?.queries ?? 0)
    }
    controller.cancel()
  }

  /// Returns whether a row is far from the observed ones.
  private func isFar(
    _ id: Int64,
    from observed: Range<Int>?,
    in controller: FetchedResultsController<Message>
  ) throws -> Bool {
    guard let observed else { return true }
    let snapshot = try controller.results.snapshot
    let path = snapshot.path(of: ObjectID(entity: Message.entity.name, key: .integer(id)))
    guard let path, let position = snapshot.flatPosition(of: path) else { return false }
    return position < observed.lowerBound - 1000 || position >= observed.upperBound + 1000
  }

  /// Does the same in C, and undoes it; the triggers are disabled, so that the lists do not observe it.
  private func changeInC(_ block: inout Block) throws {
    let (ranks, writer) = (try table.ranks(), table.writer)
    writer.setTriggers(false)
    defer { writer.setTriggers(true) }
    let (id, position) = (table.anyID(), table.anyPosition())
    let start = ContinuousClock.now
    try writer.each("BEGIN IMMEDIATE")
    guard let old = try PlainRanks.key(of: id, in: writer) else {
      throw BenchmarkError.wrongResult("a plain lookup")
    }
    try table.move(id, to: position)
    let written = ContinuousClock.now
    try writer.each("COMMIT")
    let committed = ContinuousClock.now
    guard let new = try PlainRanks.key(of: id, in: writer) else {
      throw BenchmarkError.wrongResult("a plain lookup")
    }
    _ = try ranks.rank(of: old, in: writer)
    _ = try ranks.rank(of: new, in: writer)
    let end = ContinuousClock.now
    block.plainRanks.add((end - committed).microseconds)
    block.plainCommit.add((end - written).microseconds)
    block.plainWhole.add((end - start).microseconds)
    try table.move(id, to: MessageTable.Position(folder: old.folder, date: old.date))
  }
}

// MARK: - Other writers

extension ChangeBenchmark {
  /// Goal 10: one commit of another connection, from the wake-up to the delta.
  ///
  /// The latency of the file system is excluded: `refresh()` does what follows a wake-up.
  func foreignCommit() async throws -> [Measurement] {
    try table.store.checkForExternalChanges()
    let controller = table.list(of: Message.self)
    try await controller.performFetch()
    try await controller.refresh()
    let ranks = try table.ranks()
    var (elapsed, processor) = (Pairs(), Pairs())
    for _ in 0..<20 * table.runs {
      let id = table.anyID()
      let old = try PlainRanks.key(of: id, in: table.writer)
      let generation = try controller.results.generation
      try table.writer.each("BEGIN IMMEDIATE")
      try table.move(id, to: table.anyPosition())
      try table.writer.each("COMMIT")
      let start = ProcessFigures.processorMicroseconds
      let ours = try await time { try await controller.refresh() }
      let middle = ProcessFigures.processorMicroseconds
      guard try controller.results.generation == generation + 1, let old else {
        throw BenchmarkError.wrongResult("a foreign commit")
      }
      // Only this thread, because the list may still be working on others.
      let plainStart = ProcessFigures.threadMicroseconds
      let theirs = try time {
        guard let new = try PlainRanks.key(of: id, in: table.plain) else { return }
        _ = try ranks.rank(of: old, in: table.plain)
        _ = try ranks.rank(of: new, in: table.plain)
      }
      elapsed.add(ours, theirs)
      processor.add(middle - start, ProcessFigures.threadMicroseconds - plainStart)
    }
    controller.cancel()
    let name = "one foreign commit, wake-up to delta"
    let against = "row and two ranks on another connection in C"
    return [
      table.figure(
        10,
        "\(name), processor time",
        processor,
        against: against,
        limit: table.atLargest(8)
      ),
      table.figure(10, name, elapsed, against: against),
    ]
  }
}

// MARK: - Frozen results and windows

extension ChangeBenchmark {
  /// Goal 12: results that are retained while the list changes: their time, their memory, and their effect on checkpoints.
  func freezing() async throws -> [Measurement] {
    try table.store.checkForExternalChanges()
    let (controller, first) = try await table.follow()
    var events = first
    var pairs = Pairs()
    var retained: [(results: ResultsList<Message>, position: Int, id: ObjectID?)] = []
    let before = ProcessFigures.memory
    for _ in 0..<40 * table.runs {
      var results: ResultsList<Message>?
      let ours = try time { results = try controller.results }
      pairs.add(ours, try time { try readTransactionInC() })
      let position = table.numbers.draw(below: table.rows)
      if let results {
        retained.append((results, position, results.rows[position].objectID))
      }
      try table.change(table.anyID(), moving: true)
      guard case .change = await events.next() else {
        throw BenchmarkError.wrongResult("one change")
      }
    }
    let after = ProcessFigures.memory
    for (results, position, id) in retained where results.rows[position].objectID != id {
      throw BenchmarkError.wrongResult("a frozen list")
    }
    let writer = table.writer
    try writer.run("PRAGMA busy_timeout = 0")
    var isBusy: Int64 = 0
    try writer.each("PRAGMA wal_checkpoint(TRUNCATE)") { isBusy = sqlite3_column_int64($0, 0) }
    try writer.run("PRAGMA busy_timeout = 5000")
    controller.cancel()
    let growth = (after?.privateBytes ?? 0) - (before?.privateBytes ?? 0)
    let name = "bytes a row and a frozen list, each of another generation"
    return [
      table.figure(
        12,
        "freezing the results",
        pairs,
        against: "a read transaction in C",
        limit: 1
      ),
      before == nil
        ? .missing(
          goal: 12,
          name,
          rows: table.rows,
          unit: "bytes",
          because: "no /proc/self/statm"
        )
        // A change may copy what it touches, but nothing that grows with the rows.
        : table.figure(
          12,
          name,
          growth / Double(retained.count * table.rows),
          table.atLargest(0.01),
          "bytes"
        ),
      table.figure(
        12,
        "checkpoints that frozen lists prevent",
        Double(isBusy),
        0,
        "checkpoints"
      ),
    ]
  }

  private func readTransactionInC() throws {
    try table.plain.each("BEGIN")
    _ = try table.plain.integer("SELECT id FROM Message LIMIT 1")
    try table.plain.each("COMMIT")
  }

  /// Goal 14: the first hundred rows of all, and changes after them.
  func window() async throws -> [Measurement] {
    try table.store.checkForExternalChanges()
    let controller = table.list(of: ObjectID.self, limit: 100)
    try await controller.performFetch()
    let shown = Set(try controller.results.rows.compactMap(\.objectID))
    var (queries, times) = (0, Samples())
    for _ in 0..<4 * table.runs {
      let id = table.anyID()
      guard !shown.contains(ObjectID(entity: Message.entity.name, key: .integer(id))) else {
        continue
      }
      let before = try await controller.explain()?.last
      // The last folder is never among the first rows.
      let position = MessageTable.Position(
        folder: Int64(Message.folders - 1),
        date: table.anyPosition().date
      )
      _ = try table.store.commit(origin: .unnamed) { transaction in
        try table.change(id, position, in: transaction)
      }
      times.add(try await time { try await controller.refresh() })
      let last = try await controller.explain()?.last
      // The account does not change if the commit does not concern the list.
      if last != before { queries = max(queries, last?.work.queries ?? 0) }
    }
    controller.cancel()
    return [
      table.figure(
        14,
        "queries for a change beyond a window of 100",
        Double(queries),
        0,
        "queries"
      ),
      table.figure(14, "such a change, until the list is up to date", times.median),
    ]
  }
}
