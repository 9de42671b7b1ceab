import CommandLineFrontEnd
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit

/// The rows to which a row of a table refers by its foreign keys, and those that refer to it.
struct TableReferences: Sendable {
  let table: DiscoveredTable.Table

  /// One of them: rows of a table that have some values in some columns.
  struct Reference: Sendable {
    /// The name, which distinguishes it from the others of the table.
    let name: String
    /// The table.
    let target: any DescribedTable
    /// Whether it is one row, that to which a foreign key refers.
    let isToOne: Bool
    /// The database, which knows when two names are one.
    let database: any DescribedDatabase
    /// The columns of the target, with their values.
    let values: [(column: String, value: Value)]
    /// Whether the rows can be counted without reading the table.
    let isIndexed: Bool

    /// The condition in words, such as `AlbumId = 1`.
    var text: String {
      values.map { "\($0.column) = \($0.value.shortText)" }.joined(separator: ", ")
    }
  }

  /// Whether rows of the table refer to others, or others to them.
  var isEmpty: Bool { keys.isEmpty }

  /// The foreign keys from the table and to it, whose tables can be followed.
  private var keys:
    [(name: String, target: any DescribedTable, isToOne: Bool, key: ForeignKeyDescription)]
  {
    let (database, own) = (table.database, table.description)
    let tables: [any DescribedTable] = database.tables
    let from = own.foreignKeys.enumerated().compactMap { index, key in
      database.table(named: key.table).map {
        (name: "\(index)", target: $0, isToOne: true, key: key)
      }
    }
    let to = tables.enumerated().flatMap { position, other in
      other.foreignKeys.enumerated().filter { _, key in
        database.isSameName(key.table, own.name)
      }
      .map { index, key in
        (name: "\(position).\(index)", target: other, isToOne: false, key: key)
      }
    }
    return (from + to).filter { (try? $0.target.entity.get()) != nil }
  }

  /// Returns the references of a row.
  /// - Throws: The store's error.
  func all(of id: ObjectID, in store: any Store) throws(StoreError) -> [Reference] {
    let entity = table.entity
    let row = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([id.key], of: entity).first ?? nil
    }
    guard let row else { return [] }
    return keys.compactMap { name, target, isToOne, key in
      let named =
        key.targets.isEmpty ? (isToOne ? target : table.description).keyColumns : key.targets
      let (held, sought) = isToOne ? (key.columns, named) : (named, key.columns)
      let values = held.compactMap { row.value(ofColumn: $0, in: table.database) }
      guard values.count == sought.count, !values.contains(.null) else { return nil }
      return Reference(
        name: name,
        target: target,
        isToOne: isToOne,
        database: table.database,
        values: zip(sought, values).map { (column: $0, value: $1) },
        isIndexed: !target.missingIndexes.contains(key.columns)
      )
    }
  }

  /// Returns the links of a row's references, the rows to which it refers first.
  /// - Throws: The store's error.
  func links(of id: ObjectID, in store: any Store) throws(StoreError) -> [BrowserLink] {
    try all(of: id, in: store).map { reference in
      let count = reference.isToOne || !reference.isIndexed ? nil : count(reference, in: store)
      let number = count.map { $0 == 1 ? ", 1 row" : ", \($0) rows" } ?? ""
      return BrowserLink(
        name: reference.name,
        title: (reference.isToOne ? "" : "rows of ") + reference.target.name,
        note: reference.text + number
      )
    }
  }

  /// The number of rows of a reference, if the store can count them.
  private func count(_ reference: Reference, in store: any Store) -> Int? {
    guard let entity = try? reference.target.entity.get(),
      let condition = try? reference.condition(in: entity)
    else { return nil }
    return try? store.count(
      of: FetchRequest<ObjectID>(entity: entity, where: condition, sortedBy: [])
    )
  }
}

extension TableReferences.Reference {
  /// Returns the condition that its rows match.
  /// - Throws: `CommandFailure` if the table does not have the columns any more.
  func condition(in entity: EntityDescription) throws(CommandFailure) -> FetchPredicate {
    var parts: [FetchPredicate] = []
    for (column, value) in values {
      guard let part = entity.condition(thatColumn: column, equals: value, in: database) else {
        throw CommandFailure(.missingInput, "\(target.name) has no column “\(column)”.")
      }
      parts.append(part)
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  /// Returns the row to which a foreign key refers.
  /// - Throws: `CommandFailure` if there is none, and the store's error.
  func row(of entity: EntityDescription, in store: any Store) throws -> ObjectID {
    var request = FetchRequest<ObjectID>(
      entity: entity,
      where: try condition(in: entity),
      sortedBy: entity.keyAttributeIndexes.isEmpty
        ? [FetchSortDescriptor(.objectKey)]
        : entity.keyAttributeIndexes.map { .ascending(entity.attributes[$0].name) }
    )
    request.fetchLimit = 1
    guard let id = try store.fetch(request).first else {
      throw CommandFailure(.missingInput, "\(target.name) has no row with \(text).")
    }
    return id
  }
}

extension DescribedTable {
  /// The columns that a foreign key means which names none.
  fileprivate var keyColumns: [String] {
    primaryKey.isEmpty ? (try? entity.get())?.identity.columns ?? [] : primaryKey
  }
}

extension Row {
  /// The value of a column, which is an attribute or the key; `nil` for another one.
  fileprivate func value(ofColumn column: String, in database: any DescribedDatabase) -> Value? {
    if let index = entity.attributeIndex(ofColumn: column, in: database) { return values[index] }
    guard entity.isKey(column, in: database) else { return nil }
    return switch id.key {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .compound(let parts): parts.first
    }
  }
}

extension EntityDescription {
  /// The index of the attribute of a column.
  fileprivate func attributeIndex(
    ofColumn column: String,
    in database: any DescribedDatabase
  ) -> Int? {
    index(of: column) ?? attributes.firstIndex { database.isSameName($0.name, column) }
  }

  /// Whether a column is the whole key.
  fileprivate func isKey(_ column: String, in database: any DescribedDatabase) -> Bool {
    identity.columns.count == 1 && database.isSameName(identity.columns[0], column)
  }

  fileprivate func condition(
    thatColumn column: String,
    equals value: Value,
    in database: any DescribedDatabase
  ) -> FetchPredicate? {
    if let index = attributeIndex(ofColumn: column, in: database) {
      return .comparison(.attribute(attributes[index].name), .equal, .literal(value))
    }
    guard isKey(column, in: database) else { return nil }
    let key: ObjectKey? =
      switch (identity, value) {
      case (.integer, .integer(let number)): .integer(number)
      case (.text, .text(let text)): .text(text)
      default: nil
      }
    // A value of another type is the key of no row.
    return .identity(IdentitySet(keys: key.map { [$0] } ?? []))
  }
}

extension Value {
  /// The value for a heading, without the end of a long one.
  fileprivate var shortText: String {
    switch self {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): String(String.UnicodeScalarView(text.unicodeScalars.prefix(40)))
    case .illFormedText(let text): String(decoding: text.bytes.prefix(40), as: UTF8.self)
    case .blob(let bytes): "⟨\(bytes.count) bytes⟩"
    case .null: "NULL"
    }
  }
}
