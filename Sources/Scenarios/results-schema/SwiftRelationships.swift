import ResultsDomain
import ResultsStoreKit
import SQLitePersistence

/// The declarations of the relationships of some tables.
struct SwiftRelationships {
  private let tables: [SwiftTable]

  init(_ tables: [SwiftTable]) { self.tables = tables }

  private func table(_ entity: EntityDescription) -> SwiftTable? {
    tables.first { $0.entity?.name == entity.name }
  }

  // MARK: - Links

  /// The relationships for which a table is nothing but a link, or `nil` for a table that has a struct.
  ///
  /// Such a table consists of two keys, both of its ends are printed, and nothing else refers to it.
  func linked(by table: SwiftTable) -> String? {
    guard let link = table.entity, isLink(link) else { return nil }
    let uses = tables.flatMap { table in
      (table.entity?.relationships ?? []).compactMap { relationship -> String? in
        guard case .manyToMany(let reference, _, _) = relationship.kind,
          reference.entity.name == link.name, let member = table.relationships[relationship.name]
        else { return nil }
        return "\(table.type).\(member)"
      }
    }
    return uses.isEmpty ? nil : uses.joined(separator: " and ")
  }

  private func isLink(_ entity: EntityDescription) -> Bool {
    let ends = entity.relationships.filter(\.isReference)
    let keys = ends.flatMap(\.columns)
    return ends.count == 2 && ends.count == entity.relationships.count
      && ends.allSatisfy { $0.onDelete == .none }
      && Set(keys) == Set(entity.attributes.map(\.name)) && keys.count == Set(keys).count
      && entity.hasLinkIdentity
      && ends.allSatisfy { self.table($0.destination) != nil }
  }

  // MARK: - Declarations

  /// The names of the static members of a table's relationships.
  func names(of table: SwiftTable) -> [String] {
    (table.entity?.relationships ?? [])
      .filter { value($0, of: table) != nil }
      .compactMap { table.relationships[$0.name] }
  }

  /// The lines of a table's relationships, with comments on what has no declaration, and on indexes that lists need.
  func declarations(of table: SwiftTable) -> [String] {
    guard let entity = table.entity else { return [] }
    var lines: [String] = []
    for relationship in entity.relationships {
      guard let member = table.relationships[relationship.name] else { continue }
      if let value = value(relationship, of: table) {
        if isByConvention(relationship, of: table) {
          lines.append("// By the column's name: the table declares no foreign key.")
        }
        lines += SwiftRelationships.lines("static let \(member) = \(value.type)", value.arguments)
      } else if !isToLink(relationship) {
        let other = relationship.destination.name.inComment
        lines.append("// \(member): to \(other), which is not printed here.")
      }
    }
    return lines + unused(table, entity) + missingIndexes(of: table)
  }

  /// Whether the table does not declare the foreign key of a relationship.
  private func isByConvention(
    _ relationship: RelationshipDescription,
    of table: SwiftTable
  ) -> Bool {
    table.description.foreignKeys.contains {
      !$0.isDeclared && relationship.isReference && $0.columns == relationship.columns
    }
  }

  /// The statements that create the indexes which a table lacks, as comments.
  func missingIndexes(of table: SwiftTable) -> [String] {
    table.description.missingIndexes.flatMap { columns in
      let name = columns.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
      let index = "\(table.description.name)By\(name)".quotedIdentifier
      let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
      return [
        "// No index begins with \(list.inComment): the rows of an object are found by reading all. Consider",
        "//   CREATE INDEX \(index.inComment) ON \(table.description.name.quotedIdentifier.inComment) (\(list.inComment));",
      ]
    }
  }

  /// A call on one line, or with its arguments on one of their own if it would be too long.
  private static func lines(_ call: String, _ arguments: String) -> [String] {
    let line = "\(call)(\(arguments))"
    return line.count <= 98 ? [line] : ["\(call)(", "  \(arguments)", ")"]
  }

