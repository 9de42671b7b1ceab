import OrderStatistics
public import ResultsDomain
public import ResultsStoreKit

/// How a list is fetched and kept up to date, and what that costs (R89).
public struct ListExplanation: Hashable, Sendable {
  /// The way in which the list reached its present content.
  public enum Path: Hashable, Sendable {
    /// All keys were read.
    case fetched
    /// The list has a cache name; the outcome says whether the keys were read from the cache.
    case cached(CacheOutcome)
    /// The commits that concern the list were applied, with this number of deltas.
    case followed(deltas: Int)
    /// The keys were read again and compared, since the history has a gap.
    case readAgain(GapReason)
    /// No delta from the content before is known, so the list was fetched again.
    case reset(ResultsResetReason)
    /// Another window of the same keys was shown (R76).
    case windowMoved
    /// Other limits of sections were applied to the same keys (R79).
    case limitsMoved
    /// The list was advanced in time (R15).
    case timePassed
  }

  /// The rows of the list and their order, with the section's terms first.
  public var definition: OrderDefinition
  /// The store's plan for reading the keys in that order.
  public var plan: QueryPlan
  /// The writers whose commits the store's history contains.
  public var coverage: StoreCapabilities.HistoryCoverage
  /// Why the list is compared although the database has a change log (`StoreCapabilities.captureProblems`).
  public var captureProblems: [String] = []
  /// The number of rows that match.
  public var matchingCount: Int
  /// How the list shows its sections.
  public var arrangement = SectionArrangement.none
  /// The objects that are the list's sections, and their order; `nil` for other sections (R106).
  public var sectionObjects: OrderDefinition?
  /// The number of those objects, with or without rows.
  public var sectionObjectCount = 0
  /// The number of groups of sections, or `nil` for a list without groups (R11).
  public var groupCount: Int?
  /// Where the list's keys are.
  public var keys: Keys
  /// The size of the list's keys, or of the counts over their index, in bytes of memory.
  public var keyBytes: Int
  /// The last change of the list; commits that do not concern it need no query.
  public var last: Account

  /// Where a list's keys are.
  public enum Keys: Hashable, Sendable {
    /// The list holds them all in memory, for a reason.
    case held(HeldKeysReason)
    /// An index of the store has them; the list counts them in this number of blocks and sections.
    case indexed(blocks: Int, sections: Int)
  }

  /// Why a list holds its keys.
  public enum HeldKeysReason: String, Hashable, Sendable {
    /// No index of the store is proved to have them in order.
    case noIndex
    /// They are few, or were when the list was fetched.
    case fewRows
    /// The store's history omits commits of other writers, so the earlier content of an index would not be known.
    case unreportedCommits
    /// Its members were fixed when it was fetched.
    case frozen
    /// Rows of a section may stand apart, or the end of a section is not known.
    case scatteredSections
    /// Its condition follows the clock (R15).
    case followsClock
  }

  /// One change of a list, and what it cost.
  public struct Account: Hashable, Sendable {
    /// The way in which the list changed.
    public var path: Path
    /// The queries of the store.
    public var work: ListWork
    /// The time that it took.
    public var duration: Duration
  }
}

extension ListExplanation {
  /// The explanation as lines of text.
  public var lines: [String] {
    let terms = definition.terms.map { "\($0.expression) \($0.direction.rawValue)" }
    var lines = [
      "entity     \(definition.entity.name)", "where      \(predicateText)",
      "order      \(terms.joined(separator: ", "))", "list       \(plan.source)",
    ]
    lines += plan.steps.map { "           \($0)" }
    lines += plan.relationships.map { "relation   \($0)" }
    if let remedy = plan.remedy { lines.append("would help \(remedy)") }
    lines.append("rows       \(matchingCount) match; \(keys); \(keyBytes) bytes of memory")
    if let sectionObjects {
      lines.append(
        "sections   \(amount(sectionObjectCount, "object", "objects")) of \(words(for: sectionObjects))"
      )
    }
    if let words = arrangement.explanation { lines.append("sections   \(words)") }
    if let groupCount {
      lines.append("groups     \(amount(groupCount, "group of sections", "groups of sections"))")
    }
    switch coverage {
    case .everyWriter:
      lines.append("changes    the commits of every program are applied one by one")
    case .thisStore:
      lines.append(
        "changes    the commits of this process are applied one by one; for others the list is read again"
      )
    }
    lines += captureProblems.map { "compared   \($0)" }
    lines.append("last       \(lastPath), in \(last.duration.inMicroseconds) µs")
    let work = last.work
    lines.append(
      """
      queries    \(amount(work.queries, "query", "queries")), \(amount(work.keys, "key", "keys")), \
      \(amount(work.rows, "row", "rows")), \(amount(work.digests, "digest", "digests"))
      """
    )
    return lines
  }
}

