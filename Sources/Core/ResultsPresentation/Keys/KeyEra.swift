import OrderStatistics
import ResultsDomain
import Synchronization

/// The versions in which a list over an index was found with the same keys, and the way to the next that has others.
///
/// A generation holds its era. The way on is held apart from it (`KeyStep`), so that a generation that is still read can be found in the
/// present store by undoing what came since, and of generations that nobody reads any more only that way is left, as long as an
/// earlier one needs it. Runs of keys that were read are kept, a few of them, and go with the era.
final class KeyEra: Sendable {
  private struct Kept {
    /// Runs read last, newest at the end, each by the bytes it begins with.
    var runs: [(lower: [UInt8], keys: SortedKeyList)] = []
    /// What the run begins with of which a single key was read last.
    var glimpsed: [UInt8]?
  }

  private static let keptRuns = 16
  private let step: KeyStep
  private let kept = Mutex(Kept())

  init(_ version: StoreVersion) { step = KeyStep(version) }

  /// Notes a later version with the same keys; versions between may have had others.
  func note(_ version: StoreVersion) { step.note(version) }

  /// Notes what became of the keys.
  func end(with change: KeyChange, next: KeyEra) { step.end(with: change, next: next.step) }

  /// What became of the keys until some version, as far as eras know, and the last version until then that they know.
  ///
  /// A long way is kept as one step for the next time.
  /// - Complexity: O(*k* log *k*) for the keys on the way.
  func change(until version: StoreVersion) -> (change: KeyChange, version: StoreVersion) {
    step.change(until: version)
  }

  /// How many keys are on the way from here to the present.
  /// - Complexity: O(*e*) in the eras since.
  var keyCountOfWay: Int { step.keyCount }

  /// A run that is kept.
  func run(from lower: [UInt8]) -> SortedKeyList? {
    kept.withLock { kept in
      guard let place = kept.runs.lastIndex(where: { $0.lower == lower }) else { return nil }
      let run = kept.runs.remove(at: place)
      kept.runs.append(run)
      return run.keys
    }
  }

  /// Whether a single key of a run may be read alone: a run that is asked for twice in a row is better read whole.
  func mayGlimpse(_ lower: [UInt8]) -> Bool {
    kept.withLock { kept in
      guard kept.glimpsed != lower else { return false }
      kept.glimpsed = lower
      return true
    }
  }

  /// Keeps a run.
  func keep(_ keys: SortedKeyList, from lower: [UInt8]) {
    kept.withLock { kept in
      kept.runs.removeAll { $0.lower == lower }
      kept.runs.append((lower, keys))
      if kept.runs.count > KeyEra.keptRuns { kept.runs.removeFirst() }
    }
  }

  /// Keeps a run no longer.
  func forget(_ lower: [UInt8]) { kept.withLock { $0.runs.removeAll { $0.lower == lower } } }

  /// All runs that are kept.
  var runs: [(lower: [UInt8], keys: SortedKeyList)] { kept.withLock { $0.runs } }
}

/// The versions known to have the keys of one era, and what leads to the next.
final class KeyStep: Sendable {
  private struct Body {
    /// Versions that are known to have the keys, ascending: the first one, and those noted last.
    ///
    /// Of what lies between two of them nothing is known: a key may have come and gone again.
    var known: [StoreVersion]
    var change = KeyChange()
    var next: KeyStep?

    /// The last known version that is not later than another, or the last of all in another epoch.
    func last(until version: StoreVersion) -> StoreVersion {
      known.last { $0.epoch != version.epoch || $0.sequence <= version.sequence } ?? known[0]
    }
  }

  /// How many versions an era remembers.
  ///
  /// A reader's is older than the last one only if the list was led on while it began to read, and then by a turn or two.
  private static let knownVersions = 9

  private let body: Mutex<Body>

  init(_ version: StoreVersion) { body = Mutex(Body(known: [version])) }

  deinit {
    // A long way would be left step inside step, which takes the thread's whole stack.
    var next = takeNext()
    while next != nil, isKnownUniquelyReferenced(&next) {
      let later = next?.takeNext()
      next = later
    }
  }

  private func takeNext() -> KeyStep? { body.withLock { $0.next.take() } }

  func note(_ version: StoreVersion) {
    body.withLock { body in
      guard body.known.last != version else { return }
      body.known.append(version)
      if body.known.count > KeyStep.knownVersions { body.known.remove(at: 1) }
    }
  }

  func end(with change: KeyChange, next: KeyStep) {
    body.withLock { body in
      body.change = change
      body.next = next
    }
  }

  func change(until version: StoreVersion) -> (change: KeyChange, version: StoreVersion) {
    var change = KeyChange()
    var last = self
    var steps = 0
    while let (step, next) = last.step(until: version) {
      if change.isEmpty { change = step } else { change.append(step) }
      last = next
      steps += 1
    }
    if steps > 8 { end(with: change, next: last) }
    return (change, last.body.withLock { $0.last(until: version) })
  }

  private func step(until version: StoreVersion) -> (KeyChange, KeyStep)? {
    let way = body.withLock { body -> (KeyChange, KeyStep)? in
      guard let next = body.next else { return nil }
      return (body.change, next)
    }
    guard let way, way.1.began(until: version) else { return nil }
    return way
  }

  private func began(until version: StoreVersion) -> Bool {
    let first = body.withLock { $0.known[0] }
    return first.epoch != version.epoch || first.sequence <= version.sequence
  }

  var keyCount: Int {
    var count = 0
    var step: KeyStep? = self
    while let present = step {
      (count, step) = present.body.withLock { (count + $0.change.count, $0.next) }
    }
    return count
  }
}
