public import ResultsDomain
import Synchronization

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
