import CSQLiteHooks
import GRDB
import ResultsDomain

extension SQLiteOrderedSource {
  /// Merges the keys with the index in one pass, in which no Swift runs for a row.
  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] {
    guard let last = keys.ends.indices.last else { return [] }
    let start = last == 0 ? 0 : keys.ends[last - 1]
    return try with { database in
      guard let sql = try plan.ranking(on: database) else { return try ranksByMerging(keys) }
      let (ranks, calls) = try ranks(of: keys, sql, on: database)
      let behind = try count(from: .before(Array(keys.bytes[start...])), to: nil)
      guard ranks[last] + behind == calls else {
        throw StoreError.unexpected(
          path: path,
          detail: "SQLite did not ask the ranking function once for each row"
        )
      }
      return ranks
    }
  }

  private func ranks(
    of keys: EntryBatch,
    _ sql: String,
    on database: Database
  ) throws -> (ranks: [Int], calls: Int) {
    try ConnectionFunctions.register(on: database)
    let statement = try PreparedStatement(sql, on: database)
    defer { statement.reset() }
    try bindArguments(to: statement)
    let columns = plan.columns.map(results_key_column.init)
    let ends = keys.ends.map(Int64.init)
    let longest = zip(ends, [0] + ends).map(-).max() ?? 0
    var ranks = [Int64](repeating: 0, count: ends.count)
    var buffer = [UInt8](repeating: 0, count: Int(longest) + 10)
    var ranking = results_ranking()
    ranking.count = Int64(ends.count)
    ranking.capacity = Int32(clamping: longest + 1)
    try columns.withUnsafeBufferPointer { columns in
      try keys.bytes.withUnsafeBufferPointer { bytes in
        try ends.withUnsafeBufferPointer { ends in
          try ranks.withUnsafeMutableBufferPointer { ranks in
            try buffer.withUnsafeMutableBufferPointer { buffer in
              ranking.columns = columns.baseAddress
              ranking.column_count = Int32(clamping: columns.count)
              ranking.bytes = bytes.baseAddress
              ranking.ends = ends.baseAddress
              ranking.ranks = ranks.baseAddress
              ranking.buffer = buffer.baseAddress
              try SQLiteOrderedSource.run(&ranking, statement)
            }
          }
        }
      }
    }
    guard ranking.is_foreign == 0 else {
      // The pass in Swift finds the object that has the value, and throws.
      return (try ranksByMerging(keys), -1)
    }
    // What no row has reached stands behind them all.
    for place in Int(ranking.next)..<ranks.count { ranks[place] = ranking.calls }
    return (ranks.map(Int.init), Int(ranking.calls))
  }

  private static func run(
    _ ranking: inout results_ranking,
    _ statement: PreparedStatement
  ) throws(SQLiteFailure) {
    try withUnsafeMutablePointer(to: &ranking) { (pointer) throws(SQLiteFailure) in
      let before = results_set_ranking(pointer)
      defer { results_set_ranking(before) }
      while try statement.step(), pointer.pointee.is_foreign == 0 {}
    }
  }
}

extension results_key_column {
  fileprivate init(_ column: KeyColumn) {
    let storage =
      switch column.storage {
      case .integer: SQLITE_INTEGER
      case .real: SQLITE_FLOAT
      case .text: SQLITE_TEXT
      case .blob: SQLITE_BLOB
      }
    self.init(
      storage: storage,
      is_descending: column.isDescending ? 1 : 0,
      nulls_last: column.nulls == .last ? 1 : 0
    )
  }
}
