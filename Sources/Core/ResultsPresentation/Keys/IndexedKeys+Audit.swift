import OrderStatistics
import ResultsDomain

extension IndexedReading {
  /// Whether a block has as many keys in the store as were counted.
  ///
  /// What a change takes to a place that no count can see, such as a row written with all triggers off, shows here.
  /// - Complexity: O(log *n* + *k*) for the block's *k* keys.
  func isSound(block number: Int) throws(StoreError) -> Bool {
    let place = keys.blocks.location(ofBlock: number)
    let lower: KeyBound? = place.lower.isEmpty ? nil : .before(place.lower)
    let present = try source.count(from: lower, to: place.upper.map { .before($0) })
    return present + since.lost(from: place.lower, to: place.upper) == place.rows
  }
}

extension ListEngine {
  /// Counts some blocks of a list over an index again.
  /// - Parameters:
  ///   - shares: Which of the list's blocks, as numbers between 0 and 1.
  ///   - store: The list's own version of the store.
  /// - Returns: What was found; nothing for a list that holds its keys.
  /// - Throws: The store's error.
  func audit(_ shares: [Double], in store: any StoreSnapshot) throws(StoreError) -> ListAudit {
    guard case .indexed(let keys) = snapshot.keys else { return ListAudit() }
    var audit = ListAudit()
    let reading = try IndexedReading(keys, in: store)
    for share in shares {
      let number = Int(share * Double(keys.blocks.blockCount))
      audit.checkedBlocks += 1
      let isSound = try reading.isSound(block: min(max(number, 0), keys.blocks.blockCount - 1))
      // What a cache held of a damaged part can be had from the store only.
      if !isSound || keys.blocks.isDamaged {
        audit.unsoundBlocks += 1
      }
    }
    return audit
  }
}
