public import ResultsDomain

extension RandomStoreWorkload {
  /// The steps of a transaction: inserts, updates and deletes of objects that exist, and a few that do not fit.
  ///
  /// Some steps write what is there already, undo an earlier step or bring a deleted object back, because a commit tells
  /// only what it changed in the end.
  /// - Parameters:
  ///   - entity: The entity whose objects are changed.
  ///   - rows: The rows that exist before it.
  ///   - count: How many steps, about.
  /// - Returns: The steps, in order.
  public mutating func transaction(
    on entity: EntityDescription,
    rows: [Row],
    count: Int = 6
  ) -> [StoreOperation] {
    var operations: [StoreOperation] = []
    for _ in 0..<generator.number(in: 1...max(1, count)) {
      guard let row = generator.element(of: rows), generator.happens(percent: 70) else {
        operations.append(.insert(values(for: entity), key: key(for: entity)))
        continue
      }
      operations += steps(with: row, of: entity)
    }
    return operations
  }

  private mutating func steps(
    with row: Row,
    of entity: EntityDescription
  ) -> [StoreOperation] {
    let key: ObjectKey? = if case .compound = row.id.key { nil } else { row.id.key }
    var changed = row.values
    if let index = generator.element(of: changed.indices),
      !entity.keyAttributeIndexes.contains(index) || generator.happens(percent: 30)
    {
      changed[index] = value(for: entity.attributes[index])
    }
    switch generator.number(in: 0...9) {
    case 0...3: return [.update(row.id, to: changed)]
    case 4: return [.update(row.id, to: row.values)]
    case 5: return [.update(row.id, to: changed), .update(row.id, to: row.values)]
    case 6: return [.delete(row.id), .insert(row.values, key: key)]
    case 7: return [.delete(row.id), .insert(changed, key: key)]
    case 8: return [.insert(changed, key: key)]
    default: return [.delete(row.id)]
    }
  }
}
