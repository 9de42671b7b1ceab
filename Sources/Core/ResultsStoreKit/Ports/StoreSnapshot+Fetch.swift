public import ResultsDomain

extension StoreSnapshot {
  /// Fetches the results of a request once, in its order, from this version.
  /// - Throws: As `Store.fetch(_:)`.
  /// - Complexity: O(*n*) in the rows that match.
  public func fetch<Object: FetchedObject>(
    _ request: FetchRequest<Object>
  ) throws(StoreError) -> [Object] {
    try fetch(request, answersPaths: false)
  }

  /// Fetches the results of a request from a store that answers paths or not.
  /// - Throws: As `Store.fetch(_:)`.
  package func fetch<Object: FetchedObject>(
    _ request: FetchRequest<Object>,
    answersPaths: Bool
  ) throws(StoreError) -> [Object] {
    if let (joined, derived) = try joined(request, answersPaths) {
      return try joined.objects(
        of: derived,
        request.propertiesToFetch.map {
          FetchedProperties($0, from: derived.propertiesToFetch ?? [])
        }
      )
    }
    return try objects(
      of: request,
      request.propertiesToFetch.map { FetchedProperties($0, from: $0) }
    )
  }

  /// The objects of a request without paths; a dictionary has the given properties only.
  private func objects<Object: FetchedObject>(
    of request: FetchRequest<Object>,
    _ properties: FetchedProperties?
  ) throws(StoreError) -> [Object] {
    let keys = try keys(of: request)
    let entity = request.entity
    var objects: [Object] = []
    objects.reserveCapacity(keys.count)
    let valueFree = Array(repeating: Value.null, count: entity.attributes.count)
    for start in stride(from: 0, to: keys.count, by: 1024) {
      let batch = Array(keys[start..<min(start + 1024, keys.count)])
      let rows: [Row?] =
        Object.needsAttributeValues
        ? try self.rows(batch, of: entity)
        : batch.map {
          Row(entity: entity, id: ObjectID(entity: entity.name, key: $0), values: valueFree)
        }
      for case .some(let row) in rows {
        do {
          objects.append(try FetchRequest<Object>.object(from: row, properties: properties))
        } catch {
          throw .aborted(by: error)
        }
      }
    }
    return objects
  }

  /// The keys of the objects that a request returns, in its order; no attribute values are read.
  /// - Complexity: O(*n*) in the rows that match; O(*k* log *n*) for a limit of *k* keys where an index has the order.
  public func keys<Object: FetchedObject>(
    of request: FetchRequest<Object>
  ) throws(StoreError) -> [ObjectKey] {
    try request.validateWindow()
    if let (joined, derived) = try joined(request, false) { return try joined.keys(of: derived) }
    let definition: OrderDefinition
    do {
      definition = try OrderDefinition(
        entity: request.entity,
        predicate: request.predicate,
        sortDescriptors: request.sortDescriptors
      )
    } catch {
      throw .request(error)
    }
    var keys: [ObjectKey] = []
    var position = 0
    let end = request.fetchLimit.map { $0.addingReportingOverflow(request.fetchOffset) }
    let bound = end.map { $0.overflow ? .max : $0.partialValue } ?? .max
    guard bound > request.fetchOffset else { return [] }
    func take(_ batch: EntryBatch) {
      batch.bytes.withUnsafeBytes { bytes in
        var start = 0
        for end in batch.ends {
          defer {
            start = end
            position += 1
          }
          guard position >= request.fetchOffset, position < bound else { continue }
          let key = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
          if let made = definition.layout.objectKey(in: key, of: request.entity.identity) {
            keys.append(made)
          }
        }
      }
    }
    // Larger windows are read in batches.
    if bound <= 1000 {
      take(try firstEntries(of: definition, limit: bound))
    } else {
      try entries(of: definition) { (batch) throws(StoreError) in
        take(batch)
        return position < bound
      }
    }
    return keys
  }
}

// MARK: - Related objects

extension StoreSnapshot {
  /// A snapshot with the related values that a request reads, and the request over it; `nil` for a request that reads none.
  private func joined<Object: FetchedObject>(
    _ request: FetchRequest<Object>,
    _ answersPaths: Bool
  ) throws(StoreError) -> (any StoreSnapshot, FetchRequest<Object>)? {
    do {
      var paths = RelationTreeBuilder(request.entity)
      let predicate = try paths.rewrite(request.predicate)
      var terms: [FetchSortDescriptor] = []
      for term in request.sortDescriptors { terms.append(try paths.rewrite(term)) }
      var properties: [String]?
      for name in request.propertiesToFetch ?? [] {
        properties = (properties ?? []) + [try paths.rewrite(property: name)]
      }
      for steps in request.relationshipPathsForPrefetching where Object.needsAttributeValues {
        _ = try paths.prefetch(steps)
      }
      guard let tree = try paths.tree(answersPaths: answersPaths) else { return nil }
      var derived = FetchRequest<Object>(
        entity: tree.entity,
        where: predicate,
        sortedBy: terms,
        fetchLimit: request.fetchLimit,
        fetchOffset: request.fetchOffset,
        propertiesToFetch: request.propertiesToFetch == nil ? nil : properties ?? []
      )
      derived.fetchBatchSize = request.fetchBatchSize
      return (RelatedSnapshot(self, tree), derived)
    } catch {
      throw .request(error)
    }
  }

  /// The number of rows of an entity for which a predicate holds, which may read related objects.
  package func rowCount(
    of entity: EntityDescription,
    where predicate: FetchPredicate,
    answersPaths: Bool = false
  ) throws(StoreError) -> Int {
    guard predicate.usesPaths else { return try count(of: entity, where: predicate) }
    do {
      var paths = RelationTreeBuilder(entity)
      let derived = try paths.rewrite(predicate)
      guard let tree = try paths.tree(answersPaths: answersPaths) else { return 0 }
      return try RelatedSnapshot(self, tree).count(of: tree.entity, where: derived)
    } catch let error as RequestError {
      throw .request(error)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .aborted(by: error)
    }
  }
}

extension FetchRequest {
  /// Creates a result of this request from a row; a dictionary has the selected properties only.
  /// - Throws: `RowError` if the result type cannot hold a stored value.
  public func object(from row: Row) throws(RowError) -> Object {
    try Self.object(
      from: row,
      properties: propertiesToFetch.map { FetchedProperties($0, from: $0) }
    )
  }

  /// Creates a result from a row; a dictionary has the given properties only.
  /// - Throws: `RowError` if the result type cannot hold a stored value.
  package static func object(
    from row: Row,
    properties: FetchedProperties?
  ) throws(RowError) -> Object {
    if let properties, Object.self == FetchedDictionary.self,
      let chosen = FetchedDictionary(
        objectID: row.id,
        properties: properties.names,
        values: properties.sources.map { row[$0] }
      ) as? Object
    {
      return chosen
    }
    return try Object(row: row)
  }
}

/// The properties of dictionary results, by the names of the request and by those of the rows that have their values.
package struct FetchedProperties: Sendable {
  package let names: [String]
  package let sources: [String]

  /// Creates properties; a path such as `author.id` can have another name in rows.
  package init(_ names: [String], from sources: [String]) {
    self.names = names
    self.sources = sources
  }
}
