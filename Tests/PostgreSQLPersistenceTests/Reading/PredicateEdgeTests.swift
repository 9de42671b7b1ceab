#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import PostgreSQLPersistence

/// Where the server's own operators would differ: extremes, doubles beside integers, constants with NUL, nested replacements (R154).
@Suite struct PredicateEdgeTests {
  private static let integers: [Value] = [
    .null, .integer(.min), .integer(.min + 1), -1, 0, 1, .integer(1 << 53), .integer(1 << 53 + 1),
    .integer(.max - 1024), .integer(.max),
  ]
  private static let reals: [Value] = [
    .null, .real(-.infinity), .real(-0x1p63), -0.5, .real(-0.0), 0.5, 1, .real(0x1p53),
    .real(0x1p53 + 2), .real((0x1p63).nextDown), .real(0x1p63), .real(.infinity),
  ]
  private static let texts: [Value] = [.null, "", "a", "a\u{1}", "a%b", "A\\", "ä", "Σ", "😀"]

  private static func rows(_ entity: EntityDescription) -> [Row] {
    var rows: [Row] = []
    for integer in integers {
      for real in reals {
        let number = rows.count
        rows.append(
          Row(
            entity: entity,
            id: ObjectID(entity: entity.name, key: .integer(Int64(number))),
            values: [integer, real, texts[number % texts.count]]
          )
        )
      }
    }
    return rows
  }

  private static func predicates() -> [FetchPredicate] {
    let i = FetchExpression.attribute("i")
    let r = FetchExpression.attribute("r")
    let t = FetchExpression.attribute("t")
    var all: [FetchPredicate] = []
    for comparison in ComparisonOperator.allCases {
      for value in integers + reals {
        all.append(.comparison(i, comparison, .literal(value)))
        all.append(.comparison(.literal(value), comparison, r))
        all.append(.comparison(.bucket(i, width: 7), comparison, .literal(value)))
      }
      for value in texts + ["a\0", "\0", "a\0z"] {
        all.append(.comparison(t, comparison, .literal(value)))
        all.append(.comparison(.ifNull(t, "a\0z"), comparison, .literal(value)))
        all.append(.comparison(.lowercased(.ifNull(t, "A\0Z")), comparison, .literal(value)))
        // R287: a constant that SQL cannot say may be in the place of null at any depth.
        for other in [.lowercased(.ifNull(t, "A\0Z")), .ifNull(.literal("a\0"), t), t]
          as [FetchExpression]
        {
          all.append(
            .comparison(.ifNull(.prefix(t, length: 1), other), comparison, .literal(value))
          )
        }
      }
      all.append(.comparison(.ifNull(i, .length(t)), comparison, .literal(1)))
      all.append(.comparison(.bucket(.ifNull(i, .length(t)), width: 7), comparison, i))
      all.append(.comparison(i, comparison, r))
      all.append(.comparison(r, comparison, .length(t)))
      all.append(.comparison(.ifNull(t, "\0"), comparison, .ifNull(t, "a\0")))
      all.append(.comparison(.ifNull(.ifNull(i, 1), 2), comparison, .ifNull(i, 3)))
      all.append(.comparison(.ifNull(i, .null), comparison, .literal(1)))
      all.append(
        .comparison(.length(.prefix(.ifNull(t, "ab\0"), length: 9)), comparison, .literal(2))
      )
      for order in [TextTransform.natural, .filing] {
        all.append(.comparison(.transformed(order, .ifNull(t, "a\0")), comparison, .literal("a")))
        all.append(
          .comparison(.transformed(order, .ifNull(.lowercased(t), t)), comparison, .literal("a"))
        )
      }
      all.append(.comparison(.literal(1), comparison, .literal(1.5)))
    }
    for values in [integers, reals, [], [.null], [1, .null], [0.5, 1, .real(.nan)]] {
      all.append(.membership(i, values))
      all.append(.membership(r, values))
      all.append(.membership(.ifNull(i, 5), values))
    }
    all.append(.membership(t, texts))
    all.append(.membership(.ifNull(t, "a\0"), ["a\0", "b"]))
    all.append(.membership(t, (0..<100).map { .text("\($0)") } + ["a"]))
    all.append(.membership(i, (0..<100).map { .integer($0) } + [.null]))
    for low in integers { all.append(.between(r, low, .real(.infinity))) }
    for isFolding in [false, true] {
      for comparison in TextOperator.allCases where comparison != .matches {
        for text in ["", "a", "A", "%", "_", "\\", "a\0", "*\0*", "?", "*", "\\*", "Ä", "ς", "σ"] {
          all.append(.text(t, comparison, text, caseInsensitive: isFolding))
          all.append(.text(.ifNull(t, "xa\0"), comparison, text, caseInsensitive: isFolding))
        }
      }
      all.append(.text(t, .matches, "[a-z].?", caseInsensitive: isFolding))
      all.append(.text(.ifNull(t, "b\0"), .matches, "b.*", caseInsensitive: isFolding))
    }
    for expression in [i, r, t, .ifNull(t, "\0"), .bucket(i, width: 10), .ifNull(i, .null)] {
      all.append(.isNull(expression))
    }
    return all + all.map { .not($0) }
  }

