package import ResultsDomain

/// Entities with keys of every kind that are related in every way: to themselves, by shared keys, and by links.
package struct RelatedLibrary: Sendable {
  /// The entities.
  package let entities: [EntityDescription]

  /// Creates the entities without delete rules.
  package init() throws {
    try self.init { _ in DeleteRule.none }
  }

  /// Creates the entities with the delete rule of each to-one relationship.
  package init(_ rule: (String) -> DeleteRule) throws {
    let found = Found()
    func to(_ name: String) -> @Sendable () -> EntityDescription { { found.entity(name) } }
    func one(_ name: String, _ columns: [String], _ destination: String) -> RelationshipDescription
    {
      RelationshipDescription(
        name,
        .toOne(foreignKey: columns),
        onDelete: rule(name),
        to: to(destination)
      )
    }
    func many(_ name: String, _ columns: [String], _ destination: String) -> RelationshipDescription
    {
      RelationshipDescription(name, .toMany(foreignKey: columns), to: to(destination))
    }
    func linked(
      _ name: String,
      _ link: String,
      _ from: String,
      _ target: String,
      _ destination: String
    ) -> RelationshipDescription {
      RelationshipDescription(
        name,
        .manyToMany(link: EntityReference(to(link)), from: [from], to: [target]),
        to: to(destination)
      )
    }
    func optional(_ name: String, _ type: AttributeType) -> AttributeDescription {
      AttributeDescription(name, type, isOptional: true)
    }
    entities = [
      try EntityDescription(
        name: "Country",
        identity: .text(column: "code"),
        attributes: [optional("name", .text), optional("area", .real)],
        relationships: [many("authors", ["countryCode"], "Author")]
      ),
      try EntityDescription(
        name: "Author",
        attributes: [
          optional("name", .text), optional("countryCode", .text),
          optional("mentorID", .integer64), optional("born", .integer64),
        ],
        relationships: [
          one("country", ["countryCode"], "Country"), one("mentor", ["mentorID"], "Author"),
          many("students", ["mentorID"], "Author"), many("books", ["authorID"], "Book"),
          many("lives", ["id"], "Life"),
          linked("loans", "Loan", "authorID", "bookID", "Book"),
        ]
      ),
      // Its own key is the foreign key.
      try EntityDescription(
        name: "Life",
        attributes: [optional("text", .text)],
        relationships: [one("author", ["id"], "Author")]
      ),
      try EntityDescription(
        name: "Rack",
        identity: .compound(["room", "row"]),
        attributes: [
          optional("label", .text), AttributeDescription("row", .integer64),
          AttributeDescription("room", .text),
        ],
        relationships: [many("books", ["rackRoom", "rackRow"], "Book")]
      ),
      try EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription("title", .text), optional("year", .integer64),
          optional("price", .real), optional("authorID", .integer64),
          optional("rackRow", .integer64), optional("rackRoom", .text),
        ],
        relationships: [
          one("author", ["authorID"], "Author"),
          one("rack", ["rackRoom", "rackRow"], "Rack"),
          linked("tags", "BookTag", "bookID", "tagName", "Tag"),
          linked("readers", "Loan", "bookID", "authorID", "Author"),
        ]
      ),
      try EntityDescription(
        name: "Tag",
        identity: .text(column: "name"),
        attributes: [optional("rank", .integer64)],
        relationships: [linked("books", "BookTag", "tagName", "bookID", "Book")]
      ),
      try EntityDescription(
        name: "BookTag",
        identity: .compound(["bookID", "tagName"]),
        attributes: [
          AttributeDescription("bookID", .integer64), AttributeDescription("tagName", .text),
        ]
      ),
      // Links without a compound key can occur twice and name nothing.
      try EntityDescription(
        name: "Loan",
        attributes: [optional("bookID", .integer64), optional("authorID", .integer64)]
      ),
    ]
    found.entities = entities
  }

  /// The entity of a name.
  package func entity(_ name: String) -> EntityDescription {
    entities.first { $0.name == name } ?? entities[0]
  }

  /// The entities by name, once all of them exist.
  private final class Found: @unchecked Sendable {
    // Written once, before the first relationship is followed.
    var entities: [EntityDescription] = []

    func entity(_ name: String) -> EntityDescription {
      entities.first { $0.name == name } ?? entities[0]
    }
  }
}

