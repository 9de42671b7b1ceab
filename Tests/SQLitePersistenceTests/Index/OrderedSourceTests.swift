import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R55: passes over an ordered source can be stopped, and may query it while they run.
@Suite struct `Passes over an ordered source` {
  private let store: SQLiteStore
  private let definition: OrderDefinition

  init() throws {
    store = try SQLiteStore.inMemory(entities: [Sample.book])
    definition = try OrderDefinition(
      entity: Sample.book,
      predicate: .all,
      sortDescriptors: [.ascending("publisher"), .ascending("year")]
    )
    _ = try store.commit(origin: .unnamed) { transaction in
      try (transaction as? SQLiteTransaction)?
        .withDatabase { database in
          try database.execute(
            sql: """
              CREATE INDEX i ON Book(publisher, year);
              WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
              INSERT INTO Book(publisher, title, year)
              SELECT 'P' || (i % 7), 'T', nullif(i % 11, 3) FROM n
              """
          )
        }
    }
  }

  /// Runs a closure with the source.
  private func read(_ body: (any OrderedSource) throws -> Void) throws {
    try store.read { (snapshot) throws(StoreError) in
      do {
        try body(try #require(try snapshot.orderedSource(of: definition)))
      } catch {
        throw .aborted(by: error)
      }
    }
  }

  @Test func `deliver batches until they are stopped (R55)`() throws {
    try read { source in
      var counts: [Int] = []
      let stopped = try source.sample(every: 2) { (batch) throws(StoreError) in
        counts.append(batch.count)
        return counts.count < 2
      }
      #expect(stopped == nil)
      #expect(counts == [1024, 1024])
      var groups = 0
      try source.groups(byFirstColumns: 1) { (_, count) throws(StoreError) in
        groups += 1
        return groups < 3
      }
      #expect(groups == 3)
    }
  }

  @Test func `are not needed for an estimate of the length (R17)`() throws {
    try read { source in
      let estimate = try source.estimatedCount()
      #expect(estimate == 5000)
    }
  }

  @Test func `may be nested and query the source (R55)`() throws {
    try read { source in
      var pivots: [[UInt8]] = []
      let total = try source.sample(every: 3) { (batch) throws(StoreError) in
        pivots += batch.split
        let inner = try source.sample(every: 5) { (_) throws(StoreError) in true }
        #expect(inner == 5000)
        #expect(try source.count(from: nil, to: nil) == 5000)
        return true
      }
      #expect(total == 5000)
      #expect(pivots.count == 1667)
      for (first, second) in zip(pivots, pivots.dropFirst()) {
        let count = try source.count(from: .before(first), to: .before(second))
        try #require(count == 3)
      }
    }
  }

  @Test func `a value of another storage class is an error with its object (R85)`() throws {
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE Tag(name TEXT PRIMARY KEY NOT NULL, rank INTEGER) WITHOUT ROWID;
          CREATE INDEX i ON Tag(rank); INSERT INTO Tag VALUES ('a', 1), ('b', 'two');
          """
      )
    }
    let store = try SQLiteStore(writer: queue, entities: [Sample.tag], options: .making)
    let definition = try OrderDefinition(
      entity: Sample.tag,
      predicate: .all,
      sortDescriptors: [.ascending("rank")]
    )
    try store.read { (snapshot) throws(StoreError) in
      let found = try snapshot.orderedSource(of: definition)
      #expect(found != nil)
      guard let source = found else { return }
      expectForeign { () throws(StoreError) in
        _ = try source.keys(from: nil, to: nil, skipping: 1, limit: 1)
      }
      expectForeign { () throws(StoreError) in
        _ = try source.sample(every: 1) { (_) throws(StoreError) in true }
      }
      expectForeign { () throws(StoreError) in
        var last = EntryBatch()
        last.append { $0.append(9 as Int64, KeyColumn(.integer)) }
        _ = try source.ranks(of: last)
      }
      expectForeign { () throws(StoreError) in
        try source.groups(byFirstColumns: 1) { (_, _) throws(StoreError) in true }
      }
    }
  }

  private func expectForeign(_ body: () throws(StoreError) -> Void) {
    do {
      try body()
      Issue.record("no error")
    } catch {
      guard case .unexpectedValue(let id, "rank") = error else {
        Issue.record(error)
        return
      }
      #expect(id == ObjectID(entity: "Tag", key: .text("b")))
    }
  }

  @Test func `a source that is used after its snapshot fails (R55)`() throws {
    final class Escaped { var source: (any OrderedSource)? }
    let escaped = Escaped()
    try read { escaped.source = $0 }
    let source = try #require(escaped.source)
    #expect(throws: StoreError.self) { _ = try source.count(from: nil, to: nil) }
    #expect(throws: StoreError.self) {
      _ = try source.keys(from: nil, to: nil, skipping: 0, limit: 1)
    }
  }
}

/// R55, R82, R85: between any two bounds an index gives the same answers as a pass over all keys, with nulls, ties, mixed directions and all
/// kinds of keys.
@Suite struct `Random lists that an index answers` {
  @Test(arguments: 0..<150)
  func `agree with a pass over all their keys (R82, R85)`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let list = try RandomOrderedList(&generator)
    let context = Comment(rawValue: "seed \(seed)\n\(list.story)")
    try list.store.read { (snapshot) throws(StoreError) in
      do {
        let keys = try OrderedReference(snapshot, list.definition)
        guard let source = try snapshot.orderedSource(of: list.definition) else {
          #expect(!list.isServed, context)
          return
        }
        for _ in 0..<80 {
          let lower = keys.bound(&generator)
          let upper = keys.bound(&generator)
          let expected = keys.between(lower, upper)
          let found = try source.count(from: lower, to: upper)
          try #require(found == expected.count, "\(context) \(bounds(lower, upper))")
          let skipped = generator.choice(0, 0, generator.number(in: 0...20), expected.count)
          let limit = generator.choice(1, 5, 1000, generator.number(in: 0...20))
          let page = try source.keys(from: lower, to: upper, skipping: skipped, limit: limit)
          let wanted = Array(expected.dropFirst(skipped).prefix(limit))
          try #require(page.split == wanted, "\(context) \(bounds(lower, upper))")
        }
        for stride in [1, 2, 7, 1000] {
          var sample: [[UInt8]] = []
          let total = try source.sample(every: stride) { (batch) throws(StoreError) in
            sample += batch.split
            return true
          }
          #expect(total == keys.all.count, context)
          try #require(sample == keys.every(stride), context)
        }
        for share in [1, 2, 9] {
          let indexes = keys.all.indices.filter { _ in generator.number(in: 1...share) == 1 }
          var wanted = EntryBatch()
          for index in indexes { wanted.append { $0.bytes += keys.all[index] } }
          try #require(try source.ranks(of: wanted) == indexes, context)
          try #require(try source.ranksByMerging(wanted) == indexes, context)
          let strangers = keys.strangers(indexes)
          try #require(try source.ranks(of: strangers.batch) == strangers.indexes, context)
        }
        for columns in 0...keys.columns.count {
          var groups: [OrderedReference.Group] = []
          try source.groups(byFirstColumns: columns) { (prefix, count) throws(StoreError) in
            groups.append(OrderedReference.Group(prefix: prefix, count: count))
            return true
          }
          try #require(groups == keys.groups(columns), context)
        }
      } catch let error as StoreError {
        throw error
      } catch {
        throw .aborted(by: error)
      }
    }
  }

  private func bounds(_ lower: KeyBound?, _ upper: KeyBound?) -> String {
    "from \(String(describing: lower)) to \(String(describing: upper))"
  }
}

extension OrderedReference {
  /// Keys with integers next to those of random keys, ascending, and the number of keys before each; none for other identities.
  fileprivate func strangers(_ chosen: [Int]) -> (batch: EntryBatch, indexes: [Int]) {
    let chosen = columns.last?.storage == .integer ? chosen : []
    let nearby = chosen.flatMap { index in
      [1, 255].map { (step: UInt8) -> [UInt8] in
        var key = all[index]
        key.append((key.popLast() ?? 0) &+ step)
        return key
      }
    }
    var (batch, indexes) = (EntryBatch(), [Int]())
    for key in nearby.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      batch.append { $0.bytes += key }
      indexes.append(all.count { $0.lexicographicallyPrecedes(key) })
    }
    return (batch, indexes)
  }
}

/// All keys of a list, with reference answers to the queries of an ordered source.
struct OrderedReference {
  struct Group: Equatable {
    let prefix: [UInt8]
    var count: Int
  }

  let all: [[UInt8]]
  let columns: [KeyColumn]
  private let layout: KeyLayout

  init(_ snapshot: any StoreSnapshot, _ definition: OrderDefinition) throws(StoreError) {
    var keys: [[UInt8]] = []
    try snapshot.entries(of: definition) { (batch) throws(StoreError) in
      keys += batch.split
      return true
    }
    all = keys
    layout = definition.layout
    columns = layout.order + layout.identity
  }

  /// The keys between two bounds.
  func between(_ lower: KeyBound?, _ upper: KeyBound?) -> [[UInt8]] {
    all.filter { key in
      (lower.map { !isKey(key, before: $0) } ?? true)
        && (upper.map { isKey(key, before: $0) } ?? true)
    }
  }

  private func isKey(_ key: [UInt8], before bound: KeyBound) -> Bool {
    if key == bound.columns { return bound.isAfter }
    // After the end of a text the next column's tag of 1 to 3 follows; a longer text has 0 or 255 there.
    let isWhole = parts(of: bound.columns).allSatisfy { !$0.isEmpty }
    let next: [UInt8] = isWhole ? [] : [bound.isAfter ? 4 : 1]
    return key.lexicographicallyPrecedes(bound.columns + next)
  }

  /// Every nth key, from the first on.
  func every(_ stride: Int) -> [[UInt8]] {
    all.indices.filter { $0.isMultiple(of: stride) }.map { all[$0] }
  }

  /// The groups of keys that agree in the first columns.
  func groups(_ count: Int) -> [Group] {
    var groups: [Group] = []
    for key in all {
      let prefix = parts(of: key).prefix(count).flatMap(\.self)
      if groups.last?.prefix == prefix {
        groups[groups.count - 1].count += 1
      } else {
        groups.append(Group(prefix: prefix, count: 1))
      }
    }
    return groups
  }

  /// The columns of a key, each with its bytes.
  private func parts(of key: [UInt8]) -> [[UInt8]] {
    key.withUnsafeBytes { bytes in
      var start = 0
      return columns.map { column in
        let end = layout.end(of: column, in: bytes, from: start)
        defer { start = end }
        return Array(bytes[start..<end])
      }
    }
  }

  /// A random bound: an end of the list, a key, the first columns of a key, or columns of different keys.
  func bound(_ generator: inout SeededGenerator) -> KeyBound? {
    guard !generator.happens(percent: 10) else { return nil }
    let columns = boundColumns(&generator)
    return generator.happens(percent: 50) ? .before(columns) : .after(columns)
  }

  private func boundColumns(_ generator: inout SeededGenerator) -> [UInt8] {
    let kind = generator.number(in: 1...9)
    let count = generator.number(in: 0...columns.count)
    let first = generator.element(of: all)
    if let first, kind < 4 { return parts(of: first).prefix(count).flatMap(\.self) }
    if let first, kind < 5 { return first }
    var bound: [UInt8] = []
    for (index, column) in columns.prefix(count).enumerated() {
      let other = generator.happens(percent: 70) ? first : generator.element(of: all)
      if let other, generator.happens(percent: 75) {
        bound += parts(of: other)[index]
        continue
      }
      var writer = KeyWriter()
      let isNull = generator.happens(percent: 20)
      let value = isNull ? Value.null : RandomOrderedList.value(column.storage, &generator)
      _ = writer.append(value, column)
      bound += writer.bytes
    }
    return bound
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

/// A random table with an index that has the keys of a random list in order.
struct RandomOrderedList {
  let store: SQLiteStore
  let definition: OrderDefinition
  /// Whether the index certainly serves; a partial index may lack columns that SQLite then reads from the table.
  let isServed: Bool
  /// The statements, for messages.
  let story: String

  private static let attributes = [
    AttributeDescription("k1", .text), AttributeDescription("k2", .integer64),
    AttributeDescription("n", .integer64, isOptional: true),
    AttributeDescription("t", .text, isOptional: true),
    AttributeDescription("r", .real, isOptional: true),
    AttributeDescription("b", .blob, isOptional: true),
    AttributeDescription("f", .integer64, isOptional: true),
  ]

  /// The kind of table.
  private struct Shape {
    let identity: EntityIdentity
    let keys: [String]
    let key: String
    let primaryKey: String
    let hasRowNumbers: Bool
  }

  private static func shape(_ generator: inout SeededGenerator) -> Shape {
    let hasRowNumbers = generator.happens(percent: 50)
    let text = Shape(
      identity: .text(column: "id"),
      keys: ["id"],
      key: "id TEXT PRIMARY KEY, ",
      primaryKey: "",
      hasRowNumbers: hasRowNumbers
    )
    let compound = Shape(
      identity: .compound(["k1", "k2"]),
      keys: ["k1", "k2"],
      key: "",
      primaryKey: ", PRIMARY KEY (k1, k2)",
      hasRowNumbers: hasRowNumbers
    )
    let integer = Shape(
      identity: .integer(),
      keys: ["id"],
      key: "id INTEGER PRIMARY KEY, ",
      primaryKey: "",
      hasRowNumbers: true
    )
    return generator.choice(integer, text, compound, integer)
  }

  init(_ generator: inout SeededGenerator) throws {
    let shape = RandomOrderedList.shape(&generator)
    let entity = try EntityDescription(
      name: "T",
      identity: shape.identity,
      attributes: RandomOrderedList.attributes
    )
    let isRequired = generator.happens(percent: 25)
    let null = isRequired ? " NOT NULL" : ""
    let isStrict = generator.happens(percent: 50)
    let options: [String] =
      (shape.hasRowNumbers ? [] : ["WITHOUT ROWID"]) + (isStrict ? ["STRICT"] : [])
    let table = """
      CREATE TABLE T(\(shape.key)k1 TEXT NOT NULL, k2 INTEGER NOT NULL, n INTEGER\(null), \
      t TEXT\(null), r REAL\(null), b BLOB\(null), f INTEGER\(shape.primaryKey)) \
      \(options.joined(separator: ", "))
      """
    let computed = ComputedColumns(isStrict: isStrict)
    let terms = RandomOrderedList.terms(&generator, shape.keys, isRequired, computed)
    let (predicate, condition, fixed) = RandomOrderedList.predicate(&generator, computed)
    let index = RandomOrderedList.index(
      on: fixed,
      terms,
      computed,
      shape.keys,
      isInteger: shape.identity == .integer(),
      condition,
      &generator
    )
    let queue = try DatabaseQueue()
    let count = generator.number(in: 0...120)
    let rows = (0..<count)
      .map { _ in
        RandomOrderedList.row(&generator, shape.identity, allowsNull: !isRequired)
      }
    try queue.write { database in
      try database.execute(sql: table)
      try database.execute(sql: index)
      for row in rows {
        let names = row.map { $0.name }.joined(separator: ", ")
        let marks = row.map { $0.mark }.joined(separator: ", ")
        try database.execute(
          sql: "INSERT OR IGNORE INTO T(\(names)) VALUES (\(marks))",
          arguments: StatementArguments(row.map { $0.value })
        )
      }
    }
    store = try SQLiteStore(writer: queue, entities: [entity], options: .making)
    definition = try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sortDescriptors: terms
    )
    let isComputed =
      terms.contains { !$0.expression.isStored } || fixed.contains { $0.contains("(") }
    let isPlain = condition.isEmpty || !terms.contains { $0.expression.attributes == ["f"] }
    // If the value of an attribute is known, SQLite does not recognize an expression over it.
    isServed =
      (shape.hasRowNumbers || condition.isEmpty && !isComputed) && isPlain
      && (!isComputed || !fixed.contains("k1"))
    story = [table, index, "\(predicate)", "\(terms)"].joined(separator: "\n")
  }

  private static func terms(
    _ generator: inout SeededGenerator,
    _ keys: [String],
    _ isRequired: Bool,
    _ computed: ComputedColumns
  ) -> [FetchSortDescriptor] {
    var names = ["n", "t", "r", "b", "f", "k1", "k2"].shuffled(using: &generator)
    names = Array(names.prefix(generator.number(in: 1...3)))
    var terms = names.map { name in
      let direction = generator.choice(SortDirection.ascending, .descending)
      if generator.happens(percent: 25), let computed = computed.random(over: name, &generator) {
        return FetchSortDescriptor(computed, direction)
      }
      let isFree = name.hasPrefix("k") || isRequired && name != "f"
      let nulls: NullPlacement? = isFree ? generator.choice(.first, .last) : nil
      return FetchSortDescriptor(.attribute(name), direction, nulls: nulls)
    }
    if keys.count == 1, generator.happens(percent: 25) {
      terms.append(
        FetchSortDescriptor(.objectKey, generator.choice(.ascending, .descending))
      )
    }
    return terms
  }

  /// A predicate that an index can answer, the condition of the index, and its leading columns.
  private static func predicate(
    _ generator: inout SeededGenerator,
    _ computed: ComputedColumns
  ) -> (FetchPredicate, String, [String]) {
    let fixed = FetchPredicate.comparison(.attribute("f"), .equal, .literal(.integer(1)))
    switch generator.number(in: 0...7) {
    case 0: return (fixed, "", ["f"])
    case 1: return (.isNull(.attribute("f")), "", ["f"])
    case 2:
      let text = FetchPredicate.comparison(.attribute("k1"), .equal, .literal(.text("a")))
      return (.and([text, fixed]), "", generator.choice(["f", "k1"], ["k1", "f"]))
    case 3: return (fixed, " WHERE f = 1", [])
    case 4: return (.not(.isNull(.attribute("f"))), " WHERE f IS NOT NULL", [])
    case 5:
      let prefix = FetchExpression.prefix(.attribute("t"), length: 1)
      return (.comparison(prefix, .equal, .literal("a")), "", [computed.sql(prefix)])
    default: return (.all, "", [])
    }
  }

  private static func index(
    on fixed: [String],
    _ terms: [FetchSortDescriptor],
    _ computed: ComputedColumns,
    _ keys: [String],
    isInteger: Bool,
    _ condition: String,
    _ generator: inout SeededGenerator
  ) -> String {
    var columns = fixed.map { (name: $0, isDescending: false) }
    for term in terms {
      let name = term.expression == .objectKey ? keys[0] : computed.sql(term.expression)
      guard !columns.contains(where: { $0.name == name }) else { continue }
      columns.append((name, term.direction == .descending))
    }
    let needsKey = !isInteger || generator.happens(percent: 30)
    for key in keys where needsKey && !columns.contains(where: { $0.name == key }) {
      columns.append((key, false))
    }
    // An index with the opposite directions has the same order when it is read backwards.
    let isMirrored = needsKey && generator.happens(percent: 30)
    let parts = columns.map { $0.name + ($0.isDescending != isMirrored ? " DESC" : "") }
    return "CREATE INDEX i ON T(\(parts.joined(separator: ", ")))\(condition)"
  }

  private static func row(
    _ generator: inout SeededGenerator,
    _ identity: EntityIdentity,
    allowsNull: Bool
  ) -> [(name: String, mark: String, value: DatabaseValue)] {
    var row: [(String, String, DatabaseValue)] = []
    // GRDB ends a text at a NUL.
    let textMark = "CAST(? AS TEXT)"
    for attribute in attributes {
      let mayBeNull = attribute.isOptional && (allowsNull || attribute.name == "f")
      let isNull = mayBeNull && generator.happens(percent: 35)
      let value = isNull ? Value.null : value(attribute.type.storage, &generator)
      let mark = attribute.type.storage == .text ? textMark : "?"
      row.append((attribute.name, mark, value.databaseValue))
    }
    switch identity {
    case .integer: row.append(("id", "?", Int64(generator.number(in: -99...99)).databaseValue))
    case .text:
      let number = generator.number(in: 0...9)
      guard case .text(let text) = value(.text, &generator) else { break }
      row.append(("id", textMark, Value.text(text + String(number)).databaseValue))
    case .compound: break
    }
    return row
  }

  /// One of few values, so that many rows tie.
  static func value(_ storage: StorageClass, _ generator: inout SeededGenerator) -> Value {
    switch storage {
    case .integer: .integer(generator.choice(0, 1, 2, -1, .max, .min))
    case .real: .real(generator.choice(0, -0.0, -.infinity, .infinity, 2.5, -7))
    case .text, .any: .text(generator.choice("a", "", "a\0", "a\0b", "ab", "Z", "é", "e\u{301}"))
    case .blob: .blob(generator.choice([0], [], [0, 255], [255], [1, 2]))
    }
  }
}

extension Value {
  /// The value as GRDB binds it; a text is bytes, since GRDB ends one at a NUL.
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): Data(text.utf8).databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    case .illFormedText(let text): Data(text.bytes).databaseValue
    }
  }
}
