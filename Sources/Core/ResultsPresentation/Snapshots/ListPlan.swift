import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// A compiled definition: the order to read from the store, and the rule by which keys fall into sections.
///
/// A class, since every generation has it, and copying all its fields took a third of the time of a small commit.
final class ListPlan: Sendable {
  /// The order and the predicate, without paths: over the derived entity where the definition has any.
  let definition: OrderDefinition
  /// The relationships that the definition follows, or `nil` for none.
  let relations: RelationTree?
  /// The definition over the store's entity, with paths.
  let storeDefinition: OrderDefinition
  let predicate: CompiledPredicate
  let encoder: RowKeyEncoder
  let rule: SectionRule
  let sectionKey: SectionKey?
  /// Whether rows of one section may stand apart, so that sections are merged or split, and numbered again after every change.
  let numbersSections: Bool
  let limit: Int?
  let offset: Int
  let batchSize: Int
  /// The attributes whose change is an update of the row.
  let observedAttributes: AttributeSet
  /// Whether deltas carry rows.
  let carriesRows: Bool
  /// The properties of dictionary results, or `nil` for all.
  let propertiesToFetch: FetchedProperties?
  /// Whether membership and order stay as they were first fetched.
  let isFrozen: Bool
  let additionalCounts: [String: CountRequest]
  /// The aggregates of every section.
  let aggregates: AggregatePlan
  /// The rule that gathers sections into groups, or `nil` for none.
  let groups: SectionGroups?
  /// How the list shows its sections, or `nil` for all of them as the keys have them.
  let arrangement: ArrangementPlan?
  /// Whether deltas name every row with another key, also one whose position and shown values are the same.
  let namesChangedKeys: Bool
  /// The name of the list's cache, or `nil` for none.
  let cacheName: String?
  /// What the predicate demands of attributes, if nothing but rows that meet it can concern the list.
  let demands: [ListDemand]
  /// What of the definition follows the clock, or `nil` for nothing.
  let clock: ListClock?
  /// Whether the store answers paths.
  let answersPaths: Bool
  /// What was compiled: the definition at a time, if it follows the clock.
  private let source: ResultsDefinition<Row>

  /// The entity of the list's rows: the store's, or the derived one with related values.
  var entity: EntityDescription { definition.entity }
  var layout: KeyLayout { definition.layout }

  /// Compiles a definition.
  convenience init<Object: FetchedObject>(
    _ definition: ResultsDefinition<Object>
  ) throws(RequestError) {
    try self.init(
      ResultsDefinition<Row>(definition),
      carriesRows: Object.needsAttributeValues
    )
  }

