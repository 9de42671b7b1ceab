package import ResultsDomain

/// The relationships that a definition follows from its entity, and what it reads of the entities on the way.
///
/// A definition with paths is a definition without paths over a *derived* entity: the attributes of the entity, and one more for
/// each path, quantified predicate and aggregate over related objects. Its objects are those of the entity itself. The root of the
/// tree is the entity; an edge is a foreign key in one direction or the other. One entity can be at several nodes.
package final class RelationTree: Sendable {
  /// An entity at the end of some relationships.
  struct Node: Sendable {
    /// The entity as the store has it.
    let entity: EntityDescription
    /// The entity with the values of related objects.
    let extended: EntityDescription
    /// The attributes whose values matter, foreign keys included.
    let readAttributes: AttributeSet
    let edges: [Edge]
    /// What the extended entity has besides the store's attributes.
    let values: [RelatedValue]
  }

  /// A foreign key between a node and one below it.
  struct Edge: Sendable {
    enum Direction: Sendable {
      /// The upper node's objects hold keys of the lower one's: at most one object.
      case toOne
      /// The lower node's objects hold keys of the upper one's.
      case toMany
    }

    let direction: Direction
    /// The columns of the foreign key.
    let columns: [String]
    let foreignKey: ForeignKey
    /// The index of the lower node.
    let child: Int
  }

  /// The nodes, the root first, each before those below it.
  let nodes: [Node]
  /// The expressions of the derived attributes, in their order.
  let expressions: [DerivedExpression]
  /// Whether the store answers definitions with paths itself.
  package let answersPaths: Bool

  init(nodes: [Node], expressions: [DerivedExpression], answersPaths: Bool) {
    self.nodes = nodes
    self.expressions = expressions
    self.answersPaths = answersPaths
  }

  /// The entity of the definition, as the store has it.
  package var base: EntityDescription { nodes[0].entity }
  /// The derived entity.
  package var entity: EntityDescription { nodes[0].extended }

  /// The entities at the nodes, the base first, each once.
  package var entities: [EntityDescription] {
    var entities: [EntityDescription] = []
    for node in nodes
    where !entities.contains(where: { $0.name.hasSameBytes(as: node.entity.name) }) {
      entities.append(node.entity)
    }
    return entities
  }

  /// The derived attributes.
  package var derivedAttributes: AttributeSet {
    AttributeSet(indexes: Array(base.attributes.count..<entity.attributes.count))
  }

  /// Whether an entity is the derived one.
  func derives(_ other: EntityDescription) -> Bool { other === entity || other == entity }
}

/// What a derived attribute of the root stands for.
enum DerivedExpression: Sendable {
  case expression(FetchExpression)
  /// A predicate that is never unknown, as 1 or 0.
  case predicate(FetchPredicate)
  /// A list, which no definition reads: it is only shown.
  case list

  /// The attribute at the end of a path of to-one relationships, or `nil` for any other value.
  func attribute(atEndFrom entity: EntityDescription) -> AttributeDescription? {
    guard case .expression(.related(let steps, .attribute(let name))) = self,
      let path = try? entity.relationships(along: steps, endsToMany: false, in: name)
    else { return nil }
    return path.last?.destination.attribute(named: name)
  }
}

/// A value that an object has by related ones.
enum RelatedValue: Sendable {
  /// A value of the object at the end of a to-one edge, or a constant where there is none.
  case one(edge: Int, CompiledExpression, ifMissing: Value)
  /// Whether a predicate is true for the object at the end of a to-one edge, as 1 or 0; null where there is none.
  case holds(edge: Int, CompiledPredicate)
  /// An aggregate over the objects at the end of a to-many edge for which a predicate is true.
  case relatedAggregate(
    edge: Int,
    FetchAggregate.Function,
    AttributeType,
    CompiledExpression?,
    where: CompiledPredicate
  )
  /// Whether a predicate is true for any, all or none of those objects for which another one is, as 1 or 0.
  case quantified(edge: Int, Quantifier, CompiledPredicate, among: CompiledPredicate)
  /// A list of what the objects at the end of a to-many edge have in some columns, in the order of all columns.
  ///
  /// Only the first columns are in it; an object for which the first one is null is left out.
  case listed(edge: Int, [CompiledExpression], count: Int)
}

/// The columns of an entity that hold the key of another one's objects.
struct ForeignKey: Sendable {
  private let columns: [CompiledExpression]
  /// The index of the attribute, if the key is a single attribute.
  private let attribute: Int?
  /// How the objects are identified that the key names.
  let identity: EntityIdentity

  init(_ columns: [String], of entity: EntityDescription, naming other: EntityDescription) {
    self.columns = columns.map { name in
      CompiledExpression(entity.expression(ofColumn: name) ?? .literal(.null), in: entity)
    }
    attribute = self.columns.count == 1 ? self.columns[0].attributeIndex : nil
    identity = other.identity
  }

  /// The key that a row holds, or `nil` if a part of it is null.
  func key(in row: Row) -> ObjectKey? {
    if let attribute, attribute < row.values.count {
      return ObjectKey(parts: [row.values[attribute]], of: identity)
    }
    let parts = columns.map { $0.value(row.values, key: row.id.key) }
    guard !parts.contains(where: \.isNull) else { return nil }
    return ObjectKey(parts: parts, of: identity)
  }
}

