import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

@testable import ResultsPresentation

/// One list with related values, maintained in every way that there is, in all stores of a world.
struct RelationWalk {
  /// A list over one store.
  private struct Follower {
    let name: String
    let store: any Store
    let plan: ListPlan
    var engine: ListEngine
    /// Whether all commits between two looks are always one delta.
    let alwaysFolds: Bool

    init(
      _ name: String,
      _ definition: ResultsDefinition<Row>,
      _ store: any Store,
      joins: Bool = true,
      folds: Bool = false,
      digests: Bool = true,
      indexing: IndexingPolicy? = nil
    ) throws {
      let plan = try ListPlan(definition, carriesRows: true, answersPaths: !joins)
      self.plan = plan
      self.name = name
      self.store = store
      alwaysFolds = folds
      engine = try store.read { (store) throws(StoreError) in
        try ListEngine(
          plan,
          from: store,
          generation: 1,
          maintainsDigests: digests,
          indexing: indexing
        )
      }
    }

    /// - Returns: The steps, or `nil` for a reset.
    mutating func advance(folding: Bool) throws -> [ListEngine.Step]? {
      var next = engine
      defer { engine = next }
      return try store.read { (store) throws(StoreError) in
        switch try next.advance(in: SnapshotHistory(store), folding: folding) {
        case .unchanged: []
        case .moved(let steps): steps
        case .reset: nil
        }
      }
    }
  }

  let definition: ResultsDefinition<Row>
  private let world: RelationWorld
  private var followers: [Follower]
  private var last: NaiveRelatedList
  private var context: String

  init(
    _ definition: ResultsDefinition<Row>,
    _ world: RelationWorld,
    _ model: RelationModel,
    _ context: String
  ) throws {
    self.definition = definition
    self.world = world
    self.context = context
    followers = [
      try Follower("memory", definition, world.memory),
      try Follower("memory, folded", definition, world.memory, folds: true),
      try Follower("SQLite", definition, world.logged, joins: false),
      try Follower("SQLite, joined by the core", definition, world.logged),
      try Follower("SQLite without a log", definition, world.unlogged, joins: false, folds: true),
    ]
    var reading = try Follower(
      "reading its keys again",
      definition,
      world.memory,
      folds: true,
      digests: false
    )
    reading.engine.fewestRowsReadAgain = 0
    followers.append(reading)
    if let relations = followers[0].plan.relations,
      relations.readsBaseOnly(followers[0].plan.definition)
    {
      let indexing = IndexingPolicy(world.memory, inMemoryKeyLimit: -1)
      followers.append(
        try Follower("indexed", definition, world.memory, digests: false, indexing: indexing)
      )
    }
    last = NaiveRelatedList(definition, model)
    let plan = followers[0].plan
    self.context += ": \(definition.request), \(plan.storeDefinition.terms)"
    for follower in followers {
      let content = try follower.engine.snapshot.content
      try #require(content == last.content, "\(self.context), \(follower.name), at first")
    }
  }

