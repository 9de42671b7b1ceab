public import ResultsDomain
public import ResultsStoreKit
import Synchronization

/// A random schema of two to four entities with foreign keys between them, to themselves too, and a link entity.
///
/// Every entity but the link's has the attributes `name`, `rank` and `note`, the last of which no definition reads. Keys are integers or
/// texts. To-one relationships are named `one0` and `one1`, their inverses `many` with a number, the many-to-many one `linked`, and the one
/// to the links `links`. Links have the relationships `leftObject` and `rightObject`. Both keys of a link are its identity, or it has a key of
/// its own; then a pair can be there twice, and its keys can be null. Where they are the identity, the first entity can have a relationship
/// `pair` to a link, by a foreign key of two parts.
public struct RelationSchema: Sendable {
  /// The names of the attributes that every entity but the link's begins with, in order.
  public static let attributes = ["name", "rank", "note"]

  /// The entities, the link entity last.
  public let entities: [EntityDescription]
  /// The foreign keys of each entity but the link's: the attribute `key0` or `key1` holds the key of the entity with this index.
  public let foreignKeys: [[Int]]
  /// The indexes of the two entities that the link entity connects.
  public let linked: (from: Int, to: Int)
  /// Whether the first entity has the relationship `pair`.
  private let hasPair: Bool

  /// The attributes that hold the foreign key of the relationship `pair`.
  private static let pair = ["pairLeft", "pairRight"]

