import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@Suite
struct KeyEncodingTests {
  private static func value(_ storage: StorageClass, _ generator: inout SeededGenerator) -> Value {
    if generator.below(5) == 0 { return .null }
    switch storage {
    case .integer:
      return .integer(
        generator.below(2) == 0
          ? Int64(generator.below(5)) - 2
          : Int64(bitPattern: generator.next()) >> generator.below(63)
      )
    case .real:
      let reals = [0, -0.0, 1, -1, 0.5, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300]
      let random = Double(bitPattern: generator.next())
      return .real(generator.below(2) == 0 || random.isNaN ? generator.pick(reals) : random)
    case .text, .any:
      if generator.below(3) == 0 {
        return Value(
          textBytes: (0..<generator.below(5)).map { _ in
            generator.pick([0, 0x41, 0x61, 0x80, 0xC3, 0xA9, 0xE9, 0xFF] as [UInt8])
          }
        )
      }
      return .text(
        (0..<generator.below(4)).map { _ in
          generator.pick([
            "a", "b", "\u{0}", "\u{1}", "\u{7F}", "が", "か\u{3099}", "🇳🇴", "\u{10FFFF}",
          ])
        }.joined()
      )
    case .blob:
      return .blob((0..<generator.below(4)).map { _ in generator.pick([0, 1, 2, 3, 254, 255]) })
    }
  }

  /// The order by the rules of SQL, independent of the encoding.
  private static func precedes(_ left: Row, _ right: Row, _ terms: [FetchSortDescriptor]) -> Bool {
    for term in terms {
      let (one, other) = (term.expression.evaluate(left), term.expression.evaluate(right))
      switch (one.isNull, other.isNull) {
      case (true, true): continue
      case (true, false): return term.nulls == .first
      case (false, true): return term.nulls == .last
      case (false, false):
        let order = Value.compare(one, other)
        if order != .same { return (order == .ascending) == (term.direction == .ascending) }
      }
    }
    for (one, other) in zip(left.id.key.parts, right.id.key.parts) {
      let order = Value.compare(one, other)
      if order != .same { return order == .ascending }
    }
    return false
  }

  private static func entity(_ identity: EntityIdentity) throws -> EntityDescription {
    try EntityDescription(
      name: "Thing",
      identity: identity,
      attributes: [
        AttributeDescription("integer", .integer64, isOptional: true),
        AttributeDescription("real", .real, isOptional: true),
        AttributeDescription("text", .text, isOptional: true),
        AttributeDescription("blob", .blob, isOptional: true),
        AttributeDescription("part", .text),
        AttributeDescription("number", .integer32),
      ]
    )
  }

  private static func row(
    _ entity: EntityDescription,
    _ serial: Int,
    _ generator: inout SeededGenerator
  ) -> Row {
    var values = [StorageClass.integer, .real, .text, .blob].map { value($0, &generator) }
    let part = generator.pick(["", "a", "a\u{0}", "が"]) + String(serial % 7)
    values += [.text(part), .integer(Int64(serial) - 10)]
    let key: ObjectKey =
      switch entity.identity {
      case .integer: .integer(Int64(serial) - 10)
      case .text where serial.isMultiple(of: 3):
        .compound([Value(textBytes: Array((part + String(serial)).utf8) + [0xE9])])
      case .text: .text(part + String(serial))
      case .compound: .compound([.text(part), .integer(Int64(serial) - 10)])
      }
    return Row(entity: entity, id: ObjectID(entity: entity.name, key: key), values: values)
  }

  private static let identities: [EntityIdentity] = [
    .integer(), .text(), .compound(["part", "number"]),
  ]

