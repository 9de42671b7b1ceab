import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R98, R99: rows have the same related values and objects in every store, and a page of them costs the same few readings.
@Suite struct ProjectionEquivalenceTests {
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `rows with related values are the same in every store (R98)`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let schema = try RelationSchema(&generator)
    let memory = try InMemoryStore(entities: schema.entities)
    let stores: [any Store] = [
      memory, try SQLiteStore.inMemory(entities: schema.entities), PlainStore(target: memory),
    ]
    for step in 0..<20 {
      let start = generator
      for store in stores.prefix(2) {
        generator = start
        try store.write { try schema.change(steps: 12, $0, &generator) }
      }
      for entity in schema.entities.dropLast() {
        let request = request(entity, &generator)
        let rows = try stores.map { try $0.fetch(request).map(\.values) }
        let what = "seed \(seed), step \(step): \(request.propertiesToFetch ?? [])"
        #expect(rows[0] == rows[1], "\(what)")
        #expect(rows[0] == rows[2], "\(what)")
      }
    }
  }

  private func request(
    _ entity: EntityDescription,
    _ generator: inout SeededGenerator
  ) -> FetchRequest<Row> {
    var properties = ["name"]
    var prefetched: [[String]] = []
    for relationship in entity.relationships where generator.happens(percent: 60) {
      let attribute = generator.element(of: relationship.destination.attributes)
      properties.append("\(relationship.name).\(attribute?.name ?? "")")
      guard generator.happens(percent: 50) else { continue }
      prefetched.append([relationship.name])
      if relationship.isToOne, let next = relationship.destination.relationships.first {
        prefetched.append([relationship.name, next.name])
      }
    }
    var request = FetchRequest<Row>(
      entity: entity,
      sortedBy: [.ascending("rank")],
      propertiesToFetch: properties
    )
    request.relationshipPathsForPrefetching = prefetched
    return request
  }

  @Test func `a page of 50 with two relationships is three readings (R99)`() throws {
    let library = try RelatedLibrary()
    let entities = library.entities
    for store in [
      try InMemoryStore(entities: entities), try SQLiteStore.inMemory(entities: entities),
    ]
      as [any Store]
    {
      try store.write { transaction in
        let country = library.entity("Country")
        let author = library.entity("Author")
        let book = library.entity("Book")
        func values(_ entity: EntityDescription, _ known: [String: Value]) -> [Value] {
          entity.attributes.map { attribute in
            if let value = known[attribute.name] { return value }
            if attribute.isOptional { return .null }
            return attribute.type.storage == .text
              ? "" : attribute.type.storage == .real ? 0.0 : 0
          }
        }
        try transaction.insert(
          values(country, ["name": "Italy"]),
          key: .text("it"),
          into: country
        )
        for id in 1...3 as ClosedRange<Int64> {
          try transaction.insert(
            values(author, ["countryCode": "it"]),
            key: .integer(id),
            into: author
          )
        }
        for id in 1...80 as ClosedRange<Int64> {
          try transaction.insert(
            values(book, ["authorID": .integer(id % 3 + 1)]),
            key: .integer(id),
            into: book
          )
        }
      }
      var request = FetchRequest<Row>(
        entity: library.entity("Book"),
        sortedBy: [FetchSortDescriptor(.objectKey)],
        fetchLimit: 50
      )
      request.relationshipPathsForPrefetching = [["author"], ["author", "country"]]
      let (count, names) = try store.read { (snapshot) throws(StoreError) in
        let counting = CountingReadings(snapshot)
        let rows = try counting.fetch(request)
        return (counting.count, rows.map { $0["author.country.name"] })
      }
      #expect(count == [50, 3, 1])
      #expect(names == Array(repeating: "Italy", count: 50))
    }
  }
}

/// A snapshot that notes how many rows each reading asks for.
private final class CountingReadings: SnapshotForwarding {
  let base: any StoreSnapshot
  private(set) var count: [Int] = []

  init(_ base: any StoreSnapshot) { self.base = base }

  func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row?] {
    count.append(keys.count)
    return try base.rows(keys, of: entity)
  }

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    count.append(keys.count)
    return try base.referrers(to: keys, through: columns, of: entity, limit: limit)
  }
}

/// A store without indexes that knows nothing of relationships.
private struct PlainStore: ForwardingStore {
  let target: any Store

  func wrapped(_ snapshot: any StoreSnapshot) -> any StoreSnapshot { PlainSnapshot(snapshot) }
}

private final class PlainSnapshot: SnapshotForwarding {
  let base: any StoreSnapshot
  func orderedSource(
    of definition: OrderDefinition
  ) throws(StoreError) -> (any OrderedSource)? { nil }

  init(_ base: any StoreSnapshot) { self.base = base }

  func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    let order = entity.attributes.map { FetchSortDescriptor(.attribute($0.name)) }
    let all = try base.fetch(FetchRequest<Row>(entity: entity, sortedBy: order))
    return all.filter { row in keys.contains { $0.parts == columns.map { row[$0] } } }.map(\.id.key)
  }
}
