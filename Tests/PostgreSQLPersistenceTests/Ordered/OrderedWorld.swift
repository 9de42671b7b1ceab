#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLStoreSupport

@testable import PostgreSQLPersistence

/// A table of random rows on a server, and a random list over it.
struct OrderedWorld {
  let connection: Connection
  let table: EntityTable
  let reader: TableReader
  let definition: OrderDefinition
  /// The keys of the list, sorted here.
  let oracle: SortedRows

  private static let attributes = [
    AttributeDescription("part", .text), AttributeDescription("number", .integer32),
    AttributeDescription("n", .integer64, isOptional: true),
    AttributeDescription("t", .text, isOptional: true),
    AttributeDescription("r", .real, isOptional: true),
    AttributeDescription("b", .blob, isOptional: true),
    AttributeDescription("f", .boolean, isOptional: true),
    AttributeDescription("d", .date, isOptional: true),
    AttributeDescription("title", .text),
  ]

  /// Creates the table and its rows.
  init(url: String, rows count: Int, _ generator: inout SeededGenerator) throws {
    let identity: EntityIdentity = generator.choice(
      .integer(),
      .integer(),
      .text(column: "id"),
      .compound(["part", "number"])
    )
    let entity = try EntityDescription(
      name: "Thing",
      identity: identity,
      attributes: OrderedWorld.attributes
    )
    let connection = try TestServer.connect(url)
    let tables = try SchemaOpening.tables(
      for: [entity],
      options: SchemaOptions(),
      path: "test",
      on: connection
    )
    let table = try tables.table(of: entity)
    let reader = TableReader(connection, tables: tables, path: "test")
    let rows = try OrderedWorld.insert(count, into: table, reader, &generator)
    let predicate = OrderedWorld.predicate(&generator)
    definition = try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sortDescriptors: OrderedWorld.terms(&generator)
    )
    oracle = try SortedRows(definition, rows)
    (self.connection, self.table, self.reader) = (connection, table, reader)
  }

  private static func insert(
    _ count: Int,
    into table: EntityTable,
    _ reader: TableReader,
    _ generator: inout SeededGenerator
  ) throws -> [Row] {
    var rows: [Row] = []
    var statements: [Statement] = []
    let isIn = table.isCompound ? table.attributeColumns : table.keyColumns + table.attributeColumns
    let slots = isIn.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let names = isIn.map(\.name).joined(separator: ", ")
    for number in 0..<count {
      var values = attributes.map { attribute -> Value in
        let isNull = attribute.isOptional && generator.happens(percent: 25)
        return isNull ? .null : OrderedWorld.value(attribute.type, &generator)
      }
      values[1] = .integer(Int64(number))
      let key: ObjectKey =
        switch table.entity.identity {
        case .integer: .integer(Int64(number * 3 - 20))
        case .text: .text("\(generator.choice("a", "b", "é"))\(number)")
        case .compound: .compound([values[0], values[1]])
        }
      rows.append(table.row(key, values))
      let stored = (table.isCompound ? [] : key.parts) + values
      let parameters = zip(isIn, stored).map { $0.coding.parameter($1) ?? .null($0.coding.type) }
      statements.append(
        Statement("INSERT INTO \(table.quotedName) (\(names)) VALUES (\(slots))", parameters)
      )
    }
    _ = try reader.run(statements)
    return rows
  }

  /// A value of a small domain, so that ties are frequent.
  static func value(_ type: AttributeType, _ generator: inout SeededGenerator) -> Value {
    switch type {
    case .text:
      .text(generator.choice("", "a", "B", "b", "ba", "é", "か", "か\u{3099}", "\u{FFFD}", "Z z"))
    case .real: .real(generator.choice(-1.5, -0.0, 0, 2, 1e300, -.infinity, .infinity))
    case .blob: .blob(generator.choice([], [0], [0, 255], [1], [255, 0, 1]))
    case .boolean: .integer(generator.choice(0, 1))
    case .integer32: .integer(generator.choice(-3, 0, 7, 40))
    default: .integer(generator.choice(.min, -11, -1, 0, 1, 5, 19, .max))
    }
  }

  private static func predicate(_ generator: inout SeededGenerator) -> FetchPredicate {
    let f: FetchPredicate = .comparison(.attribute("f"), .equal, .literal(.integer(1)))
    let t: FetchPredicate = .comparison(.attribute("t"), .equal, .literal("b"))
    let n: FetchPredicate = .comparison(.attribute("n"), .equal, .literal(5))
    return generator.choice(
      .all,
      .all,
      f,
      t,
      .and([n, t]),
      .not(.isNull(.attribute("n"))),
      .isNull(.attribute("t")),
      .comparison(.attribute("n"), .greater, .literal(-2)),
      .and([f, .comparison(.attribute("title"), .less, .literal("b"))])
    )
  }

  private static func terms(_ generator: inout SeededGenerator) -> [FetchSortDescriptor] {
    let expressions: [FetchExpression] = [
      .attribute("n"), .attribute("t"), .attribute("r"), .attribute("b"), .attribute("f"),
      .attribute("d"), .attribute("title"), .attribute("title"), .attribute("number"),
      .attribute("part"), .prefix(.attribute("title"), length: 1), .length(.attribute("title")),
      .lowercased(.attribute("t")), .ifNull(.attribute("n"), 3),
      .bucket(.attribute("number"), width: 10),
    ]
    return (0..<generator.number(in: 1...3)).map { _ in
      FetchSortDescriptor(
        generator.element(of: expressions) ?? .attribute("n"),
        generator.choice(.ascending, .ascending, .descending),
        nulls: generator.choice(.first, .last)
      )
    }
  }

  /// Runs a closure with the list's source in a transaction.
  /// - Returns: `nil` if no index serves.
  func read<Result>(
    _ body: (PostgreSQLOrderedSource) throws -> Result
  ) throws -> Result? {
    try connection.run([.begin(.reading)])
    defer { _ = try? connection.run([.rollback]) }
    let plan = try OrderedPlanCache().plan(of: definition, in: table, reader)
    return try plan.map { try body(PostgreSQLOrderedSource($0, reader)) }
  }
}