  /// Compiles a definition whose objects need attribute values or not, for a store that answers paths or not, at the time at which what
  /// follows the clock is resolved.
  init(
    _ definition: ResultsDefinition<Row>,
    at now: Instant? = nil,
    carriesRows: Bool,
    answersPaths: Bool = false,
    namesChangedKeys: Bool = false
  ) throws(RequestError) {
    if now != nil {
      try definition.request.predicate.validate(
        in: definition.request.entity,
        followingClock: true
      )
    }
    let results = now.map { definition.resolved(at: $0) } ?? definition
    clock = now.flatMap { ListClock(definition, at: $0) }
    self.answersPaths = answersPaths
    source = results
    let request = results.request
    var paths = RelationTreeBuilder(request.entity)
    let predicate = try paths.rewrite(request.predicate)
    var descriptors: [FetchSortDescriptor] = []
    for term in request.sortDescriptors { descriptors.append(try paths.rewrite(term)) }
    guard request.fetchOffset >= 0, request.fetchLimit ?? 0 >= 0 else {
      throw .negativeWindow(limit: request.fetchLimit, offset: request.fetchOffset)
    }
    var sectionTerms: [FetchSortDescriptor] = []
    var rule = SectionRule.single
    var grouped: (source: String, grouping: any SectionGrouping)?
    var objects: ObjectSectionsPlan?
    switch results.sectionKey?.source {
    case .none: break
    case .expression(let expression, let order, let direction, let nulls):
      let id = FetchSortDescriptor(try paths.rewrite(expression), direction, nulls: nulls)
      if let order, order != expression {
        let order = try paths.rewrite(order)
        sectionTerms = [FetchSortDescriptor(order, direction, nulls: nulls), id]
      } else {
        sectionTerms = [id]
      }
      rule = .columns(count: sectionTerms.count, idColumn: sectionTerms.count - 1)
    case .transient(let name, let grouping):
      let first = descriptors.first
      let source = try paths.rewrite(property: name)
      guard
        source != name || request.entity.expression(ofColumn: source) != nil
          || first?.expression == .attribute(source)
      else {
        throw .unknownAttribute(
          source,
          entity: request.entity.name,
          known: request.entity.attributes.map(\.name)
        )
      }
      guard let first else { throw .missingOrder(entity: request.entity.name) }
      let isKey = first.expression == .objectKey && request.entity.isKey(source)
      guard isKey || first.expression == .attribute(source) else {
        throw .transientSectionNotFirst(
          source: source,
          first: first.expression.description,
          rows: nil
        )
      }
      rule = .grouping(grouping)
      grouped = (source, grouping)
    case .relationship(let sections):
      let compiled = try ObjectSectionsPlan(sections, of: request.entity, answersPaths)
      guard request.fetchLimit == nil, request.fetchOffset == 0 else {
        throw .windowOfObjectSections
      }
      let foreignKey = try paths.rewrite(compiled.foreignKey)
      let direction: SortDirection = sections.isReversed ? .descending : .ascending
      sectionTerms = [FetchSortDescriptor(foreignKey, direction)]
      rule = .columns(count: 1, idColumn: 0)
      objects = compiled
    }
    groups = results.groups
    try results.groups?.check(results.sectionKey)
    if case .expression(let expression, let direction, let nulls) = results.groups?.source,
      case .columns(let count, let idColumn) = rule
    {
      let group = FetchSortDescriptor(try paths.rewrite(expression), direction, nulls: nulls)
      sectionTerms.insert(group, at: 0)
      rule = .columns(count: count + 1, idColumn: idColumn + 1)
    }
    var declared: [SectionAggregate] = []
    for aggregate in results.aggregates {
      let function = aggregate.aggregate.function
      let expression = try paths.rewrite(aggregate.aggregate.expression)
      let condition = try paths.rewrite(aggregate.aggregate.predicate)
      let rewritten = FetchAggregate(function, of: expression, where: condition)
      declared.append(SectionAggregate(aggregate.name, rewritten))
    }
    var properties: [String] = []
    for name in request.propertiesToFetch ?? [] {
      properties.append(try paths.rewrite(property: name))
    }
    var prefetched: [String] = []
    for steps in request.relationshipPathsForPrefetching where carriesRows {
      prefetched += try paths.prefetch(steps)
    }
    relations = try paths.tree(answersPaths: answersPaths)
    let entity = relations?.entity ?? request.entity
    if let grouped, let form = entity.attribute(named: grouped.source)?.form {
      rule = .grouping(StoredFormGrouping(form, grouped.grouping))
    }
    self.definition = try OrderDefinition(
      entity: entity,
      predicate: predicate,
      sectionTerms: sectionTerms,
      sortDescriptors: descriptors
    )
    storeDefinition = try relations?.storeDefinition(of: self.definition) ?? self.definition
    self.predicate = CompiledPredicate(predicate, in: entity)
    encoder = RowKeyEncoder(self.definition)
    self.rule = rule
    var key = results.sectionKey
    // The rows that name one object are adjacent.
    if objects != nil { key?.contiguity = .error }
    sectionKey = key
    numbersSections = key.map { $0.contiguity != .error } ?? false
    limit = request.fetchLimit
    offset = request.fetchOffset
    batchSize = max(1, request.fetchBatchSize)
    propertiesToFetch = request.propertiesToFetch.map { FetchedProperties($0, from: properties) }
    self.carriesRows = carriesRows
    isFrozen = results.isFrozen
    additionalCounts = results.additionalCounts
    aggregates = try AggregatePlan(declared, in: entity)
    let arrangement = try ArrangementPlan(
      results.arrangement,
      rule,
      self.definition.layout,
      objects
    )
    self.arrangement = arrangement
    self.namesChangedKeys = namesChangedKeys || arrangement != nil
    cacheName = results.cacheName
    // A frozen list follows rows that have left its predicate; a cached one notes every version.
    let isConcernedByOthers =
      relations != nil || isFrozen || !additionalCounts.isEmpty || cacheName != nil
      || objects != nil
    demands = isConcernedByOthers ? [] : predicate.normalized.demands(in: entity)
    if request.propertiesToFetch != nil {
      var indexes: [Int] = []
      // The key of a row never changes.
      for name in properties where !entity.isKey(name) {
        guard let index = entity.index(of: name) else {
          throw .unknownAttribute(
            name,
            entity: entity.name,
            known: entity.attributes.map(\.name)
          )
        }
        indexes.append(index)
      }
      indexes += prefetched.compactMap(entity.index(of:))
      observedAttributes = AttributeSet(indexes: indexes)
    } else {
      let base = Array(request.entity.attributes.indices)
      let shown = (sectionTerms + descriptors).flatMap(\.expression.attributes) + prefetched
      let derived = shown.compactMap(entity.index(of:)).filter { $0 >= base.count }
      observedAttributes = AttributeSet(indexes: carriesRows ? base + derived : [])
    }
  }

