import ResultsDomain
import Synchronization

/// Listens to one store for all lists that show it, and leads them from commit to commit together.
///
/// There is one for each store object, with one task, however many lists there are. One piece of work follows the other in a turn, which
/// never suspends: all lists are led on in one version of the store, then all show it, then it is told. So whoever
/// hears of one list and reads another of the same store finds the same commit (R66).
final class StoreFollower: Sendable {
  /// An object, since copies of a weak reference are costly where there are a thousand.
  private final class WeakList: Sendable {
    weak let list: (any FollowedList)?
    init(_ list: any FollowedList) { self.list = list }
  }

  private struct Members {
    var lists: [WeakList] = []
    var listening: Task<Void, Never>?
    var waiting: [DeliveryPeriod: Task<Void, Never>] = [:]
  }

  let store: any Store
  private let members = Mutex(Members())
  private let turn = Mutex<Void>(())
  /// Held while lists show what they were led to; readers of several lists wait for it without entering the turn.
  private let showing = Mutex<Void>(())
  /// Odd while lists show what they were led to.
  private let shows = Atomic<Int>(0)

  init(_ store: any Store) { self.store = store }

  deinit {
    members.withLock { members in
      members.listening?.cancel()
      for task in members.waiting.values { task.cancel() }
    }
    FollowerRegistry.forget(store)
  }

  /// Begins to lead a list on; the store is listened to from now on, unless the list waits to be asked.
  func join(_ list: any FollowedList) {
    members.withLock { members in
      members.lists.removeAll { $0.list == nil }
      guard !members.lists.contains(where: { $0.list === list }) else { return }
      members.lists.append(WeakList(list))
      guard members.listening == nil, list.listens else { return }
      let hints = store.commitNotifications { [weak self] in self?.follow($0) ?? true }
      members.listening = Task(executorPreference: store.executor) { [weak self] in
        for await _ in hints {
          guard !Task.isCancelled, let self else { return }
          self.hear()
        }
        if !Task.isCancelled { self?.end() }
      }
    }
  }

  /// Leads a list on no more.
  func leave(_ list: any FollowedList) {
    members.withLock { members in
      members.lists.removeAll { $0.list == nil || $0.list === list }
      guard !members.lists.contains(where: { $0.list?.listens ?? false }) else { return }
      members.listening?.cancel()
      members.listening = nil
    }
  }

  /// Leads a list on now, and with it all that are told at once.
  /// - Returns: The failure of that list, if it failed.
  func lead(_ list: any FollowedList, joining loaded: LoadedList? = nil) -> StoreError? {
    run(asking: list, loaded, after: nil)
  }

  /// Advances a list now, and calls a closure in the version of the store that it was led to, before the next turn begins.
  /// - Returns: The failure of that list, if it failed; the closure is called only if it did not, and if the list has not ended.
  func lead(
    _ list: any FollowedList,
    reading body: (any StoreSnapshot) -> Void
  ) -> StoreError? {
    turn.withLock { _ in
      let lists = lists
      guard lists.contains(where: { $0 === list }) else { return nil }
      let due = lists.filter { $0 === list || $0.isDue(after: nil) }
      do throws(StoreError) {
        return try store.read { (snapshot) throws(StoreError) -> StoreError? in
          let led = advance(due, of: lists, in: SnapshotHistory(snapshot), asking: list)
          show(led.news)
          if led.answer == nil { body(snapshot) }
          return led.answer
        }
      } catch {
        for list in due { list.fail(error, answering: nil) }
        show(due)
        return error
      }
    }
  }

  /// Tells that a list could not be fetched.
  func tell(_ failure: StoreError, of list: any FollowedList, answering number: Int) {
    turn.withLock { _ in
      list.fail(failure, answering: number)
      show([list])
    }
  }

  /// Reads several lists as of one commit; the closure is called again if another commit is shown meanwhile.
  func consistently<Result, Failure>(
    _ read: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    while true {
      let before = shows.load(ordering: .acquiring)
      guard before.isMultiple(of: 2) else {
        showing.withLock { _ in }
        continue
      }
      let result = try read()
      if shows.load(ordering: .acquiring) == before { return result }
    }
  }

  private var lists: [any FollowedList] {
    members.withLock { $0.lists.compactMap(\.list) }
  }

  /// The store may have changed: what is told at once is led on, and spans of time begin.
  private func hear() {
    waitForPeriods(of: lists)
    _ = run(asking: nil, nil, after: nil)
  }

  private func waitForPeriods(of lists: [any FollowedList]) {
    for list in lists {
      if let period = list.awaitedPeriod { wait(for: period) }
    }
  }

