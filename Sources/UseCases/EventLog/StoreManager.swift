public import ResultsDomain
public import ResultsPresentation
import Synchronization

/// The shortest way in: one manager a model, with objects that are made, changed, deleted, and then saved together.
///
/// A model is a database, an entity a table, an object a record. What is pending is seen by the manager's own `select` and by nobody
/// else: controllers show what has been saved. A manager can be used from any thread.
public final class StoreManager: Sendable {
  /// The model's name.
  public let model: String
  /// The store that the model is in.
  public let store: any Store
  /// Where the caches of the model's live lists are, or `nil` for none.
  public let caches: (any SectionCacheStorage)?
  let pending = Mutex(PendingWork())

  init(model: String, store: any Store, caches: (any SectionCacheStorage)?) {
    self.model = model
    self.store = store
    self.caches = caches
  }

  /// Makes a new object, which waits to be saved.
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - key: The object's key, for entities whose keys are texts; integer keys are given by the store.
  /// - Returns: The object, without a value.
  /// - Throws: `StoreManagerError.unknownEntity`.
  public func new(_ entity: String, key: ObjectKey? = nil) throws(StoreManagerError)
    -> ManagedObject
  {
    let object = ManagedObject(new: try description(of: entity), key: key, of: self)
    pending.withLock { $0.inserted.append(object) }
    return object
  }

  /// Deletes an object of this manager when the manager is saved.
  public func delete(_ object: ManagedObject) {
    guard object.manager === self else { return }
    pending.withLock { $0.delete(object) }
  }

  /// Deletes the object at a place in the order of `select`, when the manager is saved.
  /// - Returns: Whether there was one.
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

  /// Whether anything waits to be saved.
  public var hasChanges: Bool { pending.withLock { !$0.isEmpty } }

  /// Writes all pending work in one commit.
  /// - Throws: `StoreError`; nothing was written then, and the pending work is kept to be corrected. An object that somebody else
  ///   changed since it was read gives `StoreError.conflict`.
  public func save() throws(StoreError) {
    try pending.withLock { pending throws(StoreError) in
      let deleted = pending.deleted
      let changed = pending.changed.map { ($0, $0.content) }
      let inserted = pending.inserted.map { ($0, $0.content) }
      guard !pending.isEmpty else { return }
      let ids = try store.commit(origin: CommitOrigin(model)) { transaction -> [ObjectID] in
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

  /// Drops all pending work: changed objects are again what the store held, new ones belong to nobody.
  public func rollback() {
    pending.withLock { pending in
      for object in pending.changed { object.revert() }
      pending.clear()
    }
  }

  /// A live list in one line: an entity, larger values of an attribute first, read twenty at a time.
  ///
  /// Lists of different entities have nothing in common, their caches included, so that they never disturb each other.
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

  /// What the list in one line shows, kept under the name `Root` followed by the entity's.
  public static func definition(
    _ entity: EntityDescription,
    sortedBy key: String
  ) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest<Row>(entity: entity, sortedBy: [.descending(key)], fetchBatchSize: 20),
      cacheName: "Root \(entity.name)"
    )
  }

  func noteChange(of object: ManagedObject) {
    pending.withLock { $0.noteChange(of: object) }
  }

  func description(of entity: String) throws(StoreManagerError) -> EntityDescription {
    guard let found = store.entities.first(where: { $0.name.hasSameBytes(as: entity) }) else {
      throw .unknownEntity(entity, known: store.entities.map(\.name))
    }
    return found
  }
}

extension StoreManager {
  /// The order of `select` unless told otherwise: by key.
  public static let keyOrder = [FetchSortDescriptor(.objectKey)]

