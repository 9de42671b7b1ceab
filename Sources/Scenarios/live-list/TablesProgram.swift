import InMemoryPersistence
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// The program `live-list` where no table is named: its list is that of the tables and views of a file.
enum TablesProgram: ListProgram {
  static let name = TableProgram.name
  static let abstract = TableProgram.abstract
  static let nouns = (one: "table", many: "tables")
  static let isReadOnly = true
  static let showsKey = false
  static let examples = TableProgram.examples
  static let entity = Table.entity
  static var copyTime: String? { FileCopies.time }
  static let columns = ["table", "kind", "rows", "key", "refers to"]

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

  /// A row of the list.
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
}
