#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Creates the change log and the triggers of the store's tables, or finds them as they should be.
struct ChangeLogInstaller {
  let schema: LogSchema
  let tables: StoreTables
  let path: String
  /// The mode of capture, or `nil` for the fastest that is right for each table.
  var mode: CaptureText.Mode?
  /// The names of tables whose triggers this opening of the store has removed with a column: they are put back.
  var uncaptured: Set<Value> = []

  /// How long to wait for the locks of others.
  private static let patience: Duration = .seconds(5)

  /// How often an installation is tried again after another process has made something that it makes.
  private static let attemptLimit = 3

  /// Whether a database has the log's schema, and in which form.
  /// - Returns: `nil` without one.
  func format(on connection: Connection) throws(PostgreSQLFailure) -> Int? {
    let name = Parameter.text("\(schema.quoted).store")
    let exists = "SELECT pg_catalog.to_regclass($1) IS NOT NULL"
    guard try connection.runOnce(exists, [name]).boolean(0, 0) == true else { return nil }
    let format = try connection.runOnce("SELECT s.format FROM \(schema.quoted).store s")
    // A dump can have the tables without what is in them.
    return format.count == 0 ? LogSchema.format : Int(format.integer(0, 0) ?? 0)
  }

  /// Reads how the tables are captured, in the open transaction or one of its own.
  func layout(
    on connection: Connection,
    hasLog: Bool = true
  ) throws(PostgreSQLFailure) -> CaptureLayout {
    let statements = CaptureLayout.statements(of: tables, in: schema, hasLog: hasLog)
    let results = try connection.run(statements)
    var layout = CaptureLayout(results, of: tables, in: schema)
    let marks = try connection.runOnce(
      "SELECT \(layout.marksExpression(of: tables, in: schema))"
    )
    layout.marks = (marks.elements(0, 0) ?? []).map { BinaryForm.integer($0) }
    return layout
  }

  /// All statements that create the log and capture the tables, for a database's owner to run; nothing is changed.
  func statements(on connection: Connection) throws(StoreError) -> [String] {
    let found: CaptureLayout
    do {
      found = try layout(on: connection, hasLog: format(on: connection) != nil)
    } catch {
      throw error.storeError(path: path, waited: .zero)
    }
    let creation =
      schema.creation + schema.additions + schema.functions.map { $0.creation(in: schema) }
    let captures = try captures(of: found, all: true).flatMap(\.statements)
    return creation + captures + [schema.closing]
  }

  // MARK: Installing

  /// How the tables are captured, after installing what is missing where that is permitted.
  /// - Returns: `nil` without a log.
  /// - Throws: `StoreError.cannotOpen` if the log must be installed and cannot be.
  func layout(
    installing mayInstall: Bool,
    on connection: Connection
  ) throws(StoreError) -> CaptureLayout? {
    var found: CaptureLayout?
    var isStandby = false
    var isClosed = false
    var format: Int?
    do {
      if let intruder = try intruder(on: connection) {
        guard mayInstall else { return nil }
        throw intruder
      }
      format = try self.format(on: connection)
      if format == LogSchema.format {
        found = try layout(on: connection)
        isClosed = try connection.runOnce(schema.isClosed).boolean(0, 0) ?? false
      }
      isStandby =
        try connection.runOnce("SELECT pg_catalog.pg_is_in_recovery()").boolean(0, 0) ?? false
    } catch let error as StoreError {
      throw error
    } catch let error as PostgreSQLFailure {
      // A user who may not read the log has none.
      guard error.state == "42501" else { throw error.storeError(path: path, waited: .zero) }
    } catch {
      throw .unexpected(path: path, detail: "\(error)")
    }
    if let format, format > LogSchema.format {
      throw .cannotOpen(path: path, .newerFormat(found: format, supported: LogSchema.format))
    }
    let isAsWanted = found?.isAsWanted == true && isClosed
    guard !isAsWanted, mayInstall, !isStandby else { return found }
    do {
      return try install(on: connection)
    } catch {
      // A log that misses nothing serves a user without rights too.
      guard found?.isComplete == true, case .cannotOpen = error else { throw error }
      return found
    }
  }

