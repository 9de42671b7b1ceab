public import ResultsDomain
import Synchronization

/// Edits over a store that are not committed yet, as a store of their own (R109, R110).
///
/// Lists over a draft show the base's rows with its edits, in their order and sections, and follow the base's commits. Nothing reaches the
/// base before `commit(origin:)`, which writes all edits in one transaction; `discard()` drops them.
///
/// ```swift
/// let draft = DraftStore(over: store)
/// try await draft.write { transaction in
///   guard var book = try transaction.object(.integer(7), as: Book.self) else { return }
///   book.title = "帰還"
///   try transaction.update(book)
/// }
/// for edit in draft.edits { draw("\(edit.id): \(edit.state)") }
/// try await draft.commit(origin: CommitOrigin("editor"))
/// ```
///
/// When the base changes a row that the draft changes, attributes that only one side changed are merged. An attribute that both changed to
/// different values is a conflict, and so is a row that one side deleted and the other changed: lists show the draft's row, and `commit`
/// is refused until `keepMine(_:)` or `takeTheirs(_:)` decides. A new row without a key gets a negative one until it is committed.
///
/// Lists over a draft hold their keys in memory, since no index has them. A draft can be used from any thread; it
/// ends with the object, and what was not committed is lost then.
public final class DraftStore: Store {
  let core: DraftCore
  private let observation: Task<Void, Never>

  /// Creates an empty draft.
  /// - Parameters:
  ///   - base: The store that the edits are over. The draft observes it, and does not close it.
  ///   - historyCapacity: The number of changed rows in the draft's history, with each commit counted as one more; older ones appear
  ///     as a gap.
  public init(over base: any Store, historyCapacity: Int = 65_536) {
    // Versions of two drafts must never be taken for each other's, so no generator of the caller is used.
    var generator = SystemRandomNumberGenerator()
    let core = DraftCore(base, epoch: generator.next(), historyCapacity: historyCapacity)
    self.core = core
    let notifications = base.commitNotifications()
    observation = Task(executorPreference: base.executor) { [weak core] in
      for await _ in notifications {
        guard !Task.isCancelled, let core else { return }
        core.followBase()
      }
      // The base was closed, so lists over the draft end.
      if !Task.isCancelled { _ = core?.broadcaster.close() }
    }
  }

  deinit { end() }

  /// The store that the edits are over.
  public var base: any Store { core.base }
  /// The base's name, marked as a draft, and a unique name.
  public var identity: StoreIdentity { core.identity }
  /// The base's entities.
  public var entities: [EntityDescription] { core.entities }
  /// The base's executor.
  public var executor: (any TaskExecutor)? { core.base.executor }

  /// The base's, but the content is not durable, can be written, and new rows have negative keys.
  public var capabilities: StoreCapabilities {
    var capabilities = core.base.capabilities
    capabilities.isDurable = false
    capabilities.isReadOnly = false
    capabilities.answersPaths = false
    capabilities.assignsLargestKeyPlusOne = false
    capabilities.mayRepeatTransactions = false
    return capabilities
  }

  /// A stream of notifications that the base or the draft may have changed.
  public func commitNotifications() -> AsyncStream<Void> {
    core.broadcaster.commitNotifications()
  }

  /// Checks the base for commits of other writers, and merges what it has committed.
  public func checkForExternalChanges() throws(StoreError) {
    try core.checkOpen()
    try core.base.checkForExternalChanges()
    try core.read { (_, _) throws(StoreError) in }
    core.broadcaster.notify()
  }

  /// Ends the streams of notifications and makes later reads and writes fail; the base stays open, and the edits stay readable.
  public func close() throws(StoreError) { end() }

  private func end() {
    observation.cancel()
    _ = core.broadcaster.close()
    _ = core.editBroadcaster.close()
  }
}

