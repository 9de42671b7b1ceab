package import ResultsDomain
package import ResultsStoreKit

/// An edit of one or several rows: the values it began with, and those that were changed in it.
///
/// Only attributes that were changed are written, so that two people who edit different attributes of a row both succeed. An attribute
/// conflicts where the stored value differs from the one that the edit began with and from the one it is to get.
package struct RowEdit: Sendable {
  /// The rows as they were when the edit began.
  package let begun: [Row]
  /// The new values by attribute index.
  package private(set) var wishes: [Int: Value] = [:]
  private let fields: ObjectFields?

  /// Begins an edit.
  /// - Parameters:
  ///   - rows: Rows of one entity.
  ///   - fields: The fields of which the rows consist in place of stored values, such as names of related objects; `nil` for stored
  ///     values. Attributes are then those of the fields' form.
  package init(of rows: [Row], fields: ObjectFields? = nil) {
    begun = rows
    self.fields = fields
  }

  /// The names of the attributes that were changed, in the order of the entity.
  package var changedNames: [String] {
    guard let entity = begun.first?.entity else { return [] }
    return wishes.keys.sorted().map { entity.attributes[$0].name }
  }

  /// The value that a form shows for an attribute, or `nil` if the rows have several.
  package func value(ofAttribute index: Int) -> Value? {
    if let wish = wishes[index] { return wish }
    guard let first = begun.first?.values[index] else { return nil }
    return begun.dropFirst().allSatisfy { $0.values[index] == first } ? first : nil
  }

  /// Sets the new value of an attribute; the value that all rows had is no change.
  package mutating func set(_ value: Value, ofAttribute index: Int) {
    let value = fields?.normalized(value, ofField: index) ?? value
    let isChange = begun.contains { $0.values[index] != value }
    wishes[index] = isChange ? value : nil
  }

  /// Sets the new value of an attribute from a text in the forms of a locale; an empty text is null for an optional attribute.
  /// - Throws: `CommandFailure` for a text that is no value of the attribute, with what to write instead.
  package mutating func set(
    text: String,
    ofAttribute index: Int,
    for settings: LocaleSettings
  ) throws(CommandFailure) {
    guard let attribute = begun.first?.entity.attributes[index] else { return }
    if text.isEmpty, attribute.isOptional { return set(.null, ofAttribute: index) }
    set(try ValueParser(settings).value(text, of: attribute), ofAttribute: index)
  }

  /// Forgets the new value of an attribute.
  package mutating func reset(attribute index: Int) { wishes[index] = nil }

  /// The row that a row of the edit becomes, before it is stored.
  package func edited(_ row: Row) -> Row {
    var row = row
    for (index, value) in wishes { row.values[index] = value }
    return row
  }

  /// What the entity does not allow in the edited rows.
  /// - Returns: The failures of the first row that has any; none if all are valid.
  package func failures() -> [ValidationFailure] {
    for row in begun {
      do throws(StoreError) {
        try row.entity.validate(edited(row).values)
      } catch {
        if case .invalid(let failures) = error { return failures }
      }
    }
    return []
  }
}

/// A row that was changed or deleted by others while it was edited.
package struct RowConflict: Hashable, Sendable {
  /// One attribute that both sides changed.
  package struct Field: Hashable, Sendable {
    /// The attribute's index in the entity.
    package let attribute: Int
    /// The value that the edit began with.
    package let begun: Value
    /// The value that is stored now.
    package let stored: Value
    /// The value that the edit would write.
    package let wished: Value
  }

  /// The row as it was when the edit began.
  package let begun: Row
  /// The row as it is stored now, or `nil` if it was deleted.
  package let stored: Row?
  /// The attributes that both sides changed; none if the row was deleted.
  package let fields: [Field]

  /// The row's identity.
  package var id: ObjectID { begun.id }
}

/// What to do with rows that conflict.
package enum ConflictResolution: String, Hashable, Sendable, CaseIterable {
  /// Write nothing at all.
  case refuse
  /// Write what does not conflict, and leave the other attributes as they are stored.
  case merge
  /// Write everything, also over the changes of others.
  case overwrite
  /// Leave the rows that conflict as they are stored.
  case skip
}

