package import ResultsDomain

/// Rewrites the predicates and expressions of a definition over the derived entity, and collects its relation tree.
package struct RelationTreeBuilder {
  private struct Node {
    let entity: EntityDescription
    var readAttributes: Set<Int> = []
    var edges: [Edge] = []
    var values: [Value] = []
  }

  private struct Edge {
    /// The names of relationships by which the edge is found again.
    let name: [String]
    let direction: RelationTree.Edge.Direction
    let columns: [String]
    let child: Int
  }

  /// A value of the extended entity; its expressions are compiled when the entity below is complete.
  fileprivate struct Value {
    enum Recipe {
      case one(FetchExpression, ifMissing: ResultsDomain.Value)
      case holds(FetchPredicate)
      case relatedAggregate(
        FetchAggregate.Function,
        AttributeType,
        FetchExpression?,
        where: FetchPredicate
      )
      case quantified(Quantifier, FetchPredicate, among: FetchPredicate)
      case listed([FetchExpression], count: Int)
    }

    /// What the value stands for; `nil` for a part of another value.
    let source: DerivedExpression?
    let attribute: AttributeDescription
    let edge: Int
    let recipe: Recipe
  }

  private var nodes: [Node]

  /// Creates a builder for definitions over an entity.
  package init(_ entity: EntityDescription) { nodes = [Node(entity: entity)] }

  /// Rewrites an expression over the derived entity.
  /// - Throws: `RequestError` for a path that is not valid.
  package mutating func rewrite(
    _ expression: FetchExpression
  ) throws(RequestError) -> FetchExpression {
    guard expression.usesPaths else { return expression }
    _ = try expression.storage(in: nodes[0].entity)
    return try rewrite(expression, at: 0)
  }

  /// Rewrites a predicate over the derived entity.
  /// - Throws: `RequestError` for a path that is not valid.
  package mutating func rewrite(
    _ predicate: FetchPredicate
  ) throws(RequestError) -> FetchPredicate {
    guard predicate.usesPaths else { return predicate }
    try predicate.validate(in: nodes[0].entity)
    return try rewrite(predicate.normalized, at: 0)
  }

  /// Rewrites a term of an order over the derived entity.
  /// - Throws: `RequestError` for a path that is not valid.
  package mutating func rewrite(
    _ term: FetchSortDescriptor
  ) throws(RequestError) -> FetchSortDescriptor {
    FetchSortDescriptor(try rewrite(term.expression), term.direction, nulls: term.nulls)
  }

  /// Rewrites the name of a property: of an attribute, or a path such as `author.name`, `tags.@count` or `tags.name`.
  /// - Returns: The name of the attribute of the derived entity; the name itself if it is no path.
  /// - Throws: `RequestError` for a path that is not valid.
  package mutating func rewrite(property name: String) throws(RequestError) -> String {
    let entity = nodes[0].entity
    guard entity.index(of: name) == nil else { return name }
    let property: PropertyName
    do {
      property = try PropertyName(parsing: name, in: entity)
    } catch {
      switch error.problem {
      case .refused(let reason): throw reason
      case .unknownAttribute(let unknown, let owner, _, let known)
      where !unknown.hasSameBytes(as: name):
        throw .unknownAttribute(unknown, entity: owner, known: known)
      default: return name
      }
    }
    let rewritten: FetchExpression
    switch property {
    case .value(let path): rewritten = try rewrite(path)
    case .values(let steps, let value):
      let key = try elements(along: steps, value).keyExpressions
      let name = FetchExpression.related(steps, value).description
      rewritten = try listed(name, steps[...], [value] + key, count: 1, at: 0)
    }
    guard case .attribute(let derived) = rewritten else { return name }
    return derived
  }

  /// Adds the objects at the end of a path of relationships to the derived entity.
  /// - Returns: The names of the attributes that hold them.
  /// - Throws: `RequestError` for a path that is not valid.
  package mutating func prefetch(_ steps: [String]) throws(RequestError) -> [String] {
    let entity = nodes[0].entity
    let name = PrefetchedObjects.name(of: steps)
    let last = entity.destination(along: Array(steps.dropLast()))?
      .relationship(named: steps.last ?? "")
    guard last?.isToOne ?? true else {
      let path = try entity.relationships(along: steps, endsToMany: true, in: name)
      let elements = path[path.count - 1].destination
      let key = elements.keyExpressions
      let columns = key + elements.attributes.map { .attribute($0.name) }
      let list = try listed(name, steps[...], columns, count: columns.count, at: 0)
      return list.attributes
    }
    let path = try entity.relationships(along: steps, endsToMany: false, in: name)
    let target = path[path.count - 1].destination
    var names: [String] = []
    for value in target.keyExpressions + target.attributes.map({ .attribute($0.name) }) {
      names += try rewrite(.related(steps, value)).attributes
    }
    return names
  }

  /// The entity of the elements of a to-many relationship that have a value.
  private func elements(
    along steps: [String],
    _ value: FetchExpression
  ) throws(RequestError) -> EntityDescription {
    let name = FetchExpression.related(steps, value).description
    let path = try nodes[0].entity.relationships(along: steps, endsToMany: true, in: name)
    let elements = path[path.count - 1].destination
    _ = try value.storage(in: elements)
    return elements
  }

  /// The tree, or `nil` if nothing has used a path.
  /// - Throws: `RequestError` for an attribute that is named like a path.
  package func tree(answersPaths: Bool) throws(RequestError) -> RelationTree? {
    guard !nodes[0].values.isEmpty else { return nil }
    var made: [RelationTree.Node?] = nodes.map { _ in nil }
    for index in nodes.indices.reversed() { made[index] = try node(index, below: made) }
    return RelationTree(
      nodes: made.compactMap(\.self),
      expressions: nodes[0].values.compactMap(\.source),
      answersPaths: answersPaths
    )
  }
}

