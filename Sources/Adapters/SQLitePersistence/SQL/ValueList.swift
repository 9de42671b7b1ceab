import CSQLiteHooks
import ResultsDomain

/// Values in memory that a statement reads as a table.
///
/// `results_values(?)` in a statement's text reads the bound list. The list must outlive the statement's use.
final class ValueList {
  private let header: UnsafeMutablePointer<results_values>
  private let kinds: UnsafeMutableBufferPointer<UInt8>
  private let numbers: UnsafeMutableBufferPointer<Int64>
  private let lengths: UnsafeMutableBufferPointer<Int64>
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  /// The greatest number of columns of a list.
  static let columnLimit = 16

  /// A list of one column.
  /// - Complexity: O(*n*) in the values' bytes.
  convenience init(_ values: [Value]) {
    self.init(
      columns: 1,
      rows: values.count,
      byteCount: values.reduce(0) { $0 + $1.byteCount }
    ) { writer in
      for value in values { writer.append(value) }
    }
  }

  /// A list of keys with a number of columns each.
  /// - Complexity: O(*n*) in the keys' bytes.
  convenience init(columns: Int, keys: [ObjectKey]) {
    self.init(
      columns: columns,
      rows: keys.count,
      byteCount: keys.reduce(0) { $0 + $1.byteCount }
    ) { writer in
      for key in keys {
        switch key {
        case .integer(let number): writer.append(number)
        case .text(let text): writer.append(.text(text))
        case .compound(let parts): for part in parts { writer.append(part) }
        }
      }
    }
  }

  private init(columns: Int, rows: Int, byteCount: Int, _ write: (inout CellWriter) -> Void) {
    kinds = .allocate(capacity: columns * rows)
    numbers = .allocate(capacity: columns * rows)
    lengths = .allocate(capacity: columns * rows)
    bytes = .allocate(capacity: byteCount)
    kinds.initialize(repeating: UInt8(truncatingIfNeeded: SQLITE_NULL))
    numbers.initialize(repeating: 0)
    lengths.initialize(repeating: 0)
    var writer = CellWriter(kinds: kinds, numbers: numbers, lengths: lengths, bytes: bytes)
    write(&writer)
    header = .allocate(capacity: 1)
    header.initialize(
      to: results_values(
        columns: Int32(columns),
        rows: Int64(rows),
        kinds: kinds.baseAddress,
        numbers: numbers.baseAddress,
        lengths: lengths.baseAddress,
        bytes: bytes.baseAddress
      )
    )
  }

  deinit {
    header.deallocate()
    kinds.deallocate()
    numbers.deallocate()
    lengths.deallocate()
    bytes.deallocate()
  }

  /// Binds the list to a parameter, counted from 1.
  func bind(to statement: PreparedStatement, at index: Int32) throws(SQLiteFailure) {
    let code = sqlite3_bind_pointer(statement.pointer, index, header, results_values_type, nil)
    guard code == SQLITE_OK else { throw SQLiteFailure(sqlite3_db_handle(statement.pointer)) }
  }
}

/// Fills the cells of a list one after the other; cells beyond its end are ignored.
private struct CellWriter {
  let kinds: UnsafeMutableBufferPointer<UInt8>
  let numbers: UnsafeMutableBufferPointer<Int64>
  let lengths: UnsafeMutableBufferPointer<Int64>
  let bytes: UnsafeMutableBufferPointer<UInt8>
  private var cell = 0
  private var end = 0

  init(
    kinds: UnsafeMutableBufferPointer<UInt8>,
    numbers: UnsafeMutableBufferPointer<Int64>,
    lengths: UnsafeMutableBufferPointer<Int64>,
    bytes: UnsafeMutableBufferPointer<UInt8>
  ) {
    self.kinds = kinds
    self.numbers = numbers
    self.lengths = lengths
    self.bytes = bytes
  }

  mutating func append(_ integer: Int64) { append(SQLITE_INTEGER, integer) }

  mutating func append(_ value: Value) {
    switch value {
    case .null: append(SQLITE_NULL, 0)
    case .integer(let integer): append(SQLITE_INTEGER, integer)
    case .real(let real): append(SQLITE_FLOAT, Int64(bitPattern: real.bitPattern))
    case .text(var text): text.withUTF8 { append(SQLITE_TEXT, UnsafeRawBufferPointer($0)) }
    case .blob(let blob): blob.withUnsafeBytes { append(SQLITE_BLOB, $0) }
    case .illFormedText(let text): text.bytes.withUnsafeBytes { append(SQLITE_TEXT, $0) }
    }
  }

  private mutating func append(_ kind: Int32, _ content: UnsafeRawBufferPointer) {
    let target = UnsafeMutableRawBufferPointer(
      rebasing: UnsafeMutableRawBufferPointer(bytes)[end...]
    )
    target.copyMemory(from: content)
    append(kind, Int64(end), length: Int64(content.count))
    end += content.count
  }

  private mutating func append(_ kind: Int32, _ number: Int64, length: Int64 = 0) {
    guard cell < kinds.count else { return }
    kinds[cell] = UInt8(truncatingIfNeeded: kind)
    numbers[cell] = number
    lengths[cell] = length
    cell += 1
  }
}

extension Value {
  fileprivate var byteCount: Int {
    switch self {
    case .null, .integer, .real: 0
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    case .illFormedText(let text): text.bytes.count
    }
  }
}

extension ObjectKey {
  fileprivate var byteCount: Int {
    switch self {
    case .integer: 0
    case .text(let text): text.utf8.count
    case .compound(let parts): parts.reduce(0) { $0 + $1.byteCount }
    }
  }
}
