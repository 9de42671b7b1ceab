package import ResultsDomain

/// The foreign keys of an entity's table: what its to-one relationships declare, and what the database enforces.
package struct ForeignKeyRules<Dialect: SQLDialect> {
  /// A foreign key that a relationship declares.
  package struct Key {
    package let columns: [String]
    package let relationship: RelationshipDescription
  }

  package let entity: EntityDescription
  private let keys: [Key]
  /// Those that the database can enforce.
  package let enforced: [Key]
  /// The columns by which rows are sought: of its own relationships, of their inverses, and of links.
  private let sought: [[String]]

  /// The rules of an entity among those of its store.
  package init(_ entity: EntityDescription, among entities: [EntityDescription]) {
    self.init(entity, among: RelatedEntities(entities))
  }

  /// The rules of an entity among those of its store, for one entity after the other.
  package init(_ entity: EntityDescription, among entities: RelatedEntities) {
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

  /// The constraint of a foreign key.
  package static func constraint(_ key: Key, in schema: String? = nil) -> String {
    "FOREIGN KEY (\(Dialect.list(key.columns))) \(reference(key, in: schema))"
  }

  /// What a foreign key references, which the database checks at the end of a transaction, so that objects can be written in any order.
  package static func reference(_ key: Key, in schema: String? = nil) -> String {
    let destination = key.relationship.destination
    let prefix = schema.map { Dialect.quoted($0) + "." } ?? ""
    let action = ReferentialAction(of: key.relationship.onDelete)
    return """
      REFERENCES \(prefix)\(Dialect.quoted(destination.name)) \
      (\(Dialect.list(destination.identity.columns))) \
      ON DELETE \(action.rawValue) DEFERRABLE INITIALLY DEFERRED
      """
  }

  /// The columns of foreign keys that no index of the table begins with.
  /// - Parameter indexes: The columns of the indexes that the table has.
  /// - Returns: The columns of each index that is missing.
  package func missingIndexes(beside indexes: [[String]]) -> [[String]] {
    var known = (indexes + [entity.identity.columns]).map(Self.identifiers)
    var missing: [[String]] = []
    for columns in sought {
      let names = Self.identifiers(columns)
      guard !known.contains(where: { Set($0.prefix(names.count)) == Set(names) }) else { continue }
      missing.append(columns)
      known.append(names)
    }
    return missing
  }

  /// The name of the index over a foreign key.
  package static func indexName(_ columns: [String], of entity: EntityDescription) -> String {
    let names = columns.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return "\(entity.name)By\(names.joined(separator: "And"))"
  }

  // MARK: - Declared and enforced

  /// How a relationship contradicts a foreign key of the table, with its name and a remedy; `nil` if none does.
  ///
  /// A missing constraint is no contradiction. Neither is an action of the database that the delete rule has anticipated: the store applies
  /// its rule before it deletes a row.
  /// - Parameter catalog: The tables of the database.
  /// - Returns: A sentence without its beginning, or `nil`.
  /// - Throws: What the catalog throws.
  package func contradiction<Catalog: ForeignKeyCatalog>(
    in catalog: Catalog
  ) throws(Catalog.Failure) -> String? {
    if let detail = try contradictionOfInverses(in: catalog) { return detail }
    guard !keys.isEmpty else { return nil }
    let found = try catalog.foreignKeys(of: entity) ?? []
    for key in keys {
      let name = key.relationship.name
      let destination = key.relationship.destination
      guard try hasTypes(ofKeyIn: destination, key, catalog) else {
        return "the relationship \(name) holds the key of \(destination.name) in"
          + " \(Self.list(key.columns)), whose types differ from it; declare the attributes with the"
          + " types of the key"
      }
      for foreign in found where Self.areSame(foreign.columns, key.columns) {
        let columns = Self.list(foreign.columns)
        guard Self.isSame(foreign.table, destination.name) else {
          return "the relationship \(name) names \(destination.name), but \(columns) references"
            + " \(foreign.table); declare \(foreign.table) as its destination"
        }
        guard Self.pairs(foreign, key.columns, destination.identity.columns) else {
          return "the relationship \(name) needs the key of \(destination.name), but \(columns)"
            + " references its column \(Self.list(foreign.targets)); remove the relationship, or"
            + " reference the key"
        }
        let rule = key.relationship.onDelete
        guard foreign.action.agrees(with: rule) else {
          return "the delete rule of the relationship \(name) is \(rule.rawValue), but the database"
            + " does \(foreign.action.rawValue) where \(columns) names a deleted row; declare the rule"
            + " \(foreign.action.rule.rawValue)"
        }
      }
    }
    return nil
  }

  /// How a to-many relationship's keys, in another table, are none or name something else.
  private func contradictionOfInverses<Catalog: ForeignKeyCatalog>(
    in catalog: Catalog
  ) throws(Catalog.Failure) -> String? {
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
        let start =
          "the relationship \(relationship.name) finds its objects by"
          + " \(holder.name).\(Self.list(columns)), "
        let types = columns.map { holder.storage(ofColumn: $0) }
        guard !types.contains(nil) else {
          return start + "which \(holder.name) does not have; declare it as an attribute"
        }
        guard types.count == named.keyStorage.count,
          zip(types, named.keyStorage).allSatisfy({ $0 == .any || $0 == $1 })
        else {
          return start + "whose type is not that of the key of \(named.name); declare it with that"
            + " type"
        }
        guard let keys = try catalog.foreignKeys(of: holder) else { continue }
        let declared = keys.filter { Self.areSame($0.columns, columns) }
        if let other = declared.first,
          !declared.contains(where: { Self.isSame($0.table, named.name) })
        {
          return start + "which references \(other.table) and not \(named.name); name the column"
            + " that references \(named.name)"
        }
      }
    }
    return nil
  }

  /// Whether the columns of a key have the types of the key that they hold.
  private func hasTypes<Catalog: ForeignKeyCatalog>(
    ofKeyIn destination: EntityDescription,
    _ key: Key,
    _ catalog: Catalog
  ) throws(Catalog.Failure) -> Bool {
    let types = destination.keyStorage
    guard key.columns.count == types.count else { return false }
    for (index, column) in key.columns.enumerated() {
      let stored = entity.storage(ofColumn: column)
      guard stored != types[index] else { continue }
      // Values of any class name the same objects for the database as they do here, unless it converts them.
      guard stored == .any,
        try catalog.compares(
          column,
          of: entity,
          with: destination.identity.columns[index],
          of: destination
        )
      else { return false }
    }
    return true
  }

  /// Whether each column of a foreign key references the part of the key that a relationship has it for.
  private static func pairs(
    _ foreign: ForeignKeyShape,
    _ columns: [String],
    _ keys: [String]
  ) -> Bool {
    guard !foreign.targets.isEmpty else {
      return identifiers(columns) == identifiers(foreign.columns)
    }
    return zip(columns, keys).allSatisfy { column, key in
      zip(foreign.columns, foreign.targets).contains { isSame($0, column) && isSame($1, key) }
    }
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

  private static func identifiers(_ names: [String]) -> [[UInt8]] {
    names.map { Dialect.identifier($0) }
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    Dialect.identifier(left) == Dialect.identifier(right)
  }

  /// Whether two lists have the same names in any order.
  private static func areSame(_ left: [String], _ right: [String]) -> Bool {
    Set(identifiers(left)) == Set(identifiers(right))
  }
}

/// The tables of a database, as far as foreign keys are concerned.
package protocol ForeignKeyCatalog {
  /// Why the database cannot be read.
  associatedtype Failure: Error

  /// The foreign keys of an entity's table, or `nil` if there is no such table.
  func foreignKeys(of entity: EntityDescription) throws(Failure) -> [ForeignKeyShape]?

  /// Whether the database compares values of any class in a column with those of a part of a key without converting them.
  func compares(
    _ column: String,
    of entity: EntityDescription,
    with key: String,
    of destination: EntityDescription
  ) throws(Failure) -> Bool
}

extension EntityDescription {
  /// The storage class of a column's values, or `nil` if there is no such column.
  fileprivate func storage(ofColumn name: String) -> StorageClass? {
    (try? expression(ofColumn: name)?.storage(in: self)) ?? nil
  }
}
