import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting

@testable import ResultsPresentation

/// A small store for the laws: an entity with few distinct values, so that ties, empty sections and moves are frequent.
struct ListWorld {
  static let entity = try? EntityDescription(
    name: "Thing",
    attributes: [
      AttributeDescription("series", .text, isOptional: true),
      AttributeDescription("rank", .integer64, isOptional: true),
      AttributeDescription("note", .text),
    ]
  )

  /// Texts that differ only in composition, that are empty, and that continue behind a zero.
  static let series = ["a", "b", "か", "か\u{3099}", "", "a\0b", "\0"]

  let entity: EntityDescription
  let store: InMemoryStore
  var generator: SeededGenerator

  init(seed: UInt64) throws {
    guard let entity = ListWorld.entity else { throw ResultsError.notFetched }
    self.entity = entity
    store = try InMemoryStore(entities: [entity])
    generator = SeededGenerator(seed: seed)
  }

  /// All rows, regardless of the definition.
  var everything: FetchRequest<Row> {
    FetchRequest<Row>(entity: entity, sortedBy: [FetchSortDescriptor(.objectKey)])
  }

  /// A random definition over the entity.
  mutating func definition() -> ResultsDefinition<Row> {
    let sorts: [[FetchSortDescriptor]] = [
      [.ascending("rank")],
      [.descending("rank", nulls: .first), .ascending("note")],
      [.ascending("note"), .descending("rank")],
    ]
    let predicates: [FetchPredicate] = [
      .all,
      .comparison(.attribute("rank"), .greater, .literal(3)),
      .not(.isNull(.attribute("series"))),
    ]
    let request = FetchRequest<Row>(
      entity: entity,
      where: predicates[generator.below(3)],
      sortedBy: sorts[generator.below(3)],
      fetchLimit: [nil, 5, 12, 0][generator.below(4)],
      fetchOffset: [0, 0, 2, 7][generator.below(4)]
    )
    let sections: [SectionKey?] = [
      nil,
      .attribute("series"),
      .attribute("series", .descending),
      .expression(.bucket(.attribute("rank"), width: 4)),
      SectionKey(
        .expression(
          .attribute("series"),
          orderedBy: .bucket(.attribute("rank"), width: 5),
          .ascending,
          nulls: nil
        ),
        contiguity: generator.below(2) == 0 ? .merge : .split
      ),
      request.sortDescriptors[0].expression == .attribute("rank")
        ? .transient(source: "rank", grouping: TensGrouping()) : nil,
    ]
    return ResultsDefinition(request, sectionedBy: sections[generator.below(sections.count)])
  }

  /// A random definition, every second time with arranged sections.
  mutating func anyDefinition() -> ResultsDefinition<Row> {
    generator.below(2) == 0 ? definition() : arrangedDefinition()
  }

  /// A random definition whose sections are arranged in some way.
  mutating func arrangedDefinition() -> ResultsDefinition<Row> {
    var definition = definition()
    if generator.below(3) > 0 { definition.request.fetchLimit = nil }
    definition.arrangement.limits = limits(of: definition)
    guard case .expression(let id, nil, _, _) = definition.sectionKey?.source,
      generator.below(3) > 0
    else { return definition }
    var ids: [Value] =
      id == .attribute("series")
      ? ListWorld.series.map { .text($0) } : stride(from: 0, to: 16, by: 4).map { .integer($0) }
    ids.append(.null)
    var fixed: [SectionArrangement.FixedSection] = []
    for _ in 0..<1 + generator.below(ids.count) {
      fixed.append(
        .init(
          ids.remove(at: generator.below(ids.count)),
          title: generator.below(2) == 0 ? nil : "Fixed",
          isShownWhenEmpty: generator.below(2) == 0
        )
      )
    }
    definition.arrangement.fixed = fixed
    definition.arrangement.others =
      SectionArrangement.OtherSections.allCases[generator.below(3)]
    return definition
  }

  /// Random limits of the sections of a definition.
  mutating func limits(of definition: ResultsDefinition<Row>) -> SectionLimits {
    var limits = SectionLimits(all: [nil, 0, 1, 2, 5][generator.below(5)])
    var ids: [SectionID] = ListWorld.series.map { SectionID(.text($0)) }
    ids += (0..<6).map { SectionID(.integer(2 * $0)) }
    ids += [SectionID(.null), SectionID(.text("a"), occurrence: 1)]
    for _ in 0..<generator.below(5) {
      limits[ids[generator.below(ids.count)]] = [nil, 0, 1, 3][generator.below(4)]
    }
    return limits
  }

  /// Commits a random transaction of a few rows.
  mutating func commit(rows: Int) throws {
    var drawn = generator
    try store.write { transaction in
      let definition = try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [.ascending("note")]
      )
      var keys: [ObjectKey] = []
      try transaction.entries(of: definition) { (batch) throws(StoreError) in
        for index in 0..<batch.count {
          if let key = batch.key(at: index).withUnsafeBytes({
            definition.layout.objectKey(in: $0, of: entity.identity)
          }) {
            keys.append(key)
          }
        }
        return true
      }
      for _ in 0..<rows {
        let values: [Value] = [
          drawn.below(6) == 0 ? .null : .text(ListWorld.series[drawn.below(7)]),
          drawn.below(7) == 0 ? .null : .integer(Int64(drawn.below(12))),
          .text(["x", "y", "z"][drawn.below(3)]),
        ]
        switch keys.isEmpty ? 0 : drawn.below(keys.count > 25 ? 5 : 3) {
        case 0:
          keys.append(try transaction.insert(values, key: nil, into: entity).key)
        case 1:
          let id = ObjectID(entity: entity.name, key: keys[drawn.below(keys.count)])
          guard case .some(.some(let row)) = try transaction.rows([id.key], of: entity).first else {
            continue
          }
          var changed = row.values
          let attribute = drawn.below(3)
          changed[attribute] = values[attribute]
          try transaction.update(id, to: changed, of: entity, ifUnchangedFrom: nil)
        case 2 where keys.count < 20: break
        default:
          let key = keys.remove(at: drawn.below(keys.count))
          try transaction.delete(ObjectID(entity: entity.name, key: key), of: entity)
        }
      }
    }
    generator = drawn
  }
}

/// Tens of an integer, as a computed grouping with known extents.
struct TensGrouping: SectionGrouping {
  var width: Int64 = 3
  var language = "en"

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let number) = value else { return SectionGroup(id: .null) }
    let first = number - ((number % width) + width) % width
    return SectionGroup(
      id: .integer(first),
      first: .integer(first),
      next: .integer(first + width)
    )
  }

  func title(of id: Value) -> String { "\(language) \(id)" }
  var groupingIdentity: String { "tens \(width)" }
  var titleIdentity: String { language }
}

extension SeededGenerator {
  /// Returns a number from 0 to below a bound.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension ListEngine {
  /// Fetches a list from the present version of a store.
  init(_ plan: ListPlan, in store: any Store, indexing: IndexingPolicy?) throws(StoreError) {
    self = try store.read { (snapshot) throws(StoreError) in
      try ListEngine(
        plan,
        from: snapshot,
        generation: 1,
        maintainsDigests: false,
        indexing: indexing
      )
    }
  }
}
