#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Opens the tables of a store's entities: finds them, creates or changes what is needed in one transaction, or refuses.
enum SchemaOpening {
  /// How long a change of the schema waits for a lock; a longer queue behind it would hold up everybody.
  private static let patience = Duration.seconds(5)

  /// How often at least the changes are tried that another process has made meanwhile.
  private static let attempts = 5

  /// Opens the tables of some entities.
  /// - Parameters:
  ///   - entities: The entities.
  ///   - options: How tables are found, made and changed.
  ///   - path: The store's name for messages.
  ///   - connection: A connection outside of a transaction.
  /// - Returns: The tables in the order of the entities.
  /// - Throws: `StoreError.cannotOpen` for tables that do not fit, of which nothing was changed, and the connection's errors.
  static func tables(
    for entities: [EntityDescription],
    options: SchemaOptions,
    path: String,
    on connection: Connection
  ) throws(StoreError) -> StoreTables {
    try open(entities, options: options, path: path, on: connection).tables
  }

  /// Opens the tables of some entities.
  /// - Returns: The tables, and the names of those whose capture a change has removed with a column: nobody has switched it off.
  /// - Throws: As `tables(for:options:path:on:)`.
  static func open(
    _ entities: [EntityDescription],
    options: SchemaOptions,
    path: String,
    on connection: Connection
  ) throws(StoreError) -> (tables: StoreTables, uncaptured: Set<Value>) {
    let inspector = SchemaInspector(entities: entities, options: options)
    var opening = Opening(inspector: inspector, path: path, connection: connection)
    let tables = try opening.tables()
    return (tables, opening.uncaptured)
  }

  /// One use of a connection.
  private struct Opening {
    let inspector: SchemaInspector
    let path: String
    let connection: Connection
    /// The tables whose triggers were removed with a column.
    private(set) var uncaptured: Set<Value> = []

    private var options: SchemaOptions { inspector.options }

    mutating func tables() throws(StoreError) -> StoreTables {
      try refusing { () throws(OpenFailureError) in try inspector.checkNames() }
      let found = try read()
      guard !(try changes(found)).isEmpty else { return try tables(found) }
      guard options.isWritable, !found.isReadOnly else { throw refusal(to: try changes(found)) }
      let deadline = ContinuousClock.now + SchemaOpening.patience
      var attempt = 1
      while true {
        let isLast =
          connection.isRehearsing
          || attempt >= SchemaOpening.attempts && ContinuousClock.now >= deadline
        if let tables = try changedTables(until: deadline, isLast: isLast) { return tables }
        if isLast { throw .busy(path: path, waited: SchemaOpening.patience) }
        attempt += 1
        try run([Statement(TableLocks.pause)], for: nil)
      }
    }

    /// Makes the changes in one transaction.
    ///
    /// No lock keeps others out where there is no table yet: everybody could take it. A second process waits for the first one's transaction
    /// where it makes the same thing, fails, and finds the work done.
    /// - Returns: `nil` if another process has made some of it, or is in the way, unless this is the last attempt.
    private mutating func changedTables(
      until deadline: ContinuousClock.Instant,
      isLast: Bool
    ) throws(StoreError) -> StoreTables? {
      let locks = locks(for: try changes(try read()))
      do {
        try run(
          [
            .begin(.readCommitted),
            Statement(locks.taking(within: deadline - .now, waits: !connection.isRehearsing)),
            Statement(
              locks.isEmpty
                ? "SET LOCAL lock_timeout = \(SchemaOpening.patience / .milliseconds(1))"
                : TableLocks.ending
            ),
            Statement("SET LOCAL search_path = pg_catalog"),
            Statement("SET LOCAL client_min_messages = error"),
          ],
          for: nil
        )
        let changes = try changes(try read())
        guard locks.include(self.locks(for: changes)), try apply(changes, isLast: isLast) else {
          _ = try? connection.run([Statement.rollback.unprepared])
          return nil
        }
        let tables = try tables(try read())
        try run([.commit], for: nil)
        return tables
      } catch {
        if connection.isInTransaction { _ = try? connection.run([Statement.rollback.unprepared]) }
        throw error
      }
    }

    private func locks(for changes: [SchemaChange]) -> TableLocks {
      var locks = TableLocks()
      for change in changes {
        change.addLocks(in: options.schema, of: inspector.entities, to: &locks)
      }
      return locks
    }

    private func read() throws(StoreError) -> CatalogReader.Findings {
      do {
        let reader = CatalogReader(connection: connection)
        let names = inspector.entities.map(\.name)
        guard let homes = options.homes else {
          return try reader.tables(named: names, in: options.schema)
        }
        let listed = names.map { (schema: homes[$0] ?? options.schema, name: $0) }
        return try reader.tables(.listed(listed)).discovered
      } catch {
        throw error.storeError(path: path, waited: SchemaOpening.patience)
      }
    }

    private func changes(_ found: CatalogReader.Findings) throws(StoreError) -> [SchemaChange] {
      let names = (try? CatalogReader(connection: connection).names(in: options.schema)) ?? []
      return try refusing { () throws(OpenFailureError) in
        try inspector.changes(found) { () throws(OpenFailureError) in names }
      }
    }

