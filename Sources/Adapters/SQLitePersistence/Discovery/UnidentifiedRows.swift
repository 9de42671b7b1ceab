import CSQLiteHooks
import GRDB
public import ResultsDomain
import ResultsStoreKit

/// The reason why nothing identifies the rows of a table or view.
///
/// A live list needs to know a row again. To read all rows once, their numbers are enough.
struct MissingIdentity: Error {
  let refusal: TableRefusal

  init(_ refusal: TableRefusal) { self.refusal = refusal }

  /// The identity of rows that are numbered as they are read, under a name that no column has.
  func numbering(_ shape: TableShape) -> EntityIdentity {
    let taken = Set(shape.columns.map(\.name.caselessIdentifier))
    var name = "row"
    while taken.contains(name.caselessIdentifier) { name += "#" }
    return .integer(column: name)
  }
}

extension DatabaseDescription {
  /// Reads all rows of a table or view that has an `unidentifiedEntity`.
  /// - Parameters:
  ///   - table: The table or view.
  ///   - attributes: Those of that entity's attributes that are read; `nil` for all.
  ///   - limit: The most rows to hold. Their texts and blobs take at most 256 MB.
  /// - Returns: The values of the attributes, by rows; none for any other table. `nil` if there are more.
  /// - Throws: As `init(at:describing:busyTimeout:timeLimit:)`.
  /// - Complexity: O(*n*) in the rows, which are held in memory.
  public func unidentifiedRows(
    of table: TableDescription,
    attributes: [AttributeDescription]? = nil,
    limit: Int = 1_000_000
  ) throws(StoreError) -> [[Value]]? {
    guard let entity = table.unidentifiedEntity, let shape = table.shape else { return [] }
    let attributes = attributes ?? entity.attributes
    /// Whether there is a further row; a row that cannot be read is no damage of the file.
    func next(_ statement: PreparedStatement) throws -> Bool {
      do {
        return try statement.step()
      } catch {
        guard let reason = error.ofCalculation else {
          throw StoreError(error, path: path, waited: .zero)
        }
        throw StoreError.cannotOpen(path: path, .modelMismatch(detail: reason))
      }
    }
    var options = SQLiteStoreOptions(isReadOnly: true)
    options.isDiscovered = true
    let opener = DatabaseOpener(path: path, entities: [], options: options)
    return try opener.readFile(holding: held) { database in
      try MissingCollations.replaced(for: shape, on: database) {
        let names = attributes.map(\.name.quotedIdentifier).joined(separator: ", ")
        let statement = try PreparedStatement(
          uncached: "SELECT \(names) FROM main.\(table.name.quotedIdentifier)",
          on: database
        )
        defer { statement.reset() }
        var (rows, bytes): ([[Value]], Int) = ([], 0)
        while try next(statement) {
          // Bytes are counted of texts and blobs alone: asking for those of a number turns it into a text.
          for column in 0..<Int32(attributes.count)
          where sqlite3_column_type(statement.pointer, column) >= SQLITE_TEXT {
            bytes += Int(sqlite3_column_bytes(statement.pointer, column))
          }
          guard rows.count < limit, bytes < 1 << 28 else { return nil }
          rows.append(
            attributes.enumerated().map { index, attribute in
              Value(statement.pointer, column: Int32(index), storage: attribute.storage)
            }
          )
        }
        return rows
      }
    }
  }
}

/// Collations that a table uses and only its application has.
enum MissingCollations {
  /// The reason why SQLite cannot find the rows of a table, or calculate a column of it.
  static func refusal(of name: String, in shape: TableShape) -> TableRefusal {
    guard !shape.isCalculated else {
      return TableRefusal(
        description:
          "it has calculated columns, and the collation \(name), which only its application has"
      )
    }
    return TableRefusal(
      description:
        "its rows are in the order of the collation \(name), which only its application has",
      remedy:
        "A table with row numbers, which is not WITHOUT ROWID, could be watched; so could this one with a key that compares by bytes."
    )
  }

