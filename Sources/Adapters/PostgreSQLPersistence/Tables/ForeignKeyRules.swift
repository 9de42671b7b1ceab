#if PostgreSQL
import ResultsDomain

/// The foreign keys of an entity's table: what its to-one relationships declare, and what the database enforces.
struct ForeignKeyRules {
  /// A foreign key that a relationship declares.
  struct Key {
    let columns: [String]
    let relationship: RelationshipDescription
  }

  private let entity: EntityDescription
  private let keys: [Key]
  /// Those that the database can enforce.
  let enforced: [Key]
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

  /// The constraint of a foreign key, which the database checks at the end of a transaction, so that objects can be written in any order.
  static func constraint(_ key: Key, schema: String) -> String {
    let destination = key.relationship.destination
    let action =
      switch key.relationship.onDelete {
      case .none: "NO ACTION"
      case .deny: "RESTRICT"
      case .nullify: "SET NULL"
      case .cascade: "CASCADE"
      }
    return """
      FOREIGN KEY (\(list(key.columns))) \
      REFERENCES \(Connection.quoted(schema)).\(Connection.quoted(destination.name)) \
      (\(list(destination.identity.columns))) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED
      """
  }

  /// Names in quotes, separated by commas.
  static func list(_ names: [String]) -> String {
    names.map { Connection.quoted($0) }.joined(separator: ", ")
  }

  /// The columns of foreign keys that no index of the table begins with.
  /// - Parameter indexes: The columns of the indexes that the table has.
  /// - Returns: The columns of each index that is missing.
  func missingIndexes(beside indexes: [[String]]) -> [[String]] {
    var known = indexes.map(Self.values)
    known.append(Self.values(entity.identity.columns))
    var missing: [[String]] = []
    for columns in sought {
      let names = Set(Self.values(columns))
      guard !known.contains(where: { Set($0.prefix(names.count)) == names }) else { continue }
      missing.append(columns)
      known.append(Self.values(columns))
    }
    return missing
  }

  /// The name of the index over a foreign key.
  static func indexName(_ columns: [String], of entity: EntityDescription) -> String {
    let names = columns.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return "\(entity.name)By\(names.joined(separator: "And"))"
  }

  // MARK: - Declared and enforced

  /// Refuses a relationship that contradicts a foreign key of the table.
  ///
  /// A missing constraint is no contradiction. Neither is an action of the database that the delete rule has anticipated: the store
  /// applies its rule before it deletes a row.
  /// - Parameters:
  ///   - shape: The entity's table.
  ///   - tables: Finds the table of another entity.
  /// - Throws: A refusal with the relationship's name and a remedy.
  func check(
    _ shape: TableShape,
    _ tables: (EntityDescription) -> TableShape?
  ) throws(SchemaRefusal) {
    try checkInverses(tables)
    for key in keys {
      let name = key.relationship.name
      let destination = key.relationship.destination
      let columns = key.columns.joined(separator: ", ")
      func refusal(_ detail: String) -> SchemaRefusal { .mismatch(entity.name, detail) }
      let stored = key.columns.map { column in
        (try? entity.expression(ofColumn: column)?.storage(in: entity)) ?? nil
      }
      guard stored == destination.keyStorage.map({ $0 }) else {
        throw refusal(
          "the relationship \(name) holds the key of \(destination.name) in \(columns), whose types"
            + " differ from it; declare the attributes with the types of the key"
        )
      }
      for foreign in shape.foreignKeys where Self.isSame(foreign.columns, key.columns) {
        guard foreign.target.hasSameBytes(as: destination.name) else {
          throw refusal(
            "the relationship \(name) names \(destination.name), but \(columns) references"
              + " \(foreign.target); declare \(foreign.target) as its destination"
          )
        }
        guard foreign.names(key.columns, destination.identity.columns) else {
          let targets = foreign.targetColumns.joined(separator: ", ")
          throw refusal(
            "the relationship \(name) needs the key of \(destination.name), but \(columns) references"
              + " its column \(targets); remove the relationship, or reference the key"
          )
        }
        if let (rule, action) = foreign.rule,
          key.relationship.onDelete != .none, key.relationship.onDelete != rule
        {
          throw refusal(
            "the delete rule of the relationship \(name) is \(key.relationship.onDelete.rawValue), but"
              + " the database does \(action) where \(columns) names a deleted row; declare the rule"
              + " \(rule.rawValue)"
          )
        }
      }
    }
  }

  /// Refuses a to-many relationship whose keys, in another table, are none or name something else.
  private func checkInverses(
    _ tables: (EntityDescription) -> TableShape?
  ) throws(SchemaRefusal) {
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
        func refusal(_ detail: String) -> SchemaRefusal {
          let key = "\(holder.name).\(columns.joined(separator: ", "))"
          return .mismatch(
            entity.name,
            "the relationship \(relationship.name) finds its objects by \(key), \(detail)"
          )
        }
        let types = columns.map { column in
          (try? holder.expression(ofColumn: column)?.storage(in: holder)) ?? nil
        }
        guard !types.contains(nil) else {
          throw refusal("which \(holder.name) does not have; declare it as an attribute")
        }
        guard types == named.keyStorage.map({ $0 }) else {
          throw refusal(
            "whose type is not that of the key of \(named.name); declare it with that type"
          )
        }
        guard let shape = tables(holder) else { continue }
        let declared = shape.foreignKeys.filter { Self.isSame($0.columns, columns) }
        if let other = declared.first,
          !declared.contains(where: { $0.target.hasSameBytes(as: named.name) })
        {
          throw refusal(
            "which references \(other.target) and not \(named.name); name the column that references"
              + " \(named.name)"
          )
        }
      }
    }
  }

  /// Whether two lists have the same names in any order.
  private static func isSame(_ left: [String], _ right: [String]) -> Bool {
    Set(values(left)) == Set(values(right))
  }

  /// The names as values, which compare by bytes.
  private static func values(_ names: [String]) -> [Value] { names.map { .text($0) } }
}

extension TableShape.ForeignKey {
  /// The delete rule that has the same effect, with its name in SQL; `nil` if the database only refuses deletes.
  fileprivate var rule: (DeleteRule, String)? {
    switch onDelete {
    case "c": (.cascade, "CASCADE")
    case "n": (.nullify, "SET NULL")
    // There is no such rule, so only the one that does nothing fits.
    case "d": (DeleteRule.none, "SET DEFAULT")
    default: nil
    }
  }

  /// Whether each of its columns references the part of the key that a relationship has it for.
  fileprivate func names(_ columns: [String], _ keys: [String]) -> Bool {
    zip(columns, keys).allSatisfy { column, key in
      zip(self.columns, targetColumns).contains {
        $0.hasSameBytes(as: column) && $1.hasSameBytes(as: key)
      }
    }
  }
}
#endif
