import CSQLiteHooks
import GRDB
import ResultsDomain

/// A prepared statement that is bound and stepped through SQLite's own functions.
///
/// The statement is in the connection's cache, which prepares each text once. It must be reset after each use.
struct PreparedStatement {
  /// Owns the pointer.
  let statement: Statement
  let pointer: OpaquePointer

  /// Takes the statement of a text from the connection's cache.
  ///
  /// If the cached statement is being stepped by an outer call, another one is prepared.
  init(_ sql: String, on database: Database) throws {
    let cached = try database.cachedStatement(sql: sql)
    if sqlite3_stmt_busy(cached.sqliteStatement) == 0 {
      statement = cached
      pointer = cached.sqliteStatement
      sqlite3_clear_bindings(pointer)
    } else {
      statement = try database.makeStatement(sql: sql)
      pointer = statement.sqliteStatement
    }
  }

  /// Prepares a statement that the connection does not cache.
  init(uncached sql: String, on database: Database) throws {
    statement = try database.makeStatement(sql: sql)
    pointer = statement.sqliteStatement
  }

  /// Advances to the next row.
  /// - Returns: Whether there is one.
  func step() throws(SQLiteFailure) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let failure = SQLiteFailure(sqlite3_db_handle(pointer))
      sqlite3_reset(pointer)
      throw failure
    }
  }

  /// Ends a use, so that the statement releases its locks.
  func reset() { sqlite3_reset(pointer) }

  /// Binds a value to a parameter, counted from 1.
  func bind(_ value: Value, at index: Int32) throws(SQLiteFailure) {
    let code: Int32 =
      switch value {
      case .null: sqlite3_bind_null(pointer, index)
      case .integer(let number): sqlite3_bind_int64(pointer, index, number)
      case .real(let number): sqlite3_bind_double(pointer, index, number)
      case .text(var text): text.withUTF8 { bindText($0, at: index) }
      case .illFormedText(let text):
        text.bytes.withUnsafeBufferPointer { bindText($0, at: index) }
      case .blob(let bytes):
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(pointer, index, 0)
          : bytes.withUnsafeBytes {
            sqlite3_bind_blob64(
              pointer,
              index,
              $0.baseAddress,
              UInt64($0.count),
              PreparedStatement.transient
            )
          }
      }
    guard code == SQLITE_OK else { throw SQLiteFailure(sqlite3_db_handle(pointer)) }
  }

  private func bindText(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
    // An empty buffer may have no address, which SQLite would take for null.
    guard !bytes.isEmpty else {
      return sqlite3_bind_text(pointer, index, "", 0, PreparedStatement.transient)
    }
    return bytes.withMemoryRebound(to: CChar.self) {
      sqlite3_bind_text64(
        pointer,
        index,
        $0.baseAddress,
        UInt64($0.count),
        PreparedStatement.transient,
        UInt8(SQLITE_UTF8)
      )
    }
  }

  /// Binds the parts of a key to consecutive parameters.
  /// - Returns: The parameter that follows.
  func bind(_ key: ObjectKey, from first: Int32) throws(SQLiteFailure) -> Int32 {
    switch key {
    case .integer(let number):
      try bind(.integer(number), at: first)
      return first + 1
    case .text(let text):
      try bind(.text(text), at: first)
      return first + 1
    case .compound(let parts):
      var index = first
      for part in parts {
        try bind(part, at: index)
        index += 1
      }
      return index
    }
  }

  /// Runs the statement and ignores its rows.
  func run() throws(SQLiteFailure) {
    defer { reset() }
    while try step() {}
  }

  /// Makes SQLite copy the bound bytes.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

extension Database {
  /// Runs a statement without parameters; GRDB's observers do not see it.
  func run(_ sql: String) throws { try PreparedStatement(sql, on: self).run() }

  /// The first column of the first row, as an integer.
  func integer(_ sql: String) throws -> Int64 {
    let statement = try PreparedStatement(sql, on: self)
    defer { statement.reset() }
    return try statement.step() ? sqlite3_column_int64(statement.pointer, 0) : 0
  }

  /// The number of rows of a table or view.
  ///
  /// SQLite counts the entries of the smallest index. It cannot open one with a collation that only the application has, and for this it does
  /// not look for another one; then the table itself is counted.
  /// - Parameter source: The table as it is in `FROM`.
  /// - Returns: The number.
  /// - Throws: SQLite's failure.
  func countOfRows(of source: String) throws -> Int {
    let sql = "SELECT count(*) FROM \(source)"
    do {
      return Int(try integer(sql))
    } catch  where SQLiteFailure(error)?.code == SQLiteFailure.missingCollation {
      return Int(try integer(sql + " NOT INDEXED"))
    }
  }
}

extension Value {
  /// The value of a column of a statement's current row.
  ///
  /// An integer in a column of reals becomes a real: tables that are not strict store whole numbers as integers. In a column of
  /// values of any class it is the other way round, so that equal numbers are equal values.
  init(_ statement: OpaquePointer, column: Int32, storage: StorageClass) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER:
      let number = sqlite3_column_int64(statement, column)
      self = storage == .real ? .real(Double(number)) : .integer(number)
    case SQLITE_FLOAT:
      let number = Value.real(sqlite3_column_double(statement, column))
      self = storage == .any ? number.wholeNumber : number
    case SQLITE_TEXT:
      let bytes = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = Value(textBytes: UnsafeBufferPointer(start: bytes, count: count))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }

  /// A value that a hook or a function has received.
  init(_ value: OpaquePointer, storage: StorageClass) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      let number = sqlite3_value_int64(value)
      self = storage == .real ? .real(Double(number)) : .integer(number)
    case SQLITE_FLOAT:
      let number = Value.real(sqlite3_value_double(value))
      self = storage == .any ? number.wholeNumber : number
    case SQLITE_TEXT:
      let bytes = sqlite3_value_text(value)
      let count = Int(sqlite3_value_bytes(value))
      self = Value(textBytes: UnsafeBufferPointer(start: bytes, count: count))
    case SQLITE_BLOB:
      let bytes = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }
}
