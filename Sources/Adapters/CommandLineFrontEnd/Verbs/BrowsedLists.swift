import Foundation
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Synchronization
import TerminalFrontEnd

/// The lists of a program, as the browser asks for them.
struct BrowsedLists<Program: ListProgram>: Sendable {
  let options: ListChoice
  /// The columns that are shown first.
  var columns: [ListColumn]
  let settings: LocaleSettings
  let store: any Store
  let location: StoreLocation
  var links: RowLinks?
  /// The lists that the user has saved, by their names.
  var saved: [SavedList] = []
  /// Whether the front end shows pages of the web itself, and clients return to earlier generations of its lists.
  var showsPages = false
  /// The forms of numbers and dates in files: plain ones, unless the user has named a locale.
  var fileSettings = LocaleSettings.machine
  private let commandLists = CommandLists()

  /// The source of the browser's lists.
  var source: BrowserSource {
    let requests = BrowsedRequests(self)
    var source = BrowserSource(
      perform: { request in try refusing { try requests.perform(request) } },
      forms: BrowsedForms(lists: self, requests: requests).forms,
      { choice in try refusing { try define(choice) } }
    )
    source.files = BrowsedFiles(lists: self).files
    source.details = relatedNames
    source.row = { choice, text in try refusing { try row(at: text, in: choice) } }
    source.matches = { choice, text, ids in try refusing { try matches(of: text, choice, ids) } }
    if let links {
      source.links = { id in try refusing { try links.find(id, store) } }
      source.visit = { id, link in try refusing { try links.visit(link, id, store) } }
    }
    source.writer = { (store as? any WriterReporting)?.presentWriter?.shortName }
    source.stop = { requests.stop() }
    return source
  }

  /// Runs a closure, and puts its error into words for the user.
  func refusing<Result>(_ body: () throws -> Result) throws(BrowserSource.Refusal) -> Result {
    do {
      return try body()
    } catch let refusal as BrowserSource.Refusal {
      throw refusal
    } catch let error as QuickFilterError {
      var refusal = BrowserSource.Refusal("\(error.message) \(error.remedy)")
      refusal.column = error.column
      throw refusal
    } catch StoreError.busy(_, _, let holder) where WriterWait.current?.isGivenUp == true {
      let writer = holder?.shortName ?? location.address.title
      throw BrowserSource.Refusal("Gave up waiting for \(writer): nothing was changed.")
    } catch {
      let failure = CommandFailure(error)
      let reason = failure.map { $0.remedy.isEmpty ? $0.message : "\($0.message) \($0.remedy)" }
      var refusal = BrowserSource.Refusal(reason ?? "\(error)")
      if case .busy? = error as? StoreError { refusal.isBusy = true }
      refusal.isGone = failure?.status == .nothingMatched
      throw refusal
    }
  }

  /// Keeps the list of a command.
  /// - Returns: The choice that shows it.
  func keep(_ definition: ResultsDefinition<Row>) -> BrowserChoice {
    var choice = BrowserChoice()
    choice.commandList = commandLists.keep(definition)
    return choice
  }

  /// Returns the definition that a choice makes, without its filter and what the screen shows besides.
  /// - Throws: `BrowserSource.Refusal` for the number of a list that no command opened.
  private func chosen(
    _ choice: BrowserChoice,
    for settings: LocaleSettings
  ) throws -> ResultsDefinition<Row> {
    var list = try base(of: choice)
    if let sort = choice.sort { (list.sort, list.isReversed) = (sort, false) }
    if let sectionBy = choice.sectionBy, sectionBy != list.sectionBy {
      // What gathers some sections is for those alone.
      (list.sectionBy, list.groupBy) = (sectionBy, nil)
      list.arrangement = list.arrangement.ofOtherSections(named: sectionBy)
    }
    var definition = try Program.summed(list.definition(of: Program.self, for: settings), in: store)
    guard let number = choice.commandList else { return definition }
    guard let kept = commandLists[number] else {
      throw BrowserSource.Refusal("The list that a command opened is not known any more.")
    }
    definition.cacheName = nil
    definition.isFrozen = kept.isFrozen
    definition.request.predicate = kept.request.predicate
    if choice.sort == nil { definition.request.sortDescriptors = kept.request.sortDescriptors }
    if choice.sectionBy == nil {
      (definition.sectionKey, definition.arrangement) = (kept.sectionKey, kept.arrangement)
      definition.groups = kept.groups
    }
    return definition
  }