  /// The error for a log that a stranger to the tables can change, or `nil`; nothing in the schema is used before.
  private func intruder(on connection: Connection) throws(PostgreSQLFailure) -> StoreError? {
    let found = try connection.run([schema.intruder(among: tables)])[0]
    guard found.count > 0 else { return nil }
    let detail =
      "\(found.text(0, 1) ?? "") belongs to \(found.text(0, 0) ?? ""), who has no right to capture the changes of the tables, and could"
      + " run code as this user. Remove it, or name another schema for the log"
    return .cannotOpen(path: path, .modelMismatch(detail: detail))
  }

  /// Installs what is missing, in one transaction.
  /// - Parameters:
  ///   - connection: A connection without an open transaction.
  ///   - restores: Whether triggers that someone has switched off or removed are put back, and what was lost is forgotten.
  /// - Returns: What is captured now, and how.
  /// - Throws: `StoreError.cannotOpen` with what the database's owner must run, if the user has not the right.
  func install(
    on connection: Connection,
    restoring restores: Bool = false
  ) throws(StoreError) -> CaptureLayout {
    let deadline = ContinuousClock.now + ChangeLogInstaller.patience
    var statements: [String] = []
    var attempt = 1
    while true {
      do {
        let layout = try install(
          on: connection,
          restoring: restores,
          within: deadline - .now,
          noting: &statements
        )
        try connection.run([Statement.commit.unprepared])
        return layout
      } catch {
        _ = try? connection.run([Statement.rollback.unprepared])
        guard let failure = error as? PostgreSQLFailure, !connection.isRehearsing,
          ContinuousClock.now < deadline,
          failure.isLocked || failure.isMadeByOthers && attempt < ChangeLogInstaller.attemptLimit
        else { throw storeError(error, statements, on: connection) }
        if !failure.isLocked { attempt += 1 }
        _ = try? connection.runOnce(TableLocks.pause)
      }
    }
  }

  /// The error for an installation that has failed; without rights it names the statements for the owner.
  private func storeError(
    _ error: any Error,
    _ statements: [String],
    on connection: Connection
  ) -> StoreError {
    if let error = error as? StoreError { return error }
    guard let failure = error as? PostgreSQLFailure else {
      return .unexpected(path: path, detail: "\(error)")
    }
    guard failure.state == "42501" else {
      return failure.storeError(path: path, waited: ChangeLogInstaller.patience)
    }
    var statements = statements
    if let all = try? self.statements(on: connection), !all.isEmpty { statements = all }
    if statements.isEmpty { statements = grants(on: connection) }
    return .cannotOpen(path: path, .needsRights(statements: statements))
  }

  private func install(
    on connection: Connection,
    restoring restores: Bool,
    within patience: Duration,
    noting statements: inout [String]
  ) throws -> CaptureLayout {
    // What is to be locked is read before the transaction holds anything.
    let found = try format(on: connection)
    try refuse(format: found)
    if found == nil { try refuseRole(on: connection) }
    let locks = try self.locks(
      for: layout(on: connection, hasLog: found != nil),
      restoring: restores,
      hasLog: found != nil
    )
    _ = try connection.run([
      Statement.begin(.readCommitted).unprepared,
      Statement(locks.taking(within: patience, waits: !connection.isRehearsing), isPrepared: false),
      Statement(TableLocks.ending, isPrepared: false),
    ])
    let format = try format(on: connection)
    try refuse(format: format)
    statements = format == nil ? schema.creation : []
    statements += schema.additions + schema.functions.map { $0.creation(in: schema) }
    try run(statements, on: connection)
    // Now the tables of the log can be read.
    let layout = try layout(on: connection)
    guard locks.include(try self.locks(for: layout, restoring: restores, hasLog: format != nil))
    else { throw PostgreSQLFailure.needsOtherLocks }
    var last = try captures(of: layout, restoring: restores).flatMap(\.statements)
    if restores, layout.hasLosses { last += forgettingLosses(of: layout) }
    last.append(schema.closing)
    statements += last
    try run(last, on: connection)
    // The schema may have been made by others a moment ago.
    if let intruder = try intruder(on: connection) { throw intruder }
    let installed = try self.layout(on: connection)
    // What someone has switched off stays off, and a table that cannot be captured for another reason is compared.
    guard
      installed.tables.allSatisfy({ $0.number != nil || $0.isOfThisText || $0.isAltered })
    else {
      throw StoreError.unexpected(
        path: path,
        detail: "the triggers of the change log are not as they were created"
      )
    }
    return installed
  }

