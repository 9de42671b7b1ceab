public import ResultsDomain

extension StoreTransaction {
  /// Undoes net changes of rows: each row gets back what it had before them, and deleted objects their identities (R121).
  ///
  /// Nothing is overwritten: every row must still be as the changes left it, and all are compared before the first is written. The changes are
  /// those of `StoreSnapshot.history(since:ofEach:)`, usually of one commit; they may belong to several entities. Rows are written
  /// in an order in which no row names one that does not exist, as far as the relationships of their entities say. Columns of a table
  /// that the entity does not have are not restored.
  /// - Parameters:
  ///   - changes: At most one change for each row.
  ///   - entities: The entities whose delete rules apply, usually all of the store.
  /// - Throws: `StoreError.conflict` for a row that was changed since, `StoreError.notFound` for one that was deleted since,
  ///   `StoreError.alreadyExists` for a deleted one that was added again, `StoreError.referenced` for an added one that other objects
  ///   name now, so that a delete rule would change them; each with the object. Also as `insert` and `update`.
  /// - Complexity: O(*c* log *n*) for *c* changes, and a search for each relationship with a delete rule to an added object.
  public func undo(
    _ changes: [CommittedChange],
    among entities: [EntityDescription]
  ) throws(StoreError) {
    if let conflict = try conflicts(withUndoing: changes, limit: 1).first { throw conflict }
    // Rows of one entity are inserted together, as far as the order lets them.
    var deleted: [Row] = []
    for change in UndoOrder(changes).changes {
      if let row = deleted.first,
        deleted.count == 1024 || change.after != nil || change.before?.entity != row.entity
      {
        try insertAgain(deleted)
        deleted = []
      }
      switch (change.before, change.after) {
      case (let before?, .some):
        try update(change.id, to: before.values, of: before.entity)
      case (let before?, nil): deleted.append(before)
      case (nil, let after?):
        try refuseConsequences(ofDeleting: change.id, of: after.entity, among: entities)
        try delete(change.id, of: after.entity)
      case (nil, nil): break
      }
    }
    try insertAgain(deleted)
  }

  /// Inserts deleted rows of one entity with their identities.
  private func insertAgain(_ rows: [Row]) throws(StoreError) {
    guard let entity = rows.first?.entity else { return }
    // The values of a compound key make up the key.
    let isCompound = if case .compound = entity.identity { true } else { false }
    _ = try insert(
      rows.map(\.values),
      keys: rows.map { isCompound ? nil : $0.id.key },
      into: entity
    )
  }

  /// Refuses to delete an object that others name: what a delete rule does to them is not part of the changes.
  private func refuseConsequences(
    ofDeleting id: ObjectID,
    of entity: EntityDescription,
    among entities: [EntityDescription]
  ) throws(StoreError) {
    let effects = try consequences(ofDeleting: id, of: entity, among: entities)
    let others = effects.deletes.filter { $0 != id } + effects.updates.map(\.id)
    guard let first = others.first else { return }
    let relationship = entities.first { $0.name.hasSameBytes(as: first.entity) }?
      .relationships.first {
        $0.isToOne && $0.destination.name.hasSameBytes(as: entity.name)
      }
    throw .referenced(id, by: Array(others), relationship: relationship?.name ?? first.entity)
  }

  /// The rows that are not as changes have left them, each as the error with which undoing the changes would be refused.
  /// - Parameters:
  ///   - changes: At most one change for each row.
  ///   - limit: How many errors are wanted at most.
  /// - Returns: `StoreError.conflict`, `StoreError.notFound` and `StoreError.alreadyExists`, entity by entity.
  /// - Throws: The store's error.
  /// - Complexity: O(*c* log *n*) for *c* changes.
  package func conflicts(
    withUndoing changes: [CommittedChange],
    limit: Int = .max
  ) throws(StoreError) -> [StoreError] {
    var order: [Value] = []
    var entities: [Value: (EntityDescription, [CommittedChange])] = [:]
    for change in changes {
      guard let row = change.after ?? change.before else { continue }
      let name = Value.text(change.id.entity)
      if entities[name] == nil { order.append(name) }
      entities[name, default: (row.entity, [])].1.append(change)
    }
    var conflicts: [StoreError] = []
    for (entity, changes) in order.compactMap({ entities[$0] }) {
      for start in stride(from: 0, to: changes.count, by: 1024) {
        let batch = changes[start..<min(start + 1024, changes.count)]
        let stored = try rows(batch.map(\.id.key), of: entity)
        for (change, row) in zip(batch, stored) {
          switch (change.after, row) {
          case (nil, nil): continue
          case (let left?, let row?):
            if left == row { continue }
            conflicts.append(.conflict(change.id, expected: left, stored: row))
          case (.some, nil): conflicts.append(.notFound(change.id))
          case (nil, .some): conflicts.append(.alreadyExists(change.id))
          }
          guard conflicts.count < limit else { return conflicts }
        }
      }
    }
    return conflicts
  }
}

/// The order in which changes are undone.
///
/// Rows that the changes inserted are deleted first, so that a unique value is free before it is used again; then rows are updated, then deleted
/// ones inserted. A foreign key overrides that: an object is inserted before the rows that name it, and deleted after them.
struct UndoOrder {
  private(set) var changes: [CommittedChange] = []
  private let given: [CommittedChange]
  /// The changes that must be undone before each change, by their indexes.
  private var prerequisites: [Int: [Int]] = [:]

  /// - Complexity: O(*c*) in the changes and their foreign keys.
  init(_ changes: [CommittedChange]) {
    given =
      changes.filter { $0.before == nil } + changes.filter { $0.before != nil && $0.after != nil }
      + changes.filter { $0.after == nil }
    var indexes: [ObjectID: Int] = [:]
    for (index, change) in given.enumerated() { indexes[change.id] = index }
    for (index, change) in given.enumerated() {
      if let restored = change.before {
        for target in restored.targets {
          guard let other = indexes[target], other != index, given[other].after == nil else {
            continue
          }
          prerequisites[index, default: []].append(other)
        }
      }
      if let present = change.after {
        for target in present.targets {
          guard let other = indexes[target], other != index, given[other].before == nil else {
            continue
          }
          prerequisites[other, default: []].append(index)
        }
      }
    }
    sort()
  }

  /// Puts each change behind its prerequisites; in a circle the order given decides.
  private mutating func sort() {
    var isVisited = [Bool](repeating: false, count: given.count)
    for root in given.indices where !isVisited[root] {
      isVisited[root] = true
      var path = [(index: root, next: 0)]
      while let (index, next) = path.last {
        let needed = prerequisites[index] ?? []
        guard next < needed.count else {
          path.removeLast()
          changes.append(given[index])
          continue
        }
        path[path.count - 1].next += 1
        guard !isVisited[needed[next]] else { continue }
        isVisited[needed[next]] = true
        path.append((needed[next], 0))
      }
    }
  }
}

extension Row {
  /// The objects that the row's foreign keys name.
  fileprivate var targets: [ObjectID] {
    entity.relationships.compactMap { relationship in
      guard case .toOne(let columns) = relationship.kind else { return nil }
      let destination = relationship.destination
      let foreignKey = ForeignKey(columns, of: entity, naming: destination)
      guard let key = foreignKey.key(in: self) else { return nil }
      return ObjectID(entity: destination.name, key: key)
    }
  }
}
