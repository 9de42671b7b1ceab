import CSQLiteHooks
import OrderStatistics
import ResultsDomain
import ResultsStoreKit

extension EntryBatch {
  /// Appends the key in the columns of a statement's current row, byte by byte, without creating a string or a value.
  /// - Parameters:
  ///   - columns: How the key is encoded.
  ///   - first: The index of its first column in the row.
  ///   - identity: The number of columns at the end that are the object's key, of which none can be null.
  ///   - statement: The statement.
  /// - Returns: The index of a column that has a value of another storage class, or -1; nothing is appended then.
  mutating func appendColumns(
    _ columns: [KeyColumn],
    from first: Int = 0,
    identity: Int = 0,
    of statement: OpaquePointer
  ) -> Int {
    let required = columns.count - identity
    do {
      try append { (writer) throws(ForeignColumn) in
        for index in columns.indices {
          let column = Int32(first + index)
          let isMissing = index >= required && sqlite3_column_type(statement, column) == SQLITE_NULL
          guard !isMissing, writer.append(columns[index], column, statement) else {
            throw ForeignColumn(index: first + index)
          }
        }
      }
      return -1
    } catch {
      return error.index
    }
  }

  /// Appends the identity in the first columns and a digest of the others.
  /// - Returns: The index of a key column that has a value of another storage class, or -1.
  mutating func appendDigest(
    _ identity: [KeyColumn],
    _ kinds: [StorageClass],
    of statement: OpaquePointer
  ) -> Int {
    do {
      try append { (writer) throws(ForeignColumn) in
        for index in identity.indices {
          guard sqlite3_column_type(statement, Int32(index)) != SQLITE_NULL,
            writer.append(identity[index], Int32(index), statement)
          else { throw ForeignColumn(index: index) }
        }
        var digest = RowDigest()
        for index in kinds.indices {
          digest.add(column: Int32(identity.count + index), kinds[index], of: statement)
        }
        withUnsafeBytes(of: digest.value.bigEndian) { writer.bytes.append(contentsOf: $0) }
      }
      return -1
    } catch {
      return error.index
    }
  }

  private struct ForeignColumn: Error {
    let index: Int
  }
}

extension KeyWriter {
  /// Appends a column of a statement's current row.
  /// - Returns: Whether it has null or a value of the column's storage class; nothing is appended otherwise.
  fileprivate mutating func append(
    _ column: KeyColumn,
    _ index: Int32,
    _ statement: OpaquePointer
  ) -> Bool {
    switch (sqlite3_column_type(statement, index), column.storage) {
    case (SQLITE_TEXT, .text):
      let bytes = sqlite3_column_text(statement, index)
      let count = Int(sqlite3_column_bytes(statement, index))
      append(UnsafeBufferPointer(start: bytes, count: count), column)
    case (SQLITE_INTEGER, .integer): append(sqlite3_column_int64(statement, index), column)
    case (SQLITE_INTEGER, .real), (SQLITE_FLOAT, .real):
      append(sqlite3_column_double(statement, index), column)
    case (SQLITE_BLOB, .blob):
      let bytes = sqlite3_column_blob(statement, index)
      let count = Int(sqlite3_column_bytes(statement, index))
      let content = UnsafeRawBufferPointer(start: bytes, count: count)
      append(content.assumingMemoryBound(to: UInt8.self), column)
    case (SQLITE_NULL, _): appendNull(column)
    case (_, .any): return append(Value(statement, column: index, storage: .any), column)
    default: return false
    }
    return true
  }
}

extension RowDigest {
  fileprivate mutating func add(
    column: Int32,
    _ storage: StorageClass,
    of statement: OpaquePointer
  ) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER where storage == .real: add(sqlite3_column_double(statement, column))
    case SQLITE_INTEGER: add(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT where storage == .any:
      switch Value(statement, column: column, storage: .any) {
      case .integer(let number): add(number)
      case .real(let number): add(number)
      case .null, .text, .blob, .illFormedText: addNull()
      }
    case SQLITE_FLOAT: add(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let bytes = sqlite3_column_text(statement, column)
      addText(
        UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column)))
      )
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      addBlob(
        UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column)))
      )
    default: addNull()
    }
  }
}

/// Checks that the keys that SQLite reads ascend, batch by batch.
///
/// SQLite has no checksums: it accepts a page that was written to another page's position, and only the order of the keys reveals it.
struct AscendingKeys {
  /// The key that was checked last.
  private(set) var last: [UInt8] = []
  /// The number of bytes at the end of each key that are no part of the order.
  var digestLength = 0

  /// Checks the next keys against those before.
  ///
  /// Equal keys are permitted here; they are reported where it is known which object occurs twice.
  /// - Throws: `SQLiteFailure` with the code of a damaged file.
  /// - Complexity: O(*n*) in the bytes of the batch.
  mutating func check(_ batch: EntryBatch, of table: EntityTable) throws {
    let ascends = batch.bytes.withUnsafeBytes { bytes in
      last.withUnsafeBytes { last in
        var (before, start) = (last, 0)
        for end in batch.ends {
          let key = UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, end - digestLength)])
          guard KeyOrder.compare(before, key) <= 0 else { return false }
          (before, start) = (key, end)
        }
        return true
      }
    }
    guard ascends else {
      throw SQLiteFailure(
        code: SQLITE_CORRUPT,
        message: "the rows of \(table.entity.name) are out of order"
      )
    }
    let start = batch.count > 1 ? batch.ends[batch.count - 2] : 0
    last = Array(batch.bytes[start...].dropLast(digestLength))
  }
}