  /// Returns the options that a choice changes: those of the command line, or of a saved list.
  /// - Throws: `BrowserSource.Refusal` for a list that is not saved, or why it is none of this program's.
  func base(of choice: BrowserChoice) throws -> ListChoice {
    guard let name = choice.savedList else { return options }
    guard let list = saved.first(where: { $0.name.hasSameBytes(as: name) }) else {
      throw BrowserSource.Refusal("Nothing is saved as “\(name)”.")
    }
    return try list.choice.get()
  }

  /// Adds the condition of a filter text to a definition.
  private func narrow(_ definition: inout ResultsDefinition<Row>, to choice: BrowserChoice) throws {
    guard !choice.filter.isEmpty else { return }
    definition.cacheName = nil
    definition.request.predicate =
      try definition.request.predicate
      && predicate(of: choice.filter, showing: try columns(of: choice), in: definition)
  }

  /// Returns the definition of the list of a choice as `watch` prints it for programs.
  /// - Parameters:
  ///   - choice: The choice.
  ///   - settings: Those of a format for programs, so that nothing depends on the environment.
  /// - Returns: The definition, with the rows' printed values.
  /// - Throws: As `definition(of:)`.
  func printedDefinition(
    of choice: BrowserChoice,
    for settings: LocaleSettings
  ) throws -> ResultsDefinition<Row> {
    var definition = try chosen(choice, for: settings)
    try narrow(&definition, to: choice)
    return definition.fetching(try columns(of: choice))
  }

  /// Returns the columns of a choice.
  /// - Throws: `CommandFailure` for a name that is not an attribute.
  func columns(of choice: BrowserChoice) throws -> [ListColumn] {
    try choice.columns.map { try RowOptions.columns(named: $0, of: Program.self) } ?? columns
  }

  /// Returns the definition of the list of a choice as it is written to a file.
  /// - Throws: As `definition(of:)`.
  func exportedDefinition(of choice: BrowserChoice) throws -> ResultsDefinition<Row> {
    var definition = try chosen(choice, for: .machine)
    // The default list of a program may have a limit; an export has none but the user's.
    if try base(of: choice).limit == nil { definition.request.fetchLimit = nil }
    try narrow(&definition, to: choice)
    return definition
  }

  /// Returns the definition of the list of a choice.
  func definition(of choice: BrowserChoice) throws -> ResultsDefinition<Row> {
    var definition = try chosen(choice, for: settings)
    // As many rows are shown at once of a long list that is being opened.
    definition.request.fetchBatchSize = max(definition.request.fetchBatchSize, 100)
    definition = definition.fetching(try columns(of: choice) + details.map(\.column))
    try narrow(&definition, to: choice)
    return definition
  }

  /// Returns the definition of the list of a choice with the sums of its headers, for which the store may be read.
  private func summedDefinition(of choice: BrowserChoice) throws -> ResultsDefinition<Row> {
    var definition = try definition(of: choice)
    guard try definition.sectionKey != nil || columns(of: choice).running != nil,
      !Program.headerAggregates.isEmpty
    else { return definition }
    let predicate = definition.request.predicate
    definition.aggregates = try Program.headerAggregates(in: store, where: predicate)
    // The cache of a list has its aggregates.
    definition.cacheName = definition.cacheName.map { "\($0)WithAggregates" }
    return definition
  }

  /// Returns the condition of a filter text: words are searched in the columns, and in what divides a list into sections.
  func predicate(
    of filter: String,
    showing columns: [ListColumn],
    in definition: ResultsDefinition<Row>
  ) throws(QuickFilterError) -> FetchPredicate {
    let titles = columns.map(\.title)
    let divided = definition.sectionKey.flatMap(sectionSource)
    let isOnServer = if case .database = location.address { true } else { false }
    return try QuickFilter(
      filter,
      of: Program.self,
      showing: titles + (divided.map { titles.contains($0) ? [] : [$0] } ?? []),
      for: settings,
      ignoresMarks: !isOnServer
    ).predicate
  }

