import CSQLiteHooks
import ResultsDomain

extension Value {
  /// The value of a column of the row a statement stands at.
  ///
  /// An integer where reals are kept is the real it stands for: tables that are not strict keep whole numbers so.
  init(_ statement: OpaquePointer, column: Int32, storage: StorageClass) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER:
      let number = sqlite3_column_int64(statement, column)
      self = storage == .real ? .real(Double(number)) : .integer(number)
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let bytes = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }

  /// A value that a hook or a function was handed.
  init(_ value: OpaquePointer, storage: StorageClass) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      let number = sqlite3_value_int64(value)
      self = storage == .real ? .real(Double(number)) : .integer(number)
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let bytes = sqlite3_value_text(value)
      let count = Int(sqlite3_value_bytes(value))
      self = .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }
}
