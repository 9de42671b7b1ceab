import ResultsDomain

/// Takes some keys out of the sorted keys of a store, and puts others between them.
struct EntryMerge {
  /// The keys that are taken out, ascending.
  let removed: [[UInt8]]
  private let added: [[UInt8]]
  /// The number of bytes at the end of each key that are not part of the order.
  private let suffixLength: Int
  private var nextRemoved = 0
  private var nextAdded = 0

  /// The number of keys in a batch of added ones.
  private static let batchLimit = 2048

  init(removing removed: [[UInt8]] = [], adding added: [[UInt8]], suffixLength: Int = 0) {
    self.suffixLength = suffixLength
    self.removed = removed.sorted { EntryMerge.precedes($0, $1, suffixLength) }
    self.added = added.sorted { EntryMerge.precedes($0, $1, suffixLength) }
  }

  /// Calls a closure with the next batch of the store's keys, merged; it returns whether to continue.
  /// - Returns: Whether to continue.
  /// - Complexity: O(*n* + *k*) for *n* keys of the batch and *k* of the draft.
  mutating func deliver(
    _ batch: EntryBatch,
    to body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let merged = merged(batch)
    return merged.count == 0 ? true : try body(merged)
  }

  /// Calls a closure with the keys behind the last one of the store.
  mutating func deliverRest(
    to body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    while nextAdded < added.count {
      guard try body(rest(limit: EntryMerge.batchLimit)) else { return }
    }
  }

  private static func precedes(
    _ left: [UInt8],
    _ right: [UInt8],
    _ suffixLength: Int
  ) -> Bool {
    let (leftEnd, rightEnd) = (left.count - suffixLength, right.count - suffixLength)
    for index in 0..<min(leftEnd, rightEnd) where left[index] != right[index] {
      return left[index] < right[index]
    }
    return leftEnd < rightEnd
  }

  private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    EntryMerge.precedes(left, right, suffixLength)
  }

  /// The keys of a batch without the removed ones, and with the added ones that come before its last key.
  private mutating func merged(_ batch: EntryBatch) -> EntryBatch {
    guard batch.count > 0 else { return batch }
    let last = batch.key(at: batch.count - 1)
    let isTouched =
      nextRemoved < removed.count && !precedes(last, removed[nextRemoved])
      || nextAdded < added.count && !precedes(last, added[nextAdded])
    guard isTouched else { return batch }
    var merged = EntryBatch()
    merged.reserveCapacity(keys: batch.count, bytes: batch.bytes.count)
    for index in 0..<batch.count {
      let key = batch.key(at: index)
      while nextAdded < added.count, precedes(added[nextAdded], key) {
        merged.append { $0.bytes += added[nextAdded] }
        nextAdded += 1
      }
      while nextRemoved < removed.count, precedes(removed[nextRemoved], key) { nextRemoved += 1 }
      if nextRemoved < removed.count, removed[nextRemoved] == key {
        nextRemoved += 1
      } else {
        merged.append { $0.bytes += key }
      }
    }
    return merged
  }

  private mutating func rest(limit: Int) -> EntryBatch {
    var batch = EntryBatch()
    let end = min(added.count, nextAdded + limit)
    for key in added[nextAdded..<end] { batch.append { $0.bytes += key } }
    nextAdded = end
    return batch
  }
}
