import ResultsDomain
import ResultsStoreKit
import Synchronization

/// Advances all lists of one store object together, commit by commit.
///
/// There is one scheduler and one task for each store object, however many lists there are. Work happens in turns, which never suspend
/// and follow each other: in a turn all due lists are advanced in one snapshot of the store, then all publish their new state, and then
/// events are delivered. So the subscriber of one list that reads another of the same store finds the same commit (R66). A turn asks
/// only the lists that the commits may concern; `ListRoster` knows which.
///
/// Mutable state: `members`, guarded by its mutex and changed when a list is added or removed, when a turn files lists, and when a wait
/// begins or ends. `turn` is held for a whole turn, also while the store is read and events are delivered; `publishing` while lists
/// publish. Lock order: `turn`, `publishing` or `members`, then a list's state. While `members` is held, only the store's
/// `commitNotifications` is called, and the version of a list is set.
final class ListScheduler: Sendable {
  private struct Members {
    var roster = ListRoster()
    var observation: Task<Void, Never>?
    var waits: [DeliveryPeriod: Task<Void, Never>] = [:]
    var alarms: [ObjectIdentifier: Alarm] = [:]

    mutating func cancelAlarms() {
      for alarm in alarms.values { alarm.task.cancel() }
      alarms = [:]
    }
  }

  /// The next time at which a list that follows a clock is to be advanced.
  private struct Alarm {
    let time: Instant
    let task: Task<Void, Never>
  }

  let store: any Store
  private let members = Mutex(Members())
  private let turn = Mutex<Void>(())
  /// Held while lists publish; readers of several lists wait for it without entering the turn.
  private let publishing = Mutex<Void>(())
  /// Odd while lists publish.
  private let publications = Atomic<Int>(0)
  /// How often a list was asked, over all turns.
  private let questions = Atomic<Int>(0)
  /// The most lists that are advanced within the call of a commit.
  private static let promptListLimit = 32

  private init(_ store: any Store) { self.store = store }

  deinit {
    members.withLock { members in
      members.observation?.cancel()
      for task in members.waits.values { task.cancel() }
      members.cancelAlarms()
    }
    ListScheduler.forget(store)
  }

  /// How often a list was asked whether commits concern it, over all turns.
  var questionCount: Int { questions.load(ordering: .relaxed) }

  /// Adds a list; the store is observed from now on, unless the list waits for refreshes.
  func add(_ list: LiveList) {
    members.withLock { members in
      members.roster.add(list)
      guard members.observation == nil, list.isAutomatic else { return }
      let notifications = store.commitNotifications { [weak self] in
        self?.followPromptly($0) ?? true
      }
      members.observation = Task(executorPreference: store.executor) { [weak self] in
        for await _ in notifications {
          guard !Task.isCancelled, let self else { return }
          self.storeMayHaveChanged()
        }
        if !Task.isCancelled { self?.end() }
      }
    }
  }

  /// Removes a list.
  func remove(_ list: LiveList) {
    let number = list.number
    members.withLock { members in
      members.roster.remove(number)
      guard !members.roster.hasAutomaticLists else { return }
      members.observation?.cancel()
      members.observation = nil
      members.cancelAlarms()
    }
  }

  /// Takes a list out of its file, so that it is asked in every turn.
  func withdraw(_ number: Int) {
    members.withLock { members in
      guard let version = members.roster.version, let entry = members.roster.withdraw(number)
      else { return }
      // Within the lock, so that no turn can advance the list before.
      entry.list?.settle(at: version)
    }
  }

  /// The lists that every turn asks, oldest first.
  private var unfiledLists: [LiveList] {
    members.withLock { $0.roster.unfiledLists }.compactMap(\.list)
  }

  /// Ends all lists, since the store was closed.
  private func end() {
    let lists = members.withLock { members in
      members.observation = nil
      members.cancelAlarms()
      return members.roster.removeAll()
    }
    turn.withLock { _ in
      for entry in lists { entry.list?.end() }
    }
  }
}

// MARK: - Turns

extension ListScheduler {
  /// Advances a list now, and with it all lists that are delivered at once.
  /// - Returns: The failure of that list, if it failed.
  func advance(_ list: LiveList, adopting prepared: LiveList.Prepared? = nil) -> StoreError? {
    run(for: list, prepared, after: nil)
  }

  /// Advances a list now, and calls a closure in the snapshot that it was advanced to, before the next turn begins.
  /// - Returns: The failure of that list, if it failed; the closure is called only if it did not, and if the list has not ended.
  func advance(
    _ list: LiveList,
    reading body: (any StoreSnapshot) -> Void
  ) -> StoreError? {
    turn.withLock { _ in
      guard members.withLock({ $0.roster.contains(list) }) else { return nil }
      do throws(StoreError) {
        return try store.read { (snapshot) throws(StoreError) -> StoreError? in
          let advanced = advance(in: SnapshotHistory(snapshot), for: list)
          publish(advanced.changed)
          if advanced.failure == nil { body(snapshot) }
          return advanced.failure
        }
      } catch {
        fail(error, for: list)
        return error
      }
    }
  }

