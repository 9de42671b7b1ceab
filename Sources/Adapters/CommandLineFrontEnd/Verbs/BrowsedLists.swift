import Foundation
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// The lists of a program, as the browser asks for them.
struct BrowsedLists<Program: ListProgram>: Sendable {
  let options: ListChoice
  let columns: [ListColumn]
  let settings: LocaleSettings
  let store: any Store
  let location: StoreLocation

  /// The source of the browser's lists.
  var source: BrowserSource {
    let requests = BrowsedRequests<Program>(store, settings: settings)
    return BrowserSource(
      perform: { request in try refusing { try requests.perform(request) } },
      { choice in try refusing { try define(choice) } }
    )
  }

  /// Runs a closure, and puts its error into words for the user.
  private func refusing<Result>(_ body: () throws -> Result) throws(BrowserSource.Refusal) -> Result
  {
    do {
      return try body()
    } catch let error as QuickFilterError {
      throw BrowserSource.Refusal("\(error.message) \(error.remedy)")
    } catch {
      let failure = CommandFailure(error)
      throw BrowserSource.Refusal(failure.map { "\($0.message) \($0.remedy)" } ?? "\(error)")
    }
  }

  /// Returns the list of a choice.
  func define(_ choice: BrowserChoice) throws -> BrowserSource.Definition {
    var list = options
    if let sort = choice.sort { list.sort = sort }
    if let sectionBy = choice.sectionBy { list.sectionBy = sectionBy }
    var definition = try list.definition(of: Program.self, for: settings)
      .fetching(columns)
    if !choice.filter.isEmpty {
      definition.cacheName = nil
      definition.request.predicate =
        try definition.request.predicate
        && QuickFilter(choice.filter, of: Program.self, for: settings).predicate
    }
    let controller = FetchedResultsController(
      definition,
      in: store,
      options: ResultsOptions(
        resetThreshold: 20_000,
        caches: choice == BrowserChoice() ? Program.caches(for: location) : nil
      )
    )
    return BrowserSource.Definition(controller, order: words(for: definition, list.sectionBy))
  }

  /// Returns the section key and the order in words: `by publisher ▸ title`.
  private func words(for definition: ResultsDefinition<Row>, _ sectionBy: String?) -> String {
    var descriptors = definition.request.sortDescriptors
    // The order of the sections need not be said twice.
    if case .expression(let expression, _, _, _) = definition.sectionKey?.source,
      descriptors.first?.expression == expression
    {
      descriptors.removeFirst()
    }
    let orders = descriptors.map { descriptor in
      (descriptor.direction == .descending ? "-" : "") + "\(descriptor.expression)"
    }
    let order = orders.joined(separator: ", ")
    switch definition.sectionKey?.source {
    case nil: return order.isEmpty ? "" : "by \(order)"
    case .transient(let source, _): return "by \(sectionBy ?? source) ▸ \(order)"
    case .expression(let expression, _, _, _):
      return "by \(sectionBy ?? expression.description) ▸ \(order)"
    }
  }

  /// Returns the description of the program for the browser.
  func setup(_ screen: ScreenOptions) -> BrowserSetup {
    let columns = self.columns.map(column)
    let key = ListColumn.key(Program.keyTitle)
    let details =
      [key] + Program.entity.attributes.enumerated().map { .attribute($0, $1) }
      + Program.transients.map { .transient($0) }
    return BrowserSetup(
      program: Program.name,
      file: URL(fileURLWithPath: location.path).lastPathComponent,
      nouns: Program.nouns,
      columns: columns,
      details: details.map(column),
      order: (try? define(BrowserChoice()).order) ?? "",
      sortNames: Program.sortNames,
      sectionNames: Program.sectionNames + ["none"],
      commands: Program.commands.map(command),
      canWrite: !location.isReadOnly && !Program.isReadOnly,
      width: DisplayWidth(ambiguous: screen.ambiguousWidth == 2 ? .wide : .narrow),
      signs: screen.ascii ? .ascii : .unicode
    )
  }

  private func command(_ command: ListCommand) -> BrowserCommand {
    let scope: BrowserCommand.Scope =
      switch command.scope {
      case .rows: .rows
      case .section: .section
      case .list: .list
      }
    return BrowserCommand(
      name: command.name,
      title: command.title,
      key: command.key,
      scope: scope
    )
  }

  private func column(_ column: ListColumn) -> BrowserSetup.Column {
    let table = column.tableColumn
    let formatter = ValueFormatter(for: settings)
    var index: Int?
    if case .attribute(let attribute, _) = column { index = attribute }
    return BrowserSetup.Column(
      table.title,
      alignment: table.alignment,
      minimumWidth: table.minimumWidth,
      attribute: index
    ) { column.text($0, formatter) }
  }
}
