#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

/// A change that makes a table fit its entity; all others are refused.
enum SchemaChange {
  /// The schema is created.
  case schema(String)
  /// The table is created.
  case create(EntityDescription)
  /// A column is added; it is null in all rows.
  case add(AttributeDescription, EntityDescription)
  /// A foreign key is enforced from now on.
  case reference(ForeignKeyRules.Key, EntityDescription)
  /// The values of a column are moved to where they belong now.
  case replace(AttributeReplacement, EntityDescription)
  /// A column is removed with its values.
  case drop(String, EntityDescription)
  /// An index over the columns of a foreign key is created.
  case index([String], EntityDescription)

  /// The order in which changes are applied.
  enum Phase: CaseIterable {
    case schema, create, add, replace, drop, reference, index
  }

  /// When the change is applied.
  var phase: Phase {
    switch self {
    case .schema: .schema
    case .create: .create
    case .add: .add
    case .reference: .reference
    case .replace: .replace
    case .drop: .drop
    case .index: .index
    }
  }

  /// The entity whose table is changed, or `nil` for the schema.
  var entity: EntityDescription? {
    switch self {
    case .schema: nil
    case .create(let entity), .add(_, let entity), .reference(_, let entity),
      .replace(_, let entity), .drop(_, let entity), .index(_, let entity):
      entity
    }
  }

  /// The changes of a table that a store has created.
  /// - Throws: `OpenFailureError` for a difference that needs a decision.
  static func changes(
    from shape: TableShape,
    to entity: EntityDescription,
    among entities: [EntityDescription],
    replacing replacements: [AttributeReplacement]
  ) throws(OpenFailureError) -> [SchemaChange] {
    let difference = try SchemaDifference(
      from: shape.recorded(as: entity),
      to: entity,
      replacing: replacements,
      beside: shape.columns.filter { $0.record == nil }.map(\.name)
    )
    let rules = ForeignKeyRules(entity, among: entities)
    // A relationship over columns that exist already gets no constraint, which their values might violate.
    let references = rules.enforced.filter { key in
      key.columns.contains { name in
        difference.added.contains { $0.name.hasSameBytes(as: name) }
      }
    }
    return difference.added.map { .add($0, entity) }
      + difference.replaced.map { .replace($0, entity) }
      + difference.dropped.map { .drop($0, entity) } + references.map { .reference($0, entity) }
      + rules.missingIndexes(beside: shape.indexes).map { .index($0, entity) }
  }

  /// Adds the locks of the tables that the change needs, of those that exist.
  /// - Parameters:
  ///   - schema: The schema with the tables.
  ///   - entities: The store's entities, any of whose tables statements of the application can use.
  ///   - locks: The locks.
  func addLocks(in schema: String, of entities: [EntityDescription], to locks: inout TableLocks) {
    func add(_ entity: EntityDescription, _ mode: TableLocks.Mode) {
      locks.add("\(Connection.quoted(schema)).\(Connection.quoted(entity.name))", mode)
    }
    switch self {
    case .schema, .create: break
    case .add(_, let entity), .drop(_, let entity): add(entity, .accessExclusive)
    case .replace: for entity in entities { add(entity, .shareRowExclusive) }
    case .reference(let key, let entity):
      add(entity, .shareRowExclusive)
      add(key.relationship.destination, .shareRowExclusive)
    case .index(_, let entity): add(entity, .share)
    }
  }

  /// What a store records about the column of an integer or text key.
  static let keyMark = "key"

  /// The statements that make the change.
  /// - Parameters:
  ///   - schema: The schema with the tables.
  ///   - triggers: The names of the triggers that capture the table's changes; they mention its columns.
  ///   - freeName: A name that nothing in the schema has, from one that may be taken.
  /// - Returns: The statements, in order.
  func statements(
    in schema: String,
    triggers: [String],
    freeName: (String) -> String
  ) -> [String] {
    func table(_ entity: EntityDescription) -> String {
      Connection.quoted(schema) + "." + Connection.quoted(entity.name)
    }
    switch self {
    case .schema(let name): return ["CREATE SCHEMA IF NOT EXISTS \(Connection.quoted(name))"]
    case .create(let entity): return SchemaChange.creation(of: entity, as: table(entity))
    case .add(let attribute, let entity):
      let name = Connection.quoted(attribute.name)
      return [
        "ALTER TABLE \(table(entity)) ADD COLUMN \(name) \(ColumnTypes.declaration(of: attribute))",
        SchemaChange.comment(attribute, of: table(entity)),
      ] + (attribute.isCustom ? [SchemaChange.comment(of: entity, as: table(entity))] : [])
    case .reference(let key, let entity):
      return [
        "ALTER TABLE \(table(entity)) ADD \(ForeignKeyRules.constraint(key, in: schema))"
      ]
    case .replace(let replacement, _):
      return ["SET LOCAL search_path = \(Connection.quoted(schema)), pg_catalog"]
        + replacement.statements + ["SET LOCAL search_path = pg_catalog"]
    case .drop(let name, let entity):
      return triggers.map { "DROP TRIGGER IF EXISTS \(Connection.quoted($0)) ON \(table(entity))" }
        + ["ALTER TABLE \(table(entity)) DROP COLUMN \(Connection.quoted(name))"]
    case .index(let columns, let entity):
      let name = freeName(ForeignKeyRules.indexName(columns, of: entity))
      let list = PostgreSQLDialect.list(columns)
      return ["CREATE INDEX \(Connection.quoted(name)) ON \(table(entity)) (\(list))"]
    }
  }

