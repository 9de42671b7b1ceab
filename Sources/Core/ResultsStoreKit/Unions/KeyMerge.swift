import ResultsDomain

/// Several ascending sequences of keys as one, of which each is read batch by batch.
struct KeyMerge {
  private struct Cursor {
    /// The next keys of the sequence; empty at its end.
    var batch: EntryBatch
    var next = 0
    /// Reads the batch behind another one.
    let read: (EntryBatch) throws(StoreError) -> EntryBatch

    /// Whether the next key comes before that of another sequence.
    func precedes(_ other: Cursor) -> Bool {
      batch.bytes.withUnsafeBytes { bytes in
        other.batch.bytes.withUnsafeBytes { otherBytes in
          UnsafeRawBufferPointer(rebasing: bytes[range])
            .lexicographicallyPrecedes(UnsafeRawBufferPointer(rebasing: otherBytes[other.range]))
        }
      }
    }

    /// The bytes of the next key.
    var range: Range<Int> { (next == 0 ? 0 : batch.ends[next - 1])..<batch.ends[next] }
  }

  /// The number of keys in a batch.
  static let batchLimit = 2048
  private var cursors: [Cursor] = []

  /// Adds a sequence that is known already.
  mutating func add(_ keys: EntryBatch) {
    add(keys) { (_) in EntryBatch() }
  }

  /// Adds a sequence by its first batch; the closure reads the batch behind another one, which is empty at the end.
  mutating func add(
    _ first: EntryBatch,
    _ read: @escaping (EntryBatch) throws(StoreError) -> EntryBatch
  ) {
    guard first.count > 0 else { return }
    cursors.append(Cursor(batch: first, read: read))
  }

  /// Returns the next keys, or an empty batch at the end.
  /// - Complexity: O(*k* · *b*) for *k* keys and *b* sequences.
  mutating func nextBatch(limit: Int = KeyMerge.batchLimit) throws(StoreError) -> EntryBatch {
    var merged = EntryBatch()
    while merged.count < limit, let least = leastCursor() {
      let cursor = cursors[least]
      merged.append { $0.bytes.append(contentsOf: cursor.batch.bytes[cursor.range]) }
      try advance(least)
    }
    return merged
  }

  /// Calls a closure with all keys in batches, until it returns false.
  mutating func deliver(
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    while true {
      let batch = try nextBatch()
      guard batch.count > 0, try body(batch) else { return }
    }
  }

  private mutating func advance(_ index: Int) throws(StoreError) {
    cursors[index].next += 1
    guard cursors[index].next == cursors[index].batch.count else { return }
    let batch = try cursors[index].read(cursors[index].batch)
    if batch.count == 0 {
      cursors.remove(at: index)
    } else {
      cursors[index].batch = batch
      cursors[index].next = 0
    }
  }

  private func leastCursor() -> Int? {
    guard var least = cursors.indices.first else { return nil }
    for index in cursors.indices.dropFirst() where cursors[index].precedes(cursors[least]) {
      least = index
    }
    return least
  }
}
