import ResultsDomain

/// A branch of a union as lists read it: paths are attributes of a derived entity, which a snapshot of the branch has.
struct BranchPlan: Sendable {
  /// The branch's number in the union.
  let index: Int
  let union: UnionDescription
  /// The entity of the branch's rows; derived if the branch uses paths.
  let entity: EntityDescription
  /// The condition for objects of the branch, over `entity`.
  let predicate: FetchPredicate
  /// The values of the union's attributes, over `entity`.
  let values: [FetchExpression]
  /// The relationships that the branch follows, or `nil` if it follows none.
  let relations: RelationTree?
  private let condition: CompiledPredicate
  private let compiled: [CompiledExpression]

  /// - Throws: `RequestError` for a path that is not valid.
  init(
    _ index: Int,
    of union: UnionDescription,
    answersPaths: Bool
  ) throws(RequestError) {
    let branch = union.branches[index]
    var paths = RelationTreeBuilder(branch.entity)
    predicate = try paths.rewrite(branch.predicate)
    var values: [FetchExpression] = []
    for value in union.values(ofBranch: index) { values.append(try paths.rewrite(value)) }
    relations = try paths.tree(answersPaths: answersPaths)
    entity = relations?.entity ?? branch.entity
    self.index = index
    self.union = union
    self.values = values
    condition = CompiledPredicate(predicate, in: entity)
    compiled = values.map { [entity] in CompiledExpression($0, in: entity) }
  }

  /// The entities whose rows the branch reads.
  var entities: [EntityDescription] { relations?.entities ?? [entity] }

  /// A snapshot that has the rows of the branch's entity.
  func snapshot(of base: any StoreSnapshot) -> any StoreSnapshot {
    relations.map { RelatedSnapshot(base, $0) } ?? base
  }

  /// The row of an object, or `nil` if the object is not of the branch.
  func row(of object: Row?) -> Row? {
    guard let object, condition.holds(for: object) else { return nil }
    let values = compiled.map { $0.value(object.values, key: object.id.key) }
    let key = union.key(of: object.id.key, ofBranch: index)
    return Row(
      entity: union.entity,
      id: ObjectID(entity: union.entity.name, key: key),
      values: values
    )
  }

  /// The digest of some attributes of the row of an object of the branch.
  func digest(of object: Row, _ attributes: AttributeSet) -> UInt64 {
    var digest = RowDigest()
    for index in attributes.indexes where index < compiled.count {
      digest.add(compiled[index].value(object.values, key: object.id.key))
    }
    return digest.value
  }

  /// The change of a row by a change of its object, or `nil` if the row is the same.
  func change(_ change: CommittedChange) -> CommittedChange? {
    let (before, after) = (row(of: change.before), row(of: change.after))
    guard before != after, let id = (after ?? before)?.id else { return nil }
    return CommittedChange(id: id, before: before, after: after)
  }
}

// MARK: - Expressions and conditions of the union

extension BranchPlan {
  /// An expression over the union's attributes, as one over the branch's entity; one that is the same for all objects is a constant.
  func expression(_ expression: FetchExpression) -> FetchExpression {
    let rewritten = substituted(expression)
    if case .literal = rewritten { return rewritten }
    guard rewritten.isConstant else { return rewritten }
    return .literal(CompiledExpression(rewritten, in: entity).value([], key: .integer(0)))
  }

  private func substituted(_ expression: FetchExpression) -> FetchExpression {
    switch expression {
    case .attribute(let name): return union.entity.index(of: name).map { values[$0] } ?? .null
    case .objectKey, .literal, .related, .relatedAggregate: return expression
    case .prefix(let inner, let length):
      return function(of: inner, .text) { .prefix($0, length: length) }
    case .lowercased(let inner): return function(of: inner, .text) { .lowercased($0) }
    case .uppercased(let inner): return function(of: inner, .text) { .uppercased($0) }
    case .length(let inner): return function(of: inner, .text) { .length($0) }
    case .transformed(let transform, let inner):
      return function(of: inner, .text) { .transformed(transform, $0) }
    case .bucket(let inner, let width):
      return function(of: inner, .integer) { .bucket($0, width: width) }
    case .ifNull(let inner, let other):
      let (inner, other) = (substituted(inner), substituted(other))
      if inner.isNullConstant { return other }
      guard let own = storage(of: inner), let second = storage(of: other), own != .any else {
        return .ifNull(inner, other)
      }
      // Only a key can be of another class than the other expression, and is never null.
      return own == second ? .ifNull(inner, other) : inner
    }
  }

  /// A function of an expression; null if the branch's values are of another class than those that have a function.
  private func function(
    of expression: FetchExpression,
    _ fitting: StorageClass,
    _ function: (FetchExpression) -> FetchExpression
  ) -> FetchExpression {
    let inner = substituted(expression)
    let storage = storage(of: inner)
    return storage == fitting || storage == .any ? function(inner) : .null
  }

  private func storage(of expression: FetchExpression) -> StorageClass? {
    (try? expression.storage(in: entity)) ?? nil
  }

