#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import Synchronization

@testable import PostgreSQLPersistence

/// Opens stores in schemas of their own of one database, which is much quicker than a database for each.
final class TestStores: Sendable {
  /// The URL of the database on its server.
  let url: String
  /// The URL by which stores are opened.
  private let openedURL: String
  /// The role that opens the stores which the owner has made, and the one that only reads them.
  private let roles: (editor: String, reader: String)?
  private let count = Mutex(0)
  private let opened = Mutex<[String: PostgreSQLStoreOptions]>([:])

  /// Uses a new database, which is removed with the object.
  ///
  /// - Parameter isPooled: Whether stores are opened through a pooler.
  /// - Throws: The server's failure.
  init(isPooled: Bool = false) throws {
    url = try TestServer.newDatabase()
    openedURL = isPooled ? TestServer.pooled(url) : url
    roles = nil
  }

  /// Uses a new database in which stores are opened by roles with the rights that docs/postgresql.md names.
  init(editor: String, reader: String) throws {
    url = try TestServer.newDatabase()
    openedURL = TestServer.url(url, as: editor)
    roles = (editor, reader)
    let connection = try TestServer.connect(url)
    for role in [editor, reader] { try connection.runOnce("CREATE ROLE \(role) LOGIN") }
  }

  deinit {
    try? TestServer.removeDatabase(url)
    guard let roles, let connection = try? TestServer.connect() else { return }
    for role in [roles.editor, roles.reader] { _ = try? connection.runOnce("DROP ROLE \(role)") }
  }

  /// Opens a store as its owner, closes it, and grants others what they need.
  private func prepare(
    _ entities: [EntityDescription],
    _ options: PostgreSQLStoreOptions
  ) throws {
    guard let roles else { return }
    try PostgreSQLStore(url: url, entities: entities, options: options).close()
    let log = LogSchema(name: options.logSchema)
    let schema = options.schema
    let connection = try TestServer.connect(url)
    for role in [roles.reader, roles.editor] {
      let statements = [
        "GRANT USAGE ON SCHEMA \(schema) TO \(role)",
        "GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)",
      ]
      for statement in statements + log.grants(to: role) { try connection.runOnce(statement) }
    }
    for statement in [
      "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(roles.editor)",
      "GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(roles.editor)",
      "GRANT UPDATE ON \(log.quoted).turn TO \(roles.editor)",
      "GRANT EXECUTE ON FUNCTION \(log.quoted).marker(bigint, text) TO \(roles.editor)",
    ] {
      try connection.runOnce(statement)
    }
  }

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
    try prepare(entities, options)
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
    let reader = options.isReadOnly ? roles?.reader : nil
    return try PostgreSQLStore(
      url: reader.map { TestServer.url(url, as: $0) } ?? openedURL,
      entities: store.entities,
      options: options
    )
  }
}
#endif
