#if PostgreSQL
import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

@testable import PostgreSQLPersistence

/// PostgreSQL, SQLite and the evaluator give the same lists, counts, digests and aggregates, byte by byte (R154, R284).
///
/// `RESULTS_FUZZ` is the number of lists that are compared; each seed has a new entity with new rows.
@Suite struct PredicateEquivalenceTests {
  private static let listCount =
    ProcessInfo.processInfo.environment["RESULTS_FUZZ"].flatMap { Int($0) } ?? 600
  private static let listsOfSeed = 50
  private static let firstSeed: UInt64 =
    ProcessInfo.processInfo.environment["RESULTS_SEED"].flatMap { UInt64($0) } ?? 1

  @Test func `lists are the same in PostgreSQL, SQLite and memory (R154)`() throws {
    let seeds = max(1, Self.listCount / Self.listsOfSeed)
    var (compared, notEmpty) = (0, 0)
    try TestServer.withDatabase { url in
      for offset in 0..<seeds {
        let seed = Self.firstSeed + UInt64(offset)
        let result = try compare(seed, url)
        compared += result.compared
        notEmpty += result.notEmpty
      }
    }
    print(
      "\(compared) lists compared, \(notEmpty) not empty; seeds \(Self.firstSeed) to \(Self.firstSeed + UInt64(seeds) - 1)"
    )
    #expect(compared > Self.listCount / 3)
    #expect(notEmpty > compared / 4)
  }

  private func compare(_ seed: UInt64, _ url: String) throws -> (compared: Int, notEmpty: Int) {
    var workload = RandomStoreWorkload(seed: seed)
    let entity = try workload.entity(named: "Item")
    let server = try TestServer.connect(url)
    try server.runOnce("DROP TABLE IF EXISTS public.\"Item\"")
    let postgreSQL = try ReadTables([entity], at: url)
    let memory = try InMemoryStore(entities: [entity])
    let sqlite = try SQLiteStore.inMemory(entities: [entity])
    for _ in 0..<25 {
      let values = workload.values(for: entity)
      let key = workload.key(for: entity)
      for store in [memory as any Store, sqlite] {
        _ = try? store.write { transaction in
          _ = try transaction.insert(values, key: key, into: entity)
        }
      }
    }
    let rows = try memory.fetch(FetchRequest<Row>(entity: entity, sortedBy: keyOrder(entity)))
    try postgreSQL.replace(rows, of: entity)
    var (compared, notEmpty) = (0, 0)
    for step in 0..<Self.listsOfSeed {
      let what = "seed \(seed), list \(step)"
      var predicate = workload.predicate(for: entity, keys: rows.map(\.id.key))
      if workload.generator.happens(percent: 10) { predicate = predicate.withZeros }
      let terms = workload.sortDescriptors(for: entity)
      guard
        let list = try? OrderDefinition(
          entity: entity,
          predicate: predicate,
          sortDescriptors: terms
        )
      else { continue }
      var inputs: [FetchAggregate] = []
      for attribute in entity.attributes {
        for function in FetchAggregate.Function.allCases
        where workload.generator.happens(percent: 20) {
          let aggregate = FetchAggregate(
            function,
            of: .attribute(attribute.name),
            where: workload.generator.happens(percent: 50)
              ? workload.predicate(for: entity, depth: 1) : .all
          )
          if (try? aggregate.type(in: entity)) != nil { inputs.append(aggregate) }
        }
      }
      let columns = workload.generator.number(in: 0...list.terms.count)
      let aggregates = try CompiledAggregates(inputs, in: entity)
      let expected = try memory.read { (snapshot) throws(StoreError) in
        try ListView(snapshot, list, aggregates, columns)
      }
      let found = try postgreSQL.read { try ListView($0, list, aggregates, columns) }
      let file = try sqlite.read { (snapshot) throws(StoreError) in
        try ListView(snapshot, list, aggregates, columns)
      }
      try #require(
        found.difference(from: expected) == "",
        "\(what): \(predicate) by \(terms)"
      )
      try #require(
        file.difference(from: expected) == "",
        "\(what): SQLite: \(predicate) by \(terms)"
      )
      compared += 1
      if expected.count > 0 { notEmpty += 1 }
    }
    try sqlite.close()
    return (compared, notEmpty)
  }

  private func keyOrder(_ entity: EntityDescription) -> [FetchSortDescriptor] {
    guard case .compound(let names) = entity.identity else {
      return [FetchSortDescriptor(.objectKey)]
    }
    return names.map { .ascending($0) }
  }
}

