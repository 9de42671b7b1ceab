public import ResultsDomain

/// One step of a transaction, as a value that can be done to a store and to a model.
public enum StoreOperation: Hashable, Sendable {
  /// Insert a row; the key is `nil` where the store assigns it or the values make it.
  case insert([Value], key: ObjectKey?)
  /// Write values into an object.
  case update(ObjectID, to: [Value])
  /// Delete an object.
  case delete(ObjectID)
}

/// What became of an operation.
public enum OperationOutcome: Hashable, Sendable {
  /// It was done to this object.
  case done(ObjectID)
  /// There was nothing to delete.
  case nothingToDelete
  /// There is no such object.
  case notFound
  /// There is already such an object.
  case alreadyExists
  /// The values or the key are not allowed.
  case invalid
}

extension StoreTransaction {
  /// Does an operation, and turns a refusal of it into an outcome.
  /// - Throws: Errors that say nothing about the operation itself.
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
