import CSQLiteHooks
import GRDB
import ResultsDomain

extension SQLiteOrderedSource {
  /// How many keys are handed over at a time.
  private static let batchLimit = 1024

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    let stride = max(1, stride)
    return try with { database in
      guard let sql = try plan.sample(on: database) else {
        return try step(every: stride, on: database) { try body($0) }
      }
      return try sample(sql, every: stride, on: database) { try body($0) }
    }
  }

  func groups(
    byFirstColumns columns: Int,
    _ body: (_ prefix: [UInt8], _ count: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let columns = max(0, min(columns, plan.columns.count))
    try with { database in
      guard let sql = plan.groups(byFirst: columns) else {
        return try countSingleGroup(of: columns, on: database) { try body($0, $1) }
      }
      let statement = try PreparedStatement(sql, on: database)
      defer { statement.reset() }
      try bindArguments(to: statement)
      let first = Array(plan.columns.prefix(columns))
      var batch = EntryBatch()
      while try statement.step() {
        guard batch.appendColumns(first, of: statement.pointer) < 0 else {
          // The pass over all keys finds the object that has the value, and throws.
          _ = try step(every: 1, on: database) { _ in true }
          throw StoreError.unexpected(
            path: path,
            detail: "a group's columns are not those of a row"
          )
        }
        let count = Int(sqlite3_column_int64(statement.pointer, Int32(columns)))
        guard try body(batch.bytes, count) else { return }
        batch.removeAll()
      }
    }
  }

  /// Hands over the only group there can be.
  private func countSingleGroup(
    of columns: Int,
    on database: Database,
    _ body: ([UInt8], Int) throws -> Bool
  ) throws {
    let count = try total(on: database)
    guard count > 0 else { return }
    var prefix: [UInt8] = []
    // All its columns have values that the predicate fixes.
    for case .fixed(let bytes) in plan.roles.prefix(columns) { prefix += bytes }
    _ = try body(prefix, count)
  }

  /// Picks keys by stepping over all of them.
  private func step(
    every stride: Int,
    on database: Database,
    _ body: (EntryBatch) throws -> Bool
  ) throws -> Int? {
    let statement = try PreparedStatement(plan.text(of: .scan, on: database), on: database)
    defer { statement.reset() }
    try bindArguments(to: statement)
    var batch = EntryBatch()
    var count = 0
    while try statement.step() {
      if count.isMultiple(of: stride) {
        if batch.count == SQLiteOrderedSource.batchLimit {
          guard try body(batch) else { return nil }
          batch.removeAll()
        }
        try append(from: statement, to: &batch, on: database)
      }
      count += 1
    }
    guard try batch.count == 0 || body(batch) else { return nil }
    return count
  }

  /// Picks keys by a function that SQLite asks once for each row, in order.
  private func sample(
    _ sql: String,
    every stride: Int,
    on database: Database,
    _ body: (EntryBatch) throws -> Bool
  ) throws -> Int? {
    try ConnectionFunctions.register(on: database)
    let statement = try PreparedStatement(sql, on: database)
    defer { statement.reset() }
    try bindArguments(to: statement)
    return try withUnsafeTemporaryAllocation(of: results_sampling.self, capacity: 1) { memory in
      memory.initialize(repeating: results_sampling(stride: Int64(stride), left: 0, calls: 0))
      let before = results_set_sampling(memory.baseAddress)
      defer { results_set_sampling(before) }
      var batch = EntryBatch()
      var picked = 0
      var order = AscendingKeys()
      while try statement.step() {
        try append(from: statement, to: &batch, on: database)
        picked += 1
        guard batch.count == SQLiteOrderedSource.batchLimit else { continue }
        try order.check(batch, of: table)
        guard try body(batch) else { return nil }
        batch.removeAll()
      }
      let calls = Int(memory[0].calls)
      if batch.count > 0 { try order.check(batch, of: table) }
      try check(calls, picked: picked, every: stride, last: order.last, on: database)
      guard try batch.count == 0 || body(batch) else { return nil }
      return calls
    }
  }

  /// Checks that the function was asked as often as there are keys, where that is known without reading all; else that as many
  /// keys follow the last that was picked as it was asked afterwards.
  private func check(
    _ calls: Int,
    picked: Int,
    every stride: Int,
    last: [UInt8],
    on database: Database
  ) throws {
    if plan.holdsAll || picked == 0 {
      guard try total(on: database) == calls else { throw notOnceEach }
    } else {
      guard try count(from: .before(last), to: nil) == calls - (picked - 1) * stride else {
        throw notOnceEach
      }
    }
  }

  private var notOnceEach: StoreError {
    .unexpected(path: path, detail: "SQLite did not ask the sampling function once for each row")
  }
}
