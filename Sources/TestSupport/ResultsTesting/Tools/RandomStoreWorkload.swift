public import ResultsDomain
import ResultsStoreKit

/// Random entities, rows, predicates, orders and transactions, determined by a seed.
///
/// Values are drawn from small pools, so that ties, duplicates and nulls are common; the pools include the extremes of each type.
public struct RandomStoreWorkload: Sendable {
  /// The source of all random choices.
  public var generator: SeededGenerator

  /// Creates a workload with a seed.
  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns an entity with a random identity and one to six random attributes besides its key.
  public mutating func entity(named name: String = "Item") throws(SchemaError) -> EntityDescription
  {
    let identity = generator.choice(
      EntityIdentity.integer(),
      .text(),
      .compound(["left", "right"])
    )
    return try entity(named: name, identity: identity)
  }

  /// Returns an entity with the given identity; the attributes of a compound key have random types.
  public mutating func entity(
    named name: String = "Item",
    identity: EntityIdentity
  ) throws(SchemaError) -> EntityDescription {
    var attributes: [AttributeDescription] = []
    if case .compound(let parts) = identity {
      for part in parts {
        let type = generator.choice(AttributeType.integer16, .integer64, .text, .real, .blob, .date)
        attributes.append(AttributeDescription(part, type))
      }
    }
    for number in 1...generator.number(in: 1...6) {
      let type = attributeType()
      let isOptional = generator.happens(percent: 60)
      attributes.append(AttributeDescription("a\(number)", type, isOptional: isOptional))
    }
    // Key attributes are usually first, but nothing may depend on it.
    if generator.happens(percent: 50) { attributes.shuffle(using: &generator) }
    return try EntityDescription(name: name, identity: identity, attributes: attributes)
  }

  /// Returns a valid value for each attribute of an entity.
  public mutating func values(for entity: EntityDescription) -> [Value] {
    entity.attributes.map { value(for: $0) }
  }

  /// Returns a valid value of an attribute.
  public mutating func value(for attribute: AttributeDescription) -> Value {
    if attribute.isOptional, generator.happens(percent: 30) { return .null }
    return value(of: attribute.type)
  }

  /// Returns a key for a new object, or `nil` where the values contain it or the store assigns it.
  public mutating func key(for entity: EntityDescription) -> ObjectKey? {
    switch entity.identity {
    case .integer:
      generator.happens(percent: 70) ? nil : .integer(Int64(generator.number(in: -20...60)))
    case .text: .text(text() + String(generator.number(in: 0...30)))
    case .compound: nil
    }
  }
}

extension RandomStoreWorkload {
  private mutating func attributeType() -> AttributeType {
    generator.choice(
      AttributeType.integer16,
      .integer32,
      .integer64,
      .boolean,
      .date,
      .decimal(scale: 2),
      .real,
      .text,
      .text,
      .blob
    )
  }

  /// Returns a value of a type, not null.
  public mutating func value(of type: AttributeType) -> Value {
    switch type {
    case .integer16: .integer(generator.choice(number(), Int64(Int16.min), Int64(Int16.max)))
    case .integer32: .integer(generator.choice(number(), Int64(Int32.min), Int64(Int32.max)))
    case .integer64, .date, .decimal: .integer(wideNumber())
    case .boolean: .integer(Int64(generator.number(in: 0...1)))
    case .real: .real(real())
    case .text: .text(text())
    case .blob:
      .blob(
        (0..<generator.number(in: 0...3)).map { _ in generator.choice(0, 1, 127, 128, 254, 255) }
      )
    }
  }

  private mutating func number() -> Int64 { Int64(generator.number(in: -4...9)) }

  private mutating func wideNumber() -> Int64 {
    guard generator.happens(percent: 15) else { return number() }
    return generator.choice(
      .min,
      .max,
      1 << 53,
      (1 << 53) + 1,
      -(1 << 53) - 1,
      1_700_000_000_000_000
    )
  }

  private mutating func real() -> Double {
    guard generator.happens(percent: 25) else {
      return Double(generator.number(in: -8...8)) / generator.choice(1, 2, 3)
    }
    return generator.choice(
      0.1,
      -0.0,
      .infinity,
      -.infinity,
      .greatestFiniteMagnitude,
      .leastNonzeroMagnitude,
      0x1p53
    )
  }

  /// Returns a text; the pool includes the empty text, both normalization forms of a character, and wildcard characters.
  mutating func text() -> String {
    let pool = [
      "", "a", "A", "ab", "aB", "b", " a", "a ", "10", "9", "%", "_", "*", "?", "\\", "a%b", "a_b",
      "'",
      "\"", "ß", "SS", "ä", "a\u{308}", "Ä", "\u{304C}", "\u{304B}\u{3099}", "東京",
      "\u{1F469}\u{200D}\u{1F52C}",
      "\u{10FFFF}", "\u{FFFD}", "\u{FF5E}", "i", "I", "\u{130}", "\u{131}", "\u{3A3}", "\u{3C2}",
      "\n", "abcabcabc",
    ]
    let first = generator.element(of: pool) ?? ""
    return generator.happens(percent: 20) ? first + (generator.element(of: pool) ?? "") : first
  }
}

