import CSQLiteHooks
import ResultsDomain

extension PreparedStatement {
  /// Binds a column of a key to a parameter, without a string or a value.
  /// - Parameters:
  ///   - bytes: The column's bytes, tag included.
  ///   - column: How they are written.
  ///   - place: The parameter, counted from 1.
  /// - Throws: `SQLiteFailure`.
  func bind(
    _ bytes: UnsafeRawBufferPointer,
    _ column: KeyColumn,
    at place: Int32
  ) throws {
    switch column.storage {
    case .integer, .real: try bind(KeyReader.value(of: column, in: bytes), at: place)
    case .text, .blob: try bind(content: bytes, column, at: place)
    }
  }

  private func bind(
    content bytes: UnsafeRawBufferPointer,
    _ column: KeyColumn,
    at place: Int32
  ) throws {
    let mask: UInt8 = column.isDescending ? 255 : 0
    let content = bytes.dropFirst().dropLast()
    if mask == 0, !content.contains(0) {
      try bind(raw: UnsafeRawBufferPointer(rebasing: content), column.storage, at: place)
      return
    }
    var plain: [UInt8] = []
    plain.reserveCapacity(content.count)
    var isEscape = false
    for byte in content {
      // After a zero comes the byte that tells it from the end.
      if isEscape {
        isEscape = false
      } else {
        plain.append(byte ^ mask)
        isEscape = byte == mask
      }
    }
    try plain.withUnsafeBytes { try bind(raw: $0, column.storage, at: place) }
  }

  private func bind(
    raw bytes: UnsafeRawBufferPointer,
    _ storage: StorageClass,
    at place: Int32
  ) throws {
    guard let address = bytes.baseAddress, !bytes.isEmpty else {
      try bind(storage == .text ? .text("") : .blob([]), at: place)
      return
    }
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let count = UInt64(bytes.count)
    let code =
      storage == .text
      ? sqlite3_bind_text64(
        pointer,
        place,
        address.assumingMemoryBound(to: CChar.self),
        count,
        copied,
        UInt8(SQLITE_UTF8)
      )
      : sqlite3_bind_blob64(pointer, place, address, count, copied)
    guard code == SQLITE_OK else { throw SQLiteFailure(sqlite3_db_handle(pointer)) }
  }
}
