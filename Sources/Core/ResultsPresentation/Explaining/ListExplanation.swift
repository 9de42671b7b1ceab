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
  /// How many bytes the list's keys take in memory.
  public var keyBytes: Int
  /// How the list last came to what it shows; commits that did not concern it asked nothing.
  public var last: Account

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
      "order      \(terms.joined(separator: ", "))", "keys       \(plan.source)",
    ]
    lines += plan.steps.map { "           \($0)" }
    if let remedy = plan.remedy { lines.append("would help \(remedy)") }
    lines.append("rows       \(matchingCount) match; their keys take \(keyBytes) bytes")
    switch coverage {
    case .everyWriter: lines.append("changes    placed one by one, whoever made them")
    case .thisStore: lines.append("changes    own ones placed; others by reading again")
    }
    lines.append("last       \(last.path), in \(last.duration.inMicroseconds) µs")
    let work = last.work
    lines.append(
      """
      asked      \(work.queries) queries, \(work.keys) keys, \(work.rows) rows, \
      \(work.digests) digests
      """
    )
    return lines
  }
}

extension ListExplanation {
  /// The predicate in its text form; one that names thousands of objects is cut.
  private var predicateText: String {
    let text = definition.predicate.text(in: definition.entity)
    let most = 300
    return text.utf8.count > most ? "\(text.prefix(most))…" : text
  }
}

extension ListExplanation.Path: CustomStringConvertible {
  /// A few words for a person.
  public var description: String {
    switch self {
    case .fetched: "all keys were read"
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
