public import ResultsDomain

extension RandomStoreWorkload {
  /// A predicate that an entity can answer, at most so many levels deep.
  /// - Parameters:
  ///   - entity: The entity it is for.
  ///   - keys: Keys that fixed sets of identities are drawn from.
  ///   - depth: How many levels of *and*, *or* and *not* there may be.
  /// - Returns: A predicate that is valid in the entity.
  public mutating func predicate(
    for entity: EntityDescription,
    keys: [ObjectKey] = [],
    depth: Int = 3
  ) -> FetchPredicate {
    // Most candidates fit; what compares unlike with unlike is drawn again.
    for _ in 0..<50 {
      let candidate = anyPredicate(for: entity, keys, depth)
      if (try? candidate.validate(in: entity)) != nil { return candidate }
    }
    return .all
  }

  /// One to three sort descriptors that an entity can answer.
  public mutating func sortDescriptors(for entity: EntityDescription) -> [FetchSortDescriptor] {
    (0..<generator.number(in: 1...3)).map { _ in
      let storage = storageClass(in: entity)
      return FetchSortDescriptor(
        expression(storage, in: entity, depth: 1),
        generator.choice(.ascending, .descending),
        nulls: generator.choice(nil, .first, .last)
      )
    }
  }

  private mutating func anyPredicate(
    for entity: EntityDescription,
    _ keys: [ObjectKey],
    _ depth: Int
  ) -> FetchPredicate {
    guard depth > 0, generator.happens(percent: 45) else { return leaf(for: entity, keys) }
    let parts = (0..<generator.number(in: 0...3)).map { _ in
      anyPredicate(for: entity, keys, depth - 1)
    }
    switch generator.number(in: 0...2) {
    case 0: return .and(parts)
    case 1: return .or(parts)
    default: return .not(parts.first ?? leaf(for: entity, keys))
    }
  }

  private mutating func leaf(
    for entity: EntityDescription,
    _ keys: [ObjectKey]
  ) -> FetchPredicate {
    let storage = storageClass(in: entity)
    let subject = expression(storage, in: entity, depth: 1)
    switch generator.number(in: 0...13) {
    case 0: return generator.choice(.all, .none)
    case 1:
      let count = generator.number(in: 0...max(1, keys.count))
      return .identity(IdentitySet(keys: Array(keys.shuffled(using: &generator).prefix(count))))
    case 2: return .isNull(subject)
    case 3: return .between(subject, literal(storage), literal(storage))
    case 4:
      var values = (0..<generator.number(in: 0...4)).map { _ in literal(storage) }
      if generator.happens(percent: 15) { values.append(.null) }
      return .membership(subject, values)
    case 5...8:
      let operation = TextOperator.allCases[generator.number(in: 0...3)]
      let subject = expression(.text, in: entity, depth: 1)
      let isInsensitive = generator.happens(percent: 40)
      return .text(subject, operation, pattern(), caseInsensitive: isInsensitive)
    case 9: return .comparison(subject, generator.choice(.equal, .notEqual), .literal(.null))
    case 10:
      let other = storage == .integer && generator.happens(percent: 30) ? .real : storage
      return .comparison(subject, comparison(), expression(other, in: entity, depth: 1))
    default:
      let isMixed = storage == .integer || storage == .real
      let other: StorageClass =
        isMixed && generator.happens(percent: 30) ? generator.choice(.integer, .real) : storage
      return .comparison(subject, comparison(), .literal(literal(other)))
    }
  }

  private mutating func comparison() -> ComparisonOperator {
    ComparisonOperator.allCases[generator.number(in: 0...ComparisonOperator.allCases.count - 1)]
  }

  private mutating func pattern() -> String {
    let pieces = ["*", "?", "\\*", "\\\\", "a", "b", "A", "%", "_", "\u{304C}", "", "東", "ß"]
    return (0..<generator.number(in: 1...3)).map { _ in generator.element(of: pieces) ?? "" }
      .joined()
  }

  private mutating func literal(_ storage: StorageClass) -> Value {
    switch storage {
    case .integer: value(of: .integer64)
    case .real: value(of: .real)
    case .text: value(of: .text)
    case .blob: value(of: .blob)
    }
  }

  private mutating func storageClass(in entity: EntityDescription) -> StorageClass {
    generator.element(of: entity.attributes)?.type.storage ?? .integer
  }

  private mutating func expression(
    _ storage: StorageClass,
    in entity: EntityDescription,
    depth: Int
  ) -> FetchExpression {
    let fitting = entity.attributes.filter { $0.type.storage == storage }
    let keyFits =
      switch (entity.identity, storage) {
      case (.integer, .integer), (.text, .text): true
      default: false
      }
    if keyFits, generator.happens(percent: fitting.isEmpty ? 100 : 10) { return .objectKey }
    guard let attribute = generator.element(of: fitting) else {
      // Only null or nothing of this storage: the text functions still make integers.
      return .attribute(generator.element(of: entity.attributes)?.name ?? "")
    }
    let plain = FetchExpression.attribute(attribute.name)
    guard depth > 0, generator.happens(percent: 30) else { return plain }
    return function(of: plain, storage, in: entity, depth)
  }

  private mutating func function(
    of plain: FetchExpression,
    _ storage: StorageClass,
    in entity: EntityDescription,
    _ depth: Int
  ) -> FetchExpression {
    let inner = expression(storage, in: entity, depth: depth - 1)
    switch (storage, generator.number(in: 0...4)) {
    case (_, 0): return .ifNull(plain, literal(storage))
    case (.text, 1): return .prefix(inner, length: generator.number(in: 0...3))
    case (.text, 2): return .lowercased(inner)
    case (.text, 3): return .uppercased(inner)
    case (.integer, 1), (.integer, 2):
      return .bucket(inner, width: generator.choice(1, 2, 7, 10, 1000, .max))
    case (.integer, 3) where entity.attributes.contains { $0.type == .text }:
      return .length(expression(.text, in: entity, depth: depth - 1))
    default: return plain
    }
  }
}