  /// Advances the list in all stores by some commits, and compares.
  ///
  /// `versions` and `models` are the versions and contents after each commit, and `story` says who made them. The result is the number of
  /// comparisons: one for each commit in each way of maintaining the list.
  mutating func advance(
    _ versions: [RelationWorld.Versions],
    _ models: [RelationModel],
    _ generator: inout SeededGenerator,
    _ story: String
  ) throws -> Int {
    let context = self.context + "; " + story
    let lists = models.map { NaiveRelatedList(definition, $0) }
    guard let now = lists.last else { return 0 }
    let isFolding = generator.happens(percent: 40)
    let isFollowed = versions.allSatisfy { $0.logged != nil }
    let reread = try requery(now, context)
    var outcomes: [(folded: Bool, steps: [ListEngine.Step])] = []
    for index in followers.indices {
      let name = followers[index].name
      let old = followers[index].engine.snapshot
      let isOverLog = followers[index].store is SQLiteStore
      // The commits of other programs between two looks are one, so only a list that folds has the same steps.
      let folds = isFolding || followers[index].alwaysFolds || isOverLog && !isFollowed
      let steps = try #require(
        try followers[index].advance(folding: folds),
        "\(context), \(name): reset"
      )
      outcomes.append((folds, steps))
      let expected = Dictionary(
        zip(versions, lists).compactMap { versions, list in
          (isOverLog ? versions.logged : versions.memory).map { ($0, list) }
        }
      ) { $1 }
      try check(steps, from: old, folds ? [:] : expected, "\(context), \(name)")
      let snapshot = followers[index].engine.snapshot
      let content = try snapshot.content
      try #require(
        content == now.content,
        "\(context), \(name)\nis \(content)\nnot \(now.content)\nafter \(steps.map(\.delta))"
      )
      if folds || versions.count == 1 { try checkNames(steps, now, "\(context), \(name)") }
    }
    let folded = outcomes[1].steps.map { Picture($0.delta) }
    let single = outcomes[0].folded ? folded : outcomes[0].steps.map { Picture($0.delta) }
    for (follower, outcome) in zip(followers, outcomes) {
      let pictures = outcome.steps.map { Picture($0.delta) }
      let expected = outcome.folded ? folded : single
      let isKnown = outcome.steps.allSatisfy { $0.delta.repair == nil }
      try #require(
        isKnown ? pictures == expected : pictures.map(\.bare) == expected.map(\.bare),
        "\(context), \(follower.name): other deltas"
      )
    }
    try #require(reread.map(\.bare) == folded.map(\.bare), "\(context): read again, other deltas")
    if definition.sectionKey == nil, generator.happens(percent: 25) {
      for store in [world.memory, world.logged] as [any Store] {
        let fetched = try store.fetch(definition.request).map(\.id)
        try #require(fetched == now.rows.map(\.id), "\(context), fetched")
      }
    }
    last = now
    return versions.count * (followers.count + 1)
  }

  /// Reads the keys in memory again, and compares with those before.
  private func requery(_ now: NaiveRelatedList, _ context: String) throws -> [Picture] {
    var reader = followers[0].engine
    let steps = try world.memory.read { (store) throws(StoreError) in
      let steps = try reader.requery(in: store)
      return (steps, reader.snapshot)
    }
    try #require(try steps.1.content == now.content, "\(context), read again")
    return steps.0.map { Picture($0.delta) }
  }

  /// Each step verifies, and ends in the list of its own version.
  private func check(
    _ steps: [ListEngine.Step],
    from old: ResultsSnapshot,
    _ lists: [StoreVersion: NaiveRelatedList],
    _ context: String
  ) throws {
    var content = try old.content
    try #require(content == last.content, "\(context), before")
    for step in steps {
      let next = try step.snapshot.content
      try #require(!step.delta.isEmpty, "\(context)")
      do {
        try step.delta.verify(from: content, to: next)
      } catch {
        Issue.record("\(context): \(error)")
        throw error
      }
      if let list = lists[step.snapshot.version] {
        try #require(next == list.content, "\(context), at a version between")
      }
      content = next
    }
  }

  /// One step names exactly the rows of which something observed differs, and what.
  private func checkNames(
    _ steps: [ListEngine.Step],
    _ now: NaiveRelatedList,
    _ context: String
  ) throws {
    let expected = now.changes(since: last)
    var named: [ObjectID: [String]] = [:]
    let entity = followers[0].plan.entity
    for step in steps {
      for survivor in step.delta.rows.updates + step.delta.rows.moves {
        // A change that was found by reading again does not say what changed.
        let names = survivor.changed.map { $0.names(in: entity).sorted() } ?? expected[survivor.id]
        if names != [] { named[survivor.id] = names ?? ["?"] }
      }
    }
    let deltas = steps.map(\.delta)
    try #require(named == expected, "\(context), the names of what changed: \(deltas)")
  }
}

/// What a delta says, without how and when it was found.
private struct Picture: Equatable {
  let sections: SectionChanges
  private(set) var rows: RowChanges
  let counts: [Int]

  init(_ delta: ResultsDelta) {
    sections = delta.sections
    rows = delta.rows
    counts = [delta.oldSectionCount, delta.newSectionCount]
    rows.deletes = rows.deletes.map { .init(id: $0.id, from: $0.from) }
    rows.inserts = rows.inserts.map { .init(id: $0.id, to: $0.to) }
    rows.moves = rows.moves.map(Picture.bare)
    rows.updates = rows.updates.map(Picture.bare)
    for index in rows.moves.indices { rows.moves[index].changed = delta.rows.moves[index].changed }
    for index in rows.updates.indices {
      rows.updates[index].changed = delta.rows.updates[index].changed
    }
  }

  private static func bare(_ survivor: RowChanges.Survivor) -> RowChanges.Survivor {
    .init(id: survivor.id, from: survivor.from, to: survivor.to, changed: nil)
  }

  /// The same without the names of what changed.
  var bare: Picture {
    var bare = self
    bare.rows.moves = rows.moves.map(Picture.bare)
    bare.rows.updates = rows.updates.map(Picture.bare)
    return bare
  }
}
