import InMemoryPersistence
import ObservableResults
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing

/// R113: a model for user interfaces shows exactly the list, with one notification an event, under random commits.
@Suite("The laws of a model for user interfaces", .timeLimit(.minutes(5)))
@MainActor
struct ModelLawTests {
  @Test(arguments: 0..<20)
  func `R113: after every event the model shows what a fresh fetch shows`(_ seed: UInt64)
    async throws
  {
    var world = try SongWorld(seed: seed)
    let model = ResultsModel(world.definition, in: world.store)
    let counter = NotificationCounter(of: model)
    model.start()
    await model.settle()
    try await world.expectFreshFetch(model)
    for step in 0..<60 {
      let notified = counter.count
      let before = try #require(model.results)
      try world.commit()
      await model.settle()
      let comment: Comment = "seed \(seed), step \(step)"
      let after = try #require(model.results)
      // The number of rows that match is shown too, and may change beyond the limit.
      let isChanged =
        after.generation != before.generation || after.matchingCount != before.matchingCount
      #expect(counter.count == notified + (isChanged ? 1 : 0), comment)
      try await world.expectFreshFetch(model, comment)
    }
    model.stop()
  }

  @Test(arguments: 0..<10)
  func `R113: it does so through pauses, stops, updates and refreshes`(_ seed: UInt64)
    async throws
  {
    var world = try SongWorld(seed: seed)
    let model = ResultsModel(world.definition, in: world.store)
    model.start()
    for step in 0..<60 {
      switch world.generator.number(in: 0...9) {
      case 0:
        world.redefine()
        let definition = world.definition
        await model.update { $0 = definition }
      case 1:
        model.stop()
        for _ in 0..<world.generator.number(in: 0...3) { try world.commit() }
        model.start()
      case 2:
        model.pause()
        for _ in 0..<world.generator.number(in: 0...3) { try world.commit() }
        await model.resume()
      case 3:
        world.store.fail(with: .inputOutput(path: "songs", detail: "the disk is gone"))
        await model.refresh()
        await model.wait { $0.failure != nil }
        world.store.fail(with: nil)
        if world.generator.happens(percent: 50) { try world.commit() }
        await model.refresh()
      default: try world.commit()
      }
      // A stopped model that starts reads the commits of the meantime in a task.
      await model.refresh()
      await model.settle()
      try await world.expectFreshFetch(model, "seed \(seed), step \(step)")
    }
  }

  @Test(arguments: 0..<20)
  func `R113: a table view that performs the batches shows exactly the list`(_ seed: UInt64)
    async throws
  {
    var world = try SongWorld(seed: seed)
    let model = ResultsModel(world.definition, in: world.store)
    let table = Table()
    model.onReload = { table.reload($0) }
    model.onBatch = { table.perform($0, $1) }
    model.start()
    await model.settle()
    #expect(table.log == ["reload"])
    for _ in 0..<40 {
      try world.commit()
      // The model may be several commits behind, which then arrive as one change.
      if world.generator.happens(percent: 60) { await model.settle() }
    }
    await model.settle()
    #expect(table.log.count { $0 == "reload" } == 1)
    #expect(table.rowIDs == model.sections.map { $0.map(\.id) })
  }

  @Test(arguments: 0..<20)
  func `R113: a diffable data source that applies the snapshots shows exactly the list`(
    _ seed: UInt64
  )
    async throws
  {
    var world = try SongWorld(seed: seed)
    let model = ResultsModel(world.definition, in: world.store)
    let source = DiffableSimulator()
    model.onReload = { results in
      let snapshot = try? DiffableSimulator.bridge.snapshot(of: results)
      source.reload(snapshot, from: results)
    }
    model.onBatch = { _, change in
      let snapshot = try? DiffableSimulator.bridge.snapshot(after: change)
      source.apply(snapshot, from: change.after)
    }
    model.start()
    await model.settle()
    for step in 0..<40 {
      if world.generator.happens(percent: 10) {
        world.redefine()
        let definition = world.definition
        await model.update { $0 = definition }
      }
      try world.commit()
      await model.settle()
      #expect(try source.screen == Screen(model.sections), "seed \(seed), step \(step)")
    }
    #expect(source.violations == [])
  }
}