// MARK: - Rewriting

extension RelationTreeBuilder {
  private mutating func rewrite(
    _ expression: FetchExpression,
    at node: Int
  ) throws(RequestError) -> FetchExpression {
    switch expression {
    case .attribute(let name):
      if let index = nodes[node].entity.index(of: name) { nodes[node].readAttributes.insert(index) }
      return expression
    case .objectKey, .literal: return expression
    case .prefix(let inner, let length):
      return .prefix(try rewrite(inner, at: node), length: length)
    case .lowercased(let inner): return .lowercased(try rewrite(inner, at: node))
    case .uppercased(let inner): return .uppercased(try rewrite(inner, at: node))
    case .length(let inner): return .length(try rewrite(inner, at: node))
    case .bucket(let inner, let width): return .bucket(try rewrite(inner, at: node), width: width)
    case .ifNull(let inner, let other):
      return .ifNull(try rewrite(inner, at: node), try rewrite(other, at: node))
    case .transformed(let transform, let inner):
      return .transformed(transform, try rewrite(inner, at: node))
    case .related(let steps, let inner):
      return try related(expression, steps[...], inner, at: node)
    case .relatedAggregate(let steps, let function, let inner, let predicate):
      return try gathered(expression, steps[...], function, inner, predicate, at: node)
    }
  }

  private mutating func rewrite(
    _ predicate: FetchPredicate,
    at node: Int
  ) throws(RequestError) -> FetchPredicate {
    switch predicate {
    case .all, .none, .identity: return predicate
    case .comparison(let left, let comparison, let right):
      return .comparison(try rewrite(left, at: node), comparison, try rewrite(right, at: node))
    case .relative(let inner, let comparison, let date):
      return .relative(try rewrite(inner, at: node), comparison, date)
    case .between(let inner, let low, let high):
      return .between(try rewrite(inner, at: node), low, high)
    case .membership(let inner, let values):
      return .membership(try rewrite(inner, at: node), values)
    case .text(let inner, let comparison, let text, let caseInsensitive):
      let inner = try rewrite(inner, at: node)
      return .text(inner, comparison, text, caseInsensitive: caseInsensitive)
    case .isNull(let inner): return .isNull(try rewrite(inner, at: node))
    case .not(let inner): return .not(try rewrite(inner, at: node))
    case .and(let parts):
      var rewritten: [FetchPredicate] = []
      for part in parts { rewritten.append(try rewrite(part, at: node)) }
      return .and(rewritten)
    case .or(let parts):
      var rewritten: [FetchPredicate] = []
      for part in parts { rewritten.append(try rewrite(part, at: node)) }
      return .or(rewritten)
    case .quantified(let quantifier, let steps, let inner):
      let value = try quantified(predicate, quantifier, steps[...], inner, at: node)
      return .comparison(value, .equal, .literal(.integer(1)))
    }
  }

