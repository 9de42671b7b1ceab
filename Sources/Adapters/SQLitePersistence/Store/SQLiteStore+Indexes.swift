import GRDB
public import ResultsDomain

extension SQLiteStore {
  /// Makes the index that spares a list its sorting, if there is one that SQLite would use.
  /// - Parameter definition: The list's order: `ResultsDefinition.order()` gives it, as does `ListExplanation.definition`.
  /// - Returns: The statement that was run, or `nil` if the list needs none or none would help.
  /// - Throws: `StoreError.readOnly`, `StoreError.busy`, `StoreError.diskFull`, `StoreError.unknownEntity`, and whatever else a commit
  ///   throws.
  /// - Complexity: O(*n* log *n*) in the rows of the table; other writers wait meanwhile.
  @discardableResult
  public func createIndex(serving definition: OrderDefinition) throws(StoreError) -> String? {
    try commit(origin: .unnamed) { transaction -> String? in
      guard let transaction = transaction as? SQLiteTransaction,
        let statement = try transaction.access.plan(of: definition).remedy
      else { return nil }
      try transaction.withDatabase { try $0.execute(sql: statement) }
      return statement
    }.result
  }
}
