package import ResultsDomain

// A commit of any entity of the tree changes derived rows. Which ones is found by climbing the inverse foreign keys of the version
// just after the commit; what they were is found by laying before-images over that version. Nothing is stored for it.
//
// Let the value of a derived row differ before and after a commit. Then a row of its old or new cone (the rows reached along the
// tree) was inserted, deleted or changed in a read attribute. From the deepest such row the climb follows the chain of edges up: a
// parent whose foreign key did not change still holds it, so that the search finds it; one whose key changed, or that was deleted,
// is in the commit itself. A child of a to-many edge holds the key itself, in an image if the commit changed it. So every such row
// is found. A row too many compares as equal and is left out.

extension RelationTree {
  /// The changes of derived rows between an earlier version and a snapshot's: one record for each commit that changed any.
  /// - Parameters:
  ///   - version: The earlier version.
  ///   - snapshot: The later version.
  ///   - limit: The most derived rows to look at for a commit besides those that it wrote, or `nil` for any number.
  /// - Returns: `nil` if a commit concerns more rows than the limit; searches end one row behind it.
  /// - Throws: The store's error.
  /// - Complexity: For each commit at most one search for each changed related row and step, and the reading of the rows that
  ///   depend on them, twice. A commit that changes no read attribute costs no query (R96).
  package func history(
    since version: StoreVersion,
    in snapshot: any StoreSnapshot,
    limit: Int?
  ) throws(StoreError) -> StoreHistory? {
    switch try snapshot.history(since: version, ofEach: entities) {
    case .gap(let reason): return .gap(reason)
    case .commits(let records):
      return try derived(records, in: snapshot, limit: limit) { nil }
        .map { .commits($0.records) }
    }
  }

  /// The changes of derived rows, where of commits that concern many rows only those of observed rows are wanted.
  ///
  /// Such a commit is followed from the observed rows down to their related objects, and not from changed objects up. The definition's
  /// order and predicate must not read related objects: rows that are not observed keep their places.
  /// - Parameters:
  ///   - version: The earlier version.
  ///   - snapshot: The later version.
  ///   - limit: The most derived rows to look at for a commit besides those that it wrote.
  ///   - observed: Returns the keys of the observed rows, given how many rows of the base entity all commits wrote; called at most once.
  /// - Returns: The history, in which rows that any of the commits wrote count as observed, and the versions of the commits of which only
  ///   observed rows are known.
  /// - Throws: The store's error.
  /// - Complexity: As `history(since:in:limit:)`, but for a commit beyond the limit one search, and two readings of the observed rows
  ///   and their related objects.
  package func history(
    since version: StoreVersion,
    in snapshot: any StoreSnapshot,
    limit: Int,
    observed: (_ written: Int) throws(StoreError) -> [ObjectKey]
  ) throws(StoreError) -> (history: StoreHistory, incomplete: Set<StoreVersion>) {
    switch try snapshot.history(since: version, ofEach: entities) {
    case .gap(let reason): return (.gap(reason), [])
    case .commits(let records):
      let found = try derived(records, in: snapshot, limit: limit) { () throws(StoreError) in
        let name = base.name
        let written = records.flatMap(\.changes).filter { $0.id.entity.hasSameBytes(as: name) }
        var known: Set<ObjectKey> = []
        let keys = written.map(\.id.key) + (try observed(written.count))
        return keys.filter { known.insert($0).inserted }
      }
      return (.commits(found?.records ?? []), found?.incomplete ?? [])
    }
  }

  /// The derived rows of some objects as they were before some commits.
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - records: The commits of the tree's entities, oldest first.
  ///   - snapshot: The version after them.
  /// - Returns: The rows in the order of their keys; `nil` for an object that there was not.
  /// - Throws: The store's error.
  /// - Complexity: As a reading of the rows, and O(*c*) for the *c* changes of the commits.
  package func rows(
    _ keys: [ObjectKey],
    before records: [CommitRecord],
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [Row?] {
    let earlier = EarlierRows()
    for record in records.reversed() { earlier.add(record.changes) }
    var reader = RelationReader(self, in: RelationView(snapshot, earlier))
    return try reader.derived(keys)
  }

  /// The changes of derived rows, commit by commit.
  /// - Parameters:
  ///   - records: The commits, oldest first.
  ///   - snapshot: The version after them.
  ///   - limit: The most derived rows to look at for a commit besides those that it wrote, or `nil` for any number.
  ///   - observed: Returns the keys of the rows to look at where a commit concerns more than the limit, or `nil` for all.
  /// - Returns: The changes, and the versions of which only those rows are known; `nil` if a commit concerns more rows than the limit, and
  ///   no rows are observed.
  /// - Throws: The store's error.
  private func derived(
    _ records: [CommitRecord],
    in snapshot: any StoreSnapshot,
    limit: Int?,
    observed: () throws(StoreError) -> [ObjectKey]?
  ) throws(StoreError) -> (records: [CommitRecord], incomplete: Set<StoreVersion>)? {
    let earlier = EarlierRows()
    let view = RelationView(snapshot, earlier)
    var derived: [CommitRecord] = []
    var incomplete: Set<StoreVersion> = []
    var observedKeys: [ObjectKey]?
    for record in records.reversed() {
      let commit = ClimbedCommit(record, in: self)
      let keys: [ObjectKey]
      if let affected = try commit.affectedKeys(in: view, limit: limit) {
        keys = affected
      } else {
        if observedKeys == nil { observedKeys = try observed() }
        guard let observedKeys else { return nil }
        keys = observedKeys
        incomplete.insert(record.version)
      }
      let before = view.before(record.changes)
      let changes = try changes(of: keys, from: before, to: view, commit)
      if !changes.isEmpty || incomplete.contains(record.version) {
        derived.append(
          CommitRecord(
            version: record.version,
            origin: record.origin,
            isOwn: record.isOwn,
            changes: changes,
            formerIDs: record.formerIDs
          )
        )
      }
      earlier.add(record.changes)
    }
    return (derived.reversed(), incomplete)
  }

  func changes(
    of keys: [ObjectKey],
    from before: RelationView,
    to after: RelationView,
    _ commit: ClimbedCommit
  ) throws(StoreError) -> [CommittedChange] {
    guard !keys.isEmpty else { return [] }
    // Only the rows that the commit wrote differ before their related values are added, so the others are read once.
    let newRows = try after.rows(keys, of: base)
    let oldRows = commit.undone(newRows, keys)
    var newReader = RelationReader(self, in: after)
    var (old, new): ([Row?], [Row?])
    if commit.changesBaseOnly {
      // Related values are the same in both versions, so both images are evaluated at once.
      let both = try newReader.derived(present: oldRows + newRows)
      (old, new) = (Array(both[..<keys.count]), Array(both[keys.count...]))
    } else {
      var oldReader = RelationReader(self, in: before)
      old = try oldReader.derived(present: oldRows)
      new = try newReader.derived(present: newRows)
    }
    var changes: [CommittedChange] = []
    for (index, key) in keys.enumerated() where old[index] != new[index] {
      let id = ObjectID(entity: base.name, key: key)
      changes.append(CommittedChange(id: id, before: old[index], after: new[index]))
    }
    return changes
  }
}

/// The changes of one commit, by entity, and the climb from them to the rows at the root.
struct ClimbedCommit {
  private let tree: RelationTree
  /// The changes of each node's entity, in the order of the commit.
  private var changes: [Value: [ObjectKey: CommittedChange]] = [:]
  private let order: [CommittedChange]

