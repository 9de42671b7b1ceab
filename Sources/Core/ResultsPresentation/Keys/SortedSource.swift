import OrderStatistics
import ResultsDomain

/// The keys of one version in place of an index that is gone, so that a list can be read until it is fetched again.
final class SortedSource: RankedSource {
  let layout: KeyLayout
  private let keys: SortedKeyList

  /// - Complexity: O(*n* log *n*): the store has to sort.
  init(_ definition: OrderDefinition, in snapshot: any StoreSnapshot) throws(StoreError) {
    keys = try ListEngine.keys(of: definition, in: snapshot)
    layout = definition.layout
  }

  func keyCount() -> Int { keys.count }

  func rank(of bytes: [UInt8]) -> Int { keys.rank(of: bytes) }

  func appendKeys(in positions: Range<Int>, every stride: Int, to batch: inout EntryBatch) {
    keys.forEachKey(in: positions, every: stride) { _, key in
      batch.append { $0.bytes.append(contentsOf: key) }
    }
  }
}
