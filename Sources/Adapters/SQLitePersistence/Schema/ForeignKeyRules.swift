import GRDB
import ResultsDomain

/// The foreign keys of an entity's table: what its to-one relationships declare, and what the database enforces.
struct ForeignKeyRules {
  private struct Key {
    let columns: [String]
    let relationship: RelationshipDescription
  }

  private let entity: EntityDescription
  private let keys: [Key]
  /// Those that the database can enforce.
  private let enforced: [Key]
  /// The columns by which rows are sought: of its own relationships, of their inverses, and of links.
  private let sought: [[String]]

  /// The rules of an entity among those of its store.
  init(_ entity: EntityDescription, among entities: [EntityDescription]) {
    self.init(entity, among: RelatedEntities(entities))
  }

  /// The rules of an entity among those of its store, for one entity after the other.
  init(_ entity: EntityDescription, among entities: RelatedEntities) {
    self.entity = entity
    keys = entity.relationships.compactMap { relationship in
      guard case .toOne(let columns) = relationship.kind else { return nil }
      return Key(columns: columns, relationship: relationship)
    }
    enforced = keys.filter { key in
      // A key without a rule may name no object, which a constraint would refuse.
      key.relationship.onDelete != .none && entities.contains(key.relationship.destination)
    }
    sought = keys.map(\.columns) + entities.columns(soughtIn: entity)
  }

  // MARK: - Tables of a store

  /// The constraint of a column that is a foreign key by itself, with a space before it.
  ///
  /// The database checks it at the end of a transaction, so that objects can be written in any order.
  func clause(ofColumn name: String) -> String {
    enforced.filter { $0.columns.isSamePath(as: [name]) }.map { " " + reference($0) }.joined()
  }

  /// The constraints of foreign keys of several columns.
  var tableClauses: [String] {
    enforced.filter { $0.columns.count > 1 }.map { key in
      let columns = key.columns.map(\.quotedIdentifier).joined(separator: ", ")
      return "FOREIGN KEY (\(columns)) \(reference(key))"
    }
  }

  private func reference(_ key: Key) -> String {
    let destination = key.relationship.destination
    let columns = destination.identity.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let action =
      switch key.relationship.onDelete {
      case .none: "NO ACTION"
      case .deny: "RESTRICT"
      case .nullify: "SET NULL"
      case .cascade: "CASCADE"
      }
    return """
      REFERENCES \(destination.name.quotedIdentifier) (\(columns)) \
      ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED
      """
  }

  /// The columns of foreign keys that no index of the table begins with.
  func missingIndexes(on database: Database) throws -> [[String]] {
    var known = try database.indexedColumns(of: entity.name)
    known.append(entity.identity.columns)
    var missing: [[String]] = []
    for columns in sought {
      let names = Set(columns.map(\.caselessIdentifier))
      let serves = known.contains {
        names == Set($0.prefix(names.count).map(\.caselessIdentifier))
      }
      guard !serves else { continue }
      missing.append(columns)
      known.append(columns)
    }
    return missing
  }

  /// The name of the index over a foreign key.
  static func indexName(_ columns: [String], of entity: EntityDescription) -> String {
    let names = columns.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return "\(entity.name)By\(names.joined(separator: "And"))"
  }

  /// Removes the store's index over a column that is about to be removed.
  static func dropOwnIndex(
    of column: String,
    _ entity: EntityDescription,
    on database: Database
  ) throws {
    let name = indexName([column], of: entity)
    let columns = try String.fetchAll(
      database,
      sql: "SELECT name FROM pragma_index_info(?)",
      arguments: [name]
    )
    guard columns.count == 1, columns[0].caselessIdentifier == column.caselessIdentifier else {
      return
    }
    try database.execute(sql: "DROP INDEX \(name.quotedIdentifier)")
  }

  // MARK: - Declared and enforced

