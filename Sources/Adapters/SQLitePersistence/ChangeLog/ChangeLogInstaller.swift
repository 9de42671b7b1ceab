import GRDB
import ResultsDomain

/// Makes the log and the triggers that fill it; everything within the caller's transaction.
struct LogInstaller {
  let entities: [EntityDescription]

  /// Makes what is missing or other than it should be.
  ///
  /// Where triggers were not as they should be, something may have gone unheard, so the history ends there.
  func install(on database: Database) throws {
    if try LogFormat.exists(on: database), try !LogFormat.isSound(on: database) {
      return try rebuild(on: database)
    }
    let hasNewEpoch = try LogFormat.exists(on: database) && StoreFormat.addEpoch(on: database)
    if hasNewEpoch { try LogFormat.interrupt(nil, on: database) }
    if try StoreFormat.number(on: database) {
      // Nobody knows any more whose triggers these are.
      try removeAllTriggers(on: database)
      if try LogFormat.exists(on: database) { try LogFormat.interrupt(nil, on: database) }
    }
    let recorded = try entities.compactMap { entity in
      try StoreFormat.recorded(entity.name, on: database).map { ($0, try number(of: $0, database)) }
    }
    let width = recorded.map(\.0.attributes.count).max() ?? 0
    let isNew = try LogFormat.create(on: database, attributes: width)
    let found = try LogLayout.triggers(on: database)
    for (entity, number) in recorded {
      let expected = try LogTriggers.expected(entity, number: number, on: database)?.all ?? []
      let own = found.keys.filter { $0.hasPrefix("\(LogFormat.triggerPrefix)\(number)_") }
      let isRight =
        own.count == expected.count && expected.allSatisfy { found[$0.name] == $0.sql }
      guard !isRight else { continue }
      for name in own { try drop(name, on: database) }
      for trigger in expected { try database.execute(sql: trigger.sql) }
      if !isNew { try LogFormat.interrupt(number, on: database) }
    }
  }

  /// Removes the triggers of an entity whose table is about to change.
  func removeTriggers(of entity: EntityDescription, on database: Database) throws {
    guard let recorded = try StoreFormat.recorded(entity.name, on: database) else { return }
    let number = try number(of: recorded, database)
    for name in try LogLayout.triggers(on: database).keys
    where name.hasPrefix("\(LogFormat.triggerPrefix)\(number)_") {
      try drop(name, on: database)
    }
  }

  /// Removes the log and all triggers that fill it, and makes them anew.
  func rebuild(on database: Database) throws {
    try removeAllTriggers(on: database)
    for table in ["_results_log", "_results_reader"] {
      do {
        try database.execute(sql: "DROP TABLE IF EXISTS \(table)")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        // Its pages cannot be given back, but it need not stand in the way.
        let aside = "\(table)_damaged_\(UInt32.random(in: 0 ... .max))"
        try database.execute(sql: "ALTER TABLE \(table) RENAME TO \(aside)")
      }
    }
    try install(on: database)
  }

  private func removeAllTriggers(on database: Database) throws {
    for name in try LogLayout.triggers(on: database).keys
    where name.hasPrefix(LogFormat.triggerPrefix) {
      try drop(name, on: database)
    }
  }

  private func drop(_ name: String, on database: Database) throws {
    let kind = name.hasSuffix(LogTriggers.guardSuffix) ? "INDEX" : "TRIGGER"
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
