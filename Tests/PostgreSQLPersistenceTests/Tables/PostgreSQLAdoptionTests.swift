#if PostgreSQL
import Foundation
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import PostgreSQLPersistence

/// Tables of other applications: which columns hold which attributes, and how their values are read and compared (R155).
@Suite struct PostgreSQLAdoptionTests {
  /// A column that an attribute is adopted from.
  struct Case: Sendable, CustomTestStringConvertible {
    let type: String
    let attribute: AttributeType
    /// Values in SQL that ascend, with what they are to the domain.
    let values: [(sql: String, value: Value)]
    /// What is stored and has no value.
    var unreadable: [String] = []
    var setup: String?

    var testDescription: String { "\(attribute) in \(type)" }
  }

  private static let day: Int64 = 86_400_000_000
  private static let noon = Instant(wholeDay: 0)?.microseconds ?? 0

  static let cases: [Case] = [
    Case(type: "smallint", attribute: .integer64, values: [("-32768", -32768), ("5", 5)]),
    Case(
      type: "integer",
      attribute: .integer64,
      values: [("-7", -7), ("2147483647", 2_147_483_647)]
    ),
    Case(type: "bigint", attribute: .integer16, values: [("-1", -1), ("70000", 70000)]),
    Case(type: "bigint", attribute: .decimal(scale: 2), values: [("-150", -150), ("1250", 1250)]),
    Case(type: "integer", attribute: .boolean, values: [("0", 0), ("1", 1)]),
    Case(type: "boolean", attribute: .boolean, values: [("false", 0), ("true", 1)]),
    Case(
      type: "numeric(12,2)",
      attribute: .decimal(scale: 2),
      values: [("-0.01", -1), ("0", 0), ("12.50", 1250), ("9999999999.99", 999_999_999_999)],
      unreadable: ["'NaN'"]
    ),
    Case(
      type: "numeric(30,4)",
      attribute: .decimal(scale: 4),
      values: [("-922337203685477.5808", .integer(.min)), ("1", 10000)],
      unreadable: ["12345678901234567890", "'NaN'"]
    ),
    Case(
      type: "numeric(9,0)",
      attribute: .integer32,
      values: [("-3", -3), ("123456789", 123_456_789)]
    ),
    Case(
      type: "timestamptz",
      attribute: .date,
      values: [
        ("'-infinity'", .integer(.min)),
        ("'0001-01-01 00:00:00+00 BC'", .integer(-62_167_219_200_000_000)),
        ("'1969-12-31 23:59:59.999999+00'", -1),
        ("'2024-01-10 06:00:54.775807+02'", 1_704_859_254_775_807),
        ("'294247-01-10 04:00:54.775806+00'", .integer(.max - 1)),
        ("'infinity'", .integer(.max)),
      ],
      unreadable: ["'294247-01-10 04:00:54.775807+00'", "'294276-12-31'"]
    ),
    Case(
      type: "timestamp",
      attribute: .date,
      values: [
        ("'-infinity'", .integer(.min)), ("'1970-01-01 00:00:00.000001'", 1),
        ("'2001-09-09 01:46:40'", 1_000_000_000_000_000),
        ("'infinity'", .integer(.max)),
      ]
    ),
    Case(
      type: "date",
      attribute: .date,
      values: [
        ("'-infinity'", .integer(.min)), ("'1969-12-31'", .integer(noon - day)),
        ("'1970-01-01'", .integer(noon)),
        ("'2024-02-29'", .integer(19_782 * day + noon)),
        ("'infinity'", .integer(.max)),
      ],
      unreadable: ["'5874897-12-31'"]
    ),
    Case(
      type: "double precision",
      attribute: .real,
      values: [("'-infinity'", .real(-.infinity)), ("0.1", 0.1), ("1e300", 1e300)],
      unreadable: ["'NaN'"]
    ),
    Case(
      type: "real",
      attribute: .real,
      values: [("-1.5", -1.5), ("0.1", .real(Double(Float(0.1))))]
    ),
    Case(
      type: "text COLLATE \"en-x-icu\"",
      attribute: .text,
      values: [("'B'", "B"), ("'a'", "a")]
    ),
    Case(type: "varchar(3)", attribute: .text, values: [("'B '", "B "), ("'a'", "a")]),
    Case(
      type: "text COLLATE blind",
      attribute: .text,
      values: [("'B'", "B"), ("'a'", "a"), ("'b'", "b")],
      setup:
        "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    ),
    Case(
      type: "uuid",
      attribute: .text,
      values: [
        ("'00000000-0000-0000-0000-00000000000A'", "00000000-0000-0000-0000-00000000000a"),
        ("'f0000000-0000-4000-8000-000000000000'", "f0000000-0000-4000-8000-000000000000"),
      ]
    ),
    Case(
      type: "mood",
      attribute: .text,
      values: [("'good'", "good"), ("'sad'", "sad")],
      setup: "CREATE TYPE mood AS ENUM ('sad', 'good')"
    ),
    Case(
      type: "json",
      attribute: .text,
      values: [("'[1]'", "[1]"), ("'{ \"a\":1}'", "{ \"a\":1}")]
    ),
    Case(
      type: "jsonb",
      attribute: .text,
      values: [("'[1]'", "[1]"), ("'{ \"a\":1}'", "{\"a\": 1}")]
    ),
    Case(type: "name", attribute: .text, values: [("'B'", "B"), ("'a'", "a")]),
    Case(
      type: "bytea",
      attribute: .blob,
      values: [("'\\x00'", .blob([0])), ("'\\x00ff'", .blob([0, 255]))]
    ),
    Case(
      type: "price",
      attribute: .decimal(scale: 2),
      values: [("1.5", 150), ("3", 300)],
      setup: "CREATE DOMAIN price AS numeric(8,2) CHECK (VALUE > 0)"
    ),
  ]

  @Test(arguments: cases)
  func `R155, R263: values of each type are read, ordered, compared and aggregated exactly`(
    column: Case
  ) throws {
    let entity = try SchemaSample.entity(
      "Thing",
      [AttributeDescription("x", column.attribute, isOptional: true)]
    )
    let rows =
      column.values.enumerated().reversed()
      .map { "(\($0.offset + 1), \($0.element.sql))" } + ["(90, NULL)"]
    try TestServer.withDatabase { url in
      let server = try TestServer.connect(url)
      if let setup = column.setup { try server.runOnce(setup) }
      try server.runOnce(
        "CREATE TABLE \"Thing\" (id integer PRIMARY KEY, x \(column.type), own point NOT NULL DEFAULT '(1,2)')"
      )
      try server.runOnce("INSERT INTO \"Thing\" VALUES \(rows.joined(separator: ", "))")
      let store = try ReadTables([entity], at: url) { $0.adoptsTables = true }
      #expect(!store.tables.areOwn)
      try check(store, entity, column)
      // Writing what was read changes nothing.
      let keys = (1...column.values.count).map { ObjectKey.integer(Int64($0)) }
      let read = try store.read { try $0.rows(keys, of: entity).compactMap(\.self) }
      try store.replace(read, of: entity)
      #expect(try store.read { try $0.rows(keys, of: entity).compactMap(\.self) } == read)
      for unreadable in column.unreadable {
        try server.runOnce("DELETE FROM \"Thing\"")
        try server.runOnce("INSERT INTO \"Thing\" VALUES (7, \(unreadable))")
        try expectUnexpected(store, entity, unreadable)
      }
    }
  }

  @Test
  func `R188: a row whose key has lost its constraints is an error, however the list is read`()
    throws
  {
    let entity = try SchemaSample.entity(
      "Thing",
      [AttributeDescription("x", .text, isOptional: true)]
    )
    try TestServer.withDatabase { url in
      let server = try TestServer.connect(url)
      try server.runOnce("CREATE TABLE \"Thing\" (id integer PRIMARY KEY, x text)")
      let store = try ReadTables([entity], at: url) { $0.adoptsTables = true }
      try server.runOnce(
        "ALTER TABLE \"Thing\" DROP CONSTRAINT \"Thing_pkey\", ALTER id DROP NOT NULL"
      )
      try server.runOnce("INSERT INTO \"Thing\" VALUES (1, 'a'), (NULL, 'b')")
      for term in [FetchExpression.attribute("x"), .transformed(.natural, .attribute("x"))] {
        let definition = try OrderDefinition(
          entity: entity,
          predicate: .all,
          sortDescriptors: [FetchSortDescriptor(term, .ascending)]
        )
        for reads in [
          { (snapshot: ReadSnapshot) in try snapshot.entries(of: definition) { _ in true } },
          { (snapshot: ReadSnapshot) in
            try snapshot.digests(of: definition, attributes: AttributeSet(indexes: [0])) { _ in true
            }
          },
        ] {
          let error = #expect(throws: StoreError.self) { try store.read(reads) }
          #expect(
            error?.description.contains("in the key that is not of its type") == true,
            "\(String(describing: error))"
          )
        }
      }
    }
  }

