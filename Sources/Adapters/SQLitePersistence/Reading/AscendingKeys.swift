import CSQLiteHooks
import OrderStatistics
import ResultsDomain

/// Checks that the keys SQLite hands over ascend, batch by batch.
///
/// SQLite keeps no checksums: it takes a page that lies in another one's place for good, and only the order of what it
/// reads tells.
struct AscendingKeys {
  /// The key that was checked last.
  private(set) var last: [UInt8] = []

  /// Checks the next keys against those before.
  ///
  /// Keys that are equal are left to whoever knows which object stands twice.
  /// - Throws: `SQLiteFailure` that says the file is damaged.
  /// - Complexity: O(*n*) in the bytes of the batch.
  mutating func check(_ batch: EntryBatch, of table: EntityTable) throws {
    let ascends = batch.bytes.withUnsafeBytes { bytes in
      last.withUnsafeBytes { last in
        var (before, start) = (last, 0)
        for end in batch.ends {
          let key = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
          guard KeyOrder.compare(before, key) <= 0 else { return false }
          (before, start) = (key, end)
        }
        return true
      }
    }
    guard ascends else {
      throw SQLiteFailure(
        code: SQLITE_CORRUPT,
        message: "the rows of \(table.entity.name) come out of order"
      )
    }
    let start = batch.count > 1 ? batch.ends[batch.count - 2] : 0
    last = Array(batch.bytes[start...])
  }
}
