import ResultsDomain

extension RequestError {
  /// How many rows of a refused order are looked at: enough to meet a section again, and few enough for an error.
  private static var rowsLookedAt: Int { 10_000 }

  /// The refusal of an order, with two rows of one section that stand apart in it, if the store has them among the first rows
  /// (R03); any other error as it is.
  /// - Complexity: O(*n* log *n*) in the rows that match, of which at most 10,000 are decoded.
  func namingRows<Object: FetchedObject>(
    of definition: ResultsDefinition<Object>,
    in store: any Store
  ) -> RequestError {
    guard case .transientSectionNotFirst(let source, let first, rows: []) = self,
      case .transient(_, let grouping) = definition.sectionKey?.source,
      let index = definition.request.entity.index(of: source)
    else { return self }
    var request = definition.request
    request.fetchLimit = min(request.fetchLimit ?? .max, RequestError.rowsLookedAt)
    // The order is refused anyway: a store that cannot be read leaves the rows unnamed.
    let rows = try? store.read { (snapshot) throws(StoreError) in
      try RequestError.rowsApart(request, index, grouping, in: snapshot)
    }
    return .transientSectionNotFirst(source: source, first: first, rows: rows ?? [])
  }

  private static func rowsApart<Object: FetchedObject>(
    _ request: FetchRequest<Object>,
    _ index: Int,
    _ grouping: any SectionGrouping,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [ObjectID] {
    let keys = try snapshot.keys(of: request)
    var beginnings: [Value: ObjectID] = [:]
    var last: Value?
    for start in stride(from: 0, to: keys.count, by: 256) {
      let batch = Array(keys[start..<min(start + 256, keys.count)])
      for case .some(let row) in try snapshot.rows(batch, of: request.entity) {
        let section = grouping.group(of: row.values[index]).id
        guard section != last else { continue }
        if let earlier = beginnings[section] { return [earlier, row.id] }
        beginnings[section] = row.id
        last = section
      }
    }
    return []
  }
}
