import ArgumentParser
import CommandLineFrontEnd
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit

/// The tables of a file as lists that are opened over other lists.
struct TableVisits: Sendable {
  let file: String
  let open: FileOptions
  let locale: LocaleOptions
  let screen: ScreenOptions
  /// Whether the lists are shown in a browser.
  var showsPages = false

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

  /// From a row of a table to the row that it refers to, or to those that refer to it; `nil` for a table without such.
  func references(of table: DiscoveredTable.Table) -> RowLinks? {
    let references = TableReferences(table: table)
    guard table.union == nil, !references.isEmpty else { return nil }
    return RowLinks(
      find: { id, store in try references.links(of: id, in: store) },
      visit: { link, id, store in
        let all = try references.all(of: id, in: store)
        guard let reference = all.first(where: { $0.name == link.name }) else {
          throw CommandFailure(.missingInput, "The row does not refer to \(link.title) any more.")
        }
        return try visit(reference.target.name, along: reference)
      }
    )
  }

  /// Opens a table, at the row of a reference or with its rows only.
  private func visit(
    _ name: String,
    along reference: TableReferences.Reference? = nil
  ) throws -> BrowserVisit {
    var (table, notes) = try open.discover(name, in: file, following: true)
    let row = reference.flatMap { $0.isToOne ? $0 : nil }
    let rows = reference.flatMap { $0.isToOne ? nil : $0 }
    table.narrowing = rows?.text
    let scope = TableScope(table: table)
    return try scope.run { [table] in
      try BrowseRun<TableProgram>(
        store: open.reading(file),
        list: .parse([]),
        rows: .parse([]),
        locale: locale,
        links: references(of: table),
        showsPages: showsPages
      )
      .visit(
        on: screen,
        where: try rows.map { try $0.condition(in: table.entity) },
        notice: notes.joined(separator: "; "),
        at: row.map { row in { store in try row.row(of: table.entity, in: store) } }
      )
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

  func run<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
    try await DiscoveredTable.$scoped.withValue(table, operation: body)
  }
}
