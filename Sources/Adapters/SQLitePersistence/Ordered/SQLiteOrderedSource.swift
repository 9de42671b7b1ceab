import CSQLiteHooks
import GRDB
import ResultsDomain

/// A list that an index, or a table's own order, answers for, in one version of the database.
final class SQLiteOrderedSource: OrderedSource {
  let plan: OrderedPlan
  let definition: OrderDefinition
  let table: EntityTable
  let access: SnapshotAccess
  /// The statements that were used already, by shape.
  private var counts: [PreparedStatement?] = []
  private var pages: [PreparedStatement?] = []
  private var lower = OrderedBound()
  private var upper = OrderedBound()
  private var ladder: OrderedLadder

  init(
    _ plan: OrderedPlan,
    of definition: OrderDefinition,
    in table: EntityTable,
    _ access: SnapshotAccess
  ) {
    self.plan = plan
    self.definition = definition
    self.table = table
    self.access = access
    ladder = OrderedLadder(plan.variable)
  }

  /// Ends the use; what is asked afterwards fails.
  func end() {
    counts = []
    pages = []
  }

  /// Runs a closure with the connection.
  func with<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
    try access.with(body)
  }

  /// The path of the database, for messages.
  var path: String { access.core.path }

  func count(from first: KeyBound?, to last: KeyBound?) throws(StoreError) -> Int {
    try with { database in
      guard first != nil || last != nil else { return try total(on: database) }
      return try withPieces(from: first, to: last) { lowerBytes, upperBytes in
        try ladder.pieces.reduce(0) { try $0 + count($1, lowerBytes, upperBytes, on: database) }
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
      // A number takes nine bytes; what is longer than a page is left to grow.
      let expected = min(limit, SQLiteOrderedSource.longestPage)
      batch.reserveCapacity(keys: expected, bytes: expected * plan.columns.count * 9)
      var left = max(0, skipped)
      try withPieces(from: first, to: last) { lowerBytes, upperBytes in
        for (place, piece) in ladder.pieces.enumerated() {
          let isLast = place + 1 == ladder.pieces.count
          guard let statement = try page(piece, lowerBytes, upperBytes, &left, isLast, on: database)
          else { continue }
          defer { statement.reset() }
          let before = batch.count
          while batch.count < limit, try statement.step() {
            try append(from: statement, to: &batch, on: database)
          }
          guard batch.count < limit else { return }
          if batch.count > before {
            left = 0
          } else if left > 0, !isLast {
            left -= try count(piece, lowerBytes, upperBytes, on: database)
          }
        }
      }
      return batch
    }
  }
}

extension SQLiteOrderedSource {
  /// How many rows the list has.
  func total(on database: Database) throws -> Int {
    let statement = try SQLiteOrderedSource.prepared(plan.total, database)
    defer { statement.reset() }
    try bindArguments(to: statement)
    return try statement.step() ? Int(sqlite3_column_int64(statement.pointer, 0)) : 0
  }

  /// Binds what the predicate compares with.
  func bindArguments(to statement: PreparedStatement) throws(SQLiteFailure) {
    for index in plan.arguments.indices {
      try statement.bind(plan.arguments[index], at: Int32(index + 1))
    }
  }

  /// Runs a closure with the bytes of two bounds, and the pieces between them in the ladder.
  private func withPieces<Result>(
    from first: KeyBound?,
    to last: KeyBound?,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let first = first ?? .before([])
    let last = last ?? .after([])
    return try first.columns.withUnsafeBytes { lowerBytes in
      try last.columns.withUnsafeBytes { upperBytes in
        lower.set(lowerBytes, isBehind: first.isAfter, in: plan)
        upper.set(upperBytes, isBehind: last.isAfter, in: plan)
        ladder.climb(lower, lowerBytes, upper, upperBytes)
        return try body(lowerBytes, upperBytes)
      }
    }
  }

  private func count(
    _ piece: OrderedPiece,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upperBytes: UnsafeRawBufferPointer,
    on database: Database
  ) throws -> Int {
    let statement = try statement(piece.shape, for: .count(piece.shape), &counts, database)
    defer { statement.reset() }
    _ = try bind(piece, lowerBytes, upperBytes, to: statement)
    return try statement.step() ? Int(sqlite3_column_int64(statement.pointer, 0)) : 0
  }

