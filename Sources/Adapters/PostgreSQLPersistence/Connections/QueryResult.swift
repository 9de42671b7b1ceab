#if PostgreSQL
import CLibPQ
import ResultsDomain

/// The rows that a statement returned, in binary form.
///
/// It owns libpq's memory; an instance belongs to one thread at a time.
final class QueryResult {
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The number of rows.
  var count: Int { Int(PQntuples(result)) }

  /// The number of columns.
  var columnCount: Int { Int(PQnfields(result)) }

  /// The number of rows that the statement inserted, updated or deleted.
  var affectedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// The number of a column's type in `pg_type`.
  func type(ofColumn column: Int) -> UInt32 { PQftype(result, Int32(column)) }

  /// Whether a value is null.
  func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) != 0
  }

  /// The bytes of a value, valid as long as this object; empty for null.
  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    let count = Int(PQgetlength(result, Int32(row), Int32(column)))
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, Int32(row), Int32(column)),
      count: count
    )
  }

  /// A value in the domain; `nil` for null, for a value that has none there, and in a column of a type that the coding cannot read.
  func value(_ row: Int, _ column: Int, _ coding: ColumnCoding) -> Value? {
    guard !isNull(row, column), coding.canRead(type: type(ofColumn: column)) else { return nil }
    return coding.value(bytes(row, column))
  }

  /// A number of two, four or eight bytes, or a truth value as 1 or 0; `nil` for null.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard !isNull(row, column) else { return nil }
    return BinaryForm.integer(bytes(row, column))
  }

  /// A number without a sign, such as that of a transaction; `nil` for null.
  func unsigned(_ row: Int, _ column: Int) -> UInt64? {
    guard !isNull(row, column) else { return nil }
    return bytes(row, column).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A truth value; `nil` for null.
  func boolean(_ row: Int, _ column: Int) -> Bool? { integer(row, column).map { $0 != 0 } }

  /// A text; `nil` for null.
  func text(_ row: Int, _ column: Int) -> String? {
    guard !isNull(row, column) else { return nil }
    return String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// The elements of an array of one dimension, without nulls; `nil` for null.
  func elements(_ row: Int, _ column: Int) -> [UnsafeRawBufferPointer]? {
    guard !isNull(row, column) else { return nil }
    let bytes = bytes(row, column)
    guard bytes.count >= 20 else { return [] }
    var position = 20
    var elements: [UnsafeRawBufferPointer] = []
    while position + 4 <= bytes.count {
      let length = Int(BinaryForm.integer(bytes[position..<position + 4]))
      position += 4
      guard length >= 0 else { continue }
      guard position + length <= bytes.count else { break }
      elements.append(UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]))
      position += length
    }
    return elements
  }

  /// The texts of an array without nulls; empty for null.
  func texts(_ row: Int, _ column: Int) -> [String] {
    (elements(row, column) ?? []).map { String(decoding: $0, as: UTF8.self) }
  }
}
#endif
