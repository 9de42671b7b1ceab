import GRDB
import ResultsDomain
import ResultsStoreKit

/// What the framework that made a database writes by convention, and its tables do not declare.
///
/// A database is recognized by a table that only the framework makes. A convention proposes: a form that a value contradicts is not used,
/// and a key by convention that names no row means no object (R92).
struct FrameworkConventions: NamingConventions {
  private enum Framework {
    case rails, django, coreData
  }

  private let framework: Framework?
  /// The tables of Core Data's entities, by the entity's number.
  private var entityTables: [Int64: String] = [:]
  /// The names of Django's models, by table.
  private var models: [String: String] = [:]

  /// Recognizes the framework by the tables of a database.
  init(on database: Database, within bound: ReadingBound?) throws {
    func bounded<Result>(_ body: () throws -> Result) -> Result? {
      try? database.limitingValues(to: 1 << 20) { try bound?.run(on: database, body) ?? body() }
    }
    let names = try String.fetchAll(
      database,
      sql: """
        SELECT name FROM main.sqlite_master
        WHERE type = 'table' AND name IN ('ar_internal_metadata', 'django_migrations', 'Z_PRIMARYKEY')
        """
    )
    switch names {
    case ["ar_internal_metadata"]: framework = .rails
    case ["django_migrations"]: framework = .django
    case ["Z_PRIMARYKEY"]: framework = .coreData
    default: framework = nil
    }
    // Tables of these names with other columns say nothing.
    switch framework {
    case .coreData:
      entityTables = bounded { try FrameworkConventions.entityTables(on: database) } ?? [:]
    case .django: models = bounded { try FrameworkConventions.models(on: database) } ?? [:]
    case .rails, nil: break
    }
  }

  /// The number of rows that are read of a framework's table.
  private static let rowLimit = 10_000

  private static func models(on database: Database) throws -> [String: String] {
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: """
        SELECT app_label || '_' || model, model FROM main.django_content_type LIMIT \(rowLimit)
        """
    )
    let models = try rows.map { row in
      (try row.decode(String.self, atIndex: 0), try row.decode(String.self, atIndex: 1))
    }
    return Dictionary(models) { first, _ in first }
  }

  private static func entityTables(on database: Database) throws -> [Int64: String] {
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: "SELECT Z_ENT, Z_NAME, Z_SUPER FROM main.Z_PRIMARYKEY LIMIT \(rowLimit)"
    )
    var entities: [Int64: (name: String, parent: Int64)] = [:]
    for row in rows {
      entities[try row.decode(atIndex: 0)] = (
        try row.decode(atIndex: 1), try row.decode(Int64?.self, atIndex: 2) ?? 0
      )
    }
    // The objects of an entity that inherits are in the table of the first one.
    return entities.mapValues { entity in
      var entity = entity
      for _ in 0..<64 {
        guard let parent = entities[entity.parent] else { break }
        entity = parent
      }
      return "Z" + entity.name.uppercased()
    }
  }

  /// Whether tables have foreign keys that they do not declare.
  var addsForeignKeys: Bool {
    switch framework {
    case .rails, .coreData: true
    case .django, nil: false
    }
  }

  /// Whether the column of a foreign key has the name of its table, and not that of a relationship.
  var namesColumnsByTables: Bool { if case .coreData = framework { true } else { false } }

  /// SQLite ignores the case of A to Z.
  func identifier(_ name: String) -> [UInt8] { name.caselessIdentifier }

  /// The form in which the framework writes a column, by its declared type.
  func form(declaredType: String) -> StoredForm? {
    let declared = String(decoding: declaredType.caselessIdentifier, as: UTF8.self)
    switch framework {
    case .rails, .django:
      if declared.hasPrefix("datetime") { return .dateTextOmittingZeroFraction }
      if declared == "date" { return .dayText }
      return framework == .django && declared == "char(32)" ? .uuidHex : nil
    case .coreData: return declared == "timestamp" ? .referenceSeconds : nil
    case nil: return nil
    }
  }

  /// The name of a table's objects without what the framework adds to it.
  func objectName(ofTable name: String) -> String {
    switch framework {
    case .coreData where name.hasPrefix("Z") && !name.hasPrefix("Z_"):
      name.dropFirst().lowercased()
    case .django: models[name] ?? name
    case .coreData, .rails, nil: name
    }
  }

  /// The name of a many-to-many relationship by the column of its link that holds the keys of its objects, or `nil` if it says nothing.
  ///
  /// In Core Data `Z_3TAGS` is the column of a relationship `tags` to entity number 3.
  func relationshipName(ofLinkColumn name: String) -> String? {
    guard case .coreData = framework, name.hasPrefix("Z_") else { return nil }
    let rest = name.dropFirst(2).drop { $0.isNumber }
    return rest.isEmpty ? nil : rest.lowercased()
  }

  /// The foreign keys of a table that it does not declare.
  ///
  /// In Rails `author_id` holds a key of `authors`. In Core Data `ZAUTHOR` holds one of `ZAUTHOR`, and a column of a link such as `Z_3TAGS`
  /// one of the table of entity number 3.
  /// - Parameters:
  ///   - shape: The table.
  ///   - declaredKeys: The foreign keys that it declares.
  ///   - tables: The names of all tables.
  /// - Returns: The foreign keys.
  func foreignKeys(
    of shape: TableShape,
    beside declaredKeys: [ForeignKeyDescription],
    among tables: Set<String>
  ) -> [ForeignKeyDescription] {
    let declared = Set(declaredKeys.flatMap(\.columns).map(\.caselessIdentifier))
    return shape.columns.compactMap { column in
      guard column.affinity == .integer, !declared.contains(column.name.caselessIdentifier),
        let target = target(of: column, in: shape),
        tables.contains(target)
      else { return nil }
      return ForeignKeyDescription(
        columns: [column.name],
        table: target,
        targets: [],
        onDelete: .none,
        isDeclared: false
      )
    }
  }

  /// The table whose key a column holds by its name.
  private func target(of column: TableShape.Column, in shape: TableShape) -> String? {
    switch framework {
    case .rails:
      guard column.name.hasSuffix("_id"), let name = column.name.withoutKeySuffix,
        // The other column says which table the key is of.
        shape.column(named: name + "_type") == nil
      else { return nil }
      return name.plural
    case .coreData:
      guard column.name.hasPrefix("Z_") else { return column.name }
      let number = column.name.dropFirst(2).prefix { $0.isNumber }
      return Int64(number).flatMap { entityTables[$0] }
    case .django, nil: return nil
    }
  }
}
