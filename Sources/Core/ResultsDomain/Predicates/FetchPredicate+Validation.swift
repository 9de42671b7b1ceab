extension FetchPredicate {
  /// Checks that every attribute exists and that compared values are of compatible types.
  ///
  /// Numbers compare with numbers, including integers with reals; texts with texts; blobs with blobs. Two attributes
  /// must also have comparable types: a date is not compared with a count, nor decimals of different scales. Null is compared
  /// by `==` and `!=` only, text operators need a text, and identities must fit the entity.
  ///
  /// A comparison with a date that follows the clock is refused: `resolved(at:in:)` gives the predicate at a time.
  /// - Throws: `RequestError` for the first error.
  /// - Complexity: O(*n*) in the predicate's size, identities included.
  public func validate(in entity: EntityDescription) throws(RequestError) {
    try validate(in: entity, followingClock: false)
  }

  /// Checks it as `validate(in:)` does; outside of conditions on related objects, dates that follow the clock are allowed or not.
  package func validate(
    in entity: EntityDescription,
    followingClock followsClock: Bool
  ) throws(RequestError) {
    switch self {
    case .all, .none: return
    case .relative(let expression, let comparison, let date):
      guard followsClock else { throw .relativeDate(date.description) }
      guard comparison != .equal, comparison != .notEqual else {
        throw .equalRelativeDate(date.description)
      }
      _ = try expression.comparableStorage(in: entity)
      try expression.validateOrder(in: entity)
      guard expression.type(in: entity) == .date else { throw .mixedStorage(description) }
    case .comparison(let left, let comparison, let right):
      try validate(left, comparison, right, in: entity)
    case .between(let expression, let low, let high):
      let storage = try expression.comparableStorage(in: entity)
      try expression.validateOrder(in: entity)
      let type = expression.plainType(in: entity)
      for bound in [low, high]
      where !storage.compares(with: bound.orderable.storage) || !bound.means(type) {
        throw .mixedStorage(description)
      }
    case .membership(let expression, let values):
      let storage = try expression.comparableStorage(in: entity)
      try expression.validateEquality(in: entity)
      let type = expression.plainType(in: entity)
      for value in values.map(\.orderable)
      where !value.isNull && !(storage.compares(with: value.storage) && value.means(type)) {
        throw .mixedStorage(description)
      }
    case .identity(let set):
      for key in set.keys where !key.fits(entity) {
        throw .foreignIdentity(ObjectID(entity: entity.name, key: key), entity: entity.name)
      }
    case .text(let expression, let comparison, let text, _):
      let storage = try expression.comparableStorage(in: entity)
      guard storage == .text || storage == .any else { throw .mixedStorage(description) }
      if comparison == .matches { _ = try MatchPattern(text) }
    case .isNull(let expression):
      if !expression.isNullLiteral { _ = try expression.comparableStorage(in: entity) }
    case .not(let inner): try inner.validate(in: entity, followingClock: followsClock)
    case .and(let parts), .or(let parts):
      for part in parts { try part.validate(in: entity, followingClock: followsClock) }
    case .quantified(_, let steps, let inner):
      let path = try entity.relationships(along: steps, endsToMany: true, in: description)
      try inner.validate(in: path[path.count - 1].destination)
    }
  }

  private func validate(
    _ left: FetchExpression,
    _ comparison: ComparisonOperator,
    _ right: FetchExpression,
    in entity: EntityDescription
  ) throws(RequestError) {
    if left.isNullLiteral || right.isNullLiteral {
      for side in [left, right] where !side.isNullLiteral {
        _ = try side.comparableStorage(in: entity)
      }
      guard comparison == .equal || comparison == .notEqual else {
        throw .mixedStorage(description)
      }
      return
    }
    let storage = try left.comparableStorage(in: entity)
    guard try storage.compares(with: right.comparableStorage(in: entity)) else {
      throw .mixedStorage(description)
    }
    for side in [left, right] {
      if comparison == .equal || comparison == .notEqual {
        try side.validateEquality(in: entity)
      } else {
        try side.validateOrder(in: entity)
      }
    }
    let meaning: Bool =
      switch (left.plainType(in: entity), right.plainType(in: entity), left, right) {
      case (.some(let left), .some(let right), _, _): left.isComparable(with: right)
      case (let type, _, _, .literal(let value)), (_, let type, .literal(let value), _):
        value.means(type)
      default: true
      }
    guard meaning else { throw .mixedStorage(description) }
  }
}

