package import ResultsDomain
package import ResultsStoreKit
import ResultsPresentation

/// A random walk over a draft and its base, each step of which is compared with a naive draft (R109, R110).
///
/// After every step the draft's rows, states, counts, groups and first keys are those of the naive one, and the deltas of a list over the
/// draft, applied one after the other, give its content.
package struct DraftWalk {
  /// A change of one row by a commit of the base.
  package enum BaseStep: Sendable {
    case insert(Int64, [Value])
    case update(Int64, [Value])
    case delete(Int64)
  }

  /// What the walk found to differ, with the seed.
  package struct Breach: Error, CustomStringConvertible {
    package let description: String
  }

  package static let entity: EntityDescription? = try? EntityDescription(
    name: "Item",
    attributes: [
      AttributeDescription("section", .integer64), AttributeDescription("rank", .integer64),
      AttributeDescription("text", .integer64, isOptional: true),
    ]
  )

  /// How often each kind of step was taken.
  package private(set) var counts: [String: Int] = [:]
  private let entity: EntityDescription
  private let store: any Store
  private let draft: DraftStore
  private let list: FetchedResultsController<Row>
  private var events: ResultsChanges<Row>.AsyncIterator
  private var content = ResultsContent(sections: [])
  private var generation = 0
  /// The new identities of the last step's commit, with those that the rows had, and what the list's deltas say of them.
  private var assigned: [ObjectID: ObjectID] = [:]
  private var named: [ObjectID: ObjectID] = [:]
  private var naive: NaiveDraft
  private var generator: SeededGenerator
  private var workload: RandomStoreWorkload
  private var trace: [String] = []

  /// Begins a walk over an empty store with the walk's entity.
  package init(over store: any Store, seed: UInt64) async throws {
    guard let entity = DraftWalk.entity else { throw Breach(description: "no entity") }
    self.entity = entity
    self.store = store
    naive = NaiveDraft(entity)
    generator = SeededGenerator(seed: seed)
    workload = RandomStoreWorkload(seed: seed)
    draft = DraftStore(over: store)
    let request = FetchRequest<Row>(entity: entity, sortedBy: [.ascending("rank")])
    list = FetchedResultsController(
      ResultsDefinition(
        request,
        sectionedBy: .attribute("section"),
        aggregates: [SectionAggregate("sum", .sum("text"))]
      ),
      in: draft
    )
    try await list.performFetch()
    events = list.changes.makeAsyncIterator()
  }

  /// Takes a step, and compares.
  /// - Parameter commit: Commits changes to the base as another writer does, or `nil` to commit by the store.
  /// - Throws: `Breach` for a difference, and the store's errors.
  package mutating func step(_ commit: (([BaseStep]) throws -> Void)? = nil) async throws {
    let before = try list.results.generation
    (assigned, named) = ([:], [:])
    var mayChange = Int.max
    switch generator.number(in: 0...19) {
    case 0...6: try changeBase(commit)
    case 7...13: try edit()
    case 14...16: try decide()
    case 17:
      note("discard", "")
      draft.discard()
      naive.discard()
      mayChange = 1
    default:
      let isMoving = naive.editedKeys.contains { $0 < 0 }
      mayChange = try commitDraft() && !isMoving ? 0 : 1
    }
    try draft.checkForExternalChanges()
    try await list.refresh()
    let changes = try list.results.generation - before
    try expect(changes <= mayChange, "at most \(mayChange) changes of the list, not \(changes)")
    try await compare()
  }

  private mutating func note(_ kind: String, _ detail: String) {
    counts[kind, default: 0] += 1
    trace.append("\(kind) \(detail)")
  }

  private func expect(_ isMet: Bool, _ what: @autoclosure () -> String) throws {
    guard isMet else {
      let steps = trace.suffix(12).joined(separator: "; ")
      let context = "seed \(generator.seed), after \(trace.count) steps (\(steps))"
      throw Breach(description: "\(context): \(what())")
    }
  }

  private mutating func values() -> [Value] {
    let text = generator.number(in: 0...3)
    return [
      .integer(Int64(generator.number(in: 0...2))), .integer(Int64(generator.number(in: 0...3))),
      text == 3 ? .null : .integer(Int64(text)),
    ]
  }

  /// Values that differ from others in one attribute or two.
  private mutating func changed(_ old: [Value]) -> [Value] {
    var (changed, new) = (old, values())
    for _ in 0..<generator.number(in: 1...2) {
      let index = generator.number(in: 0...2)
      changed[index] = new[index]
    }
    new = changed
    return new
  }

  private func id(_ key: Int64) -> ObjectID { ObjectID(entity: entity.name, key: .integer(key)) }
}

