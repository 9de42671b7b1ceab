import ResultsDomain

/// Deltas in a row, composed only as far as keeps later work small.
///
/// Each part weighs more than twice as much as the next, so a row is composed about log *n* times, whatever the number of deltas:
/// one after the other, each step would walk through all before it. Composition is associative (R28), so any grouping will do.
struct DeltaChain: Sendable {
  private var parts: [ResultsDelta]
  /// How much was composed so far: the weights of all deltas that were joined with another.
  private(set) var work = 0

  /// A chain that begins with a delta.
  init(_ first: ResultsDelta) { parts = [first] }

  /// How much the parts weigh together.
  var weight: Int { parts.reduce(0) { $0 + DeltaChain.weight(of: $1) } }

  /// Whether all of it is known to come to nothing; a chain of several parts may still do so.
  var isEmpty: Bool { parts.count == 1 && parts.allSatisfy(\.isEmpty) }

  /// Adds the delta that follows.
  /// - Throws: `DeltaError` if it does not follow, or contradicts what is before it; the chain is of no use then.
  /// - Complexity: O(*c* log *c* log *n*), amortised, for *c* changes among *n*.
  mutating func append(_ next: ResultsDelta) throws(DeltaError) {
    if let last = parts.last, last.to != next.from {
      throw .outOfSync(expected: next.from, found: last.to)
    }
    parts.append(next)
    while parts.count > 1 {
      let (large, small) = (parts[parts.count - 2], parts[parts.count - 1])
      guard DeltaChain.weight(of: large) <= 2 * DeltaChain.weight(of: small) else { return }
      try joinLast()
    }
  }

  /// All of it as one delta, which may be empty.
  /// - Throws: `DeltaError` if the deltas contradict each other.
  /// - Complexity: O(*n* log *n*) in the changes the first time.
  mutating func composed() throws(DeltaError) -> ResultsDelta {
    while parts.count > 1 { try joinLast() }
    return parts[0]
  }

  private mutating func joinLast() throws(DeltaError) {
    let (large, small) = (parts[parts.count - 2], parts[parts.count - 1])
    work += DeltaChain.weight(of: large) + DeltaChain.weight(of: small)
    parts.removeLast(2)
    parts.append(try large.then(small))
  }

  /// A delta that names nothing counts too, so that no number of them fills the memory.
  private static func weight(of delta: ResultsDelta) -> Int {
    let sections = delta.sections
    return 1 + delta.rows.count + sections.deletes.count + sections.moves.count
      + sections.inserts.count + sections.updates.count
  }
}
