import FetchedResults
import GRDB
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// Measures changes of related objects: goals 18 to 22 and 24.
struct RelatedChangeBenchmark {
  /// The name of the measurement of goals 18 and 19.
  static let renameName = "an author of 100 books renamed, commit to delta"
  private static let joinedQuery = RelatedListBenchmark.joinedQuery

  let library: Library

  init(_ library: Library) { self.library = library }

  // MARK: - A hundred dependent rows

  /// Goals 18 and 19: an author with a hundred books gets another name, in a list by author.
  ///
  /// Renames and the same work in C take turns in blocks, because each of them empties the page cache of the other connection.
  func rename() async throws -> [Measurement] {
    let list = FetchedResultsController(
      LibraryList.byAuthor(of: LibraryBook.self),
      in: library.store
    )
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    var (queries, plain, works) = (Pairs(), Pairs(), Samples())
    for _ in 0..<2 * library.runs {
      let query = try library.plain.joinedQuery()
      try library.store.checkForExternalChanges()
      let (warmUp, rounds) = (3, 10)
      var (ours, theirs) = (Samples(), Samples())
      for round in 0..<warmUp + rounds {
        let written = try library.rename(library.anyAuthor())
        guard case .change(let change) = await events.next(), change.delta.rows.count == 100 else {
          throw BenchmarkError.wrongResult("a renamed author")
        }
        guard round >= warmUp else { continue }
        ours.add((ContinuousClock.now - written).microseconds)
        works.add((try await list.explain()?.last.duration.microseconds) ?? 0)
      }
      for round in 0..<warmUp + rounds {
        let rename = try library.plain.rename(library.anyAuthor())
        guard rename.books == 100 else { throw BenchmarkError.wrongResult("a rename in C") }
        if round >= warmUp { theirs.add(rename.following) }
      }
      queries.add(ours.median, query)
      plain.add(ours.median, theirs.median)
    }
    list.cancel()
    return [
      Measurement(
        goal: 18,
        name: Self.renameName,
        rows: library.rows,
        queries,
        against: Self.joinedQuery,
        limit: library.atMillion(1.0 / 400)
      ),
      Measurement(
        goal: 19,
        name: Self.renameName,
        rows: library.rows,
        plain,
        against: "commit, books and their positions in C",
        limit: library.atLargest(4)
      ),
      Measurement(
        goal: 19,
        name: "the same, the list's own time",
        rows: library.rows,
        value: works.median,
        unit: "µs"
      ),
    ]
  }

  // MARK: - No dependent row

  /// Goal 20: an author without books gets another name: how much longer its commit takes with a list by author than without one.
  func unseenRename() async throws -> [Measurement] {
    let author = Int64(library.file.authors)
    let request = LibraryList.byAuthor(of: LibraryBook.self)
    var (difference, queries, bareCommits) = (Samples(), Samples(), Samples())
    for _ in 0..<4 {
      let before = try commits(of: author)
      let list = FetchedResultsController(request, in: library.store)
      try await list.performFetch()
      let followed = try commits(of: author)
      list.cancel()
      let bare = (before + (try commits(of: author))) / 2
      difference.add(max(0, followed - bare))
      bareCommits.add(bare)
      queries.add(try library.plain.joinedQuery())
      try library.store.checkForExternalChanges()
    }
    let counting = WorkCountingStore(library.store)
    let counted = FetchedResultsController(request, in: counting)
    try await counted.performFetch()
    _ = counting.takeWork()
    try library.rename(author)
    try await counted.refresh()
    let work = counting.takeWork()
    counted.cancel()
    return [
      Measurement(
        goal: 20,
        name: "an author without books renamed, what a list adds to the commit",
        rows: library.rows,
        value: difference.median,
        unit: "µs",
        reference: queries.median,
        against: Self.joinedQuery,
        limit: library.atMillion(1.0 / 10_000)
      ),
      Measurement(
        goal: 20,
        name: "such a commit without a list",
        rows: library.rows,
        value: bareCommits.median,
        unit: "µs"
      ),
      Measurement(
        goal: 20,
        name: "searches for an author without books",
        rows: library.rows,
        value: Double(work.searches),
        unit: "searches",
        limit: 1
      ),
      Measurement(
        goal: 20,
        name: "rows read for an author without books",
        rows: library.rows,
        value: Double(work.rows),
        unit: "rows",
        limit: 0
      ),
    ]
  }

  /// The median time of commits that rename an author, from the end of the transaction's closure to the commit's return.
  private func commits(of author: Int64) throws -> Double {
    var times = Samples()
    for round in 0..<10 + 20 * library.runs {
      let written = try library.rename(author)
      let time = (ContinuousClock.now - written).microseconds
      if round >= 10 { times.add(time) }
    }
    return times.median
  }

  // MARK: - Very many dependent rows