  /// Publishes that a list could not be fetched.
  func publish(_ failure: StoreError, of list: LiveList, answering number: Int) {
    turn.withLock { _ in
      list.fail(failure, answering: number)
      publish([list])
    }
  }

  /// Advances the lists that are delivered at once, and starts the waits of those that are delivered once per time span.
  private func storeMayHaveChanged() {
    beginWaits()
    _ = run(for: nil, nil, after: nil)
  }

  private func beginWaits() {
    // A list that waits is never filed.
    for list in unfiledLists {
      if let period = list.periodToAwait() { wait(for: period) }
    }
  }

  private func wait(for period: DeliveryPeriod) {
    members.withLock { members in
      guard members.waits[period] == nil else { return }
      members.waits[period] = Task(executorPreference: store.executor) { [weak self] in
        guard (try? await period.clock.sleep(for: period.span)) != nil, let self else { return }
        // Removed before the store is read, so that a commit from now on begins another span.
        self.members.withLock { _ = $0.waits.removeValue(forKey: period) }
        _ = self.run(for: nil, nil, after: period)
      }
    }
  }

  /// Has the lists advanced when the clock of one that has just been advanced shows the time of its next turn.
  ///
  /// There is one alarm for each clock, at the earliest of these times.
  private func setAlarm(for list: LiveList) {
    guard list.isAutomatic, let time = list.alarm, let clock = list.wallClock else { return }
    members.withLock { members in
      let key = ObjectIdentifier(clock)
      if let alarm = members.alarms[key] {
        guard time < alarm.time else { return }
        alarm.task.cancel()
      }
      let task = Task(executorPreference: store.executor) { [weak self] in
        guard (try? await clock.sleep(until: time)) != nil, !Task.isCancelled, let self else {
          return
        }
        self.members.withLock { members in
          if members.alarms[key]?.time == time { members.alarms[key] = nil }
        }
        self.storeMayHaveChanged()
      }
      members.alarms[key] = Alarm(time: time, task: task)
    }
  }

  private func run(
    for requester: LiveList?,
    _ prepared: LiveList.Prepared?,
    after period: DeliveryPeriod?
  ) -> StoreError? {
    turn.withLock { _ in
      guard isNeeded(for: requester, after: period) else { return nil }
      do throws(StoreError) {
        let advanced = try store.read { (snapshot) throws(StoreError) in
          advance(in: SnapshotHistory(snapshot), for: requester, prepared, after: period)
        }
        publish(advanced.changed)
        return advanced.failure
      } catch {
        fail(error, for: requester, answering: prepared?.number, after: period)
        return error
      }
    }
  }

  /// Whether a turn may have anything to do.
  private func isNeeded(for requester: LiveList?, after period: DeliveryPeriod?) -> Bool {
    let isExpected = members.withLock { members in
      members.roster.hasFiledLists || requester.map { members.roster.contains($0) } ?? false
    }
    return isExpected || unfiledLists.contains { $0.isDue(after: period) }
  }

  /// Advances lists within the call of a small commit, on its thread, if that takes no longer than the commit may wait.
  /// - Returns: Whether nothing is left to do.
  private func followPromptly(_ snapshot: any StoreSnapshot) -> Bool {
    beginWaits()
    // The current turn may have begun before the commit, and a subscriber may have committed in that very turn.
    return turn.withLockIfAvailable { _ in
      let history = SnapshotHistory(snapshot)
      let asked = asked(in: history)
      let due = asked.filter { $0.isDue(after: nil) }
      guard due.count <= ListScheduler.promptListLimit,
        due.allSatisfy({ $0.canAdvancePromptly(in: history) })
      else { return false }
      publish(advance(due, of: asked, in: history).changed)
      return true
    } ?? false
  }

  /// Advances the due lists to one version.
  /// - Returns: The lists with something to publish, and the failure of the requester.
  private func advance(
    in history: SnapshotHistory,
    for requester: LiveList?,
    _ prepared: LiveList.Prepared? = nil,
    after period: DeliveryPeriod? = nil
  ) -> (changed: [LiveList], failure: StoreError?) {
    let asked = asked(in: history, for: requester)
    let due = asked.filter { $0 === requester || $0.isDue(after: period) }
    return advance(due, of: asked, in: history, for: requester, prepared)
  }

  /// Advances the due ones of the asked lists to one version, and releases the history that no list needs any more.
  /// - Returns: As `advance(in:for:_:after:)`.
  private func advance(
    _ due: [LiveList],
    of asked: [LiveList],
    in history: SnapshotHistory,
    for requester: LiveList? = nil,
    _ prepared: LiveList.Prepared? = nil
  ) -> (changed: [LiveList], failure: StoreError?) {
    var changed: [LiveList] = []
    var failure: StoreError?
    var hasFailed = false
    for list in due {
      do throws(StoreError) {
        let adopted = list === requester ? prepared : nil
        if try list.advance(in: history, adopting: adopted) { changed.append(list) }
        setAlarm(for: list)
      } catch {
        changed.append(list)
        hasFailed = true
        if list === requester { failure = error }
      }
    }
    let version = history.snapshot.version
    let plans = asked.compactMap { list in
      list.planToFile(at: version).map { (list.number, $0) }
    }
    members.withLock { $0.roster.file(plans, at: version) }
    if !hasFailed { releaseHistory(of: asked, dueCount: due.count, version) }
    return (changed, failure)
  }

