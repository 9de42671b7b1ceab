import GRDB
import ResultsDomain
import SQLStoreSupport

/// Creates the change log and the triggers that write it, in the caller's transaction.
struct ChangeLogInstaller {
  let entities: [EntityDescription]
  /// The limits of the log.
  let bound: ChangeLogBound

  /// Creates what is missing, replaces what was changed, and drops triggers that came to another table by renames, also those of entities
  /// that this store does not know: they can make the application's statements fail.
  ///
  /// Where triggers were missing, changed or misplaced, changes may have been missed, so the history ends there.
  func install(on database: Database) throws {
    if try ChangeLogFormat.exists(on: database), try !ChangeLogFormat.isSound(on: database) {
      return try rebuild(on: database)
    }
    let hasNewEpoch = try ChangeLogFormat.exists(on: database) && StoreFormat.addEpoch(on: database)
    if hasNewEpoch { try ChangeLogFormat.interrupt(nil, on: database) }
    if try StoreFormat.number(on: database) {
      // It is unknown to which entities the triggers belong.
      try removeAllTriggers(on: database)
      if try ChangeLogFormat.exists(on: database) {
        try ChangeLogFormat.interrupt(nil, on: database)
      }
    }
    let recorded = try entities.compactMap { entity in
      try StoreFormat.recorded(entity.name, on: database).map { ($0, try number(of: $0, database)) }
    }
    let width = recorded.map(\.0.attributes.count).max() ?? 0
    let isNew = try ChangeLogFormat.create(on: database, attributes: width)
    try ChangeLogFormat.bound(bound, on: database)
    for (name, number) in try ChangeLogLayout.misplaced(on: database) {
      try drop(name, on: database)
      try ChangeLogFormat.interrupt(number, on: database)
    }
    let found = try ChangeLogLayout.triggers(on: database)
    for (entity, number) in recorded {
      let expected = try ChangeLogTriggers.expected(entity, number: number, on: database)?.all ?? []
      let own = found.keys.filter { $0.hasPrefix("\(ChangeLogFormat.triggerPrefix)\(number)_") }
      let isCurrent =
        own.count == expected.count && expected.allSatisfy { found[$0.name] == $0.sql }
      guard !isCurrent else { continue }
      for name in own { try drop(name, on: database) }
      for trigger in expected { try database.execute(sql: trigger.sql) }
      if !isNew { try ChangeLogFormat.interrupt(number, on: database) }
    }
  }

  /// Removes the triggers of an entity whose table is about to change.
  func removeTriggers(of entity: EntityDescription, on database: Database) throws {
    guard let recorded = try StoreFormat.recorded(entity.name, on: database) else { return }
    let number = try number(of: recorded, database)
    for name in try ChangeLogLayout.triggers(on: database).keys
    where name.hasPrefix("\(ChangeLogFormat.triggerPrefix)\(number)_") {
      try drop(name, on: database)
    }
  }

  /// Drops the log and all its triggers, and creates them again.
  func rebuild(on database: Database) throws {
    try StoreFormat.mendAdoption(on: database)
    try StoreFormat.mendPositions(on: database)
    try removeAllTriggers(on: database)
    for table in ["_results_log", "_results_reader"] {
      do {
        try database.execute(sql: "DROP TABLE IF EXISTS \(table)")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        // Its pages cannot be freed, but the table can be renamed.
        let aside = "\(table)_damaged_\(UInt32.random(in: 0 ... .max))"
        try database.execute(sql: "ALTER TABLE \(table) RENAME TO \(aside)")
      }
    }
    try install(on: database)
  }

  private func removeAllTriggers(on database: Database) throws {
    for name in try ChangeLogLayout.triggers(on: database).keys
    where name.hasPrefix(ChangeLogFormat.triggerPrefix) {
      try drop(name, on: database)
    }
  }

  private func drop(_ name: String, on database: Database) throws {
    let kind = name.hasSuffix(ChangeLogTriggers.guardSuffix) ? "INDEX" : "TRIGGER"
    try database.execute(sql: "DROP \(kind) IF EXISTS main.\(name.quotedIdentifier)")
  }

  private func number(of entity: RecordedEntity, _ database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: "SELECT number FROM _results_entity WHERE name = ?",
      arguments: [entity.name]
    ) ?? 0
  }
}
