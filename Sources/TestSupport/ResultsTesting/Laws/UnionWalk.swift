package import ResultsDomain
package import ResultsStoreKit
import ResultsPresentation

/// A random walk over the branches of a union, after each step of which lists over the union are compared with a naive merge (R12).
///
/// One list holds its keys and is refreshed after some commits; another one leaves its keys to an index where the store has one, and follows
/// each commit. The deltas of both are verified.
package struct UnionWalk {
  /// What the walk found to differ, with the seed.
  package struct Breach: Error, CustomStringConvertible {
    package let description: String
  }

  /// A list with what its deltas have given so far.
  private struct Follower {
    let list: FetchedResultsController<Row>
    var events: ResultsChanges<Row>.AsyncIterator
    var content = ResultsContent(sections: [])
    var generation = 0
  }

  /// How often each kind of step was taken, and each way of keys was seen.
  package private(set) var counts: [String: Int] = [:]
  private let drawn: DrawnUnion
  private let base: any Store
  private let store: UnionStore
  private var workload: RandomStoreWorkload
  private var followers: [Follower] = []
  private var definition: OrderDefinition?
  private var sectionTerms = 0
  /// The condition of an aggregate of the first list.
  private var condition = FetchPredicate.all
  private var trace: [String] = []
  private let seed: UInt64

  /// Begins a walk over an empty store.
  /// - Parameters:
  ///   - seed: The seed of all that is random.
  ///   - open: Opens a store with entities.
  /// - Throws: The store's errors.
  package init(seed: UInt64, over open: ([EntityDescription]) throws -> any Store) async throws {
    var workload = RandomStoreWorkload(seed: seed)
    let entities = try DrawnUnion.entities(&workload)
    drawn = try DrawnUnion(entities, &workload)
    base = try open(entities)
    store = try UnionStore(over: base, unions: [drawn.union])
    self.workload = workload
    self.seed = seed
    try write(to: base, transactions: 6)
    try await beginLists()
  }

  /// Takes a step, and compares.
  /// - Parameter other: Another store over the same content, whose commits are those of another writer, or `nil`.
  /// - Throws: `Breach` for a difference, and the store's errors.
  package mutating func step(_ other: (any Store)? = nil) async throws {
    if workload.generator.happens(percent: 7) { try await beginLists() }
    let writer: any Store =
      if let other, workload.generator.happens(percent: 50) { other } else { store }
    note(writer is UnionStore ? "own" : "foreign")
    var rows: [Row] = []
    for _ in 0..<workload.generator.choice(1, 1, 2) {
      try write(to: writer, transactions: 1)
      try store.checkForExternalChanges()
      rows = try drawn.rows(in: base)
      try await refresh(1, rows)
    }
    // The other list is refreshed on demand, so several commits are one change of it.
    try await refresh(0, rows)
    try compareSnapshot(rows)
  }

  /// Refreshes a list, which changes once at most, and compares it with the naive rows.
  private mutating func refresh(_ index: Int, _ rows: [Row]) async throws {
    try await followers[index].list.refresh()
    let changes = try followers[index].list.results.generation - followers[index].generation
    try expect(changes <= 1 || followers[index].generation == 0, "one change, not \(changes)")
    try await compare(index, rows)
  }

  private mutating func note(_ kind: String) {
    counts[kind, default: 0] += 1
    trace.append(kind)
  }

  private func expect(_ isMet: Bool, _ what: @autoclosure () -> String) throws {
    guard isMet else {
      throw Breach(description: "seed \(seed), after \(trace.count) steps: \(what())")
    }
  }
}

// MARK: - Steps

extension UnionWalk {
  /// Commits changes of several entities at a time.
  private mutating func write(to writer: any Store, transactions: Int) throws {
    for _ in 0..<transactions {
      var steps: [(EntityDescription, StoreOperation)] = []
      for entity in drawn.entities.prefix(2) where workload.generator.happens(percent: 70) {
        let rows = try base.rows(in: entity)
        let made = workload.transaction(on: entity, rows: rows, count: 3)
        steps += made.map { (entity, $0) }
      }
      if workload.generator.happens(percent: 50) { steps += try librarySteps() }
      let operations = steps
      try writer.commit(origin: CommitOrigin("walk")) { transaction in
        for (entity, step) in operations { _ = try transaction.perform(step, on: entity) }
      }
    }
  }

