package import ResultsDomain

/// What some commits did to derived rows, where evaluating each row that depends on them is too much.
///
/// A row that no commit wrote differs only in the values that it has by its related objects, and all rows that name the same objects differ in
/// the same ones. So the objects are evaluated, and not the rows.
package struct RelationSummary {
  /// The rows that the commits wrote, or that own objects of a to-many relationship, evaluated before and after.
  package let changes: [CommittedChange]
  /// The derived attributes that changed, of all other rows, and of some of those.
  package let dependents: [ObjectKey: AttributeSet]
  /// The commits that changed anything that the tree reads, oldest first.
  package let records: [CommitRecord]
}

extension RelationTree {
  /// Summarizes the commits between an earlier version and a snapshot's, as one change.
  /// - Returns: `nil` if the history has a gap.
  /// - Throws: The store's error.
  /// - Complexity: One search for each changed related object and step, O(*k*) in the keys found, and the reading of related objects and of the
  ///   rows that were written.
  package func summary(
    since version: StoreVersion,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> RelationSummary? {
    guard case .commits(let records) = try snapshot.history(since: version, ofEach: entities) else {
      return nil
    }
    let net = RelationTree.netChanges(of: records)
    let record = CommitRecord(
      version: snapshot.version,
      origin: .unnamed,
      isOwn: true,
      changes: net
    )
    let commit = ClimbedCommit(record, in: self)
    let after = RelationView(snapshot)
    let before = after.before(net)
    let name = base.name
    var exact = net.filter { $0.id.entity.hasSameBytes(as: name) }.map(\.id.key)
    var known = Set(exact)
    var dependents: [ObjectKey: AttributeSet] = [:]
    for (index, edge) in nodes[0].edges.enumerated() {
      let below = try commit.climb(edge.child, in: after, limit: nil) ?? []
      guard !below.isEmpty else { continue }
      switch edge.direction {
      case .toMany:
        for owner in try commit.owners(of: below, by: edge, in: after)
        where known.insert(owner).inserted { exact.append(owner) }
      case .toOne:
        let keys = Array(below)
        let changed = try changedAttributes(of: keys, by: index, from: before, to: after)
        for (attributes, keys) in changed {
          for holder in try after.referrers(to: keys, by: edge, of: base) ?? []
          where !known.contains(holder) {
            dependents[holder] = dependents[holder]?.union(attributes) ?? attributes
          }
        }
      }
    }
    return RelationSummary(
      changes: try changes(of: exact, from: before, to: after, commit),
      dependents: dependents,
      records: records
    )
  }

  /// Groups objects at the end of a to-one edge of the root by the derived attributes that rows have from them and that changed.
  private func changedAttributes(
    of keys: [ObjectKey],
    by edge: Int,
    from before: RelationView,
    to after: RelationView
  ) throws(StoreError) -> [AttributeSet: [ObjectKey]] {
    var (oldReader, newReader) = (RelationReader(self, in: before), RelationReader(self, in: after))
    let old = try oldReader.values(ofObjects: keys, by: edge)
    let new = try newReader.values(ofObjects: keys, by: edge)
    var groups: [AttributeSet: [ObjectKey]] = [:]
    for (index, key) in keys.enumerated() {
      let changed = old[index].indices.filter { old[index][$0] != new[index][$0] }
      guard !changed.isEmpty else { continue }
      let attributes = AttributeSet(indexes: changed.map { base.attributes.count + $0 })
      groups[attributes, default: []].append(key)
    }
    return groups
  }

  /// Each row once, with its first before-image and its last after-image.
  private static func netChanges(of records: [CommitRecord]) -> [CommittedChange] {
    var indexes: [ObjectID: Int] = [:]
    var changes: [CommittedChange] = []
    for change in records.flatMap(\.changes) {
      if let index = indexes[change.id] {
        let before = changes[index].before
        changes[index] = CommittedChange(id: change.id, before: before, after: change.after)
      } else {
        indexes[change.id] = changes.count
        changes.append(change)
      }
    }
    return changes.filter { $0.before != $0.after }
  }
}
