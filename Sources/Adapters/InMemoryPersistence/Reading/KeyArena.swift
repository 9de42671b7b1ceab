import OrderStatistics
import ResultsDomain

/// Encoded keys in one arena, which are sorted by moving small fixed-size references.
struct KeyArena {
  /// How many keys are handed over at a time.
  static let batchLimit = 2048

  private struct Reference {
    /// The key's first eight bytes, so that most comparisons read nothing else.
    let head: UInt64
    let start: Int
    let count: Int

    func key(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }
  }

  private var writer = KeyWriter()
  private var references: [Reference] = []

  /// Appends the key that a closure writes.
  mutating func append(
    _ write: (inout KeyWriter) throws(StoreError) -> Void
  ) throws(StoreError) {
    let start = writer.bytes.count
    try write(&writer)
    let end = writer.bytes.count
    var head: UInt64 = 0
    for position in start..<start + 8 {
      head = head << 8 | (position < end ? UInt64(writer.bytes[position]) : 0)
    }
    references.append(Reference(head: head, start: start, count: end - start))
  }

  /// Hands over all keys in ascending order until the closure says stop.
  /// - Complexity: O(*n* log *n*)
  mutating func deliverAscending(
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let bytes = writer.bytes
    bytes.withUnsafeBytes { bytes in
      references.sort { left, right in
        guard left.head == right.head else { return left.head < right.head }
        return KeyOrder.compare(left.key(in: bytes), right.key(in: bytes)) < 0
      }
    }
    var batch = EntryBatch()
    for reference in references {
      batch.append { writer in
        writer.bytes.append(contentsOf: bytes[reference.start..<reference.start + reference.count])
      }
      if batch.count == KeyArena.batchLimit {
        guard try body(batch) else { return }
        batch.removeAll()
      }
    }
    if batch.count > 0 { _ = try body(batch) }
  }
}
