public import ResultsDomain

// What lists over several entities need of a store. Every store has it by default.

extension StoreSnapshot {
  /// By default, an index over the columns is searched, or all rows are read once for all keys.
  public func referrers(
    to keys: [ObjectKey],
    through columns: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) -> [ObjectKey]? {
    let search = try ReferrerSearch(keys, columns, of: entity, limit: limit)
    guard !search.sought.isEmpty else { return [] }
    if let order = search.order, let source = try orderedSource(of: order) {
      return try search.keys(in: source, order)
    }
    return try search.keys(in: self)
  }

  /// By default, the histories of the entities are merged by their versions.
  public func history(
    since version: StoreVersion,
    ofEach entities: [EntityDescription]
  ) throws(StoreError) -> StoreHistory {
    var histories: [[CommitRecord]] = []
    for entity in entities {
      switch try history(since: version, of: entity) {
      case .gap(let reason): return .gap(reason)
      case .commits(let records): histories.append(records)
      }
    }
    return .commits(CommitRecord.merging(histories))
  }
}

extension CommitRecord {
  /// Merges the histories of several entities, oldest commit first: one record for each version.
  /// - Complexity: O(*n* log *n*) in the records.
  package static func merging(_ histories: [[CommitRecord]]) -> [CommitRecord] {
    guard histories.count > 1 else { return histories.first ?? [] }
    let all = histories.flatMap { $0 }.enumerated().sorted { left, right in
      (left.element.version.sequence, left.offset) < (right.element.version.sequence, right.offset)
    }
    var merged: [CommitRecord] = []
    for (_, record) in all {
      if let last = merged.last, last.version == record.version {
        merged[merged.count - 1] = CommitRecord(
          version: last.version,
          origin: last.origin,
          isOwn: last.isOwn,
          changes: last.changes + record.changes,
          formerIDs: last.formerIDs.merging(record.formerIDs) { first, _ in first }
        )
      } else {
        merged.append(record)
      }
    }
    return merged
  }
}

/// A search for the objects whose columns hold one of some keys.
private struct ReferrerSearch {
  /// The parts of each key, without duplicates.
  let sought: [[Value]]
  /// The order of the columns, if the key does not shorten it.
  let order: OrderDefinition?
  private let entity: EntityDescription
  private let columns: [FetchExpression]
  private let limit: Int

  init(
    _ keys: [ObjectKey],
    _ names: [String],
    of entity: EntityDescription,
    limit: Int?
  ) throws(StoreError) {
    self.entity = entity
    self.limit = limit ?? .max
    var columns: [FetchExpression] = []
    for name in names {
      guard let column = entity.expression(ofColumn: name) else {
        throw .request(
          .unknownAttribute(name, entity: entity.name, known: entity.attributes.map(\.name))
        )
      }
      columns.append(column)
    }
    self.columns = columns
    var seen: Set<ObjectKey> = []
    sought = keys.filter { seen.insert($0).inserted }.map(\.parts).filter { parts in
      parts.count == names.count && !parts.contains(where: \.isNull)
    }
    let order = try? OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: columns.map { FetchSortDescriptor($0) }
    )
    self.order = order?.terms.count == columns.count ? order : nil
  }

  /// The objects' keys, by one search of an index for each key.
  func keys(
    in source: any OrderedSource,
    _ order: OrderDefinition
  ) throws(StoreError) -> [ObjectKey]? {
    var found: [ObjectKey] = []
    for parts in sought {
      var writer = KeyWriter()
      guard zip(parts, order.layout.order).allSatisfy({ writer.append($0, $1) }) else { continue }
      let batch = try source.keys(
        from: .before(writer.bytes),
        to: .after(writer.bytes),
        skipping: 0,
        limit: limit == .max ? .max : limit - found.count + 1
      )
      found += batch.objectKeys(order.layout, of: entity)
      guard found.count <= limit else { return nil }
    }
    return found
  }

  /// The objects' keys, by one pass over all rows.
  func keys(in snapshot: any StoreSnapshot) throws(StoreError) -> [ObjectKey]? {
    let members = columns.indices.map { index in
      FetchPredicate.membership(columns[index], sought.map { $0[index] })
    }
    let definition: OrderDefinition
    do {
      definition = try OrderDefinition(
        entity: entity,
        predicate: .conjunction(members),
        sortDescriptors: columns.map { FetchSortDescriptor($0) }
      )
    } catch {
      throw .request(error)
    }
    var found: [ObjectKey] = []
    // Several columns can each hold a part of different keys.
    let isExact = columns.count == 1
    try snapshot.entries(of: definition) { (batch) throws(StoreError) in
      found += batch.objectKeys(definition.layout, of: entity)
      return !isExact || found.count <= limit
    }
    if !isExact {
      let (tuples, values) = (Set(sought), columns.map { CompiledExpression($0, in: entity) })
      let rows = try snapshot.rows(found, of: entity)
      found = rows.compactMap { row in
        guard let row else { return nil }
        let tuple = values.map { $0.value(row.values, key: row.id.key) }
        return tuples.contains(tuple) ? row.id.key : nil
      }
    }
    return found.count <= limit ? found : nil
  }
}

extension EntryBatch {
  /// The keys of the objects of all entries.
  package func objectKeys(_ layout: KeyLayout, of entity: EntityDescription) -> [ObjectKey] {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      return ends.compactMap { end in
        defer { start = end }
        let key = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        return layout.objectKey(in: key, of: entity.identity)
      }
    }
  }
}
