import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import SQLitePersistence

/// A random table in a file, a store over it, and a plain connection of another program.
///
/// There are few distinct values, so rows tie; they include nulls, texts with NUL, and the limits of each type.
final class IndexedTable {
  static let attributes = [
    AttributeDescription("k1", .text), AttributeDescription("k2", .integer64),
    AttributeDescription("n", .integer64, isOptional: true),
    AttributeDescription("t", .text, isOptional: true),
    AttributeDescription("r", .real, isOptional: true),
    AttributeDescription("b", .blob, isOptional: true),
    AttributeDescription("f", .integer64, isOptional: true),
  ]

  let folder: String
  let entity: EntityDescription
  let options: SQLiteStoreOptions
  private(set) var store: SQLiteStore
  /// The connection of another program.
  let stranger: DatabaseQueue
  /// A description of the table, for messages.
  private(set) var story: [String] = []
  /// The columns of the primary key.
  let keys: [String]
  /// The number of rows above which more rows are deleted than inserted.
  var crowd = 90
  private var indexCount = 0
  /// Whether there is a unique index besides the key, so that one statement can replace two rows.
  private(set) var hasRule = false

  init(
    _ generator: inout SeededGenerator,
    _ change: (inout SQLiteStoreOptions) -> Void = { _ in }
  ) throws {
    let identity = generator.choice(
      EntityIdentity.integer(),
      .integer(),
      .text(column: "id"),
      .compound(["k1", "k2"])
    )
    keys =
      switch identity {
      case .compound(let names): names
      case .integer, .text: ["id"]
      }
    entity = try EntityDescription(
      name: "T",
      identity: identity,
      attributes: IndexedTable.attributes
    )
    folder = NSTemporaryDirectory() + "indexed-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var options = SQLiteStoreOptions(pollInterval: nil)
    if generator.happens(percent: 60) {
      let table = IndexedTable.statement(identity, &generator)
      let queue = try DatabaseQueue(path: folder + "/store.sqlite")
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA journal_mode = WAL; " + table)
      }
      try queue.close()
      options.adoptsTables = true
      options.maintainsChangeLog = true
      story.append(table)
    } else {
      story.append("\(identity)")
    }
    change(&options)
    self.options = options
    store = try SQLiteStore(at: folder + "/store.sqlite", entities: [entity], options: options)
    var patient = Configuration()
    patient.busyMode = .timeout(10)
    stranger = try DatabaseQueue(path: folder + "/store.sqlite", configuration: patient)
    if case .compound = identity { return }
    guard generator.happens(percent: 30) else { return }
    hasRule = true
    // Another unique index makes the history unusable from the beginning.
    try runAsStranger("CREATE UNIQUE INDEX alone ON T(k1, k2, n)")
    try reopen()
  }

  deinit {
    try? store.close()
    try? stranger.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func statement(
    _ identity: EntityIdentity,
    _ generator: inout SeededGenerator
  ) -> String {
    let isInteger = identity == .integer()
    let key =
      switch identity {
      case .integer: "id INTEGER PRIMARY KEY, "
      case .text: "id TEXT PRIMARY KEY NOT NULL, "
      case .compound: ""
      }
    let primaryKey = key.isEmpty ? ", PRIMARY KEY (k1, k2)" : ""
    let hasRowNumbers = isInteger || generator.happens(percent: 50)
    let options = [
      hasRowNumbers ? nil : "WITHOUT ROWID", generator.choice("STRICT", nil),
    ]
    return """
      CREATE TABLE T(\(key)k1 TEXT NOT NULL, k2 INTEGER NOT NULL, n INTEGER, t TEXT, r REAL, \
      b BLOB, f INTEGER\(primaryKey)) \(options.compactMap(\.self).joined(separator: ", "))
      """
  }

  /// Closes the store and opens the file again.
  func reopen() throws {
    try store.close()
    store = try SQLiteStore(at: folder + "/store.sqlite", entities: [entity], options: options)
  }

  /// Runs statements on the other connection.
  func runAsStranger(_ sql: String) throws {
    story.append(sql)
    try stranger.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// Creates an index.
  /// - Returns: Its name.
  @discardableResult
  func makeIndex(on columns: [String], _ condition: String) throws -> String {
    indexCount += 1
    let name = "i\(indexCount)"
    let list = columns.joined(separator: ", ")
    try runAsStranger("CREATE INDEX \(name) ON T(\(list))\(condition)")
    return name
  }

  /// Creates an index for a list; for expressions, the one that the store suggests.
  /// - Returns: Its name, or `nil` if the list needs none.
  @discardableResult
  func makeIndex(for list: List) throws -> String {
    guard let order = list.computed else {
      return try makeIndex(on: list.columns, list.condition)
    }
    let statement = try store.read { (snapshot) throws(StoreError) in
      try snapshot.plan(of: order).remedy
    }
    guard let statement else { return "" }
    try runAsStranger(statement + list.condition)
    return String(statement.split(separator: "\"")[1])
  }

  /// A random value out of few, so that many rows tie.
  static func value(
    _ attribute: AttributeDescription,
    _ generator: inout SeededGenerator
  ) -> Value {
    if attribute.isOptional, generator.happens(percent: 30) { return .null }
    return switch (attribute.name, attribute.type.storage) {
    case ("k2", _): .integer(generator.choice(.max, .min, Int64(generator.number(in: -9...9))))
    case ("f", _): .integer(generator.choice(1, 1, 0, .max))
    case (_, .integer): .integer(Int64(generator.number(in: -3...8)))
    case (_, .real): .real(generator.choice(0, -0.0, -.infinity, .infinity, 2.5, -7))
    case (_, .text), (_, .any):
      .text(generator.choice("a", "", "a\0", "a\0b", "ab", "Z", "é", "e\u{301}", "\0"))
    case (_, .blob): .blob(generator.choice([0], [], [0, 255], [255], [1, 2]))
    }
  }

  /// A key for a new row, or `nil` if it is part of the values or the store assigns it.
  func key(_ generator: inout SeededGenerator) -> ObjectKey? {
    switch entity.identity {
    case .integer:
      return !hasRule && generator.happens(percent: 30)
        ? nil : .integer(Int64(generator.number(in: -150...150)))
    case .text:
      return .text(generator.choice("a", "\0", "é", "") + String(generator.number(in: 0...40)))
    case .compound: return nil
    }
  }

  func values(_ generator: inout SeededGenerator) -> [Value] {
    IndexedTable.attributes.map { IndexedTable.value($0, &generator) }
  }
}

extension Value {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    case .illFormedText(let text): text.repaired.databaseValue
    }
  }
}

