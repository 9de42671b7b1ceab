#if Web
import Synchronization

/// The memory that all lists of a server may take for keys which no index has for them.
///
/// The program's own list has as much as it needs; the further ones that pages open share a bound, so that no page can take all memory.
final class KeyRoom: Sendable {
  private struct Entry {
    var bytes: Int
    let unusedSince: @Sendable () -> ContinuousClock.Instant?
    let leave: @Sendable () -> Void
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  private let most: Int

  /// Creates the room.
  /// - Parameter most: The bytes of all keys.
  init(most: Int = 512 << 20) { self.most = most }

  /// The bytes that are taken.
  var bytes: Int { entries.withLock { KeyRoom.bytes(of: $0) } }

  private static func bytes(of entries: [ObjectIdentifier: Entry]) -> Int {
    entries.values.reduce(0) { $0 + $1.bytes }
  }

  /// Takes the bytes of a list's keys; the lists give way that no page has shown for the longest time.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - list: The list, until `leave(_:)`.
  ///   - unusedSince: Returns the moment since which no page has shown the list, or `nil` if one does.
  ///   - leave: Closes the list.
  /// - Returns: Whether there was room.
  func take(
    _ bytes: Int,
    for list: AnyObject,
    unusedSince: @escaping @Sendable () -> ContinuousClock.Instant?,
    leave: @escaping @Sendable () -> Void
  ) -> Bool {
    let (isTaken, left) = entries.withLock { entries -> (Bool, [Entry]) in
      var missing = KeyRoom.bytes(of: entries) + bytes - most
      var left: [ObjectIdentifier] = []
      let unused = entries.compactMap { id, entry in entry.unusedSince().map { (id, entry, $0) } }
      for (id, entry, _) in unused.sorted(by: { $0.2 < $1.2 }) where missing > 0 {
        missing -= entry.bytes
        left.append(id)
      }
      guard missing <= 0 else { return (false, []) }
      let entry = Entry(bytes: bytes, unusedSince: unusedSince, leave: leave)
      let leaving = left.compactMap { entries.removeValue(forKey: $0) }
      entries[ObjectIdentifier(list)] = entry
      return (true, leaving)
    }
    for entry in left { entry.leave() }
    return isTaken
  }

  /// Gives back what a list has taken.
  func leave(_ list: AnyObject) {
    entries.withLock { $0[ObjectIdentifier(list)] = nil }
  }
}
#endif
