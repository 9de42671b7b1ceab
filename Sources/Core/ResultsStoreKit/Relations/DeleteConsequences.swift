public import ResultsDomain

/// What the delete rules of relationships demand when an object is deleted, in one transaction (R101).
///
/// A store applies the updates, and then deletes the objects, without asking for their consequences again.
public struct DeleteConsequences: Sendable {
  /// The objects to delete, each before those that it names by a relationship with a delete rule, as foreign keys of a store may demand.
  public private(set) var deletes: [ObjectID]
  /// The rows whose foreign keys become null, with their new values; also rows to delete that would deny each other's deletes.
  public private(set) var updates: [Row] = []
}

extension StoreSnapshot {
  /// The consequences of deleting an object, by the delete rules of all to-one relationships to its entity.
  /// - Parameters:
  ///   - id: The object.
  ///   - entity: The object's entity.
  ///   - entities: The entities whose relationships have rules, usually all of the store.
  /// - Returns: What else has to be written.
  /// - Throws: `StoreError.referenced` if a rule denies it; nothing has been written then.
  /// - Complexity: One search for the referrers of each relationship and level of cascades. Without rules, nothing is read.
  public func consequences(
    ofDeleting id: ObjectID,
    of entity: EntityDescription,
    among entities: [EntityDescription]
  ) throws(StoreError) -> DeleteConsequences {
    var consequences = DeleteConsequences(deletes: [id])
    var deleted: Set<ObjectID> = [id]
    var cut: [ObjectID: Row] = [:]
    var order: [ObjectID] = []
    var denials: [Denial] = []
    var level: [(entity: EntityDescription, keys: [ObjectKey])] = [(entity, [id.key])]
    while !level.isEmpty {
      var next: [(entity: EntityDescription, keys: [ObjectKey])] = []
      for (target, keys) in level {
        for holder in entities {
          for relationship in holder.relationships(to: target) {
            guard case .toOne(let columns) = relationship.kind else { continue }
            let found = try referrers(to: keys, through: columns, of: holder, limit: nil) ?? []
            switch relationship.onDelete {
            case .none: break
            case .deny:
              denials += found.map { key in
                Denial(
                  holder: holder,
                  key: key,
                  relationship: relationship.name,
                  columns: columns,
                  target: target
                )
              }
            case .nullify:
              for case .some(let row) in try rows(found, of: holder) {
                if cut[row.id] == nil { order.append(row.id) }
                cut[row.id] = (cut[row.id] ?? row).settingNull(columns)
              }
            case .cascade:
              let new = found.filter {
                deleted.insert(ObjectID(entity: holder.name, key: $0)).inserted
              }
              guard !new.isEmpty else { continue }
              next.append((holder, new))
              consequences.append(deletes: new, of: holder)
            }
          }
        }
      }
      level = next
    }
    let remaining = denials.filter { !deleted.contains($0.id) }
    if let first = remaining.first {
      let referrers = remaining.filter { $0.relationship == first.relationship }.map(\.id)
      throw .referenced(id, by: referrers, relationship: first.relationship)
    }
    for id in order where !deleted.contains(id) {
      if let row = cut[id] { consequences.append(update: row) }
    }
    // Rows are deleted one by one, so one that is left for a while must not deny the delete of another.
    for row in try released(by: denials) { consequences.append(update: row) }
    consequences.sort(after: try holders(ofRequired: denials))
    return consequences
  }
}

/// A relationship of an object by which it denies the delete of another one.
private struct Denial {
  let holder: EntityDescription
  let key: ObjectKey
  let relationship: String
  let columns: [String]
  /// The entity of the object whose delete it denies.
  let target: EntityDescription

  var id: ObjectID { ObjectID(entity: holder.name, key: key) }

  /// Whether the key can be null.
  var isOptional: Bool { columns.allSatisfy { holder.attribute(named: $0)?.isOptional == true } }
}

extension StoreSnapshot {
  /// The rows of some denials, without the keys that can be null.
  fileprivate func released(by denials: [Denial]) throws(StoreError) -> [Row] {
    var released: [ObjectID: Row] = [:]
    var order: [ObjectID] = []
    for denial in denials where denial.isOptional {
      if released[denial.id] == nil {
        guard case .some(.some(let row)) = try rows([denial.key], of: denial.holder).first else {
          continue
        }
        released[denial.id] = row
        order.append(denial.id)
      }
      released[denial.id] = released[denial.id]?.settingNull(denial.columns)
    }
    return order.compactMap { released[$0] }
  }

  /// The objects of denials whose keys cannot be null, each before the one whose delete it denies.
  fileprivate func holders(ofRequired denials: [Denial]) throws(StoreError) -> [ObjectID] {
    var targets: [ObjectID: [ObjectID]] = [:]
    for denial in denials where !denial.isOptional {
      let key = ForeignKey(denial.columns, of: denial.holder, naming: denial.target)
      guard case .some(.some(let row)) = try rows([denial.key], of: denial.holder).first,
        let target = key.key(in: row)
      else { continue }
      targets[denial.id, default: []].append(ObjectID(entity: denial.target.name, key: target))
    }
    var order: [ObjectID] = []
    var visited: Set<ObjectID> = []
    for start in denials.map(\.id) where targets[start] != nil && visited.insert(start).inserted {
      // Depth first; a chain can be as long as a table.
      var path = [(id: start, next: 0)]
      while let (id, next) = path.last {
        let others = targets[id] ?? []
        guard next < others.count else {
          path.removeLast()
          order.append(id)
          continue
        }
        path[path.count - 1].next += 1
        let other = others[next]
        if targets[other] != nil, visited.insert(other).inserted { path.append((other, 0)) }
      }
    }
    return order.reversed()
  }
}

extension DeleteConsequences {
  fileprivate mutating func append(deletes keys: [ObjectKey], of entity: EntityDescription) {
    deletes += keys.map { ObjectID(entity: entity.name, key: $0) }
  }

  fileprivate mutating func append(update row: Row) { updates.append(row) }

  /// Puts the deepest level first, and some objects before all levels.
  fileprivate mutating func sort(after first: [ObjectID]) {
    let known = Set(first)
    deletes = first + deletes.reversed().filter { !known.contains($0) }
  }
}

extension EntityDescription {
  /// The to-one relationships to an entity that have a delete rule.
  fileprivate func relationships(to target: EntityDescription) -> [RelationshipDescription] {
    relationships.filter { relationship in
      relationship.isToOne && relationship.onDelete != .none
        && relationship.destination.name.hasSameBytes(as: target.name)
    }
  }
}

extension Row {
  /// The row with null in some attributes.
  fileprivate func settingNull(_ columns: [String]) -> Row {
    var row = self
    for column in columns {
      if let index = entity.index(of: column) { row.values[index] = .null }
    }
    return row
  }
}