  private mutating func librarySteps() throws -> [(EntityDescription, StoreOperation)] {
    let names: [Value] = ["A", "B", "a", "東京"]
    let name = workload.generator.pick(names)
    let authors = try base.rows(in: Library.authors)
    let books = try base.rows(in: Library.bookEntity)
    let author = workload.generator.element(of: authors)
    let key = author.map { $0.id.key.parts[0] } ?? .null
    let year: Value = workload.generator.choice(.null, .integer(1), .integer(2), .integer(3))
    switch (workload.generator.number(in: 0...5), author, workload.generator.element(of: books)) {
    case (0, let author?, _):
      return [(Library.authors, .update(author.id, to: [name, .null]))]
    case (1, _, let book?): return [(Library.bookEntity, .delete(book.id))]
    case (2, _, let book?), (3, _, let book?):
      return [(Library.bookEntity, .update(book.id, to: [name, year, key]))]
    case (4, nil, _), (5, nil, _), (0, nil, _):
      return [(Library.authors, .insert([name, .null], key: nil))]
    default: return [(Library.bookEntity, .insert([name, year, key], key: nil))]
    }
  }

  /// Begins lists of a new definition.
  private mutating func beginLists() async throws {
    for follower in followers { follower.list.cancel() }
    followers = []
    let keys = try drawn.rows(in: base).map(\.id.key)
    let predicate = workload.predicate(for: drawn.union.entity, keys: keys, depth: 2)
    condition = workload.predicate(for: drawn.union.entity, keys: keys, depth: 1)
    let names = ["kind", "text", "number"].filter { drawn.union.entity.index(of: $0) != nil }
    let section: String? =
      workload.generator.happens(percent: 70) ? workload.generator.pick(names) : nil
    let sectionKey = section.map { SectionKey.attribute($0) }
    sectionTerms = section == nil ? 0 : 1
    var made: OrderDefinition?
    var terms: [FetchSortDescriptor] = []
    while made == nil {
      terms = workload.sortDescriptors(for: drawn.union.entity)
      made = try? OrderDefinition(
        entity: drawn.union.entity,
        predicate: predicate,
        sectionTerms: section.map { [.ascending($0)] } ?? [],
        sortDescriptors: terms
      )
    }
    definition = made
    let hasNumber = drawn.union.entity.index(of: "number") != nil
    let request = FetchRequest<Row>(
      entity: drawn.union.entity,
      where: predicate,
      sortedBy: terms
    )
    for limit in [4096, -1] {
      let list = FetchedResultsController(
        ResultsDefinition(
          request,
          sectionedBy: sectionKey,
          aggregates: hasNumber && limit > 0
            ? [
              SectionAggregate("least", .minimum("number")),
              SectionAggregate(
                "some",
                FetchAggregate(.sum, of: .attribute("number"), where: condition)
              ),
            ] : []
        ),
        in: store,
        options: ResultsOptions(
          delivery: limit > 0 ? .onDemand : .immediate,
          inMemoryKeyLimit: limit,
          auditPeriod: nil
        )
      )
      try await list.performFetch()
      if limit < 0, case .indexed? = try await list.explain()?.keys { note("indexed") }
      followers.append(Follower(list: list, events: list.changes.makeAsyncIterator()))
    }
    note("lists")
  }
}

// MARK: - Comparing

