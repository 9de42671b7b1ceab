import CommandLineFrontEnd
import InMemoryPersistence
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization

/// The program `live-list`: its entity is the table that the command line names, discovered before the verb runs.
enum TableProgram: ListProgram {
  static let name = "live-list"
  static let abstract = "A live, sectioned list over a table of any SQLite or PostgreSQL database."
  static let nouns = (one: "row", many: "rows")
  static let isReadOnly = true
  static let examples: ProgramExamples = {
    var examples = ProgramExamples(
      condition: "Name CONTAINS 'blue' AND Milliseconds > 180000",
      sort: "-Milliseconds,Name",
      assignments: "",
      change: "",
      file: ""
    )
    examples.operands = " music.sqlite Track"
    return examples
  }()

  static var entity: EntityDescription { DiscoveredTable.current?.entity ?? Sample.entity }

  static var subject: String? {
    DiscoveredTable.current.map { table in
      table.name + (table.narrowing.map { " ▸ " + $0 } ?? "")
    }
  }

  static var copyTime: String? { FileCopies.time }

  static var keyTitle: String {
    if case .compound = entity.identity { return entity.index(of: "id") == nil ? "id" : "key" }
    return entity.identity.columns[0]
  }

  /// Not where nothing identifies the rows.
  static var showsKey: Bool { DiscoveredTable.current?.isUnidentified != true }

  /// The key, unless it consists of attributes or numbers the rows, and all attributes.
  static var columns: [String] {
    let isShown = showsKey && entity.keyAttributeIndexes.isEmpty
    return (isShown ? entity.identity.columns : []) + entity.attributes.map(\.name)
  }

  static var arrangedColumns: [String] { ColumnRole.arranged(columns, of: entity) }

  /// The list in the order of the key.
  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    let order: [FetchExpression] =
      if case .compound(let names) = entity.identity {
        names.map { .attribute($0) }
      } else {
        (DiscoveredTable.current?.uncomparedKey ?? []).map { .attribute($0) } + [.objectKey]
      }
    return ResultsDefinition(
      FetchRequest(entity: entity, sortedBy: order.map { FetchSortDescriptor($0, .ascending) })
    )
  }

  static func narrowed(
    _ definition: ResultsDefinition<Row>,
    to columns: [ListColumn]
  ) throws(RequestError) -> ResultsDefinition<Row> {
    guard let found = DiscoveredTable.current, found.union == nil else { return definition }
    let order = try definition.order()
    var names = order.predicate.attributes + order.terms.flatMap(\.expression.attributes)
    for column in columns {
      switch column {
      case .key: break
      case .attribute(_, let attribute): names.append(attribute.name)
      default: return definition
      }
    }
    let needed = Set((names + entity.identity.columns).compactMap(entity.index(of:)))
    let attributes = entity.attributes.indices.filter(needed.contains).map { entity.attributes[$0] }
    guard
      let entity = try? EntityDescription(
        name: entity.name,
        identity: entity.identity,
        attributes: attributes
      )
    else { return definition }
    var narrowed = definition
    narrowed.request = definition.request.returning(of: entity)
    // Without relationships there is no path.
    guard (try? narrowed.order()) != nil else { return definition }
    DiscoveredTable.shared.narrow(to: entity)
    return narrowed
  }

  /// Opens the discovered database; nothing is written unless the change log was asked for.
  static func openStore(_ location: StoreLocation) throws -> any Store {
    guard let table = DiscoveredTable.current else {
      throw CommandFailure(.software, "No table was discovered.", remedy: "Please report this.")
    }
    guard !table.isUnidentified else { return try table.numberedRows() }
    let followed = table.union?.branches.map(\.entity) ?? table.followed
    let store = try table.database.openStore(
      of: followed ?? table.entity.reachable,
      busyTimeout: location.busyTimeout,
      addsChangeLog: !location.isReadOnly
    )
    OpenStores.closeAtEnd(store)
    return try table.union.map { try UnionStore(over: store, unions: [$0]) } ?? store
  }

  static func diagnose(_ store: any Store) throws -> [String] {
    try DiscoveredStores.diagnose(store)
  }

  /// The entity that the help describes before any table is known.
  private struct Sample: Entity {
    var id: Int64?
    var name = ""
    var milliseconds: Int64 = 0

    static let schema = EntitySchema<Sample>("Track", identity: \.id) {
      Attribute(\.name, "Name")
      Attribute(\.milliseconds, "Milliseconds")
    }
  }
}

