import CSQLite

/// The reference for finding positions in C: ranks in one order, from every 128th of its keys.
///
/// It measures costs and is not a list: its keys are those at the time of its creation.
struct PlainRanks {
  private static let stride = 128
  private var pivots: [MessageKey] = []

  /// Reads all keys once.
  init(_ database: PlainDatabase) throws {
    var (position, pivots) = (0, [MessageKey]())
    try database.each(MessageList.folders.scan) { row in
      if position.isMultiple(of: Self.stride) { pivots.append(Self.key(in: row)) }
      position += 1
    }
    self.pivots = pivots
  }

  /// Returns the number of rows before a key, found from the next smaller pivot by statements that an index answers.
  func rank(of key: MessageKey, in database: PlainDatabase) throws -> Int {
    guard let block = pivots.lastIndex(notAbove: key) else { return 0 }
    let (pivot, start) = (pivots[block], block * Self.stride)
    guard pivot.folder != key.folder else {
      return start + (try count(key.folder, pivot.date, key.date, in: database))
    }
    let rest = try database.integer(
      "SELECT count(*) FROM Message WHERE folder = ? AND date >= ?",
      [.integer(pivot.folder), .integer(pivot.date)]
    )
    let between = try database.integer(
      "SELECT count(*) FROM Message WHERE folder > ? AND folder < ?",
      [.integer(pivot.folder), .integer(key.folder)]
    )
    return start + Int(rest + between) + (try count(key.folder, .min, key.date, in: database))
  }

  /// Returns the present key of a row.
  static func key(of id: Int64, in database: PlainDatabase) throws -> MessageKey? {
    var key: MessageKey?
    try database.each("SELECT folder, date, id FROM Message WHERE id = ?", [.integer(id)]) {
      key = Self.key(in: $0)
    }
    return key
  }

  private func count(
    _ folder: Int64,
    _ from: Int64,
    _ to: Int64,
    in database: PlainDatabase
  ) throws -> Int {
    Int(
      try database.integer(
        "SELECT count(*) FROM Message WHERE folder = ? AND date >= ? AND date < ?",
        [.integer(folder), .integer(from), .integer(to)]
      )
    )
  }

  private static func key(in row: OpaquePointer) -> MessageKey {
    MessageKey(
      folder: sqlite3_column_int64(row, 0),
      date: sqlite3_column_int64(row, 1),
      id: sqlite3_column_int64(row, 2)
    )
  }
}
