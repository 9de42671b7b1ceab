import InMemoryPersistence
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization

/// The program `live-list` where no table is named: its list is that of the tables and views of a file.
enum TablesProgram: ListProgram {
  static let name = TableProgram.name
  static let abstract = TableProgram.abstract
  static let nouns = (one: "table", many: "tables")
  static let isReadOnly = true
  static let showsKey = false
  static let examples = TableProgram.examples
  static var copyTime: String? { FileCopies.time }
  /// Whether numbers of rows can be estimates, as those of a server are; set once before a verb runs.
  private static let hasEstimates = Mutex(false)

  static var entity: EntityDescription {
    hasEstimates.withLock { $0 } ? CountedTable.entity : Table.entity
  }

  /// The mark of an estimate has a column before the number, which stays one to sort by.
  static var columns: [String] {
    ["table", "kind"] + (entity.index(of: mark) == nil ? [] : [mark]) + [
      "rows", "key", "refers to",
    ]
  }

  /// The mark of a number that is an estimate, and the name of its column.
  static let mark = "≈"

  /// Makes the program list the tables of a database.
  static func describe(_ database: String) {
    hasEstimates.withLock { $0 = DatabaseURL(database) != nil }
  }

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest(entity: entity, sortedBy: [.ascending("table")])
    )
  }

  static func openStore(_ location: StoreLocation) throws -> any Store {
    let tables = try FileTables(
      of: location.address.text,
      as: entity,
      busyTimeout: location.busyTimeout
    )
    return InMemoryStore(readingFrom: tables.store)
  }

  static func diagnose(_ store: any Store) throws -> [String] { [] }

  /// A row of the list of a file.
  private struct Table: Entity {
    var id: Int64?
    var name = ""
    var kind = ""
    var rows: Int64?
    var key = ""
    var references = ""

    static let schema = EntitySchema<Table>("Table", identity: \.id) {
      Attribute(\.name, "table")
      Attribute(\.kind, "kind")
      Attribute(\.rows, "rows")
      Attribute(\.key, "key")
      Attribute(\.references, "refers to")
    }
  }

  /// A row of the list of a server, which estimates numbers of rows.
  private struct CountedTable: Entity {
    var id: Int64?
    var name = ""
    var kind = ""
    var rows: Int64?
    var key = ""
    var references = ""
    var estimate = ""

    static let schema = EntitySchema<CountedTable>("Table", identity: \.id) {
      Attribute(\.name, "table")
      Attribute(\.kind, "kind")
      Attribute(\.rows, "rows")
      Attribute(\.key, "key")
      Attribute(\.references, "refers to")
      Attribute(\.estimate, TablesProgram.mark)
    }
  }
}
