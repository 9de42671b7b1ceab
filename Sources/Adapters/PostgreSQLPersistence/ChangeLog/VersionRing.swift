#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// The versions of a store as this process counts them, and the commits between them.
///
/// PostgreSQL's commits have no numbers in the order in which they become visible. A version is a snapshot; the transactions that became
/// visible between two readings get consecutive numbers in the order of their last changes, which is an order in which they can have
/// been committed.
struct VersionRing: Sendable {
  /// The newest version, with which a reading begins.
  struct Base: Sendable {
    let epoch: UInt64
    /// Counts the changes of the ring, also those that make no version.
    fileprivate(set) var generation: UInt64
    fileprivate(set) var sequence: UInt64
    fileprivate(set) var mark: Mark

    /// The version.
    var version: StoreVersion { StoreVersion(epoch: epoch, sequence: sequence) }
  }

  /// A transaction that became visible.
  struct Transaction: Sendable {
    let number: UInt64
    let origin: CommitOrigin
    let isOwn: Bool
    /// The net changes by the index of the table.
    let changes: [Int: [CommittedChange]]
    /// The tables whose changes are not known.
    let gaps: [Int: GapReason]

    /// Whether it changed anything, so that it makes a version.
    var hasEffect: Bool { !changes.isEmpty || !gaps.isEmpty }
  }

  /// What lies between one version and the next.
  private struct Step: Sendable {
    let transaction: UInt64?
    let origin: CommitOrigin
    let isOwn: Bool
    let gaps: [Int: GapReason]
    /// The net changes, or `nil` if they are no longer in memory.
    var changes: [Int: [CommittedChange]]?
    let weight: Int
  }

  /// How many versions are known.
  private static let stepLimit = 100_000
  /// The number of the first version; those of bookmarks are below it.
  private static let start: UInt64 = 1 << 32

  /// How many changed rows are kept in memory.
  private let capacity: Int
  private(set) var present: Base
  /// The version before the first step.
  private var first = VersionRing.start
  private var steps: [Step] = []
  /// The first step whose changes are in memory, and their number of rows.
  private var firstKept = 0
  private var weight = 0
  /// The marks of the versions at which a reading ended, ascending.
  private var marks: [(sequence: UInt64, mark: Mark)]
  private var sequences: [UInt64: UInt64] = [:]
  /// All transactions that became visible, with the generation in which they did.
  private var visible: [(generation: UInt64, transaction: UInt64)] = []
  /// The oldest generation from which `visible` is complete.
  private var visibleSince: UInt64 = 0
  private var bookmarked: [(sequence: UInt64, mark: Mark)] = []

  /// A ring whose first version is a reading.
  init(epoch: UInt64, mark: Mark, capacity: Int) {
    self.capacity = capacity
    present = Base(epoch: epoch, generation: 0, sequence: VersionRing.start, mark: mark)
    marks = [(VersionRing.start, mark)]
  }

  /// The number of a transaction's version, or `nil` if it made none, or before the ring.
  func sequence(of transaction: UInt64) -> UInt64? { sequences[transaction] }

  /// Whether a transaction was visible before the oldest version that is known.
  func isBeforeFirst(_ transaction: UInt64) -> Bool {
    marks.first.map { !$0.mark.isFresh(transaction) } ?? true
  }

  /// The oldest version that is known.
  var oldest: UInt64 { first }
}

// MARK: - Admitting a reading

extension VersionRing {
  /// Gives a reading its version.
  /// - Parameters:
  ///   - base: What the ring's newest version was when the reading began.
  ///   - mark: The reading's mark.
  ///   - transactions: What became visible since the base, in order.
  ///   - gaps: Tables that changed in an unknown way.
  /// - Returns: `nil` if another reading was admitted meanwhile and this one lies within it; it must be repeated.
  mutating func admit(
    since base: Base,
    mark: Mark,
    _ transactions: [Transaction],
    gaps: [Int: GapReason]
  ) -> StoreVersion? {
    guard base.epoch == present.epoch else { return nil }
    var added = transactions[...]
    if base.generation != present.generation {
      guard base.generation >= visibleSince, gaps.isEmpty, !hasGap(since: base.sequence) else {
        return nil
      }
      let others = Set(visible.lazy.filter { $0.generation > base.generation }.map(\.transaction))
      let mine = Set(transactions.lazy.map(\.number))
      guard others.isSubset(of: mine) else {
        return earlierVersion(since: base, mine: mine, others: others)
      }
      added = transactions.filter { !others.contains($0.number) }[...]
    }
    let wasSequence = present.sequence
    present.generation += 1
    for transaction in added {
      visible.append((present.generation, transaction.number))
      guard transaction.hasEffect else { continue }
      append(
        Step(
          transaction: transaction.number,
          origin: transaction.origin,
          isOwn: transaction.isOwn,
          gaps: transaction.gaps,
          changes: transaction.changes,
          weight: transaction.changes.values.reduce(1) { $0 + $1.count }
        )
      )
    }
    if !gaps.isEmpty {
      append(
        Step(
          transaction: nil,
          origin: .unnamed,
          isOwn: false,
          gaps: gaps,
          changes: [:],
          weight: 1
        )
      )
    }
    present.mark = mark
    if present.sequence == wasSequence { marks.removeLast() }
    marks.append((present.sequence, mark))
    shorten()
    return present.version
  }

