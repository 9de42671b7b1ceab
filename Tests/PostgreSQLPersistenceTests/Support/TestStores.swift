#if PostgreSQL
import ResultsDomain
import Synchronization

@testable import PostgreSQLPersistence

/// Opens stores in schemas of their own of one database, which is much quicker than a database for each.
final class TestStores: Sendable {
  /// The URL of the database on its server.
  let url: String
  /// The URL by which stores are opened.
  private let openedURL: String
  private let count = Mutex(0)
  private let opened = Mutex<[String: PostgreSQLStoreOptions]>([:])

  /// Uses a new database, which is removed with the object.
  ///
  /// - Parameter isPooled: Whether stores are opened through a pooler.
  /// - Throws: The server's failure.
  init(isPooled: Bool = false) throws {
    url = try TestServer.newDatabase()
    openedURL = isPooled ? TestServer.pooled(url) : url
  }

  deinit { try? TestServer.removeDatabase(url) }

  /// Opens a store in new schemas.
  func open(
    _ entities: [EntityDescription],
    _ options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws -> PostgreSQLStore {
    let number = count.withLock { count in
      count += 1
      return count
    }
    var options = options
    options.schema = "s\(number)"
    options.logSchema = "l\(number)"
    try TestServer.connect(url).runOnce("CREATE SCHEMA s\(number)")
    let store = try PostgreSQLStore(url: openedURL, entities: entities, options: options)
    opened.withLock { $0[store.identity.uniqueName] = options }
    return store
  }

  /// Opens the content of a store again.
  func open(
    sameAs store: any Store,
    _ change: (inout PostgreSQLStoreOptions) -> Void = { _ in }
  ) throws -> PostgreSQLStore {
    var options = opened.withLock { $0[store.identity.uniqueName] } ?? PostgreSQLStoreOptions()
    change(&options)
    return try PostgreSQLStore(url: openedURL, entities: store.entities, options: options)
  }
}
#endif
