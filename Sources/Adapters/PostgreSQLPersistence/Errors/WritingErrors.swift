#if PostgreSQL
public import ResultsDomain

/// A violation of a constraint that the database declares, such as a unique index or a foreign key.
///
/// It is the reason in `StoreError.aborted(by:)`.
public struct PostgreSQLConstraintError: Error, Hashable, Sendable {
  /// The object that was being written, if it is known.
  public let id: ObjectID?
  /// The constraint's name, or an empty text.
  public let constraint: String
  /// The server's message.
  public let message: String
}

extension PostgreSQLConstraintError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    "\(id?.description ?? "A row") violates a constraint of the database (\(message)). Nothing was written."
      + " Change the values."
  }
}

/// A statement of the application that the server cannot run, such as one with a column that does not exist.
///
/// It is the reason in `StoreError.aborted(by:)`.
public struct PostgreSQLStatementError: Error, Hashable, Sendable {
  /// The error's code (SQLSTATE) by appendix A of PostgreSQL's manual.
  public let state: String
  /// The server's message.
  public let message: String
}

extension PostgreSQLStatementError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    "The server cannot run the statement (\(message)). Nothing was written. Correct the statement."
  }
}

extension StoreError {
  /// The store error for a statement that could not write.
  /// - Parameters:
  ///   - failure: The server's error.
  ///   - id: The object, if it is known.
  ///   - entity: Its entity, or `nil` for a statement of the application.
  ///   - path: The store's name for messages.
  ///   - waited: How long a call waits for a lock.
  init(
    writing failure: PostgreSQLFailure,
    id: ObjectID?,
    entity: EntityDescription?,
    path: String,
    waited: Duration
  ) {
    let error = PostgreSQLConstraintError(
      id: id,
      constraint: failure.constraint ?? "",
      message: failure.message
    )
    switch (failure.state, entity) {
    case ("23502", .some(let entity)):
      self = .invalid([.missing(entity: entity.name, attribute: failure.column ?? "")])
    case ("23514", .some(let entity)):
      self = .invalid([.refused(entity: entity.name, constraint: error.constraint)])
    case ("22001", .some(let entity)), ("22003", .some(let entity)), ("22P02", .some(let entity)):
      let attribute = failure.column ?? entity.name
      self = .invalid([
        .notStorable(entity: entity.name, attribute: attribute, detail: failure.message)
      ])
    case (let state, _) where state.hasPrefix("23"): self = .aborted(by: error)
    case ("42501", _): self = .aborted(by: error)
    case (let state, .none) where ["22", "42", "0A"].contains(where: state.hasPrefix):
      let message = failure.message
      self = .aborted(by: PostgreSQLStatementError(state: state, message: message))
    case ("42P01", .some(let entity)), ("42703", .some(let entity)):
      self = .cannotOpen(
        path: path,
        .schemaMismatch(entity: entity.name, detail: failure.message)
      )
    default: self = failure.storeError(path: path, waited: waited)
    }
  }
}
#endif