/// Random commits: by the store, by SQL in its transaction, and by another program.
extension IndexedTable {
  /// Makes a random number of commits, each by a random writer.
  func commit(
    _ generator: inout SeededGenerator,
    rows: Int,
    by writers: [Writer] = Writer.allCases
  ) throws {
    switch generator.element(of: writers) {
    case .store: try commitSteps(rows, &generator)
    case .statements:
      try store.write { body in
        guard let transaction = body as? SQLiteTransaction else { return }
        try transaction.withDatabase { try run(rows, on: $0, &generator) }
      }
    case .stranger, nil:
      try stranger.write { try run(rows, on: $0, &generator) }
    }
  }

  enum Writer: CaseIterable {
    case store
    case statements
    case stranger
  }

  private func commitSteps(_ count: Int, _ generator: inout SeededGenerator) throws {
    let order =
      keys.count > 1
      ? keys.map { FetchSortDescriptor.ascending($0) } : [FetchSortDescriptor(.objectKey)]
    let rows = try store.fetch(FetchRequest<ResultsDomain.Row>(entity: entity, sortedBy: order))
    try store.write { transaction in
      for _ in 0..<count {
        let step: StoreOperation
        if let row = generator.element(of: rows), !generator.happens(percent: 40) {
          var changed = row.values
          if let index = generator.element(of: changed.indices) {
            changed[index] = IndexedTable.value(IndexedTable.attributes[index], &generator)
          }
          step =
            generator.happens(percent: rows.count > crowd ? 60 : 30)
            ? .delete(row.id) : .update(row.id, to: changed)
        } else {
          step = .insert(values(&generator), key: key(&generator))
        }
        do {
          _ = try transaction.perform(step, on: entity)
        } catch {
          // A constraint of the database; the transaction continues.
          guard case StoreError.aborted = error else { throw error }
        }
      }
    }
  }

  private func run(_ count: Int, on database: Database, _ generator: inout SeededGenerator) throws {
    let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM T") ?? 0
    var left = count
    while left > 0 {
      left -= 1
      if generator.happens(percent: 8) {
        try database.execute(sql: "SAVEPOINT inner")
        for _ in 0..<3 { try runStatement(on: database, among: rows, &generator) }
        if generator.happens(percent: 60) { try database.execute(sql: "ROLLBACK TO inner") }
        try database.execute(sql: "RELEASE inner")
      } else {
        try runStatement(on: database, among: rows, &generator)
      }
    }
  }