  /// The condition for objects of the branch for whose rows a condition is true; `.none` if it is true for no row.
  func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
    let rewritten = rewritten(predicate.normalized, isNegated: false)
    if case .none = rewritten { return .none }
    return .conjunction([self.predicate, rewritten])
  }

  /// A condition that is true for the same rows; where the given one is unknown, it can be false.
  ///
  /// Negations are moved to the comparisons: without any above them, unknown and false select the same rows. So what a constant makes
  /// unknown, such as an attribute that the branch does not have, is false.
  private func rewritten(_ predicate: FetchPredicate, isNegated: Bool) -> FetchPredicate {
    switch predicate {
    case .all: return isNegated ? .none : .all
    case .none: return isNegated ? .all : .none
    case .not(let inner): return rewritten(inner, isNegated: !isNegated)
    case .and(let parts), .or(let parts):
      let parts = parts.map { rewritten($0, isNegated: isNegated) }
      let isConjunction = if case .and = predicate { !isNegated } else { isNegated }
      if parts.contains(isConjunction ? .none : .all) { return isConjunction ? .none : .all }
      return isConjunction ? .conjunction(parts) : .disjunction(parts)
    case .identity(let set):
      let keys = set.keys.compactMap { key -> ObjectKey? in
        guard let object = union.object(of: key), object.branch == index else { return nil }
        return object.key
      }
      guard !keys.isEmpty else { return isNegated ? .all : .none }
      return negated(.identity(IdentitySet(keys: keys)), isNegated)
    case .comparison(let left, let comparison, let right):
      return compared(expression(left), comparison, expression(right), isNegated)
    case .between(let inner, let low, let high):
      let inner = expression(inner)
      let leaf = FetchPredicate.between(inner, low, high)
      if inner.isLiteral || isOfClass(low, inner) && isOfClass(high, inner) {
        return decided(leaf, isNegated, reading: [inner])
      }
      let parts = [
        compared(inner, .greaterOrEqual, .literal(low), isNegated),
        compared(inner, .lessOrEqual, .literal(high), isNegated),
      ]
      if parts.contains(isNegated ? .all : .none) { return isNegated ? .all : .none }
      return isNegated ? .disjunction(parts) : .conjunction(parts)
    case .membership(let inner, let values):
      let inner = expression(inner)
      guard !inner.isLiteral else {
        return decided(.membership(inner, values), isNegated, reading: [inner])
      }
      // Values of another class than the branch's are equal to none of its own.
      let fitting = values.filter { isOfClass($0, inner) }
      guard !fitting.isEmpty else { return isNegated ? .all : .none }
      return negated(FetchPredicate.membership(inner, fitting).normalized, isNegated)
    case .text(let inner, let comparison, let text, let caseInsensitive):
      let inner = expression(inner)
      let leaf = FetchPredicate.text(inner, comparison, text, caseInsensitive: caseInsensitive)
      guard isOfClass(.text(text), inner) else { return .none }
      return decided(leaf, isNegated, reading: [inner])
    case .isNull(let inner):
      let inner = expression(inner)
      guard case .literal(let value) = inner else { return negated(.isNull(inner), isNegated) }
      return value.isNull != isNegated ? .all : .none
    // Nothing is known without a time; a request that holds it is refused, and a list resolves it before.
    case .quantified, .relative: return .none
    }
  }

  private func compared(
    _ left: FetchExpression,
    _ comparison: ComparisonOperator,
    _ right: FetchExpression,
    _ isNegated: Bool
  ) -> FetchPredicate {
    // A comparison with null is unknown; without this rule one with a null that the union's condition does not name would be a test.
    if left.isNullConstant || right.isNullConstant { return .none }
    let leaf = FetchPredicate.comparison(left, comparison, right)
    if left.isLiteral && right.isLiteral || areOfOneClass(storage(of: left), storage(of: right)) {
      return decided(leaf, isNegated, reading: [left, right])
    }
    // A key and a value of another class: unless that is null, the classes alone decide.
    let classes = FetchPredicate.comparison(sample(of: left), comparison, sample(of: right))
    let truth = CompiledPredicate(classes, in: entity).evaluate([], key: .integer(0))
    guard truth == !isNegated else { return .none }
    return .conjunction([left, right].filter { !$0.isLiteral }.map { .not(.isNull($0)) })
  }

  /// A leaf that reads only constants as what it is, or the leaf.
  private func decided(
    _ leaf: FetchPredicate,
    _ isNegated: Bool,
    reading operands: [FetchExpression]
  ) -> FetchPredicate {
    guard operands.allSatisfy(\.isLiteral) else { return negated(leaf, isNegated) }
    let truth = CompiledPredicate(leaf, in: entity).evaluate([], key: .integer(0))
    return truth == !isNegated ? .all : .none
  }

  private func negated(_ predicate: FetchPredicate, _ isNegated: Bool) -> FetchPredicate {
    isNegated ? .not(predicate) : predicate
  }

  private func isOfClass(_ value: Value, _ expression: FetchExpression) -> Bool {
    areOfOneClass(value.orderable.storage, storage(of: expression))
  }

  /// Whether values of two classes are compared by what they are; null has no class.
  private func areOfOneClass(_ one: StorageClass?, _ other: StorageClass?) -> Bool {
    switch (one, other) {
    case (nil, _), (_, nil), (.any, _), (_, .any): true
    case (.integer, .real), (.real, .integer): true
    default: one == other
    }
  }

  /// Any value of an expression's class.
  private func sample(of expression: FetchExpression) -> FetchExpression {
    if case .literal = expression { return expression }
    return switch storage(of: expression) {
    case .text, .any, nil: .literal(.text(""))
    case .blob: .literal(.blob([]))
    case .integer, .real: .literal(.integer(0))
    }
  }
}

extension FetchExpression {
  fileprivate var isNullConstant: Bool {
    if case .literal(let value) = self { value.orderable.isNull } else { false }
  }

  fileprivate static let null = FetchExpression.literal(.null)
}
