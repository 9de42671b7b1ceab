import ResultsDomain
import Synchronization

/// Finds the relationships of discovered tables by their foreign keys: a to-one relationship for each, its inverse, and a many-to-many
/// relationship through each table whose rows are pairs of foreign keys.
struct RelationshipDiscovery {
  /// A foreign key whose columns hold the key of an entity.
  private struct Reference {
    let source: EntityDescription
    let columns: [String]
    let destination: EntityDescription
    let onDelete: DeleteRule
    /// The name of the to-one relationship.
    var name = ""
  }

  private let conventions: FrameworkConventions
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

  /// Returns descriptions of tables whose entities have relationships.
  static func connected(
    _ tables: [TableDescription],
    _ conventions: FrameworkConventions
  ) -> [TableDescription] {
    var discovery = RelationshipDiscovery(tables, conventions)
    discovery.nameReferences()
    discovery.fileReferences()
    discovery.addInverses()
    discovery.addLinks()
    return discovery.tables(tables)
  }

  private init(_ tables: [TableDescription], _ conventions: FrameworkConventions) {
    self.conventions = conventions
    entities = tables.compactMap { try? $0.entity.get() }
    byName = Dictionary(entities.map { ($0.name.caselessIdentifier, $0) }) { first, _ in first }
    let described = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
    uniqueColumns = Dictionary(tables.map { ($0.name, $0.uniqueColumns) }) { first, _ in first }
    for table in tables {
      guard let source = try? table.entity.get() else { continue }
      for key in table.foreignKeys {
        guard let destination = entity(named: key.table),
          let columns = RelationshipDiscovery.columns(of: key, from: source, to: destination),
          RelationshipDiscovery.namesKeys(
            columns,
            of: table,
            described[destination.name],
            destination
          )
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
    byName[name.caselessIdentifier]
  }

  /// The columns of a foreign key in the order of the key that they hold; `nil` if they do not hold the entity's key.
  private static func columns(
    of key: ForeignKeyDescription,
    from source: EntityDescription,
    to destination: EntityDescription
  ) -> [String]? {
    let keys = destination.identity.columns
    let targets = key.targets.isEmpty ? keys : key.targets
    guard targets.count == keys.count, key.columns.count == keys.count else { return nil }
    var columns: [String] = []
    for (name, type) in zip(keys, destination.keyTypes) {
      let index = targets.firstIndex { $0.caselessIdentifier == name.caselessIdentifier }
      guard let index else { return nil }
      let sought = key.columns[index].caselessIdentifier
      let names = source.attributes.map(\.name) + source.identity.columns
      guard let column = names.first(where: { $0.caselessIdentifier == sought }) else { return nil }
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

  /// Whether the database finds the rows that columns name without converting values, which this package never does.
  private static func namesKeys(
    _ columns: [String],
    of source: TableDescription,
    _ target: TableDescription?,
    _ destination: EntityDescription
  ) -> Bool {
    guard let source = source.shape, let target = target?.shape else { return false }
    return zip(columns, destination.identity.columns)
      .allSatisfy { source.affinity(of: $0).comparesAsStored(with: target.affinity(of: $1)) }
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
      (source.attributes.map(\.name) + source.identity.columns).map(\.caselessIdentifier)
    )
    let others = Set((relationships[source.name] ?? []).map(\.name.caselessIdentifier))
    let name = names.first { name in
      let isKey = if case .toOne([name]) = kind { true } else { false }
      return !others.contains(name.caselessIdentifier)
        && (isKey || !columns.contains(name.caselessIdentifier))
    }
    guard let name else { return "" }
    let reference = found.reference(to: destination)
    relationships[source.name, default: []]
      .append(RelationshipDescription(name, kind, onDelete: onDelete) { reference.entity })
    return name
  }

  /// The tables with their entities' relationships.
  private func tables(_ tables: [TableDescription]) -> [TableDescription] {
    for entity in entities {
      let connected = try? EntityDescription(
        name: entity.name,
        identity: entity.identity,
        attributes: entity.attributes,
        relationships: relationships[entity.name] ?? []
      )
      found.set(connected ?? entity)
    }
    return tables.map { table in
      guard let entity = try? table.entity.get() else { return table }
      return table.with(found.entity(named: entity.name) ?? entity)
    }
  }
}

/// The entities of one database by name, to which their relationships refer.
///
/// Entities that refer to each other live as long as the process, like those that are declared in static schemas.
private final class FoundEntities: Sendable {
  private let entities = Mutex<[String: EntityDescription]>([:])

  func set(_ entity: EntityDescription) { entities.withLock { $0[entity.name] = entity } }

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

extension TableDescription {
  func with(_ entity: EntityDescription) -> TableDescription {
    var table = self
    table.entity = .success(entity)
    return table
  }
}