  /// The statements that create an entity's table: the key's column first.
  private static func creation(of entity: EntityDescription, as table: String) -> [String] {
    var lines: [String] = []
    var comments: [String] = []
    switch entity.identity {
    case .integer(let column):
      lines.append(
        "\(Connection.quoted(column)) bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
      )
      comments.append(comment(on: column, of: table, keyMark))
    case .text(let column):
      lines.append(#"\#(Connection.quoted(column)) text COLLATE pg_catalog."C" PRIMARY KEY"#)
      comments.append(comment(on: column, of: table, keyMark))
    case .compound: break
    }
    for attribute in entity.attributes {
      let rule = attribute.isOptional ? "" : " NOT NULL"
      lines.append(
        "\(Connection.quoted(attribute.name)) \(ColumnTypes.declaration(of: attribute))\(rule)"
      )
      comments.append(comment(attribute, of: table))
    }
    if case .compound(let names) = entity.identity {
      lines.append("PRIMARY KEY (\(PostgreSQLDialect.list(names)))")
    }
    return [
      "CREATE TABLE \(table) (\n  \(lines.joined(separator: ",\n  "))\n)",
      comment(of: entity, as: table),
    ] + comments
  }

  /// The statement that records the version of the format of an entity's table.
  private static func comment(of entity: EntityDescription, as table: String) -> String {
    let isExtended = entity.attributes.contains(where: \.isCustom)
    let format = isExtended ? SchemaInspector.customFormat : SchemaInspector.format
    return "COMMENT ON TABLE \(table) IS " + Connection.literal(CatalogReader.mark + "\(format)")
  }

  private static func comment(_ attribute: AttributeDescription, of table: String) -> String {
    comment(on: attribute.name, of: table, attribute.recordedType)
  }

  private static func comment(on column: String, of table: String, _ text: String) -> String {
    "COMMENT ON COLUMN \(table).\(Connection.quoted(column)) IS "
      + Connection.literal(CatalogReader.mark + text)
  }

  /// A name that is not among those taken, within the 63 bytes that PostgreSQL keeps of it.
  static func freeName(_ wanted: String, beside taken: [String]) -> String {
    var number = 1
    while true {
      let suffix = number == 1 ? "" : "\(number)"
      var name = wanted
      while name.utf8.count + suffix.utf8.count > 63 { name.removeLast() }
      name += suffix
      if !taken.contains(where: { $0.hasSameBytes(as: name) }) { return name }
      number += 1
    }
  }
}

extension TableShape {
  /// The attributes that users have added to the entity of the table.
  var customAttributes: [AttributeDescription] {
    columns.compactMap { column in
      guard let record = column.record else { return nil }
      return RecordedEntity.Attribute(
        name: column.name,
        type: record,
        isOptional: !column.isRequired
      ).custom
    }
  }

  /// The entity that a store has recorded in comments on the columns.
  fileprivate func recorded(as entity: EntityDescription) -> RecordedEntity {
    let keys = primaryKey.compactMap { column(named: $0) }
    let own = keys.count == 1 && keys[0].record == SchemaChange.keyMark ? keys[0] : nil
    let isRecorded = keys.allSatisfy { $0.record != nil }
    return RecordedEntity(
      name: entity.name,
      identity: own.map { $0.type == TypeNumber.integer ? "integer" : "text" }
        ?? (isRecorded ? "compound" : "another"),
      keyColumn: own?.name,
      keyAttributes: primaryKey,
      attributes: columns.compactMap { column in
        guard let record = column.record, record != SchemaChange.keyMark else { return nil }
        return RecordedEntity.Attribute(
          name: column.name,
          type: record,
          isOptional: !column.isRequired
        )
      }
    )
  }
}
#endif