  /// The store's snapshot as the list reads it: with related values, if the list has any.
  func view(_ snapshot: any StoreSnapshot) -> any StoreSnapshot {
    guard let relations else { return snapshot }
    return RelatedSnapshot(snapshot, relations)
  }

  /// The related objects that are the list's sections, or `nil` for other sections.
  var objects: ObjectSectionsPlan? { arrangement?.objects }

  /// The entities whose objects decide what the list shows, that of its rows first.
  var entities: [EntityDescription] {
    var entities = relations?.entities ?? [entity]
    for other in objects?.entities ?? []
    where !entities.contains(where: { $0.name.hasSameBytes(as: other.name) }) {
      entities.append(other)
    }
    return entities
  }

  /// Checks that a store has the entities of all relationships.
  /// - Throws: `StoreError.unknownEntity` with the first that it does not have.
  func requireEntities(of store: any Store) throws(StoreError) {
    guard relations != nil || objects != nil else { return }
    let known = store.entities.map(\.name)
    for entity in entities
    where !known.contains(where: { Value.text($0) == .text(entity.name) }) {
      throw .unknownEntity(entity.name, known: known)
    }
  }

  /// The rows of a list of some length that are in the window.
  func window(of count: Int) -> Range<Int> {
    let lower = min(offset, count)
    guard let limit else { return lower..<count }
    return lower..<(limit < count - lower ? lower + limit : count)
  }
}

extension ListPlan {
  /// The key of a row in the list, or `nil` if it is not in it.
  func key(of row: Row?) throws(StoreError) -> [UInt8]? {
    guard let row, predicate.holds(for: row) else { return nil }
    return try encoder.key(row.values, key: row.id.key)
  }

  /// The change of the keys that results from changes of rows.
  func keyChange(by changes: [CommittedChange]) throws(StoreError) -> KeyChange {
    var (removed, inserted) = (KeyBatch(), KeyBatch())
    for change in changes {
      let (old, new) = (try key(of: change.before), try key(of: change.after))
      guard old != new else { continue }
      if let old { removed.append(old) }
      if let new { inserted.append(new) }
    }
    do {
      return try KeyChange(sorting: removed, inserted)
    } catch {
      throw .unexpected(path: entity.name, detail: "a key occurs twice in one change: \(error)")
    }
  }
}

extension ListPlan {
  /// Whether nothing but the locale or time zone of titles and groupings differs.
  func differsOnlyInLocale(from other: ListPlan) -> Bool {
    guard definition == other.definition, limit == other.limit, offset == other.offset,
      source.arrangement == other.source.arrangement,
      case .transient(let source, _) = sectionKey?.source,
      case .transient(let otherSource, _) = other.sectionKey?.source
    else { return false }
    return Value.text(source) == .text(otherSource)
  }

