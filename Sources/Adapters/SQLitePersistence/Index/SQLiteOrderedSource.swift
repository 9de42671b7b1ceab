import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit

/// A list that an index answers for, in one version of the database.
final class SQLiteOrderedSource: OrderedSource {
  let plan: OrderedPlan
  let definition: OrderDefinition
  let table: EntityTable
  let snapshot: SQLiteSnapshot
  /// The statements that were used so far, by the form of their subranges.
  private var counts: [PreparedStatement?] = []
  private var pages: [PreparedStatement?] = []
  private var lower = OrderedBound()
  private var upper = OrderedBound()
  private var range: RangeDecomposition

  init(
    _ plan: OrderedPlan,
    of definition: OrderDefinition,
    in table: EntityTable,
    _ snapshot: SQLiteSnapshot
  ) {
    self.plan = plan
    self.definition = definition
    self.table = table
    self.snapshot = snapshot
    range = RangeDecomposition(plan.columns)
  }

  /// Ends the use; later calls fail.
  func end() {
    counts = []
    pages = []
  }

  /// Runs a closure with the connection.
  func with<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    try snapshot.with(body)
  }

  /// The path of the database, for messages.
  var path: String { snapshot.context.path }

  func count(from first: KeyBound?, to last: KeyBound?) throws(StoreError) -> Int {
    try with { database in
      guard first != nil || last != nil else { return try total(on: database) }
      return try withSubranges(from: first, to: last) { lowerBytes, upperBytes in
        try range.subranges.reduce(0) { try $0 + count($1, lowerBytes, upperBytes, on: database) }
      }
    }
  }

  func keys(
    from first: KeyBound?,
    to last: KeyBound?,
    skipping skipped: Int,
    limit: Int
  ) throws(StoreError) -> EntryBatch {
    try with { database in
      var batch = EntryBatch()
      guard limit > 0 else { return batch }
      // A number takes nine bytes. The batch grows by itself beyond a page.
      let expected = min(limit, SQLiteOrderedSource.longestPage)
      batch.reserveCapacity(keys: expected, bytes: expected * plan.columns.all.count * 9)
      var remaining = max(0, skipped)
      try withSubranges(from: first, to: last) { lowerBytes, upperBytes in
        for (index, subrange) in range.subranges.enumerated() {
          let isLast = index + 1 == range.subranges.count
          guard
            let statement = try page(
              subrange,
              lowerBytes,
              upperBytes,
              &remaining,
              isLast,
              on: database
            )
          else { continue }
          defer { statement.reset() }
          let before = batch.count
          while batch.count < limit, try statement.step() {
            try append(from: statement, to: &batch, on: database)
          }
          guard batch.count < limit else { return }
          if batch.count > before {
            remaining = 0
          } else if remaining > 0, !isLast {
            remaining -= try count(subrange, lowerBytes, upperBytes, on: database)
          }
        }
      }
      return batch
    }
  }
}

extension SQLiteOrderedSource {
  /// Counts the rows of the list.
  func total(on database: Database) throws -> Int {
    // Without a condition SQLite counts the entries of pages, of the smallest index.
    guard !plan.holdsAll else { return try database.countOfRows(of: plan.statements.table) }
    let statement = try SQLiteOrderedSource.prepared(plan.total, database)
    defer { statement.reset() }
    try bindArguments(to: statement)
    return try statement.step() ? Int(sqlite3_column_int64(statement.pointer, 0)) : 0
  }

  /// Binds the predicate's arguments.
  func bindArguments(to statement: PreparedStatement) throws(SQLiteFailure) {
    for index in plan.arguments.indices {
      try statement.bind(plan.arguments[index], at: Int32(index + 1))
    }
  }

  /// Decomposes the range between two bounds, and runs a closure with the bounds' bytes.
  private func withSubranges<Result>(
    from first: KeyBound?,
    to last: KeyBound?,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let first = first ?? .before([])
    let last = last ?? .after([])
    return try first.columns.withUnsafeBytes { lowerBytes in
      try last.columns.withUnsafeBytes { upperBytes in
        lower.set(lowerBytes, isBehind: first.isAfter, in: plan.columns)
        upper.set(upperBytes, isBehind: last.isAfter, in: plan.columns)
        range.decompose(lower, lowerBytes, upper, upperBytes)
        return try body(lowerBytes, upperBytes)
      }
    }
  }

