import ResultsDomain
import ResultsStoreKit

/// All ingredients that determine the content of a cached list, in full: equal fingerprints mean equal lists (R88).
///
/// Nothing is hashed, so that no two definitions can collide.
struct CacheFingerprint: Hashable {
  /// The ingredients, in the order in which differences are reported.
  enum Ingredient: UInt8, CaseIterable {
    case entity = 1
    case schema
    case predicate
    case arguments
    case order
    case sections
    case contiguity
    case timeZone
    case calendar
    case locale
    case grouping
    case titles
    /// The entities that related values are read from; empty for a list without any.
    case related

    var miss: CacheMiss {
      switch self {
      case .entity: .entity
      case .schema, .related: .schema
      case .predicate: .predicate
      case .arguments: .arguments
      case .order: .order
      case .sections, .grouping: .sections
      case .contiguity: .contiguity
      case .timeZone: .timeZone
      case .calendar: .calendar
      case .locale: .locale
      case .titles: .titles
      }
    }
  }

  private(set) var bytes: [Ingredient: [UInt8]] = [:]

  /// Creates a fingerprint from its ingredients; it equals that of a definition only if it has all of them.
  init(_ bytes: [Ingredient: [UInt8]]) { self.bytes = bytes }

  /// The fingerprint of a definition.
  init(_ plan: ListPlan) {
    bytes[.entity] = Array(plan.entity.name.utf8)
    bytes[.schema] = CacheFingerprint.schema(of: plan.relations?.base ?? plan.entity)
    bytes[.related] = plan.relations.map { CacheFingerprint.related($0.entities) } ?? []
    var predicate = FingerprintWriter()
    predicate.add(plan.definition.predicate)
    bytes[.predicate] = predicate.form
    bytes[.arguments] = predicate.arguments
    var order = FingerprintWriter()
    for term in plan.definition.terms.dropFirst(plan.rule.termCount) { order.add(term) }
    bytes[.order] = order.both
    var sections = FingerprintWriter()
    var dependencies = GroupingDependencies()
    var grouping = ""
    var titles: [UInt8] = []
    if let key = plan.sectionKey {
      sections.add(key.source)
      titles.appendText(key.titleIdentity)
      if case .transient(_, let transient) = key.source {
        dependencies = transient.dependencies
        grouping = transient.groupingIdentity
        titles.appendText(transient.titleIdentity)
      }
    }
    // The name of a relationship does not say which attribute holds the key.
    if let objects = plan.objects { sections.add(objects.foreignKey) }
    bytes[.sections] = sections.both
    bytes[.contiguity] = Array("\(plan.sectionKey?.contiguity ?? .error)".utf8)
    bytes[.timeZone] = Array(dependencies.timeZone.utf8)
    bytes[.calendar] = Array(dependencies.calendar.utf8)
    bytes[.locale] = Array(dependencies.locale.utf8)
    bytes[.grouping] = Array(grouping.utf8)
    bytes[.titles] = titles
  }

  /// The names, types and identity that rows and keys of an entity depend on.
  static func schema(of entity: EntityDescription) -> [UInt8] {
    var writer = FingerprintWriter()
    switch entity.identity {
    case .integer: writer.add(tag: 1)
    case .text: writer.add(tag: 2)
    case .compound: writer.add(tag: 3)
    }
    writer.add(count: entity.identity.columns.count)
    for column in entity.identity.columns { writer.add(name: column) }
    writer.add(count: entity.attributes.count)
    for attribute in entity.attributes {
      writer.add(name: attribute.name)
      writer.add(name: attribute.type.description)
      if let form = attribute.form { writer.add(name: "\(form)") }
      writer.add(tag: (attribute.isOptional ? 1 : 0) | (attribute.holdsAnyValue ? 2 : 0))
    }
    return writer.form
  }

  /// The names of some entities, then what related values depend on: the entities' attributes, and the keys that connect them.
  static func related(_ entities: [EntityDescription]) -> [UInt8] {
    var writer = FingerprintWriter()
    writer.add(count: entities.count)
    for entity in entities { writer.add(name: entity.name) }
    for entity in entities { writer.add(relationshipsOf: entity) }
    return writer.form + entities.flatMap { schema(of: $0) }
  }