  /// Whether the limit or the offset differs, and nothing else but the batch size.
  func differsOnlyInWindow(from other: ListPlan) -> Bool {
    (limit != other.limit || offset != other.offset)
      && source.arrangement == other.source.arrangement && hasRowsAndSections(of: other)
  }

  /// Whether limits of sections differ, and nothing else but the batch size.
  func differsOnlyInSectionLimits(from other: ListPlan) -> Bool {
    var arrangement = source.arrangement
    guard arrangement.limits != other.source.arrangement.limits, limit == other.limit,
      offset == other.offset
    else { return false }
    arrangement.limits = other.source.arrangement.limits
    return arrangement == other.source.arrangement && hasRowsAndSections(of: other)
  }

  /// Whether another definition has the same rows in the same order and sections, apart from its window and arrangement.
  ///
  /// The same definition is fetched again, which may find another index. So is a frozen list by every update, and titles by a closure
  /// are the same only if they say so.
  private func hasRowsAndSections(of other: ListPlan) -> Bool {
    let (mine, others) = (source, other.source)
    guard !isFrozen, !other.isFrozen, carriesRows == other.carriesRows,
      mine.request.entity == others.request.entity,
      mine.request.predicate == others.request.predicate,
      mine.request.sortDescriptors == others.request.sortDescriptors,
      mine.request.propertiesToFetch == others.request.propertiesToFetch,
      mine.request.relationshipPathsForPrefetching
        == others.request.relationshipPathsForPrefetching,
      mine.additionalCounts == others.additionalCounts, mine.cacheName == others.cacheName,
      mine.aggregates.map(\.name) == others.aggregates.map(\.name),
      mine.aggregates.map(\.aggregate) == others.aggregates.map(\.aggregate)
    else { return false }
    switch (mine.groups, others.groups) {
    case (nil, nil): break
    case (let groups?, let otherGroups?):
      guard groups.hasGroupsAndTitles(of: otherGroups) else { return false }
    case (nil, _?), (_?, nil): return false
    }
    switch (mine.sectionKey, others.sectionKey) {
    case (nil, nil): return true
    case (let key?, let otherKey?): return key.hasSectionsAndTitles(of: otherKey)
    case (nil, _?), (_?, nil): return false
    }
  }
}

extension SectionGroups {
  /// Checks that the sections of a key can stand in these groups.
  /// - Throws: `RequestError.groupsWithoutSections`, `.groupsBeforeSections`.
  fileprivate func check(_ key: SectionKey?) throws(RequestError) {
    guard let key else { throw .groupsWithoutSections }
    guard case .expression(let expression, _, _) = source else { return }
    guard case .expression = key.source, key.contiguity != .merge else {
      throw .groupsBeforeSections(expression.description)
    }
  }
}

extension SectionKey {
  fileprivate func hasSectionsAndTitles(of other: SectionKey) -> Bool {
    guard contiguity == other.contiguity, titleIdentity == other.titleIdentity else { return false }
    switch (title, other.title) {
    case (nil, nil): break
    case (_?, _?): if titleIdentity.isEmpty { return false }
    case (nil, _?), (_?, nil): return false
    }
    switch (source, other.source) {
    case (
      .expression(let id, let order, let direction, let nulls),
      .expression(let otherID, let otherOrder, let otherDirection, let otherNulls)
    ):
      return id == otherID && order == otherOrder && direction == otherDirection
        && nulls == otherNulls
    case (.transient(let source, let grouping), .transient(let otherSource, let otherGrouping)):
      return Value.text(source) == .text(otherSource)
        && grouping.groupingIdentity == otherGrouping.groupingIdentity
        && grouping.titleIdentity == otherGrouping.titleIdentity
    case (.relationship(let sections), .relationship(let others)): return sections == others
    case (.expression, _), (.transient, _), (.relationship, _): return false
    }
  }
}

// MARK: - The first page

