public import ResultsDomain
public import ResultsStoreKit

/// A model of one entity of a store: an array of rows that is searched and sorted on every call.
///
/// Tests compare real stores with it, so it shares no code with them: no encoded keys, no index, no undo log.
public struct ModelStore: Sendable {
  /// The entity whose rows it holds.
  public let entity: EntityDescription
  /// The rows, in no particular order.
  public private(set) var rows: [Row] = []

  /// Creates a model without rows.
  public init(entity: EntityDescription) { self.entity = entity }

  /// Returns the row with a key, or `nil`.
  /// - Complexity: O(*n*)
  public func row(_ key: ObjectKey) -> Row? { rows.first { $0.id.key == key } }

  /// Performs an operation and returns its outcome.
  /// - Complexity: O(*n*)
  public mutating func perform(_ operation: StoreOperation) -> OperationOutcome {
    switch operation {
    case .insert(let values, let key): insert(values, key)
    case .update(let id, let values): update(id, values)
    case .delete(let id): delete(id)
    }
  }

  /// Returns the rows of a list, in its order.
  /// - Complexity: O(*n* log *n*)
  public func list(_ definition: OrderDefinition) -> [Row] {
    rows.filter { definition.predicate.holds(for: $0) }
      .sorted { ModelStore.precedes($0, $1, by: definition.terms) }
  }

  /// Returns the net changes from an earlier state to this one, ascending by key.
  /// - Complexity: O(*n*²)
  public func changes(from old: ModelStore) -> [CommittedChange] {
    var changes: [CommittedChange] = []
    for before in old.rows {
      let after = row(before.id.key)
      if after != before {
        changes.append(CommittedChange(id: before.id, before: before, after: after))
      }
    }
    for after in rows where old.row(after.id.key) == nil {
      changes.append(CommittedChange(id: after.id, before: nil, after: after))
    }
    return changes.sorted { ModelStore.order($0.id.key, $1.id.key) == .ascending }
  }
}

extension ModelStore {
  private mutating func insert(_ values: [Value], _ key: ObjectKey?) -> OperationOutcome {
    guard isValid(values) else { return .invalid }
    let newKey: ObjectKey
    switch (entity.identity, key) {
    case (.integer, .none):
      let largest = rows.compactMap { $0.id.key.parts.first?.integer }.max()
      guard largest != .max else { return .invalid }
      newKey = .integer(largest.map { $0 + 1 } ?? 1)
    case (.integer, .some(let given)), (.text, .some(let given)): newKey = given
    case (.text, .none): return .invalid
    case (.compound, _):
      newKey = compoundKey(values)
      guard key == nil || key == newKey else { return .invalid }
    }
    guard row(newKey) == nil else { return .alreadyExists }
    let id = ObjectID(entity: entity.name, key: newKey)
    rows.append(Row(entity: entity, id: id, values: values))
    return .done(id)
  }

  private mutating func update(_ id: ObjectID, _ values: [Value]) -> OperationOutcome {
    guard let index = rows.firstIndex(where: { $0.id == id }) else { return .notFound }
    guard isValid(values) else { return .invalid }
    var newID = id
    if case .compound = entity.identity {
      newID = ObjectID(entity: entity.name, key: compoundKey(values))
      guard newID == id || row(newID.key) == nil else { return .alreadyExists }
    }
    rows[index] = Row(entity: entity, id: newID, values: values)
    return .done(id)
  }

  private mutating func delete(_ id: ObjectID) -> OperationOutcome {
    guard let index = rows.firstIndex(where: { $0.id == id }) else { return .nothingToDelete }
    rows.remove(at: index)
    return .done(id)
  }

  private func isValid(_ values: [Value]) -> Bool {
    values.count == entity.attributes.count
      && zip(values, entity.attributes).allSatisfy { value, attribute in
        value.isNull ? attribute.isOptional : attribute.type.accepts(value)
      }
  }

  private func compoundKey(_ values: [Value]) -> ObjectKey {
    .compound(entity.keyAttributeIndexes.map { values[$0] })
  }
}

extension ModelStore {
  /// Returns whether a row precedes another by the terms and then by key.
  static func precedes(_ left: Row, _ right: Row, by terms: [FetchSortDescriptor]) -> Bool {
    for term in terms {
      switch order(term.expression.evaluate(left), term.expression.evaluate(right), by: term) {
      case .ascending: return true
      case .descending: return false
      case .same: continue
      }
    }
    return order(left.id.key, right.id.key) == .ascending
  }

  /// Compares two keys part by part.
  static func order(_ left: ObjectKey, _ right: ObjectKey) -> ValueOrder {
    for (left, right) in zip(left.parts, right.parts) {
      let order = Value.compare(left, right)
      if order != .same { return order }
    }
    return .same
  }

  private static func order(
    _ left: Value,
    _ right: Value,
    by term: FetchSortDescriptor
  ) -> ValueOrder {
    switch (left.isNull, right.isNull) {
    case (true, true): return .same
    case (true, false): return term.nulls == .first ? .ascending : .descending
    case (false, true): return term.nulls == .first ? .descending : .ascending
    case (false, false):
      let order = Value.compare(left, right)
      return term.direction == .ascending ? order : order.reversed
    }
  }
}

// MARK: - Operations

/// One step of a transaction, as a value that a store and a model can both perform.
public enum StoreOperation: Hashable, Sendable {
  /// Inserts a row; the key is `nil` where the store assigns it or the values contain it.
  case insert([Value], key: ObjectKey?)
  /// Replaces the values of an object.
  case update(ObjectID, to: [Value])
  /// Deletes an object.
  case delete(ObjectID)
}

/// The outcome of an operation.
public enum OperationOutcome: Hashable, Sendable {
  /// The operation succeeded for this object.
  case done(ObjectID)
  /// The object to delete does not exist.
  case nothingToDelete
  /// The object to update does not exist.
  case notFound
  /// An object with this key exists already.
  case alreadyExists
  /// The values or the key are invalid.
  case invalid
}

extension StoreTransaction {
  /// Performs an operation, and turns its rejection into an outcome.
  /// - Throws: Errors that do not concern the operation itself.
  public func perform(
    _ operation: StoreOperation,
    on entity: EntityDescription
  ) throws(StoreError) -> OperationOutcome {
    do {
      switch operation {
      case .insert(let values, let key): return .done(try insert(values, key: key, into: entity))
      case .update(let id, let values):
        try update(id, to: values, of: entity, ifUnchangedFrom: nil)
        return .done(id)
      case .delete(let id): return try delete(id, of: entity) ? .done(id) : .nothingToDelete
      }
    } catch {
      switch error {
      case .notFound: return .notFound
      case .alreadyExists: return .alreadyExists
      case .invalid: return .invalid
      default: throw error
      }
    }
  }
}
