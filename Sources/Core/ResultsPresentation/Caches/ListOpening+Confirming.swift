import OrderStatistics
import ResultsDomain

extension ListOpening {
  /// Up to so many rows all are compared; of longer lists the first ones, and as many between them and the end.
  private static let confirmed = 256

  /// Whether rows that a cache has keys of still have these keys.
  ///
  /// A store finds what changed since a cache was written by what it has noted of changes. What comes into its rows without being
  /// noted, such as a damaged page, shows only in the rows. Keys that an index gives are rows of the store themselves.
  /// - Complexity: O(1): at most some hundred rows are read.
  func isConfirmed(_ keys: ListKeys, in store: any StoreSnapshot) -> Bool {
    guard case .held(let keys) = keys else { return true }
    let sample = ListOpening.sample(of: keys.count).map { keys.key(at: $0) }
    let objects = sample.compactMap { key in
      key.withUnsafeBytes { plan.layout.objectKey(in: $0, of: plan.entity.identity) }
    }
    guard objects.count == sample.count,
      let rows = try? store.rows(objects, of: plan.entity), rows.count == sample.count
    else { return false }
    return zip(sample, rows).allSatisfy { key, row in
      guard let row, plan.predicate.holds(for: row) else { return false }
      return (try? plan.encoder.key(row.values, key: row.id.key)) == key
    }
  }

  private static func sample(of count: Int) -> [Int] {
    guard count > confirmed else { return Array(0..<count) }
    let half = confirmed / 2
    let rest = (1...half).map { half + (count - half) * $0 / half - 1 }
    return Array(0..<half) + rest
  }
}