  /// Draws a schema.
  /// - Parameters:
  ///   - generator: The generator.
  ///   - hasRules: Whether relationships have delete rules. Foreign keys with a rule then always name an object or nothing.
  /// - Throws: `SchemaError`, never in practice.
  public init(
    _ generator: inout SeededGenerator,
    hasRules: Bool = false
  ) throws(SchemaError) {
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
    let identities = names.map { _ in
      generator.choice(EntityIdentity.integer(), .integer(), .text())
    }
    let linkHasKey = generator.happens(percent: 35)
    hasPair = !linkHasKey && generator.happens(percent: 50)
    let directory = EntityDirectory(try EntityDescription(name: "Missing", attributes: []))
    func reference(_ name: String) -> @Sendable () -> EntityDescription {
      { directory.entity(named: name) }
    }
    func type(_ index: Int) -> AttributeType { identities[index] == .text() ? .text : .integer64 }
    var entities: [EntityDescription] = []
    for (index, name) in names.enumerated() {
      var attributes = [
        AttributeDescription("name", .text, isOptional: true),
        AttributeDescription("rank", .integer64, isOptional: true),
        AttributeDescription("note", .text),
      ]
      var relationships: [RelationshipDescription] = []
      for (number, target) in foreignKeys[index].enumerated() {
        attributes.append(AttributeDescription("key\(number)", type(target), isOptional: true))
        relationships.append(
          RelationshipDescription(
            "one\(number)",
            .toOne(foreignKey: ["key\(number)"]),
            onDelete: hasRules ? generator.choice(.none, .deny, .nullify, .cascade) : .none,
            to: reference(names[target])
          )
        )
      }
      if hasPair, index == 0 {
        for (column, target) in zip(RelationSchema.pair, [linked.from, linked.to]) {
          attributes.append(AttributeDescription(column, type(target), isOptional: true))
        }
        relationships.append(
          RelationshipDescription(
            "pair",
            .toOne(foreignKey: RelationSchema.pair),
            onDelete: hasRules ? generator.choice(.none, .nullify, .cascade) : .none,
            to: reference("Link")
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
        relationships += [
          RelationshipDescription(
            "linked",
            .manyToMany(link: link, from: ["left"], to: ["right"]),
            to: reference(names[linked.to])
          ),
          RelationshipDescription(
            "links",
            .toMany(foreignKey: ["left"]),
            to: reference("Link")
          ),
        ]
      }
      entities.append(
        try EntityDescription(
          name: name,
          identity: identities[index],
          attributes: attributes,
          relationships: relationships
        )
      )
    }
    entities.append(
      try EntityDescription(
        name: "Link",
        identity: linkHasKey ? .integer() : .compound(["left", "right"]),
        attributes: [
          AttributeDescription("left", type(linked.from), isOptional: linkHasKey),
          AttributeDescription("right", type(linked.to), isOptional: linkHasKey),
        ],
        relationships: [("left", linked.from), ("right", linked.to)].map { column, index in
          RelationshipDescription(
            column + "Object",
            .toOne(foreignKey: [column]),
            onDelete: hasRules ? generator.choice(.none, .cascade, .cascade) : .none,
            to: reference(names[index])
          )
        }
          + (hasPair
            ? [
              RelationshipDescription(
                "pairs",
                .toMany(foreignKey: RelationSchema.pair),
                to: reference(names[0])
              )
            ] : [])
      )
    )
    for entity in entities { directory.add(entity) }
    self.entities = entities
    self.foreignKeys = foreignKeys
    self.linked = linked
  }

  /// The link entity.
  private var link: EntityDescription { entities[entities.count - 1] }

  /// The delete rule of the relationship `pair`, if there is one.
  private var pairRule: DeleteRule? {
    entities[0].relationships.first { $0.name == "pair" }?.onDelete
  }

  /// A key that an object of an entity may have.
  private func key(of entity: EntityDescription, _ generator: inout SeededGenerator) -> ObjectKey {
    let number = generator.number(in: 1...9)
    return entity.identity == .text() ? .text("k\(number)") : .integer(Int64(number))
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
  /// Draws a value of an entity's objects, of text or number.
  public func value(
    of entity: EntityDescription,
    isText: Bool
  ) -> FetchExpression {
    let name = isText ? "name" : "rank"
    return entity.index(of: name) == nil
      ? .related(["rightObject"], .attribute(name)) : .attribute(name)
  }

  /// Draws an expression over an entity that reads related objects, through at most some relationships.
  public func expression(
    over entity: EntityDescription,
    depth: Int,
    _ generator: inout SeededGenerator
  ) -> FetchExpression {
    if generator.happens(percent: 40), let many = many(from: entity, depth: depth, &generator) {
      let rank = value(of: many.elements, isText: false)
      let name = value(of: many.elements, isText: true)
      let condition = predicate(over: many.elements, depth: depth - 1, &generator)
      let filter = generator.choice(.all, condition)
      return generator.choice(
        .relatedAggregate(many.steps, .count, nil, where: filter),
        .relatedAggregate(many.steps, .maximum, rank, where: filter),
        .relatedAggregate(many.steps, .minimum, name, where: filter),
        .relatedAggregate(many.steps, .sum, rank, where: .all),
        .relatedAggregate(many.steps, .count, rank, where: filter)
      )
    }
    let path = toOne(from: entity, length: generator.number(in: 1...max(1, depth)), &generator)
    let name = related(path.steps, value(of: path.end, isText: true))
    let rank = related(path.steps, value(of: path.end, isText: false))
    return generator.choice(
      name,
      rank,
      .ifNull(rank, .integer(4)),
      .ifNull(name, value(of: entity, isText: true)),
      .lowercased(name),
      .transformed(generator.choice(.natural, .filing), name)
    )
  }

  /// Draws a predicate over an entity, which may read related objects through at most some relationships.
  public func predicate(
    over entity: EntityDescription,
    depth: Int,
    _ generator: inout SeededGenerator
  ) -> FetchPredicate {
    let number = FetchExpression.literal(.integer(Int64(generator.number(in: 0...6))))
    let isLink = entity.index(of: "rank") == nil
    let own: FetchPredicate =
      isLink
      ? .not(.isNull(.attribute("left")))
      : generator.choice(
        .comparison(.attribute("rank"), .greater, number),
        .isNull(.attribute("name")),
        .not(.comparison(.attribute("rank"), .lessOrEqual, number))
      )
    guard depth > 0, generator.happens(percent: 80) else { return own }
    if generator.happens(percent: 50), let many = many(from: entity, depth: depth, &generator) {
      let inner = predicate(over: many.elements, depth: depth - 1, &generator)
      let quantified = FetchPredicate.quantified(
        generator.choice(.any, .all, .none),
        many.steps,
        inner
      )
      return generator.choice(quantified, .not(quantified), .and([own, quantified]))
    }
    let path = toOne(from: entity, length: generator.number(in: 1...depth), &generator)
    let rank = related(path.steps, value(of: path.end, isText: false))
    let name = related(path.steps, value(of: path.end, isText: true))
    let related = FetchPredicate.comparison(rank, .less, number)
    return generator.choice(
      related,
      .or([related, own]),
      .isNull(name),
      .and([own, .not(related)])
    )
  }

  /// A value of the object at the end of a path; that of a link is at the end of a longer one.
  private func related(_ steps: [String], _ value: FetchExpression) -> FetchExpression {
    guard case .related(let more, let inner) = value else { return .related(steps, value) }
    return .related(steps + more, inner)
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
  /// Performs some random steps: inserts with keys that were used before, updates of values and keys, deletions by the delete rules, links,
  /// and changes of a key together with the objects that it named and names.
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
      if generator.happens(percent: 12) {
        try retarget(number, transaction, &generator)
        continue
      }
      let key = key(of: entity, &generator)
      let id = ObjectID(entity: entity.name, key: key)
      let values = try values(of: number, transaction, &generator)
      guard case .some(.some(let row)) = try transaction.rows([key], of: entity).first else {
        try transaction.insert(values, key: key, into: entity)
        continue
      }
      if generator.happens(percent: 22) {
        try delete(id, of: entity, transaction)
      } else {
        var changed = row.values
        let attribute = generator.number(in: 0...values.count - 1)
        // Where a rule demands that the key names an object, both parts change together.
        let isPair =
          RelationSchema.pair.contains(entity.attributes[attribute].name)
          && pairRule != DeleteRule.none
        for index in isPair ? values.count - 2..<values.count : attribute..<attribute + 1 {
          changed[index] = values[index]
        }
        try transaction.update(id, to: changed, of: entity)
      }
    }
  }

  private func delete(
    _ id: ObjectID,
    of entity: EntityDescription,
    _ transaction: any StoreTransaction
  ) throws(StoreError) {
    do throws(StoreError) {
      try transaction.delete(id, of: entity, applyingRulesOf: entities)
    } catch {
      // A rule denies it, and nothing was written.
      guard case .referenced = error else { throw error }
    }
  }

  /// Changes the key that an object holds, and renames both objects that it named before and names then.
  private func retarget(
    _ number: Int,
    _ transaction: any StoreTransaction,
    _ generator: inout SeededGenerator
  ) throws(StoreError) {
    let key = key(of: entities[number], &generator)
    let step = generator.number(in: 0...foreignKeys[number].count - 1)
    let target = foreignKeys[number][step]
    let values = try values(of: number, transaction, &generator)
    let index = RelationSchema.attributes.count + step
    guard case .some(.some(var row)) = try transaction.rows([key], of: entities[number]).first
    else { return }
    let named = [row.values[index], values[index]].filter { !$0.isNull }
    row.values[index] = values[index]
    try transaction.update(row.id, to: row.values, of: entities[number])
    for value in named {
      let name = self.value(&generator)
      guard let key = ObjectKey(parts: [value], of: entities[target].identity),
        case .some(.some(var other)) = try transaction.rows([key], of: entities[target]).first
      else { continue }
      other.values[0] = name
      try transaction.update(other.id, to: other.values, of: entities[target])
    }
  }

  private func changeLink(
    _ transaction: any StoreTransaction,
    _ generator: inout SeededGenerator
  ) throws(StoreError) {
    guard let parts = try linkParts(transaction, &generator) else { return }
    guard link.identity == .integer() else {
      let id = ObjectID(entity: link.name, key: .compound(parts))
      if case .some(.some) = try transaction.rows([id.key], of: link).first {
        try delete(id, of: link, transaction)
      } else {
        try transaction.insert(parts, key: nil, into: link)
      }
      return
    }
    let id = ObjectID(entity: link.name, key: .integer(Int64(generator.number(in: 1...12))))
    let values = parts.map { generator.happens(percent: 10) ? Value.null : $0 }
    guard case .some(.some) = try transaction.rows([id.key], of: link).first else {
      try transaction.insert(values, key: id.key, into: link)
      return
    }
    if generator.happens(percent: 40) {
      try transaction.update(id, to: values, of: link)
    } else {
      try delete(id, of: link, transaction)
    }
  }

  /// Draws the keys of both ends of a link; `nil` if a rule demands an object that there is not.
  private func linkParts(
    _ transaction: any StoreTransaction,
    _ generator: inout SeededGenerator
  ) throws(StoreError) -> [Value]? {
    let ends = [entities[linked.from], entities[linked.to]]
    var parts: [Value] = []
    var isMissing = false
    for (end, relationship) in zip(ends, link.relationships) {
      let key = key(of: end, &generator)
      parts.append(key.parts[0])
      if relationship.onDelete != .none, try transaction.rows([key], of: end) == [nil] {
        isMissing = true
      }
    }
    return isMissing ? nil : parts
  }

  private func value(_ generator: inout SeededGenerator) -> Value {
    generator.choice(
      .null,
      .text("a"),
      .text("b"),
      .text("B"),
      .text("a10"),
      .text("a9"),
      .text("か")
    )
  }

  private func values(
    of number: Int,
    _ transaction: any StoreTransaction,
    _ generator: inout SeededGenerator
  ) throws(StoreError) -> [Value] {
    var values = [
      value(&generator),
      generator.choice(.null, .integer(Int64(generator.number(in: 0...7)))),
      generator.choice(.text("x"), .text("y")),
    ]
    let relationships = entities[number].relationships.filter(\.isToOne)
    for (target, relationship) in zip(foreignKeys[number], relationships) {
      let key = key(of: entities[target], &generator)
      var isNull = generator.happens(percent: 30)
      // A constraint of the store refuses a key with a rule that names nothing.
      if relationship.onDelete != .none, !isNull {
        isNull = try transaction.rows([key], of: entities[target]) == [nil]
      }
      values.append(isNull ? .null : key.parts[0])
    }
    if hasPair, number == 0 { values += try pairValues(transaction, &generator) }
    return values
  }

  /// Draws the key of a link for the relationship `pair`: null in both parts or in one, or of a link that there may be.
  private func pairValues(
    _ transaction: any StoreTransaction,
    _ generator: inout SeededGenerator
  ) throws(StoreError) -> [Value] {
    let parts = [linked.from, linked.to].map { key(of: entities[$0], &generator).parts[0] }
    let isNull = generator.happens(percent: 20)
    let isHalf = generator.happens(percent: 15)
    if isNull { return [.null, .null] }
    if isHalf { return [parts[0], .null] }
    guard pairRule != DeleteRule.none else { return parts }
    let isMissing = try transaction.rows([.compound(parts)], of: link) == [nil]
    return isMissing ? [.null, .null] : parts
  }
}
