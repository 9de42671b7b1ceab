import ResultsDomain

extension ListPlan {
  /// The first rows of a list, before anything is counted.
  /// - Complexity: O(*k* log *n*) for the *k* rows of a batch, and O(*k*) for those that the window leaves out before them.
  func firstPage<Object: FetchedObject>(
    _ source: any OrderedSource,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ResultsPage<Object> {
    let size = min(limit ?? batchSize, batchSize)
    let batch = try source.keys(from: nil, to: nil, skipping: offset, limit: size)
    let keys = (0..<batch.count).compactMap { place in
      batch.key(at: place).withUnsafeBytes { layout.objectKey(in: $0, of: entity.identity) }
    }
    let rows: [Row?]
    if carriesRows {
      rows = try snapshot.rows(keys, of: entity)
    } else {
      let values = Array(repeating: Value.null, count: entity.attributes.count)
      rows = keys.map { key in
        Row(entity: entity, id: ObjectID(entity: entity.name, key: key), values: values)
      }
    }
    let estimate = try source.estimatedCount().map { matching in
      let behind = max(0, matching - offset)
      return min(behind, limit ?? behind)
    }
    return ResultsPage(rows.compactMap(\.self), propertiesToFetch, estimatedCount: estimate)
  }
}
