import Foundation
import GRDB
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence

/// Three stores with one random schema, which receive the same commits.
///
/// One is in memory, one in a file with a change log, and one in a file without. Commits into the files are made by their stores, by other connections or by the `sqlite3` shell.
final class RelationWorld {
  /// Who commits into the files.
  enum Writer {
    case store
    case connection
    case shell
  }

  /// The version of each store after a commit; `nil` where another program made it.
  struct Versions {
    let memory: StoreVersion
    var logged: StoreVersion?
  }

  let schema: RelationSchema
  let memory: InMemoryStore
  let logged: SQLiteStore
  let unlogged: SQLiteStore
  private let folder: String
  private let strangers: [DatabaseQueue]

  init(_ generator: inout SeededGenerator) throws {
    schema = try RelationSchema(&generator, hasRules: generator.happens(percent: 50))
    memory = try InMemoryStore(entities: schema.entities)
    folder = NSTemporaryDirectory() + "relations-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var options = SQLiteStoreOptions(pollInterval: nil)
    logged = try SQLiteStore(
      at: folder + "/logged.sqlite",
      entities: schema.entities,
      options: options
    )
    options.maintainsChangeLog = false
    unlogged = try SQLiteStore(
      at: folder + "/unlogged.sqlite",
      entities: schema.entities,
      options: options
    )
    var patient = Configuration()
    patient.busyMode = .timeout(10)
    patient.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    strangers = try ["/logged.sqlite", "/unlogged.sqlite"].map { [folder] name in
      try DatabaseQueue(path: folder + name, configuration: patient)
    }
  }

  deinit {
    try? logged.close()
    try? unlogged.close()
    for stranger in strangers { try? stranger.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Makes one commit in all stores.
  func commit(
    steps: Int,
    by writer: Writer,
    _ generator: inout SeededGenerator
  ) throws -> Versions {
    let before = try memory.read { (snapshot) throws(StoreError) in snapshot.version }
    let start = generator
    let made = try memory.commit(origin: .unnamed) { transaction in
      try schema.change(steps: steps, transaction, &generator)
    }
    var versions = Versions(memory: made.version)
    guard writer != .store else {
      for store in [logged, unlogged] {
        var copy = start
        let committed = try store.commit(origin: .unnamed) { transaction in
          try schema.change(steps: steps, transaction, &copy)
        }
        if store === logged { versions.logged = committed.version }
      }
      return versions
    }
    let history = try memory.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: before, ofEach: schema.entities)
    }
    guard case .commits(let records) = history else { return versions }
    // A row that gets another key is not deleted with the one that it named before.
    let changes = records.flatMap(\.changes)
    let kept = changes.filter { $0.after != nil }
    let statements = (kept + changes.filter { $0.after == nil }).map(statement)
    for stranger in strangers {
      if writer == .shell {
        try runShell(statements, path: stranger.path)
      } else {
        try run(statements, on: stranger, enforcing: generator.happens(percent: 50))
      }
    }
    for store in [logged, unlogged] { try store.checkForExternalChanges() }
    return versions
  }

  // MARK: - Other programs

  /// Runs statements as one transaction of a connection that knows nothing of the stores.
  ///
  /// Where it enforces foreign keys, SQLite cascades before the statements do. The order of the statements can offend a rule that the
  /// transaction as a whole does not; then it does without.
  private func run(
    _ statements: [String],
    on stranger: DatabaseQueue,
    enforcing: Bool
  ) throws {
    func run(_ enforcing: Bool) throws {
      try stranger.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA foreign_keys = \(enforcing ? "ON" : "OFF")")
        try database.inTransaction {
          for statement in statements { try database.execute(sql: statement) }
          return .commit
        }
      }
    }
    do {
      try run(enforcing)
    } catch let error as DatabaseError where enforcing && error.resultCode == .SQLITE_CONSTRAINT {
      try run(false)
    }
  }

  private func runShell(_ statements: [String], path: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    shell.arguments = ["sqlite3", "-bail", "-cmd", ".timeout 10000", path]
    let input = Pipe()
    shell.standardInput = input
    try shell.run()
    let text =
      "PRAGMA synchronous = OFF; BEGIN; " + statements.joined(separator: "; ") + "; COMMIT;"
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    shell.waitUntilExit()
    guard shell.terminationStatus == 0 else {
      throw DatabaseError(message: "sqlite3 ended with \(shell.terminationStatus): \(text)")
    }
  }

  /// The statement that repeats the change of a row.
  private func statement(_ change: CommittedChange) -> String {
    let entity = schema.entities.first { $0.name == change.id.entity } ?? schema.entities[0]
    let table = RelationWorld.quoted(entity.name)
    let key = zip(entity.identity.columns, change.id.key.parts)
    let isCompound = entity.identity.columns.count > 1
    let condition = key.map { "\(RelationWorld.quoted($0)) = \(RelationWorld.literal($1))" }
      .joined(separator: " AND ")
    guard let after = change.after else { return "DELETE FROM \(table) WHERE \(condition)" }
    let names = entity.attributes.map(\.name)
    guard change.before == nil else {
      let values = zip(names, after.values).map { name, value in
        "\(RelationWorld.quoted(name)) = \(RelationWorld.literal(value))"
      }
      return "UPDATE \(table) SET \(values.joined(separator: ", ")) WHERE \(condition)"
    }
    let columns = ((isCompound ? [] : entity.identity.columns) + names).map(RelationWorld.quoted)
    let values = ((isCompound ? [] : change.id.key.parts) + after.values).map(RelationWorld.literal)
    return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) "
      + "VALUES (\(values.joined(separator: ", ")))"
  }

  private static func quoted(_ name: String) -> String { "\"\(name)\"" }

  private static func literal(_ value: Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .text(let text): "'\(text)'"
    default: "NULL"
    }
  }
}