// MARK: - Steps

extension DraftWalk {
  private mutating func changeBase(_ commit: (([BaseStep]) throws -> Void)?) throws {
    var steps: [BaseStep] = []
    var keys: Set<Int64> = []
    for _ in 0..<generator.number(in: 1...3) {
      let key = Int64(generator.number(in: 1...10))
      guard keys.insert(key).inserted else { continue }
      if let row = naive.base[key] {
        steps.append(
          generator.happens(percent: 25) ? .delete(key) : .update(key, changed(row))
        )
      } else {
        // A row that was deleted can come back, and a row of the draft can get a namesake.
        let mine = naive.shown[key]
        steps.append(.insert(key, generator.happens(percent: 30) ? mine ?? values() : values()))
      }
    }
    note(commit == nil ? "base" : "foreign", "\(steps)")
    if let commit { try commit(steps) } else { try store.commit(steps, of: entity) }
    for step in steps {
      switch step {
      case .insert(let key, let values), .update(let key, let values): naive.setBase(key, values)
      case .delete(let key): naive.setBase(key, nil)
      }
    }
  }

  private mutating func edit() throws {
    let start = generator
    var (next, random) = (naive, start)
    let count = random.number(in: 1...3)
    var walk = self
    walk.generator = random
    var detail: [String] = []
    try draft.commit(origin: CommitOrigin("editor")) { [entity] transaction in
      for _ in 0..<count {
        let shown = next.shown
        let key = Int64(walk.generator.number(in: -2...10))
        let known = key <= 0 ? shown.keys.sorted().first.map { min($0, 0) } : key
        if let known, let row = shown[known] {
          if walk.generator.happens(percent: 25) {
            try transaction.delete(walk.id(known), of: entity)
            next.delete(known)
            detail.append("delete \(known)")
          } else {
            let values = walk.changed(row)
            try transaction.update(walk.id(known), to: values, of: entity)
            next.set(known, values)
            detail.append("update \(known) to \(values)")
          }
        } else {
          let values = walk.values()
          let id = try transaction.insert(values, key: key <= 0 ? nil : .integer(key), into: entity)
          guard case .integer(let made) = id.key else { continue }
          next.set(made, values)
          detail.append("insert \(made) \(values)")
        }
      }
    }
    naive = next
    generator = walk.generator
    note("edit", detail.joined(separator: ", "))
  }

  private mutating func decide() throws {
    if generator.happens(percent: 30), let key = generator.element(of: naive.editedKeys) {
      let read = values()
      note("ancestor", "\(key) \(read)")
      draft.setAncestors([Row(entity: entity, id: id(key), values: read)])
      return naive.setAncestor(key, read)
    }
    guard let key = generator.element(of: naive.conflicts) else { return }
    if generator.happens(percent: 50) {
      note("keep mine", "\(key)")
      try expect(draft.keepMine(id(key)), "a conflict of \(key)")
      naive.keepMine(key)
    } else {
      note("take theirs", "\(key)")
      try expect(draft.takeTheirs(id(key)), "a conflict of \(key)")
      naive.takeTheirs(key)
    }
  }

