import ResultsDomain

/// A definition made ready: what to ask the store for, and how to read sections off the keys.
///
/// It is an object, since every generation has it, and a copy of all its parts took a third of the time of a small commit.
final class ListPlan: Sendable {
  let definition: OrderDefinition
  let predicate: CompiledPredicate
  let encoder: RowKeyEncoder
  let rule: SectionRule
  let sectionKey: SectionKey?
  /// Whether sections are read off the keys anew after every change: one's rows may stand apart.
  let readsSectionsAnew: Bool
  let limit: Int?
  let offset: Int
  let batchSize: Int
  /// Attributes whose change is an update of the row.
  let observed: AttributeSet
  /// Whether rows are handed over with deltas.
  let carriesRows: Bool
  /// The properties of dictionary results, or `nil` for all.
  let propertiesToFetch: [String]?
  /// Whether membership and order stay as they were first fetched.
  let isFrozen: Bool
  let additionalCounts: [String: CountRequest]
  /// What is kept for every section.
  let aggregates: AggregatePlan
  /// The name of the list's cache, or `nil` for none.
  let cacheName: String?

  var entity: EntityDescription { definition.entity }
  var layout: KeyLayout { definition.layout }

  init<Object: FetchedObject>(_ results: ResultsDefinition<Object>) throws(RequestError) {
    let request = results.request
    guard request.fetchOffset >= 0, request.fetchLimit ?? 0 >= 0 else {
      throw .negativeWindow(limit: request.fetchLimit, offset: request.fetchOffset)
    }
    var sectionTerms: [FetchSortDescriptor] = []
    var rule = SectionRule.single
    switch results.sectionKey?.source {
    case .none: break
    case .expression(let expression, let order, let direction, let nulls):
      let id = FetchSortDescriptor(expression, direction, nulls: nulls)
      if let order, order != expression {
        sectionTerms = [FetchSortDescriptor(order, direction, nulls: nulls), id]
      } else {
        sectionTerms = [id]
      }
      rule = .columns(count: sectionTerms.count, idColumn: sectionTerms.count - 1)
    case .transient(let source, let grouping):
      let first = request.sortDescriptors.first
      guard request.entity.index(of: source) != nil else {
        throw .unknownAttribute(
          source,
          entity: request.entity.name,
          known: request.entity.attributes.map(\.name)
        )
      }
      guard let first else { throw .missingOrder(entity: request.entity.name) }
      guard first.expression == .attribute(source) else {
        throw .transientSectionNotFirst(
          source: source,
          first: first.expression.description,
          rows: []
        )
      }
      rule = .grouping(grouping)
    }
    definition = try OrderDefinition(
      entity: request.entity,
      predicate: request.predicate,
      sectionTerms: sectionTerms,
      sortDescriptors: request.sortDescriptors
    )
    predicate = CompiledPredicate(request.predicate, in: request.entity)
    encoder = RowKeyEncoder(definition)
    self.rule = rule
    sectionKey = results.sectionKey
    readsSectionsAnew =
      sectionTerms.count > 1 || results.sectionKey.map { $0.contiguity != .error } ?? false
    limit = request.fetchLimit
    offset = request.fetchOffset
    batchSize = max(1, request.fetchBatchSize)
    propertiesToFetch = request.propertiesToFetch
    carriesRows = Object.needsAttributeValues
    isFrozen = results.isFrozen
    additionalCounts = results.additionalCounts
    aggregates = try AggregatePlan(results.aggregates, in: request.entity)
    cacheName = results.cacheName
    let entity = request.entity
    if let chosen = request.propertiesToFetch {
      var indexes: [Int] = []
      for name in chosen {
        guard let index = entity.index(of: name) else {
          throw .unknownAttribute(
            name,
            entity: entity.name,
            known: entity.attributes.map(\.name)
          )
        }
        indexes.append(index)
      }
      observed = AttributeSet(indexes: indexes)
    } else {
      observed = AttributeSet(
        indexes: Object.needsAttributeValues ? Array(entity.attributes.indices) : []
      )
    }
  }

  /// The rows of a list of some length that are in the window.
  func window(of count: Int) -> Range<Int> {
    let lower = min(offset, count)
    guard let limit else { return lower..<count }
    return lower..<(limit < count - lower ? lower + limit : count)
  }
}
