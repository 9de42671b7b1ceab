import ResultsDomain
import ResultsStoreKit

/// A step of a drawn transaction, which several stores apply alike: a row is inserted, or one attribute of it changed, or it is deleted.
struct RowEdit {
  let entity: EntityDescription
  let key: ObjectKey
  /// The values of a new row, of which a row that exists gets one.
  let values: [Value]
  let isDelete: Bool
  /// The attribute that is changed.
  let attribute: Int

  /// Applies the step.
  /// - Throws: The store's error.
  func apply(in transaction: any StoreTransaction) throws {
    let id = ObjectID(entity: entity.name, key: key)
    guard case .some(.some(let row)) = try transaction.rows([key], of: entity).first else {
      _ = try transaction.insert(values, key: key, into: entity)
      return
    }
    guard !isDelete else {
      try transaction.delete(id, of: entity)
      return
    }
    var changed = row.values
    changed[attribute] = values[attribute]
    try transaction.update(id, to: changed, of: entity, ifUnchangedFrom: nil)
  }
}