  /// The entities of a store that a cached list reads.
  /// - Parameter entities: The entities of the store.
  /// - Returns: The list's own entity, and then the others if the list has related values.
  /// - Throws: `CacheMiss.entity` or `CacheMiss.schema` if the store does not have them as they were.
  func entities(among entities: [EntityDescription]) throws(CacheMiss) -> [EntityDescription] {
    guard let base = entities.first(where: { Array($0.name.utf8) == bytes[.entity] }) else {
      throw .entity
    }
    guard bytes[.schema] == CacheFingerprint.schema(of: base) else { throw .schema }
    guard let related = bytes[.related], !related.isEmpty else { return [base] }
    var names: [String] = []
    related.withUnsafeBytes { bytes in
      var reader = CacheReader(bytes)
      for _ in 0..<(reader.number() ?? 0) {
        guard let name = reader.text() else { return }
        names.append(name)
      }
    }
    let read = names.compactMap { name in entities.first { Value.text($0.name) == .text(name) } }
    guard related == CacheFingerprint.related(read) else { throw .schema }
    return read
  }

  /// The first ingredient that differs, as a reason; `nil` for equal fingerprints.
  func difference(from other: CacheFingerprint) -> CacheMiss? {
    for ingredient in Ingredient.allCases {
      guard let mine = bytes[ingredient], let others = other.bytes[ingredient], mine == others
      else { return ingredient.miss }
    }
    return nil
  }
}

extension SectionRule {
  /// The number of leading terms of the order that belong to the section key.
  fileprivate var termCount: Int {
    if case .columns(let count, _) = self { count } else { 0 }
  }
}

/// Writes definitions as bytes, with the constants apart; different definitions have different bytes.
///
/// Everything of varying length is preceded by its length, so no two definitions have the same bytes.
struct FingerprintWriter {
  /// The names and operators, in their structure.
  private(set) var form: [UInt8] = []
  /// The constants, in the order in which they occur.
  private(set) var arguments: [UInt8] = []