  /// Refuses a relationship that contradicts a foreign key of the table.
  ///
  /// A missing constraint is no contradiction. Neither is an action of the database that the delete rule has anticipated: the store applies
  /// its rule before it deletes a row.
  /// - Throws: `OpenFailureError` with the relationship's name and a remedy.
  func check(_ shape: TableShape, on database: Database) throws {
    try checkInverses(on: database)
    guard !keys.isEmpty else { return }
    let found = try database.foreignKeys(of: shape.name)
    for key in keys {
      let name = key.relationship.name
      let destination = key.relationship.destination
      func refuse(_ detail: String) -> OpenFailureError {
        OpenFailureError(.schemaMismatch(entity: entity.name, detail: detail))
      }
      let types = destination.keyStorage
      let stored = try key.columns.map { column in
        try entity.expression(ofColumn: column)?.storage(in: entity)
      }
      let target = try database.tableShape(of: destination.name)
      let fits = zip(zip(key.columns, stored), zip(destination.identity.columns, types))
        .allSatisfy { part, known in
          // Values of any class name the same objects for the database as they do here, unless it converts them.
          part.1 == known.1
            || part.1 == .any
              && target?.affinity(of: known.0).comparesAsStored(with: shape.affinity(of: part.0))
                == true
        }
      guard fits, stored.count == types.count else {
        throw refuse(
          "the relationship \(name) holds the key of \(destination.name) in \(list(key.columns)),"
            + " whose types differ from it; declare the attributes with the types of the key"
        )
      }
      for foreign in found where foreign.has(key.columns) {
        let columns = list(foreign.columns)
        guard foreign.table.caselessIdentifier == destination.name.caselessIdentifier else {
          throw refuse(
            "the relationship \(name) names \(destination.name), but \(columns) references"
              + " \(foreign.table); declare \(foreign.table) as its destination"
          )
        }
        guard foreign.names(key.columns, destination.identity.columns) else {
          throw refuse(
            "the relationship \(name) needs the key of \(destination.name), but \(columns) references"
              + " its column \(list(foreign.targets)); remove the relationship, or reference the key"
          )
        }
        if let rule = foreign.rule, !key.relationship.onDelete.accepts(rule) {
          throw refuse(
            "the delete rule of the relationship \(name) is \(key.relationship.onDelete.rawValue), but"
              + " the database does \(foreign.action) where \(columns) names a deleted row; declare the"
              + " rule \(rule.rawValue)"
          )
        }
      }
    }
  }

  /// Refuses a to-many relationship whose keys, in another table, are none or name something else.
  private func checkInverses(on database: Database) throws {
    for relationship in entity.relationships {
      let destination = relationship.destination
      let found: [(holder: EntityDescription, columns: [String], named: EntityDescription)]
      switch relationship.kind {
      case .toOne: continue
      case .toMany(let columns): found = [(destination, columns, entity)]
      case .manyToMany(let link, let from, let to):
        found = [(link.entity, from, entity), (link.entity, to, destination)]
      }
      for (holder, columns, named) in found {
        func refuse(_ detail: String) -> OpenFailureError {
          let key = "\(holder.name).\(list(columns))"
          let detail =
            "the relationship \(relationship.name) finds its objects by \(key), \(detail)"
          return OpenFailureError(.schemaMismatch(entity: entity.name, detail: detail))
        }
        let types = try columns.map { column in
          try holder.expression(ofColumn: column)?.storage(in: holder)
        }
        guard !types.contains(nil) else {
          throw refuse("which \(holder.name) does not have; declare it as an attribute")
        }
        let fits = zip(types, named.keyTypes).allSatisfy { $0 == .any || $0 == $1.storage }
        guard fits, types.count == named.keyTypes.count else {
          throw refuse(
            "whose type is not that of the key of \(named.name); declare it with that type"
          )
        }
        guard let shape = try database.tableShape(of: holder.name) else { continue }
        let declared = try database.foreignKeys(of: shape.name).filter { $0.has(columns) }
        let name = named.name.caselessIdentifier
        if let other = declared.first,
          !declared.contains(where: { $0.table.caselessIdentifier == name })
        {
          throw refuse(
            "which references \(other.table) and not \(named.name); name the column that references"
              + " \(named.name)"
          )
        }
      }
    }
  }

