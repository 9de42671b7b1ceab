import ResultsPresentation
import TerminalFrontEnd

/// A write that is under way, and may have to wait for other writers.
struct PendingWrite: Hashable, Sendable {
  /// When it was asked for.
  let since: Duration
  /// The process for which it waits, if that is known.
  var writer: String?
  /// Whether the process is being sought.
  var isAsking = false
  /// Whether the user has given up the wait, and the answer is still to come.
  var isGivenUp = false
}

extension BrowserModel {
  /// The time after which a request that still waits for the store is spoken of.
  static let quietSpan = Duration.milliseconds(300)

  /// Whether a write has waited for so long that it is spoken of, and can be given up.
  private var isWriteWaiting: Bool {
    guard let write = pendingWrite, !write.isGivenUp else { return false }
    return now - write.since >= BrowserModel.quietSpan
  }

  /// Gives up the wait of a write.
  /// - Returns: What is to be done; `nil` if there is no such wait.
  mutating func giveUpWaiting() -> [BrowserEffect]? {
    guard isWriteWaiting else { return nil }
    pendingWrite?.isGivenUp = true
    return [.giveUp]
  }

  /// Asks for which process a write waits: again and again, since another one may have taken its turn.
  mutating func findWriter() -> [BrowserEffect] {
    guard isWriteWaiting, pendingWrite?.isAsking == false else { return [] }
    pendingWrite?.isAsking = true
    return [.findWriter]
  }

  /// Takes the name of the process for which a write waits.
  mutating func take(writer name: String?) {
    pendingWrite?.writer = name.map { SafeText.oneLine($0) }
    pendingWrite?.isAsking = false
  }

  /// What the browser waits for, or `nil` where that is not worth a word.
  var waitingText: String? {
    if pendingWrite?.isGivenUp == true { return interruption == nil ? "giving up …" : message }
    guard let since = pendingWrite?.since ?? performingSince, now - since >= BrowserModel.quietSpan
    else { return nil }
    let seconds = (now - since).components.seconds
    let span = seconds < 1 ? "" : " for \(seconds) s"
    let hint = pendingWrite == nil ? "" : "  ^C gives up"
    return "waiting for \(pendingWrite?.writer ?? setup.file)\(span) …\(hint)"
  }
}
