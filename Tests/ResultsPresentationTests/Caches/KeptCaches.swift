import ResultsDomain
import ResultsPresentation
import Synchronization

/// Caches kept in memory, which can be looked at, spoiled and made to fail.
final class KeptCaches: SectionCacheStorage {
  private struct State {
    var kept: [Value: [UInt8]] = [:]
    var saveCount = 0
    var fails = false
  }

  private let state = Mutex(State())
  /// The names under which something was saved, one after the other.
  let saves: AsyncStream<String>
  private let saved: AsyncStream<String>.Continuation

  init() { (saves, saved) = AsyncStream.makeStream() }

  var saveCount: Int { state.withLock { $0.saveCount } }

  func fail(_ fails: Bool = true) { state.withLock { $0.fails = fails } }

  subscript(name: String) -> [UInt8]? {
    get { state.withLock { $0.kept[.text(name)] } }
    set { state.withLock { $0.kept[.text(name)] = newValue } }
  }

  func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]? {
    try check(.read, name)
    return self[name]
  }

  func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure) {
    try check(.write, name)
    self[name] = bytes
    state.withLock { $0.saveCount += 1 }
    saved.yield(name)
  }

  func remove(_ name: String) throws(SectionCacheFailure) -> Bool {
    try check(.remove, name)
    return state.withLock { $0.kept.removeValue(forKey: .text(name)) != nil }
  }

  func removeAll() throws(SectionCacheFailure) -> Int {
    try check(.remove, "all")
    return state.withLock { state in
      defer { state.kept = [:] }
      return state.kept.count
    }
  }

  func entries() throws(SectionCacheFailure) -> [SectionCacheEntry] {
    try check(.read, "all")
    return state.withLock { state in
      state.kept.map { name, bytes in
        SectionCacheEntry(name: name.text ?? "", byteCount: bytes.count, writtenAt: nil)
      }
    }
  }

  private func check(
    _ action: SectionCacheFailure.Action,
    _ name: String
  ) throws(SectionCacheFailure) {
    if state.withLock({ $0.fails }) { throw SectionCacheFailure(action, at: name, "no disk") }
  }
}