  private func refuse(format: Int?) throws(StoreError) {
    guard let format, format != LogSchema.format else { return }
    throw .cannotOpen(path: path, .newerFormat(found: format, supported: LogSchema.format))
  }

  /// The locks for what an installation does to the tables.
  private func locks(
    for layout: CaptureLayout,
    restoring restores: Bool,
    hasLog: Bool
  ) throws(StoreError) -> TableLocks {
    var locks = TableLocks()
    if hasLog { locks.add("\(schema.quoted).store", .shareRowExclusive) }
    for capture in try captures(of: layout, restoring: restores) {
      locks.add(capture.table, capture.lock)
    }
    if restores, layout.hasLosses {
      for name in names(in: layout) { locks.add(name, .shareRowExclusive) }
    }
    return locks
  }

  /// The names of the tables that exist.
  private func names(in layout: CaptureLayout) -> [String] {
    zip(layout.tables, tables.all).filter { $0.0.relation != 0 }.map(\.1.quotedName)
  }

  /// The statements after which losses count from now on: while no transaction that has lost changes is running.
  private func forgettingLosses(of layout: CaptureLayout) -> [String] {
    let names = names(in: layout)
    guard !names.isEmpty else { return [] }
    return [
      "LOCK TABLE \(names.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE",
      "SELECT pg_catalog.setval(\(schema.literal("lost")), 1, false)",
    ]
  }

  /// What lets the user read a log that exists.
  private func grants(on connection: Connection) -> [String] {
    let user = try? connection.runOnce("SELECT current_user::pg_catalog.text").text(0, 0)
    let role = Connection.quoted(user ?? "")
    return schema.grants(to: role)
  }

  private func run(_ statements: [String], on connection: Connection) throws(PostgreSQLFailure) {
    guard !statements.isEmpty else { return }
    _ = try connection.run(statements.map { Statement($0, isPrepared: false) })
  }

  /// A role of the schema's name would have the schema in its search path by default.
  private func refuseRole(on connection: Connection) throws {
    let found = try connection.runOnce(
      "SELECT count(*) FROM pg_catalog.pg_roles r WHERE r.rolname::pg_catalog.text = $1",
      [.text(schema.name)]
    )
    guard found.integer(0, 0) == 0 else {
      let detail =
        "the server has a role with the name of the log's schema (\(schema.name));"
        + " its search path would contain the log. Name another schema for the log"
      throw StoreError.cannotOpen(path: path, .modelMismatch(detail: detail))
    }
  }

  // MARK: The tables

  /// What captures a table.
  struct Capture {
    /// The table's name in quotes.
    let table: String
    /// The lock that the statements need.
    let lock: TableLocks.Mode
    let statements: [String]
  }

  /// What captures the tables that are not captured as they should be, or all tables.
  func captures(
    of layout: CaptureLayout,
    all: Bool = false,
    restoring restores: Bool = false
  ) throws(StoreError) -> [Capture] {
    var captures: [Capture] = []
    var number = layout.lastNumber
    var done: Set<UInt32> = []
    for (index, table) in layout.tables.enumerated() {
      guard done.insert(table.relation).inserted, table.relation != 0 else { continue }
      if let trigger = table.earlierTriggers.first {
        let detail =
          "the trigger \(trigger) of \(tables.all[index].quotedName) fires before those of the log, so old values"
          + " would be lost. Give it a name that sorts behind \(CaptureText.triggerPrefix)"
        throw .cannotOpen(path: path, .modelMismatch(detail: detail))
      }
      if table.isAltered, !all, !restores,
        !uncaptured.contains(.text(tables.all[index].entity.name))
      {
        continue
      }
      // Several entities may have one table.
      let sharing = layout.tables.indices.filter { layout.tables[$0].relation == table.relation }
      guard
        sharing.contains(where: {
          all || layout.tables[$0].number == nil || !layout.tables[$0].ringsAsWanted
        })
      else { continue }
      let form = try form(of: table, sharing.map { tables.all[$0] }, next: number + 1)
      number = max(number, form.number)
      captures += capture(tables.all[index], table, form, rings: layout.rings)
    }
    return captures
  }