/// The keys of rows, sorted here: the reference for a source on a server.
final class SortedRows: RankedSource {
  let layout: KeyLayout
  let keys: [[UInt8]]

  init(_ definition: OrderDefinition, _ rows: [Row]) throws {
    layout = definition.layout
    keys = try rows.filter { definition.predicate.holds(for: $0) }
      .map { try definition.key(of: $0) }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  func keyCount() -> Int { keys.count }

  func rank(of bytes: [UInt8]) -> Int { keys.count { $0.lexicographicallyPrecedes(bytes) } }

  func appendKeys(in positions: Range<Int>, every stride: Int, to batch: inout EntryBatch) {
    for position in Swift.stride(from: positions.lowerBound, to: positions.upperBound, by: stride) {
      batch.append { $0.bytes += keys[position] }
    }
  }

  /// A random bound: an end of the list, the first columns of a key, or columns with other values.
  func bound(_ generator: inout SeededGenerator) -> KeyBound? {
    guard !generator.happens(percent: 10) else { return nil }
    let columns = layout.order + layout.identity
    let count = generator.number(in: 0...columns.count)
    var bytes: [UInt8] = []
    let key = generator.element(of: keys)
    for (index, column) in columns.prefix(count).enumerated() {
      let other = generator.happens(percent: 80) ? key : generator.element(of: keys)
      if let other, generator.happens(percent: 85) {
        bytes += other.withUnsafeBytes { bytes in
          let start = layout.start(ofColumn: index, in: bytes)
          return Array(bytes[start..<layout.end(of: column, in: bytes, from: start)])
        }
        continue
      }
      var writer = KeyWriter()
      _ = writer.append(SortedRows.value(column.storage, &generator), column)
      bytes += writer.bytes
    }
    return generator.happens(percent: 50) ? .before(bytes) : .after(bytes)
  }

  private static func value(_ storage: StorageClass, _ generator: inout SeededGenerator) -> Value {
    guard !generator.happens(percent: 20) else { return .null }
    switch storage {
    case .integer: return OrderedWorld.value(.integer64, &generator)
    case .real: return OrderedWorld.value(.real, &generator)
    case .blob: return OrderedWorld.value(.blob, &generator)
    case .text, .any:
      // No text of the server has a NUL, but a bound can.
      return generator.happens(percent: 10) ? "b\0" : OrderedWorld.value(.text, &generator)
    }
  }
}

extension KeyLayout {
  fileprivate func start(ofColumn index: Int, in key: UnsafeRawBufferPointer) -> Int {
    var end = 0
    for column in (order + identity).prefix(index) {
      end = self.end(of: column, in: key, from: end)
    }
    return end
  }
}

extension EntryBatch {
  /// The single keys.
  var split: [[UInt8]] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return Array(bytes[start..<end])
    }
  }
}
#endif
