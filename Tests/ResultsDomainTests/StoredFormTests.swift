import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

/// The forms in which other applications write dates, UUIDs and decimals.
@Suite
struct StoredFormTests {
  private static let dates: [StoredForm] = [
    .dateText(digits: 0), .dateText(digits: 3), .dateText(digits: 6),
    .dateTextOmittingZeroFraction, .iso8601(digits: 0), .iso8601(digits: 3), .epochSeconds,
    .epochMilliseconds, .referenceSeconds,
    .fileTimeMicroseconds,
  ]

  /// The microseconds of the smallest unit that a form writes.
  private static func unit(of form: StoredForm) -> Int64 {
    switch form {
    case .dateText(0), .iso8601(0): 1_000_000
    case .dateText(3), .iso8601(3), .epochMilliseconds: 1000
    default: 1
    }
  }

  @Test(arguments: dates)
  func `R102: a date round-trips exactly, and stored dates sort like dates`(_ form: StoredForm)
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    // Of the years 1 to 9999 a double has microseconds only near its epoch, and milliseconds in all.
    let spans: [(span: Int64, unit: Int64)] =
      switch form {
      case .epochSeconds, .referenceSeconds:
        [(7_500_000_000_000_000, 1), (60_000_000_000_000_000, 1000)]
      default: [(60_000_000_000_000_000, Self.unit(of: form))]
      }
    var pairs: [(date: Int64, stored: Value)] = []
    for index in 0..<400 {
      let (span, unit) = spans[index % spans.count]
      let date = Int64(bitPattern: generator.next()) % span / unit * unit
      let stored = try #require(form.stored(.integer(date)), "\(date), seed \(seed)")
      #expect(form.logical(stored) == .integer(date), "\(stored), seed \(seed)")
      pairs.append((date, stored))
    }
    for (one, other) in zip(pairs, pairs.dropFirst()) {
      let order: ValueOrder =
        one.date == other.date ? .same : one.date < other.date ? .ascending : .descending
      #expect(Value.compare(one.stored, other.stored) == order, "seed \(seed)")
    }
  }

  @Test func `R102: a fraction that is zero is omitted, and dates around whole seconds sort`()
    throws
  {
    let form = StoredForm.dateTextOmittingZeroFraction
    let texts = [
      "1999-12-31 23:59:59.999999", "2000-01-01 00:00:00", "2000-01-01 00:00:00.000001",
      "2000-01-01 00:00:00.100000", "2000-01-01 00:00:00.999999", "2000-01-01 00:00:01",
    ]
    let dates = try texts.map { try #require(form.logical(.text($0))?.integer, "\($0)") }
    #expect(dates == dates.sorted() && texts == texts.sorted())
    #expect(dates[1...3].map { $0 - dates[1] } == [0, 1, 100_000])
    #expect(dates.map { form.stored(.integer($0)) } == texts.map { .text($0) })
    for text in ["2000-01-01 00:00:00.000000", "2000-01-01 00:00:00.1", "2000-01-01T00:00:00"] {
      #expect(form.logical(.text(text)) == nil, "\(text)")
    }
  }

  @Test(arguments: [StoredForm.epochSeconds, .epochMilliseconds, .referenceSeconds])
  func `R102: a date that a double cannot hold has no stored value`(_ form: StoredForm) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    var missing = 0
    for _ in 0..<1000 {
      let date = Int64(bitPattern: generator.next()) >> generator.below(20)
      guard let stored = form.stored(.integer(date)) else {
        missing += 1
        continue
      }
      #expect(form.logical(stored) == .integer(date), "\(date), seed \(seed)")
    }
    #expect(missing > 100, "seed \(seed)")
    #expect(form.stored(.integer(20_000_000_000_000_001)) == nil)
    #expect(form.stored(.integer(20_000_000_000_001_000)) != nil)
    for stored in [Double.infinity, -.infinity, 1e19, -1e19, 0x1p62, .greatestFiniteMagnitude] {
      #expect(form.logical(.real(stored)) == nil)
    }
    #expect(form.logical(.real(.nan)) == nil)
  }

  @Test func `R102: the known forms are those of the applications that write them`() {
    let noon: Value = .integer(1_704_110_400_123_000)  // 2024-01-01T12:00:00.123Z
    #expect(StoredForm.dateText(digits: 3).stored(noon) == "2024-01-01 12:00:00.123")
    #expect(StoredForm.dateText(digits: 6).stored(noon) == "2024-01-01 12:00:00.123000")
    #expect(StoredForm.dateText(digits: 0).stored(noon) == nil)
    #expect(StoredForm.iso8601(digits: 3).stored(noon) == "2024-01-01T12:00:00.123Z")
    #expect(StoredForm.epochMilliseconds.stored(noon) == .integer(1_704_110_400_123))
    #expect(StoredForm.epochSeconds.stored(noon) == .real(1_704_110_400.123))
    #expect(StoredForm.referenceSeconds.logical(.integer(0)) == .integer(978_307_200_000_000))
    let visit = StoredForm.fileTimeMicroseconds.logical(.integer(13_348_584_000_000_000))
    #expect(visit == .integer(1_704_110_400_000_000))
    let bytes = (0..<16).map { UInt8($0 * 16 + $0) }
    let text: Value = "00112233-4455-6677-8899-AABBCCDDEEFF"
    #expect(StoredForm.uuidBlob.logical(.blob(bytes)) == text)
    #expect(StoredForm.uuidBlob.stored(text) == .blob(bytes))
    #expect(StoredForm.uuidHex.stored(text) == "00112233445566778899aabbccddeeff")
    #expect(
      StoredForm.uuidText(isUppercase: false).stored(text) == "00112233-4455-6677-8899-aabbccddeeff"
    )
  }

  @Test func `R266: words are stored as their numbers, and compared and sorted in their order`()
    throws
  {
    let level = AttributeDescription(
      "level",
      .text,
      isOptional: true,
      form: .words(["low", "é", "high"])
    )
    let form = try #require(level.form)
    #expect(form.stored("high") == 2 && form.logical(2) == "high")
    #expect(level.storage == .integer && level.type == .text)
    // A word of other bytes is another one, and a number without a word is shown as it is.
    for other: Value in ["e\u{301}", "High", "", 1] {
      #expect(form.stored(other) == nil, "\(other)")
    }
    for other: Value in [3, -1, 1.0, "low"] { #expect(form.logical(other) == nil, "\(other)") }
    #expect(level.machineText(of: 1) == "é" && level.machineText(of: 7) == "7")
    #expect(level.value(parsing: "high") == 2 && level.value(parsing: "2") == nil)
    let entity = try EntityDescription(name: "Event", attributes: [level])
    for (text, expected) in [
      ("level >= 'é'", [1, 2]), ("level == 'low'", [0]), ("'é' > level", [0]),
      ("level IN {'low', 'high'}", [0, 2]), ("level != 'high'", [0, 1]),
    ] as [(String, [Int64])] {
      let predicate = try FetchPredicate(parsing: text, entity: entity)
      let compiled = CompiledPredicate(predicate, in: entity)
      let found = (0...2).filter { compiled.holds([.integer($0)], key: .integer(1)) }
      #expect(found == expected, "\(text)")
      #expect(try FetchPredicate(parsing: predicate.text(in: entity), entity: entity) == predicate)
    }
    for text in [
      "level == 'hihg'", "'hihg' < level", "level IN {'low', 'hihg'}",
      "level BETWEEN 'low' AND 'hihg'",
      "ifnull(level, 'low') == 'hihg'",
    ] {
      let error = #expect(throws: PredicateParseError.self, "\(text)") {
        try FetchPredicate(parsing: text, entity: entity)
      }
      #expect(error?.description.contains("'hihg' is none of low, é, high") == true, "\(text)")
    }
  }

  @Test
  func `R102: a date without a time is a whole day, and conditions with dates are those of days`()
    throws
  {
    let day = try #require(Instant(plainText: "2024-02-29"))
    let form = StoredForm.dayText
    #expect(form.stored(.integer(day.microseconds)) == "2024-02-29")
    #expect(form.logical("2024-02-29") == .integer(day.microseconds))
    for text: Value in ["2024-02-30", "2024-2-29", "2024-02-29 ", "20240229", ""] {
      #expect(form.logical(text) == nil, "\(text)")
    }
    #expect(form.stored(.integer(day.microseconds + 1)) == nil)
    let born = AttributeDescription("born", .date, form: form)
    #expect(born.value(parsing: "2024-02-29") == "2024-02-29")
    #expect(born.machineText(of: "2024-02-29") == "2024-02-29")
    let entity = try EntityDescription(
      name: "Person",
      attributes: [AttributeDescription("born", .date, isOptional: true, form: form)]
    )
    let days = ["1969-12-31", "1970-01-01", "2024-02-28", "2024-02-29", "2024-03-01"]
    for (text, expected) in [
      ("born == '2024-02-29'", 3...3), ("born >= '2024-02-29'", 3...4),
      ("born > '2024-02-28'", 3...4),
      ("born < '1970-01-01'", 0...0), ("born <= '1970-01-01'", 0...1),
      ("born BETWEEN '1970-01-01' AND '2024-02-28'", 1...2),
    ] {
      let predicate = CompiledPredicate(
        try FetchPredicate(parsing: text, entity: entity),
        in: entity
      )
      let found = days.indices.filter { index in
        let id = ObjectID(entity: "Person", key: .integer(1))
        return predicate.holds(for: Row(entity: entity, id: id, values: [.text(days[index])]))
      }
      #expect(found == Array(expected), "\(text)")
    }
  }

  @Test
  func `R102: what does not have the form exactly has no logical value, and is shown as it is`() {
    let form = StoredForm.dateText(digits: 3)
    let attribute = AttributeDescription("at", form.type, holdsAnyValue: true, form: form)
    for stored: Value in [
      "2024-01-01", "2024-01-01 12:00:00", "2024-01-01T12:00:00.000Z", "2024-02-30 12:00:00.000",
      "now", .integer(5), .blob([1]), "2024-01-01 12:00:00.0000",
    ] {
      #expect(form.logical(stored) == nil, "\(stored)")
      #expect(attribute.shown(stored).value == stored)
    }
    #expect(attribute.machineText(of: "2024-01-01 12:00:00.000") == "2024-01-01T12:00:00Z")
    #expect(attribute.machineText(of: "now") == "now")
    #expect(attribute.machineText(of: .integer(5)) == "5")
    #expect(attribute.value(parsing: "2024-01-01") == "2024-01-01 00:00:00.000")
    #expect(
      StoredForm.uuidText(isUppercase: true).logical("00112233-4455-6677-8899-aabbccddeeff") == nil
    )
  }

  private static func entity() throws -> EntityDescription {
    try EntityDescription(
      name: "Visit",
      attributes: [
        AttributeDescription("at", .date, form: .dateText(digits: 0)),
        AttributeDescription("seconds", .date, form: .epochSeconds),
        AttributeDescription("price", .text, form: .decimalText),
        AttributeDescription("key", .text, form: .uuidBlob),
      ]
    )
  }

  @Test
  func `R102: constants of a condition are converted to the stored form, and back in its text`()
    throws
  {
    let entity = try Self.entity()
    func parse(_ text: String) throws -> FetchPredicate {
      try FetchPredicate(parsing: text, entity: entity)
    }
    let after = try parse("at >= '2026-01-01'")
    #expect(
      after == .comparison(.attribute("at"), .greaterOrEqual, .literal("2026-01-01 00:00:00"))
    )
    #expect(try parse(after.text(in: entity)) == after)
    let between = try parse("seconds BETWEEN '1970-01-02' AND '1970-01-03T00:00:00.5Z'")
    #expect(between == .between(.attribute("seconds"), 86_400, 172_800.5))
    #expect(try parse(between.text(in: entity)) == between)
    let key = try parse("key == '00112233-4455-6677-8899-aabbccddeeff'")
    guard case .comparison(_, .equal, .literal(.blob(let bytes))) = key else {
      Issue.record("\(key)")
      return
    }
    #expect(bytes.count == 16)
    #expect(throws: PredicateParseError.self) { try parse("at >= 'yesterday'") }
  }

  @Test func `R102: a condition with a date that the form cannot hold compares as the dates do`()
    throws
  {
    let entity = try Self.entity()
    func parse(_ text: String) throws -> FetchPredicate {
      try FetchPredicate(parsing: text, entity: entity)
    }
    func at(_ comparison: ComparisonOperator, _ text: String) -> FetchPredicate {
      .comparison(.attribute("at"), comparison, .literal(.text(text)))
    }
    let end = "2026-01-01 23:59:59"
    #expect(try parse("at <= '2026-01-01'") == at(.lessOrEqual, end))
    #expect(try parse("at > '2026-01-01'") == at(.greater, end))
    #expect(
      try parse("at == '2026-01-01'")
        == .between(.attribute("at"), "2026-01-01 00:00:00", .text(end))
    )
    #expect(try parse("at < '2026-01-01T23:59:59.5Z'") == at(.lessOrEqual, end))
    #expect(try parse("'2026-01-01T23:59:59.5Z' <= at") == at(.greater, end))
    #expect(
      try parse("at BETWEEN '2026-01-01T23:59:59.5Z' AND '2026-01-02'")
        == .and([at(.greater, end), at(.lessOrEqual, "2026-01-02 23:59:59")])
    )
    #expect(
      try parse("at IN {'2026-01-01T23:59:59.5Z', '2026-01-01T23:59:59Z'}")
        == .membership(.attribute("at"), [.text(end)])
    )

    // Of a date between two stored ones every comparison is that of the dates.
    let forms: [StoredForm] = [.dateText(digits: 1), .iso8601(digits: 0), .epochSeconds]
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for form in forms {
      let entity = try EntityDescription(
        name: "Visit",
        attributes: [
          AttributeDescription("at", .date, isOptional: true, holdsAnyValue: true, form: form)
        ]
      )
      for _ in 0..<100 {
        let constant = 50_000_000_000_000_000 + Int64(generator.below(10_000_000))
        let near = constant + Int64(generator.below(4_000_001)) - 2_000_000
        let date = near / 1_000_000 * 1_000_000
        for stored in [form.stored(.integer(date)), form.stored(.integer(constant)), .null] {
          guard let stored else { continue }
          let row = Row(
            entity: entity,
            id: ObjectID(entity: "Visit", key: .integer(1)),
            values: [stored]
          )
          for comparison in ["<", "<=", "==", "!=", ">=", ">"] {
            let text = "at \(comparison) \(constant)"
            let predicate = try FetchPredicate(parsing: text, entity: entity)
            guard case .integer(let found) = form.logical(stored) else {
              #expect(!predicate.holds(for: row), "\(text)")
              #expect(!FetchPredicate.not(predicate).holds(for: row), "\(text)")
              continue
            }
            let isExpected =
              switch comparison {
              case "<": found < constant
              case "<=": found <= constant
              case "==": found == constant
              case "!=": found != constant
              case ">=": found >= constant
              default: found > constant
              }
            #expect(predicate.holds(for: row) == isExpected, "\(found) \(text), seed \(seed)")
          }
        }
      }
    }
  }

  @Test func `R102: a condition on related objects is shown with the values of their forms`() throws
  {
    let visit = try EntityDescription(
      name: "Visit",
      attributes: [
        AttributeDescription("seconds", .date, form: .epochSeconds),
        AttributeDescription("page", .integer64),
      ]
    )
    let page = try EntityDescription(
      name: "Page",
      attributes: [],
      relationships: [
        RelationshipDescription("visits", .toMany(foreignKey: ["page"])) { visit }
      ]
    )
    for text in [
      "ANY visits.seconds > '1970-01-02T00:00:00Z'",
      "SUBQUERY(visits, $x, $x.seconds > '1970-01-02T00:00:00Z').@count > 2",
    ] {
      let predicate = try FetchPredicate(parsing: text, entity: page)
      #expect("\(predicate)".contains("86400") && !"\(predicate)".contains("000000"))
      #expect(try FetchPredicate(parsing: predicate.text(in: page), entity: page) == predicate)
    }
  }

  @Test func `R102: an order that the stored bytes would get wrong is refused with the remedy`()
    throws
  {
    let entity = try Self.entity()
    #expect(throws: RequestError.self) {
      try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [.ascending("price")]
      )
    }
    #expect(throws: RequestError.self) {
      try FetchPredicate.comparison(.attribute("price"), .less, .literal("2")).validate(in: entity)
    }
    #expect(throws: Never.self) {
      try OrderDefinition(
        entity: entity,
        predicate: .text(.attribute("price"), .like, "2.00", caseInsensitive: false),
        sortDescriptors: [.ascending("at"), .ascending("key")]
      )
    }
    let error = RequestError.unorderedForm(
      "price",
      remedy: StoredForm.decimalText.orderRemedy ?? ""
    )
    #expect(error.description.contains("calculated column"))
  }

  @Test(arguments: [
    "price == '2.00'", "price != '2'", "'2' == price", "price IN {'2', '3'}",
    "ifnull(price, '0') == '2'",
  ])
  func `R102: equality of a form with several texts for a value is refused with what to write`(
    _ text: String
  ) throws {
    let error = try #require(throws: PredicateParseError.self) {
      try FetchPredicate(parsing: text, entity: try Self.entity())
    }
    #expect(error.description.contains("price"))
    #expect(error.description.contains("cannot be compared with == or IN. One number has several"))
    #expect(error.description.contains("CAST(x AS REAL)"))
  }

  @Test(arguments: ["price == NULL", "price != NULL", "price CONTAINS '.'", "price LIKE '2.0*'"])
  func `R102: presence and text of such a form can be asked for`(_ text: String) throws {
    #expect(throws: Never.self) {
      try FetchPredicate(parsing: text, entity: try Self.entity())
    }
  }

  @Test func `R102: what replaces null is converted like the constants it is compared with`() throws
  {
    let entity = try Self.entity()
    let parsed = try FetchPredicate(
      parsing: "ifnull(seconds, '2026-01-01') >= '2026-01-01T00:00:00Z'",
      entity: entity
    )
    #expect(
      parsed
        == .comparison(
          .ifNull(.attribute("seconds"), 1_767_225_600),
          .greaterOrEqual,
          .literal(1_767_225_600)
        )
    )
    #expect(try FetchPredicate(parsing: parsed.text(in: entity), entity: entity) == parsed)
    let expression = try FetchExpression(path: "ifnull(at, '2026-01-01T08:00:00Z')", in: entity)
    #expect(expression == .ifNull(.attribute("at"), "2026-01-01 08:00:00"))
    // Two forms are two meanings of what is stored (R287).
    #expect(throws: (any Error).self) { try FetchExpression(path: "ifnull(at, price)", in: entity) }
    #expect(throws: Never.self) { try FetchExpression(path: "ifnull(at, at)", in: entity) }
  }

  private struct Visit: Entity {
    var id: Int64?
    var at = Instant(microseconds: 0)
    var ended: Instant?

    static let schema = EntitySchema<Visit>("Visit", identity: \.id) {
      Attribute(\.at, "at", as: .dateText(digits: 0))
      Attribute(\.ended, "ended", as: .epochSeconds)
    }
  }

  @Test func `R102: a property is read from its form, written in it, and compared by it`() throws {
    let id = ObjectID(entity: "Visit", key: .integer(1))
    let values: [Value] = ["1970-01-01 00:00:01", .null]
    let visit = try Visit(row: Row(entity: Visit.entity, id: id, values: values))
    #expect(visit.at == Instant(microseconds: 1_000_000) && visit.ended == nil)
    #expect(visit.attributeValues == values)
    #expect(throws: RowError.self) {
      try Visit(row: Row(entity: Visit.entity, id: id, values: ["soon", .null]))
    }
    let predicate: EntityPredicate<Visit> = \.at > Instant(microseconds: 0)
    #expect(
      predicate.predicate
        == .comparison(.attribute("at"), .greater, .literal("1970-01-01 00:00:00"))
    )
    #expect(throws: StoreError.self) { try Visit.entity.validate([.integer(5), .null]) }
    #expect(throws: Never.self) { try Visit.entity.validate(["1970-01-01 00:00:01", .real(1.5)]) }
  }
}