extension EntityDescription {
  /// The entity and all that its relationships reach, each once.
  fileprivate var reachable: [EntityDescription] {
    var found = [self]
    var names: Set<String> = [name]
    var index = 0
    while index < found.count {
      for relationship in found[index].relationships {
        var ends = [relationship.destination]
        if case .manyToMany(let link, _, _) = relationship.kind { ends.append(link.entity) }
        found += ends.filter { names.insert($0.name).inserted }
      }
      index += 1
    }
    return found
  }
}

/// The table that the command line names, set once before a verb runs; lists that are opened over others have their own.
final class DiscoveredTable: Sendable {
  /// A table of a database.
  struct Table: Sendable {
    let database: any DescribedDatabase
    let description: any DescribedTable
    var entity: EntityDescription
    /// The tables of a list of several; `nil` for one.
    var union: UnionDescription?
    /// The entities that the store is opened with, so that a change log records no others; `nil` for all that the table is connected with.
    var followed: [EntityDescription]?
    /// The condition in words that all listed rows match, because the list was opened from a row; `nil` for none.
    var narrowing: String?

    /// The table's name, or those of all tables of the list.
    var name: String {
      union.map { $0.branches.map(\.name).joined(separator: ", ") } ?? description.name
    }

    /// Whether nothing identifies the rows, so that they are numbered as they are read.
    var isUnidentified: Bool { (try? description.entity.get()) == nil }

    /// The columns of a primary key that does not compare by bytes, of those that can be read.
    var uncomparedKey: [String] {
      isUnidentified ? description.primaryKey.filter { entity.index(of: $0) != nil } : []
    }

    /// A store that holds the rows, read once.
    func numberedRows() throws -> any Store {
      let store = try InMemoryStore(entities: [entity], name: database.path, providesOrder: false)
      let rows = try database.rowsWithoutIdentity(
        ofTable: description.name,
        attributes: entity.attributes
      )
      guard let rows else {
        throw CommandFailure(
          .badData,
          "\(description.name) has no key, and more rows than can be listed without one: a million, or 256 MB.",
          remedy: "Read a part of it with the shell of the database."
        )
      }
      try store.commit(origin: .unnamed) { transaction in
        for (index, values) in rows.enumerated() {
          try transaction.insert(values, key: .integer(Int64(index + 1)), into: entity)
        }
      }
      return InMemoryStore(readingFrom: store)
    }
  }

  static let shared = DiscoveredTable()
  /// The table of the list for which a closure runs, where several are open.
  @TaskLocal static var scoped: Table?
  private let table = Mutex<Table?>(nil)

  /// The table of the list that is asked for, once it is known.
  static var current: Table? { scoped ?? shared.table.withLock { $0 } }

  /// Sets the table.
  func set(_ table: Table) { self.table.withLock { $0 = table } }

  /// Opens stores without the attributes that an entity leaves out, which are not read then (R194).
  func narrow(to entity: EntityDescription) {
    table.withLock { table in
      table?.entity = entity
      table?.followed = nil
    }
  }

  /// Opens stores with what a list reads, and with nothing else that the table is connected with.
  /// - Throws: `RequestError` for a definition that is not valid.
  func follow(_ definition: ResultsDefinition<Row>) throws(RequestError) {
    let entities = try definition.entities()
    table.withLock { $0?.followed = entities }
  }
}
