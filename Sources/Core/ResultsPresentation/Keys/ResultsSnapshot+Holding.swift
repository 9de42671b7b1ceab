import OrderStatistics
import ResultsDomain

extension ResultsSnapshot {
  /// The same generation with all its keys held.
  /// - Throws: The store's error; also if its history no longer tells what the keys were.
  /// - Complexity: O(*n*) where an index has the keys.
  func holdingKeys(in store: any StoreSnapshot) throws(StoreError) -> ResultsSnapshot {
    guard case .indexed = keys else { return self }
    var held = self
    held.keys = .held(try keys.held(in: store))
    return held
  }
}