  private func wait(for period: DeliveryPeriod) {
    members.withLock { members in
      guard members.waiting[period] == nil else { return }
      members.waiting[period] = Task(executorPreference: store.executor) { [weak self] in
        guard (try? await period.clock.sleep(for: period.span)) != nil, let self else { return }
        // Forgotten before the store is read, so that a commit from now on begins another span.
        self.members.withLock { _ = $0.waiting.removeValue(forKey: period) }
        _ = self.run(asking: nil, nil, after: period)
      }
    }
  }

  private func run(
    asking: (any FollowedList)?,
    _ loaded: LoadedList?,
    after period: DeliveryPeriod?
  ) -> StoreError? {
    turn.withLock { _ in
      let lists = lists
      let due = lists.filter { $0 === asking || $0.isDue(after: period) }
      guard !due.isEmpty else { return nil }
      do throws(StoreError) {
        let led = try store.read { (snapshot) throws(StoreError) in
          advance(due, of: lists, in: SnapshotHistory(snapshot), asking: asking, loaded)
        }
        show(led.news)
        return led.answer
      } catch {
        for list in due { list.fail(error, answering: list === asking ? loaded?.number : nil) }
        show(due)
        return error
      }
    }
  }

  /// Leads those of the lists that are due to one version, and tells the store how far all are.
  /// - Returns: Those that have something to show, and the failure of the one that asked.
  private func advance(
    _ due: [any FollowedList],
    of lists: [any FollowedList],
    in history: SnapshotHistory,
    asking: (any FollowedList)? = nil,
    _ loaded: LoadedList? = nil
  ) -> (news: [any FollowedList], answer: StoreError?) {
    var news: [any FollowedList] = []
    var answer: StoreError?
    var hasFailed = false
    for list in due {
      let advance = list.advance(in: history, joining: list === asking ? loaded : nil)
      if advance.hasNews { news.append(list) }
      if advance.failure != nil { hasFailed = true }
      if list === asking { answer = advance.failure }
    }
    if !hasFailed { tellProgress(of: lists, besides: due.count, history.snapshot.version) }
    return (news, answer)
  }

  /// Leads lists on within the call of a small commit, on its thread, if that takes no longer than the commit may wait.
  /// - Returns: Whether nothing is left to do.
  private func follow(_ snapshot: any StoreSnapshot) -> Bool {
    let lists = lists
    waitForPeriods(of: lists)
    // Somebody whose turn it is may have begun before the commit, and a consumer may have made it in that very turn.
    return turn.withLockIfAvailable { _ in
      let due = lists.filter { $0.isDue(after: nil) }
      let history = SnapshotHistory(snapshot)
      guard due.count <= StoreFollower.promptListLimit,
        due.allSatisfy({ $0.canFollowPromptly(in: history) })
      else { return false }
      show(advance(due, of: lists, in: history).news)
      return true
    } ?? false
  }

  /// How many lists are led on within the call of a commit.
  private static let promptListLimit = 32

  /// Tells the store how far all lists are: those that were just led to a version, and those that wait for their span.
  private func tellProgress(
    of lists: [any FollowedList],
    besides dueCount: Int,
    _ reached: StoreVersion
  ) {
    var oldest = reached
    if lists.count > dueCount {
      for version in lists.compactMap(\.awaitingVersion)
      where version.epoch == reached.epoch && version.sequence < oldest.sequence {
        oldest = version
      }
    }
    store.releaseHistory(through: oldest)
  }

  /// Shows what some lists were led to, and then tells it.
  private func show(_ lists: [any FollowedList]) {
    guard !lists.isEmpty else { return }
    let tellings = showing.withLock { _ in
      shows.add(1, ordering: .acquiringAndReleasing)
      defer { shows.add(1, ordering: .acquiringAndReleasing) }
      return lists.compactMap { $0.show() }
    }
    for tell in tellings { tell() }
  }

  /// The store was closed.
  private func end() {
    let lists = members.withLock { members in
      defer {
        members.lists = []
        members.listening = nil
      }
      return members.lists.compactMap(\.list)
    }
    turn.withLock { _ in
      for list in lists { list.end() }
    }
  }
}

/// Knows the follower of every store object that is listened to.
enum FollowerRegistry {
  private struct Entry: Sendable {
    weak let follower: StoreFollower?
  }

  /// Followers by the identity of their store, which each keeps alive; so an identity means another store only after its
  /// follower is gone.
  private static let followers = Mutex<[ObjectIdentifier: Entry]>([:])

  /// The follower of a store object; a store that is a value has one for each list.
  static func follower(of store: any Store) -> StoreFollower {
    guard let identity = identity(of: store) else { return StoreFollower(store) }
    return followers.withLock { followers in
      if let follower = followers[identity]?.follower { return follower }
      let follower = StoreFollower(store)
      followers[identity] = Entry(follower: follower)
      return follower
    }
  }

