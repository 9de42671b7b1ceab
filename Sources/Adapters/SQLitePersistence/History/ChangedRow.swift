import CSQLiteHooks
import ResultsDomain

/// One row that is about to change, as the pre-update hook tells it; valid only inside the hook.
struct ChangedRow {
  /// Before or after the change.
  enum Side {
    case old
    case new
  }

  private let connection: OpaquePointer
  let operation: Int32
  private let oldNumber: Int64
  let newNumber: Int64

  init(connection: OpaquePointer, operation: Int32, _ oldNumber: Int64, _ newNumber: Int64) {
    self.connection = connection
    self.operation = operation
    self.oldNumber = oldNumber
    self.newNumber = newNumber
  }

  /// 0 for a row of the statement itself, more for those of triggers and foreign keys.
  var depth: Int32 { results_hook_depth(connection) }

  /// How many columns the row has.
  var columnCount: Int32 { results_hook_columns(connection) }

  /// The row's key on a side, or `nil` if it cannot be told.
  func key(_ side: Side, of table: EntityTable, _ places: ColumnPlaces) -> ObjectKey? {
    guard !table.isRowNumber else { return .integer(side == .old ? oldNumber : newNumber) }
    var parts: [Value] = []
    for (place, storage) in zip(places.keys, table.keyStorage) {
      guard
        let value = side == .old
          ? results_hook_old(connection, place) : results_hook_new(connection, place)
      else { return nil }
      parts.append(Value(value, storage: storage))
    }
    return ObjectKey(parts: parts, of: table.entity.identity)
  }

  /// The row's values before the change, or `nil` if they cannot be told.
  func image(of table: EntityTable, _ places: ColumnPlaces) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(places.attributes.count)
    for (place, attribute) in zip(places.attributes, table.entity.attributes) {
      guard let value = results_hook_old(connection, place) else { return nil }
      values.append(Value(value, storage: attribute.type.storage))
    }
    return values
  }
}
