public import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation
import Synchronization

/// A facade over one store: creates, changes and deletes objects, and saves all changes in one commit.
///
/// A model is a database, an entity a table, an object a row. `select` includes pending changes; controllers show saved objects
/// only. A manager can be used from any thread. Lock order: the manager's lock first, then that of an object.
public final class StoreManager: Sendable {
  /// The name of the model.
  public let model: String
  /// The store of the model.
  public let store: any Store
  /// The storage for caches of the model's live lists, or `nil` for none.
  public let caches: (any SectionCacheStorage)?
  private let pending = Mutex(PendingWork())

  init(model: String, store: any Store, caches: (any SectionCacheStorage)?) {
    self.model = model
    self.store = store
    self.caches = caches
  }

  /// Creates an object, which is pending until `save()`.
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - key: The key, for entities with text keys; the store assigns integer keys.
  /// - Returns: The object; all its values are null.
  /// - Throws: `StoreManagerError.unknownEntity`.
  public func new(_ entity: String, key: ObjectKey? = nil) throws(StoreManagerError)
    -> ManagedObject
  {
    let object = ManagedObject(new: try description(of: entity), key: key, of: self)
    pending.withLock { $0.inserted.append(object) }
    return object
  }

  /// Creates an event, which is pending until `save()`.
  /// - Returns: The object, with the event's values.
  @discardableResult
  public func new(_ event: Event) -> ManagedObject {
    let object = ManagedObject(new: Event.entity, key: nil, of: self, values: event.insertedValues)
    pending.withLock { $0.inserted.append(object) }
    return object
  }

  /// Deletes an object of this manager at the next `save()`.
  public func delete(_ object: ManagedObject) {
    guard object.manager === self else { return }
    pending.withLock { $0.delete(object) }
  }

  /// Deletes the object at a position in the order of `select`, at the next `save()`.
  /// - Returns: Whether there is an object at the position.
  /// - Throws: As `select(_:where:arguments:limit:offset:sortedBy:)`.
  @discardableResult
  public func delete(
    _ entity: String,
    at index: Int,
    sortedBy sortDescriptors: [FetchSortDescriptor] = StoreManager.keyOrder
  ) throws -> Bool {
    guard index >= 0 else { return false }
    let found = try select(entity, limit: 1, offset: index, sortedBy: sortDescriptors)
    guard let object = found.first else { return false }
    delete(object)
    return true
  }

  /// Whether changes are pending.
  public var hasChanges: Bool { pending.withLock { !$0.isEmpty } }

  /// Writes all pending changes in one commit.
  /// - Parameter origin: The name of the commit, or `nil` for the model's name.
  /// - Throws: `StoreError`; then nothing is written, and the changes stay pending. `StoreError.conflict` if another writer has
  ///   changed an object since it was read.
  public func save(origin: CommitOrigin? = nil) throws(StoreError) {
    try pending.withLock { pending throws(StoreError) in
      let deleted = pending.deleted
      let changed = pending.changed.map { ($0, $0.content) }
      let inserted = pending.inserted.map { ($0, $0.content) }
      guard !pending.isEmpty else { return }
      let name = origin ?? CommitOrigin(model)
      let ids = try store.commit(origin: name) { transaction -> [ObjectID] in
        for (id, entity) in deleted { try transaction.delete(id, of: entity) }
        for (object, content) in changed {
          guard let stored = content.stored else { continue }
          try transaction.update(
            stored.id,
            to: content.values,
            of: object.entity,
            ifUnchangedFrom: stored
          )
        }
        return try inserted.map { object, content in
          try transaction.insert(content.values, key: content.key, into: object.entity)
        }
      }.result
      pending.clear()
      for (object, content) in changed {
        guard let id = content.stored?.id else { continue }
        object.wasSaved(Row(entity: object.entity, id: id, values: content.values))
        pending.noteChange(of: object)
      }
      for ((object, content), id) in zip(inserted, ids) {
        object.wasSaved(Row(entity: object.entity, id: id, values: content.values))
        pending.use(object, as: id)
        pending.noteChange(of: object)
      }
    }
  }

  /// Discards all pending changes: changed objects get their stored values again, new objects are dropped.
  public func rollback() {
    pending.withLock { pending in
      for object in pending.changed { object.revert() }
      pending.clear()
    }
  }

