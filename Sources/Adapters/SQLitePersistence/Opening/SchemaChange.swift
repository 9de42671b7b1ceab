import GRDB
import ResultsDomain

/// What must be done to a table so that it fits its entity; everything else is refused.
enum SchemaChange {
  /// The table is made.
  case create(EntityDescription)
  /// A column is added; its rows have nothing in it.
  case add(AttributeDescription, EntityDescription)
  /// A column is removed with what is in it.
  case drop(String, EntityDescription)

  /// What leads from the schema that is written down to the entity's.
  /// - Throws: `OpenFailure` for a difference that is not bridged by itself.
  static func changes(
    from recorded: RecordedEntity,
    to entity: EntityDescription
  ) throws(OpenFailureError) -> [SchemaChange] {
    func mismatch(_ detail: String) -> OpenFailureError {
      OpenFailureError(.schemaMismatch(entity: entity.name, detail: detail))
    }
    let kind =
      switch entity.identity {
      case .integer: "integer"
      case .text: "text"
      case .compound: "compound"
      }
    let columns = entity.identity.columns
    guard recorded.identity == kind, recorded.keyColumns.elementsEqual(columns, by: isSame) else {
      throw mismatch(
        "its key is \(recorded.identity) (\(recorded.keyColumns.joined(separator: ", "))),"
          + " not \(kind) (\(columns.joined(separator: ", ")))"
      )
    }
    var added: [AttributeDescription] = []
    for attribute in entity.attributes {
      let old = recorded.attributes.first { isSame($0.name, attribute.name) }
      guard let old else {
        guard attribute.isOptional else {
          throw mismatch("the required attribute \(attribute.name) is new")
        }
        added.append(attribute)
        continue
      }
      guard old.type == attribute.type.description else {
        throw mismatch("\(attribute.name) is \(old.type), not \(attribute.type)")
      }
      guard old.isOptional == attribute.isOptional else {
        let words = old.isOptional ? "optional, not required" : "required, not optional"
        throw mismatch("\(attribute.name) is \(words)")
      }
    }
    let dropped = recorded.attributes.map(\.name)
      .filter { name in !entity.attributes.contains { isSame($0.name, name) } }
    if let new = added.first, let gone = dropped.first {
      throw mismatch("\(new.name) is new and \(gone) is gone, which may be a new name")
    }
    return added.map { .add($0, entity) } + dropped.map { .drop($0, entity) }
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    Value.text(left) == Value.text(right)
  }

  /// Makes the change.
  func apply(to database: Database) throws {
    switch self {
    case .create(let entity): try database.execute(sql: SchemaChange.creation(of: entity))
    case .add(let attribute, let entity):
      try database.execute(
        sql: """
          ALTER TABLE \(entity.name.quotedIdentifier)
          ADD COLUMN \(attribute.name.quotedIdentifier) \(attribute.type.columnType)
          """
      )
    case .drop(let name, let entity):
      try database.execute(
        sql: """
          ALTER TABLE \(entity.name.quotedIdentifier) DROP COLUMN \(name.quotedIdentifier)
          """
      )
    }
  }

  /// The statement that makes an entity's table: the key's column first, strict, and ordered by the key.
  static func creation(of entity: EntityDescription) -> String {
    var lines: [String] = []
    var options = "STRICT, WITHOUT ROWID"
    switch entity.identity {
    case .integer(let column):
      lines.append("\(column.quotedIdentifier) INTEGER PRIMARY KEY")
      options = "STRICT"
    case .text(let column): lines.append("\(column.quotedIdentifier) TEXT NOT NULL PRIMARY KEY")
    case .compound: break
    }
    for attribute in entity.attributes {
      let rule = attribute.isOptional ? "" : " NOT NULL"
      lines.append("\(attribute.name.quotedIdentifier) \(attribute.type.columnType)\(rule)")
    }
    if case .compound(let names) = entity.identity {
      lines.append("PRIMARY KEY (\(names.map(\.quotedIdentifier).joined(separator: ", ")))")
    }
    return """
      CREATE TABLE \(entity.name.quotedIdentifier) (
        \(lines.joined(separator: ",\n  "))
      ) \(options)
      """
  }
}

/// An `OpenFailure` on its way to where the path is known.
struct OpenFailureError: Error {
  let failure: OpenFailure

  init(_ failure: OpenFailure) { self.failure = failure }
}

extension AttributeType {
  /// The type of the attribute's column.
  var columnType: String {
    switch storage {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }
}