  /// The form and the constants.
  var both: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(UInt64(form.count))
    return bytes + form + arguments
  }

  mutating func add(tag: UInt8) { form.append(tag) }
  mutating func add(count: Int) { form.appendNumber(UInt64(count)) }
  mutating func add(name: String) { form.appendText(name) }

  mutating func add(_ predicate: FetchPredicate) {
    switch predicate {
    case .all: add(tag: 1)
    case .none: add(tag: 2)
    case .comparison(let left, let comparison, let right):
      add(tag: 3)
      add(name: comparison.rawValue)
      add(left)
      add(right)
    case .relative(let expression, let comparison, let date):
      add(tag: 13)
      add(name: comparison.rawValue)
      add(name: date.identity)
      add(expression)
    case .between(let expression, let low, let high):
      add(tag: 4)
      add(expression)
      add(argument: low)
      add(argument: high)
    case .membership(let expression, let values):
      add(tag: 5)
      add(expression)
      arguments.appendNumber(UInt64(values.count))
      for value in values { add(argument: value) }
    case .identity(let set):
      add(tag: 6)
      arguments.appendNumber(UInt64(set.count))
      for key in set.keys {
        arguments.appendNumber(UInt64(key.parts.count))
        for part in key.parts { add(argument: part) }
      }
    case .text(let expression, let comparison, let sought, let caseInsensitive):
      add(tag: 7)
      add(name: comparison.rawValue)
      add(tag: caseInsensitive ? 1 : 0)
      add(expression)
      add(argument: .text(sought))
    case .isNull(let expression):
      add(tag: 8)
      add(expression)
    case .not(let inner):
      add(tag: 9)
      add(inner)
    case .and(let parts):
      add(tag: 10)
      add(parts)
    case .or(let parts):
      add(tag: 11)
      add(parts)
    case .quantified(let quantifier, let path, let inner):
      add(tag: 12)
      add(name: quantifier.rawValue)
      add(path)
      add(inner)
    }
  }

  /// Adds the relationships of an entity with their keys, without the content of their destinations.
  mutating func add(relationshipsOf entity: EntityDescription) {
    add(name: entity.name)
    add(count: entity.relationships.count)
    for relationship in entity.relationships {
      add(name: relationship.name)
      add(name: relationship.destination.name)
      switch relationship.kind {
      case .toOne(let columns):
        add(tag: 1)
        add(columns)
      case .toMany(let columns):
        add(tag: 2)
        add(columns)
      case .manyToMany(let link, let from, let to):
        add(tag: 3)
        add(name: link.entity.name)
        add(from)
        add(to)
      }
    }
  }

  private mutating func add(_ path: [String]) {
    add(count: path.count)
    for step in path { add(name: step) }
  }

  private mutating func add(_ parts: [FetchPredicate]) {
    add(count: parts.count)
    for part in parts { add(part) }
  }

  mutating func add(_ expression: FetchExpression) {
    switch expression {
    case .attribute(let name):
      add(tag: 1)
      add(name: name)
    case .objectKey: add(tag: 2)
    case .literal(let value):
      add(tag: 3)
      add(argument: value)
    case .prefix(let inner, let length):
      add(tag: 4)
      add(argument: .integer(Int64(length)))
      add(inner)
    case .lowercased(let inner):
      add(tag: 5)
      add(inner)
    case .uppercased(let inner):
      add(tag: 6)
      add(inner)
    case .length(let inner):
      add(tag: 7)
      add(inner)
    case .bucket(let inner, let width):
      add(tag: 8)
      add(argument: .integer(width))
      add(inner)
    case .ifNull(let inner, .literal(let value)):
      add(tag: 9)
      add(argument: value)
      add(inner)
    case .ifNull(let inner, let other):
      add(tag: 13)
      add(inner)
      add(other)
    case .transformed(let transform, let inner):
      add(tag: 12)
      add(name: transform.rawValue)
      add(inner)
    case .related(let path, let inner):
      add(tag: 10)
      add(path)
      add(inner)
    case .relatedAggregate(let path, let function, let inner, let predicate):
      add(tag: 11)
      add(path)
      add(name: function.rawValue)
      add(tag: inner == nil ? 0 : 1)
      if let inner { add(inner) }
      add(predicate)
    }
  }

  mutating func add(_ term: FetchSortDescriptor) {
    add(term.expression)
    add(tag: term.direction == .ascending ? 1 : 2)
    add(tag: term.nulls == .first ? 1 : 2)
  }

  mutating func add(_ source: SectionKey.Source) {
    switch source {
    case .expression(let expression, let order, let direction, let nulls):
      add(tag: order == nil ? 1 : 2)
      add(FetchSortDescriptor(expression, direction, nulls: nulls))
      if let order { add(order) }
    case .transient(let source, _):
      add(tag: 3)
      add(name: source)
    case .relationship(let sections):
      // The objects are read when the list is opened; its keys depend on the path and the direction alone.
      add(tag: 4)
      add(sections.path)
      add(tag: sections.isReversed ? 1 : 0)
    }
  }

  private mutating func add(argument value: Value) {
    switch value {
    case .null: arguments.append(1)
    case .integer(let number):
      arguments.append(2)
      arguments.appendWord(UInt64(bitPattern: number))
    case .real(let number):
      arguments.append(3)
      arguments.appendWord(number.bitPattern)
    case .text(let text):
      arguments.append(4)
      arguments.appendText(text)
    case .blob(let bytes):
      arguments.append(5)
      arguments.appendNumber(UInt64(bytes.count))
      arguments += bytes
    case .illFormedText(let text):
      arguments.append(6)
      arguments.appendNumber(UInt64(text.bytes.count))
      arguments += text.bytes
    }
  }
}

extension [UInt8] {
  /// Appends a number in as few bytes of seven bits as it needs (LEB128).
  mutating func appendNumber(_ number: UInt64) {
    var rest = number
    while rest >= 128 {
      append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends eight bytes, the least significant first.
  mutating func appendWord(_ word: UInt64) {
    Swift.withUnsafeBytes(of: word.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends a text's bytes after their number.
  mutating func appendText(_ text: String) {
    appendNumber(UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }
}
