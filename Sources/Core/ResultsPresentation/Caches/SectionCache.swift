import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The cached content of a list: its keys at one version of a store, or their counts over an index, with the list's fingerprint.
///
/// Sections, positions and identities follow from the keys, and titles from the definition, so neither can be stale.
struct SectionCache {
  /// The list and version of a cache, which are read and checked before its keys.
  struct Header {
    /// The definition in words, for reports.
    var summary: String
    var fingerprint: CacheFingerprint
    var bookmark: StoreBookmark
    /// The number of keys.
    var keyCount: Int
  }

  var header: Header
  /// The keys of all rows that match, as the store orders and encodes them.
  var keys: CachedKeys

  init(header: Header, keys: CachedKeys) {
    self.header = header
    self.keys = keys
  }

  /// Creates the cache of a list, or returns `nil` if the list has no bookmark or is damaged.
  init?(_ engine: ListEngine) {
    guard engine.plan.isCacheable, !engine.snapshot.keys.isDamaged,
      let bookmark = engine.bookmark
    else { return nil }
    switch engine.snapshot.keys {
    case .held(let shown): keys = .held(engine.storeKeys ?? shown)
    case .indexed(let indexed): keys = .counted(indexed.blocks, sections: indexed.sections)
    }
    header = Header(
      summary: engine.plan.summary,
      fingerprint: CacheFingerprint(engine.plan),
      bookmark: bookmark,
      keyCount: keys.count
    )
  }
}

extension ListPlan {
  /// Whether the list can be cached; a frozen one depends on the time of its first fetch.
  var isCacheable: Bool { cacheName != nil && !isFrozen }

  /// The definition in words: entity, predicate, sections and order.
  var summary: String {
    var words = entity.name
    let definition = storeDefinition
    if definition.predicate != .all {
      // The text of a fixed set of a million identities would be as long as the cache.
      let isLong = definition.predicate.constantCount > 20
      let predicate = definition.predicate
      words += isLong ? " where …" : " where \(predicate.text(in: definition.entity))"
    }
    let names = definition.terms.map { term in
      (term.direction == .descending ? "-" : "") + term.expression.description
    }
    words += " sorted by \(names.joined(separator: ","))"
    switch sectionKey?.source {
    case .none: break
    case .expression(let expression, _, _, _): words += " in sections by \(expression)"
    case .transient(let source, let grouping):
      words += " in sections by \(source) (\(grouping.groupingIdentity))"
    case .relationship(let sections):
      words += " in sections by the objects of \(sections.path.joined(separator: "."))"
    }
    return words
  }
}

extension FetchPredicate {
  /// Roughly the number of constants, to distinguish a short text from a long one.
  fileprivate var constantCount: Int {
    switch self {
    case .all, .none, .isNull: 0
    case .comparison, .relative, .text: 1
    case .between: 2
    case .membership(_, let values): values.count
    case .identity(let set): set.count
    case .not(let inner), .quantified(_, _, let inner): inner.constantCount
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.constantCount }
    }
  }
}

/// The keys in a cache: all of them, or their counts over an index of the store.
enum CachedKeys {
  case held(SortedKeyList)
  case counted(PivotTree, sections: PivotTree)

  static let heldForm: UInt64 = 1
  static let countedForm: UInt64 = 2

  /// The number of the form in the file format.
  var form: UInt64 {
    switch self {
    case .held: CachedKeys.heldForm
    case .counted: CachedKeys.countedForm
    }
  }

  /// Whether the keys are only counted.
  var isCounted: Bool { form == CachedKeys.countedForm }

  /// Whether a part of the cache that they were read from turned out to be damaged.
  var isDamaged: Bool {
    if case .counted(let blocks, _) = self { blocks.isDamaged } else { false }
  }

  /// The number of keys.
  var count: Int {
    switch self {
    case .held(let keys): keys.count
    case .counted(let blocks, _): blocks.rowCount
    }
  }
}