  /// Returns the list of a choice.
  func define(_ choice: BrowserChoice) throws -> BrowserSource.Definition {
    let definition = try summedDefinition(of: choice)
    let controller = FetchedResultsController(
      definition,
      in: store,
      options: ResultsOptions(
        journalCapacity: showsPages ? 5000 : 0,
        resetThreshold: showsPages ? 5000 : 20_000,
        wallClock: PresentTime.clock,
        caches: choice == BrowserChoice() ? Program.caches(for: location) : nil
      )
    )
    let sectionBy = try choice.sectionBy ?? base(of: choice).sectionBy
    var order = order(of: definition, sectionBy, showing: try columns(of: choice))
    if let name = choice.savedList { order.words = "\(name): \(order.words)" }
    return BrowserSource.Definition(controller, order: order)
  }

  /// Returns the section key and the order: `by publisher ▸ title`, and the column `title`.
  func order(
    of definition: ResultsDefinition<Row>,
    _ sectionBy: String?,
    showing columns: [ListColumn]
  ) -> BrowserOrder {
    var descriptors = definition.request.sortDescriptors
    // The order of the sections need not be said twice.
    if case .expression(let expression, _, _, _) = definition.sectionKey?.source,
      descriptors.first?.expression == expression
    {
      descriptors.removeFirst()
    }
    let orders = descriptors.map { descriptor in
      (descriptor.direction == .descending ? "-" : "")
        + (descriptor.expression == .objectKey
          ? Program.keyTitle : descriptor.expression.description)
    }
    let order = orders.joined(separator: ", ")
    let words =
      switch definition.sectionKey?.source {
      case nil: order.isEmpty ? "" : "by \(order)"
      case .transient(let source, _): "by \(sectionBy ?? source) ▸ \(order)"
      case .expression(let expression, _, _, _):
        "by \(sectionBy ?? expression.description) ▸ \(order)"
      case .relationship(let sections):
        "by \(sectionBy ?? sections.path.joined(separator: ".")) ▸ \(order)"
      }
    let first = descriptors.first
    var shown = BrowserOrder(
      words,
      column: first.flatMap { title(ofColumnSortedBy: $0.expression, among: columns) },
      isDescending: first?.direction == .descending
    )
    shown.runningOrigin = columns.running?.origin(in: definition)
    return shown
  }

  /// The title of the column that shows a value by which rows are sorted, if there is one.
  private func title(
    ofColumnSortedBy expression: FetchExpression,
    among columns: [ListColumn]
  ) -> String? {
    columns.first { column in
      switch column {
      case .key: expression == .objectKey
      case .attribute(_, let attribute): expression == .attribute(attribute.name)
      case .related(let attribute), .value(_, let attribute):
        expression.description == attribute.name
      case .named(let relationship): expression == relationship.path
      case .transient, .running: false
      }
    }?.title
  }

  /// Returns the description of the program for the browser.
  func setup(_ screen: ScreenOptions) -> BrowserSetup {
    let shown = shown(columns)
    var setup = BrowserSetup(
      program: Program.name,
      file: location.address.title + (Program.subject.map { " ▸ " + $0 } ?? ""),
      nouns: Program.nouns,
      columns: shown.columns,
      details: details.map {
        column($0.column, as: $0.column.tableColumn, attribute: $0.attribute)
      },
      order: (try? define(BrowserChoice()).order) ?? "",
      sortNames: Program.sortNames,
      sectionNames: Program.sectionNames + ["none"],
      commands: Program.commands.map(command),
      isOffered: isOffered,
      fields: BrowsedForms<Program>.fields(for: settings),
      // A standby takes no changes, however it was opened, and a store in memory does not know how it was.
      canWrite: !location.isReadOnly && !store.capabilities.isReadOnly && !Program.isReadOnly,
      keepsToFirst: beginsWithNewest,
      width: DisplayWidth(ambiguous: screen.ambiguousWidth == 2 ? .wide : .narrow),
      signs: screen.ascii ? .ascii : .unicode
    )
    let formatter = ValueFormatter(for: settings)
    setup.aggregates = { formatter.text(of: $0) }
    (setup.titleColumn, setup.running) = (shown.titleColumn, shown.running)
    setup.subject = Program.subject
    setup.copyTime = Program.copyTime
    setup.hasLinks = links != nil
    setup.opensRows = links?.opensRows == true
    setup.rareNames = Program.foreignKeyNames
    setup.isYear = isYear
    setup.orderOffers = orderOffers
    setup.savedLists = savedOffers
    setup.sectionOffers = sectionOffers
    setup.isDimmed = Program.isDimmed
    setup.hasMoreDetails = Program.fields.named.contains(where: \.isToMany)
    setup.markTime = screen.markTime
    setup.mostUndoableRows = CommandRunner.rowLimit
    return setup
  }