  private func count(
    _ subrange: KeySubrange,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upperBytes: UnsafeRawBufferPointer,
    on database: Database
  ) throws -> Int {
    let statement = try statement(subrange.shape, for: .count(subrange.shape), &counts, database)
    defer { statement.reset() }
    _ = try bind(subrange, lowerBytes, upperBytes, to: statement)
    return try statement.step() ? Int(sqlite3_column_int64(statement.pointer, 0)) : 0
  }

  /// The statement of a subrange, before the first key that is not skipped, or `nil` if all its keys are skipped.
  ///
  /// Few keys equal a bound in all columns but the last. So a few keys of such a subrange are stepped over first and subtracted from the
  /// number of keys to skip; only a subrange with more keys must be counted.
  private func page(
    _ subrange: KeySubrange,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upperBytes: UnsafeRawBufferPointer,
    _ remaining: inout Int,
    _ isLast: Bool,
    on database: Database
  ) throws -> PreparedStatement? {
    let statement = try statement(subrange.shape, for: .page(subrange.shape), &pages, database)
    let offset = try bind(subrange, lowerBytes, upperBytes, to: statement)
    let isNarrow = subrange.equal + 1 >= plan.variable.count
    guard remaining > 0, !isLast, isNarrow || remaining <= SQLiteOrderedSource.steppedOver else {
      sqlite3_bind_int64(statement.pointer, offset, Int64(remaining))
      return statement
    }
    sqlite3_bind_int64(statement.pointer, offset, 0)
    var stepped = 0
    while stepped < min(remaining, SQLiteOrderedSource.steppedOver) {
      guard try statement.step() else {
        statement.reset()
        remaining -= stepped
        return nil
      }
      stepped += 1
    }
    guard stepped == remaining else {
      statement.reset()
      sqlite3_bind_int64(statement.pointer, offset, Int64(remaining))
      return statement
    }
    remaining = 0
    return statement
  }

  /// The greatest number of keys for which memory is reserved in advance.
  private static let longestPage = 128

  /// The number of keys that can be stepped over in the time of one more search.
  private static let steppedOver = 16

  /// Appends the key of a statement's current row.
  func append(
    from statement: PreparedStatement,
    to batch: inout EntryBatch,
    on database: Database
  ) throws {
    let failed = batch.appendColumns(
      plan.columns.all,
      identity: definition.layout.identity.count,
      of: statement.pointer
    )
    guard failed < 0 else {
      throw TableReader(database: database, tables: snapshot.context.tables)
        .unexpected(failed, of: definition, in: table, statement.pointer)
    }
  }

  /// The statement of subranges of a form: from the source's cache, or from the connection's.
  private func statement(
    _ shape: Int,
    for purpose: StatementPurpose,
    _ known: inout [PreparedStatement?],
    _ database: Database
  ) throws -> PreparedStatement {
    if known.isEmpty { known = Array(repeating: nil, count: plan.shapeCount) }
    if let statement = known[shape] { return statement }
    let text = try plan.text(for: purpose, on: database)
    let statement = try SQLiteOrderedSource.prepared(text, database)
    known[shape] = statement
    return statement
  }

  private static func prepared(_ text: String, _ database: Database) throws -> PreparedStatement {
    do {
      return try PreparedStatement(text, on: database)
    } catch {
      // It may call functions that are not registered on this connection yet.
      try ConnectionFunctions.register(on: database)
      return try PreparedStatement(text, on: database)
    }
  }

