extension StoreSnapshot {
  /// By default the rows of the list are read in its order and gathered one by one.
  /// - Complexity: O(*n*) in the rows that match, each of which is read.
  public func aggregates(
    _ aggregates: CompiledAggregates,
    of definition: OrderDefinition,
    groupedByFirst columns: Int,
    _ body: (AggregateGroup) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var gathering = AggregateGathering(aggregates, byFirst: columns, definition.layout)
    var goesOn = true
    try entries(of: definition) { (batch) throws(StoreError) in
      let keys = batch.keys(of: definition)
      let rows = try self.rows(keys.map(\.key), of: definition.entity)
      for (entry, row) in zip(keys, rows) {
        guard let row else { continue }
        let inputs = try aggregates.inputs(row.values, key: row.id.key)
        let finished = batch.bytes.withUnsafeBytes { bytes in
          gathering.add(inputs, of: UnsafeRawBufferPointer(rebasing: bytes[entry.bytes]))
        }
        if let finished { goesOn = try body(finished) }
        guard goesOn else { return false }
      }
      return true
    }
    if goesOn, let last = gathering.finish() { _ = try body(last) }
  }
}

extension EntryBatch {
  /// The object keys at the ends of the entries, and where each entry's bytes are.
  fileprivate func keys(of definition: OrderDefinition) -> [(key: ObjectKey, bytes: Range<Int>)] {
    var keys: [(key: ObjectKey, bytes: Range<Int>)] = []
    keys.reserveCapacity(count)
    bytes.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        let entry = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        if let key = definition.layout.objectKey(in: entry, of: definition.entity.identity) {
          keys.append((key, start..<end))
        }
        start = end
      }
    }
    return keys
  }
}
