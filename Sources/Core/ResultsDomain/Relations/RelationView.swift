/// A version of a store's content: a snapshot's own, or an earlier one, whose rows are the before-images of the commits since.
///
/// It reads the snapshot and stores nothing. `undo` goes back by one commit.
struct RelationView {
  let snapshot: any StoreSnapshot
  /// The rows that later commits changed, as they were, by the names of their entities.
  private var earlier: [Value: [ObjectKey: Row?]] = [:]

  init(_ snapshot: any StoreSnapshot) { self.snapshot = snapshot }

  /// Goes back to the version before a commit.
  /// - Complexity: O(*c*) for *c* changes.
  mutating func undo(_ changes: [CommittedChange]) {
    for change in changes {
      earlier[.text(change.id.entity), default: [:]][change.id.key] = .some(change.before)
    }
  }

  /// The rows of some objects, in the order of their keys.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    guard let images = earlier[.text(entity.name)] else {
      return try snapshot.rows(keys, of: entity)
    }
    var rows: [Row?] = []
    rows.reserveCapacity(keys.count)
    var present: [ObjectKey] = []
    for key in keys {
      let image = images[key]
      rows.append(image ?? nil)
      if image == nil { present.append(key) }
    }
    guard !present.isEmpty else { return rows }
    var found = try snapshot.rows(present, of: entity).makeIterator()
    for (index, key) in keys.enumerated() where images[key] == nil {
      rows[index] = found.next() ?? nil
    }
    return rows
  }

  /// The keys of the objects whose foreign key is one of some keys; `nil` if there are more than a limit.
  func referrers(
    to keys: [ObjectKey],
    by edge: RelationTree.Edge,
    of entity: EntityDescription,
    limit: Int? = nil
  ) throws(StoreError) -> [ObjectKey]? {
    guard !keys.isEmpty else { return [] }
    let images = earlier[.text(entity.name)] ?? [:]
    // Each image can take away one of those that the snapshot has.
    let found = try snapshot.referrers(
      to: keys,
      through: edge.columns,
      of: entity,
      limit: limit.map { $0 + images.count }
    )
    guard var found else { return nil }
    if !images.isEmpty {
      let sought = Set(keys)
      found.removeAll { images[$0] != nil }
      for (key, row) in images {
        if let row, let named = edge.foreignKey.key(in: row), sought.contains(named) {
          found.append(key)
        }
      }
    }
    if let limit, found.count > limit { return nil }
    return found
  }
}
