import Foundation
import GRDB
import ResultsDomain
import ResultsTesting
import SQLitePersistence

/// A random table in a file, a store of it, and a connection that knows nothing of stores.
///
/// Values are few, so that rows tie, and among them are nulls, zeros in texts, and the ends of each type.
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
  /// What was made, for messages.
  private(set) var story: [String] = []
  /// The columns of the primary key.
  let keys: [String]
  /// From how many rows on more are deleted than come.
  var crowd = 90
  private var indexCount = 0
  /// Whether there is a rule of uniqueness besides the key, so that one statement can replace two rows.
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
    // Another rule of uniqueness breaks the history, so that is over before it begins.
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

  /// Closes the store, and opens the file again.
  func reopen() throws {
    try store.close()
    store = try SQLiteStore(at: folder + "/store.sqlite", entities: [entity], options: options)
  }

  /// Runs statements on the other connection.
  func runAsStranger(_ sql: String) throws {
    story.append(sql)
    try stranger.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// Makes an index.
  /// - Returns: Its name.
  @discardableResult
  func makeIndex(on columns: [String], _ condition: String) throws -> String {
    indexCount += 1
    let name = "i\(indexCount)"
    let list = columns.joined(separator: ", ")
    try runAsStranger("CREATE INDEX \(name) ON T(\(list))\(condition)")
    return name
  }

  /// Makes an index for a list: one over expressions as the store advises it.
  /// - Returns: Its name, or nothing if the list needs none.
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

  /// A value of which there are few, so that many rows tie.
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
    case (_, .text):
      .text(generator.choice("a", "", "a\0", "a\0b", "ab", "Z", "é", "e\u{301}", "\0"))
    case (_, .blob): .blob(generator.choice([0], [], [0, 255], [255], [1, 2]))
    }
  }

  /// A key for a new row, or `nil` where the values make it or the store assigns it.
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
    }
  }
}