  private func runStatement(
    on database: Database,
    among rows: Int,
    _ generator: inout SeededGenerator
  ) throws {
    let list = keys.joined(separator: ", ")
    let offset = generator.number(in: 0...max(0, rows - 1))
    let row = "(\(list)) = (SELECT \(list) FROM T LIMIT 1 OFFSET \(offset))"
    let attribute =
      generator.element(of: IndexedTable.attributes) ?? IndexedTable.attributes[0]
    let value = IndexedTable.value(attribute, &generator).databaseValue
    let policy = generator.choice("OR REPLACE", "OR IGNORE", "OR IGNORE", "OR FAIL")
    var arguments = [value]
    let sql: String
    switch generator.number(in: 0...(rows > crowd ? 12 : 9)) {
    case 0...4: (sql, arguments) = insertion(policy, attribute.name, &generator)
    case 5...6: sql = "UPDATE \(policy) T SET \(attribute.name) = ? WHERE \(row)"
    case 7:
      guard let key = key(&generator) else {
        sql = "UPDATE \(policy) T SET k1 = k1 || 'x' WHERE \(row)"
        arguments = []
        break
      }
      sql = "UPDATE \(policy) T SET id = ? WHERE \(row)"
      arguments = [key.databaseValue]
    case 8:
      sql = "UPDATE OR IGNORE T SET \(attribute.name) = ? WHERE n = \(generator.number(in: 0...5))"
    case 12:
      sql = "DELETE FROM T WHERE n = \(generator.number(in: -3...8))"
      arguments = []
    default:
      sql = "DELETE FROM T WHERE \(row)"
      arguments = []
    }
    do {
      try database.execute(sql: sql, arguments: StatementArguments(arguments))
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
  }

  private func insertion(
    _ policy: String,
    _ attribute: String,
    _ generator: inout SeededGenerator
  ) -> (String, [DatabaseValue]) {
    var names = IndexedTable.attributes.map(\.name)
    var arguments = values(&generator).map(\.databaseValue)
    if let key = key(&generator) {
      names.append("id")
      arguments.append(key.databaseValue)
    }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let columns = names.joined(separator: ", ")
    guard generator.happens(percent: 30) else {
      return ("INSERT \(policy) INTO T(\(columns)) VALUES (\(marks))", arguments)
    }
    let list = keys.joined(separator: ", ")
    return (
      """
      INSERT INTO T(\(columns)) VALUES (\(marks)) \
      ON CONFLICT (\(list)) DO UPDATE SET \(attribute) = excluded.\(attribute)
      """,
      arguments
    )
  }
}

extension ObjectKey {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .integer(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .compound: .null
    }
  }
}

/// Random lists over the table, and the indexes that have their keys.
extension IndexedTable {
  /// A list, and the columns and condition of an index that serves it.
  struct List {
    var definition: ResultsDefinition<ResultsDomain.Row>
    var columns: [String]
    var condition: String
    /// The order for which the store suggests an index, if it has computed columns.
    var computed: OrderDefinition?
  }

