import ResultsDomain

extension OrderDefinition {
  /// A list of all objects of an entity, or of some, ordered by key where no order is given.
  static func list(
    _ entity: EntityDescription,
    where predicate: FetchPredicate = .all,
    sortedBy terms: [FetchSortDescriptor] = []
  ) throws(RequestError) -> OrderDefinition {
    let first = entity.attributes.first?.name ?? ""
    return try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sortDescriptors: terms.isEmpty ? [.ascending(first)] : terms
    )
  }
}

extension EntryBatch {
  /// Each key by itself.
  var keys: [[UInt8]] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return Array(bytes[start..<end])
    }
  }
}

extension StoreSnapshot {
  /// The encoded keys of a list.
  func keys(of definition: OrderDefinition) throws(StoreError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try entries(of: definition) { batch in
      keys += batch.keys
      return true
    }
    return keys
  }

  /// The rows of a list, in its order.
  func list(_ definition: OrderDefinition) throws(StoreError) -> [Row] {
    let keys = try keys(of: definition).compactMap { key in
      key.withUnsafeBytes { definition.layout.objectKey(in: $0, of: definition.entity.identity) }
    }
    return try rows(keys, of: definition.entity).compactMap(\.self)
  }

  /// Each object's identity bytes with its digest.
  func digests(
    of definition: OrderDefinition,
    _ attributes: AttributeSet
  ) throws(StoreError) -> [(identity: [UInt8], digest: [UInt8])] {
    var entries: [(identity: [UInt8], digest: [UInt8])] = []
    try digests(of: definition, attributes: attributes) { batch in
      entries += batch.keys.map { (Array($0.dropLast(8)), Array($0.suffix(8))) }
      return true
    }
    return entries
  }
}

extension StoreBench {
  /// The rows of a list, in its order.
  func rows(_ store: any Store, _ definition: OrderDefinition) throws -> [Row] {
    try store.read { (snapshot) throws(StoreError) in try snapshot.list(definition) }
  }

  /// All rows of an entity, ascending by key.
  func allRows(_ store: any Store, _ entity: EntityDescription) throws -> [Row] {
    try rows(store, try .list(entity))
      .sorted { ModelStore.order($0.id.key, $1.id.key) == .ascending }
  }

  /// The row of an object, or `nil`.
  func row(_ store: any Store, _ id: ObjectID, _ entity: EntityDescription) throws -> Row? {
    let rows = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([id.key], of: entity)
    }
    try expectEqual(rows.count, 1, "the number of answers for one key")
    return rows[0]
  }

  func version(_ store: any Store) throws -> StoreVersion {
    try store.read { (snapshot) throws(StoreError) in snapshot.version }
  }

  /// The commits since a version; a gap is not expected.
  func commits(
    _ store: any Store,
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws -> [CommitRecord] {
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: version, of: entity)
    }
    switch history {
    case .commits(let commits): return commits
    case .gap(let reason): throw failure("the commits since \(version)", "the gap \(reason)")
    }
  }

  /// The changes since a version, which one commit made at most.
  func changes(
    _ store: any Store,
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws -> [CommittedChange] {
    let commits = try commits(store, since: version, of: entity).filter { !$0.changes.isEmpty }
    try expect(commits.count <= 1, "one commit at most", saw: "\(commits.count) commits")
    return commits.first?.changes ?? []
  }

  /// One transaction on the calling thread, in asynchronous cases too.
  @discardableResult
  func write<Result: Sendable>(
    _ store: any Store,
    _ body: (any StoreTransaction) throws -> Result
  ) throws -> Result {
    try store.commit(origin: .unnamed, body).result
  }
}
