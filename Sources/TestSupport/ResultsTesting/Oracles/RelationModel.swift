public import ResultsDomain
public import ResultsStoreKit

/// The content of all entities in one version, and a naive evaluation of paths over it: row by row, link by link.
///
/// It shares no code with the core's join.
public struct RelationModel: Sendable {
  private let rows: [String: [ObjectKey: Row]]
  /// What texts begin with in natural and filing order, where they differ from it: the number of digits comes before them.
  private static let naturalKeys = ["B": "b", "a9": "a19", "a10": "a210"]

  /// Reads all rows of some entities.
  public init(_ entities: [EntityDescription], in snapshot: any StoreSnapshot) throws(StoreError) {
    var rows: [String: [ObjectKey: Row]] = [:]
    for entity in entities {
      let order: [FetchSortDescriptor] =
        switch entity.identity {
        case .integer, .text: [FetchSortDescriptor(.objectKey)]
        case .compound(let names): names.map { .ascending($0) }
        }
      let found = try snapshot.fetch(FetchRequest<Row>(entity: entity, sortedBy: order))
      rows[entity.name] = Dictionary(uniqueKeysWithValues: found.map { ($0.id.key, $0) })
    }
    self.rows = rows
  }

  /// The rows of an entity, in no particular order.
  public func rows(of entity: EntityDescription) -> [Row] {
    rows[entity.name].map { Array($0.values) } ?? []
  }

  /// The objects at the end of a path from a row.
  private func objects(_ steps: ArraySlice<String>, from row: Row, _ entity: EntityDescription)
    -> [(Row, EntityDescription)]
  {
    guard let step = steps.first, let relationship = entity.relationship(named: step) else {
      return steps.isEmpty ? [(row, entity)] : []
    }
    let target = relationship.destination
    let all = rows[target.name] ?? [:]
    let next: [Row]
    switch relationship.kind {
    case .toOne(let columns):
      let key = columns.map { row[$0] }
      next = all.values.filter { $0.id.key.parts == key }
    case .toMany(let columns):
      next = all.values.filter { other in columns.map { other[$0] } == row.id.key.parts }
    case .manyToMany(let link, let from, let to):
      let links = (rows[link.entity.name] ?? [:]).values.filter {
        [$0[from[0]]] == row.id.key.parts
      }
      next = links.flatMap { link in all.values.filter { $0.id.key.parts == [link[to[0]]] } }
    }
    return next.flatMap { objects(steps.dropFirst(), from: $0, target) }
  }

  /// The rows of the objects at the end of a path from a row, in no particular order.
  public func related(_ steps: [String], to row: Row, in entity: EntityDescription) -> [Row] {
    objects(steps[...], from: row, entity).map(\.0)
  }

  /// The value of an expression for a row.
  public func value(_ expression: FetchExpression, of row: Row, in entity: EntityDescription)
    -> Value
  {
    switch expression {
    case .related(let steps, let inner):
      return objects(steps[...], from: row, entity).first.map { value(inner, of: $0.0, in: $0.1) }
        ?? .null
    case .relatedAggregate(let steps, let function, let inner, let condition):
      let counted = objects(steps[...], from: row, entity).filter {
        truth(condition, of: $0.0, in: $0.1) == true
      }
      guard let inner else { return .integer(Int64(counted.count)) }
      let values = counted.map { value(inner, of: $0.0, in: $0.1) }.filter { !$0.isNull }
      switch function {
      case .count: return .integer(Int64(values.count))
      case .sum:
        return values.isEmpty ? .null : .integer(values.compactMap(\.integer).reduce(0, +))
      case .minimum: return values.min { Value.compare($0, $1) == .ascending } ?? .null
      case .maximum: return values.max { Value.compare($0, $1) == .ascending } ?? .null
      }
    case .ifNull(let inner, let other):
      let found = value(inner, of: row, in: entity)
      return found.isNull ? value(other, of: row, in: entity) : found
    case .lowercased(let inner):
      guard case .text(let text) = value(inner, of: row, in: entity) else { return .null }
      return .text(text == "B" ? "b" : text)
    case .transformed(.natural, let inner), .transformed(.filing, let inner):
      guard case .text(let text) = value(inner, of: row, in: entity) else { return .null }
      return .text((RelationModel.naturalKeys[text] ?? text) + "\u{1}" + text)
    default: return expression.evaluate(row)
    }
  }

  /// Whether a predicate is true for a row, or `nil` for unknown.
  public func truth(_ predicate: FetchPredicate, of row: Row, in entity: EntityDescription) -> Bool?
  {
    switch predicate {
    case .comparison(let left, let comparison, let right):
      let (first, second) = (value(left, of: row, in: entity), value(right, of: row, in: entity))
      guard !first.isNull, !second.isNull else { return nil }
      let order = Value.compare(first, second)
      return switch comparison {
      case .equal: order == .same
      case .notEqual: order != .same
      case .less: order == .ascending
      case .lessOrEqual: order != .descending
      case .greater: order == .descending
      case .greaterOrEqual: order != .ascending
      }
    case .isNull(let inner): return value(inner, of: row, in: entity).isNull
    case .not(let inner): return truth(inner, of: row, in: entity).map { !$0 }
    case .and(let parts):
      let truths = parts.map { truth($0, of: row, in: entity) }
      return truths.contains(false) ? false : (truths.contains(nil) ? nil : true)
    case .or(let parts):
      let truths = parts.map { truth($0, of: row, in: entity) }
      return truths.contains(true) ? true : (truths.contains(nil) ? nil : false)
    case .quantified(let quantifier, let steps, let inner):
      let truths = objects(steps[...], from: row, entity).map { truth(inner, of: $0.0, in: $0.1) }
      return switch quantifier {
      case .any: truths.contains(true)
      case .all: !truths.contains { $0 != true }
      case .none: !truths.contains(true)
      }
    default: return predicate.evaluate(row)
    }
  }
}