// MARK: - Predicates and orders

extension RandomStoreWorkload {
  /// Returns a random predicate that is valid in an entity.
  /// - Parameters:
  ///   - entity: The entity.
  ///   - keys: The keys from which fixed sets of identities are drawn.
  ///   - depth: The maximum number of nested levels of *and*, *or* and *not*.
  /// - Returns: A predicate that is valid in the entity.
  public mutating func predicate(
    for entity: EntityDescription,
    keys: [ObjectKey] = [],
    depth: Int = 3
  ) -> FetchPredicate {
    // Most candidates are valid; one that compares different types is drawn again.
    for _ in 0..<50 {
      let candidate = anyPredicate(for: entity, keys, depth)
      if (try? candidate.validate(in: entity)) != nil { return candidate }
    }
    return .all
  }

  /// Returns one to three sort descriptors that are valid in an entity.
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
      let operation = generator.element(of: TextOperator.allCases) ?? .like
      let subject = expression(.text, in: entity, depth: 1)
      let isInsensitive = generator.happens(percent: 40)
      let sought = operation == .matches ? regularExpression() : pattern()
      return .text(subject, operation, sought, caseInsensitive: isInsensitive)
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
    let fragments = ["*", "?", "\\*", "\\\\", "a", "b", "A", "%", "_", "\u{304C}", "", "東", "ß"]
    return (0..<generator.number(in: 1...3)).map { _ in generator.element(of: fragments) ?? "" }
      .joined()
  }

  private mutating func regularExpression() -> String {
    let fragments = [
      "a", "[a-c]", "[^a]", ".", "\\w", "\\S", "(a|ß)", "\u{304C}", "東", "\\*", "^", "$",
    ]
    let repeats = ["", "*", "+", "?", "{1,2}"]
    return (0..<generator.number(in: 0...3))
      .map { _ in
        (generator.element(of: fragments) ?? "") + (generator.element(of: repeats) ?? "")
      }
      .joined()
  }

  private mutating func literal(_ storage: StorageClass) -> Value {
    switch storage {
    case .integer: value(of: .integer64)
    case .real: value(of: .real)
    case .text, .any: value(of: .text)
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
      // No attribute has this storage class, but text functions still return integers.
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
    case (.text, 4):
      return generator.choice(
        .transformed(.baseLetters, inner),
        .transformed(.natural, inner),
        .transformed(.filing, inner),
        .ifNull(plain, inner)
      )
    case (.integer, 1), (.integer, 2):
      return .bucket(inner, width: generator.choice(1, 2, 7, 10, 1000, .max))
    case (.integer, 3) where entity.attributes.contains { $0.type == .text }:
      return .length(expression(.text, in: entity, depth: depth - 1))
    default: return plain
    }
  }
}

// MARK: - Transactions

extension RandomStoreWorkload {
  /// Returns the steps of a transaction: inserts, updates and deletes of existing objects, and a few invalid ones.
  ///
  /// Some steps write unchanged values, undo an earlier step or insert a deleted object again, because a commit reports only its
  /// net changes.
  /// - Parameters:
  ///   - entity: The entity whose objects are changed.
  ///   - rows: The rows before the transaction.
  ///   - count: The approximate number of steps.
  /// - Returns: The steps, in order.
  public mutating func transaction(
    on entity: EntityDescription,
    rows: [Row],
    count: Int = 6
  ) -> [StoreOperation] {
    var operations: [StoreOperation] = []
    for _ in 0..<generator.number(in: 1...max(1, count)) {
      guard let row = generator.element(of: rows), generator.happens(percent: 70) else {
        operations.append(.insert(values(for: entity), key: key(for: entity)))
        continue
      }
      operations += steps(with: row, of: entity)
    }
    return operations
  }

  private mutating func steps(
    with row: Row,
    of entity: EntityDescription
  ) -> [StoreOperation] {
    let key: ObjectKey? = if case .compound = row.id.key { nil } else { row.id.key }
    var changed = row.values
    if let index = generator.element(of: changed.indices),
      !entity.keyAttributeIndexes.contains(index) || generator.happens(percent: 30)
    {
      changed[index] = value(for: entity.attributes[index])
    }
    switch generator.number(in: 0...9) {
    case 0...3: return [.update(row.id, to: changed)]
    case 4: return [.update(row.id, to: row.values)]
    case 5: return [.update(row.id, to: changed), .update(row.id, to: row.values)]
    case 6: return [.delete(row.id), .insert(row.values, key: key)]
    case 7: return [.delete(row.id), .insert(changed, key: key)]
    case 8: return [.insert(changed, key: key)]
    default: return [.delete(row.id)]
    }
  }
}
