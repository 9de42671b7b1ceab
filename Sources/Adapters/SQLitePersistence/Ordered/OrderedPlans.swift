import GRDB
import ResultsDomain
import Synchronization

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
