#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

@testable import PostgreSQLPersistence

/// A database with tables of three kinds of keys and their log, without a store.
struct LogFixture {
  let url: String
  let tables: StoreTables

  /// The entities: with an integer key, a text key and a compound key.
  static func entities() throws -> [EntityDescription] {
    [
      try EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription("title", .text),
          AttributeDescription("year", .integer64, isOptional: true),
        ]
      ),
      try EntityDescription(
        name: "Tag",
        identity: .text(),
        attributes: [AttributeDescription("color", .text, isOptional: true)]
      ),
      try EntityDescription(
        name: "Score",
        identity: .compound(["player", "game"]),
        attributes: [
          AttributeDescription("game", .integer64),
          AttributeDescription("player", .text),
          AttributeDescription("points", .real),
        ]
      ),
    ]
  }

  static let creation = [
    #"CREATE TABLE "Book" (id bigint PRIMARY KEY, title text COLLATE "C" NOT NULL, year bigint)"#,
    #"CREATE TABLE "Tag" (id text COLLATE "C" PRIMARY KEY, color text)"#,
    """
    CREATE TABLE "Score" (player text COLLATE "C", game integer, points double precision NOT NULL,
      PRIMARY KEY (player, game))
    """,
  ]

  init(_ url: String, creates: Bool = true) throws {
    self.url = url
    let entities = try LogFixture.entities()
    if creates {
      let connection = try TestServer.connect(url)
      for statement in LogFixture.creation { try connection.runOnce(statement) }
    }
    let text = ColumnCoding(kind: .text, type: TypeNumber.text, storage: .text)
    let integer = ColumnCoding(
      kind: .integer(bytes: 8),
      type: TypeNumber.integer,
      storage: .integer
    )
    let small = ColumnCoding(
      kind: .integer(bytes: 4),
      type: TypeNumber.integer32,
      storage: .integer
    )
    let real = ColumnCoding(kind: .real(bytes: 8), type: TypeNumber.real, storage: .real)
    tables = StoreTables([
      LogFixture.table(entities[0], 0, keys: [integer], [text, integer]),
      LogFixture.table(entities[1], 1, keys: [text], [text]),
      LogFixture.table(entities[2], 2, keys: [text, small], [small, text, real]),
    ])
  }

  private static func table(
    _ entity: EntityDescription,
    _ index: Int,
    keys: [ColumnCoding],
    _ codings: [ColumnCoding]
  ) -> EntityTable {
    func columns(_ names: [String], _ codings: [ColumnCoding]) -> [EntityTable.Column] {
      zip(names, codings).map { name, coding in
        EntityTable.Column(
          name: Connection.quoted(name),
          coding: coding,
          isNullable: true,
          isGenerated: false
        )
      }
    }
    return EntityTable(
      entity,
      index: index,
      shape: TableShape(
        number: 0,
        schema: "public",
        name: entity.name,
        kind: "r",
        columns: [],
        primaryKey: entity.identity.columns,
        isKeyDeferrable: false
      ),
      keyColumns: columns(entity.identity.columns, keys),
      attributeColumns: columns(entity.attributes.map(\.name), codings)
    )
  }

  /// Opens the log on a connection of its own.
  func open(
    mayInstall: Bool = true,
    mode: CaptureText.Mode? = .row,
    limits: ChangeLog.Limits = ChangeLog.Limits()
  ) throws -> Follower {
    let connection = try TestServer.connect(url)
    let log = try ChangeLog.open(
      tables: tables,
      mayInstall: mayInstall,
      mode: mode,
      limits: limits,
      on: connection,
      path: "test"
    )
    guard let log else { throw NoLog() }
    return Follower(log, connection)
  }

  struct NoLog: Error {}
}

/// Reads a log as a store does, one version after another.
final class Follower {
  let log: ChangeLog
  var connection: Connection
  var version: StoreVersion?

  init(_ log: ChangeLog, _ connection: Connection) {
    (self.log, self.connection) = (log, connection)
  }

  /// Runs a closure in a reading.
  func read<Result>(_ body: (PinnedVersion) throws -> Result) throws -> Result {
    let pinned = try log.begin(on: connection)
    defer { _ = try? connection.run([.rollback]) }
    return try body(pinned)
  }

  /// Moves to the newest version.
  @discardableResult
  func advance() throws -> StoreVersion {
    let version = try read { $0.version }
    self.version = version
    return version
  }

  /// The history of some tables since the last call of it or `advance()`.
  func history(of indexes: [Int]? = nil) throws -> StoreHistory {
    let all = log.tables.all
    let old = try version ?? advance()
    return try read { pinned in
      version = pinned.version
      let wanted = (indexes ?? Array(all.indices)).map { all[$0] }
      return try log.history(since: old, ofEach: wanted, in: pinned, on: connection)
    }
  }

  /// The commits of a history that must have no gap.
  func commits(of indexes: [Int]? = nil) throws -> [CommitRecord] {
    let history = try history(of: indexes)
    guard case .commits(let records) = history else { throw Gap(history: history) }
    return records
  }

  struct Gap: Error {
    let history: StoreHistory
  }
}

extension CommitRecord {
  /// The changes in words, as `Book 1: old → new`.
  var words: [String] {
    changes.map { change in
      func words(_ row: Row?) -> String {
        guard let row else { return "none" }
        return row.values.map { $0.text ?? ($0.isNull ? "-" : "\($0)") }.joined(separator: ",")
      }
      return "\(change.id): \(words(change.before)) → \(words(change.after))"
    }
  }
}
#endif
