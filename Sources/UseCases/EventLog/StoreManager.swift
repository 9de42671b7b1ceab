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
