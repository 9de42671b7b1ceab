import ResultsDomain
package import ResultsStoreKit
import ResultsPresentation

/// A random list, and views of it that read rows at random moments, also between a commit and its delivery (R200, R201).
///
/// A view reads again only what its changes name. Once all changes are delivered, everything that it has read and was not named since must be
/// what the store holds. Where the store's history always reaches back, what is read through a list also has the values of that list's
/// version.
package struct LateViews {
  /// A store to walk over, and another one of the same content.
  package struct World {
    /// The store of the lists.
    package let store: any Store
    /// A store of another writer of the same content, if there is one.
    package let other: (any Store)?
    /// Whether the history of the store always reaches back to what a view shows.
    package let remembers: Bool

    /// Creates a world.
    package init(_ store: any Store, other: (any Store)? = nil, remembers: Bool = true) {
      (self.store, self.other, self.remembers) = (store, other, remembers)
    }
  }

  /// What walks have done, for the last line of a long run.
  package struct Tally: CustomStringConvertible {
    /// Rows that were read, and those that were read after a commit which the list had not reached.
    package var (reads, readsAhead) = (0, 0)
    /// Changes that views received, and cells that were compared in the end.
    package var (changes, cells) = (0, 0)

    /// Creates an empty tally.
    package init() {}

    /// Adds the numbers of another walk.
    package mutating func add(_ other: Tally) {
      reads += other.reads
      readsAhead += other.readsAhead
      changes += other.changes
      cells += other.cells
    }

    /// The numbers in one line.
    package var description: String {
      "\(reads) rows read, \(readsAhead) of them ahead of their list, \(changes) changes, \(cells) cells compared"
    }
  }

  /// A broken promise, with the seed that shows it.
  package struct Failure: Error, CustomStringConvertible {
    /// What happened.
    package let description: String
  }

  /// A view: the list that its changes have brought it to, and what it has read of it.
  private struct View {
    enum Kind { case subscriber, returning, model }
    let kind: Kind
    var shown: ResultsList<Row>
    var cells: [ObjectID: [Value]] = [:]
    var events: ResultsChanges<Row>.AsyncIterator

    /// Takes a change: forgets the rows that it names.
    mutating func take(_ delta: ResultsDelta, _ after: ResultsList<Row>) {
      for row in delta.rows.deletes { cells[row.id] = nil }
      for row in delta.rows.moves + delta.rows.updates where row.contentChanged {
        cells[row.id] = nil
      }
      shown = after
    }

    mutating func reload(_ list: ResultsList<Row>) {
      cells = [:]
      shown = list
    }
  }

  private let world: World
  private let library: RelatedLibrary
  private let what: String
  private let clock = ManualClock()
  private let definition: ResultsDefinition<Row>
  private let controller: FetchedResultsController<Row>
  private var generator: SeededGenerator
  private var views: [View] = []
  /// The rows of the entities that are written.
  private var rows: [String: [ObjectKey: [Value]]] = ["Book": [:], "Author": [:], "BookTag": [:]]
  /// What takes back the last commit.
  private var undo: [Write] = []
  /// The shown values of every row, by version.
  private var truths: [StoreVersion: [ObjectID: [Value]]] = [:]
  private var truth: [ObjectID: [Value]] = [:]
  /// What the walk has done.
  package private(set) var tally = Tally()

  private struct Write {
    let entity: String
    let key: ObjectKey
    let values: [Value]?
  }

  /// Fills a store, whose tables are empty, and fetches a list of it.
  package init(seed: UInt64, in world: World) async throws {
    self.world = world
    library = try RelatedLibrary()
    var generator = SeededGenerator(seed: seed)
    let definition = LateViews.definition(library.entity("Book"), &generator)
    let options = ResultsOptions(
      delivery: generator.choice(.immediate, .immediate, .throttled(for: .seconds(1)), .onDemand),
      journalCapacity: 1_000_000,
      inMemoryKeyLimit: generator.choice(-1, 4096),
      auditPeriod: nil,
      clock: clock
    )
    controller = FetchedResultsController(definition, in: world.store, options: options)
    what = "seed \(seed), \(options.delivery), \(definition.request)"
    (self.generator, self.definition) = (generator, definition)
    try LateViews.empty(world.store, library)
    for _ in 0..<6 { try perform(writes(), in: world.store) }
    try await controller.performFetch()
    try record()
    for kind in [View.Kind.subscriber, .returning, .model]
    where world.remembers || kind != .subscriber {
      let shown = try controller.results
      var events = controller.changes.makeAsyncIterator()
      if kind == .subscriber { _ = await events.next() }
      views.append(View(kind: kind, shown: shown, events: events))
    }
  }

  private static func empty(_ store: any Store, _ library: RelatedLibrary) throws {
    for entity in ["Book", "Author", "BookTag"].map(library.entity) {
      let order: FetchSortDescriptor =
        if case .compound(let names) = entity.identity { .ascending(names[0]) } else {
          FetchSortDescriptor(.objectKey)
        }
      let ids = try store.fetch(FetchRequest<ObjectID>(entity: entity, sortedBy: [order]))
      try store.write { transaction in
        for id in ids { try transaction.delete(id, of: entity) }
      }
    }
  }

  /// Ends the list.
  package func end() { controller.cancel() }

  private static func definition(
    _ book: EntityDescription,
    _ generator: inout SeededGenerator
  ) -> ResultsDefinition<Row> {
    let own = book.attributes.map(\.name)
    let rated = FetchExpression.relatedAggregate(["tags"], .count, nil, where: .all)
    let predicates: [FetchPredicate] = [
      .all, .all, .comparison(.attribute("year"), .equal, .literal(1)),
      .comparison(.attribute("year"), .greaterOrEqual, .literal(1)),
      .comparison(rated, .greaterOrEqual, .literal(0)),
      .comparison(rated, .greaterOrEqual, .literal(1)),
    ]
    let orders: [[FetchSortDescriptor]] = [
      [.ascending("title")], [.descending("year"), .ascending("title")],
      [FetchSortDescriptor(.objectKey)],
      [FetchSortDescriptor(.related(["author"], .attribute("name")))],
    ]
    let order = generator.element(of: orders) ?? []
    let shown: [[String]?] = [
      nil, nil, own + ["author.name"], own + ["author.name", "tags.@count"], ["title"],
    ]
    var request = FetchRequest<Row>(
      entity: book,
      where: generator.element(of: predicates) ?? .all,
      sortedBy: order,
      fetchLimit: generator.choice(nil, nil, 5),
      fetchOffset: generator.choice(0, 0, 2),
      propertiesToFetch: generator.element(of: shown) ?? nil
    )
    request.fetchBatchSize = generator.choice(1, 3, 50)
    if generator.happens(percent: 20) {
      request.relationshipPathsForPrefetching = generator.choice([["author"]], [["tags"]])
    }
    var definition = ResultsDefinition(
      request,
      sectionedBy: generator.happens(percent: 30) ? .attribute("year", .descending) : nil,
      isFrozen: generator.happens(percent: 15)
    )
    if generator.happens(percent: 20) {
      definition.aggregates = [
        SectionAggregate("sum", FetchAggregate(.sum, of: .attribute("year")))
      ]
    }
    return definition
  }
}

