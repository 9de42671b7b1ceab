#if PostgreSQL
public import ResultsDomain
public import ResultsStoreKit

/// A table or a view of a PostgreSQL database that another application made.
public struct PostgreSQLTableDescription: Sendable {
  /// What holds the rows.
  public enum Kind: String, Hashable, Sendable {
    /// A table.
    case table
    /// A table whose rows are in other tables, its partitions.
    case partitioned
    /// A view, which has no rows of its own.
    case view
    /// A view whose rows are those of its last refreshment.
    case materialized
    /// A table of another server.
    case foreign
  }

  /// The name.
  public var name: String { shape.name }
  /// The schema with the table.
  public var schema: String { shape.schema }
  /// What holds the rows.
  public let kind: Kind
  /// The entity, or the reason why there is none.
  public internal(set) var entity: Result<EntityDescription, TableRefusal>
  /// An entity by which all rows can be read once, where `entity` is missing only because nothing identifies a row; its key numbers the
  /// rows as they are read.
  public internal(set) var unidentifiedEntity: EntityDescription?
  /// The foreign keys, in the order of their declaration.
  ///
  /// A table that is not described has its schema before its name.
  public internal(set) var foreignKeys: [ForeignKeyDescription]
  /// The columns of foreign keys that no index of the table begins with.
  public internal(set) var missingIndexes: [[String]] = []
  /// The tables that foreign keys name, and that are not described.
  public internal(set) var missingTables: Set<String> = []
  /// Columns that are no attributes, each with the reason.
  package internal(set) var omittedColumns: [OmittedColumn] = []
  /// The table as the catalog describes it.
  let shape: TableShape

  /// Whether this user may read it at all.
  public var isReadable: Bool { shape.isReadable }

  /// About how many rows it has, as the server has last counted them; `nil` if it has not.
  public var estimatedRowCount: Int? { shape.estimatedRows }

  /// The columns of the declared primary key, in its order.
  public var primaryKey: [String] { shape.primaryKey }

  /// The names of the attributes that the database calculates.
  public var generatedAttributes: [String] { shape.columns.filter(\.isGenerated).map(\.name) }

  /// The columns that are read as the text that the server writes for their values, with their types in SQL: no attribute has such values.
  public var textColumns: [(name: String, type: String)] {
    shape.columns.filter { $0.readsAsText && $0.isReadable }.map { ($0.name, $0.typeText) }
  }

  /// What a list of the table leaves out or shows in another way than its application: sentences without a full stop.
  public var notes: [String] {
    var notes = omittedColumns.map { "column \($0.name) of \(name) \($0.reason) and is not listed" }
    if !textColumns.isEmpty {
      let columns = textColumns.map { "\($0.name) (\($0.type))" }.joined(separator: ", ")
      notes.append("shown as text: \(columns)")
    }
    return notes
  }
}

/// A table on a server as programs over any database see it.
extension PostgreSQLTableDescription: DescribedTable {
  package var kindText: String {
    switch kind {
    case .table, .partitioned, .view: kind.rawValue
    case .materialized: "materialized view"
    case .foreign: "foreign table"
    }
  }

  package var isView: Bool { kind == .view || kind == .materialized }

  package var canHaveChangeLog: Bool {
    (kind == .table || kind == .partitioned) && textColumns.isEmpty
  }

  package var unsortableForms: [String: StoredForm] { [:] }

  package var convertedAttributes: [String] { [] }

  package var mixedAttributes: [String] { [] }

  /// Numbers: not-a-number is read as null.
  package var requiredAttributes: Set<String> {
    Set(shape.columns.filter { $0.isRequired && ColumnTypes.canBeNoNumber($0) }.map(\.name))
  }

  package var remarks: [String] {
    var reasons: [String] = []
    if let entity = try? entity.get(), Set(entity.identity.columns) != Set(primaryKey) {
      reasons.append("a unique index identifies its rows")
    }
    if !textColumns.isEmpty {
      let columns = textColumns.map { "\($0.name) (\($0.type))" }.joined(separator: ", ")
      reasons.append("\(columns) \(textColumns.count == 1 ? "is" : "are") read as text")
    }
    guard !reasons.isEmpty else { return [] }
    return [
      "Open it with `PostgreSQLStore(discovered:entities:)`: \(reasons.joined(separator: "; "))."
    ]
  }
}
#endif
