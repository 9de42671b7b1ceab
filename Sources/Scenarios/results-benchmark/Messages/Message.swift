import Foundation
import GRDB
import ResultsDomain
import SQLitePersistence

/// A message of the big table: about 128 bytes a row.
struct Message: Entity {
  var id: Int64?
  /// One of a thousand.
  var folder: Int64 = 0
  var date = Instant(microseconds: 0)
  /// A capital letter first, then words and a number.
  var subject = ""
  /// One of ten.
  var room: Int64 = 0
  /// One of a hundred thousand.
  var thread: Int64 = 0
  /// Mostly 0.
  var mark: Int64 = 0
  var body = ""

  static let schema = EntitySchema<Message>("Message", identity: \.id) {
    Attribute(\.folder, "folder")
    Attribute(\.date, "date")
    Attribute(\.subject, "subject")
    Attribute(\.room, "room")
    Attribute(\.thread, "thread")
    Attribute(\.mark, "mark")
    Attribute(\.body, "body")
  }

  /// Where the folder and the date stand among a row's values.
  static let (folderPlace, datePlace, bodyPlace) = (0, 1, 6)
  /// How many folders there are, at most.
  static let folders = 1000
  /// The span of all dates: ten years from 2015 on, in microseconds.
  static let dates: Range<Int64> = 1_420_070_400_000_000..<1_735_689_600_000_000
}

// MARK: - File

/// The file of one size of the big table, made by the store itself, so that its log tells of every writer.
struct MessageFile {
  let path: String
  let rows: Int
  /// Whether an earlier run has made it.
  let isKept: Bool

  /// Makes the file, or takes the one that an earlier run has kept.
  ///
  /// Rows are the same in every run: numbers from a multiplicative generator (Park and Miller 1988) of the row's own number.
  init(rows: Int, in folder: BenchmarkFolder) throws {
    self.rows = rows
    path = folder.keptPath(of: "messages-\(rows).sqlite")
    isKept = try Self.isWhole(path, rows)
    if !isKept { try make() }
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    // An earlier run may have kept the indexes of lists that are measured last: they would cost every writer.
    for list in MessageList.allCases where list.indexName != MessageList.folders.indexName {
      try plain.run("DROP INDEX IF EXISTS \(list.indexName)")
    }
    try plain.run(MessageList.folders.index)
    try plain.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Opens the store of the file; other writers are looked for when the benchmark says so, never by a timer.
  func open() throws -> any Store {
    try SQLiteStore(
      at: path,
      entities: [Message.entity],
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  private func make() throws {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    let store = try open()
    let step = 100_000
    for start in stride(from: 1, through: rows, by: step) {
      let end = min(rows, start + step - 1)
      _ = try store.commit(origin: .unnamed) { transaction in
        try (transaction as? SQLiteTransaction)?.withDatabase { database in
          let own = PlainDatabase(borrowing: database.sqliteConnection)
          defer { own.close() }
          try own.each(
            Self.insertion,
            [.integer(Int64(start)), .integer(Int64(end)), .text(Self.filler)]
          )
        }
      }
    }
    try store.close()
  }

  private static func isWhole(_ path: String, _ rows: Int) throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    // A run that was killed while it made the file leaves fewer rows, or no table.
    let count = try? plain.integer("SELECT count(*) FROM Message")
    let last = try? plain.integer("SELECT max(id) FROM Message")
    return count == Int64(rows) && last == Int64(rows)
  }

  private static let insertion = """
    WITH RECURSIVE
      numbers(id) AS (VALUES (?1) UNION ALL SELECT id + 1 FROM numbers WHERE id < ?2),
      draws(id, a, b, c) AS (
        SELECT id, (id * 48271 % 2147483647) * 16807 % 2147483647,
          (id * 69621 % 2147483647) * 40014 % 2147483647,
          (id * 62089911 % 2147483647) * 48271 % 2147483647 FROM numbers)
    INSERT INTO Message (id, folder, date, subject, room, thread, mark, body)
    SELECT id, a / 2147484, \(Message.dates.lowerBound) + b * 146973,
      char(65 + c / 82595525) || ' subject of ' || a, b % 10, c / 21475, c % 100 = 7,
      substr(?3, 1 + b % 50, 60) FROM draws
    """

  private static let filler =
    "The quick brown fox jumps over the lazy dog; pack my box with five dozen liquor jugs, and then"
    + " some more words."
}