  /// Returns a live list of an entity, in descending order of an attribute, read twenty objects at a time.
  ///
  /// Each entity has its own cache name.
  /// - Throws: `StoreManagerError`.
  public func controller(
    _ entity: String,
    sortedBy key: String
  ) throws(StoreManagerError) -> FetchedResultsController<Row> {
    let description = try description(of: entity)
    guard description.index(of: key) != nil else { throw .unknownKey(key, entity: entity) }
    return FetchedResultsController(
      Self.definition(description, sortedBy: key),
      in: store,
      options: ResultsOptions(caches: caches)
    )
  }

  /// The definition of that list; its cache name is `Root` followed by the entity's name.
  public static func definition(
    _ entity: EntityDescription,
    sortedBy key: String
  ) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest<Row>(entity: entity, sortedBy: [.descending(key)], fetchBatchSize: 20),
      cacheName: "Root \(entity.name)"
    )
  }

  fileprivate func noteChange(of object: ManagedObject) {
    pending.withLock { $0.noteChange(of: object) }
  }

  private func description(of entity: String) throws(StoreManagerError) -> EntityDescription {
    guard let found = store.entities.first(where: { $0.name.hasSameBytes(as: entity) }) else {
      throw .unknownEntity(entity, known: store.entities.map(\.name))
    }
    return found
  }
}

// MARK: - Select

extension StoreManager {
  /// The default order of `select`: by key.
  public static let keyOrder = [FetchSortDescriptor(.objectKey)]

  /// Returns the objects of an entity, including pending changes; by default in the order of their keys, new objects last.
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - predicate: The text of a predicate; `nil` or an empty text matches all objects.
  ///   - arguments: The values of the predicate's placeholders.
  ///   - limit: The largest number of objects.
  ///   - offset: The number of objects to skip.
  ///   - sortDescriptors: The order.
  /// - Returns: The objects; while an object is referenced, its id always gives the same instance.
  /// - Throws: `StoreManagerError`, `PredicateParseError`, `StoreError`.
  /// - Complexity: As `Store.fetch(_:)`; with pending changes of the entity, also O(*n* log *n*) in the matching objects.
  public func select(
    _ entity: String,
    where predicate: String? = nil,
    arguments: PredicateArguments = [],
    limit: Int? = nil,
    offset: Int = 0,
    sortedBy sortDescriptors: [FetchSortDescriptor] = StoreManager.keyOrder
  ) throws -> [ManagedObject] {
    let description = try description(of: entity)
    var request = FetchRequest<Row>(
      entity: description,
      sortedBy: sortDescriptors,
      fetchLimit: limit,
      fetchOffset: offset
    )
    if let predicate, !predicate.allSatisfy(\.isWhitespace) {
      request.predicate = try FetchPredicate(
        parsing: predicate,
        arguments: arguments,
        entity: description
      )
    }
    return try pending.withLock { pending in
      guard !pending.isEmpty(for: description) else {
        return try store.fetch(request).map { pending.object(for: $0, of: self) }
      }
      return try merged(request, &pending)
    }
  }

  /// Merges stored objects with pending changes: changed and new objects take part with their pending values.
  private func merged(
    _ request: FetchRequest<Row>,
    _ pending: inout PendingWork
  ) throws(StoreError) -> [ManagedObject] {
    try request.validateWindow()
    var all = request
    (all.fetchLimit, all.fetchOffset) = (nil, 0)
    let changed = pending.changed.filter { $0.entity.isSame(as: request.entity) }
    let replaced = Set(changed.compactMap(\.id)).union(pending.isDeleted)
    var objects: [(object: ManagedObject, key: ObjectKey, values: [Value])] = []
    for row in try store.fetch(all) where !replaced.contains(row.id) {
      objects.append((pending.object(for: row, of: self), row.id.key, row.values))
    }
    for object in changed {
      guard let key = object.id?.key else { continue }
      objects.append((object, key, object.content.values))
    }
    let inserted = pending.inserted.filter { $0.entity.isSame(as: request.entity) }
    for (index, object) in inserted.enumerated() {
      let content = object.content
      let last = ObjectKey.integer(Int64.max - Int64(inserted.count - 1 - index))
      objects.append((object, StoreManager.key(content, request.entity) ?? last, content.values))
    }
    let condition = CompiledPredicate(request.predicate, in: request.entity)
    let encoder = RowKeyEncoder(try StoreManager.order(of: request))
    let matching = objects.filter { condition.holds($0.values, key: $0.key) }.map { candidate in
      // `save` refuses a value of a wrong type; until then the object is last.
      (candidate.object, (try? encoder.key(candidate.values, key: candidate.key)) ?? [.max])
    }
    return matching.sorted { $0.1.lexicographicallyPrecedes($1.1) }
      .dropFirst(request.fetchOffset).prefix(request.fetchLimit ?? .max).map(\.0)
  }