  init(_ record: CommitRecord, in tree: RelationTree) {
    self.tree = tree
    order = record.changes
    for change in record.changes {
      changes[.text(change.id.entity), default: [:]][change.id.key] = change
    }
  }

  /// Whether the commit changes no entity at a node below the root.
  var changesBaseOnly: Bool {
    tree.nodes.dropFirst().allSatisfy { changes[.text($0.entity.name)] == nil }
  }

  /// Rows of the base entity as they were before the commit, given those after it.
  func undone(_ rows: [Row?], _ keys: [ObjectKey]) -> [Row?] {
    guard let changes = changes[.text(tree.base.name)] else { return rows }
    return zip(rows, keys).map { row, key in
      if let change = changes[key] { change.before } else { row }
    }
  }

  /// The keys of the derived rows that the commit may have changed, those that it wrote first; `nil` if others are more than a limit.
  func affectedKeys(in view: RelationView, limit: Int?) throws(StoreError) -> [ObjectKey]? {
    let base = tree.base.name
    let written = order.filter { $0.id.entity.hasSameBytes(as: base) }.map(\.id.key)
    guard var found = try climb(0, in: view, limit: limit) else { return nil }
    found.subtract(written)
    guard found.count <= limit ?? .max else { return nil }
    return written + found
  }

  /// The keys of the objects at a node whose values, as far as the tree reads them, the commit may have changed.
  func climb(
    _ index: Int,
    in view: RelationView,
    limit: Int?
  ) throws(StoreError) -> Set<ObjectKey>? {
    let node = tree.nodes[index]
    var keys: Set<ObjectKey> = []
    for (key, change) in changes[.text(node.entity.name)] ?? [:]
    where change.isRead(node.readAttributes) { keys.insert(key) }
    for edge in node.edges {
      guard let below = try climb(edge.child, in: view, limit: limit) else { return nil }
      guard !below.isEmpty else { continue }
      switch edge.direction {
      case .toOne:
        let holders = try view.referrers(to: Array(below), by: edge, of: node.entity, limit: limit)
        guard let holders else { return nil }
        keys.formUnion(holders)
      case .toMany:
        keys.formUnion(try owners(of: below, by: edge, in: view))
      }
    }
    // Objects that the commit wrote itself are not counted.
    guard keys.count - order.count <= limit ?? .max else { return nil }
    return keys
  }

  /// The keys that some objects hold: in both images of those that the commit changed, in the present row of the others.
  func owners(
    of below: Set<ObjectKey>,
    by edge: RelationTree.Edge,
    in view: RelationView
  ) throws(StoreError) -> [ObjectKey] {
    let entity = tree.nodes[edge.child].entity
    let changed = changes[.text(entity.name)] ?? [:]
    var owners: [ObjectKey] = []
    var unchanged: [ObjectKey] = []
    for key in below {
      guard let change = changed[key] else {
        unchanged.append(key)
        continue
      }
      owners += [change.before, change.after].compactMap { row in
        row.flatMap { edge.foreignKey.key(in: $0) }
      }
    }
    guard !unchanged.isEmpty else { return owners }
    for case .some(let row) in try view.rows(unchanged, of: entity) {
      if let owner = edge.foreignKey.key(in: row) { owners.append(owner) }
    }
    return owners
  }
}

extension CommittedChange {
  /// Whether the row was inserted or deleted, or changed in one of some attributes.
  fileprivate func isRead(_ attributes: AttributeSet) -> Bool {
    guard let before, let after else { return true }
    return attributes.indexes.contains { before.values[$0] != after.values[$0] }
  }
}
