#if PostgreSQL
public import ResultsDomain

extension PostgreSQLStore {
  /// How long a statement that reads a list may run, unless the administrator or the URL has set another time.
  private static let statementLimit: Duration = .seconds(60)

  /// Opens a database of another application with entities that were discovered in it.
  ///
  /// Nothing is written unless a change log is asked for. Without one the commits of all writers are followed by comparison. Statements
  /// end after a minute, unless the administrator or the URL has set another `statement_timeout`.
  /// - Parameters:
  ///   - database: The description of the database.
  ///   - entities: Entities of the description.
  ///   - busyTimeout: How long to wait for a lock.
  ///   - addsChangeLog: Whether the database gets a change log, by which every writer is followed row by row. A column that is read as text
  ///     cannot be in it.
  /// - Throws: `StoreError.cannotOpen` with the reason, also if a table has changed since, and `StoreError.unreachable`; the database is
  ///   then unchanged.
  public convenience init(
    discovered database: PostgreSQLDatabaseDescription,
    entities: [EntityDescription],
    busyTimeout: Duration = .seconds(5),
    addsChangeLog: Bool = false
  ) throws(StoreError) {
    var options = PostgreSQLStoreOptions(
      isReadOnly: !addsChangeLog,
      adoptsTables: true,
      createsTables: false,
      maintainsChangeLog: addsChangeLog,
      busyTimeout: busyTimeout
    )
    options.checksDates = false
    options.password = database.request.password
    options.homes = Dictionary(database.tables.map { ($0.name, $0.schema) }) { first, _ in first }
    options.session = ConnectionSettings.ofStrangers(
      patience: busyTimeout,
      limit: PostgreSQLStore.statementLimit,
      isReadOnly: !addsChangeLog
    )
    if addsChangeLog {
      for entity in entities {
        guard let column = database.table(named: entity.name)?.textColumns.first else { continue }
        throw .cannotOpen(
          path: database.path,
          .schemaMismatch(
            entity: entity.name,
            detail: "\(column.name) is \(column.type), which a change log cannot record"
          )
        )
      }
    }
    try self.init(url: database.request.url, entities: entities, options: options)
  }
}
#endif
