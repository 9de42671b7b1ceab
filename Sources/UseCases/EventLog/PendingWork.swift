import ResultsDomain

/// What waits to be saved, and which objects are in use.
struct PendingWork {
  /// An object that lives as long as somebody uses it.
  private struct Reference {
    weak let object: ManagedObject?
  }

  /// New objects, in the order they were made.
  var inserted: [ManagedObject] = []
  /// Objects with changed values, in the order of their first change.
  private(set) var changed: [ManagedObject] = []
  /// Stored objects that are to be deleted, in the order that was said.
  private(set) var deleted: [(id: ObjectID, entity: EntityDescription)] = []
  private var isChanged: Set<ObjectID> = []
  private(set) var isDeleted: Set<ObjectID> = []
  private var used: [ObjectID: Reference] = [:]
  private var usedLimit = 256

  /// Whether nothing waits.
  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  /// Whether nothing of an entity waits.
  func isEmpty(for entity: EntityDescription) -> Bool {
    !inserted.contains { $0.entity == entity } && !changed.contains { $0.entity == entity }
      && !deleted.contains { $0.entity == entity }
  }

  mutating func noteChange(of object: ManagedObject) {
    guard let id = object.id, object.isChanged, !isDeleted.contains(id),
      isChanged.insert(id).inserted
    else { return }
    changed.append(object)
  }

  mutating func delete(_ object: ManagedObject) {
    inserted.removeAll { $0 === object }
    guard let id = object.id, isDeleted.insert(id).inserted else { return }
    deleted.append((id, object.entity))
    if isChanged.remove(id) != nil { changed.removeAll { $0 === object } }
  }

  /// The object of a stored row: the one in use, brought up to date, or a new one.
  mutating func object(for row: Row, of manager: StoreManager) -> ManagedObject {
    if let object = used[row.id]?.object {
      object.refresh(row)
      return object
    }
    let object = ManagedObject(row, of: manager)
    use(object, as: row.id)
    return object
  }

  mutating func use(_ object: ManagedObject, as id: ObjectID) {
    used[id] = Reference(object: object)
    guard used.count > usedLimit else { return }
    used = used.filter { $0.value.object != nil }
    usedLimit = max(256, 2 * used.count)
  }

  /// Drops all that waits; objects in use stay what they are.
  mutating func clear() {
    (inserted, changed, deleted) = ([], [], [])
    (isChanged, isDeleted) = ([], [])
  }
}
