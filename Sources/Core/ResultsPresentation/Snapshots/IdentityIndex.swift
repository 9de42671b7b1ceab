import OrderStatistics
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// Finds the key of an object in one generation of a list.
///
/// It holds each identity's bytes followed by the key, in order. The first search builds it; from then on each generation derives its
/// index from the one before, so a list that is never searched pays nothing.
///
/// The mutex guards `entries`, which is set once. Building happens while it is held, so that no thread builds twice.
final class IdentityIndex: Sendable {
  private let entries: Mutex<SortedKeyList?>

  init(_ entries: SortedKeyList? = nil) { self.entries = Mutex(entries) }

  /// The key of the object with some identity bytes, or `nil` if it is not in the list.
  /// - Complexity: O(log *n*); O(*n* log *n*) the first time.
  func key(of identity: [UInt8], in keys: SortedKeyList, _ layout: KeyLayout) -> [UInt8]? {
    let entries = entries.withLock { stored -> SortedKeyList in
      if let stored { return stored }
      let built = IdentityIndex.build(keys, layout)
      stored = built
      return built
    }
    guard let position = entries.firstPosition(withPrefix: identity) else { return nil }
    return entries.withKey(at: position) { Array($0.dropFirst(identity.count)) }
  }

  /// The index of the next generation.
  func advanced(
    removing removed: KeyBatch,
    inserting inserted: KeyBatch,
    _ layout: KeyLayout
  ) -> IdentityIndex {
    guard var next = entries.withLock({ $0 }) else { return IdentityIndex() }
    for index in 0..<removed.count {
      _ = next.remove(IdentityIndex.entry(of: removed[index], layout))
    }
    for index in 0..<inserted.count {
      _ = next.insert(IdentityIndex.entry(of: inserted[index], layout))
    }
    return IdentityIndex(next)
  }

  private static func entry(of key: [UInt8], _ layout: KeyLayout) -> [UInt8] {
    key.withUnsafeBytes { Array($0[layout.identityStart(in: $0)...]) + key }
  }

  private static func build(_ keys: SortedKeyList, _ layout: KeyLayout) -> SortedKeyList {
    if layout.fixedIdentityLength == 9 { return buildByWords(keys, layout) }
    var unsorted: [[UInt8]] = []
    unsorted.reserveCapacity(keys.count)
    keys.forEachKey(in: 0..<keys.count) { _, key in
      unsorted.append(Array(key[layout.identityStart(in: key)...]) + key)
    }
    unsorted.sort { KeyOrder.compare($0, $1) < 0 }
    return (try? SortedKeyList(sorted: unsorted)) ?? SortedKeyList()
  }

  /// As `build`, for integer identities: it sorts words instead of bytes, and allocates nothing for a row.
  private static func buildByWords(_ keys: SortedKeyList, _ layout: KeyLayout) -> SortedKeyList {
    var words: [(identity: UInt64, position: Int)] = []
    words.reserveCapacity(keys.count)
    keys.forEachKey(in: 0..<keys.count) { position, key in
      let word = key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self)
      words.append((UInt64(bigEndian: word), position))
    }
    words.sort { $0.identity < $1.identity }
    var batch = KeyBatch()
    var entry: [UInt8] = []
    for word in words {
      keys.withKey(at: word.position) { key in
        entry.removeAll(keepingCapacity: true)
        entry.append(contentsOf: key.suffix(9))
        entry.append(contentsOf: key)
      }
      batch.append(entry)
    }
    return (try? SortedKeyList(sorted: batch)) ?? SortedKeyList()
  }
}