  /// - Returns: Whether the draft was committed.
  private mutating func commitDraft() throws -> Bool {
    let conflicts = naive.conflicts
    do {
      let identities = try draft.commit(origin: CommitOrigin("editor")).result
      note("commit", "\(naive.editedKeys)")
      try expect(conflicts.isEmpty, "a refusal, since \(conflicts) are in conflict")
      let fresh = naive.editedKeys.filter { $0 < 0 && naive.shown[$0] != nil }
      try expect(identities.count == fresh.count, "\(fresh.count) new keys, not \(identities)")
      assigned = Dictionary(identities.map { ($0.value, $0.key) }) { first, _ in first }
      naive.commit { [entity] key in
        let id = ObjectID(entity: entity.name, key: .integer(key))
        return if case .integer(let final)? = identities[id]?.key { final } else { key }
      }
      return true
    } catch DraftError.conflicts(let ids) {
      note("refusal", "\(conflicts)")
      try expect(Set(ids) == Set(conflicts.map(id)), "a refusal for \(conflicts), not \(ids)")
      return false
    }
  }
}

extension Store {
  /// Commits changes of the walk's entity.
  package func commit(_ steps: [DraftWalk.BaseStep], of entity: EntityDescription) throws {
    try commit(origin: CommitOrigin("base")) { transaction in
      for step in steps {
        switch step {
        case .insert(let key, let values):
          try transaction.insert(values, key: .integer(key), into: entity)
        case .update(let key, let values):
          let id = ObjectID(entity: entity.name, key: .integer(key))
          try transaction.update(id, to: values, of: entity)
        case .delete(let key):
          try transaction.delete(ObjectID(entity: entity.name, key: .integer(key)), of: entity)
        }
      }
    }
  }
}

// MARK: - Comparing

extension DraftWalk {
  private mutating func compare() async throws {
    for key in Int64(-40)...40 {
      let (found, expected) = (draft.state(of: id(key)), naive.state(key))
      try expect(
        found == expected,
        "the state of \(key): \(String(describing: expected)), not \(String(describing: found))"
      )
    }
    let edited = draft.edits.map(\.id.key)
    try expect(
      Set(edited) == Set(naive.editedKeys.map { .integer($0) }),
      "edits of \(naive.editedKeys), not \(edited)"
    )
    let stored = try store.fetch(
      FetchRequest<Row>(entity: entity, sortedBy: [FetchSortDescriptor(.objectKey)])
    )
    let base = rows(naive.base).sorted { ModelStore.order($0.id.key, $1.id.key) == .ascending }
    try expect(stored == base, "the base's rows")
    try await compareList()
    try compareSnapshot()
  }

  private func rows(_ rows: [Int64: [Value]]) -> [Row] {
    rows.map { Row(entity: entity, id: id($0), values: $1) }
  }

  /// Applies the deltas of the list, and compares what they give with the naive rows.
  private mutating func compareList() async throws {
    let results = try list.results
    while generation < results.generation, let event = await events.next() {
      switch event {
      case .snapshot(let list), .reset(_, let list):
        content = try list.snapshot.content
        generation = list.generation
      case .change(let change):
        content = try content.applying(change.delta)
        named.merge(change.delta.rows.formerIDs) { first, _ in first }
        generation = change.delta.to
      case .failure(let error): throw error
      }
    }
    // Where the base does not know its single commits, nobody knows which of its rows was which.
    try expect(named.isEmpty || named == assigned, "former identities \(assigned), not \(named)")
    counts["named", default: 0] += named.count
    counts["assigned", default: 0] += assigned.count
    let shown = rows(naive.shown).sorted {
      ModelStore.precedes($0, $1, by: [.ascending("section"), .ascending("rank")])
    }
    try expect(content == (try results.snapshot.content), "the deltas to give the list")
    try expect(content.sections.flatMap(\.rows) == shown.map(\.id), "the rows of the list")
    let sections = Dictionary(grouping: shown) { $0["section"] }
    try expect(content.sections.count == sections.count, "\(sections.count) sections")
    for section in content.sections {
      let members = sections[section.header.id.value] ?? []
      try expect(section.rows == members.map(\.id), "the rows of section \(section.header)")
      let texts = members.compactMap { $0["text"].integer }
      let sum: Value = texts.isEmpty ? .null : .integer(texts.reduce(0, +))
      try expect(section.header.aggregates["sum"]?.value == sum, "the sum of \(section.header)")
    }
    let objects = try results.rows.map { try $0.object }
    try expect(objects == shown, "the values of the rows")
  }