extension DraftStore {
  /// Runs a closure with a snapshot of the base under the draft's edits.
  public func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try core.read { (base, view) throws(StoreError) in
      let snapshot = DraftSnapshot(base, view, of: core)
      defer { snapshot.end() }
      return try body(snapshot)
    }
  }

  /// Runs a closure as one transaction of the draft; the base is not changed.
  ///
  /// The calling thread waits for a running transaction of the draft. Delete rules apply as in a store in memory, and the base checks its
  /// own constraints when the draft is committed.
  /// - Throws: `StoreError.busy` inside another transaction of the draft, `StoreError.writeConflict` if edits were discarded or decided
  ///   meanwhile; the base's errors, or `StoreError.aborted(by:)`.
  /// - Complexity: As the reads of the closure, and O(*k*) for *k* touched rows.
  @discardableResult
  public func commit<Result: Sendable>(
    origin: CommitOrigin,
    _ body: (any StoreTransaction) throws -> Result
  ) throws(StoreError) -> Committed<Result> {
    guard !WriterScope.isInside(core) else { throw .busy(path: identity.name, waited: .zero) }
    let committed = try core.writer.withLock { (_) throws(StoreError) in
      let (result, made) = try core.read {
        (base, view) throws(StoreError) -> (Result, DraftTransaction.Outcome) in
        let transaction = DraftTransaction(base, view, of: core)
        let outcome: Swift.Result<Result, any Error> = WriterScope.run(inside: core) {
          Swift.Result { try body(transaction) }
        }
        let made = transaction.end()
        do {
          return (try outcome.get(), made)
        } catch let error as StoreError {
          throw error
        } catch {
          throw .aborted(by: error)
        }
      }
      return Committed(result: result, version: try core.publish(made, origin))
    }
    core.broadcaster.notify()
    return committed
  }
}

// MARK: - Edits

extension DraftStore {
  /// What the draft does to a row, or `nil` if nothing.
  ///
  /// It is as of the version of the base that was last read or reported; no call of the base is made.
  /// - Complexity: O(1)
  public func state(of id: ObjectID) -> DraftState? {
    guard let table = core.entities.firstIndex(where: { $0.name.hasSameBytes(as: id.entity) })
    else { return nil }
    return core.overlay[table, id.key]?.state
  }

  /// All rows that the draft changes, in the order of their first changes.
  ///
  /// They stay readable when the draft or its base is closed.
  /// - Complexity: O(*n* log *n*)
  public var edits: [DraftEdit] {
    core.overlay.entries.map { table, key, entry in
      DraftEdit(
        id: ObjectID(entity: core.entities[table].name, key: key),
        state: entry.state,
        ancestor: entry.ancestor,
        row: entry.mine
      )
    }
  }

  /// A stream of notifications that `edits` may have changed; several changes can be one notification.
  public func editNotifications() -> AsyncStream<Void> {
    core.editBroadcaster.commitNotifications()
  }

  /// Bases the edits of rows on values that were read before, such as those that a person saw when they began to type.
  ///
  /// What the base has changed since in the attributes that the draft changes too is a conflict then, as if the edit had been there when the
  /// base changed it. Rows that the draft does not change, or has inserted, are left out. A transaction of the draft that runs meanwhile
  /// fails with `StoreError.writeConflict`.
  /// - Complexity: O(*n*) in the bytes of the rows' values.
  public func setAncestors(_ rows: some Sequence<Row> & Sendable) {
    _ = decided(core.updateContent { $0.setAncestors(rows) })
  }

  /// Decides a conflict for the draft's row: `commit` will write it over the base's.
  /// - Returns: Whether the row was in conflict.
  @discardableResult
  public func keepMine(_ id: ObjectID) -> Bool {
    decided(core.updateContent { $0.decide(id) { $0.keepingMine() } })
  }

  /// Decides a conflict for the base's row: the attributes in conflict have its values from now on, other edits of the row stay.
  ///
  /// A row that one side deleted is as the base has it.
  /// - Returns: Whether the row was in conflict.
  @discardableResult
  public func takeTheirs(_ id: ObjectID) -> Bool {
    decided(core.updateContent { $0.decide(id) { $0.takingTheirs() } })
  }

  /// Drops all edits, in one change of each list; the base is not read.
  ///
  /// A transaction of the draft that runs meanwhile fails with `StoreError.writeConflict`.
  public func discard() { _ = decided(core.updateContent { $0.discard() }) }

  private func decided(_ isChanged: Bool) -> Bool {
    if isChanged { core.broadcaster.notify() }
    return isChanged
  }
}

// MARK: - Committing

extension DraftStore {
  /// Commits all edits to the base, in one transaction.
  ///
  /// What others have committed since is merged first. Lists over the draft show the same rows afterwards, except that rows with
  /// temporary keys are deleted and inserted with those that the base has assigned, in one change. Foreign keys of declared relationships
  /// follow.
  /// - Parameters:
  ///   - origin: The writer's name, which deltas report.
  ///   - check: A closure that reads the base in that transaction, before anything is written. What it throws ends the commit: a rule
  ///     that no constraint of the base holds can be checked against what is committed by then. It may be called several times.
  /// - Returns: The final identities of rows by those that they had in the draft, where these differ, and the base's version.
  /// - Throws: `DraftError.conflicts` with the rows that need a decision, or `DraftError.store` with the base's error. The edits remain
  ///   then.
  /// - Complexity: As the base's transaction with one reading and one writing of each row.
  @discardableResult
  public func commit(
    origin: CommitOrigin = .unnamed,
    checking check: (any StoreSnapshot) throws(StoreError) -> Void = { _ in }
  ) throws(DraftError) -> Committed<[ObjectID: ObjectID]> {
    try commitEdits(origin: origin, checking: check)
  }

