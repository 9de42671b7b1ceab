import OrderStatistics
import ResultsDomain

extension IndexedReading {
  /// The keys at some positions, in order, without any that were not asked for.
  ///
  /// Blocks in which nothing came or left are read by one query, from wherever in the first of them to wherever in the last; those
  /// that were read before are not read again.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* + log *n*) for *k* keys, and at most a block is skipped; a block that has changed since is read whole.
  func page(at positions: Range<Int>) throws(StoreError) -> EntryBatch {
    var page = EntryBatch()
    var position = positions.lowerBound
    while position < positions.upperBound, let place = keys.blocks.location(containing: position) {
      if isReadable(place) {
        let end = end(ofReadableFrom: place, within: positions.upperBound)
        let batch = try source.keys(
          from: place.lower.isEmpty ? nil : .before(place.lower),
          to: nil,
          skipping: position - place.start,
          limit: end - position
        )
        guard batch.count == end - position else {
          throw .unexpected(
            path: keys.index.entity.name,
            detail: "\(batch.count) rows stand where \(end - position) were counted"
          )
        }
        if page.count == 0 { page = batch } else { page.append(batch) }
        position = end
      } else {
        let end = min(place.positions.upperBound, positions.upperBound)
        page.append(try run(of: place), position - place.start..<end - place.start)
        position = end
      }
    }
    return page
  }

  /// Whether the store has the keys of a block as they were, and they are not kept.
  func isReadable(_ place: BlockLocation) -> Bool {
    !since.concerns(from: place.lower, to: place.upper) && keys.era.run(from: place.lower) == nil
  }

  /// Where the blocks end that can be read together, or a position before that.
  private func end(ofReadableFrom place: BlockLocation, within limit: Int) -> Int {
    var (end, upper) = (place.positions.upperBound, place.upper)
    // Blocks without rows lie between those that have some; what came into them must not be read.
    while end < limit, let lower = upper, let next = keys.blocks.location(containing: end),
      isReadable(next), !since.concerns(from: lower, to: next.lower)
    {
      (end, upper) = (next.positions.upperBound, next.upper)
    }
    return min(end, limit)
  }
}

extension IndexedKeys {
  /// The keys at some positions if all of their blocks are kept.
  func keptPage(at positions: Range<Int>) -> EntryBatch? {
    var page = EntryBatch()
    var position = positions.lowerBound
    while position < positions.upperBound, let place = blocks.location(containing: position) {
      guard let run = era.run(from: place.lower) else { return nil }
      let end = min(place.positions.upperBound, positions.upperBound)
      page.append(run, position - place.start..<end - place.start)
      position = end
    }
    return page
  }
}

extension EntryBatch {
  /// Appends some keys of a list.
  mutating func append(_ keys: SortedKeyList, _ positions: Range<Int>) {
    keys.forEachKey(in: positions) { _, key in append { $0.bytes.append(contentsOf: key) } }
  }

  /// Appends the keys of another batch.
  fileprivate mutating func append(_ other: EntryBatch) {
    other.forEachKey { key in append { $0.bytes.append(contentsOf: key) } }
  }

  /// Hands over the keys in order.
  func forEachKey(_ body: (UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
  }
}
