import Foundation
import GRDB
import ResultsDomain
import SQLitePersistence
import Testing

/// A store with rows and constraints, and other programs that write into it.
enum LogFixture {
  /// The path of SQLite's shell, where it is installed.
  static let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  /// Opens the store in a folder; a new one gets rows, unique indexes, and a column that is not an attribute.
  static func open(
    _ folder: TemporaryFolder,
    isNew: Bool = true,
    _ options: SQLiteStoreOptions = SQLiteStoreOptions(pollInterval: nil)
  ) throws -> SQLiteStore {
    let store = try SQLiteStore(at: folder.file(), entities: Sample.entities, options: options)
    guard isNew else { return store }
    try store.write { body in
      let transaction = try #require(body as? SQLiteTransaction)
      try transaction.withDatabase { database in
        try database.execute(
          sql: """
            ALTER TABLE Book ADD COLUMN extra INTEGER;
            CREATE UNIQUE INDEX "by""title" ON Book (title COLLATE NOCASE);
            CREATE UNIQUE INDEX byYear ON Book (year) WHERE year > 0;
            CREATE UNIQUE INDEX byRating ON Book (abs(rating), ("cover" IS NULL) DESC);
            CREATE UNIQUE INDEX onShelf ON Book (abs(year)) WHERE publisher = 'U';
            INSERT INTO Book (publisher, title) VALUES ('P', 'a'), ('P', 'b'), ('P', 'c'), ('P', 'd');
            UPDATE Book SET rating = 3 WHERE id = 3;
            UPDATE Book SET year = 1 WHERE id = 4;
            UPDATE Book SET year = -1, publisher = 'U' WHERE id = 3;
            INSERT INTO Tag VALUES ('x', 1), ('y', 2);
            INSERT INTO Score VALUES (5, 'Ann', 1);
            """
        )
      }
    }
    return store
  }

  /// Runs statements in a transaction of a store.
  static func run(_ sql: String, _ attach: String? = nil, in store: SQLiteStore) throws {
    try store.write { body in
      let transaction = try #require(body as? SQLiteTransaction)
      try transaction.withDatabase { database in
        if let attach { try database.execute(sql: attach) }
        try permissive { try database.execute(sql: sql) }
      }
    }
  }

  /// Runs statements on a connection without a store.
  static func execute(
    _ path: String,
    before: [String] = [],
    _ sql: String,
    after: String? = nil
  ) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      for statement in before { try database.execute(sql: statement) }
      try permissive { try database.execute(sql: sql) }
      if let after { try database.execute(sql: after) }
    }
    try queue.close()
  }

  /// Ignores a constraint failure, as of OR FAIL.
  private static func permissive(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
  }

  /// Runs statements in SQLite's shell, which is another process.
  static func runShell(_ path: String, _ sql: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(shell))
    process.arguments = [path]
    let input = Pipe()
    process.standardInput = input
    process.standardError = Pipe()
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data((".timeout 5000\n" + sql + "\n").utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// A change as `key:beforeafter`, with the title, rank or points; a dash stands for no row.
  static func text(_ change: CommittedChange) -> String {
    func text(_ row: ResultsDomain.Row?) -> String {
      guard let row else { return "-" }
      let value = row.values[row.entity.name == "Book" ? 1 : 0]
      return value.text ?? value.integer.map { String($0) } ?? "?"
    }
    return "\(change.id.key):\(text(change.before))\(text(change.after))"
  }

  /// Rows by their identity.
  static func content(_ rows: [ResultsDomain.Row]) -> [ObjectID: ResultsDomain.Row] {
    Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Applies changes to rows; a change whose old image differs from the row is skipped.
  static func replay(
    _ changes: [CommittedChange],
    on rows: [ObjectID: ResultsDomain.Row]
  ) -> [ObjectID: ResultsDomain.Row] {
    var rows = rows
    for change in changes where rows[change.id] == change.before { rows[change.id] = change.after }
    return rows
  }
}

extension StoreHistory {
  /// The commits, or `nil` for a gap.
  var records: [CommitRecord]? {
    if case .commits(let commits) = self { commits } else { nil }
  }
}
