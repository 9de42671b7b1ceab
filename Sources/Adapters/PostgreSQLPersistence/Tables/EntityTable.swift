#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

/// The table of one entity: its names in SQL, and how the values of its columns travel.
final class EntityTable: Sendable {
  /// A column of the entity: a part of the key, or an attribute.
  struct Column: Hashable, Sendable {
    /// The column's name in quotes, for what can be no other column: one that a statement inserts or sets, or that an index has.
    let name: String
    let coding: ColumnCoding
    /// Whether it can be null.
    let isNullable: Bool
    /// Whether the database calculates it, so that no statement may write it.
    let isGenerated: Bool
    /// Whether its collation is `C`, or it has none.
    var sortsByBytes = true
    /// Whether equal texts have equal bytes by its collation.
    var isDeterministic = true
    /// How its values are read as texts, if no attribute has such values.
    var textReading: TextReading?
    /// The name of its table in a statement, or `nil` in the definition of an index.
    fileprivate(set) var table: String?

    /// The column where a statement reads it.
    ///
    /// PostgreSQL takes a name alone that is no column of the table, because that was dropped, for a row of the table or for a column of an
    /// outer statement. With the table's name it is an error.
    var sql: String {
      let column = table.map { "\($0).\(name)" } ?? name
      return switch textReading {
      case .none: coding.isLenient && coding.canBeNoNumber ? "NULLIF(\(column), 'NaN')" : column
      case .conversion: "((\(column))::pg_catalog.text)"
      // A conversion can be a function of the database's owner, and writes an address in another way. The test is one of a null, whatever
      // the fields of a row are.
      case .output:
        "(CASE WHEN \(column) IS DISTINCT FROM NULL THEN pg_catalog.format('%s', \(column)) END)"
      }
    }

    /// The column of a table that has a name in a statement.
    fileprivate func qualified(by table: String?) -> Column {
      var column = self
      column.table = table
      return column
    }
  }

  /// How the values of a column are read as texts.
  enum TextReading: Hashable, Sendable {
    /// By the conversion of the type: texts without the spaces that pad them.
    case conversion
    /// As the server writes them.
    case output
  }

  let entity: EntityDescription
  /// The entity's index among the store's.
  let index: Int
  let shape: TableShape
  /// The table's name with its schema, in quotes.
  let quotedName: String
  /// The columns of the key, in key order.
  let keyColumns: [Column]
  /// The columns of the attributes, in the order of a row's values.
  let attributeColumns: [Column]
  /// The table's name in a statement that reads several tables, or `nil`.
  let statementName: String?
  /// The tables that such a statement joins to this one.
  let joins: [TableJoin<EntityTable>]

  init(
    _ entity: EntityDescription,
    index: Int,
    shape: TableShape,
    keyColumns: [Column],
    attributeColumns: [Column]
  ) {
    self.entity = entity
    self.index = index
    self.shape = shape
    quotedName = shape.quotedName
    let name = Connection.quoted(shape.name)
    self.keyColumns = keyColumns.map { $0.qualified(by: name) }
    self.attributeColumns = attributeColumns.map { $0.qualified(by: name) }
    (statementName, joins) = (nil, [])
  }

  /// A table under a name of its own in a statement that reads several tables, or whose columns have no other name than their own.
  private init(_ table: EntityTable, named name: String?) {
    entity = table.entity
    index = table.index
    shape = table.shape
    quotedName = table.quotedName
    keyColumns = table.keyColumns.map { $0.qualified(by: name) }
    attributeColumns = table.attributeColumns.map { $0.qualified(by: name) }
    (statementName, joins) = (name, [])
  }

  /// A table under a name of its own in a statement that reads several tables.
  convenience init(_ table: EntityTable, as name: String) { self.init(table, named: name) }

  /// The table whose columns have no other name than their own, as in the definition of an index.
  var unqualified: EntityTable { EntityTable(self, named: nil) }

  /// The table as a statement reads it.
  var source: String { statementName.map { "\(quotedName) AS \($0)" } ?? quotedName }

  /// A named table with others joined to it.
  init(_ table: EntityTable, joining joins: [TableJoin<EntityTable>]) {
    entity = table.entity
    index = table.index
    shape = table.shape
    quotedName = table.quotedName
    keyColumns = table.keyColumns
    attributeColumns = table.attributeColumns
    statementName = table.statementName
    self.joins = joins
  }

  /// Whether the key is made of attributes.
  var isCompound: Bool { !entity.keyAttributeIndexes.isEmpty }

  /// The identity of a key.
  func id(_ key: ObjectKey) -> ObjectID { ObjectID(entity: entity.name, key: key) }

  /// The row of a key.
  func row(_ key: ObjectKey, _ values: [Value]) -> Row {
    Row(entity: entity, id: id(key), values: values)
  }

  /// The key in a row of a result.
  /// - Parameters:
  ///   - result: The result.
  ///   - row: The row.
  ///   - column: The first column of the key; the parts follow each other.
  /// - Returns: `nil` if a part is null or has no value in the domain.
  func key(_ result: QueryResult, _ row: Int, from column: Int) -> ObjectKey? {
    var parts: [Value] = []
    parts.reserveCapacity(keyColumns.count)
    for (index, key) in keyColumns.enumerated() {
      guard let value = result.value(row, column + index, key.coding), !value.isNull else {
        return nil
      }
      parts.append(value)
    }
    return ObjectKey(parts: parts, of: entity.identity)
  }

  /// The attributes' values in a row of a result.
  /// - Parameters:
  ///   - result: The result.
  ///   - row: The row.
  ///   - column: The first column; the attributes follow each other.
  /// - Returns: One value for each attribute.
  /// - Throws: The index of an attribute whose value has none in the domain.
  func values(
    _ result: QueryResult,
    _ row: Int,
    from column: Int
  ) throws(UnreadableValue) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(attributeColumns.count)
    for (index, attribute) in attributeColumns.enumerated() {
      guard !result.isNull(row, column + index) else {
        values.append(.null)
        continue
      }
      guard let value = result.value(row, column + index, attribute.coding) else {
        throw UnreadableValue(attribute: index)
      }
      values.append(value)
    }
    return values
  }
}

/// A stored value that has none in the domain, such as not-a-number or a date after January 294247.
struct UnreadableValue: Error {
  /// The index of its attribute.
  let attribute: Int
}

/// The tables of all entities that a store was opened with.
typealias StoreTables = SQLTables<EntityTable>

extension StoreTables {
  /// Whether a store has created all of them, not another application.
  var areOwn: Bool { all.allSatisfy { $0.shape.format != nil } }
}
#endif