extension ListExplanation {
  private func amount(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }

  /// The objects of an order in words.
  private func words(for order: OrderDefinition) -> String {
    let terms = order.terms.map { "\($0.expression) \($0.direction.rawValue)" }
    let condition =
      order.predicate == .all ? "" : " where \(order.predicate.text(in: order.entity))"
    return "\(order.entity.name)\(condition), by \(terms.joined(separator: ", "))"
  }

  private var lastPath: String {
    switch (last.path, keys) {
    case (.fetched, .indexed): "keys were counted over the index"
    case (.fetched, .held): "all keys were read"
    default: last.path.description
    }
  }

  /// The predicate in its text form, truncated where it names thousands of objects.
  private var predicateText: String {
    let text = definition.predicate.text(in: definition.entity)
    let most = 300
    return text.utf8.count > most ? "\(text.prefix(most))…" : text
  }
}

extension SectionArrangement {
  /// The arrangement in words, or `nil` where sections are shown as the keys have them.
  fileprivate var explanation: String? {
    var parts: [String] = []
    if !fixed.isEmpty || others == .hidden {
      parts.append("\(fixed.count) fixed, others \(others.rawValue)")
    }
    if let all = limits.all { parts.append("\(all) \(all == 1 ? "row" : "rows") of each") }
    if !limits.overrides.isEmpty {
      parts.append("limits of \(limits.overrides.count) by themselves")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}

extension ListExplanation.Keys: CustomStringConvertible {
  /// A short description.
  public var description: String {
    switch self {
    case .held(let reason): "the list holds their keys, since \(reason)"
    case .indexed(let blocks, let sections):
      "counted over the index in \(blocks) \(blocks == 1 ? "block" : "blocks") and "
        + "\(sections) \(sections == 1 ? "section" : "sections")"
    }
  }
}

extension ListExplanation.HeldKeysReason: CustomStringConvertible {
  /// A clause.
  public var description: String {
    switch self {
    case .noIndex: "no index has exactly these rows in this order"
    case .fewRows: "they are few"
    case .unreportedCommits: "the store does not report every commit"
    case .frozen: "its members are fixed"
    case .scatteredSections: "rows of a section may stand apart"
    case .followsClock: "the condition follows the clock"
    }
  }
}

extension ListExplanation.Path: CustomStringConvertible {
  /// A short description.
  public var description: String {
    switch self {
    case .fetched: "the keys were read, or counted over their index"
    case .cached(let outcome): "opened with a cache: \(outcome)"
    case .followed(let deltas):
      "commits were applied, \(deltas) \(deltas == 1 ? "delta" : "deltas")"
    case .readAgain(let reason): "all keys were read again (\(reason.rawValue))"
    case .reset(let reason): "the list was fetched again: \(reason)"
    case .windowMoved: "another window of the same keys is shown"
    case .limitsMoved: "other limits of sections are applied to the same keys"
    case .timePassed: "the list was advanced in time"
    }
  }
}

extension Duration {
  fileprivate var inMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}

/// The queries of the store that one change of a list needed.
public struct ListWork: Hashable, Sendable {
  /// The number of queries for keys, rows, digests or counts.
  public var queries = 0
  /// The number of encoded keys read in order.
  public var keys = 0
  /// The number of rows whose values were read.
  public var rows = 0
  /// The number of row digests read.
  public var digests = 0

  /// Creates an empty count.
  public init() {}

  /// The work since an earlier count.
  func since(_ earlier: ListWork) -> ListWork {
    var work = self
    work.queries -= earlier.queries
    work.keys -= earlier.keys
    work.rows -= earlier.rows
    work.digests -= earlier.digests
    return work
  }
}

extension FetchedResultsController {
  /// The size of the list's keys, or of the counts over their index, in bytes of memory; 0 before the first fetch.
  package var keyBytes: Int { list.engine?.snapshot.keys.byteCount ?? 0 }

  /// Explains how the list is fetched and kept up to date, and what its last change cost (R56, R89).
  /// - Returns: `nil` before the first fetch.
  /// - Throws: The store's error.
  /// - Complexity: The store plans a query; no key and no row is read.
  public func explain() async throws(StoreError) -> ListExplanation? {
    guard let (engine, account) = list.explained else { return nil }
    let compiled = engine.plan
    let (plan, hasIndex) = try await onStoreThreads { [store] () throws(StoreError) in
      try store.read { (store) throws(StoreError) in
        let snapshot = compiled.view(store)
        var plan = try snapshot.plan(of: compiled.definition)
        if let shown = compiled.relations?.shownDefinition {
          // The plan of a list names the relationships of its order and its condition alone.
          plan.relationships = try store.plan(of: shown).relationships
        }
        return (plan, try snapshot.orderedSource(of: compiled.definition) != nil)
      }
    }
    let capabilities = store.capabilities
    var explanation = ListExplanation(
      definition: compiled.storeDefinition,
      plan: plan,
      coverage: capabilities.historyCoverage,
      captureProblems: capabilities.captureProblems,
      matchingCount: engine.snapshot.matchingCount,
      arrangement: compiled.arrangement?.arrangement ?? .none,
      keys: engine.keysExplanation(hasIndex: hasIndex),
      keyBytes: engine.snapshot.keys.byteCount,
      last: account
    )
    explanation.sectionObjects = compiled.objects?.matching.storeDefinition
    explanation.sectionObjectCount = engine.sectionObjects?.objects.keys.count ?? 0
    explanation.groupCount = compiled.groups.map { _ in engine.shown.groupCount }
    return explanation
  }
}

extension ListEngine {
  /// Where the keys are, and why.
  fileprivate func keysExplanation(hasIndex: Bool) -> ListExplanation.Keys {
    switch snapshot.keys {
    case .indexed(let keys):
      // The first block of sections stands before all of them.
      return .indexed(blocks: keys.blocks.blockCount, sections: keys.sections.blockCount - 1)
    case .held:
      if plan.isFrozen { return .held(.frozen) }
      if plan.clock?.comparisons.isEmpty == false { return .held(.followsClock) }
      guard hasIndex else { return .held(.noIndex) }
      guard let indexing, indexing.reportsEveryCommit else { return .held(.unreportedCommits) }
      let isShort = snapshot.matchingCount <= max(0, indexing.inMemoryKeyLimit)
      return .held(!isShort || plan.numbersSections ? .scatteredSections : .fewRows)
    }
  }
}

extension ListEngine.Progress {
  /// The way in which the list changed, or `nil` if no commit concerned it.
  var path: ListExplanation.Path? {
    switch self {
    case .unchanged: nil
    case .moved(let steps):
      steps.lazy.compactMap(\.delta.repair).first.map { .readAgain($0) }
        ?? .followed(deltas: steps.count)
    case .reset(let reason): .reset(reason)
    }
  }

  /// Whether the list was fetched again.
  var isReset: Bool { if case .reset = self { true } else { false } }
}

/// The findings of counting parts of a list again (R56, R58).
public struct ListAudit: Hashable, Sendable {
  /// The number of blocks counted again; 0 if the list holds its keys.
  public var checkedBlocks = 0
  /// The number of those with another row count than the list had; if there are any, the whole list is counted again and published as a reset.
  public var unsoundBlocks = 0

  /// Creates empty findings.
  public init() {}
}

extension FetchedResultsController {
  /// Brings the list up to date, and counts some of its blocks again if an index has its keys.
  ///
  /// A list counts every commit in the store's history; an audit finds rows that were written past the history. If a block has another
  /// number of rows than was counted, the list is counted again and published as a reset. Idle lists are audited automatically too
  /// (`ResultsOptions.auditPeriod`).
  /// - Parameter blocks: The number of blocks; each call takes others.
  /// - Returns: The number of blocks counted, and of those that did not fit; none if the list holds its keys.
  /// - Throws: The store's error, which is published to subscribers too.
  /// - Complexity: O(*k* log *n*) for *k* blocks.
  @discardableResult
  public func audit(blocks: Int = 16) async throws(StoreError) -> ListAudit {
    let list = list
    return try await onStoreThreads { () throws(StoreError) in try list.audit(blocks: blocks) }
  }
}