/// The error of an edit that was refused: nothing was written.
package struct RowEditConflicts: Error, Hashable, Sendable {
  /// The rows that conflict, in the order of the edit.
  package let rows: [RowConflict]
  /// The number of edited rows.
  package let count: Int
}

extension RowEditConflicts: CustomStringConvertible {
  /// What happened, and what to do.
  package var description: String {
    guard count == 1, let conflict = rows.first else {
      return "\(rows.count) of \(count) rows were changed by others while you edited them."
        + " Nothing was written. Skip those rows, or overwrite them."
    }
    guard conflict.stored != nil else {
      return
        "\(conflict.id) was deleted while you edited it. Nothing was written. Add it again, or go back."
    }
    let names = conflict.fields.map { conflict.begun.entity.attributes[$0.attribute].name }
    return
      "\(conflict.id) was changed by others while you edited it: \(names.joined(separator: ", "))."
      + " Nothing was written. Merge, overwrite, or take what is stored."
  }
}

// MARK: - Saving

extension RowEdit {
  /// Returns the rows that others changed in an attribute that this edit changes, or deleted.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* log *n*) for *k* rows.
  package func conflicts(in snapshot: any StoreSnapshot) throws(StoreError) -> [RowConflict] {
    try compared(in: snapshot).compactMap(\.conflict)
  }

  /// Writes the edit in a transaction.
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - resolution: What to do with rows that conflict. A row that was deleted is not added again.
  /// - Returns: The number of rows that were written.
  /// - Throws: `RowEditConflicts` if there are any and the edit is to be refused; the store's error.
  /// - Complexity: O(*k* log *n*) for *k* rows.
  @discardableResult
  package func save(
    in transaction: any StoreTransaction,
    resolving resolution: ConflictResolution = .refuse
  ) throws -> Int {
    let compared = try compared(in: transaction)
    let conflicts = compared.compactMap(\.conflict)
    guard resolution != .refuse || conflicts.isEmpty else {
      throw RowEditConflicts(rows: conflicts, count: begun.count)
    }
    var count = 0
    for (stored, shown, conflict) in compared {
      guard let stored, let shown, conflict == nil || resolution != .skip else { continue }
      var values = edited(shown).values
      if resolution == .merge {
        for field in conflict?.fields ?? [] { values[field.attribute] = field.stored }
      }
      guard values != shown.values else { continue }
      if let fields {
        try fields.update(stored, from: shown, to: values, in: transaction)
      } else {
        try transaction.update(stored.id, to: values, of: stored.entity)
      }
      count += 1
    }
    return count
  }

  /// Adds rows that were deleted during the edit again, with the edited values and their former keys.
  /// - Returns: The number of rows that were added.
  /// - Throws: The store's error.
  @discardableResult
  package func addDeleted(in transaction: any StoreTransaction) throws(StoreError) -> Int {
    var count = 0
    for (row, compared) in zip(begun, try compared(in: transaction)) where compared.stored == nil {
      let isCompound = if case .compound = row.entity.identity { true } else { false }
      let fields = fields ?? ObjectFields(of: row.entity)
      let key = isCompound ? nil : row.id.key
      try fields.insertAgain(edited(row).values, key: key, into: transaction)
      count += 1
    }
    return count
  }

  /// The stored rows in the order of the edit, as they are stored and as the edit sees them, with what conflicts in them.
  private func compared(
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [(stored: Row?, shown: Row?, conflict: RowConflict?)] {
    guard let entity = fields?.entity ?? begun.first?.entity else { return [] }
    let stored = try snapshot.rows(begun.map(\.id.key), of: entity)
    let present = stored.compactMap(\.self)
    var shown = try (fields?.rows(present, in: snapshot) ?? present)[...]
    return zip(begun, stored).map { begun, stored in
      guard let stored, let row = shown.popFirst() else {
        return (nil, nil, RowConflict(begun: begun, stored: nil, fields: []))
      }
      let fields = wishes.sorted { $0.key < $1.key }.compactMap { index, wish in
        let (old, now) = (begun.values[index], row.values[index])
        return now == old || now == wish
          ? nil : RowConflict.Field(attribute: index, begun: old, stored: now, wished: wish)
      }
      return (
        stored, row,
        fields.isEmpty ? nil : RowConflict(begun: begun, stored: row, fields: fields)
      )
    }
  }
}
