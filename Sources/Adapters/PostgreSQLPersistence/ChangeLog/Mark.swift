#if PostgreSQL
/// Which transactions of the log a reading saw: the difference of two marks is what was committed between them.
///
/// A transaction is fresh for a mark if it is at or above `bound` and not in `seen`, or if it is in `unseen`. On a primary the bound is the
/// snapshot's xmax, and `unseen` are the transactions that ran. A hot standby's snapshots do not name those, so there the bound is xmin,
/// and `seen` are the transactions of the log above it that were visible.
struct Mark: Hashable, Sendable {
  /// The number from which transactions are fresh.
  private(set) var bound: UInt64
  /// The fresh transactions below the bound, ascending.
  private(set) var unseen: [UInt64]
  /// The transactions at or above the bound that are not fresh, ascending.
  private(set) var seen: [UInt64]

  /// Creates a mark.
  init(bound: UInt64, unseen: [UInt64], seen: [UInt64]) {
    self.bound = bound
    self.unseen = unseen.sorted()
    self.seen = seen.sorted()
  }

  /// The mark of a primary's snapshot.
  static func running(_ snapshot: SnapshotText) -> Mark {
    Mark(bound: snapshot.xmax, unseen: snapshot.running, seen: [])
  }

  /// The mark of a standby's snapshot, in which these transactions of the log at or above xmin are visible.
  static func seen(_ snapshot: SnapshotText, visible: [UInt64]) -> Mark {
    Mark(bound: snapshot.xmin, unseen: [], seen: visible)
  }

  /// The least number that can be fresh: the log must be complete from here on.
  var floor: UInt64 { min(unseen.first ?? bound, bound) }

  /// Whether a transaction of the log was not visible.
  func isFresh(_ transaction: UInt64) -> Bool {
    transaction >= bound
      ? !seen.contains(sorted: transaction) : unseen.contains(sorted: transaction)
  }

  /// The mark of a reading that did not see some transactions either.
  func without(_ transactions: [UInt64]) -> Mark {
    let hidden = Set(transactions)
    return Mark(
      bound: bound,
      unseen: Array(Set(unseen).union(hidden.filter { $0 < bound })),
      seen: seen.filter { !hidden.contains($0) }
    )
  }

  /// The parameters of the statements that read what is fresh: the bound, the unseen, and the seen transactions.
  var parameters: [Parameter] {
    [.transaction(bound), .transactions(unseen), .transactions(seen)]
  }
}

extension Mark {
  /// The mark as numbers, for a bookmark.
  var numbers: [UInt64] { [bound, UInt64(unseen.count)] + unseen + seen }

  /// Reads the numbers of a bookmark, or returns `nil` if they are no mark.
  init?(numbers: ArraySlice<UInt64>) {
    guard numbers.count >= 2, let bound = numbers.first else { return nil }
    let rest = numbers.dropFirst(2)
    guard let count = Int(exactly: numbers[numbers.startIndex + 1]), count <= rest.count else {
      return nil
    }
    let (unseen, seen) = (rest.prefix(count), rest.dropFirst(count))
    guard unseen.allSatisfy({ $0 < bound }), seen.allSatisfy({ $0 >= bound }) else { return nil }
    self.init(bound: bound, unseen: Array(unseen), seen: Array(seen))
  }
}

/// A snapshot as the server writes it: `xmin:xmax:running,running,…` (the manual, 9.26).
struct SnapshotText: Hashable, Sendable {
  let xmin: UInt64
  let xmax: UInt64
  let running: [UInt64]

  /// Parses a snapshot, or returns `nil` for another text.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let xmin = UInt64(parts[0]), let xmax = UInt64(parts[1]) else {
      return nil
    }
    let names = parts[2].split(separator: ",")
    let running = names.compactMap { UInt64($0) }
    guard running.count == names.count else { return nil }
    (self.xmin, self.xmax, self.running) = (xmin, xmax, running)
  }
}

extension [UInt64] {
  /// Whether an ascending array contains a number.
  fileprivate func contains(sorted number: UInt64) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == number
  }
}
#endif
