public import ResultsDomain

/// Makes up entities, rows, predicates, orders and transactions from a seed.
///
/// Values come from small pools, so that ties, repeats and nulls are common, with the extremes of each type among them.
public struct RandomStoreWorkload: Sendable {
  /// Where the choices come from.
  public var generator: SeededGenerator

  /// A workload that follows from a seed.
  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// An entity with a random identity and one to six random attributes besides its key.
  public mutating func entity(named name: String = "Item") throws(SchemaError) -> EntityDescription
  {
    let identity = generator.choice(
      EntityIdentity.integer(),
      .text(),
      .compound(["left", "right"])
    )
    return try entity(named: name, identity: identity)
  }

  /// An entity with a given identity; the parts of a compound one get random types.
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
    // Keys usually stand first, but nothing may depend on it.
    if generator.happens(percent: 50) { attributes.shuffle(using: &generator) }
    return try EntityDescription(name: name, identity: identity, attributes: attributes)
  }

  /// A value for each attribute of an entity; all are allowed.
  public mutating func values(for entity: EntityDescription) -> [Value] {
    entity.attributes.map { value(for: $0) }
  }

  /// A value that an attribute allows.
  public mutating func value(for attribute: AttributeDescription) -> Value {
    if attribute.isOptional, generator.happens(percent: 30) { return .null }
    return value(of: attribute.type)
  }

  /// A key for a new object, or `nil` where the values make it or the store is to assign it.
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

  /// A value of a type, not null.
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

  /// A text; among them are the empty one, both forms of one character, and the signs that patterns use.
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
