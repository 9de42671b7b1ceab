import GRDB
import ResultsDomain
import SQLStoreSupport

/// The table of one entity: its names in SQL, its statements, and the positions of its columns.
final class EntityTable: Sendable {
  let entity: EntityDescription
  /// The entity's index among the store's.
  let index: Int
  /// The table's name as SQLite reports it.
  let name: [UInt8]
  /// The name in double quotes.
  let quotedName: String
  let keyColumns: [String]
  let attributeColumns: [String]
  /// The table's declaration when the store was opened.
  let shape: TableShape
  /// The positions of the columns then.
  let positions: ColumnPositions
  /// Whether the key is SQLite's row number.
  let isRowNumber: Bool
  /// The indexes of the attributes that the database calculates; no statement may write them.
  let generatedIndexes: [Int]
  /// The indexes of the other attributes.
  let writableIndexes: [Int]
  /// Whether every stored value has its column's storage class.
  let isStrict: Bool
  /// Whether the key is made of attributes.
  let isCompound: Bool
  /// The storage classes of the key's parts.
  let keyStorage: [StorageClass]
  /// The storage classes of the attributes.
  let attributeStorage: [StorageClass]
  /// The statements, whose texts are built once.
  let sql: Statements
  /// The table's name in a statement that reads several tables, or `nil`.
  let statementName: String?
  /// The tables that such a statement joins to this one.
  let joins: [TableJoin<EntityTable>]

  /// The texts of the statements for rows of the table.
  struct Statements: Sendable {
    /// Reads the attributes of one key.
    let select: String
    /// Reads the attributes of a list of keys of one column, each after its index in the list.
    ///
    /// The rows are in the order of the list (sqlite.org/lang_select.html, CROSS JOIN).
    let selectList: String
    /// Inserts a row with its key.
    let insert: String
    /// Inserts a row whose key SQLite assigns.
    let insertUnkeyed: String
    /// The beginning and the end of a statement that writes attributes of one key.
    private let updateStart, updateEnd: String
    /// Deletes the row of one key.
    let delete: String

    /// Builds the texts.
    /// - Parameters:
    ///   - table: The table's name in quotes.
    ///   - keys: The key's columns in quotes.
    ///   - attributes: All attributes' columns in quotes.
    ///   - writable: Those that a statement may write.
    ///   - isCompound: Whether the key is made of attributes.
    fileprivate init(
      table: String,
      keys: [String],
      attributes: [String],
      writable: [String],
      isCompound: Bool
    ) {
      func insertion(_ columns: [String]) -> String {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
      }
      let condition = " WHERE " + keys.map { $0 + " = ?" }.joined(separator: " AND ")
      let columns = attributes.isEmpty ? "1" : attributes.joined(separator: ", ")
      let listColumns = ["keys.rowid"] + attributes.map { "list.\($0)" }
      select = "SELECT \(columns) FROM \(table)\(condition)"
      selectList = """
        SELECT \(listColumns.joined(separator: ", ")) FROM results_values(?) AS keys \
        CROSS JOIN \(table) AS list ON list.\(keys.joined()) = keys.c0
        """
      insert = insertion(isCompound ? writable : keys + writable)
      insertUnkeyed =
        writable.isEmpty ? "INSERT INTO \(table) DEFAULT VALUES" : insertion(writable)
      (updateStart, updateEnd) = ("UPDATE \(table) SET ", condition)
      delete = "DELETE FROM \(table)\(condition)"
    }

    /// Writes some columns of one key, given in quotes.
    func update(_ columns: [String]) -> String {
      updateStart + columns.map { $0 + " = ?" }.joined(separator: ", ") + updateEnd
    }
  }