  private func check(_ store: ReadTables, _ entity: EntityDescription, _ column: Case) throws {
    let x = FetchExpression.attribute("x")
    let values = column.values.map(\.value)
    let all = values.indices.map { ObjectKey.integer(Int64($0 + 1)) }
    #expect(
      try store.read { try $0.rows(all + [.integer(90)], of: entity).map { $0?.values } }
        == values.map { [$0] } + [[.null]]
    )
    func keys(_ predicate: FetchPredicate, _ direction: SortDirection = .ascending) throws
      -> [Int64]
    {
      try store.read { snapshot in
        try snapshot.keys(
          of: FetchRequest<Row>(
            entity: entity,
            where: predicate,
            sortedBy: [FetchSortDescriptor(x, direction)]
          )
        )
        .compactMap { if case .integer(let number) = $0 { number } else { nil } }
      }
    }
    let numbers = values.indices.map { Int64($0 + 1) }
    #expect(try keys(.all) == [90] + numbers)
    #expect(try keys(.all, .descending) == numbers.reversed() + [90])
    for (index, value) in values.enumerated() {
      let number = Int64(index + 1)
      let literal = FetchExpression.literal(value)
      #expect(try keys(.comparison(x, .equal, literal)) == [number])
      #expect(try keys(.comparison(x, .less, literal)) == numbers.filter { $0 < number })
      #expect(try keys(.comparison(x, .greaterOrEqual, literal)) == numbers.filter { $0 >= number })
      #expect(try keys(.comparison(x, .notEqual, literal)) == numbers.filter { $0 != number })
      #expect(try keys(.membership(x, [value])) == [number])
      #expect(try keys(.comparison(.ifNull(x, value), .equal, literal)) == [90, number])
      #expect(try keys(.comparison(x, .equal, x)) == numbers)
    }
    for function in Self.functions(of: column.attribute.storage) {
      for (index, value) in values.enumerated() {
        let expected = CompiledExpression(function, in: entity).value([value], key: all[index])
        guard !expected.isNull else { continue }
        let predicate = FetchPredicate.comparison(function, .equal, .literal(expected))
        let matching = values.indices.filter { other in
          CompiledExpression(function, in: entity).value([values[other]], key: all[other])
            == expected
        }
        #expect(
          try keys(predicate) == matching.map { Int64($0 + 1) },
          "\(function) of \(value)"
        )
      }
    }
    // What no value of the column can be is equal to none, and still has its place.
    if column.attribute.storage == .integer {
      for (number, isAbove) in [(Int64.max, true), (Int64.min, false)]
      where !values.contains(.integer(number)) {
        let literal = FetchExpression.literal(.integer(number))
        #expect(try keys(.comparison(x, .equal, literal)) == [])
        #expect(try keys(.comparison(x, .less, literal)) == (isAbove ? numbers : []))
        #expect(try keys(.membership(x, [.integer(number)])) == [])
      }
    }
    guard (try? FetchAggregate(.minimum, of: x).type(in: entity)) != nil else { return }
    let compiled = try CompiledAggregates(
      [
        FetchAggregate(.minimum, of: x), FetchAggregate(.maximum, of: x),
        FetchAggregate(.count, of: x),
      ],
      in: entity
    )
    let list = try OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: [FetchSortDescriptor(x)]
    )
    try store.read { snapshot in
      var groups: [AggregateGroup] = []
      try snapshot.aggregates(compiled, of: list, groupedByFirst: 0) { (group) throws(StoreError) in
        groups.append(group)
        return true
      }
      #expect(groups.count == 1)
      #expect(groups.first?.states[0] == .minimum(values[0]))
      #expect(groups.first?.states[1] == .maximum(values[values.count - 1]))
      #expect(groups.first?.states[2] == .count(values.count))
      groups = []
      try snapshot.aggregates(compiled, of: list, groupedByFirst: 1) { (group) throws(StoreError) in
        groups.append(group)
        return true
      }
      #expect(groups.map(\.count) == [1] + values.map { _ in 1 })
    }
  }

  /// Expressions over the column, which convert its values.
  private static func functions(of storage: StorageClass) -> [FetchExpression] {
    let x = FetchExpression.attribute("x")
    switch storage {
    case .integer: return [.bucket(x, width: 7), .bucket(x, width: 1)]
    case .text: return [.lowercased(x), .uppercased(x), .prefix(x, length: 1), .length(x)]
    case .real, .blob, .any: return []
    }
  }

  /// Expects that reading names the object whose value cannot be read.
  private func expectUnexpected(
    _ store: ReadTables,
    _ entity: EntityDescription,
    _ what: String
  ) throws {
    func isExpected(_ error: any Error) -> Bool {
      guard case .unexpectedValue(let id, "x") = error as? StoreError else { return false }
      return id == ObjectID(entity: "Thing", key: .integer(7))
    }
    let list = try OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: [.ascending("x")]
    )
    let compiled = try CompiledAggregates([FetchAggregate(.count, of: .attribute("x"))], in: entity)
    #expect {
      try store.read { try $0.rows([.integer(7)], of: entity) }
    } throws: {
      isExpected($0)
    }
    #expect {
      try store.read { try $0.entries(of: list) { (_) throws(StoreError) in true } }
    } throws: {
      isExpected($0)
    }
    #expect {
      try store.read {
        try $0.digests(of: list, attributes: AttributeSet(indexes: [0])) {
          (_) throws(StoreError) in true
        }
      }
    } throws: {
      isExpected($0)
    }
    #expect {
      try store.read {
        try $0.aggregates(compiled, of: list, groupedByFirst: 1) { (_) throws(StoreError) in true }
      }
    } throws: {
      isExpected($0)
    }
  }

  @Test func `keys of other types and collations are keys, sorted by bytes (R155)`() throws {
    let uuid = try SchemaSample.entity("U", [], identity: .text())
    try SchemaSample.adopting(
      "CREATE TABLE \"U\" (id uuid PRIMARY KEY)",
      "INSERT INTO \"U\" SELECT gen_random_uuid() FROM generate_series(1, 50)",
      entity: uuid
    ) { store in
      let keys = try store.read {
        try $0.keys(
          of: FetchRequest<Row>(
            entity: uuid,
            sortedBy: [FetchSortDescriptor(.objectKey, .descending)]
          )
        )
      }
      #expect(keys.count == 50)
      #expect(keys.map(\.description) == keys.map(\.description).sorted(by: >))
      #expect(try store.read { try $0.rows(keys, of: uuid).compactMap { $0?.id.key } } == keys)
    }
    let word = try SchemaSample.entity("W", [], identity: .text())
    try SchemaSample.adopting(
      "CREATE TABLE \"W\" (id varchar(9) COLLATE \"en-x-icu\" PRIMARY KEY)",
      "INSERT INTO \"W\" VALUES ('b'), ('A'), ('a'), ('ä'), ('Z')",
      entity: word
    ) { store in
      let keys = try store.read {
        try $0.keys(
          of: FetchRequest<Row>(entity: word, sortedBy: [FetchSortDescriptor(.objectKey)])
        )
      }
      #expect(keys.map(\.description) == ["A", "Z", "a", "b", "ä"])
      #expect(
        try store.read { try $0.count(of: word, where: .identity(IdentitySet(keys: keys))) } == 5
      )
    }
    let mixed = try SchemaSample.entity(
      "M",
      [AttributeDescription("day", .date), AttributeDescription("sum", .decimal(scale: 1))],
      identity: .compound(["day", "sum"])
    )
    try SchemaSample.adopting(
      "CREATE TABLE \"M\" (day date, sum numeric(5,1), PRIMARY KEY (sum, day))",
      "INSERT INTO \"M\" VALUES ('1970-01-01', 1.5), ('1970-01-02', -3)",
      entity: mixed
    ) { store in
      let keys = try store.read {
        try $0.keys(of: FetchRequest<Row>(entity: mixed, sortedBy: [.ascending("sum")]))
      }
      #expect(keys.map { $0.parts[1] } == [-30, 15])
      #expect(try store.read { try $0.rows(keys, of: mixed).compactMap { $0?.id.key } } == keys)
    }
  }
}
#endif
