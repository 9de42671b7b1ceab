import ArgumentParser
import CommandLineFrontEnd
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import SQLitePersistence

/// The tables of a file as lists that are opened over other lists.
struct TableVisits: Sendable {
  let file: String
  let open: FileOptions
  let locale: LocaleOptions
  let screen: ScreenOptions

  /// From a list of tables to the table that a row names.
  var fromTables: RowLinks {
    RowLinks(
      opensRows: true,
      find: { id, store in
        let name = try name(of: id, in: store)
        return [BrowserLink(name: name, title: name)]
      },
      visit: { link, _, _ in try visit(link.name) }
    )
  }

  /// The name of the table that a row of the list of tables describes.
  private func name(of id: ObjectID, in store: any Store) throws -> String {
    let row = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows([id.key], of: TablesProgram.entity).first ?? nil
    }
    guard case .text(let name)? = row?["table"] else { throw StoreError.notFound(id) }
    return name
  }

  /// Opens a table.
  private func visit(_ name: String) throws -> BrowserVisit {
    let (table, notes) = try open.discover(name, in: file, following: true)
    let scope = TableScope(table: table)
    return try scope.run {
      try BrowseRun<TableProgram>(
        store: open.reading(file),
        list: .parse([]),
        rows: .parse([]),
        locale: locale
      )
      .visit(on: screen, notice: notes.joined(separator: "; "))
    }
    .within(scope)
  }
}

/// The table of one of several lists.
private struct TableScope: BrowserScope {
  let table: DiscoveredTable.Table

  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try DiscoveredTable.$scoped.withValue(table, operation: body)
  }
}