  /// The objects of an entity, pending work included: in the order of their keys, new ones last, unless told otherwise.
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - predicate: A predicate's text; none or an empty one means all.
  ///   - arguments: What the predicate's placeholders stand for.
  ///   - limit: At most so many.
  ///   - offset: So many are passed over first.
  ///   - sortDescriptors: Another order.
  /// - Returns: The objects; one of an identity is the same as long as somebody uses it.
  /// - Throws: `StoreManagerError`, `PredicateParseError`, `StoreError`.
  /// - Complexity: As `Store.fetch(_:)`; while work on the entity is pending, also O(*n* log *n*) in the objects that match.
  public func select(
    _ entity: String,
    where predicate: String? = nil,
    arguments: [PredicateArgument] = [],
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

  /// What is stored with what is pending: changed and new objects take part with the values they will have.
  private func merged(
    _ request: FetchRequest<Row>,
    _ pending: inout PendingWork
  ) throws(StoreError) -> [ManagedObject] {
    try request.validateWindow()
    var all = request
    (all.fetchLimit, all.fetchOffset) = (nil, 0)
    let changed = pending.changed.filter { $0.entity == request.entity }
    let replaced = Set(changed.compactMap(\.id)).union(pending.isDeleted)
    var objects: [(object: ManagedObject, key: ObjectKey, values: [Value])] = []
    for row in try store.fetch(all) where !replaced.contains(row.id) {
      objects.append((pending.object(for: row, of: self), row.id.key, row.values))
    }
    for object in changed {
      guard let key = object.id?.key else { continue }
      objects.append((object, key, object.content.values))
    }
    let inserted = pending.inserted.filter { $0.entity == request.entity }
    for (place, object) in inserted.enumerated() {
      let content = object.content
      let last = ObjectKey.integer(Int64.max - Int64(inserted.count - 1 - place))
      objects.append((object, StoreManager.key(content, request.entity) ?? last, content.values))
    }
    let condition = CompiledPredicate(request.predicate, in: request.entity)
    let encoder = RowKeyEncoder(try StoreManager.order(of: request))
    let matching = objects.filter { condition.holds($0.values, key: $0.key) }.map { candidate in
      // A value of a kind that the attribute cannot have is refused by save; until then it stands last.
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

  /// The key a new object will have, or `nil` if the store will give it one.
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

/// One object of a manager: a stored one, perhaps with changes that wait to be saved, or a new one.
///
/// A manager has at most one for an identity. What is set waits for `StoreManager.save()`.
public final class ManagedObject: Sendable {
  /// The object's entity.
  public let entity: EntityDescription
  weak let manager: StoreManager?
  private let state: Mutex<State>

  private struct State {
    var key: ObjectKey?
    var values: [Value]
    /// What the store held when it was last read or written; `nil` as long as the object is new.
    var stored: Row?
  }

  init(new entity: EntityDescription, key: ObjectKey?, of manager: StoreManager) {
    self.entity = entity
    self.manager = manager
    let values = Array(repeating: Value.null, count: entity.attributes.count)
    state = Mutex(State(key: key, values: values))
  }

  init(_ row: Row, of manager: StoreManager) {
    entity = row.entity
    self.manager = manager
    state = Mutex(State(key: row.id.key, values: row.values, stored: row))
  }

  /// The identity, or `nil` as long as the object has not been saved.
  public var id: ObjectID? { state.withLock { $0.stored?.id } }

  /// The value of an attribute, null if the entity has none of that name; setting such a one does nothing.
  public subscript(attribute: String) -> Value {
    get {
      guard let index = entity.index(of: attribute) else { return .null }
      return state.withLock { $0.values[index] }
    }
    set {
      guard let index = entity.index(of: attribute) else { return }
      state.withLock { $0.values[index] = newValue }
      // Outside the object's lock: the manager takes its own first, then its objects'.
      manager?.noteChange(of: self)
    }
  }

  /// Whether anything waits to be saved; always so for a new object.
  public var isChanged: Bool {
    state.withLock { state in state.stored.map { $0.values != state.values } ?? true }
  }

  /// The key it was given, its values, and what the store last held.
  var content: (key: ObjectKey?, values: [Value], stored: Row?) {
    state.withLock { ($0.key, $0.values, $0.stored) }
  }

  /// Takes over what the store holds; values that wait to be saved stay.
  func refresh(_ row: Row) {
    state.withLock { state in
      guard let stored = state.stored, stored.values == state.values else { return }
      state.values = row.values
      state.stored = row
    }
  }

  /// Notes what has been written; values set meanwhile wait for the next time.
  func wasSaved(_ row: Row) { state.withLock { $0.stored = row } }

  /// Takes back what waits to be saved.
  func revert() {
    state.withLock { state in
      if let stored = state.stored { state.values = stored.values }
    }
  }
}

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