  /// Commits all edits to the base in one transaction, on the store's executor.
  ///
  /// An editor whose base is on a server stays responsive meanwhile. The commit is not cancelled with the task, because it may be done
  /// already.
  /// - Parameters:
  ///   - origin: The writer's name, which deltas report.
  ///   - check: As in the call that waits.
  /// - Returns: As the call that waits.
  /// - Throws: As the call that waits.
  /// - Complexity: As the call that waits.
  @discardableResult
  public func commit(
    origin: CommitOrigin = .unnamed,
    checking check: @escaping @Sendable (any StoreSnapshot) throws(StoreError) -> Void = { _ in }
  ) async throws(DraftError) -> Committed<[ObjectID: ObjectID]> {
    do {
      return try await withTaskExecutorPreference(executor) {
        try commitEdits(origin: origin, checking: check)
      }
    } catch let error as DraftError {
      throw error
    } catch {
      throw .store(.aborted(by: error))
    }
  }

  private func commitEdits(
    origin: CommitOrigin,
    checking check: (any StoreSnapshot) throws(StoreError) -> Void
  ) throws(DraftError) -> Committed<[ObjectID: ObjectID]> {
    guard !WriterScope.isInside(core) else {
      throw .store(.busy(path: identity.name, waited: .zero))
    }
    let committed = try core.writer.withLock { (_) throws(DraftError) in
      try merge(origin, check)
    }
    core.broadcaster.notify()
    return committed
  }

  /// How often the edits are merged with commits of others that come in between.
  private static let attempts = 5

  private func merge(
    _ origin: CommitOrigin,
    _ check: (any StoreSnapshot) throws(StoreError) -> Void
  ) throws(DraftError) -> Committed<[ObjectID: ObjectID]> {
    var failure = StoreError.writeConflict(path: identity.name)
    for _ in 0..<DraftStore.attempts {
      let view: DraftContent.View
      do {
        view = try core.read { (_, view) throws(StoreError) in view }
      } catch {
        throw .store(error)
      }
      // Inside a read of the base there can be no later version, in which the edits may be committed already.
      guard core.isLatest(view) else { throw .store(.busy(path: identity.name, waited: .zero)) }
      let conflicts = view.overlay.entries.filter { $0.entry.isConflict }
      guard conflicts.isEmpty else {
        throw .conflicts(
          conflicts.map { ObjectID(entity: core.entities[$0.table].name, key: $0.key) }
        )
      }
      guard !view.overlay.isEmpty else { return Committed(result: [:], version: view.base) }
      do {
        return try write(view.overlay, origin, check)
      } catch {
        switch error {
        case .conflict, .notFound, .alreadyExists: failure = error
        default: throw .store(error)
        }
      }
    }
    throw .store(failure)
  }

  private func write(
    _ overlay: DraftOverlay,
    _ origin: CommitOrigin,
    _ check: (any StoreSnapshot) throws(StoreError) -> Void
  ) throws(StoreError) -> Committed<[ObjectID: ObjectID]> {
    let commit = DraftCommit(overlay, core.entities)
    // Who follows the base's commits in its call must not wait for this draft's transactions.
    let outcome = WriterScope.run(inside: core) {
      () -> Swift.Result<Committed<[ObjectID: ObjectID]>, StoreError> in
      do throws(StoreError) {
        return .success(
          try core.base.commit(origin: origin) { transaction in
            try check(transaction)
            let (identities, landed) = try commit.write(in: transaction)
            core.updateContent { $0.landed = landed }
            return identities
          }
        )
      } catch {
        return .failure(error)
      }
    }
    let committed: Committed<[ObjectID: ObjectID]>
    do {
      committed = try outcome.get()
    } catch {
      // Where it is not known whether the rows are in the base, they are recognized when they are found there.
      if case .commitOutcomeUnknown = error { throw error }
      core.updateContent { $0.landed = nil }
      throw error
    }
    core.updateContent { $0.landed?.version = committed.version }
    // The rows are in the base; if they cannot be read now, the next reading finds them.
    _ = try? core.read { (_, _) throws(StoreError) in }
    return committed
  }
}