  /// The type of a relationship with the arguments of its initializer, or `nil` if the other table has no struct.
  private func value(
    _ relationship: RelationshipDescription,
    of table: SwiftTable
  ) -> (type: String, arguments: String)? {
    guard let other = self.table(relationship.destination), linked(by: other) == nil else {
      return nil
    }
    let types = "<\(table.type), \(other.type)>"
    let name = relationship.name.asLiteral
    switch relationship.kind {
    case .toOne(let columns):
      let keys = columns.compactMap { table.members[$0] }.map { "\\.\($0)" }
      guard keys.count == columns.count else { return nil }
      let rule =
        relationship.onDelete == .none ? "" : ", onDelete: .\(relationship.onDelete.rawValue)"
      return ("ToOne\(types)", "\(name), \(keys.joined(separator: ", "))\(rule)")
    case .toMany(let columns):
      let inverse = other.entity?.relationships.first {
        $0.isReference && $0.columns == columns && $0.destination.name == table.entity?.name
      }
      guard let inverse, let member = other.relationships[inverse.name] else { return nil }
      return ("ToMany\(types)", "\(name), inverse: \(other.type).\(member)")
    case .manyToMany(let reference, let from, let to):
      return ("ToMany\(types)", "\(name), through: \(link(reference.entity, from, to))")
    }
  }

  /// The arguments that name a link: the relationships of its struct, or its columns if it has none.
  private func link(_ entity: EntityDescription, _ from: [String], _ to: [String]) -> String {
    if let table = table(entity), linked(by: table) == nil {
      let ends = [from, to].compactMap { columns in
        entity.relationships.first { $0.isReference && $0.columns == columns }
          .flatMap { table.relationships[$0.name] }
      }
      if ends.count == 2 { return ends.map { "\(table.type).\($0)" }.joined(separator: ", ") }
    }
    let name = entity.name.asLiteral
    var identity = ""
    if case .integer(let column) = entity.identity { identity = ", identity: \(column.asLiteral)" }
    guard from.count == 1, to.count == 1 else {
      let lists = [from, to].map { "[\($0.map(\.asLiteral).joined(separator: ", "))]" }
      return "Link(\(name), from: \(lists[0]), to: \(lists[1])\(identity))"
    }
    return "Link(\(name), \(from[0].asLiteral), \(to[0].asLiteral)\(identity))"
  }

  private func isToLink(_ relationship: RelationshipDescription) -> Bool {
    table(relationship.destination).map { linked(by: $0) != nil } ?? false
  }

  /// Comments on foreign keys that are no relationship.
  private func unused(_ table: SwiftTable, _ entity: EntityDescription) -> [String] {
    table.description.foreignKeys
      .filter { key in
        !entity.relationships.contains { relationship in
          relationship.isReference && relationship.destination.name.isSameInSQL(as: key.table)
            && relationship.columns.count == key.columns.count
            && relationship.columns.allSatisfy { column in
              key.columns.contains { $0.isSameInSQL(as: column) }
            }
        }
      }
      .map { key in
        let columns = key.columns.joined(separator: ", ").inComment
        let reason =
          table.description.missingTables.contains(key.table)
          ? "there is no table \(key.table.inComment)"
          : "no table \(key.table.inComment) has a key that it holds as stored"
        return "// \(columns): no relationship, since \(reason)."
      }
  }
}

extension EntityDescription {
  /// Whether `Link` can describe how the objects are identified: by all attributes together, or by an integer.
  fileprivate var hasLinkIdentity: Bool {
    switch identity {
    case .integer: true
    case .text: false
    case .compound(let columns): columns.count == attributes.count
    }
  }
}

extension RelationshipDescription {
  /// Whether it is the to-one relationship of a foreign key.
  fileprivate var isReference: Bool { if case .toOne = kind { true } else { false } }

  /// The columns of a to-one relationship's foreign key.
  fileprivate var columns: [String] { if case .toOne(let columns) = kind { columns } else { [] } }
}

extension String {
  /// Whether two names are the same for SQLite, which ignores the case of A to Z.
  fileprivate func isSameInSQL(as other: String) -> Bool {
    caselessIdentifier == other.caselessIdentifier
  }
}
