import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import Testing

/// R22, R78, R87, R284, R285: aggregates are the same in both stores, whatever the writer, and are those of the rows that are shown, of each
/// section and up to each row.
@Suite struct AggregateEquivalenceTests {
  @Test(arguments: 301...316 as ClosedRange<UInt64>)
  func `both stores aggregate the same groups as reading row by row`(seed: UInt64) throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let twins = try TwinStores(entity)
    for step in 0..<30 {
      let what = "seed \(seed), step \(step)"
      let operations = workload.transaction(on: entity, rows: try twins.rows(twins.memory))
      try twins.transact(operations, isUndone: false, what)
      let list = OrderDefinition.random(of: entity, &workload)
      guard let list else { continue }
      let compiled = try CompiledAggregates(
        workload.aggregates(of: entity).map(\.aggregate),
        in: entity
      )
      for columns in 0...list.terms.count {
        let memory = try groups(compiled, of: list, by: columns, in: twins.memory, isPlain: false)
        let sqlite = try groups(compiled, of: list, by: columns, in: twins.sqlite, isPlain: false)
        let plain = try groups(compiled, of: list, by: columns, in: twins.sqlite, isPlain: true)
        try #require(memory == plain, "\(what): \(columns) of \(list.terms)")
        try #require(sqlite == plain, "\(what): \(columns) of \(list.terms)")
      }
    }
  }

  @Test(arguments: 321...332 as ClosedRange<UInt64>)
  func `sections show the aggregates of their rows, over both stores`(seed: UInt64) async throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let twins = try TwinStores(entity)
    for round in 0..<4 {
      let what = "seed \(seed), list \(round)"
      let definition = workload.list(of: entity)
      let pair = [twins.memory as any Store, twins.sqlite].map {
        FetchedResultsController(definition, in: $0)
      }
      guard (try? await pair[0].performFetch()) != nil else { continue }
      try await pair[1].performFetch()
      for step in 0..<20 {
        for _ in 0..<workload.generator.choice(1, 1, 3) {
          let operations = workload.transaction(on: entity, rows: try twins.rows(twins.memory))
          try twins.transact(operations, isUndone: false, what)
        }
        let rows = try twins.rows(twins.memory)
        for list in pair {
          try await list.refresh()
          try check(list.results, definition, rows, "\(what), step \(step)")
        }
      }
      pair.forEach { $0.cancel() }
    }
  }

  @Test(arguments: 341...346 as ClosedRange<UInt64>, [true, false])
  func `commits of another writer of the file are included`(
    seed: UInt64,
    maintainsChangeLog: Bool
  ) async throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity()
    let twins = try TwinStores(entity)
    let path = NSTemporaryDirectory() + "aggregates-" + UUID().uuidString + ".sqlite"
    defer {
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    let options = SQLiteStoreOptions(pollInterval: nil, maintainsChangeLog: maintainsChangeLog)
    let own = try SQLiteStore(at: path, entities: [entity], options: options)
    let other = try SQLiteStore(at: path, entities: [entity], options: options)
    let definition = workload.list(of: entity)
    let list = FetchedResultsController(definition, in: own)
    guard (try? await list.performFetch()) != nil else { return }
    for step in 0..<30 {
      let what = "seed \(seed), step \(step)"
      for store in workload.generator.choice([own], [other], [own, other], [other, own]) {
        let operations = workload.transaction(on: entity, rows: try twins.rows(store))
        try await store.write { transaction in
          for operation in operations { _ = try transaction.perform(operation, on: entity) }
        }
      }
      try own.checkForExternalChanges()
      try await list.refresh()
      try check(list.results, definition, try twins.rows(other), what)
    }
    list.cancel()
    try own.close()
    try other.close()
  }

  /// Every section's aggregates, and the list's, must be those of the rows it shows.
  private func check(
    _ results: ResultsList<Row>,
    _ definition: ResultsDefinition<Row>,
    _ rows: [Row],
    _ what: String
  ) throws {
    let rows = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let aggregates = definition.aggregates
    let compiled = try CompiledAggregates(
      aggregates.map(\.aggregate),
      in: definition.request.entity
    )
    func expected(_ ids: [ObjectID]) throws -> [AggregateValue] {
      var group = AggregateGroup(prefix: [], count: 0, states: compiled.emptyStates)
      for id in ids {
        let row = try #require(rows[id], "\(what): \(id) is shown")
        group.add(try compiled.inputs(row.values, key: row.id.key))
      }
      return zip(group.states, compiled.types).map { $0.result(as: $1) }
    }
    let content = try results.snapshot.content
    for (section, shown) in zip(results.sections, content.sections) {
      try #require(section.aggregates.map(\.name) == aggregates.map(\.name), "\(what)")
      let values = section.aggregates.map(\.value)
      try #require(try values == expected(shown.rows), "\(what): \(section.header), \(aggregates)")
    }
    let ids = content.sections.flatMap(\.rows)
    let all = try expected(ids)
    try #require(results.aggregates.map(\.value) == all, "\(what): all, \(aggregates)")
    for (index, aggregate) in aggregates.enumerated() {
      for (origin, limit) in [(RunningOrigin.first, 0), (.last, 0), (.first, 2), (.last, 1024)] {
        let page = ids.count / 3..<ids.count / 3 + 3
        let values = try results.runningValues(
          of: aggregate.name,
          from: origin,
          at: page,
          readingLimit: limit
        )
        let wanted = try page.clamped(to: 0..<ids.count).map { position in
          try expected(Array(origin == .first ? ids[...position] : ids[position...]))[index]
        }
        try #require(values == wanted, "\(what): \(aggregate) from \(origin), \(limit)")
      }
    }
  }

  private func groups(
    _ aggregates: CompiledAggregates,
    of list: OrderDefinition,
    by columns: Int,
    in store: any Store,
    isPlain: Bool
  ) throws -> [AggregateGroup] {
    try store.read { (snapshot) throws(StoreError) in
      var groups: [AggregateGroup] = []
      let snapshot: any StoreSnapshot = isPlain ? PlainSnapshot(snapshot) : snapshot
      try snapshot.aggregates(aggregates, of: list, groupedByFirst: columns) { group in
        groups.append(group)
        return true
      }
      return groups
    }
  }
}