  private static func order(of request: FetchRequest<Row>) throws(StoreError) -> OrderDefinition {
    do {
      return try OrderDefinition(
        entity: request.entity,
        predicate: request.predicate,
        sortDescriptors: request.sortDescriptors
      )
    } catch {
      throw .request(error)
    }
  }

  /// The key of a new object, or `nil` if the store assigns it.
  private static func key(
    _ content: (key: ObjectKey?, values: [Value], stored: Row?),
    _ entity: EntityDescription
  ) -> ObjectKey? {
    switch entity.identity {
    case .integer: content.key
    case .text: content.key ?? .text("")
    case .compound: .compound(entity.keyAttributeIndexes.map { content.values[$0] })
    }
  }
}

/// One object of a manager: a new one, or a stored one with its pending changes.
///
/// A manager has at most one instance per id. New values are pending until `StoreManager.save()`.
public final class ManagedObject: Sendable {
  /// The object's entity.
  public let entity: EntityDescription
  fileprivate weak let manager: StoreManager?
  private let state: Mutex<State>

  private struct State {
    var key: ObjectKey?
    var values: [Value]
    /// The row as it was last read or written; `nil` for a new object.
    var stored: Row?
  }

  fileprivate init(
    new entity: EntityDescription,
    key: ObjectKey?,
    of manager: StoreManager,
    values: [Value]? = nil
  ) {
    self.entity = entity
    self.manager = manager
    let values = values ?? Array(repeating: Value.null, count: entity.attributes.count)
    state = Mutex(State(key: key, values: values))
  }

  fileprivate init(_ row: Row, of manager: StoreManager) {
    entity = row.entity
    self.manager = manager
    state = Mutex(State(key: row.id.key, values: row.values, stored: row))
  }

  /// The id, or `nil` until the object is saved.
  public var id: ObjectID? { state.withLock { $0.stored?.id } }

  /// The value of an attribute; an unknown attribute is null, and setting it does nothing.
  public subscript(attribute: String) -> Value {
    get {
      guard let index = entity.index(of: attribute) else { return .null }
      return state.withLock { $0.values[index] }
    }
    set {
      guard let index = entity.index(of: attribute) else { return }
      state.withLock { $0.values[index] = newValue }
      // Outside of the object's lock, because the manager's lock comes first.
      manager?.noteChange(of: self)
    }
  }

  /// Whether the object has pending changes; always `true` for a new object.
  public var isChanged: Bool {
    state.withLock { state in state.stored.map { $0.values != state.values } ?? true }
  }

  /// The given key, the values, and the stored row.
  fileprivate var content: (key: ObjectKey?, values: [Value], stored: Row?) {
    state.withLock { ($0.key, $0.values, $0.stored) }
  }

  /// Takes the values of a stored row, unless changes are pending.
  fileprivate func refresh(_ row: Row) {
    state.withLock { state in
      guard let stored = state.stored, stored.values == state.values else { return }
      state.values = row.values
      state.stored = row
    }
  }

  /// Records the row that was written; values that were set meanwhile stay pending.
  fileprivate func wasSaved(_ row: Row) { state.withLock { $0.stored = row } }

  /// Discards pending changes.
  fileprivate func revert() {
    state.withLock { state in
      if let stored = state.stored { state.values = stored.values }
    }
  }
}

/// The pending changes of a manager, and the objects in use.
private struct PendingWork {
  /// A weak reference to an object.
  private struct Reference {
    weak let object: ManagedObject?
  }

  /// New objects, in the order of their creation.
  var inserted: [ManagedObject] = []
  /// Objects with changed values, in the order of their first change.
  private(set) var changed: [ManagedObject] = []
  /// Stored objects to delete, in the order of the calls.
  private(set) var deleted: [(id: ObjectID, entity: EntityDescription)] = []
  private var isChanged: Set<ObjectID> = []
  private(set) var isDeleted: Set<ObjectID> = []
  private var used: [ObjectID: Reference] = [:]
  private var usedLimit = 256

  /// Whether no changes are pending.
  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  /// Whether no changes of an entity are pending.
  func isEmpty(for entity: EntityDescription) -> Bool {
    !(inserted + changed).contains { $0.entity.isSame(as: entity) }
      && !deleted.contains { $0.entity.isSame(as: entity) }
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

  /// Returns the object of a stored row: the one in use, refreshed, or a new one.
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

  /// Forgets all pending changes; the objects are not touched.
  mutating func clear() {
    (inserted, changed, deleted) = ([], [], [])
    (isChanged, isDeleted) = ([], [])
  }
}
