import ResultsDomain

/// What a predicate demands of one attribute: that its value is one of some constants.
struct ListDemand: Hashable, Sendable {
  /// The attribute's index in its entity.
  let attribute: Int
  /// The constants, as `ListDemand.filed(_:)` has them; none if no row meets the demand.
  let values: Set<Value>

  /// The value under which a row is found: numbers that compare as the same are one value.
  static func filed(_ value: Value) -> Value { value.wholeNumber }

  /// The value of an attribute under which a row is found.
  static func filed(_ attribute: Int, of row: Row) -> Value {
    attribute < row.values.count ? filed(row.values[attribute]) : .null
  }

  fileprivate init(_ attribute: Int, _ values: Set<Value>) {
    self.attribute = attribute
    self.values = values
  }

  fileprivate init?(_ expression: FetchExpression, _ values: [Value], in entity: EntityDescription)
  {
    guard case .attribute(let name) = expression, let index = entity.index(of: name) else {
      return nil
    }
    self.init(index, Set(values.map { ListDemand.filed($0) }))
  }
}

extension FetchPredicate {
  /// What the predicate demands of attributes: it is true for no row that does not meet each demand.
  ///
  /// The predicate must be in normal form. It may demand more than is found here; nothing is found in negations, ranges, texts,
  /// identities and relationships.
  /// - Complexity: O(*n*) in the predicate's size.
  func demands(in entity: EntityDescription) -> [ListDemand] {
    switch self {
    case .comparison(let expression, .equal, .literal(let value)),
      .comparison(.literal(let value), .equal, let expression):
      return ListDemand(expression, [value], in: entity).map { [$0] } ?? []
    case .membership(let expression, let values):
      return ListDemand(expression, values, in: entity).map { [$0] } ?? []
    case .isNull(let expression):
      return ListDemand(expression, [.null], in: entity).map { [$0] } ?? []
    case .and(let parts): return parts.flatMap { $0.demands(in: entity) }
    case .or(let parts):
      guard var common = parts.first?.demands(in: entity) else { return [] }
      for part in parts.dropFirst() {
        let others = part.demands(in: entity)
        common = common.compactMap { demand in
          guard let other = others.first(where: { $0.attribute == demand.attribute }) else {
            return nil
          }
          return ListDemand(demand.attribute, demand.values.union(other.values))
        }
      }
      return common
    case .all, .none, .comparison, .relative, .between, .identity, .text, .not, .quantified:
      return []
    }
  }
}
