import ResultsDomain

/// A union with its branches as lists read them.
struct UnionPlan: Sendable {
  let union: UnionDescription
  let branches: [BranchPlan]

  var entity: EntityDescription { union.entity }

  /// - Throws: `UnionError` for a path that is not valid.
  init(_ union: UnionDescription, answersPaths: Bool) throws(UnionError) {
    self.union = union
    var branches: [BranchPlan] = []
    for index in union.branches.indices {
      do {
        branches.append(try BranchPlan(index, of: union, answersPaths: answersPaths))
      } catch {
        throw .invalidBranch(
          union: union.entity.name,
          branch: union.branches[index].name,
          error
        )
      }
    }
    self.branches = branches
  }

  /// The orders of the branches that can have rows of a list.
  func orders(of definition: OrderDefinition) throws(StoreError) -> [BranchOrder] {
    var orders: [BranchOrder] = []
    for branch in branches {
      if let order = try BranchOrder(definition, of: branch) { orders.append(order) }
    }
    return orders
  }

  /// The changes of the union's rows between an earlier version and a snapshot's: one record for each commit that changed any.
  func history(
    since version: StoreVersion,
    in base: any StoreSnapshot
  ) throws(StoreError) -> StoreHistory {
    var known: [(entity: EntityDescription, records: [CommitRecord])] = []
    var histories: [[CommitRecord]] = []
    for branch in branches {
      let records: [CommitRecord]
      if let same = known.first(where: { $0.entity == branch.entity }) {
        records = same.records
      } else {
        switch try branch.snapshot(of: base).history(since: version, of: branch.entity) {
        case .gap(let reason): return .gap(reason)
        case .commits(let found): records = found
        }
        known.append((branch.entity, records))
      }
      histories.append(
        records.compactMap { record in
          var changes: [CommittedChange] = []
          var ids: [ObjectID: ObjectID] = [:]
          for change in record.changes {
            guard let row = branch.change(change) else { continue }
            changes.append(row)
            if !record.formerIDs.isEmpty { ids[change.id] = row.id }
          }
          guard !changes.isEmpty else { return nil }
          var formerIDs: [ObjectID: ObjectID] = [:]
          for (id, former) in record.formerIDs {
            if let row = ids[id], let former = ids[former] { formerIDs[row] = former }
          }
          return CommitRecord(
            version: record.version,
            origin: record.origin,
            isOwn: record.isOwn,
            changes: changes,
            formerIDs: formerIDs
          )
        }
      )
    }
    return .commits(CommitRecord.merging(histories))
  }
}
