#if PostgreSQL
import ResultsDomain
import Testing

@testable import PostgreSQLPersistence

/// Entities and databases for tests of the schema.
enum SchemaSample {
  /// An entity with an attribute of each type.
  static func everything() throws -> EntityDescription {
    try EntityDescription(
      name: "Every \"thing\"",
      attributes: [
        AttributeDescription("small", .integer16), AttributeDescription("middle", .integer32),
        AttributeDescription("large", .integer64), AttributeDescription("flag", .boolean),
        AttributeDescription("day", .date, isOptional: true),
        AttributeDescription("price", .decimal(scale: 2), isOptional: true),
        AttributeDescription("ratio", .real, isOptional: true),
        AttributeDescription("It's", .text, isOptional: true),
        AttributeDescription("bytes", .blob, isOptional: true),
      ]
    )
  }

  static func entity(
    _ name: String,
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription] = [],
    identity: EntityIdentity = .integer()
  ) throws -> EntityDescription {
    try EntityDescription(
      name: name,
      identity: identity,
      attributes: attributes,
      relationships: relationships
    )
  }

  /// An application's table, made by some statements.
  static func adopting(
    _ statements: String...,
    entity: EntityDescription,
    _ body: (ReadTables) throws -> Void
  ) throws {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in statements { try connection.runOnce(statement) }
      try body(try ReadTables([entity], at: url) { $0.adoptsTables = true })
    }
  }

  /// Why an application's table is not used, which some statements made.
  static func refusal(
    _ statements: String...,
    entity: EntityDescription
  ) throws -> String {
    try TestServer.withDatabase { url in
      let connection = try TestServer.connect(url)
      for statement in statements { try connection.runOnce(statement) }
      return try refusal(of: [entity], at: url) { $0.adoptsTables = true }
    }
  }

  /// Why some entities' tables cannot be opened; the refusal changes nothing.
  static func refusal(
    of entities: [EntityDescription],
    at url: String,
    _ change: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> String {
    let before = try columns(at: url)
    var found = "nothing was refused"
    do {
      _ = try ReadTables(entities, at: url, change)
    } catch let error as StoreError {
      guard case .cannotOpen(_, let failure) = error else { throw error }
      switch failure {
      case .schemaMismatch(let entity, let detail): found = "\(entity): \(detail)"
      default: found = failure.message(for: "test")
      }
    }
    #expect(try columns(at: url) == before)
    return found
  }

  /// The columns of all tables, with their types.
  static func columns(at url: String, schema: String = "public") throws -> [String] {
    let result = try TestServer.connect(url).runOnce(
      """
      SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attcollation <> 0 THEN ' ' || (SELECT collname FROM pg_collation l WHERE l.oid = a.attcollation) ELSE '' END
        || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
        || CASE a.attidentity WHEN 'd' THEN ' IDENTITY' ELSE '' END
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p')
      ORDER BY c.relname COLLATE "C", a.attnum
      """,
      [.text(schema)]
    )
    return (0..<result.count).compactMap { result.text($0, 0) }
  }

  /// The definitions of the foreign keys and of the indexes that belong to no key.
  static func keysAndIndexes(at url: String) throws -> [String] {
    let result = try TestServer.connect(url).runOnce(
      """
      SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'
      UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relnamespace = 'public'::regnamespace AND NOT i.indisprimary
      """
    )
    return (0..<result.count).compactMap { result.text($0, 0) }.sorted()
  }
}
#endif