  /// Binds a subrange's columns, after the predicate's arguments.
  /// - Returns: The index of the parameter that follows.
  private func bind(
    _ subrange: KeySubrange,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upperBytes: UnsafeRawBufferPointer,
    to statement: PreparedStatement
  ) throws -> Int32 {
    try bindArguments(to: statement)
    var parameter = Int32(plan.arguments.count + 1)
    func bind(_ index: Int, _ side: KeySubrange.Side) throws {
      let part = side == .lower ? lower.parts[index] : upper.parts[index]
      let bytes = side == .lower ? lowerBytes : upperBytes
      if part.isNull {
        sqlite3_bind_null(statement.pointer, parameter)
      } else {
        try statement.bind(
          UnsafeRawBufferPointer(rebasing: bytes[part.start..<part.end]),
          plan.variable[index].key,
          at: parameter
        )
      }
      parameter += 1
    }
    func bind(_ edge: KeySubrange.Edge) throws {
      switch edge {
      case .open: return
      case .part(let side, _): try bind(subrange.equal, side)
      case .smallest:
        // Numbers sort before texts, and texts before blobs (sqlite.org/datatype3.html, 4.1).
        let isText = plan.variable[subrange.equal].hasTextAffinity
        try statement.bind(isText ? .text("") : .real(-.infinity), at: parameter)
        parameter += 1
      }
    }
    for index in 0..<subrange.equal { try bind(index, subrange.side) }
    if subrange.endsInNull {
      sqlite3_bind_null(statement.pointer, parameter)
      parameter += 1
    }
    try bind(subrange.lower)
    try bind(subrange.upper)
    return parameter
  }
}