  /// The statement of a piece, before the first key that is not skipped, or `nil` if all its keys are.
  ///
  /// A piece before the last one holds the keys that agree with a bound's in all columns but one, often very few. So some are stepped
  /// over first, and what was is subtracted from the number of keys to skip; only a piece with more of them must be counted.
  private func page(
    _ piece: OrderedPiece,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upperBytes: UnsafeRawBufferPointer,
    _ left: inout Int,
    _ isLast: Bool,
    on database: Database
  ) throws -> PreparedStatement? {
    let statement = try statement(piece.shape, for: .page(piece.shape), &pages, database)
    let offset = try bind(piece, lowerBytes, upperBytes, to: statement)
    guard left > 0, !isLast else {
      sqlite3_bind_int64(statement.pointer, offset, Int64(left))
      return statement
    }
    sqlite3_bind_int64(statement.pointer, offset, 0)
    var stepped = 0
    while stepped < min(left, SQLiteOrderedSource.steppedOver) {
      guard try statement.step() else {
        statement.reset()
        left -= stepped
        return nil
      }
      stepped += 1
    }
    guard stepped == left else {
      statement.reset()
      sqlite3_bind_int64(statement.pointer, offset, Int64(left))
      return statement
    }
    left = 0
    return statement
  }

  /// Room for so many keys is made beforehand.
  private static let longestPage = 128

  /// So many keys are stepped over in the time that a piece is sought once more.
  private static let steppedOver = 16

  /// Appends the key of the row that a statement stands at.
  func append(
    from statement: PreparedStatement,
    to batch: inout EntryBatch,
    on database: Database
  ) throws {
    let failed = batch.appendColumns(plan.columns, of: statement.pointer)
    guard failed < 0 else {
      throw TableReader(database: database, tables: access.core.tables)
        .unexpected(failed, of: definition, in: table, statement.pointer)
    }
  }

  /// The statement of pieces of a shape: from the source's own, or from the connection's.
  private func statement(
    _ shape: Int,
    for use: OrderedUse,
    _ known: inout [PreparedStatement?],
    _ database: Database
  ) throws -> PreparedStatement {
    if known.isEmpty { known = Array(repeating: nil, count: plan.shapeCount) }
    if let statement = known[shape] { return statement }
    let text = try plan.text(of: use, on: database)
    let statement = try SQLiteOrderedSource.prepared(text, database)
    known[shape] = statement
    return statement
  }

  private static func prepared(_ text: String, _ database: Database) throws -> PreparedStatement {
    do {
      return try PreparedStatement(text, on: database)
    } catch {
      // It may call functions that this connection was not asked for before.
      try ConnectionFunctions.register(on: database)
      return try PreparedStatement(text, on: database)
    }
  }

  /// Binds a piece's columns, behind the predicate's arguments.
  /// - Returns: The parameter that follows.
  private func bind(
    _ piece: OrderedPiece,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upperBytes: UnsafeRawBufferPointer,
    to statement: PreparedStatement
  ) throws -> Int32 {
    try bindArguments(to: statement)
    var place = Int32(plan.arguments.count + 1)
    func bind(_ index: Int, _ side: OrderedPiece.Side) throws {
      let part = side == .lower ? lower.parts[index] : upper.parts[index]
      let bytes = side == .lower ? lowerBytes : upperBytes
      if part.isNull {
        sqlite3_bind_null(statement.pointer, place)
      } else {
        try statement.bind(
          UnsafeRawBufferPointer(rebasing: bytes[part.start..<part.end]),
          plan.variable[index].key,
          at: place
        )
      }
      place += 1
    }
    func bind(_ edge: OrderedPiece.Edge) throws {
      switch edge {
      case .open: return
      case .part(let side, _): try bind(piece.equal, side)
      case .smallest:
        // Numbers stand before texts, and texts before blobs (sqlite.org/datatype3.html, 4.1).
        let isText = plan.variable[piece.equal].hasTextAffinity
        try statement.bind(isText ? .text("") : .real(-.infinity), at: place)
        place += 1
      }
    }
    for index in 0..<piece.equal { try bind(index, piece.side) }
    if piece.endsInNull {
      sqlite3_bind_null(statement.pointer, place)
      place += 1
    }
    try bind(piece.lower)
    try bind(piece.upper)
    return place
  }
}