  private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension DeleteRule {
  /// Whether the rule is compatible with one that the database applies by itself.
  fileprivate func accepts(_ rule: DeleteRule) -> Bool { self == .none || self == rule }
}

/// A foreign key of a table, as SQLite reports it.
struct ForeignKeyShape: Sendable {
  let table: String
  var columns: [String] = []
  /// The columns it references; empty for the primary key.
  var targets: [String] = []
  /// What happens when the referenced row is deleted, as in SQL.
  let action: String

  /// The delete rule that has the same effect; `nil` if the database only refuses deletes.
  var rule: DeleteRule? {
    switch action.caselessIdentifier {
    case Array("cascade".utf8): .cascade
    case Array("set null".utf8): .nullify
    // There is no such rule, so only the one that does nothing fits.
    case Array("set default".utf8): DeleteRule.none
    default: nil
    }
  }

  /// Whether its columns are the given ones, in any order.
  func has(_ columns: [String]) -> Bool {
    Set(columns.map(\.caselessIdentifier)) == Set(self.columns.map(\.caselessIdentifier))
  }

  /// Whether each of its columns references the part of the key that a relationship has it for.
  func names(_ columns: [String], _ keys: [String]) -> Bool {
    guard !targets.isEmpty else {
      return columns.elementsEqual(self.columns) { $0.caselessIdentifier == $1.caselessIdentifier }
    }
    return zip(columns, keys).allSatisfy { column, key in
      zip(self.columns, targets).contains {
        $0.caselessIdentifier == column.caselessIdentifier
          && $1.caselessIdentifier == key.caselessIdentifier
      }
    }
  }
}

extension Database {
  /// The columns of each index of a table that has all rows.
  func indexedColumns(of table: String, onlyUnique: Bool = false) throws -> [[String]] {
    let names = try String.fetchAll(
      self,
      sql: "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND \"unique\" >= ?",
      arguments: [table, onlyUnique]
    )
    return try names.map { name in
      try String?.fetchAll(
        self,
        sql: "SELECT name FROM pragma_index_info(?) ORDER BY seqno",
        arguments: [name]
      )
      .map { $0 ?? "" }
    }
  }

  /// The foreign keys of a table.
  fileprivate func foreignKeys(of table: String) throws -> [ForeignKeyShape] {
    guard let catalog = SchemaCatalog.of(self) else { return try foreignKeyShapes(of: table) }
    return try catalog.foreignKeys(of: table) { try foreignKeyShapes(of: table) }
  }

  private func foreignKeyShapes(of table: String) throws -> [ForeignKeyShape] {
    let rows = try GRDB.Row.fetchAll(
      self,
      sql: """
        SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?)
        ORDER BY id, seq
        """,
      arguments: [table]
    )
    var keys: [Int64: ForeignKeyShape] = [:]
    for row in rows {
      let id = try row.decode(Int64.self, atIndex: 0)
      var key =
        try keys[id]
        ?? ForeignKeyShape(
          table: row.decode(String.self, atIndex: 1),
          action: row.decode(String.self, atIndex: 4)
        )
      key.columns.append(try row.decode(String.self, atIndex: 2))
      if let target = try row.decode(String?.self, atIndex: 3) { key.targets.append(target) }
      keys[id] = key
    }
    return keys.sorted { $0.key < $1.key }.map(\.value)
  }

  /// A name, with a number appended if an index or a table has it.
  func freeName(_ name: String) throws -> String {
    var number = 1
    while true {
      let tried = number == 1 ? name : "\(name)\(number)"
      let isTaken = try Bool.fetchOne(
        self,
        sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_master WHERE lower(name) = lower(?))",
        arguments: [tried]
      )
      guard isTaken == true else { return tried }
      number += 1
    }
  }
}
