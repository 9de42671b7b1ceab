import FetchedResults
import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence

/// A row of the large table, about 128 bytes.
struct Message: Entity {
  var id: Int64?
  /// One of 1,000 folders.
  var folder: Int64 = 0
  var date = Instant(microseconds: 0)
  /// A capital letter, followed by words and a number.
  var subject = ""
  /// One of ten rooms.
  var room: Int64 = 0
  /// One of 100,000 threads.
  var thread: Int64 = 0
  /// 0 in 99 % of the rows.
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

  /// The indexes of three attributes in the values of a row.
  static let (folderIndex, dateIndex, bodyIndex) = (0, 1, 6)
  /// The number of folders.
  static let folders = 1000
  /// The range of all dates: ten years from 2015 on, in microseconds.
  static let dates: Range<Int64> = 1_420_070_400_000_000..<1_735_689_600_000_000
}

// MARK: - File

/// The file of one size of the large table, created by the store itself, so that its change log covers every writer.
struct MessageFile {
  let path: String
  let rows: Int

  /// Creates the file, or copies the one that an earlier run kept.
  ///
  /// The rows are the same in every run: they derive from the row number by a multiplicative generator (Park and Miller 1988).
  init(rows: Int, in folder: BenchmarkFolder) throws {
    self.rows = rows
    path = try folder.database(
      "messages-\(rows).sqlite",
      isComplete: { try Self.isComplete($0, rows) },
      create: { try Self.create($0, rows) }
    )
  }

  /// Opens the store of the file, without a timer that polls for other writers.
  func open() throws -> any Store { try Self.open(path) }

  private static func open(_ path: String) throws -> any Store {
    try SQLiteStore(
      at: path,
      entities: [Message.entity],
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  private static func create(_ path: String, _ rows: Int) throws {
    let store = try open(path)
    let step = 100_000
    for start in stride(from: 1, through: rows, by: step) {
      let end = min(rows, start + step - 1)
      _ = try store.commit(origin: .unnamed) { transaction in
        try (transaction as? SQLiteTransaction)?.withDatabase { database in
          let connection = PlainDatabase(borrowing: database.sqliteConnection)
          defer { connection.close() }
          try connection.each(
            insertion,
            [.integer(Int64(start)), .integer(Int64(end)), .text(filler)]
          )
        }
      }
    }
    try store.close()
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    try plain.run(MessageList.folders.index)
    try plain.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static func isComplete(_ path: String, _ rows: Int) throws -> Bool {
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    // A run that was killed while it created the file leaves fewer rows, no table or no index, which is made last.
    let count = try? plain.integer("SELECT count(*) FROM Message")
    let last = try? plain.integer("SELECT max(id) FROM Message")
    let indexes = try? plain.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = '\(MessageList.folders.indexName)'"
    )
    return count == Int64(rows) && last == Int64(rows) && indexes == 1
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