  /// The names of those that a table's columns and its primary key use.
  static func names(of shape: TableShape, on database: Database) throws -> [String] {
    let ofColumns = shape.columns.compactMap { collation(of: $0.name, in: shape, on: database) }
    let names = try Set(ofColumns + collationsOfKey(of: shape, on: database))
    return names.filter { isMissing($0, on: database) }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
  }

  /// The names of those that a table's primary key uses.
  static func ofKey(of shape: TableShape, on database: Database) throws -> [String] {
    try collationsOfKey(of: shape, on: database).filter { isMissing($0, on: database) }
  }

  /// Reads the rows of a table `WITHOUT ROWID` whose key has such a collation.
  ///
  /// SQLite opens such a table only if it knows the collation, also to read it from its beginning to its end, where it compares nothing.
  /// Meanwhile bytes are compared in its stead. A column that is calculated could depend on what the application compares; such a table
  /// stays refused.
  static func replaced<Result>(
    for shape: TableShape,
    on database: Database,
    _ body: () throws -> Result
  ) throws -> Result {
    guard shape.isWithoutRowNumber, !shape.isCalculated else { return try body() }
    let names = try ofKey(of: shape, on: database)
    for name in names { set(name, { MissingCollations.compare($1, $2, $3, $4) }, on: database) }
    defer { for name in names { set(name, nil, on: database) } }
    return try body()
  }

  private typealias Comparison =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
    ) -> Int32

  private static func set(_ name: String, _ comparison: Comparison?, on database: Database) {
    sqlite3_create_collation_v2(
      database.sqliteConnection,
      name,
      SQLITE_UTF8,
      nil,
      comparison,
      nil
    )
  }

  private static func compare(
    _ leftCount: Int32,
    _ left: UnsafeRawPointer?,
    _ rightCount: Int32,
    _ right: UnsafeRawPointer?
  ) -> Int32 {
    let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
    let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  /// Whether the connection does not have a collation; its list of them also has those that tables name.
  private static func isMissing(_ name: String, on database: Database) -> Bool {
    let sql = "SELECT '' = '' COLLATE \(name.quotedIdentifier)"
    return (try? PreparedStatement(uncached: sql, on: database)) == nil
  }

  private static func collationsOfKey(
    of shape: TableShape,
    on database: Database
  ) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT DISTINCT x.coll FROM pragma_index_list(?) AS l, pragma_index_xinfo(l.name) AS x
        WHERE l.origin = 'pk' AND x.key = 1
        """,
      arguments: [shape.name]
    )
  }

  /// The collation of a column of a table (sqlite.org/c3ref/table_column_metadata.html).
  private static func collation(
    of column: String,
    in shape: TableShape,
    on database: Database
  ) -> String? {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      database.sqliteConnection,
      "main",
      shape.name,
      column,
      nil,
      &name,
      nil,
      nil,
      nil
    )
    return code == SQLITE_OK ? name.map { String(cString: $0) } : nil
  }
}

extension TableShape {
  /// Whether the database calculates a column.
  var isCalculated: Bool { columns.contains { $0.generation != .none } }
}

extension TableDescription {
  /// What a list of the table leaves out or shows in another way than its application: sentences without a full stop.
  public var notes: [String] {
    var notes: [String] = []
    if !isSampled {
      notes.append(
        "the rows of \(name) were not sampled in time; types are those of the declaration"
      )
    }
    notes += unnamedColumns.map { "column \($0) of \(name) has no name and is not listed" }
    notes += missingCollations.map {
      "\(name) uses the collation \($0), which only its application has; listed in byte order"
    }
    notes += foreignKeys.filter { missingTables.contains($0.table) }
      .map { key in
        "\(key.columns.joined(separator: ", ")) of \(name) refers to the table \(key.table), which does not exist"
      }
    return notes
  }
}