    private func tables(_ found: CatalogReader.Findings) throws(StoreError) -> StoreTables {
      let tables = try refusing { () throws(OpenFailureError) in try inspector.tables(found) }
      for table in tables where options.checksDates {
        let problem: String?
        do {
          problem = try DateColumns(of: table).problem(on: connection)
        } catch {
          throw storeError(error, table.entity.name)
        }
        if let problem {
          throw .cannotOpen(
            path: path,
            .schemaMismatch(entity: table.entity.name, detail: problem)
          )
        }
      }
      return StoreTables(tables)
    }

    private func refusing<Result>(
      _ body: () throws(OpenFailureError) -> Result
    ) throws(StoreError) -> Result {
      do {
        return try body()
      } catch {
        throw .cannotOpen(path: path, error.failure)
      }
    }

    /// The error for changes that a store cannot make which only reads.
    private func refusal(to changes: [SchemaChange]) -> StoreError {
      var failure: OpenFailure?
      for change in changes where failure == nil {
        switch change {
        case .create(let entity):
          failure = .missingTable(entity: entity.name, similar: [])
        case .add(let attribute, let entity):
          failure = .schemaMismatch(
            entity: entity.name,
            detail: "\(attribute.name) is new, and the store is open for reading only"
          )
        case .replace(let replacement, _):
          failure = .earlierVersion(
            entity: replacement.entity,
            attribute: replacement.attribute
          )
        case .schema, .reference, .drop, .index: continue
        }
      }
      return failure.map { .cannotOpen(path: path, $0) } ?? .readOnly(path: path)
    }

    /// Makes some changes.
    /// - Returns: Whether they were made, and not by another process meanwhile.
    private mutating func apply(
      _ changes: [SchemaChange],
      isLast: Bool
    ) throws(StoreError) -> Bool {
      uncaptured = []
      var statements: [(text: String, entity: String?)] = []
      var taken: [String] = []
      if changes.contains(where: { $0.phase == .index }) {
        do {
          taken = try CatalogReader(connection: connection).names(in: options.schema, all: true)
        } catch {
          throw storeError(error, nil)
        }
      }
      for change in changes {
        var triggers: [String] = []
        if case .drop(_, let entity) = change {
          let found = try self.triggers(of: entity)
          triggers = found.map(\.name)
          if found.allSatisfy(\.isEnabled), CaptureText.commonTriggers.isSubset(of: triggers) {
            uncaptured.insert(.text(entity.name))
          }
        }
        let texts = change.statements(in: options.schema, triggers: triggers) { wanted in
          let name = SchemaChange.freeName(wanted, beside: taken)
          taken.append(name)
          return name
        }
        for text in texts {
          statements.append((text, change.entity?.name))
        }
      }
      do {
        try run(statements.map(\.text))
        return true
      } catch {
        if error.failure.isMadeByOthers || error.failure.isLocked, !isLast { return false }
        guard error.failure.state == "42501" else {
          throw storeError(error.failure, statements.first { $0.text == error.text }?.entity)
        }
        throw .cannotOpen(path: path, .needsRights(statements: statements.map(\.text)))
      }
    }

    /// The triggers that capture the changes of a table.
    private func triggers(
      of entity: EntityDescription
    ) throws(StoreError) -> [(name: String, isEnabled: Bool)] {
      do {
        let result = try connection.run(
          """
          SELECT t.tgname, t.tgenabled = 'A' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = $1 AND c.relname = $2 AND NOT t.tgisinternal AND starts_with(t.tgname, '!results')
          """,
          [.text(options.schema), .text(entity.name)]
        )
        return (0..<result.count).compactMap { row in
          result.text(row, 0).map { ($0, result.boolean(row, 1) ?? false) }
        }
      } catch {
        throw storeError(error, entity.name)
      }
    }

    private struct Failed: Error {
      let failure: PostgreSQLFailure
      let text: String
    }

    private func run(_ texts: [String]) throws(Failed) { try run(texts.map { Statement($0) }) }

    private func run(_ statements: [Statement]) throws(Failed) {
      for statement in statements {
        do {
          _ = try connection.run([statement.unprepared])
        } catch {
          throw Failed(failure: error, text: statement.text)
        }
      }
    }

    private func run(_ statements: [Statement], for entity: String?) throws(StoreError) {
      do {
        try run(statements)
      } catch {
        throw storeError(error.failure, entity)
      }
    }

    /// The error for a statement that failed; one that the schema is the reason of names the entity.
    private func storeError(_ failure: PostgreSQLFailure, _ entity: String?) -> StoreError {
      if let entity, ["42", "2B", "23", "22"].contains(String(failure.state.prefix(2))) {
        return .cannotOpen(
          path: path,
          .schemaMismatch(entity: entity, detail: failure.message)
        )
      }
      return failure.storeError(path: path, waited: SchemaOpening.patience)
    }
  }
}

#endif