// MARK: - Writing

extension LateViews {
  /// A few random changes.
  private mutating func writes() -> [Write] {
    var writes: [Write] = []
    for _ in 0..<generator.number(in: 1...3) {
      switch generator.number(in: 0...9) {
      case 0...1:
        let key = ObjectKey.integer(Int64(generator.number(in: 1...3)))
        let name = Value.text(generator.choice("a", "b", "c"))
        let isDeleted = rows["Author"]?[key] != nil && generator.happens(percent: 10)
        writes.append(
          Write(entity: "Author", key: key, values: isDeleted ? nil : [name, .null, .null, .null])
        )
      case 2...3:
        let values: [Value] = [
          .integer(Int64(generator.number(in: 1...8))), .text(generator.choice("a", "b")),
        ]
        let key = ObjectKey.compound(values)
        writes.append(
          Write(entity: "BookTag", key: key, values: rows["BookTag"]?[key] == nil ? values : nil)
        )
      default:
        let key = ObjectKey.integer(Int64(generator.number(in: 1...8)))
        guard var values = rows["Book"]?[key] else {
          writes.append(
            Write(
              entity: "Book",
              key: key,
              values: [.text("a"), .integer(1), .real(0), .null, .null, .null]
            )
          )
          continue
        }
        switch generator.number(in: 0...9) {
        case 0:
          writes.append(Write(entity: "Book", key: key, values: nil))
          continue
        case 1...3: values[0] = .text(generator.choice("a", "b", "c"))
        case 4...5: values[1] = .integer(Int64(generator.number(in: 0...2)))
        case 6: values[3] = generator.choice(.null, .integer(1), .integer(2), .integer(3))
        default: values[2] = .real(generator.choice(0, 1, 2))
        }
        writes.append(Write(entity: "Book", key: key, values: values))
      }
    }
    // One write for each row.
    var seen: Set<ObjectID> = []
    return writes.filter { seen.insert(ObjectID(entity: $0.entity, key: $0.key)).inserted }
  }

