import CSQLite

/// The reference for finding positions in C: ranks in one order, from every 128th of its keys.
///
/// It measures costs and is not a list: its keys are those at the time of its creation.
struct PlainRanks {
  /// A key in the order of folder, date and id.
  struct Key: Comparable {
    var folder: Int64
    var date: Int64
    var id: Int64

    static func < (left: Key, right: Key) -> Bool {
      (left.folder, left.date, left.id) < (right.folder, right.date, right.id)
    }
  }

  private static let stride = 128
  private var pivots: [Key] = []

  /// Reads all keys once.
  init(_ database: PlainDatabase) throws {
    var (position, pivots) = (0, [Key]())
    try database.each(MessageList.folders.scan) { row in
      if position.isMultiple(of: Self.stride) { pivots.append(Self.key(in: row)) }
      position += 1
    }
    self.pivots = pivots
  }

  /// Returns the number of rows before a key, found from the next smaller pivot by statements that an index answers.
  func rank(of key: Key, in database: PlainDatabase) throws -> Int {
    let (block, pivot) = block(of: key)
    guard let pivot else { return 0 }
    let start = block * Self.stride
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
  static func key(of id: Int64, in database: PlainDatabase) throws -> Key? {
    var key: Key?
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

  /// Returns the last pivot that is not greater than a key, and its index.
  private func block(of key: Key) -> (Int, Key?) {
    var (low, high) = (0, pivots.count)
    while low < high {
      let middle = (low + high) / 2
      if pivots[middle] <= key { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? (0, nil) : (low - 1, pivots[low - 1])
  }

  private static func key(in row: OpaquePointer) -> Key {
    Key(
      folder: sqlite3_column_int64(row, 0),
      date: sqlite3_column_int64(row, 1),
      id: sqlite3_column_int64(row, 2)
    )
  }
}