extension UnionWalk {
  /// Verifies the deltas of a list, and compares what they give with the naive rows.
  private mutating func compare(_ index: Int, _ rows: [Row]) async throws {
    guard let definition else { return }
    let results = try followers[index].list.results
    while followers[index].generation < results.generation {
      guard let event = await followers[index].events.next() else { break }
      switch event {
      case .snapshot(let list), .reset(_, let list):
        followers[index].content = try list.snapshot.content
        followers[index].generation = list.generation
      case .change(let change):
        let after = try change.after.snapshot.content
        try change.delta.verify(from: followers[index].content, to: after)
        followers[index].content = after
        followers[index].generation = change.delta.to
      case .failure(let error): throw error
      }
    }
    let content = followers[index].content
    let shown = rows.filter { definition.predicate.holds(for: $0) }
      .sorted { ModelStore.precedes($0, $1, by: definition.terms) }
    try expect(
      content.sections.flatMap(\.rows) == shown.map(\.id),
      """
      the rows of list \(index), where \(definition.predicate), by \(definition.terms.map(\.expression)): \
      \(shown.map(\.id)), not \(content.sections.flatMap(\.rows))
      """
    )
    let objects = try results.rows.map { try $0.object }
    try expect(objects == shown, "the values of list \(index)")
    if results.section(at: 0)?.aggregates["least"] != nil, shown.count > 0 {
      let start = workload.generator.below(shown.count)
      let page = start..<min(start + 3, shown.count)
      let values = try results.runningValues(of: "least", from: .last, at: page, readingLimit: 0)
      let wanted = page.map { position -> Value in
        let least = shown[position...].compactMap { $0["number"].integer }.min()
        return least.map { .integer($0) } ?? .null
      }
      try expect(values.map(\.value) == wanted, "the least number from \(page) of list \(index)")
    }
    for section in content.sections where index == 0 && sectionTerms == 1 {
      let members = shown.filter {
        definition.terms[0].expression.evaluate($0) == section.header.id.value
      }
      try expect(members.count == section.rows.count, "the section \(section.header)")
      guard let least = section.header.aggregates["least"]?.value else { continue }
      let numbers = members.compactMap { $0["number"].integer }
      try expect(least == (numbers.min().map { .integer($0) } ?? .null), "the least number")
      let some = members.filter { condition.holds(for: $0) }
        .compactMap { $0["number"].integer }
      // A sum beyond 64 bits is null, and marked.
      let sum = some.reduce(Int128(0)) { $0 + Int128($1) }
      let wanted = some.isEmpty ? nil : Int64(exactly: sum)
      let found = section.header.aggregates["some"]
      try expect(
        found?.value == (wanted.map { .integer($0) } ?? .null)
          && found?.isOverflow == (wanted == nil && !some.isEmpty),
        "the sum where \(condition)"
      )
    }
  }

  /// Compares a random list, its counts, groups and ordered source with the naive rows.
  private mutating func compareSnapshot(_ rows: [Row]) throws {
    let entity = drawn.union.entity
    let predicate = workload.predicate(for: entity, keys: rows.map(\.id.key), depth: 2)
    let terms = workload.sortDescriptors(for: entity)
    guard
      let definition = try? OrderDefinition(
        entity: entity,
        predicate: predicate,
        sectionTerms: [.ascending("kind")],
        sortDescriptors: terms
      )
    else { return }
    let expected = rows.filter { predicate.holds(for: $0) }
      .sorted { ModelStore.precedes($0, $1, by: definition.terms) }
    let keys = try expected.map { (row) throws(StoreError) in try definition.key(of: row) }
    let hasNumber = entity.index(of: "number") != nil
    let aggregates = try CompiledAggregates(
      [.count("kind"), hasNumber ? .minimum("number") : .maximum("kind")],
      in: entity
    )
    let limit = workload.generator.number(in: 0...6)
    let attributes = AttributeSet(indexes: entity.attributes.indices)
    let (found, first, count, groups, whole, digests) = try store.read {
      (snapshot) throws(StoreError) in
      (
        try snapshot.list(definition),
        try snapshot.firstEntries(of: definition, limit: limit).keys,
        try snapshot.count(of: entity, where: predicate),
        try snapshot.groups(aggregates, definition, 1),
        try snapshot.groups(aggregates, definition, 0),
        try snapshot.digests(of: definition, attributes).map { $0.identity + $0.digest }
      )
    }
    let context = "of \(predicate) by \(terms.map(\.expression))"
    try expect(
      found == expected,
      "the list \(context): \(expected.map(\.id)), not \(found.map(\.id))"
    )
    try expect(count == expected.count, "the count \(context): \(expected.count), not \(count)")
    try expect(first == Array(keys.prefix(limit)), "the first \(limit) keys \(context)")
    func naiveGroup(_ rows: [Row]) throws -> [AggregateState] {
      var group = AggregateGroup(prefix: [], count: 0, states: aggregates.emptyStates)
      for row in rows { group.add(try aggregates.inputs(row.values, key: row.id.key)) }
      return group.states
    }
    let parts = Dictionary(grouping: expected) { $0["kind"].text ?? "" }
    let states = try parts.keys.sorted().map { try naiveGroup(parts[$0] ?? []) }
    try expect(groups.map(\.states) == states, "the groups \(context)")
    try expect(whole.map(\.states) == [try naiveGroup(expected)], "the whole \(context)")
    let identified = expected.compactMap { row -> (identity: [UInt8], digest: [UInt8])? in
      guard let identity = definition.layout.identityBytes(of: row.id.key) else { return nil }
      var digest = RowDigest()
      for value in row.values { digest.add(value) }
      return (identity, withUnsafeBytes(of: digest.value.bigEndian, Array.init))
    }
    // An identity can begin with another one, behind which a column would begin with a byte below 4.
    let ordered = identified.sorted {
      ($0.identity + [2]).lexicographicallyPrecedes($1.identity + [2])
    }
    try expect(
      digests == ordered.map { $0.identity + $0.digest },
      "the digests \(context)"
    )
    try compareSource(definition, keys, context)
  }