extension FetchExpression {
  /// Refuses an order of values whose stored form does not sort like them.
  fileprivate func validateOrder(in entity: EntityDescription) throws(RequestError) {
    guard let remedy = form(in: entity)?.orderRemedy else { return }
    throw .unorderedForm(description, remedy: remedy)
  }

  /// Refuses equality of values of which one can have several stored texts.
  fileprivate func validateEquality(in entity: EntityDescription) throws(RequestError) {
    guard let remedy = form(in: entity)?.equalityRemedy else { return }
    throw .ambiguousForm(description, remedy: remedy)
  }

  /// The type of its values, unless they are stored in another form, whose values any constant may be.
  fileprivate func plainType(in entity: EntityDescription) -> AttributeType? {
    form(in: entity) == nil ? type(in: entity) : nil
  }

  /// Whether its values and those of another expression of the same storage class mean the same, so that one can stand for the other.
  func isAlike(_ other: FetchExpression, in entity: EntityDescription) -> Bool {
    guard let type = type(in: entity), let other = other.type(in: entity) else { return true }
    return type.isComparable(with: other)
  }

  /// The storage class of its values; throws for an expression that is always null.
  func comparableStorage(in entity: EntityDescription) throws(RequestError) -> StorageClass {
    guard let storage = try storage(in: entity), !isNullLiteral else {
      throw .alwaysNull(description)
    }
    return storage
  }

  /// The type of its values, or `nil` for a constant or an unknown attribute.
  package func type(in entity: EntityDescription) -> AttributeType? {
    switch self {
    case .attribute(let name):
      entity.attribute(named: name)?.type ?? (entity.isKey(name) ? entity.keyTypes[0] : nil)
    case .objectKey: entity.keyTypes.count == 1 ? entity.keyTypes[0] : nil
    case .literal: nil
    case .prefix, .lowercased, .uppercased, .transformed: .text
    case .length: .integer64
    case .bucket(let inner, _):
      inner.type(in: entity).map { $0.isPlainNumber ? .integer64 : $0 }
    case .ifNull(let inner, let other):
      // Only numbers can be of two types.
      other.isLiteral || inner.type(in: entity) == other.type(in: entity)
        || inner.type(in: entity)?.isPlainNumber != true
        ? inner.type(in: entity) : .integer64
    case .related(let steps, let inner):
      entity.destination(along: steps).flatMap { inner.type(in: $0) }
    case .relatedAggregate(let steps, let function, let inner, _):
      if let inner {
        entity.destination(along: steps)
          .flatMap { try? FetchAggregate(function, of: inner).type(in: $0) }
      } else {
        .integer64
      }
    }
  }
}

extension AttributeType {
  /// Whether values of two types can be compared.
  func isComparable(with other: AttributeType) -> Bool {
    isPlainNumber && other.isPlainNumber || self == other
  }

  /// Whether its stored values are the numbers themselves, not units of a scale.
  var isPlainNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .real: true
    case .date, .decimal, .text, .blob: false
    }
  }
}

extension Value {
  /// Whether the value can be compared with values of a type; a fraction of a unit cannot.
  func means(_ type: AttributeType?) -> Bool {
    guard case .real = self, let type else { return true }
    return type.isPlainNumber
  }
}

extension StorageClass {
  /// Whether values of two storage classes can be compared.
  func compares(with other: StorageClass?) -> Bool {
    switch (self, other) {
    case (.integer, .real), (.real, .integer): true
    case (.any, .some), (_, .any): true
    default: self == other
    }
  }
}

extension ObjectKey {
  /// Whether the key fits an entity.
  package func fits(_ entity: EntityDescription) -> Bool {
    switch (entity.identity, self) {
    case (.integer, .integer), (.text, .text): true
    case (.text, .compound): illFormedText != nil
    case (.compound, .compound(let parts)):
      parts.count == entity.keyStorage.count
        && zip(parts, entity.keyStorage)
          .allSatisfy { $1 == .any ? !$0.isNull : $0.storage == $1 }
    default: false
    }
  }
}
