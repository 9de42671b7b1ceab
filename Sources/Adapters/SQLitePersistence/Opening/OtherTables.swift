import GRDB
import ResultsDomain

/// What a database has in place of an entity's table.
struct OtherTables {
  private let tables: [String]
  private let views: [String]
  private let temporary: [String]

  /// Reads the names of what the connection sees.
  init(on database: Database) throws {
    func names(_ schema: String, _ types: String) throws -> [String] {
      try String.fetchAll(
        database,
        sql: """
          SELECT name FROM \(schema) WHERE type IN (\(types))
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_results\\_%' ESCAPE '\\'
          ORDER BY name
          """
      )
    }
    tables = try names("main.sqlite_master", "'table'")
    views = try names("main.sqlite_master", "'view'")
    temporary = try names("temp.sqlite_master", "'table', 'view'")
  }

  /// Why an entity cannot have a table of its name, or `nil`.
  func refusal(of entity: EntityDescription) -> OpenFailure? {
    let isCalled = { (name: String) in name.caselessIdentifier == entity.name.caselessIdentifier }
    if temporary.contains(where: isCalled) {
      return .schemaMismatch(
        entity: entity.name,
        detail: "a temporary table of that name hides it, which no other connection sees"
      )
    }
    guard views.contains(where: isCalled) else { return nil }
    return .schemaMismatch(
      entity: entity.name,
      detail: "it is a view, whose rows have no key that lasts"
    )
  }

  /// Says that an entity's table is missing, and which names are near.
  func missing(_ entity: EntityDescription) -> OpenFailure {
    let nearest = NearestName.of(entity.name, among: tables)
    return .missingTable(
      entity: entity.name,
      similar: nearest.map { [$0] } ?? Array(tables.prefix(10))
    )
  }
}