  /// Commits some changes, and remembers what takes them back.
  private mutating func perform(_ writes: [Write], in store: any Store) throws {
    let before = writes.map {
      Write(entity: $0.entity, key: $0.key, values: rows[$0.entity]?[$0.key])
    }
    try store.write { transaction in
      for (write, old) in zip(writes, before) {
        let entity = library.entity(write.entity)
        let id = ObjectID(entity: entity.name, key: write.key)
        switch (old.values, write.values) {
        case (nil, nil): break
        case (nil, let values?):
          let key: ObjectKey? = if case .compound = write.key { nil } else { write.key }
          try transaction.insert(values, key: key, into: entity)
        case (_?, let values?):
          try transaction.update(id, to: values, of: entity, ifUnchangedFrom: nil)
        case (_?, nil): try transaction.delete(id, of: entity)
        }
      }
    }
    for write in writes { rows[write.entity]?[write.key] = write.values }
    undo = before
  }

  /// Reads what the store holds now.
  private mutating func record() throws {
    let names = try controller.results.snapshot.observedAttributes
    var request = definition.request
    request.predicate = .all
    (request.fetchLimit, request.fetchOffset) = (nil, 0)
    let own = request.entity.attributes.map(\.name)
    request.propertiesToFetch = own + ["author.name", "tags.@count"]
    let answersPaths = world.store.capabilities.answersPaths
    let (version, found) = try world.store.read { (snapshot) throws(StoreError) in
      (snapshot.version, try snapshot.fetch(request, answersPaths: answersPaths))
    }
    truth = Dictionary(uniqueKeysWithValues: found.map { row in (row.id, names.map { row[$0] }) })
    truths[version] = truth
  }
}

// MARK: - Walking

extension LateViews {
  /// Takes random steps, and checks all views now and then.
  package mutating func walk(steps: Int) async throws {
    for step in 0..<steps {
      switch generator.number(in: 0...19) {
      case 0...4: try perform(writes(), in: world.store)
      case 5...7: try perform(undo, in: world.store)
      case 8:
        try perform(
          generator.happens(percent: 50) ? undo : writes(),
          in: world.other ?? world.store
        )
      case 9...13: try read(step)
      case 14...16: try await take(at: generator.number(in: 0...views.count - 1), step)
      case 17: try await controller.refresh()
      case 18:
        if controller.isPaused { try await controller.resume() } else { controller.pause() }
      default: clock.advance(by: .seconds(1))
      }
      try record()
      if step % 24 == 23 { try await check(step) }
    }
    try await check(steps)
  }

