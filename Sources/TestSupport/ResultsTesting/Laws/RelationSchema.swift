public import ResultsDomain
import Synchronization

/// A random schema of two to four entities with foreign keys between them, to themselves too, and a link entity.
///
/// Every entity has the attributes `name`, `rank` and `note`, the last of which no definition reads. To-one relationships are
/// named `one0` and `one1`, their inverses `many` with a number, and the many-to-many one `linked`.
public struct RelationSchema: Sendable {
  /// The names of the attributes that every entity begins with, in order.
  public static let attributes = ["name", "rank", "note"]

  /// The entities, the link entity last.
  public let entities: [EntityDescription]
  /// The foreign keys of each entity but the link's: the attribute `key0` or `key1` holds the key of the entity with this index.
  public let foreignKeys: [[Int]]
  /// The indexes of the two entities that the link entity connects.
  public let linked: (from: Int, to: Int)

  /// Draws a schema.
  /// - Throws: `SchemaError`, never in practice.
  public init(_ generator: inout SeededGenerator) throws(SchemaError) {
    let count = generator.number(in: 2...4)
    let names = ["Alpha", "Beta", "Gamma", "Delta"].prefix(count)
    var foreignKeys: [[Int]] = []
    for _ in 0..<count {
      foreignKeys.append(
        (0..<generator.number(in: 1...2)).map { _ in generator.number(in: 0...count - 1) }
      )
    }
    let linked = (
      from: generator.number(in: 0...count - 1), to: generator.number(in: 0...count - 1)
    )
    let directory = EntityDirectory(try EntityDescription(name: "Missing", attributes: []))
    func reference(_ name: String) -> @Sendable () -> EntityDescription {
      { directory.entity(named: name) }
    }
    var entities: [EntityDescription] = []
    for (index, name) in names.enumerated() {
      var attributes = [
        AttributeDescription("name", .text, isOptional: true),
        AttributeDescription("rank", .integer64, isOptional: true),
        AttributeDescription("note", .text),
      ]
      var relationships: [RelationshipDescription] = []
      for (number, target) in foreignKeys[index].enumerated() {
        attributes.append(AttributeDescription("key\(number)", .integer64, isOptional: true))
        relationships.append(
          RelationshipDescription(
            "one\(number)",
            .toOne(foreignKey: ["key\(number)"]),
            to: reference(names[target])
          )
        )
      }
      var inverses = 0
      for (source, targets) in foreignKeys.enumerated() {
        for (number, target) in targets.enumerated() where target == index {
          relationships.append(
            RelationshipDescription(
              "many\(inverses)",
              .toMany(foreignKey: ["key\(number)"]),
              to: reference(names[source])
            )
          )
          inverses += 1
        }
      }
      if linked.from == index {
        let link = EntityReference(reference("Link"))
        relationships.append(
          RelationshipDescription(
            "linked",
            .manyToMany(link: link, from: ["left"], to: ["right"]),
            to: reference(names[linked.to])
          )
        )
      }
      entities.append(
        try EntityDescription(name: name, attributes: attributes, relationships: relationships)
      )
    }
    entities.append(
      try EntityDescription(
        name: "Link",
        identity: .compound(["left", "right"]),
        attributes: [
          AttributeDescription("left", .integer64), AttributeDescription("right", .integer64),
        ]
      )
    )
    for entity in entities { directory.add(entity) }
    self.entities = entities
    self.foreignKeys = foreignKeys
    self.linked = linked
  }
}

/// Entities by name, so that descriptions can refer to later ones.
private final class EntityDirectory: Sendable {
  private let missing: EntityDescription
  private let entities = Mutex<[String: EntityDescription]>([:])

  init(_ missing: EntityDescription) { self.missing = missing }

  func add(_ entity: EntityDescription) { entities.withLock { $0[entity.name] = entity } }

  func entity(named name: String) -> EntityDescription {
    entities.withLock { $0[name] } ?? missing
  }
}

// MARK: - Definitions

extension RelationSchema {
  /// Draws an expression over an entity that reads related objects, through at most some relationships.
  public func expression(
    over entity: EntityDescription,
    depth: Int,
    _ generator: inout SeededGenerator
  ) -> FetchExpression {
    if generator.happens(percent: 40), let many = many(from: entity, depth: depth, &generator) {
      let rank = FetchExpression.attribute("rank")
      let condition = predicate(over: many.elements, depth: depth - 1, &generator)
      let filter = generator.choice(.all, condition)
      return generator.choice(
        .gathered(many.steps, .count, nil, where: filter),
        .gathered(many.steps, .maximum, rank, where: filter),
        .gathered(many.steps, .minimum, .attribute("name"), where: filter),
        .gathered(many.steps, .sum, rank, where: .all),
        .gathered(many.steps, .count, rank, where: filter)
      )
    }
    let steps = toOne(from: entity, length: generator.number(in: 1...max(1, depth)), &generator)
      .steps
    let value = FetchExpression.attribute(generator.choice("name", "rank"))
    return generator.choice(
      .related(steps, value),
      .related(steps, value),
      .ifNull(.related(steps, .attribute("rank")), .integer(4)),
      .lowercased(.related(steps, .attribute("name")))
    )
  }