  /// Goal 21: the author of a tenth of all books gets another name, beside a list that reads all keys again.
  func manyDependents() async throws -> [Measurement] {
    let options = ResultsOptions(delivery: .onDemand)
    let request = LibraryList.byAuthor(of: ObjectID.self)
    let rereading = WorkCountingStore(library.store, hidesHistory: true)
    let ours = FetchedResultsController(request, in: library.store, options: options)
    let other = FetchedResultsController(request, in: rereading, options: options)
    var pairs = Pairs()
    try await ours.performFetch()
    try await other.performFetch()
    var events = (ours.changes.makeAsyncIterator(), other.changes.makeAsyncIterator())
    _ = await events.0.next()
    _ = await events.1.next()
    for round in 0..<max(4, library.runs) {
      // From one end of the list to the other, since a list of identities reports nothing for rows that stay.
      let name = "\(round.isMultiple(of: 2) ? "A" : "Z") \(library.numbers.title())"
      try library.rename(1, of: LibraryAuthor.entity, to: name)
      var times = (0.0, 0.0)
      // The list that is first finds the pages cold.
      for turn in [round % 2, 1 - round % 2] {
        if turn == 0 {
          times.0 = try await time {
            try await ours.refresh()
            try check(await events.0.next(), library.file.mostBooks)
          }
        } else {
          times.1 = try await time {
            try await other.refresh()
            try check(await events.1.next(), library.file.mostBooks)
          }
        }
      }
      pairs.add(times.0, times.1)
    }
    ours.cancel()
    other.cancel()
    return [
      Measurement(
        goal: 21,
        name: "the author of a tenth of the books renamed, commit to delta",
        rows: library.rows,
        pairs,
        against: "all keys read again and compared",
        limit: library.atLargest(1.3)
      )
    ]
  }

  private func check(_ event: ResultsEvent<ObjectID>?, _ count: Int) throws {
    guard case .change(let change) = event, change.delta.rows.count == count else {
      throw BenchmarkError.wrongResult("a renamed author of many books")
    }
  }

  /// Goal 24: the same in a list by title that only shows the name, with a hundred observed rows.
  func shownOnly() async throws -> [Measurement] {
    let list = FetchedResultsController(
      LibraryList.byTitle,
      in: library.store,
      options: ResultsOptions(delivery: .onDemand)
    )
    try await list.performFetch()
    list.observedRows = 0..<100
    // So that a row changes that is observed.
    guard case .integer(let first)? = try list.results.rows[0].objectID?.key else {
      throw BenchmarkError.wrongResult("the list by title")
    }
    let former = try setAuthor(1, of: first)
    try await list.refresh()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    var (times, queries) = (Samples(), Samples())
    for _ in 0..<max(4, library.runs) {
      try library.rename(1)
      times.add(
        try await time {
          try await list.refresh()
          guard case .change = await events.next() else {
            throw BenchmarkError.wrongResult("a shown name")
          }
        }
      )
      queries.add(try library.plain.joinedQuery())
      try library.store.checkForExternalChanges()
    }
    list.cancel()
    _ = try setAuthor(former, of: first)
    return [
      Measurement(
        goal: 24,
        name: "the author of a tenth of the books renamed, 100 rows observed that show the name",
        rows: library.rows,
        value: times.median,
        unit: "µs",
        reference: queries.median,
        against: Self.joinedQuery,
        limit: library.atMillion(1.0 / 300)
      )
    ]
  }

  /// Gives a book another author.
  /// - Returns: The former author.
  private func setAuthor(_ author: Int64, of book: Int64) throws -> Int64 {
    try library.store.commit(origin: .unnamed) { transaction in
      guard
        let row = try transaction.rows([.integer(book)], of: LibraryBook.entity).first ?? nil,
        case .integer(let former) = row.values[2]
      else { throw BenchmarkError.wrongResult("a lookup of a book") }
      var values = row.values
      values[2] = .integer(author)
      try transaction.update(row.id, to: values, of: LibraryBook.entity, ifUnchangedFrom: nil)
      return former
    }.result
  }
}

// MARK: - GRDB

extension RelatedChangeBenchmark {
  /// A book as GRDB fetches it, with its author's name.
  private struct PeerBook: FetchableRecord, Equatable, Sendable {
    let id: Int64
    let title: String
    let author: String?

    init(row: GRDB.Row) {
      id = row[0]
      title = row[1]
      author = row[2]
    }
  }

  /// Goal 22: an author with a hundred books renamed until the difference is known, beside an observation that fetches again and compares.
  func peer() async throws -> [Measurement] {
    let list = FetchedResultsController(
      LibraryList.byAuthor(of: LibraryBook.self),
      in: library.store
    )
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    var ours = Samples()
    for _ in 0..<10 * library.runs {
      let author = library.anyAuthor()
      ours.add(
        try await time {
          try library.rename(author)
          guard case .change(let change) = await events.next(), change.delta.rows.count == 100
          else { throw BenchmarkError.wrongResult("a renamed author") }
        }
      )
    }
    list.cancel()
    let theirs = try await peerChanges()
    try library.store.checkForExternalChanges()
    return [
      Measurement(
        goal: 22,
        name: "an author of 100 books renamed to difference",
        rows: library.rows,
        value: ours.median,
        unit: "µs",
        reference: theirs.median,
        against: "ValueObservation and CollectionDifference",
        limit: library.rows == 100_000 ? 0.01 : nil
      )
    ]
  }

  private func peerChanges() async throws -> Samples {
    let pool = try DatabasePool(path: library.file.path)
    let observation = ValueObservation.tracking { database in
      try PeerBook.fetchAll(
        database,
        sql: """
          SELECT b.id, b.title, a.name FROM Book b LEFT JOIN Author a ON a.id = b.authorID
          ORDER BY a.name, b.title, +b.id
          """
      )
    }
    var values = observation.values(in: pool).makeAsyncIterator()
    var shown = try await values.next() ?? []
    var times = Samples()
    for _ in 0..<library.runs {
      let (author, name) = (library.anyAuthor(), library.numbers.title())
      let start = ContinuousClock.now
      try await pool.write { database in
        try database.execute(
          sql: "UPDATE Author SET name = ? WHERE id = ?",
          arguments: [name, author]
        )
      }
      // An observation may deliver equal values; the first different one counts.
      while let value = try await values.next() {
        let difference = value.difference(from: shown)
        shown = value
        if !difference.isEmpty { break }
      }
      times.add((ContinuousClock.now - start).microseconds)
    }
    try pool.close()
    return times
  }
}