  /// Whether the list is not divided, and its first row is the newest.
  private var beginsWithNewest: Bool {
    guard let definition = try? definition(of: BrowserChoice()), definition.sectionKey == nil,
      let first = definition.request.sortDescriptors.first, first.direction == .descending,
      case .attribute(let name) = first.expression
    else { return false }
    return Program.entity.attribute(named: name)?.type == .date
  }

  /// Returns what the browser needs to know of columns.
  private func shown(_ columns: [ListColumn]) -> BrowserSetup.ColumnChoice.Shown {
    let formatter = ValueFormatter(for: settings)
    var running: BrowserSetup.RunningColumn?
    for (index, column) in columns.enumerated() {
      guard case .running(_, let attribute) = column else { continue }
      running = .init(index) {
        $0.isOverflow ? "overflow" : formatter.text($0.value, of: attribute)
      }
    }
    return .init(
      zip(columns, columns.tableColumns).map { column($0, as: $1) },
      titleColumn: columns.nameIndex ?? 0,
      running: running
    )
  }

  /// Returns the columns that can be chosen.
  /// - Parameters:
  ///   - usual: The columns of the program.
  ///   - remembered: The names that are remembered from the last run.
  /// - Returns: The choice.
  func columnChoice(
    usual: [ListColumn],
    remembering remembered: [String]?
  ) -> BrowserSetup.ColumnChoice {
    BrowserSetup.ColumnChoice(
      names: Program.columnNames,
      usual: usual.map(\.title),
      first: columns.map(\.title),
      remembered: remembered
    ) { names in
      var choice = BrowserChoice()
      choice.columns = names
      return shown((try? columns(of: choice)) ?? columns)
    }
  }

  private func isOffered(_ call: BrowserCall) -> Bool {
    guard let command = Program.commands.first(where: { $0.name == call.name }),
      let context = try? context(of: call)
    else { return false }
    return command.isOffered(in: context)
  }

  /// Returns what a command acts on.
  func context(of call: BrowserCall) throws -> CommandContext {
    CommandContext(
      store: store,
      definition: try definition(of: call.choice),
      ids: call.ids,
      section: call.section,
      matchingCount: call.matchingCount,
      settings: settings,
      now: .now
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
      scope: scope,
      writes: command.writes
    )
  }

  /// The key, the fields and the computed attributes; several related objects are not in a row of a list.
  private var details: [(column: ListColumn, attribute: Int?)] {
    let fields = Program.fields
    let attributes = Program.entity.attributes.enumerated().map { index, attribute in
      // The name of a related object stands for its key.
      let relationship = fields.relationship(named: fields.form.attributes[index].name)
      let column = relationship.map { ListColumn.named($0) } ?? .attribute(index, attribute)
      return (column: column, attribute: Optional(index))
    }
    return [(.key(Program.keyTitle), nil)] + attributes
      + Program.transients.map { (.transient($0), nil) }
  }

  private func column(
    _ column: ListColumn,
    as table: TableColumn,
    attribute: Int? = nil
  ) -> BrowserSetup.Column {
    let formatter = ValueFormatter(for: settings)
    var index = attribute
    if case .attribute(let attribute, _) = column { index = attribute }
    return BrowserSetup.Column(
      table.title,
      alignment: table.alignment,
      minimumWidth: table.minimumWidth,
      attribute: index
    ) { column.text($0, formatter) }
  }
}

/// The lists that commands have opened, by their numbers.
private final class CommandLists: Sendable {
  private let definitions = Mutex<[ResultsDefinition<Row>]>([])

  func keep(_ definition: ResultsDefinition<Row>) -> Int {
    definitions.withLock { definitions in
      definitions.append(definition)
      return definitions.count - 1
    }
  }

  subscript(number: Int) -> ResultsDefinition<Row>? {
    definitions.withLock { $0.indices.contains(number) ? $0[number] : nil }
  }
}
