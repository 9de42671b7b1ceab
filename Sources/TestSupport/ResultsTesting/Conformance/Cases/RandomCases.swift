import ResultsDomain

extension StoreConformance {
  static let randomCases: [Case] = [
    Case("random transactions do what they do to a plain array", ["R13", "R26", "R27", "R47"]) {
      bench in
      for seed in 100..<118 {
        var workload = RandomStoreWorkload(seed: UInt64(seed))
        let entity = try workload.entity()
        let store = try bench.open([entity])
        let beginning = try bench.version(store)
        var model = ModelStore(entity: entity)
        for step in 0..<25 {
          try bench.transact(store, &model, &workload, "seed \(seed), transaction \(step)")
        }
        // The whole history, replayed, makes the whole content.
        var replayed: [ObjectKey: Row] = [:]
        for change in try bench.commits(store, since: beginning, of: entity).flatMap(\.changes) {
          try bench.expectEqual(change.before, replayed[change.id.key], "seed \(seed): the image")
          replayed[change.id.key] = change.after
        }
        try bench.expectEqual(replayed.count, model.rows.count, "seed \(seed): replayed rows")
        for row in model.rows {
          try bench.expectEqual(replayed[row.id.key], row, "seed \(seed): the replayed row")
        }
        try store.close()
      }
    }
  ]
}

extension StoreBench {
  private struct Interruption: Error {}

  /// Runs one random transaction on a store and a model, and compares all that can be seen.
  fileprivate func transact(
    _ store: any Store,
    _ model: inout ModelStore,
    _ workload: inout RandomStoreWorkload,
    _ what: String
  ) throws {
    let entity = model.entity
    let operations = workload.transaction(on: entity, rows: model.rows)
    let isUndone = workload.generator.happens(percent: 15)
    let before = model
    let version = try version(store)
    let outcomes = operations.map { model.perform($0) }
    do {
      try store.write { transaction in
        for (operation, outcome) in zip(operations, outcomes) {
          let seen = try transaction.perform(operation, on: entity)
          try expectEqual(seen, outcome, "\(what): \(operation)")
        }
        if isUndone { throw Interruption() }
      }
    } catch {
      guard case .aborted(let inner) = error, inner is Interruption else { throw error }
      model = before
    }
    let changes = try changes(store, since: version, of: entity)
    try expectChanges(changes, model.changes(from: before), "\(what): the changes")
    let isChanged = try self.version(store) != version
    try expectEqual(isChanged, !changes.isEmpty, "\(what): whether there is a new version")
    let rows = model.rows.sorted { ModelStore.order($0.id.key, $1.id.key) == .ascending }
    try expectRows(try allRows(store, entity), rows, "\(what): the rows")
    let terms = workload.sortDescriptors(for: entity)
    let predicate = workload.predicate(for: entity, keys: rows.map(\.id.key))
    if let list = try? OrderDefinition.list(entity, where: predicate, sortedBy: terms) {
      try expectRows(try self.rows(store, list), model.list(list), "\(what): \(predicate)")
    }
  }
}
