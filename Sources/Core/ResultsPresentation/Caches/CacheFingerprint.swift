import ResultsDomain

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

    var miss: CacheMiss {
      switch self {
      case .entity: .entity
      case .schema: .schema
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
    bytes[.schema] = CacheFingerprint.schema(of: plan.entity)
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
      writer.add(tag: attribute.isOptional ? 1 : 0)
    }
    return writer.form
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
