import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The rows of a list that were read with the values of a later version than that of their generation, since the store's history did not
/// say what they had been (R201).
///
/// So it is, too, where a store notices commits of other writers only when it checks: a version can have rows that the list has not seen, which
/// differ from its digests.
///
/// Such a value can be one that no generation has. So the list names these rows as updated when it has advanced to the version in which
/// they were read, and no composition takes that back.
///
/// The mutex guards `state`. Any thread that reads rows adds to it, and the scheduler's turn takes from it. Nothing is called while it is
/// held.
final class LateReads: Sendable {
  /// What a list has to name.
  struct Batch: Sendable {
    fileprivate(set) var keys: [ObjectKey: StoreVersion] = [:]
    /// Whether there were more rows than are noted one by one.
    fileprivate(set) var isWhole = false
    /// Why the history did not say what the rows had been.
    fileprivate(set) var reason = GapReason.trimmed

    var isEmpty: Bool { keys.isEmpty && !isWhole }

    /// Removes a row that the list has named.
    mutating func remove(_ key: ObjectKey) { keys[key] = nil }
  }

  private struct State: Sendable {
    var noted = Batch()
    /// The version that the list has reached, or is being advanced to.
    var reached: StoreVersion?
    /// The digests of the rows at that version, and the layout of their keys, where versions do not cover other writers.
    var content: (digests: DigestTable, layout: KeyLayout)?
  }

  /// The most rows that are noted one by one.
  static let limit = 1024

  private let number: Int
  private weak let scheduler: ListScheduler?
  private let state = Mutex(State())

  /// Creates the notes of a list.
  /// - Parameters:
  ///   - number: The list's number.
  ///   - scheduler: What advances it.
  init(ofList number: Int, _ scheduler: ListScheduler) {
    self.number = number
    self.scheduler = scheduler
  }
}

// MARK: - The reader's side

extension LateReads {
  /// Lets the list note the version that it is at, if it was not asked about the last commits, and ask it about the next.
  func settle() { scheduler?.withdraw(number) }

  /// The keys of those rows of a page that may have other values than their generation.
  func keysAhead(in page: RowPage) -> [ObjectKey] {
    guard page.gap == nil else { return page.keys }
    guard let content = state.withLock({ $0.content }) else { return [] }
    return page.rows.lazy.compactMap(\.self)
      .filter { row in
        !page.undone.contains(row.id.key) && content.digests.differs(from: row, content.layout)
      }
      .map(\.id.key)
  }

  /// Notes rows of a page.
  /// - Parameters:
  ///   - keys: The rows.
  ///   - page: The page.
  ///   - isLast: Whether the page will not be read again.
  /// - Returns: `false` if the list is past the page's version already, so that it must be read again.
  func note(_ keys: [ObjectKey], of page: RowPage, isLast: Bool) -> Bool {
    state.withLock { state in
      if !isLast, let reached = state.reached, reached.epoch == page.version.epoch,
        reached.sequence > page.version.sequence
      {
        return false
      }
      state.noted.add(keys, page.version, page.gap ?? .otherWriter)
      return true
    }
  }
}

extension LateReads.Batch {
  fileprivate mutating func add(
    _ added: [ObjectKey],
    _ version: StoreVersion,
    _ reason: GapReason
  ) {
    self.reason = reason
    guard !isWhole else { return }
    for key in added { keys[key] = version }
    guard keys.count > LateReads.limit else { return }
    (keys, isWhole) = ([:], true)
  }
}

// MARK: - The list's side

extension LateReads {
  /// Whether nothing is noted.
  var isEmpty: Bool { state.withLock { $0.noted.isEmpty } }

  /// Takes what the list has to name in a version that it is advanced to; rows that were read in a later one remain.
  func take(at version: StoreVersion) -> Batch {
    state.withLock { state in
      state.reached = version
      guard !state.noted.isEmpty else { return Batch() }
      var taken = state.noted
      state.noted = Batch()
      guard !taken.isWhole else { return taken }
      for (key, read) in taken.keys
      where read.epoch == version.epoch && read.sequence > version.sequence {
        taken.keys[key] = nil
        state.noted.keys[key] = read
        state.noted.reason = taken.reason
      }
      return taken
    }
  }

  /// Records the digests of the rows that the list has reached; `nil` where versions cover every writer.
  func setContent(_ digests: DigestTable?, _ layout: KeyLayout) {
    state.withLock { $0.content = digests.map { ($0, layout) } }
  }

  /// Gives back what was taken, since the list could not be advanced.
  func giveBack(_ batch: Batch) {
    guard !batch.isEmpty else { return }
    state.withLock { state in
      state.noted.isWhole = state.noted.isWhole || batch.isWhole
      state.noted.reason = batch.reason
      state.noted.keys =
        state.noted.isWhole ? [:] : state.noted.keys.merging(batch.keys) { first, _ in first }
    }
  }
}
