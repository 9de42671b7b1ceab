package import ResultsDomain
package import ResultsStoreKit

/// Rows that belong together because they share a number, such as both sides of a transfer (R290).
///
/// They are deleted together. What they have in common is changed in all of them; where two rows had opposite amounts, they keep them.
package struct LinkedRows: Sendable {
  /// The integer attribute with the number.
  package let number: String
  /// The decimal attribute whose values in the sides of a transfer sum to zero.
  package let amount: String
  /// The attributes that have the same values in all rows of a number.
  package let common: [String]
  /// The named relationship to what an amount is taken from or goes to.
  package let party: String
  /// The condition of the rows that are sides of a transfer; others of the number are only parts of the same event.
  package let sides: FetchPredicate

  /// The largest number that is given to rows.
  static let largestNumber = Int64(1) << 62

  /// Describes rows that belong together.
  package init(
    by number: String,
    amount: String,
    common: [String],
    party: String,
    sides: FetchPredicate
  ) {
    (self.number, self.amount, self.common) = (number, amount, common)
    (self.party, self.sides) = (party, sides)
  }
}

extension ObjectFields {
  /// Returns the first number after all that rows have; those beyond a limit, which other programs have written, do not count.
  /// - Throws: The store's error; `StoreError.aborted(by:)` if the limit itself is taken.
  package func nextNumber(in snapshot: any StoreSnapshot) throws(StoreError) -> Int64 {
    guard let linked else { return 1 }
    let number = FetchExpression.attribute(linked.number)
    let limit = LinkedRows.largestNumber
    let request = FetchRequest<ObjectID>(
      entity: entity,
      where: .comparison(number, .lessOrEqual, .literal(.integer(limit))),
      sortedBy: [.descending(linked.number)],
      fetchLimit: 1
    )
    let rows = try snapshot.rows(snapshot.keys(of: request), of: entity)
    let last = max(rows.first.flatMap { $0?[linked.number].integer } ?? 0, 0)
    guard last < limit else {
      throw .aborted(
        by: CommandFailure(
          .badData,
          "A row has the \(linked.number) \(limit), after which there is no number for another.",
          remedy: "Give it a smaller one that no other row has."
        )
      )
    }
    return last + 1
  }

  /// Deletes objects and the rows that belong to them.
  /// - Returns: The number of rows that were deleted, and the first object that was not there.
  /// - Throws: The store's error.
  /// - Complexity: O(*k*) in the objects and their rows; where no index has the numbers, O(*n*) in all rows for each number.
  package func delete(
    _ ids: [ObjectID],
    in transaction: any StoreTransaction
  ) throws(StoreError) -> (count: Int, missing: ObjectID?) {
    var (count, missing): (Int, ObjectID?) = (0, nil)
    var others: [ObjectID] = []
    if linked != nil {
      for case .some(let row) in try transaction.rows(ids.map(\.key), of: entity) {
        others += try self.others(of: row, in: transaction).map(\.id)
      }
    }
    for id in ids {
      if try transaction.delete(id, of: entity) { count += 1 } else { missing = missing ?? id }
    }
    for id in others where try transaction.delete(id, of: entity) { count += 1 }
    return (count, missing)
  }

  /// The other rows of a row's number.
  private func others(
    of row: Row,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [Row] {
    guard let linked, case .integer(let number) = row[linked.number] else { return [] }
    let request = FetchRequest<ObjectID>(
      entity: entity,
      where: .comparison(.attribute(linked.number), .equal, .literal(.integer(number))),
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    let keys = try snapshot.keys(of: request).filter { $0 != row.id.key }
    return try snapshot.rows(keys, of: entity).compactMap(\.self)
  }

  /// Changes the other rows of a row's number as the row is changed.
  func follow(
    _ old: Row,
    to values: [Value],
    in transaction: any StoreTransaction
  ) throws(StoreError) {
    guard let linked, let amount = entity.index(of: linked.amount) else { return }
    let common = linked.common.compactMap(entity.index(of:)).filter {
      old.values[$0] != values[$0]
    }
    guard !common.isEmpty || old.values[amount] != values[amount] else { return }
    let others = try others(of: old, in: transaction)
    for other in others {
      var row = other.values
      for index in common { row[index] = values[index] }
      if others.count == 1, let opposite = LinkedRows.opposite(of: old.values[amount]),
        opposite == other.values[amount], let new = LinkedRows.opposite(of: values[amount])
      {
        row[amount] = new
      }
      guard row != other.values else { continue }
      try transaction.update(other.id, to: row, of: entity, ifUnchangedFrom: other)
    }
  }

  /// Returns a line for each number whose sides of a transfer do not sum to zero in each currency.
  /// - Throws: The store's error.
  /// - Complexity: O(*n*) in the rows.
  package func unbalanced(
    in snapshot: any StoreSnapshot,
    for settings: LocaleSettings
  ) throws(StoreError) -> [String] {
    guard let linked, let amount = entity.attribute(named: linked.amount) else { return [] }
    let request = FetchRequest<ObjectID>(
      entity: entity,
      where: .not(.isNull(.attribute(linked.number))) && linked.sides,
      sortedBy: [.ascending(linked.number)]
    )
    let keys = try snapshot.keys(of: request)
    let qualifier = named.first { $0.isQualifier && $0.relationship.hasSameBytes(as: linked.party) }
    var sums: [Int64: [Value: Int64]] = [:]
    var overflows: Set<Int64> = []
    for start in stride(from: 0, to: keys.count, by: 1024) {
      let batch = Array(keys[start..<min(start + 1024, keys.count)])
      let stored = try snapshot.rows(batch, of: entity).compactMap(\.self)
      for row in try rows(stored, in: snapshot) {
        guard let number = row[linked.number].integer, let units = row[linked.amount].integer else {
          continue
        }
        let currency = qualifier.map { row[$0.name] } ?? .null
        let sum = sums[number, default: [:]][currency, default: 0].addingReportingOverflow(units)
        if sum.overflow { overflows.insert(number) }
        sums[number, default: [:]][currency] = sum.partialValue
      }
    }
    let formatter = ValueFormatter(for: settings)
    return sums.sorted { $0.key < $1.key }.compactMap { number, sums in
      let wrong = sums.filter { $0.value != 0 }.map { currency, sum in
        let code = currency.text.map { " \($0)" } ?? ""
        return formatter.text(.integer(sum), of: amount) + code
      }
      if overflows.contains(number) { return "\(number): its sides have no sum" }
      guard !wrong.isEmpty else { return nil }
      return "\(number): its sides sum to \(wrong.sorted().joined(separator: ", ")), not to zero"
    }
  }
}

extension LinkedRows {
  /// The opposite of an amount, if there is one.
  package static func opposite(of value: Value) -> Value? {
    guard case .integer(let units) = value else { return nil }
    let (opposite, overflow) = (0 as Int64).subtractingReportingOverflow(units)
    return overflow ? nil : .integer(opposite)
  }
}
