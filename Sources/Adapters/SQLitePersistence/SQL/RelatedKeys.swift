import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Finds the foreign keys that expressions and predicates follow, in either direction, nested ones included.
struct RelatedKeys {
  /// A foreign key: columns of a table.
  struct Key {
    let table: EntityTable
    let columns: [String]
  }

  /// A relationship with the foreign keys that connect its objects.
  struct Followed {
    /// The entity and the relationship, as `Book.author`.
    let name: String
    /// The conditions that join its objects.
    let join: String
    let keys: [Key]
  }

  /// The foreign keys, without duplicates.
  private(set) var all: [Key] = []
  /// The relationships, without duplicates.
  private(set) var followed: [Followed] = []
  private let tables: StoreTables

  init(_ tables: StoreTables) { self.tables = tables }

  /// Adds what an expression follows.
  /// - Throws: `StoreError.unknownEntity` for an entity that the store was not opened with, `StoreError.request` for an unknown relationship.
  mutating func add(
    _ expression: FetchExpression,
    of entity: EntityDescription
  ) throws(StoreError) {
    switch expression {
    case .attribute, .objectKey, .literal: return
    case .prefix, .lowercased, .uppercased, .length, .bucket, .ifNull, .transformed:
      for operand in expression.operands { try add(operand, of: entity) }
    case .related(let steps, _): _ = try add(steps, of: entity)
    case .relatedAggregate(let steps, _, let inner, let predicate):
      let elements = try add(steps, of: entity)
      _ = try RelatedKeys.joined(inner.map { [$0] } ?? [], predicate)
      if let inner { try add(inner, of: elements) }
      try add(predicate, of: elements)
    }
  }

  /// Adds what a predicate follows.
  mutating func add(
    _ predicate: FetchPredicate,
    of entity: EntityDescription
  ) throws(StoreError) {
    switch predicate {
    case .all, .none, .identity: return
    case .comparison(let left, _, let right):
      try add(left, of: entity)
      try add(right, of: entity)
    case .between(let expression, _, _), .membership(let expression, _),
      .text(let expression, _, _, _), .isNull(let expression), .relative(let expression, _, _):
      try add(expression, of: entity)
    case .not(let inner): try add(inner, of: entity)
    case .and(let parts), .or(let parts): for part in parts { try add(part, of: entity) }
    case .quantified(_, let steps, let inner):
      let elements = try add(steps, of: entity)
      _ = try RelatedKeys.joined([], inner)
      try add(inner, of: elements)
    }
  }

  /// The number of tables that are joined to another one: SQLite reads 64 at once (sqlite.org/limits.html, 4), and a subquery two more of
  /// its own.
  private static let joinLimit = 60

  /// The to-one paths of expressions and of a predicate.
  /// - Throws: `StoreError.request` for more than SQLite joins.
  static func joined(
    _ expressions: [FetchExpression],
    _ predicate: FetchPredicate
  ) throws(StoreError) -> [[String]] {
    let paths = TablePaths.of(expressions, predicate)
    guard paths.count <= joinLimit else {
      throw .request(.tooManyRelationships(inOnePath: false, limit: joinLimit))
    }
    return paths
  }

  /// Adds the steps of a path.
  /// - Returns: The entity at its end.
  private mutating func add(
    _ steps: [String],
    of entity: EntityDescription
  ) throws(StoreError) -> EntityDescription {
    var entity = entity
    for step in steps {
      guard let relationship = entity.relationship(named: step) else {
        throw .request(
          .unknownRelationship(step, entity: entity.name, known: entity.relationships.map(\.name))
        )
      }
      entity = try add(relationship, of: entity)
    }
    return entity
  }

  /// Adds a relationship.
  /// - Returns: The entity that it names.
  @discardableResult
  mutating func add(
    _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws(StoreError) -> EntityDescription {
    let destination = try tables.table(of: relationship.destination)
    let keys: [Key]
    let join: [String]
    switch relationship.kind {
    case .toOne(let columns):
      keys = [Key(table: try tables.table(of: entity), columns: columns)]
      join = [keys[0].condition(naming: destination.entity)]
    case .toMany(let columns):
      keys = [Key(table: destination, columns: columns)]
      join = [keys[0].condition(naming: entity)]
    case .manyToMany(let link, let from, let to):
      let links = try tables.table(of: link.entity)
      keys = [Key(table: links, columns: from), Key(table: links, columns: to)]
      join = [keys[0].condition(naming: entity), keys[1].condition(naming: destination.entity)]
    }
    for key in keys { add(key) }
    let name = "\(entity.name).\(relationship.name)"
    if !followed.contains(where: { Value.text($0.name) == .text(name) }) {
      followed.append(Followed(name: name, join: join.joined(separator: " and "), keys: keys))
    }
    return destination.entity
  }

  private mutating func add(_ key: Key) {
    let isKnown = all.contains {
      $0.table.index == key.table.index && $0.columns.isSamePath(as: key.columns)
    }
    if !isKnown { all.append(key) }
  }
}

extension RelatedKeys.Key {
  /// The condition that joins the objects of the key to those that hold it.
  fileprivate func condition(naming other: EntityDescription) -> String {
    zip(other.identity.columns, columns)
      .map { "\(other.name).\($0) = \(table.entity.name).\($1)" }.joined(separator: " and ")
  }
}

extension OrderDefinition {
  /// Whether its predicate or its order reads other objects than the row's own.
  var usesPaths: Bool {
    predicate.usesPaths || terms.contains { $0.expression.usesPaths }
  }
}
