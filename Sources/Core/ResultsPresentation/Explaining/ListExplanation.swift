import OrderStatistics
public import ResultsDomain

/// How a list is made and kept up to date, for whoever wonders what it costs (R89).
public struct ListExplanation: Hashable, Sendable {
  /// How the list came to what it shows.
  public enum Path: Hashable, Sendable {
    /// All keys were read.
    case fetched
    /// The keys came from the list's cache, as it is told.
    case cached(CacheOutcome)
    /// The commits that concern the list were placed, with so many deltas.
    case followed(deltas: Int)
    /// The keys were read again and compared, since the history has a gap.
    case readAgain(GapReason)
    /// The content before could not be led on, so all keys were read anew.
    case reset(ResultsResetReason)
  }

  /// Which rows are listed, in what order; the section's terms come first.
  public var definition: OrderDefinition
  /// How the store comes by the keys in that order.
  public var plan: QueryPlan
  /// Whose commits the store's history tells.
  public var coverage: StoreCapabilities.HistoryCoverage
  /// The number of rows that match.
  public var matchingCount: Int
  /// Where the list's keys are.
  public var keys: Keys
  /// How many bytes the list's keys, or the counts over their index, take in memory.
  public var keyBytes: Int
  /// How the list last came to what it shows; commits that did not concern it asked nothing.
  public var last: Account

  /// Where a list's keys are.
  public enum Keys: Hashable, Sendable {
    /// The list holds them all, for a reason.
    case held(HeldKeysReason)
    /// An index of the store has them; the list counts them in so many blocks and sections.
    case indexed(blocks: Int, sections: Int)
  }

  /// Why a list holds its keys.
  public enum HeldKeysReason: String, Hashable, Sendable {
    /// No index of the store is proved to have them in order.
    case noIndex
    /// They are few, or were when the list was fetched.
    case fewRows
    /// Commits of other writers are not told, so what an index had before could not be known.
    case untoldCommits
    /// Its members were fixed when it was fetched.
    case frozen
    /// Rows of a section may stand apart, or the end of a section is not known.
    case scatteredSections
  }

  /// How a list came to what it shows, and what that asked.
  public struct Account: Hashable, Sendable {
    /// How.
    public var path: Path
    /// What was asked of the store.
    public var work: ListWork
    /// How long it took.
    public var duration: Duration
  }
}

