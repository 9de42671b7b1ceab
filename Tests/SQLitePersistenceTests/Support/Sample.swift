import ResultsDomain
import ResultsStoreKit
import SQLitePersistence

/// The entities that most tests use.
enum Sample {
  static let book = entity(
    "Book",
    .integer(),
    [
      AttributeDescription("publisher", .text),
      AttributeDescription("title", .text),
      AttributeDescription("year", .integer64, isOptional: true),
      AttributeDescription("rating", .real, isOptional: true),
      AttributeDescription("cover", .blob, isOptional: true),
    ]
  )

  static let tag = entity(
    "Tag",
    .text(column: "name"),
    [AttributeDescription("rank", .integer64, isOptional: true)]
  )

  static let score = entity(
    "Score",
    .compound(["student", "subject"]),
    [
      AttributeDescription("points", .integer64),
      AttributeDescription("student", .text),
      AttributeDescription("subject", .integer64),
    ]
  )

  static let entities = [book, tag, score]

  static func values(_ publisher: String, _ title: String, _ year: Value = .null) -> [Value] {
    [.text(publisher), .text(title), year, .null, .null]
  }

  static func id(_ number: Int64) -> ObjectID { ObjectID(entity: "Book", key: .integer(number)) }

  /// An entity with an integer key and relationships.
  static func related(
    _ name: String,
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription]
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        attributes: attributes,
        relationships: relationships
      )
    } catch {
      preconditionFailure("The sample entity \(name) is not valid. \(error)")
    }
  }

  static func entity(
    _ name: String,
    _ identity: EntityIdentity,
    _ attributes: [AttributeDescription]
  ) -> EntityDescription {
    do {
      return try EntityDescription(name: name, identity: identity, attributes: attributes)
    } catch {
      preconditionFailure("The sample entity \(name) is not valid. \(error)")
    }
  }
}

extension SQLiteStoreOptions {
  /// Creates the entities' tables also in a borrowed database.
  static var making: SQLiteStoreOptions { SQLiteStoreOptions(createsTables: true) }
}

extension Store {
  /// The current version.
  func currentVersion() throws(StoreError) -> StoreVersion {
    try read { (snapshot) throws(StoreError) in snapshot.version }
  }

  /// The history of an entity since a version.
  func history(
    since version: StoreVersion,
    of entity: EntityDescription
  ) throws(StoreError) -> StoreHistory {
    try read { (snapshot) throws(StoreError) in try snapshot.history(since: version, of: entity) }
  }

  /// All rows of an entity, in key order.
  func allRows(of entity: EntityDescription) throws(StoreError) -> [Row] {
    let definition: OrderDefinition
    do {
      definition = try OrderDefinition(
        entity: entity,
        predicate: .all,
        sortDescriptors: [.ascending(entity.attributes[0].name)]
      )
    } catch {
      throw .request(error)
    }
    return try read { (snapshot) throws(StoreError) in
      var keys: [ObjectKey] = []
      try snapshot.entries(of: definition) { (batch) throws(StoreError) in
        batch.bytes.withUnsafeBytes { bytes in
          var start = 0
          for end in batch.ends {
            let key = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if let made = definition.layout.objectKey(in: key, of: entity.identity) {
              keys.append(made)
            }
            start = end
          }
        }
        return true
      }
      return try snapshot.rows(keys, of: entity).compactMap(\.self)
    }
  }
}

extension StoreHistory {
  /// All net changes, commit by commit, or `nil` for a gap.
  var changes: [[CommittedChange]]? {
    if case .commits(let commits) = self { commits.map(\.changes) } else { nil }
  }

  /// The reason of a gap.
  var gap: GapReason? {
    if case .gap(let reason) = self { reason } else { nil }
  }
}