  func list(_ generator: inout SeededGenerator) throws -> List {
    var names = ["n", "t", "r", "b", "f", "k1", "k2"].shuffled(using: &generator)
    names = Array(names.prefix(generator.number(in: 1...3)))
    var terms = names.map { name in
      if generator.happens(percent: 25), let computed = IndexedTable.computed(name, &generator) {
        return FetchSortDescriptor(computed, generator.choice(.ascending, .descending))
      }
      let nulls: NullPlacement? = name.hasPrefix("k") ? generator.choice(.first, .last) : nil
      return FetchSortDescriptor(
        .attribute(name),
        generator.choice(.ascending, .descending),
        nulls: nulls
      )
    }
    if keys.count == 1, generator.happens(percent: 25) {
      terms.append(FetchSortDescriptor(.objectKey, generator.choice(.ascending, .descending)))
    }
    var section: SectionKey?
    var sortDescriptors = terms
    var groups: SectionGroups?
    switch generator.number(in: 0...6) {
    case 5...6:
      // What orders or groups the sections follows from their ids, so no section comes apart.
      let name = generator.choice("n", "t", "k1", "r", "f")
      let direction = generator.choice(SortDirection.ascending, .descending)
      let id = FetchExpression.attribute(name)
      guard let order = IndexedTable.computed(name, &generator) else { break }
      if generator.happens(percent: 50) {
        section = SectionKey(.expression(id, orderedBy: order, direction, nulls: nil))
      } else {
        section = .expression(id, direction)
        groups = .expression(order, direction)
      }
      sortDescriptors.insert(FetchSortDescriptor(id, direction), at: 0)
      sortDescriptors.insert(FetchSortDescriptor(order, direction), at: 0)
    case 0...1:
      let name = generator.choice("n", "t", "k1", "r", "f")
      let direction = generator.choice(SortDirection.ascending, .descending)
      var expression = FetchExpression.attribute(name)
      if generator.happens(percent: 40) {
        expression = IndexedTable.computed(name, &generator) ?? expression
      }
      section = .expression(expression, direction)
      sortDescriptors.insert(FetchSortDescriptor(expression, direction), at: 0)
    case 2...3:
      let direction = generator.choice(SortDirection.ascending, .descending)
      terms.insert(FetchSortDescriptor(.attribute("n"), direction), at: 0)
      sortDescriptors = terms
      section = .transient(source: "n", grouping: Groups(width: generator.choice(3, 1, 100)))
    default: break
    }
    let (predicate, condition, fixed) = predicate(&generator)
    let aggregates = [
      SectionAggregate("sum", FetchAggregate(.sum, of: .attribute("n"))),
      SectionAggregate("least", FetchAggregate(.minimum, of: .attribute("r"))),
      SectionAggregate("greatest", FetchAggregate(.maximum, of: .attribute("t"))),
      SectionAggregate("number", FetchAggregate(.count, of: .attribute("b"))),
    ]
    let isComputed = sortDescriptors.contains { term in
      switch term.expression {
      case .attribute, .objectKey: false
      default: true
      }
    }
    let order = try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sortDescriptors: sortDescriptors
    )
    var definition = ResultsDefinition(
      FetchRequest<ResultsDomain.Row>(
        entity: entity,
        where: predicate,
        sortedBy: terms,
        fetchLimit: generator.choice(nil, nil, nil, 5, 20),
        fetchOffset: generator.choice(0, 0, 0, 2, 15),
        fetchBatchSize: generator.choice(7, 50)
      ),
      sectionedBy: section,
      aggregates: generator.happens(percent: 40) ? aggregates : []
    )
    definition.groups = groups
    return List(
      definition: definition,
      columns: columns(fixed, sortDescriptors, &generator),
      condition: condition,
      computed: isComputed ? order : nil
    )
  }

  /// An expression over an attribute, or `nil` where there is none.
  private static func computed(
    _ name: String,
    _ generator: inout SeededGenerator
  ) -> FetchExpression? {
    let attribute = FetchExpression.attribute(name)
    switch name {
    case "t", "k1":
      return generator.choice(
        .prefix(attribute, length: 1),
        .lowercased(attribute),
        .uppercased(.prefix(attribute, length: 2)),
        .length(attribute),
        .ifNull(attribute, "it's")
      )
    case "n", "k2", "f":
      return generator.choice(.bucket(attribute, width: 3), .ifNull(attribute, 1))
    case "r": return .ifNull(attribute, 2.0)
    default: return nil
    }
  }

  /// A predicate that an index can answer, the condition of the index, and its leading columns.
  private func predicate(
    _ generator: inout SeededGenerator
  ) -> (FetchPredicate, String, [String]) {
    let fixed = FetchPredicate.comparison(.attribute("f"), .equal, .literal(.integer(1)))
    switch generator.number(in: 0...8) {
    case 0: return (fixed, "", ["f"])
    case 1: return (.isNull(.attribute("f")), "", ["f"])
    case 2:
      let text = FetchPredicate.comparison(.attribute("k1"), .equal, .literal(.text("a")))
      return (.and([text, fixed]), "", generator.choice(["f", "k1"], ["k1", "f"]))
    case 3: return (fixed, " WHERE f = 1", [])
    case 4: return (.not(.isNull(.attribute("f"))), " WHERE f IS NOT NULL", [])
    default: return (.all, "", [])
    }
  }

  private func columns(
    _ fixed: [String],
    _ terms: [FetchSortDescriptor],
    _ generator: inout SeededGenerator
  ) -> [String] {
    var columns = fixed.map { (name: $0, isDescending: false) }
    for term in terms {
      var name = keys[0]
      if case .attribute(let attribute) = term.expression { name = attribute }
      guard !columns.contains(where: { $0.name == name }) else { continue }
      columns.append((name, term.direction == .descending))
    }
    for key in keys where !columns.contains(where: { $0.name == key }) {
      columns.append((key, false))
    }
    // Read backwards, an index with the opposite directions has the same order.
    let isMirrored = generator.happens(percent: 30)
    return columns.map { $0.name + ($0.isDescending != isMirrored ? " DESC" : "") }
  }
}

/// Groups of a fixed number of integers, with known ranges.
struct Groups: SectionGrouping {
  let width: Int64

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let number) = value else { return SectionGroup(id: .null) }
    let first = number - ((number % width) + width) % width
    return SectionGroup(
      id: .integer(first),
      first: .integer(first),
      next: .integer(first + width)
    )
  }

  func title(of id: Value) -> String { "from \(id)" }
  var groupingIdentity: String { "groups of \(width)" }
  var titleIdentity: String { "en" }
}