  /// Forgets the follower of a store if it is gone.
  static func forget(_ store: any Store) {
    guard let identity = identity(of: store) else { return }
    // Whoever may be found instead is kept until the lock is released: letting go of it could come back here.
    let present = followers.withLock { followers in
      let present = followers[identity]?.follower
      if present == nil { followers[identity] = nil }
      return present
    }
    withExtendedLifetime(present) {}
  }

  private static func identity(of store: any Store) -> ObjectIdentifier? {
    type(of: store) is AnyClass ? ObjectIdentifier(store as AnyObject) : nil
  }
}

/// A live list as the follower of its store sees it, whatever its objects are.
///
/// `advance`, `fail`, `show` and the closure that `show` gives are called in the follower's turn only.
protocol FollowedList: AnyObject, Sendable {
  /// The span the list waits after a commit, or `nil` if it waits for none or is paused.
  var awaitedPeriod: DeliveryPeriod? { get }

  /// The version that the list will be led on from by itself, or `nil` if it waits to be asked or resumed.
  var awaitingVersion: StoreVersion? { get }

  /// Whether the list is led on by what the store tells, and not only when asked.
  var listens: Bool { get }

  /// Whether the list is to be led on now.
  /// - Parameter period: The span that has passed, or `nil` if the store may just have changed.
  /// - Returns: Whether it is.
  func isDue(after period: DeliveryPeriod?) -> Bool

  /// Whether leading the list to a version takes no longer than a commit's caller may wait.
  func canFollowPromptly(in history: SnapshotHistory) -> Bool

  /// Leads the list to a version of the store; what comes of it is kept until it is shown.
  /// - Parameters:
  ///   - history: The version, and the way there.
  ///   - loaded: A list of another definition, which takes the place of this one if that is still wanted.
  /// - Returns: Whether there is something to show, and the failure if it failed.
  func advance(in history: SnapshotHistory, joining loaded: LoadedList?) -> ListAdvance

  /// Notes that the store could not be read.
  func fail(_ error: StoreError, answering number: Int?)

  /// Makes what came of the work the list's state.
  /// - Returns: What tells the subscribers, or `nil` if there is nothing to tell.
  func show() -> (() -> Void)?

  /// Ends the list, as its store has been closed.
  func end()
}

/// What leading a list on came to.
struct ListAdvance {
  /// Whether there is something to show.
  var hasNews: Bool
  /// The failure, if it failed; the list is then as it was.
  var failure: StoreError?
}

/// A list that was fetched for a definition, and has not been shown yet.
struct LoadedList: Sendable {
  var engine: ListEngine
  /// How it was fetched.
  let account: ListExplanation.Account
  /// Which of the definitions asked for it answers.
  let number: Int
}

/// What one piece of a list's work led to; indirect, since it is copied on its way.
indirect enum ListOutcome: Sendable {
  /// The first fetch.
  case fetched(ResultsSnapshot)
  /// A later generation.
  case advanced(ListEngine.Step)
  /// A later generation to which no delta leads.
  case reset(ResultsResetReason, ResultsSnapshot)
  /// The end of the work; rows and sections are those told last, but the definition, the version and counts may be others.
  case settled(ResultsSnapshot)
  /// A failure; nothing has changed.
  case failed(StoreError)
}

/// What one version of a store tells of its past; each question is put to the store once, however many lists ask.
final class SnapshotHistory {
  private struct Question: Hashable {
    let version: StoreVersion
    /// The entity's name, compared by its bytes.
    let entity: Value
  }

  /// The version, and what was asked of it.
  let snapshot: CountingSnapshot
  private typealias Answer = (entity: EntityDescription, history: StoreHistory)
  private var answers: [Question: [Answer]] = [:]
  /// What was answered first: nearly always there is one question, put again and again.
  private var first: (version: StoreVersion, answer: Answer)?

  init(_ snapshot: any StoreSnapshot) { self.snapshot = CountingSnapshot(snapshot) }

  /// What happened to an entity between an earlier version and this one.
  func since(
    _ version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    if let first, first.version == version, first.answer.entity == entity {
      return first.answer.history
    }
    guard first != nil else {
      let history = try snapshot.history(since: version, of: entity)
      first = (version, (entity, history))
      return history
    }
    let question = Question(version: version, entity: .text(entity.name))
    if let known = answers[question]?.first(where: { $0.entity == entity }) {
      return known.history
    }
    let history = try snapshot.history(since: version, of: entity)
    answers[question, default: []].append((entity, history))
    return history
  }
}
