import ResultsDomain

/// A version of a store's content: a snapshot's own, or an earlier one, whose rows are the before-images of the commits since.
///
/// It reads the snapshot and stores nothing of it. Views share the images of later commits, which `EarlierRows` collects from the newest commit
/// to the oldest.
struct RelationView {
  let snapshot: any StoreSnapshot
  /// The rows that later commits changed, as they were.
  private let earlier: EarlierRows?
  /// The before-images of one more commit, by the names of their entities.
  private var undone: [Value: [ObjectKey: RowImage]] = [:]

  init(_ snapshot: any StoreSnapshot, _ earlier: EarlierRows? = nil) {
    self.snapshot = snapshot
    self.earlier = earlier
  }

  /// The version before a commit, which is the last one of this version.
  /// - Complexity: O(*c*) for *c* changes, however many commits are undone already.
  func before(_ changes: [CommittedChange]) -> RelationView {
    var view = self
    for change in changes {
      let image = RowImage(row: change.before)
      view.undone[.text(change.id.entity), default: [:]][change.id.key] = image
    }
    return view
  }

  /// The rows of some objects, in the order of their keys.
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] {
    let name = Value.text(entity.name)
    let undone = undone[name]
    guard undone != nil || earlier?.changes(entity: name) == true else {
      return try snapshot.rows(keys, of: entity)
    }
    var rows: [Row?] = []
    rows.reserveCapacity(keys.count)
    var present: [(index: Int, key: ObjectKey)] = []
    for (index, key) in keys.enumerated() {
      let image = undone?[key] ?? earlier?.image(of: key, entity: name)
      rows.append(image?.row)
      if image == nil { present.append((index, key)) }
    }
    guard !present.isEmpty else { return rows }
    let found = try snapshot.rows(present.map(\.key), of: entity)
    for (row, missing) in zip(found, present) { rows[missing.index] = row }
    return rows
  }

  /// The keys of the objects whose foreign key is one of some keys; `nil` if there are more than a limit.
  /// - Complexity: One search of the snapshot, O(*c*) in the changes of the commit that is undone last, and O(*k*) for what is found.
  func referrers(
    to keys: [ObjectKey],
    by edge: RelationTree.Edge,
    of entity: EntityDescription,
    limit: Int? = nil
  ) throws(StoreError) -> [ObjectKey]? {
    guard !keys.isEmpty else { return [] }
    let name = Value.text(entity.name)
    let undone = undone[name] ?? [:]
    // Each image can take away one of those that the snapshot has.
    let images = undone.count + (earlier?.count(entity: name) ?? 0)
    let found = try snapshot.referrers(
      to: keys,
      through: edge.columns,
      of: entity,
      limit: limit.map { $0 + images }
    )
    guard var found else { return nil }
    if images > 0 {
      let sought = Set(keys)
      found.removeAll { undone[$0] != nil || earlier?.image(of: $0, entity: name) != nil }
      found +=
        earlier?.referrers(to: sought, by: edge, entity: name).filter { undone[$0] == nil } ?? []
      for (key, image) in undone {
        if let row = image.row, let named = edge.foreignKey.key(in: row), sought.contains(named) {
          found.append(key)
        }
      }
    }
    if let limit, found.count > limit { return nil }
    return found
  }
}

/// A row at some time, or that there was none.
struct RowImage {
  let row: Row?
}

/// The rows that some commits changed, as they were before all of them, and which keys those rows hold.
///
/// Commits are added from the newest to the oldest, so that a row's last image counts.
final class EarlierRows {
  private struct Columns: Hashable {
    let entity: Value
    let names: [Value]
    /// How the objects are identified that the columns name.
    let identity: EntityIdentity
  }

  private struct Index {
    let foreignKey: ForeignKey
    var holders: [ObjectKey: Set<ObjectKey>] = [:]

    mutating func add(_ key: ObjectKey, _ image: RowImage) {
      if let row = image.row, let named = foreignKey.key(in: row) {
        holders[named, default: []].insert(key)
      }
    }

    mutating func remove(_ key: ObjectKey, _ image: RowImage) {
      if let row = image.row, let named = foreignKey.key(in: row) { holders[named]?.remove(key) }
    }
  }

  private var images: [Value: [ObjectKey: RowImage]] = [:]
  /// The objects that hold each key in some columns, for the columns that were asked for.
  private var indexes: [Columns: Index] = [:]

  /// Adds the commit before all those that were added.
  /// - Complexity: O(*c*) for *c* changes.
  func add(_ changes: [CommittedChange]) {
    for change in changes {
      let (entity, key) = (Value.text(change.id.entity), change.id.key)
      let image = RowImage(row: change.before)
      let last = images[entity, default: [:]].updateValue(image, forKey: key)
      // An array: while the dictionary's own keys are walked, each write would copy it.
      for columns in indexes.keys.filter({ $0.entity == entity }) {
        if let last { indexes[columns]?.remove(key, last) }
        indexes[columns]?.add(key, image)
      }
    }
  }

  /// Whether a commit changed rows of an entity.
  func changes(entity: Value) -> Bool { images[entity] != nil }

  /// The number of an entity's rows that the commits changed.
  func count(entity: Value) -> Int { images[entity]?.count ?? 0 }

  /// The row of an object before the commits, or `nil` if none of them changed it.
  func image(of key: ObjectKey, entity: Value) -> RowImage? { images[entity]?[key] }

  /// The objects among the changed ones whose image holds one of some keys.
  func referrers(
    to keys: Set<ObjectKey>,
    by edge: RelationTree.Edge,
    entity: Value
  ) -> [ObjectKey] {
    guard let images = images[entity] else { return [] }
    let columns = Columns(
      entity: entity,
      names: edge.columns.map { .text($0) },
      identity: edge.foreignKey.identity
    )
    if indexes[columns] == nil {
      var index = Index(foreignKey: edge.foreignKey)
      for (key, image) in images { index.add(key, image) }
      indexes[columns] = index
    }
    let holders = indexes[columns]?.holders ?? [:]
    return keys.flatMap { Array(holders[$0] ?? []) }
  }
}
