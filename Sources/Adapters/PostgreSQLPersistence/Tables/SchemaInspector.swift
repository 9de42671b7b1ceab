#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// How tables are found, made and changed when a store is opened.
struct SchemaOptions: Sendable {
  /// The schema with the tables.
  var schema = "public"
  /// Whether tables that no store has made are used as they are.
  var adoptsTables = false
  /// Whether missing tables are created.
  var createsTables = true
  /// Whether the database may be changed.
  var isWritable = true
  /// Whether the dates of an application's tables are checked for their unit.
  var checksDates = true
  /// How to move the values of attributes that entities had in earlier versions of the program.
  var replacements: [AttributeReplacement] = []
  /// The schemas of entities that were discovered, by their names; `nil` for declared ones, which are all in one schema.
  ///
  /// A discovered entity may be identified by a unique index, and some of its attributes are read as texts.
  var homes: [String: String]?
}

/// Compares the tables of a database with the entities that a store is opened with.
struct SchemaInspector {
  let entities: [EntityDescription]
  let options: SchemaOptions

  /// The version of the format of tables that a store creates, where no attributes have been added by users.
  static let format = 1
  /// The version from the first such attribute on, and the newest that can be read: a program that does not know them would remove their
  /// columns.
  static let customFormat = 2

  /// The names that PostgreSQL gives to columns of its own (the manual, 5.5).
  private static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

  /// Refuses names that no table or column can have.
  func checkNames() throws(OpenFailureError) {
    var tables: Set<Value> = []
    for entity in entities {
      guard tables.insert(.text(entity.name)).inserted else {
        throw .mismatch(entity, "two entities have that name")
      }
      let keys = entity.keyAttributeIndexes.isEmpty ? entity.identity.columns : []
      for name in [entity.name] + keys + entity.attributes.map(\.name) {
        guard !name.utf8.contains(0) else {
          throw .mismatch(entity, "a name contains a NUL character")
        }
        guard name.utf8.count <= 63 else {
          throw .mismatch(
            entity,
            "the name \(name) has more than the 63 bytes that PostgreSQL keeps of a name"
          )
        }
      }
      for name in keys + entity.attributes.map(\.name) where Self.systemColumns.contains(name) {
        throw .mismatch(entity, "\(name) is the name of one of PostgreSQL's own columns")
      }
    }
  }

  /// The changes that make the tables fit; none if they do.
  /// - Parameters:
  ///   - found: The tables as they are.
  ///   - names: Reads the names of all tables, for the message about one that is missing.
  /// - Returns: The changes, in the order in which they are made.
  /// - Throws: `OpenFailureError` for a table that does not fit and cannot be changed.
  func changes(
    _ found: CatalogReader.Findings,
    names: () throws(OpenFailureError) -> [String]
  ) throws(OpenFailureError) -> [SchemaChange] {
    guard found.encoding == "UTF8" else {
      throw OpenFailureError(
        .unsupportedServer(
          found: "texts in the encoding \(found.encoding)",
          needed: "a database with the encoding UTF8"
        )
      )
    }
    var changes: [SchemaChange] = []
    for entity in entities {
      guard let shape = found.table(named: entity.name) else {
        guard options.createsTables else {
          throw .missingTable(of: entity, among: try names())
        }
        if !found.hasSchema, changes.isEmpty { changes.append(.schema(options.schema)) }
        changes.append(.create(entity))
        let rules = ForeignKeyRules(entity, among: entities)
        changes += rules.enforced.map { .reference($0, entity) }
        changes += rules.missingIndexes(beside: []).map { .index($0, entity) }
        continue
      }
      try checkTable(shape, entity)
      if shape.format != nil {
        changes += try SchemaChange.changes(
          from: shape,
          to: entity,
          among: entities,
          replacing: options.replacements
        )
      } else if !options.adoptsTables {
        throw .mismatch(
          entity,
          "a table of that name was not created by a store; open it with the option that adopts"
            + " tables"
        )
      }
    }
    // A replacement writes what is new, and reads what is dropped.
    return SchemaChange.Phase.allCases.flatMap { phase in changes.filter { $0.phase == phase } }
  }