  /// The version of a reading that is older than the newest one, if it lies between two versions.
  private func earlierVersion(
    since base: Base,
    mine: Set<UInt64>,
    others: Set<UInt64>
  ) -> StoreVersion? {
    guard mine.isSubset(of: others) else { return nil }
    let numbers = mine.compactMap { sequences[$0] }
    let last = numbers.max() ?? base.sequence
    guard last == base.sequence + UInt64(numbers.count) else { return nil }
    return StoreVersion(epoch: base.epoch, sequence: last)
  }

  private func hasGap(since sequence: UInt64) -> Bool {
    guard sequence >= first else { return true }
    return steps[Int(sequence - first)...].contains { !$0.gaps.isEmpty }
  }

  private mutating func append(_ step: Step) {
    present.sequence += 1
    steps.append(step)
    if let transaction = step.transaction { sequences[transaction] = present.sequence }
    weight += step.weight
    while weight > capacity, firstKept < steps.count {
      weight -= steps[firstKept].weight
      steps[firstKept].changes = nil
      firstKept += 1
    }
  }

  /// Forgets the oldest versions when there are too many.
  private mutating func shorten() {
    if visible.count > 2 * VersionRing.stepLimit {
      let removed = visible.count - VersionRing.stepLimit
      visibleSince = visible[removed - 1].generation
      visible.removeFirst(removed)
    }
    guard steps.count > 2 * VersionRing.stepLimit else { return }
    let target = present.sequence - UInt64(VersionRing.stepLimit)
    guard let index = marks.firstIndex(where: { $0.sequence >= target }) else { return }
    let count = Int(marks[index].sequence - first)
    for step in steps[..<count] {
      if let transaction = step.transaction { sequences[transaction] = nil }
      if step.changes != nil { weight -= step.weight }
    }
    firstKept = max(0, firstKept - count)
    steps.removeFirst(count)
    first = marks[index].sequence
    marks.removeFirst(index)
  }
}

// MARK: - Looking back

extension VersionRing {
  /// What the ring knows about the commits between two versions.
  enum Past: Sendable {
    case records([CommitRecord])
    case gap(GapReason)
    /// The rows must be read from the log, as what is fresh for a mark.
    case fresh(Mark)
  }

  /// The commits to some tables between two versions.
  /// - Complexity: O(*k*) for *k* versions between the two.
  func past(since old: StoreVersion, through new: StoreVersion, ofTables tables: [Int]) -> Past {
    guard old.epoch == present.epoch, new.epoch == present.epoch, old.sequence <= new.sequence
    else { return .gap(.otherEpoch) }
    guard old.sequence >= first else {
      guard old.sequence < VersionRing.start else { return .gap(.trimmed) }
      guard let mark = mark(of: old.sequence) else { return .gap(.otherEpoch) }
      // The gaps of the versions that were forgotten are forgotten too.
      guard first == VersionRing.start else { return .gap(.trimmed) }
      return gap(from: first, through: new.sequence, ofTables: tables) ?? .fresh(mark)
    }
    if let gap = gap(from: old.sequence, through: new.sequence, ofTables: tables) { return gap }
    var records: [CommitRecord] = []
    for sequence in old.sequence..<new.sequence {
      let step = steps[Int(sequence - first)]
      guard let changes = step.changes else {
        return mark(of: old.sequence).map { .fresh($0) } ?? .gap(.trimmed)
      }
      let wanted = tables.flatMap { changes[$0] ?? [] }
      guard !wanted.isEmpty else { continue }
      records.append(
        CommitRecord(
          version: StoreVersion(epoch: present.epoch, sequence: sequence + 1),
          origin: step.origin,
          isOwn: step.isOwn,
          changes: wanted
        )
      )
    }
    return .records(records)
  }

  private func gap(from old: UInt64, through new: UInt64, ofTables tables: [Int]) -> Past? {
    guard old < new else { return nil }
    for step in steps[Int(old - first)..<Int(new - first)] where !step.gaps.isEmpty {
      for table in tables {
        if let reason = step.gaps[table] { return .gap(reason) }
      }
    }
    return nil
  }

  /// The mark of a version.
  func mark(of sequence: UInt64) -> Mark? {
    guard sequence >= first else { return bookmarked.last { $0.sequence == sequence }?.mark }
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    guard low < marks.count else { return nil }
    let (end, mark) = marks[low]
    guard end > sequence else { return mark }
    return mark.without(steps[Int(sequence - first)..<Int(end - first)].compactMap(\.transaction))
  }

  /// A version for a mark that a bookmark contains.
  mutating func version(of mark: Mark) -> StoreVersion {
    if let known = bookmarked.last(where: { $0.mark == mark }) {
      return StoreVersion(epoch: present.epoch, sequence: known.sequence)
    }
    let sequence = (bookmarked.last?.sequence ?? VersionRing.start) - 1
    bookmarked.append((sequence, mark))
    return StoreVersion(epoch: present.epoch, sequence: sequence)
  }
}
#endif