  /// Draws a predicate over an entity, which may read related objects through at most some relationships.
  public func predicate(
    over entity: EntityDescription,
    depth: Int,
    _ generator: inout SeededGenerator
  ) -> FetchPredicate {
    let number = FetchExpression.literal(.integer(Int64(generator.number(in: 0...6))))
    let own: FetchPredicate = generator.choice(
      .comparison(.attribute("rank"), .greater, number),
      .isNull(.attribute("name")),
      .not(.comparison(.attribute("rank"), .lessOrEqual, number))
    )
    guard depth > 0, entity.attributes.count > 2, generator.happens(percent: 80) else { return own }
    if generator.happens(percent: 50), let many = many(from: entity, depth: depth, &generator) {
      let inner = predicate(over: many.elements, depth: depth - 1, &generator)
      let quantified = FetchPredicate.quantified(
        generator.choice(.any, .all, .none),
        many.steps,
        inner
      )
      return generator.choice(quantified, .not(quantified), .and([own, quantified]))
    }
    let steps = toOne(from: entity, length: generator.number(in: 1...depth), &generator).steps
    let related = FetchPredicate.comparison(.related(steps, .attribute("rank")), .less, number)
    return generator.choice(
      related,
      .or([related, own]),
      .isNull(.related(steps, .attribute("name"))),
      .and([own, .not(related)])
    )
  }

  private func toOne(
    from entity: EntityDescription,
    length: Int,
    _ generator: inout SeededGenerator
  ) -> (steps: [String], end: EntityDescription) {
    var (steps, end): ([String], EntityDescription) = ([], entity)
    for _ in 0..<length {
      guard let step = generator.element(of: end.relationships.filter(\.isToOne)) else { break }
      steps.append(step.name)
      end = step.destination
    }
    return (steps, end)
  }

  private func many(
    from entity: EntityDescription,
    depth: Int,
    _ generator: inout SeededGenerator
  ) -> (steps: [String], elements: EntityDescription)? {
    let length = depth > 1 ? generator.number(in: 0...1) : 0
    let (steps, end) = toOne(from: entity, length: length, &generator)
    guard let last = generator.element(of: end.relationships.filter { !$0.isToOne }) else {
      return nil
    }
    return (steps + [last.name], last.destination)
  }
}

// MARK: - Transactions

extension RelationSchema {
  /// Performs some random steps: inserts with keys that were used before, updates of values and keys, deletions, links.
  public func change(
    steps: Int,
    _ transaction: any StoreTransaction,
    _ generator: inout SeededGenerator
  ) throws(StoreError) {
    for _ in 0..<steps {
      let number = generator.number(in: 0...entities.count - 1)
      let entity = entities[number]
      if number == entities.count - 1 {
        try changeLink(transaction, &generator)
        continue
      }
      let key = ObjectKey.integer(Int64(generator.number(in: 1...9)))
      let id = ObjectID(entity: entity.name, key: key)
      let values = values(of: entity, &generator)
      guard case .some(.some(let row)) = try transaction.rows([key], of: entity).first else {
        try transaction.insert(values, key: key, into: entity)
        continue
      }
      if generator.happens(percent: 22) {
        try transaction.delete(id, of: entity)
      } else {
        var changed = row.values
        let attribute = generator.number(in: 0...values.count - 1)
        changed[attribute] = values[attribute]
        try transaction.update(id, to: changed, of: entity)
      }
    }
  }

  private func changeLink(
    _ transaction: any StoreTransaction,
    _ generator: inout SeededGenerator
  ) throws(StoreError) {
    let entity = entities[entities.count - 1]
    let parts = (0..<2).map { _ in Value.integer(Int64(generator.number(in: 1...9))) }
    let id = ObjectID(entity: entity.name, key: .compound(parts))
    if try !transaction.delete(id, of: entity) {
      try transaction.insert(parts, key: nil, into: entity)
    }
  }

  private func values(of entity: EntityDescription, _ generator: inout SeededGenerator) -> [Value] {
    entity.attributes.indices.map { index in
      switch index {
      case 0: generator.choice(.null, .text("a"), .text("b"), .text("B"), .text("か"))
      case 1: generator.choice(.null, .integer(Int64(generator.number(in: 0...7))))
      case 2: generator.choice(.text("x"), .text("y"))
      default: generator.choice(.null, .integer(Int64(generator.number(in: 1...10))))
      }
    }
  }
}
