import OrderStatistics
import ResultsDomain

extension ListEngine {
  /// Leads the list to a later version of the store.
  ///
  /// Commits that the store's history tells are placed one by one, each with a delta of its own; whatever else happened
  /// is found by reading the keys again.
  /// - Returns: The steps, oldest first; none if nothing in the list changed.
  /// - Throws: The store's error; the engine is then as it was.
  mutating func advance(to store: any StoreSnapshot) throws(StoreError) -> [Step] {
    guard store.version != snapshot.version else { return [] }
    var next = self
    let steps: [Step]
    switch try store.history(since: snapshot.version, of: plan.entity) {
    case .commits(let records):
      if plan.alongside.isEmpty {
        steps = try next.follow(records, in: store)
      } else {
        steps = try next.follow(
          ListEngine.folded(records),
          origins: ListEngine.origins(of: records),
          in: store
        )
        // Commits of other entities change counts too.
        if records.isEmpty {
          next.snapshot.alongside = try ListEngine.counts(plan.alongside, in: store)
        }
      }
    case .gap: steps = try next.requery(in: store)
    }
    next.snapshot.version = store.version
    self = next
    return steps
  }

  private mutating func follow(
    _ records: [CommitRecord],
    origins: [CommitOrigin]? = nil,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Step] {
    var steps: [Step] = []
    let entity = plan.entity
    for (place, record) in records.enumerated() {
      let affected = try affectedRows(by: record.changes)
      let later = records[(place + 1)...]
      let change = ListChange(
        affected: affected,
        version: record.version,
        cause: record.isOwn ? .own : .external,
        origins: origins ?? ListEngine.origins(of: [record])
      ) { (keys) throws(StoreError) in
        try ListEngine.rows(keys, of: entity, before: later, in: store)
      }
      guard let step = try apply(change, in: store) else {
        // The list and the history disagree, so neither is believed: the keys are read again.
        return steps + (try requery(in: store))
      }
      digests?.follow(affected, record.changes, plan.layout)
      if let step = step.step { steps.append(step) }
    }
    return steps
  }

  /// Rows as they were before some later commits, whose images say what those changed.
  private static func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription,
    before later: ArraySlice<CommitRecord>,
    in store: any StoreSnapshot
  ) throws(StoreError) -> [Row?] {
    var rows = try store.rows(keys, of: entity)
    for record in later.reversed() {
      for change in record.changes {
        for (place, key) in keys.enumerated() where key == change.id.key {
          rows[place] = change.before
        }
      }
    }
    return rows
  }

  /// Who made some commits, oldest first, without repeats.
  private static func origins(of records: [CommitRecord]) -> [CommitOrigin] {
    var origins: [CommitOrigin] = []
    for origin in records.map(\.origin)
    where origin != .unnamed && !origins.contains(origin) {
      origins.append(origin)
    }
    return origins
  }

  /// Several commits as one, with the first image before and the last after of every row.
  static func folded(_ records: [CommitRecord]) -> [CommitRecord] {
    guard let last = records.last, records.count > 1 else { return records }
    var order: [ObjectID] = []
    var changes: [ObjectID: CommittedChange] = [:]
    for change in records.flatMap(\.changes) {
      if let first = changes[change.id] {
        changes[change.id] = CommittedChange(
          id: change.id,
          before: first.before,
          after: change.after
        )
      } else {
        order.append(change.id)
        changes[change.id] = change
      }
    }
    let net = order.compactMap { changes[$0] }.filter { $0.before != $0.after }
    return [
      CommitRecord(
        version: last.version,
        origin: last.origin,
        isOwn: records.allSatisfy(\.isOwn),
        changes: net
      )
    ]
  }
}
