import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

/// Reads which objects hold some keys in their foreign keys, through one connection.
struct ReferrerReader {
  let database: Database
  let table: EntityTable
  let statements: ReferrerStatements

  /// The keys of the objects whose columns hold one of some keys, or `nil` if there are more than a limit.
  ///
  /// With an index over the columns there is one search for each key, otherwise one pass for all of them.
  func referrers(to keys: [ObjectKey], limit: Int) throws -> [ObjectKey]? {
    var seen: Set<ObjectKey> = []
    let sought = keys.filter { key in
      let parts = key.parts
      return parts.count == statements.storage.count
        && zip(parts, statements.storage).allSatisfy { $1 == .any || $0.storage == $1 }
        && seen.insert(key).inserted
    }
    guard !sought.isEmpty else { return [] }
    guard
      statements.hasIndex || sought.count == 1 || statements.storage.count > ValueList.columnLimit
    else { return try readAll(sought, limit) }
    var found: [ObjectKey] = []
    let statement = try PreparedStatement(statements.search, on: database)
    for key in sought {
      _ = try statement.bind(key, from: 1)
      defer { statement.reset() }
      guard try read(statement, to: &found, limit) else { return nil }
    }
    return found
  }

  private func readAll(_ sought: [ObjectKey], _ limit: Int) throws -> [ObjectKey]? {
    try ConnectionFunctions.register(on: database)
    let list = ValueList(columns: statements.storage.count, keys: sought)
    return try withExtendedLifetime(list) {
      var found: [ObjectKey] = []
      let statement = try PreparedStatement(statements.pass, on: database)
      defer { statement.reset() }
      try list.bind(to: statement, at: 1)
      return try read(statement, to: &found, limit) ? found : nil
    }
  }

  /// Appends the statement's rows.
  /// - Returns: Whether there are at most as many as the limit.
  private func read(
    _ statement: PreparedStatement,
    to found: inout [ObjectKey],
    _ limit: Int
  ) throws -> Bool {
    while try statement.step() {
      guard found.count < limit else { return false }
      found.append(table.key(in: statement.pointer, from: 0))
    }
    return true
  }
}

/// The statements that find the objects that hold keys in some columns.
struct ReferrerStatements: Sendable {
  /// The storage classes of the columns.
  let storage: [StorageClass]
  /// Finds the objects of one key.
  let search: String
  /// Finds the objects of a list of keys.
  let pass: String
  /// The plan of the search for one key, in SQLite's words.
  let steps: [String]
  /// Whether SQLite searches an index for a key.
  var hasIndex: Bool { steps.allSatisfy { $0.hasPrefix("SEARCH ") } }

  /// Builds the statements for columns of a table.
  init(_ columns: [String], of table: EntityTable, on database: Database) throws {
    var storage: [StorageClass] = []
    var terms: [String] = []
    var types = ""
    for name in columns {
      guard let column = table.entity.expression(ofColumn: name),
        let kind = try column.storage(in: table.entity)
      else {
        let known = table.entity.attributes.map(\.name)
        throw StoreError.request(.unknownAttribute(name, entity: table.entity.name, known: known))
      }
      var sql = SQLText()
      sql.append(column, in: table)
      // In a column of any class, SQLite compares the key with the values as they are.
      if kind != .any, !table.holdsOnly(kind, column) {
        types +=
          " AND typeof(\(sql.text)) IN (\(kind == .real ? "'real', 'integer'" : "'\(kind.rawValue)'"))"
      }
      terms.append(kind.hasTexts ? sql.text + " COLLATE BINARY" : sql.text)
      storage.append(kind)
    }
    let start = "SELECT \(table.keyColumns.joined(separator: ", ")) FROM \(table.quotedName) WHERE "
    search = start + terms.map { $0 + " = ?" }.joined(separator: " AND ") + types
    let results = columns.indices.map { "c\($0)" }.joined(separator: ", ")
    pass = """
      \(start)(\(terms.joined(separator: ", "))) IN (SELECT \(results) FROM results_values(?))\(types)
      """
    self.storage = storage
    steps = try database.texts("EXPLAIN QUERY PLAN " + search).compactMap(\.last)
  }
}

/// How SQLite searches for the objects that hold a key.
struct ReferrerSearchPlan {
  /// The foreign key, as `Table.column`.
  let name: String
  /// The plan of the search, in SQLite's words.
  let steps: [String]
  /// The statement that creates the index that the search lacks, or `nil`.
  let remedy: String?
  /// What is searched, in words; `nil` if all rows are read.
  let index: String?

  init(of key: RelatedKeys.Key, on database: Database) throws {
    let entity = key.table.entity
    let statements = try ReferrerStatements(key.columns, of: key.table, on: database)
    name = "\(entity.name).\(key.columns.joined(separator: "+"))"
    steps = statements.steps
    guard !statements.hasIndex else {
      remedy = nil
      let words = steps.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
      // SQLite writes `USING INDEX name (…)`, `USING COVERING INDEX name (…)` or `USING PRIMARY KEY (…)`.
      let name = words.firstIndex(of: "INDEX").map { words[($0 + 1)...] } ?? []
      let end = name.firstIndex { $0.hasPrefix("(") } ?? name.endIndex
      let isIndex = end > name.startIndex
      index =
        isIndex ? "the index \(name[..<end].joined(separator: " "))" : "the primary key"
      return
    }
    self.index = nil
    let free = try database.freeName(ForeignKeyRules.indexName(key.columns, of: entity))
    let columns = key.columns.map(\.quotedIdentifier).joined(separator: ", ")
    remedy = "CREATE INDEX \(free.quotedIdentifier) ON \(key.table.quotedName) (\(columns))"
  }
}

extension RelatedKeys {
  /// How the relationships are read, and the rows are found that hold their keys.
  func plans(on database: Database) throws -> [RelationshipPlan] {
    try followed.map { followed in
      RelationshipPlan(
        name: followed.name,
        join: followed.join,
        searches: try followed.keys.map { key in
          let search = try ReferrerSearchPlan(of: key, on: database)
          return RelationshipPlan.Search(
            columns: search.name,
            index: search.index,
            remedy: search.remedy
          )
        }
      )
    }
  }
}

/// The statements for the foreign keys that lists have asked for.
///
/// `state` is guarded by a lock that is held for moments only; statements are built without it.
final class ReferrerStatementCache: Sendable {
  private struct Entry: Sendable {
    let table: Int
    let columns: [String]
    let statements: ReferrerStatements
  }

  private struct State: Sendable {
    /// The version of the schema for which the statements were built.
    var cookie: Int64 = 0
    var entries: [Entry] = []
  }

  /// The greatest number of foreign keys that are remembered.
  private static let limit = 256

  private let state = Mutex(State())

  /// The statements for columns of a table at a version of the schema.
  func statements(
    for columns: [String],
    of table: EntityTable,
    on database: Database,
    cookie: Int64
  ) throws -> ReferrerStatements {
    let known = state.withLock { state in
      state.cookie == cookie
        ? state.entries.first { $0.table == table.index && $0.columns.isSamePath(as: columns) }
        : nil
    }
    if let known { return known.statements }
    let statements = try ReferrerStatements(columns, of: table, on: database)
    state.withLock { state in
      if state.cookie != cookie || state.entries.count >= ReferrerStatementCache.limit {
        state.entries = []
      }
      state.cookie = cookie
      state.entries.append(Entry(table: table.index, columns: columns, statements: statements))
    }
    return statements
  }
}
