import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R92, R95, R99: after random commits to all entities of a random schema, every row has the related values and objects of a naive join, and a
/// delta names exactly the rows and paths of which the join has another value.
@Suite("Projected values obey the laws")
struct ProjectionLawTests {
  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `R95: shown values are those of a naive join after every commit`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for world in 0..<3 {
      let schema = try RelationSchema(&generator)
      let store = try InMemoryStore(entities: schema.entities)
      try store.write { try schema.change(steps: 60, $0, &generator) }
      let shown = ShownValues(schema, &generator)
      let plan = try ListPlan(ResultsDefinition(shown.request))
      var engine = try store.read { (store) throws(StoreError) in
        try ListEngine(plan, from: store, generation: 1, maintainsDigests: true)
      }
      var last = try values(shown, schema, engine, store)
      for step in 0..<12 {
        let context: Comment = "seed \(seed), world \(world), step \(step): \(shown)"
        for _ in 0..<generator.number(in: 1...3) {
          let steps = generator.number(in: 1...6)
          try store.commit(origin: .unnamed) { try schema.change(steps: steps, $0, &generator) }
        }
        let before = try engine.snapshot.content
        let progress = try store.read { (store) throws(StoreError) in
          try engine.advance(in: SnapshotHistory(store), folding: true)
        }
        let now = try values(shown, schema, engine, store)
        #expect(now.read == now.joined, context)
        // Commits that cancel each other out make no delta.
        guard case .moved(let deltas) = progress, !deltas.isEmpty else {
          #expect(last.joined == now.joined, context)
          continue
        }
        #expect(deltas.count == 1, context)
        let after = try engine.snapshot.content
        #expect(throws: Never.self, context) {
          for delta in deltas { try delta.delta.verify(from: before, to: after) }
        }
        #expect(named(deltas, plan) == changes(from: last.joined, to: now.joined), context)
        last = now
      }
    }
  }

  private typealias Picture = [ObjectID: [String: Value]]

  /// What the list shows of its rows, as it reads them and as a naive join has them.
  private func values(
    _ shown: ShownValues,
    _ schema: RelationSchema,
    _ engine: ListEngine,
    _ store: InMemoryStore
  ) throws -> (read: Picture, joined: Picture) {
    try store.read { (store) throws(StoreError) in
      let model = try RelationModel(schema.entities, in: store)
      var picture: (read: Picture, joined: Picture) = ([:], [:])
      let count = engine.snapshot.rowCount
      for case .some(let row) in try engine.snapshot.page(at: 0..<count, in: store).rows {
        var values: [String: Value] = [:]
        for index in engine.plan.observedAttributes.indexes {
          values[engine.plan.entity.attributes[index].name] = row.values[index]
        }
        picture.read[row.id] = values
        picture.joined[row.id] = shown.joined(row, model)
      }
      return picture
    }
  }

  private func named(_ steps: [ListEngine.Step], _ plan: ListPlan) -> [ObjectID: [String]] {
    var named: [ObjectID: [String]] = [:]
    for survivor in steps.flatMap({ $0.delta.rows.updates + $0.delta.rows.moves }) {
      let names = survivor.changed?.names(in: plan.entity).sorted() ?? []
      if !names.isEmpty { named[survivor.id] = names }
    }
    return named
  }

  private func changes(from old: Picture, to new: Picture) -> [ObjectID: [String]] {
    var changes: [ObjectID: [String]] = [:]
    for (id, values) in new {
      guard let before = old[id] else { continue }
      let names = values.filter { before[$0.key] != $0.value }.keys.sorted()
      if !names.isEmpty { changes[id] = names }
    }
    return changes
  }
}

/// Random properties and prefetched relationships of an entity.
struct ShownValues: CustomStringConvertible {
  private let entity: EntityDescription
  /// Paths to one attribute each; the last relationship may be to-many.
  private var paths: [([String], String)] = []
  private var prefetched: [[String]] = []

  init(_ schema: RelationSchema, _ generator: inout SeededGenerator) {
    entity = schema.entities[generator.number(in: 0...schema.entities.count - 2)]
    for _ in 0..<generator.number(in: 1...3) {
      let steps = Self.steps(from: entity, &generator)
      let attribute = generator.element(of: end(of: steps).attributes)
      paths.append((steps, attribute?.name ?? ""))
    }
    for _ in 0..<generator.number(in: 0...2) {
      prefetched.append(Self.steps(from: entity, &generator))
    }
  }

  private static func steps(
    from entity: EntityDescription,
    _ generator: inout SeededGenerator
  ) -> [String] {
    var (steps, end): ([String], EntityDescription) = ([], entity)
    for _ in 0..<generator.number(in: 1...3) {
      guard let next = generator.element(of: end.relationships) else { break }
      steps.append(next.name)
      guard next.isToOne else { break }
      end = next.destination
    }
    return steps
  }

  var request: FetchRequest<Row> {
    let names = paths.map { ($0.0 + [$0.1]).joined(separator: ".") }
    var request = FetchRequest<Row>(
      entity: entity,
      sortedBy: [.ascending("name")],
      propertiesToFetch: ["name", "rank"] + names
    )
    request.relationshipPathsForPrefetching = prefetched
    return request
  }

  var description: String {
    "\(entity.name) \(request.propertiesToFetch ?? []) with \(prefetched)"
  }

  /// The shown values of a row, by a naive join.
  func joined(_ row: Row, _ model: RelationModel) -> [String: Value] {
    var values: [String: Value] = ["name": row["name"], "rank": row["rank"]]
    for (steps, attribute) in paths {
      let objects = sorted(model.related(steps, to: row, in: entity)) { [$0[attribute]] }
      let found = objects.map { $0[attribute] }
      values[(steps + [attribute]).joined(separator: ".")] =
        endsToMany(steps) ? .list(found.filter { !$0.isNull }) : found.first ?? .null
    }
    for steps in prefetched {
      let objects = sorted(model.related(steps, to: row, in: entity)) { _ in [] }
      let path = steps.joined(separator: ".")
      if endsToMany(steps) {
        values[path + ".*"] = .list(objects.flatMap { $0.id.key.parts + $0.values })
      } else {
        let object = objects.first
        values[path + ".SELF"] = object?.id.key.parts[0] ?? .null
        for attribute in end(of: steps).attributes {
          values["\(path).\(attribute.name)"] = object?[attribute.name] ?? .null
        }
      }
    }
    return values
  }

  private func end(of steps: [String]) -> EntityDescription {
    steps.reduce(entity) { $0.relationship(named: $1)?.destination ?? $0 }
  }

  private func endsToMany(_ steps: [String]) -> Bool {
    let owner = end(of: Array(steps.dropLast()))
    return owner.relationship(named: steps.last ?? "")?.isToOne == false
  }

  /// Rows in the order of some values, then of their keys.
  private func sorted(_ rows: [Row], by values: (Row) -> [Value]) -> [Row] {
    rows.sorted { left, right in
      let pairs = zip(values(left) + left.id.key.parts, values(right) + right.id.key.parts)
      for (first, second) in pairs where Value.compare(first, second) != .same {
        return Value.compare(first, second) == .ascending
      }
      return false
    }
  }
}
