#if Web
import ListBrowser
import Synchronization

/// One user of the server: a browser that was opened with the token, or all programs that carry it.
///
/// Each has steps to undo of its own for every site.
final class Session: Sendable {
  /// What performs requests on a site, for as long as the site is open.
  private struct Held {
    weak var site: Site?
    let source: BrowserSource
  }

  private struct State {
    var held: [String: Held] = [:]
    var tokens: Double = Session.writesPerSecond
    var refilled: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  /// The writes that a session may ask for in a second.
  private static let writesPerSecond = 50.0

  /// Returns what performs this session's requests on a site.
  func source(of site: Site) -> BrowserSource {
    state.withLock { state in
      if let held = state.held[site.id] { return held.source }
      state.held = state.held.filter { $0.value.site != nil }
      let source = site.makeSource()
      state.held[site.id] = Held(site: site, source: source)
      return source
    }
  }

  /// Counts a write.
  /// - Throws: `WebFailure` with status 429 if there were too many within a second.
  func admitWrite(at now: ContinuousClock.Instant) throws(WebFailure) {
    let isAdmitted = state.withLock { state in
      let seconds = state.refilled.map { (now - $0) / .seconds(1) } ?? 0
      state.tokens = min(Session.writesPerSecond, state.tokens + seconds * Session.writesPerSecond)
      state.refilled = now
      guard state.tokens >= 1 else { return false }
      state.tokens -= 1
      return true
    }
    guard isAdmitted else {
      var failure = WebFailure(429, "Too many changes at once.", remedy: "Try again in a second.")
      failure.retryAfter = 1
      throw failure
    }
  }

  /// Ends what commands of this session have started.
  func end() {
    for held in state.withLock({ $0.held }).values { held.source.stop() }
  }
}

/// The sessions of a server, by the secrets of their cookies; beyond a number the oldest one ends.
final class Sessions: Sendable {
  private struct State {
    var sessions: [String: Session] = [:]
    var order: [String] = []
  }

  private let state = Mutex(State())
  /// The session of programs that carry the token.
  let programs = Session()
  private static let most = 64

  /// Begins the session of a secret, unless it has begun.
  @discardableResult
  func begin(_ secret: String) -> Session {
    let (session, ended) = state.withLock { state -> (Session, Session?) in
      if let session = state.sessions[secret] { return (session, nil) }
      let session = Session()
      state.sessions[secret] = session
      state.order.append(secret)
      guard state.order.count > Sessions.most else { return (session, nil) }
      return (session, state.sessions.removeValue(forKey: state.order.removeFirst()))
    }
    ended?.end()
    return session
  }

  /// Returns the session of a cookie, or `nil`.
  ///
  /// The secret is looked up by its hash, which each process seeds by itself, so the time of a look-up says nothing about it.
  func session(of secret: String) -> Session? { state.withLock { $0.sessions[secret] } }

  /// Ends all sessions.
  func end() {
    for session in state.withLock({ $0.sessions }).values { session.end() }
    programs.end()
  }
}
#endif
