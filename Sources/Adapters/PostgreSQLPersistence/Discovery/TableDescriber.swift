#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Describes the tables of a catalog as entities.
struct TableDescriber {
  private let shapes: [TableShape]

  /// The names of tables in their schemas, as bytes.
  private struct Home: Hashable {
    let schema: Value
    let name: Value

    init(_ schema: String, _ name: String) {
      (self.schema, self.name) = (.text(schema), .text(name))
    }
  }

  init(_ shapes: [TableShape]) {
    self.shapes = shapes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The descriptions, by name.
  /// - Complexity: O(*n* log *n*) in the tables, O(*n*) in their columns and keys.
  func descriptions() -> [PostgreSQLTableDescription] {
    let alike = shapes.map(\.name).equalButForComposition
    let homes = Set(shapes.map { Home($0.schema, $0.name) })
    let tables = shapes.map { shape in
      var table = self.table(shape, isAmbiguous: alike.contains(shape.name))
      table.foreignKeys = shape.foreignKeys.map { key in
        let isDescribed = homes.contains(Home(key.schema ?? "", key.table))
        return ForeignKeyDescription(
          columns: key.columns,
          table: isDescribed ? key.table : "\(key.schema ?? "").\(key.table)",
          targets: key.targets,
          onDelete: key.action.rule,
          isDeclared: true
        )
      }
      table.missingTables = Set(
        zip(shape.foreignKeys, table.foreignKeys)
          .filter { key, _ in !homes.contains(Home(key.schema ?? "", key.table)) }.map(\.1.table)
      )
      return table
    }
    return withMissingIndexes(connected(tables))
  }

  // MARK: - One table

  private func table(_ shape: TableShape, isAmbiguous: Bool) -> PostgreSQLTableDescription {
    var table = PostgreSQLTableDescription(
      kind: PostgreSQLTableDescription.Kind(shape),
      entity: .failure(.composition),
      foreignKeys: [],
      shape: shape
    )
    table.omittedColumns = shape.columns.filter { !$0.isReadable }
      .map { OmittedColumn($0.name, reason: "may not be read by this role") }
    guard !isAmbiguous else { return table }
    if let refusal = refusal(of: shape) {
      table.entity = .failure(TableRefusal(description: refusal))
      return table
    }
    do {
      let identity: EntityIdentity
      do {
        identity = try self.identity(of: shape)
      } catch let refusal as TableRefusal {
        table.entity = .failure(refusal)
        table.unidentifiedEntity = try entity(of: shape, numbering(shape))
        return table
      }
      table.entity = .success(try entity(of: shape, identity))
    } catch {
      table.entity = .failure(TableRefusal(description: "\(error)"))
    }
    return table
  }

  /// Why no row of a table can be read.
  private func refusal(of shape: TableShape) -> String? {
    if !shape.isReadable { return "this role may not read it" }
    if shape.hidesRows {
      return "row security applies to this role, and would hide rows; use a role that sees all rows"
    }
    if !shape.isFilled { return "it is a materialized view that was never refreshed" }
    if !shape.columns.contains(where: \.isReadable) { return "it has no columns" }
    guard shape.columns.map(\.name).equalButForComposition.isEmpty else {
      return "two columns have the same name but for the composition of its letters"
    }
    return nil
  }

  private func entity(
    of shape: TableShape,
    _ identity: EntityIdentity
  ) throws -> EntityDescription {
    let isKeyApart = if case .compound = identity { false } else { true }
    let key = isKeyApart ? identity.columns : []
    let columns = shape.columns.filter { column in
      column.isReadable && !key.contains { $0.hasSameBytes(as: column.name) }
    }
    return try EntityDescription(
      name: shape.name,
      identity: identity,
      attributes: columns.map { column in
        AttributeDescription(
          column.name,
          ColumnTypes.attribute(for: column),
          isOptional: !column.isRequired || ColumnTypes.canBeNoNumber(column)
        )
      }
    )
  }

  /// The identity of rows that are numbered as they are read, under a name that no column has.
  private func numbering(_ shape: TableShape) -> EntityIdentity {
    var name = "row"
    while shape.column(named: name) != nil { name += "#" }
    return .integer(column: name)
  }

  /// The identity by which every row of the table is found: the primary key, or else the first unique index that has all rows.
  /// - Throws: `TableRefusal` if there is none.
  private func identity(of shape: TableShape) throws -> EntityIdentity {
    func missing(_ reason: String) -> TableRefusal { TableRefusal(description: reason) }
    switch PostgreSQLTableDescription.Kind(shape) {
    case .table, .partitioned: break
    case .view, .materialized: throw missing("it is a view, whose rows have no permanent key")
    case .foreign: throw missing("it is a foreign table, whose changes this server does not see")
    }
    guard !shape.hasHeirs else {
      throw missing("other tables inherit from it, and its key is not unique among their rows")
    }
    var reason = "it has no primary key, and no unique index over columns that are never null"
    var candidates = shape.uniqueKeys
    if shape.isKeyDeferrable {
      reason =
        "its primary key is DEFERRABLE, so that one key can have two rows within a transaction"
    } else if !shape.primaryKey.isEmpty {
      candidates.insert(shape.primaryKey, at: 0)
    }
    var refused: String?
    for names in candidates {
      do {
        return try identity(names, of: shape)
      } catch let refusal as ColumnTypes.Refusal {
        refused = refused ?? refusal.detail
      }
    }
    throw missing(refused ?? reason)
  }

  private func identity(_ names: [String], of shape: TableShape) throws -> EntityIdentity {
    var codings: [ColumnCoding] = []
    for name in names {
      guard let column = shape.column(named: name), column.isReadable else {
        throw ColumnTypes.Refusal(detail: "this role may not read the key \(name)")
      }
      let attribute = AttributeDescription(name, ColumnTypes.attribute(for: column))
      let coding = try ColumnTypes.coding(of: attribute, in: column)
      try ColumnTypes.checkKey(column, coding)
      codings.append(coding)
    }
    guard codings.count == 1 else { return .compound(names) }
    return switch codings[0].kind {
    case .integer: .integer(column: names[0])
    case .text, .uuid: .text(column: names[0])
    default: .compound(names)
    }
  }

  // MARK: - Between tables

  /// The tables whose entities have relationships.
  private func connected(_ tables: [PostgreSQLTableDescription]) -> [PostgreSQLTableDescription] {
    let shapes = Dictionary(tables.map { ($0.name, $0.shape) }) { first, _ in first }
    let related = tables.compactMap { table in
      (try? table.entity.get()).map {
        RelatedTable(
          $0,
          foreignKeys: table.foreignKeys.filter { key in
            // Columns that refer to two keys name no object.
            table.foreignKeys.allSatisfy { other in
              Set(other.columns) != Set(key.columns)
                || other.table == key.table && other.targets == key.targets
                  && other.columns == key.columns
            }
          },
          uniqueColumns: table.shape.uniqueIndexes
        )
      }
    }
    let entities = RelationshipDiscovery.connected(related, PlainNames()) {
      source,
      columns,
      target in
      guard let source = shapes[source.name], let other = shapes[target.name] else { return false }
      return zip(columns, target.identity.columns)
        .allSatisfy { Self.compare(source.column(named: $0), other.column(named: $1)) }
    }
    return tables.map { table in
      guard let entity = try? table.entity.get() else { return table }
      var table = table
      table.entity = .success(entities[entity.name] ?? entity)
      return table
    }
  }

  /// Whether the values of two columns are equal here where the server finds them equal.
  private static func compare(_ column: TableShape.Column?, _ key: TableShape.Column?) -> Bool {
    guard let column, let key, !column.readsAsText, !key.readsAsText else { return false }
    let integers = [TypeNumber.integer16, TypeNumber.integer32, TypeNumber.integer]
    return column.type == key.type || integers.contains(column.type) && integers.contains(key.type)
      || TypeNumber.textForms.contains(column.type) && TypeNumber.textForms.contains(key.type)
  }

  /// The tables with the columns for which an index is missing.
  private func withMissingIndexes(
    _ tables: [PostgreSQLTableDescription]
  ) -> [PostgreSQLTableDescription] {
    let entities = RelatedEntities(tables.compactMap { try? $0.entity.get() })
    return tables.map { table in
      guard let entity = try? table.entity.get() else { return table }
      var table = table
      table.missingIndexes = ForeignKeyRules(entity, among: entities)
        .missingIndexes(beside: table.shape.indexes)
      return table
    }
  }
}

/// Names that say nothing beyond themselves; PostgreSQL compares them by bytes.
private struct PlainNames: NamingConventions {
  var namesColumnsByTables: Bool { false }
  func objectName(ofTable name: String) -> String { name }
  func relationshipName(ofLinkColumn name: String) -> String? { nil }
  func identifier(_ name: String) -> [UInt8] { Array(name.utf8) }
}

extension PostgreSQLTableDescription.Kind {
  fileprivate init(_ shape: TableShape) {
    switch shape.kind {
    case "p": self = .partitioned
    case "v": self = .view
    case "m": self = .materialized
    case "f": self = .foreign
    default: self = .table
    }
  }
}
#endif
