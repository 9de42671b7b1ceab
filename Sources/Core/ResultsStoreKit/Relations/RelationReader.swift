import ResultsDomain

/// Reads the values that objects have by related ones, in one version of a store, many objects at a time.
///
/// Each step of the tree is read once for a batch of rows: its objects by key, or those that hold a key of the rows.
struct RelationReader {
  private let tree: RelationTree
  private let view: RelationView
  /// The extended values of the objects at the end of to-one edges that have been read, by node; `nil` for no object.
  private var known: [[ObjectKey: [Value]?]]
  /// The most objects of a node that are cached.
  private static let cacheLimit = 65_536

  init(_ tree: RelationTree, in view: RelationView) {
    self.tree = tree
    self.view = view
    known = tree.nodes.map { _ in [:] }
  }

  /// The rows with their related values, as rows of the derived entity.
  /// - Complexity: At most two readings for each step, whatever the number of rows.
  mutating func derived(_ rows: [Row]) throws(StoreError) -> [Row] {
    let values = try extended(rows, at: 0)
    let entity = tree.entity
    return rows.indices.map { Row(entity: entity, id: rows[$0].id, values: values[$0]) }
  }

  /// The rows of some objects with their related values, in the order of their keys.
  mutating func derived(_ keys: [ObjectKey]) throws(StoreError) -> [Row?] {
    try derived(present: view.rows(keys, of: tree.base))
  }

  /// Those rows that there are with their related values, in their order.
  mutating func derived(present rows: [Row?]) throws(StoreError) -> [Row?] {
    var made = try derived(rows.compactMap(\.self)).makeIterator()
    return rows.map { $0 == nil ? nil : made.next() }
  }

  /// The values that a row would have by each of some objects at the end of a to-one edge of the root, and by no other object.
  mutating func values(
    ofObjects keys: [ObjectKey],
    by index: Int
  ) throws(StoreError) -> [[Value]] {
    let root = tree.nodes[0]
    let rows = try view.rows(keys, of: tree.nodes[root.edges[index].child].entity)
    let read = try extended(rows.compactMap(\.self), at: root.edges[index].child)
    var next = read.makeIterator()
    let objects = zip(keys, rows).map { key, row -> RelatedObject? in
      guard row != nil, let values = next.next() else { return nil }
      return RelatedObject(key: key, values: values)
    }
    let none = EdgeEnds.one(keys.map { _ in nil })
    var ends = root.edges.map { _ in none }
    ends[index] = .one(objects)
    return keys.indices.map { position in
      root.values.map { $0.edge == index ? $0.evaluate(ends, at: position) : .null }
    }
  }

  private mutating func extended(_ rows: [Row], at index: Int) throws(StoreError) -> [[Value]] {
    let node = tree.nodes[index]
    guard !node.values.isEmpty, !rows.isEmpty else { return rows.map(\.values) }
    var ends: [EdgeEnds] = []
    for edge in node.edges {
      switch edge.direction {
      case .toOne: ends.append(.one(try targets(of: rows, by: edge)))
      case .toMany: ends.append(.many(try elements(of: rows, by: edge)))
      }
    }
    var extended: [[Value]] = []
    extended.reserveCapacity(rows.count)
    for (position, row) in rows.enumerated() {
      var values = row.values
      values.reserveCapacity(values.count + node.values.count)
      for value in node.values { values.append(value.evaluate(ends, at: position)) }
      extended.append(values)
    }
    return extended
  }

  /// The object that each row's foreign key names, or `nil` if there is none.
  private mutating func targets(
    of rows: [Row],
    by edge: RelationTree.Edge
  ) throws(StoreError) -> [RelatedObject?] {
    let keys = rows.map { edge.foreignKey.key(in: $0) }
    var missing: [ObjectKey] = []
    var sought: Set<ObjectKey> = []
    // Neighbours often name the same object.
    var last: ObjectKey?
    for case .some(let key) in keys where key != last {
      last = key
      guard known[edge.child][key] == nil, sought.insert(key).inserted else { continue }
      missing.append(key)
    }
    if !missing.isEmpty {
      let found = try view.rows(missing, of: tree.nodes[edge.child].entity)
      let values = try extended(found.compactMap(\.self), at: edge.child)
      var next = values.makeIterator()
      for (key, row) in zip(missing, found) {
        known[edge.child][key] = .some(row == nil ? nil : next.next())
      }
    }
    var found: RelatedObject?
    let targets = keys.map { key -> RelatedObject? in
      guard let key else { return nil }
      if let found, found.key == key { return found }
      guard case .some(.some(let values)) = known[edge.child][key] else { return nil }
      found = RelatedObject(key: key, values: values)
      return found
    }
    if known[edge.child].count > RelationReader.cacheLimit { known[edge.child] = [:] }
    return targets
  }

