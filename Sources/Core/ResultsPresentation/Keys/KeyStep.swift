import ResultsDomain
import Synchronization

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