/// Random songs, and a random list of them.
private struct SongWorld {
  let store: SongStore
  private(set) var definition = Song.byAlbum()
  var generator: SeededGenerator

  init(seed: UInt64) throws {
    store = try SongStore()
    generator = SeededGenerator(seed: seed)
    redefine()
    for _ in 0..<5 { try commit() }
  }

  /// Draws another definition.
  mutating func redefine() {
    definition = Song.byAlbum(limit: generator.choice(nil, nil, 6))
    definition.request.sortDescriptors = [
      generator.choice(.ascending("title"), .descending("plays"), .ascending("plays"))
    ]
    definition.request.predicate = generator.choice(
      .all,
      .comparison(.attribute("plays"), .greater, .literal(.integer(1)))
    )
    if generator.happens(percent: 25) { definition.sectionKey = nil }
    if generator.happens(percent: 25) {
      definition.aggregates = [SectionAggregate("plays", .sum("plays"))]
    }
  }

  /// Makes a random commit.
  mutating func commit() throws {
    var generator = generator
    defer { self.generator = generator }
    try store.commit { transaction in
      let all = FetchRequest<Song>(sortedBy: [.ascending(\.title)])
      for _ in 0..<generator.number(in: 1...4) {
        let random = Song(
          album: generator.choice("Blue", "Hejira", "Mingus", ""),
          title: generator.choice("a", "b", "c", "d", "e"),
          plays: generator.number(in: 0...4)
        )
        guard var song = generator.element(of: try transaction.fetch(all)),
          generator.happens(percent: 60)
        else {
          try transaction.insert(random)
          continue
        }
        switch generator.number(in: 0...3) {
        case 0: try transaction.delete(song)
        case 1:
          song.plays = random.plays
          try transaction.update(song)
        case 2:
          song.title = random.title
          try transaction.update(song)
        default:
          song.album = random.album
          try transaction.update(song)
        }
      }
    }
  }

  /// Compares a model with a list that is fetched now.
  @MainActor
  func expectFreshFetch(
    _ model: ResultsModel<Song>,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let fresh = FetchedResultsController(definition, in: store)
    try await fresh.performFetch()
    let results = try fresh.results
    #expect(
      try Screen(model.sections) == Screen(results.sections),
      comment,
      sourceLocation: sourceLocation
    )
    let shown = try #require(model.results, comment, sourceLocation: sourceLocation)
    #expect(
      try shown.snapshot.content == results.snapshot.content,
      comment,
      sourceLocation: sourceLocation
    )
    #expect(
      shown.matchingCount == results.matchingCount,
      comment,
      sourceLocation: sourceLocation
    )
    #expect(model.isReady, comment, sourceLocation: sourceLocation)
    #expect(model.rows.map(\.id) == results.rows.map(\.id), comment, sourceLocation: sourceLocation)
  }
}

/// A table view's memory: the identities of its rows, changed by batches alone.
@MainActor
private final class Table {
  private(set) var rowIDs: [[ResultsRow<Song>.ID]] = []
  private(set) var log: [String] = []

  func reload(_ results: ResultsList<Song>) {
    log.append("reload")
    rowIDs = results.sections.map { $0.map(\.id) }
  }

  func perform(_ batch: TableViewBatch, _ change: ResultsChange<Song>) {
    log.append("batch")
    let after = change.after
    var simulator = TableViewSimulator(rowCounts: rowIDs.map(\.count))
    #expect(throws: Never.self) {
      try simulator.perform(batch, newRowCounts: after.sections.map(\.count))
    }
    let old = rowIDs
    let leaving = (batch.deletedRows.map(\.path) + batch.movedRows.map(\.from.path)).sorted(by: >)
    for path in leaving { rowIDs[path.section].remove(at: path.row) }
    for section in batch.deletedSections.reversed() { rowIDs.remove(at: section) }
    for section in batch.insertedSections {
      rowIDs.insert(after.sections[section].map(\.id), at: section)
    }
    let arriving =
      batch.insertedRows.map { ($0.path, after.sections[$0.section][$0.row].id) }
      + batch.movedRows.map { ($0.to.path, old[$0.from.section][$0.from.row]) }
    for (path, id) in arriving.sorted(by: { $0.0 < $1.0 }) {
      rowIDs[path.section].insert(id, at: path.row)
    }
  }
}