  /// The tables of the entities, once they fit.
  func tables(_ found: CatalogReader.Findings) throws(OpenFailureError) -> [EntityTable] {
    var tables: [EntityTable] = []
    for (index, entity) in entities.enumerated() {
      guard let shape = found.table(named: entity.name) else {
        throw .mismatch(entity, "there is no such table")
      }
      try checkTable(shape, entity)
      if let detail = ForeignKeyRules(entity, among: entities).contradiction(in: found) {
        throw .mismatch(entity, detail)
      }
      tables.append(try table(of: entity, index, shape))
    }
    return tables
  }

  /// Refuses what is no table whose rows are all seen, each with a key of its own.
  private func checkTable(
    _ shape: TableShape,
    _ entity: EntityDescription
  ) throws(OpenFailureError) {
    func refusal(_ detail: String) -> OpenFailureError { .mismatch(entity, detail) }
    switch shape.kind {
    case "r", "p": break
    case "f": throw refusal("it is a foreign table, whose changes this server does not see")
    default: throw refusal("it is a view, whose rows have no permanent key")
    }
    guard shape.isReadable else {
      throw OpenFailureError(
        .noPermission(detail: "this role may not read the table \(entity.name)")
      )
    }
    guard !shape.hidesRows else {
      throw refusal(
        "row security applies to this role, and the changes of hidden rows would be seen; use a role"
          + " that sees all rows"
      )
    }
    guard !shape.hasHeirs else {
      throw refusal("other tables inherit from it, and its key is not unique among their rows")
    }
    if let format = shape.format, format > Self.customFormat {
      throw OpenFailureError(.newerFormat(found: format, supported: Self.customFormat))
    }
  }

  /// The table of an entity.
  /// - Throws: `OpenFailureError` for a column that does not hold the entity's values, and for another key.
  private func table(
    of entity: EntityDescription,
    _ index: Int,
    _ shape: TableShape
  ) throws(OpenFailureError) -> EntityTable {
    func refusal(_ detail: String) -> OpenFailureError { .mismatch(entity, detail) }
    func column(_ name: String) throws(OpenFailureError) -> TableShape.Column {
      guard let column = shape.column(named: name) else {
        throw refusal("it has no column \(name)")
      }
      return column
    }
    let declared = entity.identity.columns
    let keys = Set(declared.map { Value.text($0) })
    let isUniqueKey =
      options.homes != nil
      && shape.uniqueKeys.contains { Set($0.map { Value.text($0) }) == keys }
    guard isUniqueKey || Set(shape.primaryKey.map { Value.text($0) }) == keys else {
      guard !shape.primaryKey.isEmpty else { throw refusal("it has no primary key") }
      throw refusal(
        "its primary key is \(shape.primaryKey.joined(separator: ", ")), not"
          + " \(declared.joined(separator: ", "))"
      )
    }
    guard isUniqueKey || !shape.isKeyDeferrable else {
      throw refusal(
        "its primary key is DEFERRABLE, so that one key can have two rows within a transaction"
      )
    }
    do {
      var attributes: [EntityTable.Column] = []
      for attribute in entity.attributes {
        let column = try column(attribute.name)
        attributes.append(
          EntityTable.Column(column, try ColumnTypes.coding(of: attribute, in: column))
        )
      }
      var keyColumns: [EntityTable.Column] = []
      for (position, name) in declared.enumerated() {
        let column = try column(name)
        let coding =
          entity.keyAttributeIndexes.isEmpty
          ? try ColumnTypes.coding(ofKey: entity.keyStorage[position], in: column)
          : attributes[entity.keyAttributeIndexes[position]].coding
        try ColumnTypes.checkKey(column, coding)
        keyColumns.append(EntityTable.Column(column, coding))
      }
      return EntityTable(
        entity,
        index: index,
        shape: shape,
        keyColumns: keyColumns,
        attributeColumns: attributes
      )
    } catch let error as ColumnTypes.Refusal {
      throw refusal(error.detail)
    } catch let error as OpenFailureError {
      throw error
    } catch {
      throw refusal("\(error)")
    }
  }
}

extension EntityTable.Column {
  /// The column of a table in the catalog, with the way in which its values travel.
  init(_ column: TableShape.Column, _ coding: ColumnCoding) {
    self.init(
      name: Connection.quoted(column.name),
      coding: coding,
      isNullable: !column.isRequired || coding.isLenient && coding.canBeNoNumber,
      isGenerated: column.isGenerated,
      sortsByBytes: column.sortsByBytes,
      isDeterministic: !column.isNondeterministic,
      textReading: !column.readsAsText
        ? nil : column.type == TypeNumber.paddedText ? .conversion : .output
    )
  }
}
#endif
