#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import PostgreSQLPersistence

/// Long lists are read in batches, between which other things can be asked, and end when nobody wants them (R123, R154).
@Suite struct TableReaderTests {
  private static func entity() throws -> EntityDescription {
    try SchemaSample.entity(
      "Item",
      [AttributeDescription("a", .integer64), AttributeDescription("t", .text, isOptional: true)]
    )
  }

  private static func store(_ count: Int, at url: String) throws -> ReadTables {
    let store = try ReadTables([try entity()], at: url)
    try store.connection.runOnce(
      "INSERT INTO public.\"Item\" (a, t) SELECT n % 7, 'x' || n FROM generate_series(1, \(count)) n"
    )
    return store
  }

  private static func list(_ entity: EntityDescription) throws -> OrderDefinition {
    try OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: [.descending("a"), .ascending("t")]
    )
  }

  @Test func `between two batches rows and other lists are read (R154)`() throws {
    let entity = try Self.entity()
    try TestServer.withDatabase { url in
      let store = try Self.store(25_000, at: url)
      let list = try Self.list(entity)
      try store.read { snapshot in
        var (sizes, inner) = ([Int](), 0)
        var last: [UInt8] = []
        try snapshot.entries(of: list) { (batch) throws(StoreError) in
          sizes.append(batch.count)
          #expect(last.lexicographicallyPrecedes(batch.bytes[..<batch.ends[0]]))
          last = Array(batch.bytes[batch.ends[batch.count - 2]...])
          #expect(try snapshot.rows([.integer(1)], of: entity)[0]?.values == [1, "x1"])
          #expect(try snapshot.count(of: entity, where: .all) == 25_000)
          try snapshot.entries(of: list) { (batch) throws(StoreError) in
            inner += batch.count
            return inner % 10_000 != 0
          }
          return true
        }
        #expect(sizes == [10_000, 10_000, 5_000])
        #expect(inner == 30_000)
      }
    }
  }

  @Test func `a read that is not wanted any more ends, and the transaction with it (R123)`() throws
  {
    let entity = try Self.entity()
    try TestServer.withDatabase { url in
      let store = try Self.store(200_000, at: url)
      let list = try Self.list(entity)
      #expect {
        try store.read { snapshot in
          try ReadingInterest.reading(while: { false }) { () throws(StoreError) in
            try snapshot.entries(of: list) { (_) throws(StoreError) in
              Issue.record("a batch was read")
              return true
            }
          }
        }
      } throws: {
        guard case .aborted(let error) = $0 as? StoreError else { return false }
        return error is CancellationError
      }
      #expect(try store.read { try $0.count(of: entity, where: .all) } == 200_000)
    }
  }

  @Test func `rows are in the order of many keys, with nothing for those that are none (R154)`()
    throws
  {
    let entity = try Self.entity()
    try TestServer.withDatabase { url in
      let store = try Self.store(30_000, at: url)
      let keys = (1...45_000).map { ObjectKey.integer(Int64(($0 * 7919) % 45_000)) }
      let rows = try store.read { try $0.rows(keys, of: entity) }
      #expect(rows.count == 45_000)
      for (key, row) in zip(keys, rows) {
        guard case .integer(let number) = key else { continue }
        #expect((row != nil) == (1...30_000).contains(number))
        if let row { #expect(row.id.key == key) }
      }
    }
  }

  @Test func `sums of doubles inside of a condition are exact, and rounded once (R93, R154)`()
    throws
  {
    let order = try SchemaSample.entity("Order", [], [])
    let item = try SchemaSample.entity(
      "Item",
      [
        AttributeDescription("orderID", .integer64),
        AttributeDescription("x", .real, isOptional: true),
      ]
    )
    let relationship = RelationshipDescription("items", .toMany(foreignKey: ["orderID"])) { item }
    let holder = try SchemaSample.entity("Order", order.attributes, [relationship])
    let sums: [[Double]] = [
      [0.1, 0.2, 0.3, -0.6], [1e300, 1, -1e300],
      [.greatestFiniteMagnitude, .greatestFiniteMagnitude],
      [.greatestFiniteMagnitude, 1e291], [.greatestFiniteMagnitude, 9.979201547673599e291],
      [.leastNonzeroMagnitude, .leastNonzeroMagnitude], [.leastNonzeroMagnitude, -0.0],
      [-0.0], [.infinity, 5], [-.infinity, 5], [.infinity, -.infinity], [0x1p53, 1],
      [0x1p53, 1, 0x1p-1074],
      [-0x1.fffffffffffffp-1022, 0x1p-1074], [],
    ]
    try TestServer.withDatabase { url in
      let store = try ReadTables([holder, item], at: url)
      var (holders, items) = ([Row](), [Row]())
      for (index, numbers) in sums.enumerated() {
        let key = ObjectKey.integer(Int64(index))
        holders.append(Row(entity: holder, id: ObjectID(entity: "Order", key: key), values: []))
        for (position, number) in numbers.enumerated() {
          let key = ObjectKey.integer(Int64(index * 100 + position))
          items.append(
            Row(
              entity: item,
              id: ObjectID(entity: "Item", key: key),
              values: [.integer(Int64(index)), .real(number)]
            )
          )
        }
      }
      try store.replace(holders, of: holder)
      try store.replace(items, of: item)
      let sum = FetchExpression.relatedAggregate(["items"], .sum, .attribute("x"), where: .all)
      for (index, numbers) in sums.enumerated() {
        var exact = ExactRealSum()
        for number in numbers { exact.add(number) }
        let value = numbers.isEmpty ? nil : exact.value
        let condition: FetchPredicate =
          value.map { .comparison(sum, .equal, .literal(.real($0))) } ?? .isNull(sum)
        let isOrder = FetchPredicate.identity(IdentitySet(keys: [.integer(Int64(index))]))
        #expect(
          try store.read { try $0.count(of: holder, where: .and([condition, isOrder])) } == 1,
          "\(numbers)"
        )
      }
    }
  }
}
#endif
