import CSQLite

/// A plain SQLite connection: the reference for all work in C.
///
/// Statements are prepared once and stepped in a loop through the C functions of SQLite, as a C program does it.
final class PlainDatabase {
  /// The error message of SQLite.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var connection: OpaquePointer?
  private let isBorrowed: Bool
  private var statements: [String: OpaquePointer] = [:]

  init(path: String) throws {
    isBorrowed = false
    guard sqlite3_open(path, &connection) == SQLITE_OK else { throw failure }
    sqlite3_busy_timeout(connection, 5000)
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = NORMAL")
  }

  /// Uses an open connection of another owner.
  init(borrowing connection: OpaquePointer?) {
    self.connection = connection
    isBorrowed = true
  }

  deinit { close() }

  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    if !isBorrowed { sqlite3_close(connection) }
    connection = nil
  }

  /// Executes statements without parameters.
  func run(_ sql: String) throws {
    guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Steps through the rows of a statement.
  func each(
    _ sql: String,
    _ parameters: [Parameter] = [],
    _ body: (OpaquePointer) -> Void = { _ in }
  ) throws {
    let statement = try prepared(sql)
    defer { sqlite3_reset(statement) }
    for (index, parameter) in parameters.enumerated() {
      let position = Int32(index + 1)
      switch parameter {
      case .integer(let number): sqlite3_bind_int64(statement, position, number)
      case .text(let text):
        sqlite3_bind_text(
          statement,
          position,
          text,
          -1,
          unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        )
      case .null: sqlite3_bind_null(statement, position)
      }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: body(statement)
      case SQLITE_DONE: return
      default: throw failure
      }
    }
  }

  /// Steps through a statement and reads every column: first texts with their lengths, then integers.
  /// - Returns: The number of rows.
  func scan(_ sql: String, texts: Int32, integers: Int32) throws -> Int {
    var (count, bytes, sum) = (0, 0, 0 as Int64)
    try each(sql) { statement in
      for column in 0..<texts where sqlite3_column_text(statement, column) != nil {
        bytes &+= Int(sqlite3_column_bytes(statement, column))
      }
      for column in texts..<texts + integers { sum &+= sqlite3_column_int64(statement, column) }
      count += 1
    }
    // Prevents the optimizer from removing the reads.
    return bytes == -1 && sum == 0 ? -1 : count
  }

  /// Returns the first column of the first row, or 0 if there is no row.
  func integer(_ sql: String, _ parameters: [Parameter] = []) throws -> Int64 {
    var (number, isFirst) = (0 as Int64, true)
    try each(sql, parameters) { row in
      if isFirst { number = Self.integer(of: row) }
      isFirst = false
    }
    return number
  }

  /// Returns the first column of the current row of a statement.
  static func integer(of row: OpaquePointer) -> Int64 { sqlite3_column_int64(row, 0) }

  /// Appends columns of the current row of a statement as a line of texts, separated by tabs.
  static func append(_ columns: Int32, of row: OpaquePointer, to line: inout [UInt8]) {
    for column in 0..<columns {
      if column > 0 { line.append(0x09) }
      guard let text = sqlite3_column_text(row, column) else { continue }
      line += UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(row, column)))
    }
    line.append(0x0a)
  }

  /// Enables or disables the triggers of the schema for the statements of this connection.
  func setTriggers(_ areEnabled: Bool) {
    _ = benchmark_set_triggers(connection, areEnabled ? 1 : 0)
  }

  /// A value of a parameter.
  enum Parameter {
    case integer(Int64)
    case text(String)
    case null
  }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { throw failure }
    statements[sql] = statement
    return statement
  }

  private var failure: Failure {
    Failure(description: String(cString: sqlite3_errmsg(connection)))
  }
}