  private mutating func related(
    _ expression: FetchExpression,
    _ steps: ArraySlice<String>,
    _ inner: FetchExpression,
    at node: Int
  ) throws(RequestError) -> FetchExpression {
    if let known = known(expression, at: node) { return known }
    let edge = try edge(steps.first ?? "", at: node)
    let child = nodes[node].edges[edge].child
    let rest = steps.dropFirst()
    let below =
      rest.isEmpty
      ? try rewrite(inner, at: child)
      : try related(.related(Array(rest), inner), rest, inner, at: child)
    return add(expression, edge, .one(below, ifMissing: .null), at: node)
  }

  private mutating func gathered(
    _ expression: FetchExpression,
    _ steps: ArraySlice<String>,
    _ function: FetchAggregate.Function,
    _ inner: FetchExpression?,
    _ predicate: FetchPredicate,
    at node: Int
  ) throws(RequestError) -> FetchExpression {
    if let known = known(expression, at: node) { return known }
    let edge = try edge(steps.first ?? "", at: node)
    let child = nodes[node].edges[edge].child
    let rest = steps.dropFirst()
    if !rest.isEmpty {
      let shorter = FetchExpression.relatedAggregate(Array(rest), function, inner, where: predicate)
      let below = try gathered(shorter, rest, function, inner, predicate, at: child)
      let missing: ResultsDomain.Value = function == .count ? .integer(0) : .null
      return add(expression, edge, .one(below, ifMissing: missing), at: node)
    }
    let type = expression.type(in: nodes[node].entity) ?? .integer64
    guard let link = linkEdge(of: edge, at: node) else {
      let value = try rewriteEach(inner, at: child)
      let condition = try rewrite(predicate, at: child)
      return add(
        expression,
        edge,
        .relatedAggregate(function, type, value, where: condition),
        at: node
      )
    }
    let below = nodes[child].edges[link].child
    let condition = try rewrite(predicate, at: below)
    let holds = add(nil, link, .holds(condition), at: child)
    var value: FetchExpression?
    if let inner {
      value = add(nil, link, .one(try rewrite(inner, at: below), ifMissing: .null), at: child)
      // The part of a value has no type of its own; only its storage class matters.
    }
    let counts = FetchPredicate.comparison(holds, .equal, .literal(.integer(1)))
    return add(expression, edge, .relatedAggregate(function, type, value, where: counts), at: node)
  }

  private mutating func rewriteEach(
    _ expression: FetchExpression?,
    at node: Int
  ) throws(RequestError) -> FetchExpression? {
    guard let expression else { return nil }
    return try rewrite(expression, at: node)
  }

  /// A list of what the elements of a to-many relationship have in some columns, in the order of all columns.
  private mutating func listed(
    _ name: String,
    _ steps: ArraySlice<String>,
    _ columns: [FetchExpression],
    count: Int,
    at node: Int
  ) throws(RequestError) -> FetchExpression {
    if nodes[node].values.contains(where: { $0.attribute.name.hasSameBytes(as: name) }) {
      return .attribute(name)
    }
    let edge = try edge(steps.first ?? "", at: node)
    let child = nodes[node].edges[edge].child
    let rest = steps.dropFirst()
    if !rest.isEmpty {
      let below = try listed(name, rest, columns, count: count, at: child)
      return add(.list, name, .text, edge, .one(below, ifMissing: .list([])), node)
    }
    let end = linkEdge(of: edge, at: node).map { (link: $0, nodes[child].edges[$0].child) }
    var values: [FetchExpression] = []
    for column in columns {
      let value = try rewrite(column, at: end?.1 ?? child)
      values.append(
        end.map { add(nil, $0.link, .one(value, ifMissing: .null), at: child) } ?? value
      )
    }
    return add(.list, name, .text, edge, .listed(values, count: count), node)
  }

