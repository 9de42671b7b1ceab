import ResultsDomain

/// Consecutive deltas, composed just enough to bound the work of composing the rest.
///
/// Each part weighs more than twice as much as the next, so a change is composed about log *n* times, whatever the number of deltas.
/// Composing one after the other would walk through all earlier changes each time. Composition is associative (R28), so any grouping
/// gives the same delta.
struct DeltaChain: Sendable {
  private var parts: [ResultsDelta]
  /// The work done so far: the weights of all deltas that were composed with another.
  private(set) var work = 0

  /// Creates a chain that begins with a delta.
  init(_ first: ResultsDelta) { parts = [first] }

  /// The total weight of the parts.
  var weight: Int { parts.reduce(0) { $0 + DeltaChain.weight(of: $1) } }

  /// Whether the chain is known to be empty; several parts may still cancel each other out.
  var isEmpty: Bool { parts.count == 1 && parts.allSatisfy(\.isEmpty) }

  /// Appends the delta that follows.
  /// - Throws: `DeltaError` if it does not follow, or contradicts the earlier ones; the chain must not be used then.
  /// - Complexity: O(*c* log *c* log *n*), amortised, for *c* changes among *n*.
  mutating func append(_ next: ResultsDelta) throws(DeltaError) {
    if let last = parts.last, last.to != next.from {
      throw .outOfSync(expected: next.from, found: last.to)
    }
    parts.append(next)
    while parts.count > 1 {
      let (large, small) = (parts[parts.count - 2], parts[parts.count - 1])
      guard DeltaChain.weight(of: large) <= 2 * DeltaChain.weight(of: small) else { return }
      try composeLast()
    }
  }

  /// Composes the whole chain into one delta, which may be empty.
  /// - Throws: `DeltaError` if the deltas contradict each other.
  /// - Complexity: O(*n* log *n*) in the changes the first time.
  mutating func composed() throws(DeltaError) -> ResultsDelta {
    while parts.count > 1 { try composeLast() }
    return parts[0]
  }

  private mutating func composeLast() throws(DeltaError) {
    let (large, small) = (parts[parts.count - 2], parts[parts.count - 1])
    work += DeltaChain.weight(of: large) + DeltaChain.weight(of: small)
    parts.removeLast(2)
    parts.append(try large.then(small))
  }

  /// An empty delta counts too, so that no number of them fills the memory.
  private static func weight(of delta: ResultsDelta) -> Int {
    let sections = delta.sections
    return 1 + delta.rows.count + sections.deletes.count + sections.moves.count
      + sections.inserts.count + sections.updates.count
  }
}
