import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

/// Columns whose values are of any storage class, as in tables of SQLite that are not strict.
@Suite
struct `Values of any class` {
  private static let corners: [Value] = [
    .null, .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min),
    .integer(1 << 53), .integer(1 << 53 + 1), .integer(-(1 << 53) - 1), .real(0.5), .real(-0.5),
    .real(1), .real(-0.0), .real(0x1p53), .real(0x1p63), .real(-0x1p63), .real(.infinity),
    .real(-.infinity), .real(.leastNonzeroMagnitude), .real(0x1p63.nextDown), .text(""),
    .text("\u{0}"), .text("1"), .text("a"), .text("a\u{0}b"), .text("が"), .blob([]), .blob([0]),
    .blob([0, 255]), .blob([255]), .blob([49]),
  ]

  private static func value(_ generator: inout SeededGenerator) -> Value {
    switch generator.below(4) {
    case 0: return .integer(Int64(bitPattern: generator.next()) >> generator.below(63))
    case 1:
      let random = Double(bitPattern: generator.next())
      return .real(random.isNaN ? 1.5 : random)
    case 2: return .real(Double(Int64(bitPattern: generator.next()) >> generator.below(63)))
    default: return generator.pick(corners)
    }
  }

  @Test(arguments: [false, true], [NullPlacement.first, .last])
  func `R85: keys of any class sort as the values do, and are equal where they are`(
    _ isDescending: Bool,
    _ nulls: NullPlacement
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let column = KeyColumn(.any, isDescending: isDescending, nulls: nulls)
    let values = Self.corners + (0..<300).map { _ in Self.value(&generator) }
    var keys: [[UInt8]] = []
    for value in values {
      var writer = KeyWriter()
      // The identity follows every column of an order.
      let isWritten =
        writer.append(value, column) && writer.append(.integer(7), KeyColumn(.integer))
      #expect(isWritten)
      keys.append(writer.bytes)
    }
    for (one, left) in zip(values, keys) {
      for (other, right) in zip(values, keys) {
        let order: ValueOrder =
          left.lexicographicallyPrecedes(right)
          ? .ascending : right.lexicographicallyPrecedes(left) ? .descending : .same
        var expected = Value.compare(one, other)
        if one.isNull != other.isNull {
          expected = one.isNull == (nulls == .first) ? .ascending : .descending
        } else if isDescending {
          expected = expected.reversed
        }
        #expect(order == expected, "\(one), \(other), seed \(seed)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `R85: a value is decoded from its key, a whole real as the integer`(_ isDescending: Bool)
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let column = KeyColumn(.any, isDescending: isDescending)
    let layout = KeyLayout(order: [column, column], keyTypes: [.integer64])
    for value in Self.corners + (0..<300).map({ _ in Self.value(&generator) }) {
      var writer = KeyWriter()
      let isWritten =
        writer.append(value, column) && writer.append(.text("x"), column)
        && writer.append(.integer(7), layout.identity[0])
      #expect(isWritten)
      writer.bytes.withUnsafeBytes { key in
        let decoded = layout.value(ofColumn: 0, in: key)
        let isWhole = Value.compare(decoded, value) == .same
        #expect(isWhole, "\(value) became \(decoded), seed \(seed)")
        if case .real(let number) = decoded, number.magnitude < 0x1p63 {
          #expect(number != number.rounded(), "\(decoded)")
        }
        #expect(layout.value(ofColumn: 1, in: key) == .text("x"))
        #expect(layout.objectKey(in: key, of: .integer()) == .integer(7))
      }
    }
  }

  @Test func `compare with constants of any class, and only texts match text operators`() throws {
    let entity = try EntityDescription(
      name: "Thing",
      attributes: [AttributeDescription("a", .text, isOptional: true, holdsAnyValue: true)]
    )
    func holds(_ text: String, _ value: Value) throws -> Bool {
      let predicate = try FetchPredicate(parsing: text, entity: entity)
      let id = ObjectID(entity: "Thing", key: .integer(1))
      return predicate.holds(for: Row(entity: entity, id: id, values: [value]))
    }
    #expect(try holds("a == '5'", .text("5")))
    #expect(try !holds("a == '5'", .integer(5)))
    #expect(try holds("a < 'x'", .integer(5)))
    #expect(try holds("a > 'x'", .blob([1])))
    #expect(try !holds("a CONTAINS '5'", .integer(5)))
    #expect(throws: Never.self) {
      try OrderDefinition(
        entity: entity,
        predicate: .comparison(.attribute("a"), .equal, .literal(5)),
        sortDescriptors: [FetchSortDescriptor(.lowercased(.attribute("a")), .ascending)]
      )
    }
  }
}