/// Random rows and definitions over the library.
package struct RandomRelations {
  /// The source of all random choices.
  package var generator: SeededGenerator
  /// The entities.
  package let library: RelatedLibrary
  /// Whether some texts have a NUL.
  package var hasZeros = true

  /// Creates a source with a seed.
  package init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    library = try RelatedLibrary()
  }

  // MARK: - Rows

  /// A random value; keys are drawn from few, so that some foreign keys name nothing.
  package mutating func value(_ attribute: AttributeDescription) -> Value {
    if attribute.isOptional, generator.happens(percent: 20) { return .null }
    if attribute.name == "countryCode" || attribute.name == "tagName"
      || attribute.name == "rackRoom" || attribute.name == "room"
    {
      return .text(generator.choice("a", "A", "b", "é", "e\u{301}", ""))
    }
    switch attribute.type.storage {
    case .text:
      let last = hasZeros ? "z\0y" : "zy"
      return .text(generator.choice("a", "b", "B", "ab", "", "é", "e\u{301}", last))
    case .real: return .real(generator.choice(0, -0.0, 0.1, 0.2, 1e300, -1e300, 7, .infinity))
    case .blob, .any: return .blob([])
    case .integer:
      if attribute.name == "year", generator.happens(percent: 10) {
        return .integer(generator.choice(.max, .min))
      }
      return .integer(Int64(generator.number(in: 0...7)))
    }
  }

  /// A random key.
  package mutating func key(of entity: EntityDescription) -> ObjectKey? {
    switch entity.identity {
    case .integer: .integer(Int64(generator.number(in: 0...7)))
    case .text: .text(generator.choice("a", "A", "b", "é", "e\u{301}", ""))
    case .compound: nil
    }
  }

  // MARK: - Definitions

  /// A random path, and the entity at its end.
  package mutating func path(from entity: EntityDescription, endsToMany: Bool) -> (
    [String], EntityDescription
  )? {
    var (steps, at): ([String], EntityDescription) = ([], entity)
    for _ in 0..<generator.number(in: endsToMany ? 0...1 : 1...3) {
      guard let step = generator.element(of: at.relationships.filter(\.isToOne)) else { break }
      steps.append(step.name)
      at = step.destination
    }
    if endsToMany {
      guard let step = generator.element(of: at.relationships.filter { !$0.isToOne }) else {
        return nil
      }
      steps.append(step.name)
      at = step.destination
    }
    return steps.isEmpty ? nil : (steps, at)
  }

  /// An attribute, or the key.
  package mutating func plain(_ entity: EntityDescription) -> FetchExpression {
    if generator.happens(percent: 20), entity.keyAttributeIndexes.isEmpty { return .objectKey }
    return .attribute(generator.element(of: entity.attributes)?.name ?? "")
  }

  /// A random expression.
  package mutating func expression(_ entity: EntityDescription, depth: Int) -> FetchExpression {
    let inner: FetchExpression
    switch generator.number(in: 0...9) {
    case 0...4:
      guard let (steps, end) = path(from: entity, endsToMany: false) else { return plain(entity) }
      inner = .related(steps, plain(end))
    case 5...7 where depth > 0:
      guard let (steps, end) = path(from: entity, endsToMany: true) else { return plain(entity) }
      let function = generator.choice(
        FetchAggregate.Function.count,
        .sum,
        .minimum,
        .maximum
      )
      let value =
        function == .count && generator.happens(percent: 50)
        ? nil : expression(end, depth: depth - 1)
      let condition =
        generator.happens(percent: 50) ? .all : predicate(end, depth: depth - 1)
      inner = .relatedAggregate(steps, function, value, where: condition)
    default: inner = plain(entity)
    }
    switch generator.number(in: 0...12) {
    case 0: return .lowercased(inner)
    case 1: return .prefix(inner, length: generator.number(in: 0...2))
    case 2: return .length(inner)
    case 3: return .bucket(inner, width: 3)
    case 4: return .ifNull(inner, generator.choice(.integer(3), .text("b"), .real(0.1)))
    case 5: return .ifNull(inner, plain(entity))
    default: return inner
    }
  }

  /// A random predicate.
  package mutating func predicate(_ entity: EntityDescription, depth: Int) -> FetchPredicate {
    switch generator.number(in: 0...9) {
    case 0: return .isNull(expression(entity, depth: depth))
    case 1 where depth > 0: return .not(predicate(entity, depth: depth - 1))
    case 2 where depth > 0:
      return .and([predicate(entity, depth: depth - 1), predicate(entity, depth: depth - 1)])
    case 3 where depth > 0:
      return .or([predicate(entity, depth: depth - 1), predicate(entity, depth: depth - 1)])
    case 4...6 where depth > 0:
      guard let (steps, end) = path(from: entity, endsToMany: true) else { return .all }
      let quantifier = generator.choice(Quantifier.any, .all, .none)
      return .quantified(quantifier, steps, predicate(end, depth: depth - 1))
    default: break
    }
    let left = expression(entity, depth: depth)
    let storage = (try? left.storage(in: entity)) ?? .integer
    let literal: Value =
      switch storage {
      case .text: .text(generator.choice("a", "b", "é", ""))
      case .real: .real(generator.choice(0, 0.1, 7))
      case .integer, .blob, .any: .integer(Int64(generator.number(in: 0...4)))
      }
    if storage == .text, generator.happens(percent: 30) {
      return .text(
        left,
        generator.choice(.beginsWith, .contains, .endsWith, .like),
        "b",
        caseInsensitive: generator.happens(percent: 50)
      )
    }
    if generator.happens(percent: 20) { return .membership(left, [literal, .null]) }
    let comparison = generator.choice(
      ComparisonOperator.equal,
      .notEqual,
      .less,
      .greaterOrEqual
    )
    let right =
      generator.happens(percent: 30)
      ? expression(entity, depth: depth) : FetchExpression.literal(literal)
    return .comparison(left, comparison, right)
  }
}