extension SQLiteOrderedSource {
  /// The number of keys in a batch.
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
    let columns = max(0, min(columns, plan.columns.all.count))
    try with { database in
      guard let sql = try plan.groups(byFirst: columns, on: database) else {
        return try countSingleGroup(of: columns, on: database) { try body($0, $1) }
      }
      let statement = try PreparedStatement(sql, on: database)
      defer { statement.reset() }
      try bindArguments(to: statement)
      let first = Array(plan.columns.all.prefix(columns))
      var batch = EntryBatch()
      while try statement.step() {
        guard batch.appendColumns(first, of: statement.pointer) < 0 else {
          // The pass over all keys finds the object with that value, and throws.
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

  /// Passes on the only possible group.
  private func countSingleGroup(
    of columns: Int,
    on database: Database,
    _ body: ([UInt8], Int) throws -> Bool
  ) throws {
    let count = try total(on: database)
    guard count > 0 else { return }
    var prefix: [UInt8] = []
    // The predicate fixes the values of all its columns.
    for case .fixed(let bytes) in plan.columns.roles.prefix(columns) { prefix += bytes }
    _ = try body(prefix, count)
  }

  /// Picks keys by stepping over all of them.
  private func step(
    every stride: Int,
    on database: Database,
    _ body: (EntryBatch) throws -> Bool
  ) throws -> Int? {
    let statement = try PreparedStatement(plan.text(for: .scan, on: database), on: database)
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

  /// Picks keys with a function that SQLite calls once for each row, in order.
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
      memory.initialize(repeating: results_sampling(stride: Int64(stride), remaining: 0, calls: 0))
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

  /// Checks that the function was called once for each key, if the number of keys is known without reading them; otherwise that the number of
  /// keys after the last one picked equals the number of calls after it.
  private func check(
    _ calls: Int,
    picked: Int,
    every stride: Int,
    last: [UInt8],
    on database: Database
  ) throws {
    if plan.holdsAll || picked == 0 {
      guard try total(on: database) == calls else { throw notOncePerKey }
    } else {
      guard try count(from: .before(last), to: nil) == calls - (picked - 1) * stride else {
        throw notOncePerKey
      }
    }
  }

  private var notOncePerKey: StoreError {
    .unexpected(path: path, detail: "SQLite did not call the sampling function once for each row")
  }
}

extension SQLiteOrderedSource {
  /// Merges the keys with the index in one pass in C.
  func ranks(of keys: EntryBatch) throws(StoreError) -> [Int] {
    guard let last = keys.ends.indices.last else { return [] }
    let start = last == 0 ? 0 : keys.ends[last - 1]
    return try with { database in
      // The pass in C knows the class of each column.
      let isTyped = plan.columns.all.allSatisfy { $0.storage != .any }
      guard isTyped, let sql = try plan.ranking(on: database) else {
        return try ranksByMerging(keys)
      }
      let (ranks, calls) = try ranks(of: keys, sql, on: database)
      let behind = try count(from: .before(Array(keys.bytes[start...])), to: nil)
      guard ranks[last] + behind == calls else {
        throw StoreError.unexpected(
          path: path,
          detail: "SQLite did not call the ranking function once for each row"
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
    let columns = plan.columns.all.map(results_key_column.init)
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
      // The pass in Swift finds the object with that value, and throws.
      return (try ranksByMerging(keys), -1)
    }
    // Keys that no row has reached are after all rows.
    for index in Int(ranking.next)..<ranks.count { ranks[index] = ranking.calls }
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
      // The pass in C is not used then.
      case .any: SQLITE_NULL
      }
    self.init(
      storage: storage,
      is_descending: column.isDescending ? 1 : 0,
      nulls_last: column.nulls == .last ? 1 : 0
    )
  }
}

extension SQLiteOrderedSource {
  /// The greatest key of a table whose keys are numbers: SQLite assigns them from 1 on, so it exceeds the count by the deleted rows.
  ///
  /// For rows that a predicate selects there is no estimate.
  func estimatedCount() throws(StoreError) -> Int? {
    guard plan.holdsAll, case .integer = table.entity.identity, let key = table.keyColumns.first
    else { return nil }
    return try with { database in
      let sql = "SELECT max(\(key)) FROM \(table.quotedName)"
      let statement = try PreparedStatement(sql, on: database)
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      return max(0, Int(sqlite3_column_int64(statement.pointer, 0)))
    }
  }
}

extension PreparedStatement {
  /// Binds a column of a key to a parameter, without creating a string or a value.
  /// - Parameters:
  ///   - bytes: The column's bytes, tag included.
  ///   - column: Their encoding.
  ///   - index: The parameter, counted from 1.
  /// - Throws: `SQLiteFailure`.
  func bind(
    _ bytes: UnsafeRawBufferPointer,
    _ column: KeyColumn,
    at index: Int32
  ) throws {
    switch column.storage {
    case .integer, .real, .any: try bind(KeyReader.value(of: column, in: bytes), at: index)
    case .text, .blob: try bind(content: bytes, column, at: index)
    }
  }

  private func bind(
    content bytes: UnsafeRawBufferPointer,
    _ column: KeyColumn,
    at index: Int32
  ) throws {
    let mask: UInt8 = column.isDescending ? 255 : 0
    let content = bytes.dropFirst().dropLast()
    if mask == 0, !content.contains(0) {
      try bind(raw: UnsafeRawBufferPointer(rebasing: content), column.storage, at: index)
      return
    }
    var plain: [UInt8] = []
    plain.reserveCapacity(content.count)
    var isEscape = false
    for byte in content {
      // A zero is followed by the byte that distinguishes it from the end.
      if isEscape {
        isEscape = false
      } else {
        plain.append(byte ^ mask)
        isEscape = byte == mask
      }
    }
    try plain.withUnsafeBytes { try bind(raw: $0, column.storage, at: index) }
  }

  private func bind(
    raw bytes: UnsafeRawBufferPointer,
    _ storage: StorageClass,
    at index: Int32
  ) throws {
    guard let address = bytes.baseAddress, !bytes.isEmpty else {
      try bind(storage == .text ? .text("") : .blob([]), at: index)
      return
    }
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let count = UInt64(bytes.count)
    let code =
      storage == .text
      ? sqlite3_bind_text64(
        pointer,
        index,
        address.assumingMemoryBound(to: CChar.self),
        count,
        copied,
        UInt8(SQLITE_UTF8)
      )
      : sqlite3_bind_blob64(pointer, index, address, count, copied)
    guard code == SQLITE_OK else { throw SQLiteFailure(sqlite3_db_handle(pointer)) }
  }
}
