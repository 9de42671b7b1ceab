import GRDB
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// How an index answers for a list: the statements and their parameters.
///
/// In every statement the predicate's arguments are bound first, then the equal columns, then the range.
///
/// One or two statements are proved before the plan is used (`OrderedProof`), and each other one when it is first needed, by SQLite's own
/// query plan: a list that shows its first page needs few of them. Every statement has its complete order and conditions, so the proof
/// affects only speed. A statement that fails it is run without the index this time, and the plan is no longer used: the list is then
/// fetched again, and holds its keys in memory.
///
/// `state` is guarded by a lock that is held for moments only; statements are proved without it.
final class OrderedPlan: Sendable {
  private struct State {
    /// The texts of the statements that were needed so far.
    var texts: [String?]
    /// Whether SQLite calls the sampling function once for each key; `nil` until that is known.
    var samples: Bool?
    /// The statements that count groups, by the number of their columns.
    var groups: [Int: String] = [:]
    var isRefused = false
    /// The latest version in which the folded columns were checked.
    var checked: StoreVersion?
  }

  /// The columns of the keys, and the role of each in the order.
  let columns: OrderedColumns
  /// The columns in which keys differ, in SQL.
  let variable: [OrderedColumn]
  /// The arguments of the predicate.
  let arguments: [Value]
  let statements: OrderedStatements
  private let proof: StatementProof
  private let state: Mutex<State>
  /// The statement that counts the rows of a list with a condition.
  let total: String
  /// The number of forms of subranges.
  let shapeCount: Int
  /// Whether all rows of the table are in the list.
  let holdsAll: Bool

  /// A plan of which no statement has been proved.
  init(_ statements: OrderedStatements, _ proof: StatementProof) {
    self.statements = statements
    self.proof = proof
    variable = statements.variable
    columns = OrderedColumns(
      statements.definition.layout,
      roles: statements.roles,
      variable: variable.map { OrderedColumns.Column($0.key, isNullable: $0.isNullable) }
    )
    arguments = statements.arguments
    total = statements.total
    shapeCount = statements.shapeCount
    holdsAll = statements.predicate.isEmpty
    let count = StatementPurpose.count(shapes: shapeCount)
    state = Mutex(State(texts: Array(repeating: nil, count: count)))
  }

  /// The statement that counts the keys of each group, over the smallest index that has the groups in order: usually that of the foreign key
  /// by which the sections are divided, whose entries are short.
  func groups(byFirst count: Int, on database: Database) throws -> String? {
    if let known = state.withLock({ $0.groups[count] }) { return known }
    guard var text = statements.groups(byFirst: count) else { return nil }
    if holdsAll, let free = statements.withoutIndex.groups(byFirst: count),
      try proof.passesOneIndex(free, on: database)
    {
      text = free
    }
    state.withLock { $0.groups[count] = text }
    return text
  }

  /// Whether no proof has failed so far.
  var serves: Bool { !state.withLock { $0.isRefused } }

  /// The attributes whose columns the index has without regard to case; a text with NUL takes the list off it.
  var foldedAttributes: [String] { statements.foldedAttributes }

  /// The latest version in which the folded columns were checked.
  var checkedVersion: StoreVersion? { state.withLock { $0.checked } }

  /// Records that the folded columns have been checked in a version.
  func setChecked(_ version: StoreVersion) { state.withLock { $0.checked = version } }

  /// Ends the use of the index.
  func refuse() { state.withLock { $0.isRefused = true } }

  /// The text of a statement: with the index if that is proved, without it otherwise.
  func text(for purpose: StatementPurpose, on database: Database) throws -> String {
    let index = purpose.index(shapes: shapeCount)
    let known = state.withLock { $0.texts[index] }
    if let known { return known }
    let isProved = try proof.holds(for: purpose, of: statements, on: database)
    let text = (isProved ? statements : statements.withoutIndex).text(for: purpose)
    state.withLock { state in
      state.texts[index] = text
      if !isProved { state.isRefused = true }
    }
    return text
  }

