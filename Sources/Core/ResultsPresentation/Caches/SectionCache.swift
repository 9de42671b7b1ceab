import OrderStatistics
import ResultsDomain

/// What is kept of a list: its keys at one version of a store, or their counts over an index, and what they are of.
///
/// Sections, positions and identities follow from the keys, titles from the definition; so neither can be stale.
struct SectionCache {
  /// What a cache is of: read and checked before its keys are.
  struct Header {
    /// The entity and the rest of the definition in words, for people.
    var summary: String
    var fingerprint: CacheFingerprint
    var bookmark: StoreBookmark
    /// The number of keys.
    var keyCount: Int
  }

  var header: Header
  /// The keys of all rows that match, in the order and form of the store.
  var keys: CachedKeys

  init(header: Header, keys: CachedKeys) {
    self.header = header
    self.keys = keys
  }

  /// What is to be kept of a list, or `nil` if its store cannot name the version.
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
  /// Whether a cache can stand for the list: a frozen one depends on when it was first fetched.
  var isCacheable: Bool { cacheName != nil && !isFrozen }

  /// The definition in words: entity, predicate, sections and order.
  var summary: String {
    var words = entity.name
    if definition.predicate != .all {
      // The text of a fixed set of a million identities would be as long as the cache.
      let isLong = definition.predicate.constantCount > 20
      words += isLong ? " where …" : " where \(definition.predicate.text(in: entity))"
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
    }
    return words
  }
}

extension FetchPredicate {
  /// How many constants it has, roughly: enough to tell a short text from a long one.
  fileprivate var constantCount: Int {
    switch self {
    case .all, .none, .isNull: 0
    case .comparison, .text: 1
    case .between: 2
    case .membership(_, let values): values.count
    case .identity(let set): set.count
    case .not(let inner): inner.constantCount
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.constantCount }
    }
  }
}
