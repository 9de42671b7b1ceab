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

  /// More lists than these are not remembered.
  private static let limit = 64

  /// The list asked for last comes first.
  private let entries = Mutex<[Entry]>([])

  /// The plan of a list, or `nil` if no index serves.
  func plan(
    of definition: OrderDefinition,
    in table: EntityTable,
    on database: Database,
    cookie: Int64
  ) throws -> OrderedPlan? {
    let known: OrderedPlan?? = entries.withLock { entries in
      guard
        let place = entries.firstIndex(where: {
          $0.cookie == cookie && $0.definition == definition
        })
      else { return nil }
      if place > 0 { entries.swapAt(place, place - 1) }
      return .some(entries[max(0, place - 1)].plan)
    }
    if let known { return known }
    let plan = try OrderedProof.plan(of: definition, in: table, on: database)
    entries.withLock { entries in
      entries.removeAll { $0.definition == definition && $0.cookie == cookie }
      entries.insert(Entry(definition: definition, cookie: cookie, plan: plan), at: 0)
      if entries.count > OrderedPlans.limit { entries.removeLast() }
    }
    return plan
  }
}
