import ResultsDomain
import Synchronization

/// Reads the rows of one generation, a batch at a time, and keeps a few batches.
final class RowLoader: Sendable {
  let snapshot: ResultsSnapshot
  private let store: any Store
  /// Batches read last, newest at the end; guarded by the mutex, which is not held while the store is read.
  private let batches = Mutex<[(number: Int, rows: [Row?])]>([])
  private static let kept = 4

  init(_ snapshot: ResultsSnapshot, _ store: any Store) {
    self.snapshot = snapshot
    self.store = store
  }

  /// The row at a place counted over all sections, or `nil` if nothing is known of it any more.
  /// - Complexity: One batch is read from the store, unless it is kept.
  func row(at position: Int) throws(StoreError) -> Row? {
    let size = snapshot.plan.batchSize
    let number = position / size
    let kept = batches.withLock { batches -> [Row?]? in
      guard let place = batches.firstIndex(where: { $0.number == number }) else { return nil }
      let batch = batches.remove(at: place)
      batches.append(batch)
      return batch.rows
    }
    if let kept { return kept[position - number * size] }
    let range = number * size..<min((number + 1) * size, snapshot.rowCount)
    let reader = RowsInPlace(snapshot)
    let rows = try store.rereading { (store) throws(StoreError) in
      try reader.rows(range, in: store)
    }
    batches.withLock { batches in
      batches.append((number, rows))
      if batches.count > RowLoader.kept { batches.removeFirst() }
    }
    return rows[position - number * size]
  }
}