// MARK: - The definition as the store has it

extension RelationTree {
  /// The definition over the base entity, with paths instead of derived attributes.
  ///
  /// Its keys have the same bytes.
  package func storeDefinition(
    of definition: OrderDefinition
  ) throws(RequestError) -> OrderDefinition {
    let terms = definition.terms.map { term in
      FetchSortDescriptor(restored(term.expression), term.direction, nulls: term.nulls)
    }
    // As terms of a section none is left out, even behind a whole key.
    return try OrderDefinition(
      entity: base,
      predicate: restored(definition.predicate),
      sectionTerms: terms,
      sortDescriptors: Array(terms.prefix(1))
    )
  }

  /// A definition over the base entity whose predicate reads everything that the definition reads, also what it only shows; `nil` if no
  /// definition can.
  package var shownDefinition: OrderDefinition? {
    let read = expressions.compactMap { expression -> FetchPredicate? in
      switch expression {
      case .expression(let path): .isNull(path)
      case .predicate(let quantified): quantified
      case .list: nil
      }
    }
    return try? OrderDefinition(
      entity: base,
      predicate: .disjunction(read),
      sortDescriptors: [FetchSortDescriptor(.objectKey)]
    )
  }

  /// Whether neither order nor predicate use related objects, so that the store can answer the definition over its own entity.
  package func readsBaseOnly(_ definition: OrderDefinition) -> Bool {
    readsBaseOnly(definition.predicate)
      && definition.terms.allSatisfy { $0.expression.attributes.allSatisfy(isOfBase) }
  }

  /// Whether a predicate over the derived entity uses no related object.
  func readsBaseOnly(_ predicate: FetchPredicate) -> Bool {
    predicate.attributes.allSatisfy(isOfBase)
  }

  func isOfBase(_ attribute: String) -> Bool {
    base.index(of: attribute) != nil || entity.index(of: attribute) == nil
  }

  private func derived(_ name: String) -> DerivedExpression? {
    guard base.index(of: name) == nil, let index = entity.index(of: name) else { return nil }
    return expressions[index - base.attributes.count]
  }

  /// An expression with paths instead of derived attributes.
  package func restored(_ expression: FetchExpression) -> FetchExpression {
    switch expression {
    case .attribute(let name):
      if case .expression(let path) = derived(name) { return path }
      return expression
    case .objectKey, .literal, .related, .relatedAggregate: return expression
    case .prefix(let inner, let length): return .prefix(restored(inner), length: length)
    case .lowercased(let inner): return .lowercased(restored(inner))
    case .uppercased(let inner): return .uppercased(restored(inner))
    case .length(let inner): return .length(restored(inner))
    case .bucket(let inner, let width): return .bucket(restored(inner), width: width)
    case .ifNull(let inner, let other): return .ifNull(restored(inner), restored(other))
    case .transformed(let transform, let inner): return .transformed(transform, restored(inner))
    }
  }

  /// A predicate with paths and quantifiers instead of derived attributes.
  package func restored(_ predicate: FetchPredicate) -> FetchPredicate {
    switch predicate {
    case .all, .none, .identity, .quantified: return predicate
    case .comparison(.attribute(let name), .equal, .literal(.integer(1))):
      if case .predicate(let quantified) = derived(name) { return quantified }
      return .comparison(restored(.attribute(name)), .equal, .literal(.integer(1)))
    case .comparison(let left, let comparison, let right):
      return .comparison(restored(left), comparison, restored(right))
    case .relative(let inner, let comparison, let date):
      return .relative(restored(inner), comparison, date)
    case .between(let inner, let low, let high): return .between(restored(inner), low, high)
    case .membership(let inner, let values): return .membership(restored(inner), values)
    case .text(let inner, let comparison, let text, let caseInsensitive):
      return .text(restored(inner), comparison, text, caseInsensitive: caseInsensitive)
    case .isNull(let inner): return .isNull(restored(inner))
    case .not(let inner): return .not(restored(inner))
    case .and(let parts): return .and(parts.map { restored($0) })
    case .or(let parts): return .or(parts.map { restored($0) })
    }
  }
}

// MARK: - Use of paths

extension FetchExpression {
  /// Whether it reads related objects.
  package var usesPaths: Bool {
    switch self {
    case .related, .relatedAggregate: true
    case .attribute, .objectKey, .literal: false
    case .prefix, .lowercased, .uppercased, .length, .bucket, .ifNull, .transformed:
      operands.contains(where: \.usesPaths)
    }
  }
}

extension FetchPredicate {
  /// Whether it reads related objects.
  package var usesPaths: Bool {
    switch self {
    case .all, .none, .identity: false
    case .quantified: true
    case .comparison(let left, _, let right): left.usesPaths || right.usesPaths
    case .between(let inner, _, _), .membership(let inner, _), .text(let inner, _, _, _),
      .isNull(let inner), .relative(let inner, _, _):
      inner.usesPaths
    case .not(let inner): inner.usesPaths
    case .and(let parts), .or(let parts): parts.contains(where: \.usesPaths)
    }
  }
}