/// What a list reads of a snapshot.
struct ListView: Equatable {
  var bytes: [UInt8] = []
  var ends: [Int] = []
  var count = 0
  var digests: [UInt8] = []
  var groups: [AggregateGroup] = []

  init(
    _ snapshot: any StoreSnapshot,
    _ list: OrderDefinition,
    _ aggregates: CompiledAggregates,
    _ columns: Int
  ) throws(StoreError) {
    var view = (bytes: [UInt8](), ends: [Int](), digests: [UInt8](), groups: [AggregateGroup]())
    try snapshot.entries(of: list) { (batch) throws(StoreError) in
      view.ends += batch.ends.map { $0 + view.bytes.count }
      view.bytes += batch.bytes
      return true
    }
    let attributes = AttributeSet(indexes: Array(list.entity.attributes.indices))
    try snapshot.digests(of: list, attributes: attributes) { (batch) throws(StoreError) in
      view.digests += batch.bytes
      return true
    }
    try snapshot.aggregates(aggregates, of: list, groupedByFirst: columns) {
      (group) throws(StoreError) in
      view.groups.append(group)
      return true
    }
    (bytes, ends, digests, groups) = view
    count = try snapshot.count(of: list.entity, where: list.predicate)
  }

  /// The parts in which two views differ; empty if they are equal.
  func difference(from other: ListView) -> String {
    var parts: [String] = []
    if count != other.count { parts.append("count \(count), not \(other.count)") }
    if bytes != other.bytes || ends != other.ends { parts.append("entries") }
    if digests != other.digests { parts.append("digests") }
    if groups != other.groups { parts.append("groups \(groups), not \(other.groups)") }
    return parts.joined(separator: "; ")
  }
}

extension FetchPredicate {
  /// The predicate with a NUL in the middle of its texts.
  fileprivate var withZeros: FetchPredicate {
    switch self {
    case .comparison(let left, let comparison, let right):
      .comparison(left.withZeros, comparison, right.withZeros)
    case .between(let expression, let low, let high):
      .between(expression.withZeros, low, high.withZero)
    case .membership(let expression, let values):
      .membership(expression.withZeros, values.map(\.withZero))
    case .text(let expression, .matches, let text, let isFolding):
      .text(expression.withZeros, .matches, text, caseInsensitive: isFolding)
    case .text(let expression, let comparison, let text, let isFolding):
      .text(expression.withZeros, comparison, text + "\0", caseInsensitive: isFolding)
    case .isNull(let expression): .isNull(expression.withZeros)
    case .not(let inner): .not(inner.withZeros)
    case .and(let parts): .and(parts.map(\.withZeros))
    case .or(let parts): .or(parts.map(\.withZeros))
    default: self
    }
  }
}

extension FetchExpression {
  fileprivate var withZeros: FetchExpression {
    switch self {
    case .literal(let value): .literal(value.withZero)
    case .ifNull(let inner, let other): .ifNull(inner.withZeros, other.withZeros)
    case .prefix(let inner, let length): .prefix(inner.withZeros, length: length)
    case .lowercased(let inner): .lowercased(inner.withZeros)
    case .length(let inner): .length(inner.withZeros)
    case .transformed(let transform, let inner): .transformed(transform, inner.withZeros)
    default: self
    }
  }
}

extension Value {
  fileprivate var withZero: Value {
    if case .text(let text) = self { .text(text + "\0z") } else { self }
  }
}
#endif
