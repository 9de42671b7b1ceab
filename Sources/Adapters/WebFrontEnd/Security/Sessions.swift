#if Web
import ListBrowser
import Synchronization

/// One user of the server: a browser that was opened with the token, or all programs that carry it.
///
/// Each has steps to undo of its own for every site.
final class Session: Sendable {
  private struct State {
    var sources: [String: BrowserSource] = [:]
    var tokens: Double = Session.writesPerSecond
    var refilled: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  /// The writes that a session may ask for in a second.
  private static let writesPerSecond = 50.0

  /// Returns what performs this session's requests on a site.
  func source(of site: Site) -> BrowserSource {
    state.withLock { state in
      if let source = state.sources[site.id] { return source }
      let source = site.makeSource()
      state.sources[site.id] = source
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
    for source in state.withLock({ $0.sources }).values { source.stop() }
  }
}

/// The sessions of a server, by the names in their cookies; beyond a number the one that began first ends.
///
/// A cookie has the token and a name. So it is valid for every server with that token: one that was started again, and others behind the
/// same balancer.
final class Sessions: Sendable {
  private struct State {
    var sessions: [String: Session] = [:]
    var order: [String] = []
  }

  private let state = Mutex(State())
  /// The session of programs that carry the token.
  let programs = Session()
  private static let most = 64

  /// Returns the session of a name, which begins if there is none.
  func session(named name: String) -> Session {
    let (session, ended) = state.withLock { state -> (Session, Session?) in
      if let session = state.sessions[name] { return (session, nil) }
      let session = Session()
      state.sessions[name] = session
      state.order.append(name)
      guard state.order.count > Sessions.most else { return (session, nil) }
      return (session, state.sessions.removeValue(forKey: state.order.removeFirst()))
    }
    ended?.end()
    return session
  }

  /// Ends all sessions.
  func end() {
    for session in state.withLock({ $0.sessions }).values { session.end() }
    programs.end()
  }
}
#endif
