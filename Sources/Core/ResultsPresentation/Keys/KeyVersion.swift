import OrderStatistics
import ResultsDomain
import Synchronization

/// The store versions at which a list over an index has the same keys, and the transition to the next key version.
///
/// A generation holds its key version. The transitions are held apart from it (`Transitions`): a generation that is still read is
/// found in the present store by undoing them, and of generations that nobody reads any more only they remain, for as long as an earlier
/// generation needs them. A few runs of keys that were read are cached here, and are released with the key version.
///
/// The mutex guards `cache`. Any thread that reads keys changes it. Nothing is called while it is held.
final class KeyVersion: Sendable {
  private struct Cache {
    /// The runs read last, newest at the end, each with the bytes it begins with.
    var runs: [(lower: [UInt8], keys: SortedKeyList)] = []
    /// The start of the run of which a single key was read last.
    var singleKeyRun: [UInt8]?
  }

  private static let cachedRunLimit = 16
  private let transitions: Transitions
  private let cache = Mutex(Cache())

  init(_ version: StoreVersion) { transitions = Transitions(version) }

  /// Records a later store version with the same keys; versions in between may have had others.
  func extend(to version: StoreVersion) { transitions.extend(to: version) }

  /// Records the transition to the next key version.
  func end(with change: KeyChange, next: KeyVersion) {
    transitions.end(with: change, next: next.transitions)
  }

  /// The change of the keys up to some store version as far as it is known, and the last store version up to then that is known.
  ///
  /// A long chain of transitions is stored as one afterwards.
  /// - Complexity: O(*k* log *k*) for the keys of the transitions.
  func change(upTo version: StoreVersion) -> (change: KeyChange, version: StoreVersion) {
    transitions.change(upTo: version)
  }

  /// The number of keys in the transitions from here to the present.
  /// - Complexity: O(*v*) in the key versions since.
  var transitionKeyCount: Int { transitions.keyCount }

  /// Returns a cached run.
  func cachedRun(from lower: [UInt8]) -> SortedKeyList? {
    cache.withLock { cache in
      guard let index = cache.runs.lastIndex(where: { $0.lower == lower }) else { return nil }
      let run = cache.runs.remove(at: index)
      cache.runs.append(run)
      return run.keys
    }
  }

  /// Whether a single key of a run may be read alone.
  ///
  /// A run needed twice in a row is better read whole.
  func allowsSingleKey(from lower: [UInt8]) -> Bool {
    cache.withLock { cache in
      guard cache.singleKeyRun != lower else { return false }
      cache.singleKeyRun = lower
      return true
    }
  }

  /// Caches a run; the run used least recently is evicted.
  func cacheRun(_ keys: SortedKeyList, from lower: [UInt8]) {
    cache.withLock { cache in
      cache.runs.removeAll { $0.lower == lower }
      cache.runs.append((lower, keys))
      if cache.runs.count > KeyVersion.cachedRunLimit { cache.runs.removeFirst() }
    }
  }

  /// Removes a run from the cache.
  func evictRun(from lower: [UInt8]) { cache.withLock { $0.runs.removeAll { $0.lower == lower } } }

  /// All cached runs.
  var cachedRuns: [(lower: [UInt8], keys: SortedKeyList)] { cache.withLock { $0.runs } }
}

// MARK: - Transitions

/// The store versions known to have the keys of one key version, and the transition to the next.
///
/// The mutex guards `body`. The owner of the list changes it when it advances; readers may replace a chain of transitions by an equal
/// single one. No two of these locks are held at once.
private final class Transitions: Sendable {
  private struct Body {
    /// Store versions that are known to have the keys, ascending: the first one, and those recorded last.
    ///
    /// Nothing is known of the versions between two of them: a key may have been inserted and removed again.
    var known: [StoreVersion]
    var change = KeyChange()
    var next: Transitions?

    /// The last known version that is not later than another, or the last of all in another epoch.
    func last(upTo version: StoreVersion) -> StoreVersion {
      known.last { $0.epoch != version.epoch || $0.sequence <= version.sequence } ?? known[0]
    }
  }

  /// The number of known versions that are stored.
  ///
  /// A reader's version is older than the last one only if the list was advanced while the reader began, and then by few steps.
  private static let knownVersionLimit = 9

  private let body: Mutex<Body>

  init(_ version: StoreVersion) { body = Mutex(Body(known: [version])) }

  deinit {
    // Releasing a long chain recursively would overflow the thread's stack.
    var next = takeNext()
    while next != nil, isKnownUniquelyReferenced(&next) {
      let later = next?.takeNext()
      next = later
    }
  }

  private func takeNext() -> Transitions? { body.withLock { $0.next.take() } }

  func extend(to version: StoreVersion) {
    body.withLock { body in
      guard body.known.last != version else { return }
      body.known.append(version)
      if body.known.count > Transitions.knownVersionLimit { body.known.remove(at: 1) }
    }
  }

  func end(with change: KeyChange, next: Transitions) {
    body.withLock { body in
      body.change = change
      body.next = next
    }
  }

  func change(upTo version: StoreVersion) -> (change: KeyChange, version: StoreVersion) {
    var change = KeyChange()
    var last = self
    var count = 0
    while let (step, next) = last.transition(upTo: version) {
      if change.isEmpty { change = step } else { change.append(step) }
      last = next
      count += 1
    }
    if count > 8 { end(with: change, next: last) }
    return (change, last.body.withLock { $0.last(upTo: version) })
  }

  private func transition(upTo version: StoreVersion) -> (KeyChange, Transitions)? {
    let transition = body.withLock { body -> (KeyChange, Transitions)? in
      guard let next = body.next else { return nil }
      return (body.change, next)
    }
    guard let transition, transition.1.began(upTo: version) else { return nil }
    return transition
  }

  private func began(upTo version: StoreVersion) -> Bool {
    let first = body.withLock { $0.known[0] }
    return first.epoch != version.epoch || first.sequence <= version.sequence
  }

  var keyCount: Int {
    var count = 0
    var current: Transitions? = self
    while let present = current {
      (count, current) = present.body.withLock { (count + $0.change.count, $0.next) }
    }
    return count
  }
}