  init(_ entity: EntityDescription, index: Int, shape: TableShape) {
    self.entity = entity
    self.index = index
    self.shape = shape
    name = Array(shape.name.utf8)
    quotedName = shape.name.quotedIdentifier
    keyColumns = entity.identity.columns.map(\.quotedIdentifier)
    attributeColumns = entity.attributes.map(\.name.quotedIdentifier)
    let isGenerated = entity.attributes.map { shape.isGenerated($0.name) }
    generatedIndexes = isGenerated.indices.filter { isGenerated[$0] }
    writableIndexes = isGenerated.indices.filter { !isGenerated[$0] }
    positions = ColumnPositions(of: entity, in: shape)
    isStrict = shape.isStrict
    if case .integer = entity.identity {
      isRowNumber = !shape.isWithoutRowNumber
    } else {
      isRowNumber = false
    }
    isCompound = !entity.keyAttributeIndexes.isEmpty
    keyStorage = entity.keyStorage
    attributeStorage = entity.attributes.map(\.storage)
    let writable = zip(attributeColumns, isGenerated).filter { !$1 }.map(\.0)
    sql = Statements(
      table: quotedName,
      keys: keyColumns,
      attributes: attributeColumns,
      writable: writable,
      isCompound: isCompound
    )
    (statementName, joins) = (nil, [])
  }

  /// A table under a name of its own in a statement that reads several tables.
  convenience init(_ table: EntityTable, as name: String) {
    self.init(table, as: name, joining: [])
  }

  /// A named table with others joined to it.
  convenience init(_ table: EntityTable, joining joins: [TableJoin<EntityTable>]) {
    self.init(table, as: nil, joining: joins)
  }

  private init(_ table: EntityTable, as name: String?, joining joins: [TableJoin<EntityTable>]) {
    entity = table.entity
    index = table.index
    self.name = table.name
    quotedName = table.quotedName
    let prefix = name.map { "\($0)." } ?? ""
    keyColumns = table.keyColumns.map { prefix + $0 }
    attributeColumns = table.attributeColumns.map { prefix + $0 }
    shape = table.shape
    positions = table.positions
    isRowNumber = table.isRowNumber
    generatedIndexes = table.generatedIndexes
    writableIndexes = table.writableIndexes
    isStrict = table.isStrict
    isCompound = table.isCompound
    keyStorage = table.keyStorage
    attributeStorage = table.attributeStorage
    sql = table.sql
    statementName = name ?? table.statementName
    self.joins = joins
  }

  /// The key of a stored row, or `nil` if a part of it is null (R188) or does not fit the identity.
  func key(storedIn parts: [Value]) -> ObjectKey? {
    parts.contains(where: \.isNull) ? nil : ObjectKey(parts: parts, of: entity.identity)
  }

  /// The identity of a key.
  func id(_ key: ObjectKey) -> ObjectID { ObjectID(entity: entity.name, key: key) }

  /// The change of a key's row from some values to others; `nil` stands for no row.
  func change(
    of key: ObjectKey,
    from before: [Value]?,
    to after: [Value]?
  ) -> CommittedChange {
    let id = id(key)
    return CommittedChange(
      id: id,
      before: before.map { Row(entity: entity, id: id, values: $0) },
      after: after.map { Row(entity: entity, id: id, values: $0) }
    )
  }
}

extension EntityTable {
  /// Checks the values of a whole row before anything is written; those that the database calculates may be missing.
  func validate(_ values: [Value]) throws(StoreError) {
    do {
      try entity.validate(values)
    } catch {
      guard !generatedIndexes.isEmpty, case .invalid(let failures) = error else { throw error }
      let calculated = generatedIndexes.map { entity.attributes[$0].name }
      let others = failures.filter { failure in
        guard case .missing(_, let attribute) = failure else { return true }
        return !calculated.contains(attribute)
      }
      guard others.isEmpty else { throw .invalid(others) }
    }
  }
}

/// The positions of an entity's columns in its table, from 0.
struct ColumnPositions: Sendable {
  let keys: [Int32]
  let attributes: [Int32]
  /// The number of columns of the table, including those that are no attributes.
  let count: Int32
  /// The columns of the entity that the pre-update hook may confuse, as `Table.column`.
  let inexact: [String]

  init(of entity: EntityDescription, in shape: TableShape) {
    keys = entity.identity.columns.map { shape.index(of: $0) }
    attributes = entity.attributes.map { shape.index(of: $0.name) }
    count = Int32(shape.columns.count)
    let names = entity.identity.columns + entity.attributes.map(\.name)
    inexact = names.filter { !shape.isStoredAsDeclared($0) }.map { "\(entity.name).\($0)" }
  }
}

/// The tables of all entities that a store was opened with.
typealias StoreTables = SQLTables<EntityTable>

/// In this module a row is the domain's; GRDB's is `GRDB.Row`.
typealias Row = ResultsDomain.Row