  /// Compares a random list, its counts and its groups with the naive rows.
  private mutating func compareSnapshot() throws {
    let keys = naive.shown.keys.sorted().map { ObjectKey.integer($0) }
    let predicate = workload.predicate(for: entity, keys: keys, depth: 2)
    let terms = workload.sortDescriptors(for: entity)
    let definition = try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sectionTerms: [.ascending("section")],
      sortDescriptors: terms
    )
    let expected = rows(naive.shown).filter { predicate.holds(for: $0) }
      .sorted { ModelStore.precedes($0, $1, by: definition.terms) }
    let aggregates = try CompiledAggregates([.sum("text"), .minimum("rank")], in: entity)
    let limit = generator.number(in: 0...6)
    let sought = Int64(generator.number(in: 0...3))
    let (found, first, count, groups, whole, digests, referrers) = try draft.read {
      [entity] (snapshot) throws(StoreError) in
      (
        try snapshot.list(definition),
        try snapshot.firstEntries(of: definition, limit: limit).keys,
        try snapshot.count(of: entity, where: predicate),
        try snapshot.groups(aggregates, definition, 1),
        try snapshot.groups(aggregates, definition, 0),
        try snapshot.digests(of: definition, AttributeSet(indexes: 0..<3)).map(\.identity),
        try snapshot.referrers(to: [.integer(sought)], through: ["rank"], of: entity, limit: nil)
      )
    }
    try expect(found == expected, "the list of \(predicate) by \(terms)")
    try expect(count == expected.count, "the count of \(predicate)")
    let keysOfList = try expected.map { (row) throws(StoreError) in try definition.key(of: row) }
    try expect(first == Array(keysOfList.prefix(limit)), "the first \(limit) keys of \(predicate)")
    func naiveGroup(_ rows: [Row]) throws -> [AggregateState] {
      var group = AggregateGroup(prefix: [], count: 0, states: aggregates.emptyStates)
      for row in rows { group.add(try aggregates.inputs(row.values, key: row.id.key)) }
      return group.states
    }
    let parts = Dictionary(grouping: expected) { $0["section"].integer ?? 0 }
    let states = try parts.keys.sorted().map { try naiveGroup(parts[$0] ?? []) }
    try expect(groups.map(\.states) == states, "the groups of \(predicate)")
    try expect(whole.map(\.states) == [try naiveGroup(expected)], "the whole of \(predicate)")
    let identities = expected.compactMap { definition.layout.identityBytes(of: $0.id.key) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    try expect(digests == identities, "the digests of \(predicate)")
    let named = naive.shown.filter { $1[1] == .integer(sought) }.keys
    try expect(
      Set(referrers ?? []) == Set(named.map { .integer($0) }),
      "the rows with rank \(sought)"
    )
  }
}

extension StoreSnapshot {
  /// The aggregates of each group of rows that agree in the first columns.
  func groups(
    _ aggregates: CompiledAggregates,
    _ definition: OrderDefinition,
    _ columns: Int
  ) throws(StoreError) -> [AggregateGroup] {
    var groups: [AggregateGroup] = []
    try self.aggregates(aggregates, of: definition, groupedByFirst: columns) { group in
      groups.append(group)
      return true
    }
    return groups
  }
}