/// A snapshot that uses the port's default implementation of aggregates.
private final class PlainSnapshot: StoreSnapshot {
  private let base: any StoreSnapshot
  init(_ base: any StoreSnapshot) { self.base = base }

  var version: StoreVersion { base.version }

  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    try base.rows(keys, of: entity)
  }

  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.entries(of: definition, body)
  }

  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    try base.count(of: entity, where: predicate)
  }

  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try base.digests(of: definition, attributes: attributes, body)
  }

  func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try base.history(since: version, of: entity)
  }
}

extension OrderDefinition {
  fileprivate static func random(
    of entity: EntityDescription,
    _ workload: inout RandomStoreWorkload
  ) -> OrderDefinition? {
    try? OrderDefinition(
      entity: entity,
      predicate: workload.predicate(for: entity, depth: 1),
      sortDescriptors: workload.sortDescriptors(for: entity)
    )
  }
}

extension RandomStoreWorkload {
  /// Aggregates that an entity allows, most functions over most attributes.
  fileprivate mutating func aggregates(of entity: EntityDescription) -> [SectionAggregate] {
    var aggregates: [SectionAggregate] = []
    for attribute in entity.attributes {
      for function in FetchAggregate.Function.allCases where generator.happens(percent: 60) {
        let aggregate = FetchAggregate(
          function,
          of: .attribute(attribute.name),
          where: generator.happens(percent: 40) ? predicate(for: entity, depth: 1) : .all
        )
        guard (try? aggregate.type(in: entity)) != nil else { continue }
        aggregates.append(SectionAggregate("\(function) \(attribute.name)", aggregate))
      }
    }
    return aggregates
  }

  /// A list with sections and aggregates.
  fileprivate mutating func list(of entity: EntityDescription) -> ResultsDefinition<Row> {
    let attribute = generator.element(of: entity.attributes)?.name ?? ""
    let sections: SectionKey? = generator.choice(nil, .attribute(attribute), .attribute(attribute))
    return ResultsDefinition(
      FetchRequest<Row>(
        entity: entity,
        where: predicate(for: entity, depth: 1),
        sortedBy: sortDescriptors(for: entity),
        fetchLimit: generator.choice(nil, nil, 5),
        fetchOffset: generator.choice(0, 0, 2)
      ),
      sectionedBy: sections,
      isFrozen: generator.happens(percent: 20),
      aggregates: aggregates(of: entity)
    )
  }
}
