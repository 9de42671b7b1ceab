public import ResultsDomain

/// A database that another application made, with its tables as entities: what programs over any such database need of a store.
package protocol DescribedDatabase: Sendable {
  /// How one table or view is described.
  associatedtype Table: DescribedTable

  /// The file's path, or the URL without a password.
  var path: String { get }
  /// The tables and views by name.
  var tables: [Table] { get }
  /// The names of all tables and views, described or not.
  var tableNames: [String] { get }
  /// What is said of a table that a foreign key names and that is not among them.
  var absence: String { get }

  /// The table or view of a name, or `nil` if there is none.
  func table(named name: String) -> Table?
  /// The names that a mistyped name may have meant.
  func names(near name: String) -> [String]
  /// Whether the database finds the same column or table by two names.
  func isSameName(_ name: String, _ other: String) -> Bool
  /// The numbers of rows, in the order of the tables; `nil` where it is not found in time.
  /// - Throws: The store's error.
  func numbersOfRows(timeLimit: Duration) throws(StoreError) -> [RowCount?]
  /// Reads all rows of a table that has an `unidentifiedEntity`.
  /// - Returns: The values of some of that entity's attributes; none for any other table, and `nil` for more rows than can be held.
  /// - Throws: The store's error.
  func rowsWithoutIdentity(
    ofTable name: String,
    attributes: [AttributeDescription]
  ) throws(StoreError) -> [[Value]]?
  /// Whether the database is known to have the schema still that was described.
  /// - Throws: The store's error.
  func isCurrent() throws(StoreError) -> Bool
  /// Opens a store of some of its entities, for reading only unless it adds a change log.
  /// - Throws: The store's error.
  func openStore(
    of entities: [EntityDescription],
    busyTimeout: Duration,
    addsChangeLog: Bool
  ) throws(StoreError) -> any Store
}

/// A table or a view of a database that another application made.
package protocol DescribedTable: Sendable {
  /// The name.
  var name: String { get }
  /// What holds the rows, in words.
  var kindText: String { get }
  /// Whether it is a view, which nobody writes.
  var isView: Bool { get }
  /// Whether a change log can record what happens to the rows.
  var canHaveChangeLog: Bool { get }
  /// The entity, or the reason why there is none.
  var entity: Result<EntityDescription, TableRefusal> { get }
  /// An entity by which all rows can be read once, where nothing identifies a row.
  var unidentifiedEntity: EntityDescription? { get }
  /// The foreign keys.
  var foreignKeys: [ForeignKeyDescription] { get }
  /// The columns of the declared primary key, in its order.
  var primaryKey: [String] { get }
  /// The names of the attributes that the database calculates.
  var generatedAttributes: [String] { get }
  /// The columns of foreign keys that no index begins with.
  var missingIndexes: [[String]] { get }
  /// The tables that foreign keys name, and that were not found.
  var missingTables: Set<String> { get }
  /// Forms that a declaration can have and a discovered entity has not.
  var unsortableForms: [String: StoredForm] { get }
  /// The names of attributes that a declared entity cannot have.
  var convertedAttributes: [String] { get }
  /// The names of attributes with values of several classes.
  var mixedAttributes: [String] { get }
  /// The names of attributes whose columns cannot be null, though their values can have no counterpart and are then read as null.
  var requiredAttributes: Set<String> { get }
  /// Columns that are no attributes, each with the reason.
  var omittedColumns: [OmittedColumn] { get }
  /// What a list of the table leaves out or shows in another way than its application: sentences without a full stop.
  var notes: [String] { get }
  /// What a declaration should say about the table besides: sentences.
  var remarks: [String] { get }
}

extension DescribedTable {
  package var requiredAttributes: Set<String> { [] }
}

/// A column of a table that is no attribute.
package struct OmittedColumn: Hashable, Sendable {
  /// The column's name, or `column 2` for one that has none.
  package let name: String
  /// The reason, as a predicate: `has no name`.
  package let reason: String

  /// Creates a description.
  package init(_ name: String, reason: String) { (self.name, self.reason) = (name, reason) }
}

/// The number of a table's rows, or that they are damaged.
package struct RowCount: Hashable, Sendable {
  /// The number; `nil` where the rows are damaged.
  package let count: Int?
  /// Whether it is an estimate of the database.
  package let isEstimated: Bool

  /// Creates a number.
  package init(_ count: Int, isEstimated: Bool = false) {
    (self.count, self.isEstimated) = (count, isEstimated)
  }

  private init() { (count, isEstimated) = (nil, false) }

  /// Rows that cannot be counted because they are damaged.
  package static let damaged = RowCount()
}

/// The reason why the rows of a table or view cannot be listed.
public struct TableRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, as a sentence without its full stop.
  public let description: String
  /// What would let the rows be followed, as a sentence; empty if nothing is known.
  package let remedy: String

  /// Creates a refusal.
  package init(description: String, remedy: String = "") {
    (self.description, self.remedy) = (description, remedy)
  }

  /// The refusal of a table whose name another one has but for its bytes.
  package static let composition = TableRefusal(
    description: "another table has the same name but for the composition of its letters"
      + " (é as one or as two code points)"
  )
}

/// A foreign key of a table.
public struct ForeignKeyDescription: Hashable, Sendable {
  /// The columns that hold the key.
  public let columns: [String]
  /// The table that it refers to.
  public let table: String
  /// The columns of that table; its primary key if none are declared.
  public let targets: [String]
  /// The delete rule that does what the database does when a row that the key names is deleted; `none` if the database does nothing
  /// but refuse it at the end of the statement.
  public let onDelete: DeleteRule
  /// Whether the table declares the key; otherwise it is known by a convention of the framework that made the database, and the database
  /// does not enforce it.
  public let isDeclared: Bool

  /// Creates a description.
  package init(
    columns: [String],
    table: String,
    targets: [String],
    onDelete: DeleteRule,
    isDeclared: Bool
  ) {
    (self.columns, self.table, self.targets) = (columns, table, targets)
    (self.onDelete, self.isDeclared) = (onDelete, isDeclared)
  }
}

extension AttributeType {
  /// Parses the name of a type that a store has recorded; `nil` for any other text.
  package init?(description text: String) {
    let scale = text.hasPrefix("decimal(") ? Int(text.dropFirst(8).dropLast()) : nil
    let known: [AttributeType] = [
      .integer16, .integer32, .integer64, .boolean, .date, .real, .text, .blob,
    ]
    if let type = known.first(where: { $0.description == text }) {
      self = type
    } else if let scale, text == "decimal(\(scale))" {
      self = .decimal(scale: scale)
    } else {
      return nil
    }
  }
}