  @Test func `every comparison at the edges is the evaluator's (R154)`() throws {
    let entity = try SchemaSample.entity(
      "Edge",
      [
        AttributeDescription("i", .integer64, isOptional: true),
        AttributeDescription("r", .real, isOptional: true),
        AttributeDescription("t", .text, isOptional: true),
      ]
    )
    let rows = Self.rows(entity)
    try TestServer.withDatabase { url in
      let store = try ReadTables([entity], at: url)
      try store.replace(rows, of: entity)
      try store.read { (snapshot) throws -> Void in
        for predicate in Self.predicates() {
          let request = FetchRequest<Row>(
            entity: entity,
            where: predicate,
            sortedBy: [FetchSortDescriptor(.objectKey)]
          )
          // What the core refuses is never translated.
          guard (try? predicate.validate(in: entity)) != nil else { continue }
          let compiled = CompiledPredicate(predicate, in: entity)
          let expected = rows.filter { compiled.holds(for: $0) }.map(\.id.key)
          let found = try snapshot.keys(of: request)
          #expect(found == expected, "\(predicate)")
        }
      }
    }
  }

  @Test
  func `an order by a replacement with NUL is the evaluator's, in batches of any size (R154)`()
    throws
  {
    let entity = try SchemaSample.entity(
      "Edge",
      [AttributeDescription("t", .text, isOptional: true), AttributeDescription("n", .integer64)]
    )
    let rows = (0..<60).map { number in
      Row(
        entity: entity,
        id: ObjectID(entity: "Edge", key: .integer(Int64(number))),
        values: [Self.texts[number % Self.texts.count], .integer(Int64(number % 3))]
      )
    }
    try TestServer.withDatabase { url in
      let store = try ReadTables([entity], at: url)
      try store.replace(rows, of: entity)
      for direction in [SortDirection.ascending, .descending] {
        let list = try OrderDefinition(
          entity: entity,
          predicate: .all,
          sortDescriptors: [
            FetchSortDescriptor(.ifNull(.attribute("t"), "a\0z"), direction), .descending("n"),
          ]
        )
        let encoder = RowKeyEncoder(list)
        let keys = try rows.map { try encoder.key($0.values, key: $0.id.key) }
          .sorted { $0.lexicographicallyPrecedes($1) }
        let aggregates = try CompiledAggregates([.sum("n")], in: entity)
        try store.read { (snapshot) throws -> Void in
          let view = try ListView(snapshot, list, aggregates, 1)
          #expect(view.bytes == keys.flatMap(\.self))
          #expect(view.groups.count == Self.texts.count)
          #expect(view.groups.map(\.count).reduce(0, +) == rows.count)
        }
      }
    }
  }
}
#endif