  /// - Returns: An expression that is 1 or 0.
  private mutating func quantified(
    _ predicate: FetchPredicate,
    _ quantifier: Quantifier,
    _ steps: ArraySlice<String>,
    _ inner: FetchPredicate,
    at node: Int
  ) throws(RequestError) -> FetchExpression {
    if let known = known(predicate, at: node) { return known }
    let edge = try edge(steps.first ?? "", at: node)
    let child = nodes[node].edges[edge].child
    let rest = steps.dropFirst()
    if !rest.isEmpty {
      let shorter = FetchPredicate.quantified(quantifier, Array(rest), inner)
      let below = try quantified(shorter, quantifier, rest, inner, at: child)
      let missing = ResultsDomain.Value.integer(quantifier == .any ? 0 : 1)
      return add(predicate, edge, .one(below, ifMissing: missing), at: node)
    }
    guard let link = linkEdge(of: edge, at: node) else {
      let condition = try rewrite(inner, at: child)
      return add(predicate, edge, .quantified(quantifier, condition, among: .all), at: node)
    }
    let below = nodes[child].edges[link].child
    let holds = add(nil, link, .holds(try rewrite(inner, at: below)), at: child)
    let counts = FetchPredicate.comparison(holds, .equal, .literal(.integer(1)))
    let elements = FetchPredicate.not(.isNull(holds))
    return add(predicate, edge, .quantified(quantifier, counts, among: elements), at: node)
  }
}

// MARK: - Nodes, edges and values

extension RelationTreeBuilder {
  /// The edge of a relationship, which is added if it is not known; of a many-to-many one, the edge to the link entity.
  private mutating func edge(_ name: String, at node: Int) throws(RequestError) -> Int {
    if let known = nodes[node].edges.firstIndex(where: { $0.name.haveSameBytes(as: [name]) }) {
      return known
    }
    let entity = nodes[node].entity
    guard let relationship = entity.relationship(named: name) else {
      throw .unknownRelationship(name, entity: entity.name, known: entity.relationships.map(\.name))
    }
    switch relationship.kind {
    case .toOne(let columns):
      return addEdge([name], .toOne, columns, to: relationship.destination, at: node)
    case .toMany(let columns):
      return addEdge([name], .toMany, columns, to: relationship.destination, at: node)
    case .manyToMany(let link, let from, let to):
      let edge = addEdge([name], .toMany, from, to: link.entity, at: node)
      let child = nodes[node].edges[edge].child
      _ = addEdge(linkName, .toOne, to, to: relationship.destination, at: child)
      return edge
    }
  }

  /// The name of the edge from a link entity to the destination, which no relationship has.
  private var linkName: [String] { [] }

  /// The edge from the link entity below an edge, or `nil` if the edge is no link.
  private func linkEdge(of edge: Int, at node: Int) -> Int? {
    nodes[nodes[node].edges[edge].child].edges.firstIndex { $0.name.isEmpty }
  }

  private mutating func addEdge(
    _ name: [String],
    _ direction: RelationTree.Edge.Direction,
    _ columns: [String],
    to entity: EntityDescription,
    at node: Int
  ) -> Int {
    let child = nodes.count
    nodes.append(Node(entity: entity))
    let holder = direction == .toOne ? node : child
    for column in columns {
      if let index = nodes[holder].entity.index(of: column) {
        nodes[holder].readAttributes.insert(index)
      }
    }
    nodes[node].edges.append(
      Edge(name: name, direction: direction, columns: columns, child: child)
    )
    return nodes[node].edges.count - 1
  }

  private func known(_ expression: FetchExpression, at node: Int) -> FetchExpression? {
    nodes[node].values.first { value in
      if case .expression(let other) = value.source { other == expression } else { false }
    }.map { .attribute($0.attribute.name) }
  }

  private func known(_ predicate: FetchPredicate, at node: Int) -> FetchExpression? {
    nodes[node].values.first { value in
      if case .predicate(let other) = value.source { other == predicate } else { false }
    }.map { .attribute($0.attribute.name) }
  }

