import ResultsDomain

extension StoreContent {
  /// The rows of some keys, in the order asked.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    let table = tables[try index(of: entity)]
    return keys.map { table[$0] }
  }

  /// How many rows a predicate holds for.
  func count(
    of entity: EntityDescription,
    where predicate: FetchPredicate
  ) throws(StoreError) -> Int {
    let table = tables[try index(of: entity)]
    do {
      try predicate.validate(in: entity)
    } catch {
      throw .request(error)
    }
    guard predicate != .all else { return table.count }
    var count = 0
    try forEachMatch(predicate, of: entity, in: table) { (_) throws(StoreError) in
      count += 1
      return true
    }
    return count
  }

  /// Hands over a list's keys, ascending by bytes.
  func entries(
    of definition: OrderDefinition,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = tables[try index(of: definition.entity)]
    let encoder = RowKeyEncoder(definition)
    var keys = KeyArena()
    try forEachMatch(definition.predicate, of: definition.entity, in: table) {
      (row) throws(StoreError) in
      try keys.append { (writer) throws(StoreError) in
        try encoder.write(row.values, key: row.id.key, to: &writer)
      }
      return true
    }
    try keys.deliverAscending(body)
  }

  /// Hands over each row's identity and digest, ascending by identity.
  func digests(
    of definition: OrderDefinition,
    attributes: AttributeSet,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let table = tables[try index(of: definition.entity)]
    let columns = definition.layout.identity
    var batch = EntryBatch()
    var goesOn = true
    try forEachMatch(definition.predicate, of: definition.entity, in: table) {
      (row) throws(StoreError) in
      try batch.append { (writer) throws(StoreError) in
        for (part, column) in zip(row.id.key.parts, columns) {
          guard writer.append(part, column) else {
            throw .unexpectedValue(row.id, what: "the key")
          }
        }
        var digest = RowDigest()
        for index in attributes.indexes where row.values.indices.contains(index) {
          digest.add(row.values[index])
        }
        withUnsafeBytes(of: digest.value.bigEndian) { writer.bytes.append(contentsOf: $0) }
      }
      if batch.count == KeyArena.batchLimit {
        goesOn = try body(batch)
        batch.removeAll()
      }
      return goesOn
    }
    if goesOn, batch.count > 0 { _ = try body(batch) }
  }

  /// Hands over the rows that a predicate holds for, in key order.
  func forEachMatch(
    _ predicate: FetchPredicate,
    of entity: EntityDescription,
    in table: RowTable,
    _ body: (Row) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let compiled = CompiledPredicate(predicate, in: entity)
    guard !compiled.isAlwaysTrue else { return try table.forEach(body) }
    func test(_ row: Row) throws(StoreError) -> Bool {
      compiled.holds(for: row) ? try body(row) : true
    }
    // A search costs about as much as reading a few rows, hence the factor.
    guard let identities = predicate.requiredIdentities, identities.count * 4 < table.count else {
      return try table.forEach(test)
    }
    for key in identities.keys {
      if let row = table[key], !(try test(row)) { return }
    }
  }
}

extension FetchPredicate {
  /// The smallest set of identities outside of which the predicate cannot hold.
  fileprivate var requiredIdentities: IdentitySet? {
    switch self {
    case .identity(let identities): identities
    case .and(let parts): parts.compactMap(\.requiredIdentities).min { $0.count < $1.count }
    default: nil
    }
  }
}
