import GRDB
import ResultsDomain
import Synchronization

/// How an index, or a table's own order, answers for a list: its statements, and what their parameters are.
///
/// The predicate's arguments come first in every statement, then the columns that are equal, then the range.
///
/// One statement or two are proved before the plan is believed (`OrderedProof`), and every other one, by SQLite's plan of it, when it is
/// needed first: a list that shows its first page needs few of them. No answer depends on the proof, as every statement says its order and its
/// conditions; only the time does that it takes. So a statement that fails it is run without the index this time, and the plan serves no
/// longer: the list is then fetched anew, and holds its keys.
final class OrderedPlan: Sendable {
  private struct State {
    /// The texts of what was needed so far.
    var texts: [String?]
    /// Whether the sampling function is asked once for each key; `nil` until it is looked.
    var samples: Bool?
    var isRefused = false
  }

  let layout: KeyLayout
  /// The columns of the keys, and what each adds to the order.
  let columns: [KeyColumn]
  let roles: [OrderedRole]
  /// The columns in which keys differ.
  let variable: [OrderedColumn]
  /// What the predicate binds.
  let arguments: [Value]
  let texts: OrderedTexts
  private let proof: StatementProof
  private let state: Mutex<State>
  /// How many rows the predicate holds for.
  let total: String
  /// How many shapes pieces have.
  let shapeCount: Int
  /// Whether all rows are in the list, so that their number is known without reading them.
  let holdsAll: Bool

  /// A plan of which nothing has been proved.
  init(_ texts: OrderedTexts, _ proof: StatementProof) {
    self.texts = texts
    self.proof = proof
    layout = texts.definition.layout
    columns = layout.order + layout.identity
    roles = texts.roles
    variable = texts.variable
    arguments = texts.arguments
    total = texts.total
    shapeCount = texts.shapeCount
    holdsAll = texts.predicate.isEmpty
    let uses = OrderedUse.count(shapes: shapeCount)
    state = Mutex(State(texts: Array(repeating: nil, count: uses)))
  }

  /// The statement that counts the keys of each group.
  func groups(byFirst count: Int) -> String? { texts.groups(byFirst: count) }

  /// Whether all that was proved so far was as it should be.
  var serves: Bool { !state.withLock { $0.isRefused } }

  /// The text of a statement, proved if the index serves.
  func text(of use: OrderedUse, on database: Database) throws -> String {
    let place = use.place(shapes: shapeCount)
    let known = state.withLock { $0.texts[place] }
    if let known { return known }
    let isProved = try proof.holds(for: use, of: texts, on: database)
    let text = (isProved ? texts : texts.withoutIndex).text(of: use)
    state.withLock { state in
      state.texts[place] = text
      if !isProved { state.isRefused = true }
    }
    return text
  }

  /// The text of the statement whose keys the sampling function picks, or `nil` unless it is proved to be asked once for each.
  func sample(on database: Database) throws -> String? {
    try asksOnceEach(on: database) ? texts.text(of: .sample) : nil
  }

  /// The text of the statement that asks the ranking function for all keys, under the same condition.
  func ranking(on database: Database) throws -> String? {
    try asksOnceEach(on: database) ? texts.ranking : nil
  }

  private func asksOnceEach(on database: Database) throws -> Bool {
    let known = state.withLock { $0.samples }
    let samples = try known ?? proof.isSampled(texts, on: database)
    state.withLock { $0.samples = samples }
    return samples
  }
}

/// The lists for which it has been proved that an index serves, or that none does.
final class OrderedPlans: Sendable {
  private struct Entry: Sendable {
    let definition: OrderDefinition
    /// The version of the schema for which it was found out.
    let cookie: Int64
    let plan: OrderedPlan?
  }

  private struct State: Sendable {
    /// The list asked for last comes first.
    var entries: [Entry] = []
    /// The version of the schema that facts were read of.
    var cookie: Int64 = 0
    /// What it says of tables, by their places; `nil` for one that no list of keys can be read from.
    var facts: [Int: OrderedFacts?] = [:]
  }

  /// More lists than these are not remembered.
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
        let place = state.entries.firstIndex(where: {
          $0.cookie == cookie && $0.definition == definition
        })
      else { return nil }
      if place > 0 { state.entries.swapAt(place, place - 1) }
      return .some(state.entries[max(0, place - 1)].plan)
    }
    if let known { return known.flatMap { $0.serves ? $0 : nil } }
    let plan = try facts(of: table, on: database, cookie: cookie)
      .flatMap { try OrderedProof.plan(of: definition, in: table, $0, on: database) }
    state.withLock { state in
      state.entries.removeAll { $0.definition == definition && $0.cookie == cookie }
      state.entries.insert(Entry(definition: definition, cookie: cookie, plan: plan), at: 0)
      if state.entries.count > OrderedPlans.limit { state.entries.removeLast() }
    }
    return plan
  }

  /// What the schema says of a table, read once for all its lists.
  private func facts(
    of table: EntityTable,
    on database: Database,
    cookie: Int64
  ) throws -> OrderedFacts? {
    let known: OrderedFacts?? = state.withLock { $0.cookie == cookie ? $0.facts[table.index] : nil }
    if let known { return known }
    let facts = try OrderedFacts(of: table, on: database)
    state.withLock { state in
      if state.cookie != cookie { state.facts = [:] }
      state.cookie = cookie
      state.facts[table.index] = .some(facts)
    }
    return facts
  }
}

/// A column in which the keys of a list differ, in the list's order.
struct OrderedColumn: Sendable {
  /// How it is written in a key.
  let key: KeyColumn
  /// Its name, as SQLite tells names apart.
  let identifier: [UInt8]
  /// Its name in quotes, with the collation of bytes where it holds texts; or the expression that it is computed by.
  let sql: String
  /// Whether its table lets it be null.
  let isNullable: Bool
  /// Whether SQLite makes a text of a number that it is compared with.
  let hasTextAffinity: Bool
  /// Whether it is computed.
  var isExpression = false

  /// The column in `ORDER BY`; nulls stand where an index has them.
  var orderSQL: String { key.isDescending ? sql + " DESC" : sql }
}

/// What a column of a list's keys adds to their order.
enum OrderedRole: Sendable {
  /// It is one of the columns in which keys differ.
  case varies(Int)
  /// The predicate lets it have one value only, whose bytes these are.
  case fixed([UInt8])
  /// It holds the value of one of the columns in which keys differ once more.
  case repeats(Int)
}