  /// Compares the ordered source of a list, if the store has one, with its keys.
  private mutating func compareSource(
    _ definition: OrderDefinition,
    _ keys: [[UInt8]],
    _ context: String
  ) throws {
    let walk = self
    var generator = workload.generator
    let hasSource = try store.read { (snapshot) throws(StoreError) -> Bool in
      guard let source = try snapshot.orderedSource(of: definition) else { return false }
      do {
        try walk.compare(source, with: keys, definition, &generator, context)
      } catch let error as StoreError {
        throw error
      } catch {
        throw .aborted(by: error)
      }
      return true
    }
    workload.generator = generator
    if hasSource { counts["source", default: 0] += 1 }
  }

  private func compare(
    _ source: any OrderedSource,
    with keys: [[UInt8]],
    _ definition: OrderDefinition,
    _ generator: inout SeededGenerator,
    _ context: String
  ) throws {
    let layout = definition.layout
    let columns = layout.order + layout.identity
    func prefix(_ count: Int, of key: [UInt8]) -> [UInt8] {
      key.withUnsafeBytes { key in
        var end = 0
        for column in columns.prefix(count) { end = layout.end(of: column, in: key, from: end) }
        return Array(key[..<end])
      }
    }
    func rank(_ bound: KeyBound?) -> Int? {
      guard let bound else { return nil }
      let sought = layout.searchKey(for: bound)
      return keys.count { $0.lexicographicallyPrecedes(sought) }
    }
    func bound() -> KeyBound? {
      guard let key = generator.element(of: keys), generator.happens(percent: 90) else {
        return nil
      }
      let part = prefix(generator.number(in: 1...columns.count), of: key)
      return generator.happens(percent: 50) ? .after(part) : .before(part)
    }
    for _ in 0..<6 {
      let (lower, upper) = (bound(), bound())
      let (start, end) = (rank(lower) ?? 0, rank(upper) ?? keys.count)
      let slice = start < end ? Array(keys[start..<end]) : []
      let count = try source.count(from: lower, to: upper)
      try expect(
        count == slice.count,
        "\(slice.count) keys between bounds, not \(count), \(context)"
      )
      let (skipped, limit) = (generator.number(in: 0...5), generator.choice(0, 1, 4, .max))
      let batch = try source.keys(from: lower, to: upper, skipping: skipped, limit: limit)
      try expect(
        batch.keys == Array(slice.dropFirst(skipped).prefix(limit)),
        "the keys between bounds \(context)"
      )
      let ranges = [KeyRange(from: lower, to: upper), KeyRange(from: nil, to: upper)]
      let batches = try source.keys(inEach: ranges).map(\.keys)
      try expect(batches == [slice, Array(keys[..<end])], "the keys in ranges \(context)")
    }
    let stride = generator.number(in: 1...4)
    var sampled: [[UInt8]] = []
    let total = try source.sample(every: stride) { (batch) throws(StoreError) in
      sampled += batch.keys
      return true
    }
    try expect(total == keys.count, "the sampled count \(context)")
    let expected = Swift.stride(from: 0, to: keys.count, by: stride).map { keys[$0] }
    try expect(sampled == expected, "the sample \(context)")
    let grouped = generator.number(in: 0...layout.order.count)
    var groups: [[UInt8]] = []
    try source.groups(byFirstColumns: grouped) { (prefix, count) throws(StoreError) in
      groups += Array(repeating: prefix, count: count)
      return true
    }
    try expect(groups == keys.map { prefix(grouped, of: $0) }, "the groups of keys \(context)")
    let blocks = try source.blocks(ofAbout: generator.number(in: 1...5)) { true }
    try expect(blocks.keyCount == keys.count, "the keys of all blocks \(context)")
    var position = 0
    for (index, count) in blocks.counts.enumerated() {
      try expect(
        count > 0 && blocks.firstKeys.key(at: index) == keys[position],
        "a block \(context)"
      )
      position += count
    }
  }
}

extension Store {
  /// All rows of an entity.
  fileprivate func rows(in entity: EntityDescription) throws -> [Row] {
    let name = entity.identity.columns[0]
    return try fetch(FetchRequest<Row>(entity: entity, sortedBy: [.ascending(name)]))
  }
}
