package import ResultsDomain
import Synchronization

/// A table of a database whose relationships are to be found.
package struct RelatedTable {
  /// The entity, without relationships.
  package var entity: EntityDescription
  /// The foreign keys.
  package var foreignKeys: [ForeignKeyDescription]
  /// The columns of each unique index that has all rows.
  package var uniqueColumns: [[String]]

  /// Creates a table.
  package init(
    _ entity: EntityDescription,
    foreignKeys: [ForeignKeyDescription],
    uniqueColumns: [[String]]
  ) {
    (self.entity, self.foreignKeys) = (entity, foreignKeys)
    self.uniqueColumns = uniqueColumns
  }
}

/// What the names of a database say, and when two of them are one.
package protocol NamingConventions {
  /// Whether the column of a foreign key has the name of its table, and not that of a relationship.
  var namesColumnsByTables: Bool { get }
  /// The name of a table's objects.
  func objectName(ofTable name: String) -> String
  /// The name of a many-to-many relationship by the column of its link that holds the keys of its objects, or `nil` if it says nothing.
  func relationshipName(ofLinkColumn name: String) -> String?
  /// What is equal for names that the database does not distinguish.
  func identifier(_ name: String) -> [UInt8]
}

/// Finds the relationships of discovered tables by their foreign keys: a to-one relationship for each, its inverse, and a many-to-many
/// relationship through each table whose rows are pairs of foreign keys.
package struct RelationshipDiscovery {
  /// Whether a database finds the rows that columns of a table name without converting values, which this package never does.
  package typealias Comparison = (
    _ source: EntityDescription, _ columns: [String], _ destination: EntityDescription
  ) -> Bool

  /// A foreign key whose columns hold the key of an entity.
  private struct Reference {
    let source: EntityDescription
    let columns: [String]
    let destination: EntityDescription
    let onDelete: DeleteRule
    /// The name of the to-one relationship.
    var name = ""
  }

  private let conventions: any NamingConventions
  private let entities: [EntityDescription]
  private let byName: [[UInt8]: EntityDescription]
  /// The columns of each unique index, by table.
  private let uniqueColumns: [String: [[String]]]
  private var references: [Reference] = []
  /// The indexes of the references of each table, and of those to each table, by the entity.
  private var outgoing: [ObjectIdentifier: [Int]] = [:]
  private var incoming: [ObjectIdentifier: [Int]] = [:]
  private var relationships: [String: [RelationshipDescription]] = [:]
  private let found = FoundEntities()

  /// Returns the entities of tables with their relationships.
  /// - Parameters:
  ///   - tables: The tables; no two names are equal.
  ///   - conventions: What the names say.
  ///   - namesKeys: Whether some columns name rows by the key of an entity as it is stored.
  /// - Returns: The entities by their names.
  /// - Complexity: O(*n*) in the foreign keys, on average.
  package static func connected(
    _ tables: [RelatedTable],
    _ conventions: any NamingConventions,
    namesKeys: Comparison
  ) -> [String: EntityDescription] {
    var discovery = RelationshipDiscovery(tables, conventions, namesKeys)
    discovery.nameReferences()
    discovery.fileReferences()
    discovery.addInverses()
    discovery.addLinks()
    return discovery.connectedEntities()
  }

  private init(
    _ tables: [RelatedTable],
    _ conventions: any NamingConventions,
    _ namesKeys: Comparison
  ) {
    self.conventions = conventions
    entities = tables.map(\.entity)
    byName = Dictionary(entities.map { (conventions.identifier($0.name), $0) }) { first, _ in first
    }
    uniqueColumns = Dictionary(tables.map { ($0.entity.name, $0.uniqueColumns) }) { first, _ in
      first
    }
    for table in tables {
      let source = table.entity
      for key in table.foreignKeys {
        guard let destination = entity(named: key.table),
          let columns = columns(of: key, from: source, to: destination),
          namesKeys(source, columns, destination)
        else { continue }
        references.append(
          Reference(
            source: source,
            columns: columns,
            destination: destination,
            onDelete: RelationshipDiscovery.rule(of: key, columns, in: source)
          )
        )
      }
    }
  }

  private func entity(named name: String) -> EntityDescription? {
    byName[conventions.identifier(name)]
  }

  private func isSame(_ name: String, _ other: String) -> Bool {
    conventions.identifier(name) == conventions.identifier(other)
  }

  /// The columns of a foreign key in the order of the key that they hold; `nil` if they do not hold the entity's key.
  private func columns(
    of key: ForeignKeyDescription,
    from source: EntityDescription,
    to destination: EntityDescription
  ) -> [String]? {
    let keys = destination.identity.columns
    let targets = key.targets.isEmpty ? keys : key.targets
    guard targets.count == keys.count, key.columns.count == keys.count else { return nil }
    var columns: [String] = []
    for (name, type) in zip(keys, destination.keyTypes) {
      let index = targets.firstIndex { isSame($0, name) }
      guard let index else { return nil }
      let sought = key.columns[index]
      let names = source.attributes.map(\.name) + source.identity.columns
      guard let column = names.first(where: { isSame($0, sought) }) else { return nil }
      let found =
        source.attribute(named: column).map(\.nominalStorage)
        ?? zip(source.identity.columns, source.keyTypes).first { $0.0 == column }?.1.storage
      guard found == type.storage else { return nil }
      columns.append(column)
    }
    return columns
  }

  /// The delete rule of a foreign key; none where the database would write null into a column that refuses it.
  private static func rule(
    of key: ForeignKeyDescription,
    _ columns: [String],
    in source: EntityDescription
  ) -> DeleteRule {
    let isNullable = columns.allSatisfy { source.attribute(named: $0)?.isOptional == true }
    return key.onDelete == .nullify && !isNullable ? .none : key.onDelete
  }

  // MARK: - Relationships

  /// The name of an entity's objects as that of a member.
  private func member(of entity: EntityDescription) -> String {
    conventions.objectName(ofTable: entity.name).asMember
  }

  private mutating func nameReferences() {
    for index in references.indices {
      let reference = references[index]
      let table = member(of: reference.destination).singular
      references[index].name = add(
        names(ofColumnsOf: reference) + [
          table, table + "By" + reference.columns.joined().asSuffix,
        ],
        .toOne(foreignKey: reference.columns),
        onDelete: reference.onDelete,
        from: reference.source,
        to: reference.destination
      )
    }
    references.removeAll { $0.name.isEmpty }
  }

  /// The names that the column of a foreign key gives its relationship: without what says that it is a key, or as it is.
  private func names(ofColumnsOf reference: Reference) -> [String] {
    guard reference.columns.count == 1 else { return [] }
    let column = reference.columns[0]
    let short = column.withoutKeySuffix.map { [$0.asMember] } ?? []
    // A name with a dot is no step of a path, and the column that is the whole key names its own object. Core Data's columns are known
    // by their tables.
    let isStep = !column.contains(".") && !reference.source.isKey(column)
    return conventions.namesColumnsByTables || !isStep ? short : short + [column]
  }

  private mutating func fileReferences() {
    for (index, reference) in references.enumerated() {
      outgoing[ObjectIdentifier(reference.source), default: []].append(index)
      incoming[ObjectIdentifier(reference.destination), default: []].append(index)
    }
  }

  private func references(of entity: EntityDescription) -> [Reference] {
    (outgoing[ObjectIdentifier(entity)] ?? []).map { references[$0] }
  }

  private mutating func addInverses() {
    for reference in references {
      let siblings = references(of: reference.source)
        .count { $0.destination === reference.destination }
      let isAmbiguous = siblings > 1 || reference.source === reference.destination
      let plural = member(of: reference.source).plural
      let long = plural + "By" + reference.name.asSuffix
      add(
        isAmbiguous ? [long] : [plural, long],
        .toMany(foreignKey: reference.columns),
        from: reference.destination,
        to: reference.source
      )
    }
  }

  private mutating func addLinks() {
    for link in entities {
      let ends = ends(of: link)
      guard ends.count == 2 else { continue }
      for (near, far) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        let plural =
          near.destination === far.destination
          ? far.name.plural : member(of: far.destination).plural
        let known = conventions.relationshipName(ofLinkColumn: far.columns[0])
        add(
          (known.map { [$0] } ?? []) + [plural, plural + "Through" + link.name.asSuffix],
          .manyToMany(link: found.reference(to: link), from: near.columns, to: far.columns),
          from: near.destination,
          to: far.destination
        )
      }
    }
  }

  /// The two foreign keys of a table whose rows are pairs of them, or none for any other table.
  ///
  /// They are the primary key or a unique index, or there is nothing else in the table than they and a key of its own, which no other
  /// table refers to. Without a unique index such a table can hold a pair twice; then each of the rows is a link.
  private func ends(of link: EntityDescription) -> [Reference] {
    let all = references(of: link)
    var candidates = uniqueColumns[link.name] ?? []
    switch link.identity {
    case .compound(let key): candidates.insert(key, at: 0)
    case .integer, .text:
      if incoming[ObjectIdentifier(link)] == nil {
        candidates.append(link.attributes.map(\.name))
      }
    }
    for columns in candidates {
      let ends = all.filter { $0.columns.allSatisfy(columns.contains) }
      let parts = ends.flatMap(\.columns)
      if ends.count == 2, parts.count == columns.count, Set(parts) == Set(columns) { return ends }
    }
    return []
  }

  /// Adds a relationship under the first of some names that is free.
  /// - Returns: The name, or an empty text if none is free.
  @discardableResult
  private mutating func add(
    _ names: [String],
    _ kind: RelationshipDescription.Kind,
    onDelete: DeleteRule = .none,
    from source: EntityDescription,
    to destination: EntityDescription
  ) -> String {
    let columns = Set(
      (source.attributes.map(\.name) + source.identity.columns).map(conventions.identifier)
    )
    let others = Set((relationships[source.name] ?? []).map { conventions.identifier($0.name) })
    let name = names.first { name in
      let isKey = if case .toOne([name]) = kind { true } else { false }
      return !others.contains(conventions.identifier(name))
        && (isKey || !columns.contains(conventions.identifier(name)))
    }
    guard let name else { return "" }
    let reference = found.reference(to: destination)
    relationships[source.name, default: []]
      .append(RelationshipDescription(name, kind, onDelete: onDelete) { reference.entity })
    return name
  }

  /// The entities with their relationships, by name.
  private func connectedEntities() -> [String: EntityDescription] {
    for entity in entities {
      let connected = try? EntityDescription(
        name: entity.name,
        identity: entity.identity,
        attributes: entity.attributes,
        relationships: relationships[entity.name] ?? []
      )
      found.set(connected ?? entity)
    }
    return found.all
  }
}

/// The entities of one database by name, to which their relationships refer.
///
/// Entities that refer to each other live as long as the process, like those that are declared in static schemas.
private final class FoundEntities: Sendable {
  private let entities = Mutex<[String: EntityDescription]>([:])

  func set(_ entity: EntityDescription) { entities.withLock { $0[entity.name] = entity } }

  var all: [String: EntityDescription] { entities.withLock { $0 } }

  func entity(named name: String) -> EntityDescription? { entities.withLock { $0[name] } }

  /// A reference to an entity by its name; until the entities are set it gives the one without relationships.
  func reference(to entity: EntityDescription) -> EntityReference {
    EntityReference { [self] in self.entity(named: entity.name) ?? entity }
  }
}

extension AttributeDescription {
  /// The storage class of most values.
  fileprivate var nominalStorage: StorageClass { type.storage }
}