extension ListPlan {
  /// Reads the first rows of a list, before anything is counted.
  /// - Complexity: O(*k* log *n*) for the *k* rows of a batch, and O(*o*) for an offset of *o* rows.
  func firstPage(
    _ source: any OrderedSource,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ResultsPage<Row> {
    let batch = try source.keys(from: nil, to: nil, skipping: offset, limit: firstPageSize)
    let estimate = try source.estimatedCount().map { matching in
      let remaining = max(0, matching - offset)
      return min(remaining, limit ?? remaining)
    }
    return try firstPage((0..<batch.count).map { batch.key(at: $0) }, estimate, in: snapshot)
  }

  /// Reads the first rows of a list whose first keys are known.
  /// - Complexity: O(*k* log *n*) for the *k* rows of a batch.
  func firstPage(
    _ first: SortedKeyList,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ResultsPage<Row> {
    let start = min(offset, first.count)
    let keys = (start..<start + min(firstPageSize, first.count - start)).map { first.key(at: $0) }
    return try firstPage(keys, nil, in: snapshot)
  }

  /// The number of rows that are shown before the others are read.
  var firstPageSize: Int { min(limit ?? batchSize, batchSize) }

  private func firstPage(
    _ encoded: [[UInt8]],
    _ estimate: Int?,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> ResultsPage<Row> {
    let snapshot = view(snapshot)
    let keys = encoded.compactMap { key in
      key.withUnsafeBytes { layout.objectKey(in: $0, of: entity.identity) }
    }
    let rows: [Row?]
    if carriesRows {
      rows = try snapshot.rows(keys, of: entity)
    } else {
      let values = Array(repeating: Value.null, count: entity.attributes.count)
      rows = keys.map { key in
        Row(entity: entity, id: ObjectID(entity: entity.name, key: key), values: values)
      }
    }
    return ResultsPage(rows.compactMap(\.self), propertiesToFetch, estimatedCount: estimate)
  }
}

// MARK: - Refused orders

extension RequestError {
  /// How many rows of a refused order are read: enough to find a section again, and few enough for an error.
  private static var rowsRead: Int { 10_000 }

  /// Completes the refusal of an order with two rows of one section that stand apart, or with the fact that there are none (R191);
  /// returns any other error unchanged.
  /// - Complexity: O(*n* log *n*) in the rows that match, of which at most 10,000 are decoded.
  func namingRows(
    of definition: ResultsDefinition<Row>,
    in store: any Store
  ) -> RequestError {
    guard case .transientSectionNotFirst(let source, let first, rows: nil) = self,
      case .transient(_, let grouping) = definition.sectionKey?.source,
      let expression = definition.request.entity.expression(ofColumn: source)
    else { return self }
    let value = CompiledExpression(expression, in: definition.request.entity)
    var request = definition.request
    request.fetchLimit = min(request.fetchLimit ?? .max, RequestError.rowsRead)
    // The order is refused anyway: a store that cannot be read leaves the rows unnamed.
    let rows = try? store.read { (snapshot) throws(StoreError) in
      try RequestError.rowsApart(request, value, grouping, in: snapshot)
    }
    return .transientSectionNotFirst(source: source, first: first, rows: rows ?? nil)
  }

  private static func rowsApart(
    _ request: FetchRequest<Row>,
    _ value: CompiledExpression,
    _ grouping: any SectionGrouping,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [ObjectID]? {
    let keys = try snapshot.keys(of: request)
    var beginnings: [Value: ObjectID] = [:]
    var last: Value?
    for start in stride(from: 0, to: keys.count, by: 256) {
      let batch = Array(keys[start..<min(start + 256, keys.count)])
      for case .some(let row) in try snapshot.rows(batch, of: request.entity) {
        let section = grouping.group(of: value.value(row.values, key: row.id.key)).id
        guard section != last else { continue }
        if let earlier = beginnings[section] { return [earlier, row.id] }
        beginnings[section] = row.id
        last = section
      }
    }
    // Beyond the limit nothing was looked at.
    return keys.count < RequestError.rowsRead ? [] : nil
  }
}
