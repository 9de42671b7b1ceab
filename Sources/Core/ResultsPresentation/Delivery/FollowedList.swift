import ResultsDomain

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