  private func form(
    of table: CaptureLayout.Table,
    _ entities: [EntityTable],
    next: Int
  ) throws(StoreError) -> CapturedEntity {
    let keys = entities[0].entity.identity.columns
    let others = table.newest.flatMap { $0.keys.allSatisfy { table.types[$0] != nil } ? $0 : nil }
    for other in entities.map(\.entity.identity.columns) + (others.map { [$0.keys] } ?? [])
    where other != keys {
      let detail =
        "the table \(entities[0].quotedName) is captured with the key \(other.joined(separator: ", ")),"
        + " and cannot be with the key \(keys.joined(separator: ", ")) too"
      throw .cannotOpen(path: path, .modelMismatch(detail: detail))
    }
    var attributes = (table.newest?.attributes ?? []).filter { table.types[$0] != nil }
    for name in entities.flatMap(\.entity.attributes).map(\.name) where !attributes.contains(name) {
      attributes.append(name)
    }
    let form = CapturedEntity(
      number: next,
      relation: table.relation,
      keys: keys,
      keyForm: table.keyForm,
      attributes: attributes,
      types: attributes.map { table.types[$0] ?? "" },
      mode: mode == .row ? .row : table.mode
    )
    // Changes of an equal form keep their number: they can be read. Those of triggers in an earlier text may mean something else.
    guard let newest = table.newest, table.isOfThisText, newest.hasSameImages(as: form) else {
      return form
    }
    return form.numbered(newest.number)
  }

  private func capture(
    _ table: EntityTable,
    _ found: CaptureLayout.Table,
    _ form: CapturedEntity,
    rings: Bool
  ) -> [Capture] {
    guard let text = form.text(of: table, rings: rings, in: schema) else { return [] }
    func list(_ texts: [String]) -> String {
      "ARRAY[\(texts.map(Connection.literal).joined(separator: ", "))]::text[]"
    }
    let capture = Connection.literal(text.mode.rawValue)
    var statements = [
      """
      INSERT INTO \(schema.quoted).entity (number, relation, name, keys, key_form, attributes, types, capture) VALUES \
      (\(form.number), \(Connection.literal(table.quotedName))::pg_catalog.regclass, \(Connection.literal(table.entity.name)), \
      \(list(form.keys)), \
      \(Connection.literal(text.keyForm.rawValue)), \(list(form.attributes)), \(list(form.types)), \(capture)) \
      ON CONFLICT (number) DO UPDATE SET capture = excluded.capture
      """
    ]
    // No row may be written between two triggers.
    statements.append("LOCK TABLE \(table.quotedName) IN SHARE ROW EXCLUSIVE MODE")
    statements += text.guardedFunctions.map { $0.creation(in: schema) }
    if found.isPartitioned {
      statements.append(schema.granting(text.guardedFunctions, toOwnerOf: table.quotedName))
    }
    let names = Set(text.triggers.map(\.name))
    let superfluous = found.triggers.filter { !names.contains($0) }
    statements += superfluous.map { name in
      "DROP TRIGGER \(Connection.quoted(name)) ON \(table.quotedName)"
    }
    statements += text.triggers.flatMap { $0.creation(on: table.quotedName, in: schema) }
    let lock = superfluous.isEmpty ? TableLocks.Mode.shareRowExclusive : .accessExclusive
    return [Capture(table: table.quotedName, lock: lock, statements: statements)]
  }
}

extension CapturedEntity {
  /// Whether changes in both forms are read in the same way.
  fileprivate func hasSameImages(as other: CapturedEntity) -> Bool {
    relation == other.relation && keys == other.keys && keyForm == other.keyForm
      && attributes == other.attributes && types == other.types
  }

  fileprivate func numbered(_ number: Int) -> CapturedEntity {
    CapturedEntity(
      number: number,
      relation: relation,
      keys: keys,
      keyForm: keyForm,
      attributes: attributes,
      types: types,
      mode: mode
    )
  }
}
#endif