  /// Reads some rows through what a view shows.
  private mutating func read(_ step: Int) throws {
    let index = generator.number(in: 0...views.count - 1)
    let list = views[index].shown
    guard list.count > 0 else { return }
    let start = generator.number(in: 0...list.count - 1)
    let positions = start..<min(list.count, start + generator.number(in: 1...3))
    let found: [Row]
    do throws(ResultsError) {
      if generator.happens(percent: 50) {
        found = try list.objects(at: positions)
      } else {
        found = try positions.compactMap { list.snapshot.path(ofFlatPosition: $0) }
          .map { (path) throws(ResultsError) in try list.object(at: path) }
      }
    } catch {
      // An index whose keys are not known any more, and a deleted row of which nothing is known.
      guard world.remembers else { return }
      throw failure(step, "a row cannot be read: \(error)")
    }
    let names = list.snapshot.observedAttributes
    let known = truths[list.snapshot.version]
    for row in found {
      let values = names.map { row[$0] }
      tally.reads += 1
      if truth[row.id] != known?[row.id] { tally.readsAhead += 1 }
      if world.remembers, let known, known[row.id] != values {
        throw failure(
          step,
          "\(row.id) is read as \(values) through a list of a version in which it was \(known[row.id] ?? [])"
        )
      }
      views[index].cells[row.id] = values
    }
  }

  /// Lets a view take what it has not received.
  private mutating func take(at index: Int, _ step: Int) async throws {
    let present = try controller.results
    switch views[index].kind {
    case .returning:
      let catchUp = try controller.catchUp(from: views[index].shown.position)
      switch catchUp {
      case .upToDate(let list): views[index].shown = list
      case .change(let delta, let list): views[index].take(delta, list)
      case .reset(_, let list): views[index].reload(list)
      }
      tally.changes += 1
    case .model:
      var events = controller.states(from: views[index].shown).makeAsyncIterator()
      await receive(await events.next(), at: index)
    case .subscriber:
      // An event waits for it if there is any difference to what it shows.
      while views[index].shown.generation < present.generation,
        try looks(views[index].shown, step) != looks(present, step)
      {
        await receive(await views[index].events.next(), at: index)
      }
    }
  }

  /// What a list looks like: its rows and their values.
  private func looks(_ list: ResultsList<Row>, _ step: Int) throws -> [Row] {
    guard let known = truths[list.snapshot.version] else {
      throw failure(step, "a list is of a version that no commit made")
    }
    return try list.objectIDs(at: 0..<list.count).map { id in
      Row(entity: list.snapshot.entity, id: id, values: known[id] ?? [])
    }
  }

  private mutating func receive(_ event: ResultsEvent<Row>?, at index: Int) async {
    tally.changes += 1
    switch event {
    case .change(let change): views[index].take(change.delta, change.after)
    // Another state of what a model shows.
    case .snapshot(let list) where list.position == views[index].shown.position:
      views[index].shown = list
    case .snapshot(let list), .reset(_, let list): views[index].reload(list)
    case .failure, nil: break
    }
  }

  /// Delivers everything, and compares what the views have read with the store.
  private mutating func check(_ step: Int) async throws {
    if controller.isPaused { try await controller.resume() }
    try await controller.refresh()
    try record()
    for index in views.indices {
      try await take(at: index, step)
      let view = views[index]
      for (id, values) in view.cells {
        tally.cells += 1
        guard truth[id] == values else {
          throw failure(
            step,
            "a \(view.kind) shows \(values) of \(id), which is \(truth[id] ?? []) in the store"
          )
        }
        guard view.shown.path(of: id) != nil || !world.remembers else {
          throw failure(step, "a \(view.kind) shows \(id), which has left its list")
        }
      }
    }
    // Versions that no view shows any more.
    let held = Set(views.map(\.shown.snapshot.version) + [try controller.results.snapshot.version])
    if truths.count > 200 { truths = truths.filter { held.contains($0.key) } }
  }

  private func failure(_ step: Int, _ description: String) -> Failure {
    Failure(description: "\(what), step \(step): \(description)")
  }
}
