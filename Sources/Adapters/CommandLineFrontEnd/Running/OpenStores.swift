public import ResultsDomain
import Synchronization

/// The stores that the program has opened, so that they are closed however it ends: one that is not closed leaves files beside its
/// own, and its place among the readers of its log.
public enum OpenStores {
  private static let stores = Mutex<[any Store]>([])

  /// Notes a store that is to be closed at the end, if it is not closed before.
  public static func closeAtEnd(_ store: any Store) { stores.withLock { $0.append(store) } }

  /// Closes all stores; closing one that is closed does nothing.
  public static func close() {
    let opened = stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
    for store in opened { try? store.close() }
  }
}
