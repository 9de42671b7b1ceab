import ResultsDomain
import Synchronization

/// Finds the relationships of discovered tables by their foreign keys: a to-one relationship for each, its inverse, and a many-to-many
/// relationship through each table whose primary key is two foreign keys.
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

  private let entities: [EntityDescription]
  private var references: [Reference] = []
  private var relationships: [String: [RelationshipDescription]] = [:]
  private let found = FoundEntities()

  /// Returns descriptions of tables whose entities have relationships.
  static func connected(_ tables: [TableDescription]) -> [TableDescription] {
    var discovery = RelationshipDiscovery(tables)
    discovery.nameReferences()
    discovery.addInverses()
    discovery.addLinks()
    return discovery.tables(tables)
  }

  private init(_ tables: [TableDescription]) {
    entities = tables.compactMap { try? $0.entity.get() }
    for table in tables {
      guard let source = try? table.entity.get() else { continue }
      for key in table.foreignKeys {
        guard let destination = entity(named: key.table),
          let columns = RelationshipDiscovery.columns(of: key, from: source, to: destination),
          RelationshipDiscovery.namesKeys(
            columns,
            of: table,
            tables.first { $0.name == destination.name },
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
    entities.first { $0.name.caselessIdentifier == name.caselessIdentifier }
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

  private mutating func nameReferences() {
    for index in references.indices {
      let reference = references[index]
      let table = reference.destination.name.asMember
      var names = [table, table + "By" + reference.columns.joined().asSuffix]
      if reference.columns.count == 1, let name = reference.columns[0].withoutKeySuffix {
        names.insert(name.asMember, at: 0)
      }
      references[index].name = add(
        names,
        .toOne(foreignKey: reference.columns),
        onDelete: reference.onDelete,
        from: reference.source,
        to: reference.destination
      )
    }
    references.removeAll { $0.name.isEmpty }
  }

  private mutating func addInverses() {
    for reference in references {
      let siblings = references.count {
        $0.source === reference.source && $0.destination === reference.destination
      }
      let plural = reference.source.name.asMember.plural
      let long = plural + "By" + reference.name.asSuffix
      add(
        siblings > 1 ? [long] : [plural, long],
        .toMany(foreignKey: reference.columns),
        from: reference.destination,
        to: reference.source
      )
    }
  }

  private mutating func addLinks() {
    for link in entities {
      guard case .compound(let key) = link.identity else { continue }
      let ends = references.filter { $0.source === link && $0.columns.allSatisfy(key.contains) }
      guard ends.count == 2, Set(ends.flatMap(\.columns)).count == key.count,
        ends.map(\.columns.count).reduce(0, +) == key.count
      else { continue }
      for (near, far) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        let plural =
          near.destination === far.destination
          ? far.name.plural : far.destination.name.asMember.plural
        add(
          [plural, plural + "Through" + link.name.asSuffix],
          .manyToMany(link: found.reference(to: link), from: near.columns, to: far.columns),
          from: near.destination,
          to: far.destination
        )
      }
    }
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
    let taken = Set(
      (source.attributes.map(\.name) + source.identity.columns
        + (relationships[source.name] ?? []).map(\.name)).map(\.caselessIdentifier)
    )
    guard let name = names.first(where: { !taken.contains($0.caselessIdentifier) }) else {
      return ""
    }
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
    TableDescription(
      name: name,
      kind: kind,
      entity: .success(entity),
      foreignKeys: foreignKeys,
      generatedAttributes: generatedAttributes,
      unsortableForms: unsortableForms,
      shape: shape
    )
  }
}

// MARK: - Names

extension String {
  /// The name of a foreign key's column without what says that it is a key, or `nil` if nothing says so.
  fileprivate var withoutKeySuffix: String? {
    for suffix in ["_id", "_ID", "_Id", "Id", "ID"] where hasSuffix(suffix) {
      let name = String(dropLast(suffix.count))
      return name.isEmpty || name == "_" ? nil : name
    }
    return nil
  }

  /// The name with a small first letter, unless the second one is a capital too.
  fileprivate var asMember: String {
    let letters = Array(utf8)
    let isCapital = { (index: Int) in
      index < letters.count && (0x41...0x5A).contains(letters[index])
    }
    guard isCapital(0), !isCapital(1) else { return self }
    return String(decoding: [letters[0] + 32] + letters.dropFirst(), as: UTF8.self)
  }

  /// The name with a capital first letter.
  fileprivate var asSuffix: String {
    guard let first = utf8.first, (0x61...0x7A).contains(first) else { return self }
    return String(decoding: [first - 32] + utf8.dropFirst(), as: UTF8.self)
  }

  /// The plural of an English noun, or a plural as it is.
  fileprivate var plural: String {
    let last = utf8.suffix(2)
    switch last.last {
    case UInt8(ascii: "s"), UInt8(ascii: "S"): return self
    case UInt8(ascii: "y") where !"aeiou".utf8.contains(last.first ?? 0):
      return String(dropLast()) + "ies"
    case UInt8(ascii: "x"): return self + "es"
    case UInt8(ascii: "h") where "cs".utf8.contains(last.first ?? 0): return self + "es"
    default: return self + "s"
    }
  }
}