  /// Releases the history up to the oldest version that a list still waits at.
  private func releaseHistory(of asked: [LiveList], dueCount: Int, _ reached: StoreVersion) {
    var oldest = reached
    if asked.count > dueCount {
      for version in asked.compactMap(\.awaitingVersion)
      where version.epoch == reached.epoch && version.sequence < oldest.sequence {
        oldest = version
      }
    }
    store.releaseHistory(through: oldest)
  }

  /// Publishes the state of some lists, and then delivers their events.
  private func publish(_ lists: [LiveList]) {
    guard !lists.isEmpty else { return }
    let deliveries = publishing.withLock { _ in
      publications.add(1, ordering: .acquiringAndReleasing)
      defer { publications.add(1, ordering: .acquiringAndReleasing) }
      return lists.compactMap { $0.publish() }
    }
    for deliver in deliveries { deliver() }
  }

  /// Reads several lists as of one commit; the closure is called again if another commit is published meanwhile.
  func consistently<Result, Failure>(
    _ read: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    while true {
      let before = publications.load(ordering: .acquiring)
      guard before.isMultiple(of: 2) else {
        publishing.withLock { _ in }
        continue
      }
      let result = try read()
      if publications.load(ordering: .acquiring) == before { return result }
    }
  }
}

// MARK: - The lists of a turn

extension ListScheduler {
  /// The lists that a turn has to ask, oldest first: the requester, those that are not filed, and those that the commits may concern.
  private func asked(in history: SnapshotHistory, for requester: LiveList? = nil) -> [LiveList] {
    let (version, entities) = members.withLock { ($0.roster.version, $0.roster.filedEntities) }
    var histories: [(EntityDescription, StoreHistory?)] = []
    if let version, version != history.snapshot.version {
      for entity in entities { histories.append((entity, try? history.since(version, of: entity))) }
    }
    let withdrawn = members.withLock { [histories] members in
      members.roster.withdraw(concernedBy: histories, requester?.number)
    }
    settle(withdrawn, at: version)
    let asked = unfiledLists
    questions.add(asked.count, ordering: .relaxed)
    return asked
  }

  /// Takes all lists out of their files.
  private func withdrawAll() {
    let (version, withdrawn) = members.withLock { members in
      (members.roster.version, members.roster.withdrawAll())
    }
    settle(withdrawn, at: version)
  }

  /// Sets the version of lists that were filed.
  private func settle(_ lists: [ListRoster.Entry], at version: StoreVersion?) {
    guard let version else { return }
    for entry in lists { entry.list?.settle(at: version) }
  }

  /// Publishes to all due lists that the store could not be read.
  private func fail(
    _ error: StoreError,
    for requester: LiveList?,
    answering number: Int? = nil,
    after period: DeliveryPeriod? = nil
  ) {
    withdrawAll()
    let due = unfiledLists.filter { $0 === requester || $0.isDue(after: period) }
    for list in due { list.fail(error, answering: list === requester ? number : nil) }
    publish(due)
  }
}

// MARK: - One scheduler for each store

extension ListScheduler {
  private struct Entry: Sendable {
    weak let scheduler: ListScheduler?
  }

  /// Schedulers by the identity of their store.
  ///
  /// Each scheduler retains its store, so an identity denotes another store only after its scheduler is gone. The mutex guards the
  /// dictionary; nothing is called while it is held.
  private static let schedulers = Mutex<[ObjectIdentifier: Entry]>([:])

  /// The scheduler of a store object; a store that is a value has one for each list.
  static func shared(for store: any Store) -> ListScheduler {
    guard let identity = identity(of: store) else { return ListScheduler(store) }
    return schedulers.withLock { schedulers in
      if let scheduler = schedulers[identity]?.scheduler { return scheduler }
      let scheduler = ListScheduler(store)
      schedulers[identity] = Entry(scheduler: scheduler)
      return scheduler
    }
  }

  /// Removes the entry of a store if its scheduler is gone.
  private static func forget(_ store: any Store) {
    guard let identity = identity(of: store) else { return }
    // A scheduler found instead is retained until the lock is released, since its deinit would take the lock again.
    let present = schedulers.withLock { schedulers in
      let present = schedulers[identity]?.scheduler
      if present == nil { schedulers[identity] = nil }
      return present
    }
    withExtendedLifetime(present) {}
  }

  private static func identity(of store: any Store) -> ObjectIdentifier? {
    type(of: store) is AnyClass ? ObjectIdentifier(store as AnyObject) : nil
  }
}