  /// The text of the statement whose keys the sampling function picks, or `nil` unless SQLite is proved to call it once for each key.
  func sample(on database: Database) throws -> String? {
    try callsOncePerKey(on: database) ? statements.text(for: .sample) : nil
  }

  /// The text of the statement that calls the ranking function for all keys, under the same condition.
  func ranking(on database: Database) throws -> String? {
    try callsOncePerKey(on: database) ? statements.ranking : nil
  }

  private func callsOncePerKey(on database: Database) throws -> Bool {
    let known = state.withLock { $0.samples }
    let samples = try known ?? proof.isSampled(statements, on: database)
    state.withLock { $0.samples = samples }
    return samples
  }
}

/// The plans of lists for which an index is proved to serve, or no index.
///
/// `state` is guarded by a lock that is held for moments only; plans are made without it.
final class OrderedPlanCache: Sendable {
  private struct Entry: Sendable {
    let definition: OrderDefinition
    /// The version of the schema for which the plan was made.
    let cookie: Int64
    let plan: OrderedPlan?
  }

  private struct State: Sendable {
    /// The plans, roughly in the order of their last use.
    var entries: [Entry] = []
    /// The version of the schema at which `indexes` was read.
    var cookie: Int64 = 0
    /// The indexes of tables, by the tables' indexes; `nil` for a table whose keys cannot be read in order.
    var indexes: [Int: TableIndexes?] = [:]
  }

  /// The greatest number of lists that are remembered.
  private static let limit = 64

  private let state = Mutex(State())

  /// The plan of a list, or `nil` if no index serves.
  func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    on database: Database,
    cookie: Int64
  ) throws -> OrderedPlan? {
    let known: OrderedPlan?? = state.withLock { state in
      guard
        let index = state.entries.firstIndex(where: {
          $0.cookie == cookie && $0.definition == definition
        })
      else { return nil }
      if index > 0 { state.entries.swapAt(index, index - 1) }
      return .some(state.entries[max(0, index - 1)].plan)
    }
    if let known { return known.flatMap { $0.serves ? $0 : nil } }
    let plan = try indexes(of: table, on: database, cookie: cookie)
      .flatMap { try OrderedProof.plan(of: definition, in: table, $0, on: database) }
    state.withLock { state in
      state.entries.removeAll { $0.definition == definition && $0.cookie == cookie }
      state.entries.insert(Entry(definition: definition, cookie: cookie, plan: plan), at: 0)
      if state.entries.count > OrderedPlanCache.limit { state.entries.removeLast() }
    }
    return plan
  }

  /// The indexes of a table, read once for all its lists.
  private func indexes(
    of table: EntityTable,
    on database: Database,
    cookie: Int64
  ) throws -> TableIndexes? {
    let known: TableIndexes?? = state.withLock {
      $0.cookie == cookie ? $0.indexes[table.index] : nil
    }
    if let known { return known }
    let indexes = try TableIndexes(of: table, on: database)
    state.withLock { state in
      if state.cookie != cookie { state.indexes = [:] }
      state.cookie = cookie
      state.indexes[table.index] = .some(indexes)
    }
    return indexes
  }
}

/// A column in which the keys of a list differ, in the list's order.
struct OrderedColumn: Sendable {
  /// Its encoding in a key.
  let key: KeyColumn
  /// Its name, as SQLite compares names.
  let identifier: [UInt8]
  /// Its name in quotes, with the binary collation if it has texts; or its expression.
  let sql: String
  /// Whether it can be null.
  let isNullable: Bool
  /// Whether SQLite converts a number that it is compared with into a text.
  let hasTextAffinity: Bool
  /// Whether it is an expression.
  var isExpression = false
  /// The name of the column in an index, if it is not the identifier.
  var indexName: [UInt8]?

  /// The column in `ORDER BY`, with nulls in the order of an index.
  var orderSQL: String { key.isDescending ? sql + " DESC" : sql }
}