  private mutating func add(
    _ expression: FetchExpression?,
    _ edge: Int,
    _ recipe: Value.Recipe,
    at node: Int
  ) -> FetchExpression {
    let type = expression.flatMap { $0.type(in: nodes[node].entity) } ?? .integer64
    return add(
      expression.map { .expression($0) },
      expression?.description,
      type,
      edge,
      recipe,
      node
    )
  }

  private mutating func add(
    _ predicate: FetchPredicate,
    _ edge: Int,
    _ recipe: Value.Recipe,
    at node: Int
  ) -> FetchExpression {
    add(.predicate(predicate), predicate.description, .boolean, edge, recipe, node)
  }

  private mutating func add(
    _ source: DerivedExpression?,
    _ name: String?,
    _ type: AttributeType,
    _ edge: Int,
    _ recipe: Value.Recipe,
    _ node: Int
  ) -> FetchExpression {
    // A part of another value is used in this tree only, and no attribute has such a name.
    let name = name ?? "#\(nodes[node].values.count)"
    // A value of any class, or in a stored form, stays what it is at the end of its path.
    let end = source?.attribute(atEndFrom: nodes[node].entity)
    var attribute = AttributeDescription(
      name,
      type,
      isOptional: true,
      holdsAnyValue: end?.holdsAnyValue ?? false,
      form: end?.form
    )
    attribute.showsIntegers = end?.showsIntegers ?? false
    nodes[node].values.append(
      Value(source: source, attribute: attribute, edge: edge, recipe: recipe)
    )
    return .attribute(name)
  }
}

// MARK: - Compiling

extension RelationTreeBuilder {
  private func node(
    _ index: Int,
    below made: [RelationTree.Node?]
  ) throws(RequestError) -> RelationTree.Node {
    let node = nodes[index]
    let extended: EntityDescription
    do {
      extended =
        node.values.isEmpty
        ? node.entity
        : try EntityDescription(
          name: node.entity.name,
          identity: node.entity.identity,
          attributes: node.entity.attributes + node.values.map(\.attribute),
          relationships: node.entity.relationships
        )
    } catch {
      throw .invalidPath(node.values[0].attribute.name)
    }
    var values: [RelatedValue] = []
    for value in node.values {
      let child = node.edges[value.edge].child
      let entity = made[child]?.extended ?? nodes[child].entity
      values.append(value.compiled(in: entity))
    }
    let edges = node.edges.map { edge in
      let child = nodes[edge.child].entity
      let foreignKey: ForeignKey =
        switch edge.direction {
        case .toOne: ForeignKey(edge.columns, of: node.entity, naming: child)
        case .toMany: ForeignKey(edge.columns, of: child, naming: node.entity)
        }
      return RelationTree.Edge(
        direction: edge.direction,
        columns: edge.columns,
        foreignKey: foreignKey,
        child: edge.child
      )
    }
    return RelationTree.Node(
      entity: node.entity,
      extended: extended,
      readAttributes: AttributeSet(indexes: node.readAttributes),
      edges: edges,
      values: values
    )
  }
}

extension RelationTreeBuilder.Value {
  fileprivate func compiled(in entity: EntityDescription) -> RelatedValue {
    switch recipe {
    case .one(let expression, let missing):
      .one(edge: edge, CompiledExpression(expression, in: entity), ifMissing: missing)
    case .holds(let predicate): .holds(edge: edge, CompiledPredicate(predicate, in: entity))
    case .relatedAggregate(let function, let type, let expression, let predicate):
      .relatedAggregate(
        edge: edge,
        function,
        type,
        expression.map { CompiledExpression($0, in: entity) },
        where: CompiledPredicate(predicate, in: entity)
      )
    case .quantified(let quantifier, let predicate, let elements):
      .quantified(
        edge: edge,
        quantifier,
        CompiledPredicate(predicate, in: entity),
        among: CompiledPredicate(elements, in: entity)
      )
    case .listed(let columns, let count):
      .listed(edge: edge, columns.map { CompiledExpression($0, in: entity) }, count: count)
    }
  }
}
