public import ResultsDomain

/// A constraint of the database's own that a row would break, such as a unique index or a foreign key.
///
/// It arrives as the reason of `StoreError.aborted(by:)`.
public struct SQLiteConstraintError: Error, Hashable, Sendable {
  /// The object that was being written.
  public let id: ObjectID
  /// SQLite's message, which names the constraint.
  public let message: String
}

extension SQLiteConstraintError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    "\(id) would break a rule of the database (\(message)). Nothing was written. Change the values."
  }
}