extension ListExplanation {
  /// The explanation, a line each, for a person to read.
  public var lines: [String] {
    let terms = definition.terms.map { "\($0.expression) \($0.direction.rawValue)" }
    var lines = [
      "entity     \(definition.entity.name)", "where      \(predicateText)",
      "order      \(terms.joined(separator: ", "))", "list       \(plan.source)",
    ]
    lines += plan.steps.map { "           \($0)" }
    if let remedy = plan.remedy { lines.append("would help \(remedy)") }
    lines.append("rows       \(matchingCount) match; \(keys), \(keyBytes) bytes")
    switch coverage {
    case .everyWriter: lines.append("changes    placed one by one, whoever made them")
    case .thisStore: lines.append("changes    own ones placed; others by reading again")
    }
    lines.append("last       \(lastPath), in \(last.duration.inMicroseconds) µs")
    let work = last.work
    lines.append(
      """
      asked      \(amount(work.queries, "query", "queries")), \(amount(work.keys, "key", "keys")), \
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

  private var lastPath: String {
    switch (last.path, keys) {
    case (.fetched, .indexed): "keys were counted over the index"
    case (.fetched, .held): "all keys were read"
    default: last.path.description
    }
  }

  /// The predicate in its text form; one that names thousands of objects is cut.
  private var predicateText: String {
    let text = definition.predicate.text(in: definition.entity)
    let most = 300
    return text.utf8.count > most ? "\(text.prefix(most))…" : text
  }
}

extension ListExplanation.Keys: CustomStringConvertible {
  /// A few words for a person.
  public var description: String {
    switch self {
    case .held(let reason): "their keys are held (\(reason))"
    case .indexed(let blocks, let sections):
      "counted over the index in \(blocks) \(blocks == 1 ? "block" : "blocks") and "
        + "\(sections) \(sections == 1 ? "section" : "sections")"
    }
  }
}

extension ListExplanation.HeldKeysReason: CustomStringConvertible {
  /// A few words for a person.
  public var description: String {
    switch self {
    case .noIndex: "no index has just them, in order"
    case .fewRows: "they are few"
    case .untoldCommits: "the store does not tell every commit"
    case .frozen: "its members are fixed"
    case .scatteredSections: "rows of a section may stand apart"
    }
  }
}

extension ListExplanation.Path: CustomStringConvertible {
  /// A few words for a person.
  public var description: String {
    switch self {
    case .fetched: "the keys were read, or counted over their index"
    case .cached(let outcome): "the keys came from the cache: \(outcome)"
    case .followed(let deltas): "commits were placed, \(deltas) \(deltas == 1 ? "delta" : "deltas")"
    case .readAgain(let reason): "all keys were read again (\(reason.rawValue))"
    case .reset(let reason): "all keys were read anew: \(reason)"
    }
  }
}

extension Duration {
  fileprivate var inMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}

/// What one piece of a list's work asked of the store.
public struct ListWork: Hashable, Sendable {
  /// How many times the store was asked for keys, rows, digests or counts.
  public var queries = 0
  /// Encoded keys that were read in order.
  public var keys = 0
  /// Rows whose values were read.
  public var rows = 0
  /// Digests of rows that were read.
  public var digests = 0

  /// Nothing was asked.
  public init() {}

  /// What was asked since an earlier count.
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
  /// How the list is made, how it is kept up to date, and what its last change asked of the store (R56, R89).
  /// - Returns: `nil` before the first fetch.
  /// - Throws: The store's error.
  /// - Complexity: The store plans a query; no key and no row is read.
  public func explain() async throws(StoreError) -> ListExplanation? {
    guard let (engine, account) = list.explained else { return nil }
    let definition = engine.plan.definition
    let (plan, hasIndex) = try await onStoreThreads { [store] () throws(StoreError) in
      try store.read { (snapshot) throws(StoreError) in
        (try snapshot.plan(of: definition), try snapshot.orderedSource(of: definition) != nil)
      }
    }
    return ListExplanation(
      definition: definition,
      plan: plan,
      coverage: store.capabilities.historyCoverage,
      matchingCount: engine.snapshot.matchingCount,
      keys: engine.whereKeysAre(hasIndex: hasIndex),
      keyBytes: engine.snapshot.keys.byteCount,
      last: account
    )
  }
}

extension ListEngine {
  /// Where the keys are, and why.
  fileprivate func whereKeysAre(hasIndex: Bool) -> ListExplanation.Keys {
    switch snapshot.keys {
    case .indexed(let keys):
      // The first block of sections stands before all of them.
      return .indexed(blocks: keys.blocks.blockCount, sections: keys.sections.blockCount - 1)
    case .held:
      if plan.isFrozen { return .held(.frozen) }
      guard hasIndex else { return .held(.noIndex) }
      guard let indexing else { return .held(.untoldCommits) }
      let isShort = snapshot.matchingCount <= max(0, indexing.heldKeysLimit)
      return .held(!isShort || plan.readsSectionsAnew ? .scatteredSections : .fewRows)
    }
  }
}

extension ListEngine.Progress {
  /// The way that was taken, or `nil` if nothing concerned the list.
  var path: ListExplanation.Path? {
    switch self {
    case .unmoved, .noted: nil
    case .moved(let steps):
      steps.lazy.compactMap(\.delta.repair).first.map { .readAgain($0) }
        ?? .followed(deltas: steps.count)
    case .reset(let reason): .reset(reason)
    }
  }
}

/// What counting parts of a list again has found (R56, R58).
public struct ListAudit: Hashable, Sendable {
  /// How many blocks were counted again; none if the list holds its keys.
  public var checkedBlocks = 0
  /// How many of them had another number of rows than the list had counted; the list was then counted anew, and told as a reset.
  public var unsoundBlocks = 0

  /// Nothing was counted again.
  public init() {}
}

extension FetchedResultsController {
  /// Brings the list up to date, and counts some of its blocks again if an index has its keys.
  ///
  /// Every commit is counted as it is told; a row that was written past everything that tells would go unseen. Where a block has another
  /// number of rows than was counted, the list is counted anew and told as a reset. It is done by itself in idle time too (`ResultsOptions.auditPeriod`).
  /// - Parameter blocks: How many blocks; each call takes others.
  /// - Returns: How many blocks were counted, and how many of them did not fit; none were if the list holds its keys.
  /// - Throws: The store's error, which subscribers are told too.
  /// - Complexity: O(*k* log *n*) for *k* blocks.
  @discardableResult
  public func audit(blocks: Int = 16) async throws(StoreError) -> ListAudit {
    let list = list
    return try await onStoreThreads { () throws(StoreError) in try list.audit(blocks: blocks) }
  }
}