  /// The objects whose foreign key names each row.
  private mutating func elements(
    of rows: [Row],
    by edge: RelationTree.Edge
  ) throws(StoreError) -> [[RelatedObject]] {
    var positions: [ObjectKey: [Int]] = [:]
    for (position, row) in rows.enumerated() { positions[row.id.key, default: []].append(position) }
    let entity = tree.nodes[edge.child].entity
    let keys = try view.referrers(to: Array(positions.keys), by: edge, of: entity) ?? []
    let found = try self.rows(keys, of: entity)
    let values = try extended(found, at: edge.child)
    var elements: [[RelatedObject]] = rows.map { _ in [] }
    for (row, values) in zip(found, values) {
      guard let named = edge.foreignKey.key(in: row) else { continue }
      for position in positions[named] ?? [] {
        elements[position].append(RelatedObject(key: row.id.key, values: values))
      }
    }
    return elements
  }

  /// The rows of objects that exist; those of a link, which has only its key, are not read.
  private func rows(
    _ keys: [ObjectKey],
    of entity: EntityDescription
  ) throws(StoreError) -> [Row] {
    guard entity.attributes.count == entity.keyAttributeIndexes.count,
      !entity.attributes.contains(where: \.holdsAnyValue)
    else { return try view.rows(keys, of: entity).compactMap(\.self) }
    return keys.map { key in
      var values = key.parts
      for (part, index) in zip(key.parts, entity.keyAttributeIndexes) { values[index] = part }
      return Row(entity: entity, id: ObjectID(entity: entity.name, key: key), values: values)
    }
  }
}

/// An object at the end of an edge, with its extended values.
struct RelatedObject {
  let key: ObjectKey
  let values: [Value]
}

/// The objects at the end of an edge, one entry for each row.
enum EdgeEnds {
  case one([RelatedObject?])
  case many([[RelatedObject]])

  fileprivate func object(_ position: Int) -> RelatedObject? {
    if case .one(let objects) = self { objects[position] } else { nil }
  }

  fileprivate func objects(_ position: Int) -> [RelatedObject] {
    if case .many(let objects) = self { objects[position] } else { [] }
  }
}

extension RelatedValue {
  /// The edge of the objects that it depends on.
  fileprivate var edge: Int {
    switch self {
    case .one(let edge, _, _), .holds(let edge, _), .relatedAggregate(let edge, _, _, _, _),
      .quantified(let edge, _, _, _), .listed(let edge, _, _):
      edge
    }
  }

  /// The value of the row at a position.
  fileprivate func evaluate(_ ends: [EdgeEnds], at position: Int) -> Value {
    switch self {
    case .one(let edge, let expression, let missing):
      guard let object = ends[edge].object(position) else { return missing }
      return expression.value(object.values, key: object.key)
    case .holds(let edge, let predicate):
      guard let object = ends[edge].object(position) else { return .null }
      return .integer(predicate.holds(object.values, key: object.key) ? 1 : 0)
    case .relatedAggregate(let edge, let function, let type, let expression, let predicate):
      var state = AggregateState(function, of: type)
      for object in ends[edge].objects(position)
      where predicate.holds(object.values, key: object.key) {
        state.add(expression?.value(object.values, key: object.key).orderable ?? .integer(1))
      }
      return state.result(as: type).value
    case .quantified(let edge, let quantifier, let predicate, let among):
      let objects = ends[edge].objects(position).lazy.filter {
        among.holds($0.values, key: $0.key)
      }
      let holds: Bool =
        switch quantifier {
        case .any: objects.contains { predicate.holds($0.values, key: $0.key) }
        case .all: objects.allSatisfy { predicate.holds($0.values, key: $0.key) }
        case .none: !objects.contains { predicate.holds($0.values, key: $0.key) }
        }
      return .integer(holds ? 1 : 0)
    case .listed(let edge, let columns, let count):
      let tuples = ends[edge].objects(position).map { object in
        columns.map { $0.value(object.values, key: object.key) }
      }
      let sorted = tuples.filter { !$0[0].isNull }.sorted { left, right in
        for (left, right) in zip(left, right) {
          switch Value.compare(left, right) {
          case .ascending: return true
          case .descending: return false
          case .same: continue
          }
        }
        return false
      }
      return .list(sorted.flatMap { $0.prefix(count) })
    }
  }
}
