import ResultsDomain

/// What a transaction touched, with the rows as they were before it.
struct NetChanges {
  private struct Touched {
    var order: [(key: ObjectKey, before: Row?)] = []
    var known: Set<ObjectKey> = []
  }

  private var tables: [Int: Touched] = [:]

  /// Notes the row of a key before its first change; later notes of the same key are ignored.
  mutating func note(_ key: ObjectKey, inTable table: Int, before row: Row?) {
    guard tables[table, default: Touched()].known.insert(key).inserted else { return }
    tables[table, default: Touched()].order.append((key, row))
  }

  /// The net changes of each table that has any, in the order in which the rows were first touched.
  /// - Complexity: O(*k* log *n*) for *k* touched rows.
  func changes(in content: StoreContent) -> [Int: [CommittedChange]] {
    var changes: [Int: [CommittedChange]] = [:]
    for (table, touched) in tables {
      let (name, rows) = (content.entities[table].name, content.tables[table])
      let changed: [CommittedChange] = touched.order.compactMap { key, before in
        let after = rows[key]
        guard after != before else { return nil }
        return CommittedChange(
          id: ObjectID(entity: name, key: key),
          before: before,
          after: after
        )
      }
      if !changed.isEmpty { changes[table] = changed }
    }
    return changes
  }
}
