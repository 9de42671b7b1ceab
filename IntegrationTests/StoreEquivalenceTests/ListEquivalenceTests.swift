import ResultsDomain
import ResultsPresentation
import ResultsTesting
import Testing

/// R26, R47, R87: the same list over both stores shows the same and tells the same changes.
@Suite struct ListEquivalenceTests {
  @Test(arguments: 201...212 as ClosedRange<UInt64>)
  func `snapshots and deltas are the same over both stores`(seed: UInt64) async throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let twins = try TwinStores(entity)
    for round in 0..<4 {
      let what = "seed \(seed), list \(round)"
      let definition = definition(of: entity, &workload)
      guard var memory = try await Listener(definition, in: twins.memory, what) else {
        let other = try await Listener(definition, in: twins.sqlite, what)
        try #require(other == nil, "\(what): refused by one store only")
        continue
      }
      var sqlite = try #require(try await Listener(definition, in: twins.sqlite, what))
      for step in 0..<25 {
        let operations = workload.transaction(on: entity, rows: try twins.rows(twins.memory))
        try twins.transact(operations, isUndone: workload.generator.happens(percent: 10), what)
        let told = try await memory.hear()
        let toldByFile = try await sqlite.hear()
        try #require(told == toldByFile, "\(what), step \(step): \(operations)")
        try #require(
          try memory.content() == sqlite.content(),
          "\(what), step \(step): \(operations)"
        )
      }
      memory.end()
      sqlite.end()
    }
  }

  private func definition(
    of entity: EntityDescription,
    _ workload: inout RandomStoreWorkload
  ) -> ResultsDefinition<Row> {
    let request = FetchRequest<Row>(
      entity: entity,
      where: workload.predicate(for: entity, depth: 1),
      sortedBy: workload.sortDescriptors(for: entity),
      fetchLimit: workload.generator.choice(nil, nil, 5),
      fetchOffset: workload.generator.choice(0, 0, 2)
    )
    let attribute = workload.generator.element(of: entity.attributes)?.name ?? ""
    let sections: SectionKey? = workload.generator.choice(nil, .attribute(attribute))
    return ResultsDefinition(
      request,
      sectionedBy: sections,
      isFrozen: workload.generator.happens(percent: 20)
    )
  }
}

/// A controller, and what it has told so far.
private struct Listener {
  /// One change without the numbers of its stream.
  struct Told: Hashable {
    var cause: DeltaCause
    var sections: SectionChanges
    var rows: RowChanges
  }

  private let controller: FetchedResultsController<Row>
  private var events: ResultsChanges<Row>.AsyncIterator
  private var generation: Int

  /// A listener, or `nil` if the store refuses the definition.
  init?(_ definition: ResultsDefinition<Row>, in store: any Store, _ what: String) async throws {
    controller = FetchedResultsController(definition, in: store)
    do {
      try await controller.performFetch()
    } catch .request {
      return nil
    }
    events = controller.changes.makeAsyncIterator()
    guard case .snapshot(let results) = await events.next() else {
      Issue.record("\(what): the first event is no snapshot")
      return nil
    }
    generation = results.generation
  }

  /// Every change up to now; each is proved before it is taken.
  mutating func hear() async throws -> [Told] {
    try await controller.refresh()
    let latest = try controller.results.generation
    var told: [Told] = []
    while generation < latest, let event = await events.next() {
      guard case .change(let change) = event else {
        Issue.record("neither store fails here: \(event)")
        return told
      }
      generation = change.after.generation
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      let delta = change.delta
      told.append(Told(cause: delta.cause, sections: delta.sections, rows: delta.rows))
    }
    return told
  }

  func content() throws -> ResultsContent { try controller.results.snapshot.content }

  func end() { controller.cancel() }
}