  @Test(arguments: identities, 1...60 as ClosedRange<UInt64>)
  func `keys compared as bytes sort rows by their values, in UTF-8 or not R85 R189`(
    identity: EntityIdentity,
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let entity = try Self.entity(identity)
    let names = ["integer", "real", "text", "blob"].shuffled(using: &generator)
    let terms = names.prefix(1 + generator.below(4)).map { name in
      FetchSortDescriptor(
        .attribute(name),
        generator.pick([.ascending, .descending]),
        nulls: generator.pick([nil, .first, .last])
      )
    }
    let definition = try OrderDefinition(entity: entity, predicate: .all, sortDescriptors: terms)
    let rows = (0..<24).map { Self.row(entity, $0, &generator) }
    let encoder = RowKeyEncoder(definition)
    let keys = try rows.map { try encoder.key($0.values, key: $0.id.key) }
    for (row, key) in zip(rows, keys) {
      #expect(try definition.key(of: row) == key)
      key.withUnsafeBytes { bytes in
        for index in terms.indices {
          let value = terms[index].expression.evaluate(row)
          #expect(definition.layout.value(ofColumn: index, in: bytes) == value, "seed \(seed)")
        }
        #expect(definition.layout.objectKey(in: bytes, of: identity) == row.id.key, "seed \(seed)")
        let start = definition.layout.identityStart(in: bytes)
        #expect(definition.layout.identityBytes(of: row.id.key) == Array(key[start...]))
      }
      for (other, otherKey) in zip(rows, keys) {
        #expect(
          key.lexicographicallyPrecedes(otherKey) == Self.precedes(row, other, terms),
          "seed \(seed): \(row.values) and \(other.values) by \(terms)"
        )
      }
    }
  }

  @Test
  func `equal sort values are ordered by the key, so that the order is total R02`() throws {
    let definition = try OrderDefinition(
      entity: Book.entity,
      predicate: .all,
      sortDescriptors: [.descending("title"), .ascending("title"), .ascending("year")]
    )
    #expect(definition.terms.count == 2)
    let keys = try (1...3).map { try definition.key(of: Book.row(["title": "x"], key: $0)) }
    #expect(keys[0].lexicographicallyPrecedes(keys[1]))
    #expect(keys[1].lexicographicallyPrecedes(keys[2]))
  }

  @Test
  func `terms after the object's key are redundant and are dropped R02`() throws {
    let definition = try OrderDefinition(
      entity: Book.entity,
      predicate: .all,
      sortDescriptors: [
        .ascending("title"), FetchSortDescriptor(.objectKey, .descending), .ascending("year"),
      ]
    )
    #expect(definition.terms.map(\.expression) == [.attribute("title"), .objectKey])
    #expect(definition.layout.order.count == 2)
    // An invalid term is refused even if it is redundant.
    for term in [FetchSortDescriptor(.lowercased(.attribute("year"))), .ascending("yaer")] {
      #expect(throws: RequestError.self) {
        try OrderDefinition(
          entity: Book.entity,
          predicate: .all,
          sortDescriptors: [FetchSortDescriptor(.objectKey), term]
        )
      }
    }
  }

  @Test
  func `terms after all parts of a compound key are dropped R02`() throws {
    let entity = try Self.entity(.compound(["part", "number"]))
    func terms(_ names: String...) throws -> [String] {
      try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: names.map { .descending($0) }
      ).terms.flatMap(\.expression.attributes)
    }
    #expect(try terms("number", "real", "part", "blob") == ["number", "real", "part"])
    #expect(try terms("part", "real", "blob") == ["part", "real", "blob"])
  }

  @Test
  func `section terms stay even after the object's key R03`() throws {
    let definition = try OrderDefinition(
      entity: Book.entity,
      predicate: .all,
      sectionTerms: [FetchSortDescriptor(.objectKey), .ascending("title")],
      sortDescriptors: [.ascending("year")]
    )
    #expect(definition.terms.map(\.expression) == [.objectKey, .attribute("title")])
  }

  @Test
  func `a list without an order is refused R01`() {
    let error = #expect(throws: RequestError.self) {
      try OrderDefinition(entity: Book.entity, predicate: .all, sortDescriptors: [])
    }
    #expect(error == .missingOrder(entity: "Book"))
    #expect(
      error?.description
        == "The request for Book has no sort descriptor. A live list needs an order: add at least one."
    )
  }

  @Test
  func `an order by an expression that is always null or by an unknown attribute is refused R01`() {
    for term in [FetchSortDescriptor(.lowercased(.attribute("year"))), .ascending("yaer")] {
      #expect(throws: RequestError.self) {
        try OrderDefinition(entity: Book.entity, predicate: .all, sortDescriptors: [term])
      }
    }
  }

  @Test
  func `a value of another storage class has no key`() throws {
    let definition = try OrderDefinition(
      entity: Book.entity,
      predicate: .all,
      sortDescriptors: [.ascending("year")]
    )
    #expect(throws: StoreError.self) { try definition.key(of: Book.row(["year": "x"])) }
  }
}
