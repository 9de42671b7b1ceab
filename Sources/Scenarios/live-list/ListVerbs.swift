import ArgumentParser
import CommandLineFrontEnd
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit

/// `list FILE TABLE`, which may be left out: prints a table, or the tables of a file.
struct TableListVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the rows of a table; without a table, the tables.",
    discussion: TableProgram.examples(
      "list music.sqlite",
      "list music.sqlite Track --sort Name --limit 20",
      "list music.sqlite Track --where \"\(TableProgram.examples.condition)\" --section-by AlbumId",
      "list music.sqlite Track --with Album --with Artist --section-by table"
    )
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The table or view.")
  var table: String?

  @OptionGroup var others: OtherTables
  @OptionGroup var open: FileOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var saved: SavedListOptions
  @Flag(help: "Exit with status 1 if the list is empty.")
  var failIfEmpty = false
  @Flag(help: "Explain how the list is computed (index, cost) instead of printing it.")
  var explain = false

  func validate() throws { try others.check(besides: table) }

  func run() async throws {
    guard let table else {
      return try TableReport(try open.database(file), output: output).printTables()
    }
    let store = try open.open(table, with: others, in: file)
    let settings = try locale.settings(for: output.listFormat)
    let definition = try list.definition(of: TableProgram.self, for: settings)
    let run = ListRun<TableProgram>(output: output, settings: settings)
    guard !explain else { return try await run.printExplanation(of: definition, from: store) }
    try await run.print(definition, from: store, failIfEmpty: failIfEmpty)
  }
}

/// `browse FILE TABLE`: shows a table, or the tables of a file, on the whole terminal, live.
struct TableBrowseVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Show the rows of a table on the whole terminal, live; without a table, the tables.",
    discussion: TableProgram.examples(
      """
      The cursor stays on its row while other programs write; nothing is written to the file. Press ? for the keys, q to \
      leave. With --linear, and where TERM is dumb, the list is read out in lines, for screen readers and braille displays. \
      Where the output is no terminal it is printed. With --print it plays --keys and prints the last screen. In the list of \
      tables Enter opens one, f goes from a row along a foreign key, and q goes back.
      """,
      "browse music.sqlite",
      "browse music.sqlite Track",
      "browse music.sqlite Track --where \"\(TableProgram.examples.condition)\"",
      "browse music.sqlite Track --print --keys 'jj' --size 80x24"
    )
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The table or view; without one the tables are shown, or the only one.")
  var table: String?

  @OptionGroup var others: OtherTables
  @OptionGroup var open: FileOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var rows: RowOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var screen: ScreenOptions

  func validate() throws { try others.check(besides: table) }

  func run() async throws {
    var screen = screen
    // What is remembered of a list belongs to its file.
    if open.copy { screen.noState = true }
    let visits = TableVisits(file: file, open: open, locale: locale, screen: screen)
    guard let table = try table ?? open.onlyTable(of: file) else {
      TablesProgram.describe(file)
      return try await BrowseRun<TablesProgram>(
        store: open.reading(file),
        list: list,
        rows: rows,
        locale: locale,
        links: visits.fromTables
      )
      .browse(on: screen)
    }
    let store = try open.open(table, with: others, in: file, following: true)
    try await BrowseRun<TableProgram>(
      store: store,
      list: list,
      rows: rows,
      locale: locale,
      links: DiscoveredTable.current.flatMap(visits.references)
    )
    .browse(on: screen)
  }
}

/// `serve FILE TABLE`: shows a table, or the tables of a file, in a browser, live.
struct TableServeVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show the rows of a table in a browser, live; without a table, the tables.",
    discussion: TableProgram.examples(
      ServeOptions.discussion,
      "Nothing is written to the file.",
      "serve music.sqlite",
      "serve music.sqlite Track --port 0",
      "serve music.sqlite Track --where \"\(TableProgram.examples.condition)\""
    )
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The table or view; without one the tables are shown, or the only one.")
  var table: String?

  @OptionGroup var others: OtherTables
  @OptionGroup var open: FileOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var rows: RowOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var server: ServeOptions

  func validate() throws { try others.check(besides: table) }

  func run() async throws {
    let screen = try ScreenOptions.parse(["--no-state"])
    let visits = TableVisits(
      file: file,
      open: open,
      locale: locale,
      screen: screen,
      showsPages: true
    )
    guard let table = try table ?? open.onlyTable(of: file) else {
      TablesProgram.describe(file)
      return try await BrowseRun<TablesProgram>(
        store: open.reading(file),
        list: list,
        rows: rows,
        locale: locale,
        links: visits.fromTables,
        showsPages: true
      )
      .serve(server)
    }
    let store = try open.open(table, with: others, in: file, following: true)
    try await BrowseRun<TableProgram>(
      store: store,
      list: list,
      rows: rows,
      locale: locale,
      links: DiscoveredTable.current.flatMap(visits.references),
      showsPages: true
    )
    .serve(server)
  }
}

/// `watch FILE TABLE`: prints a table, then every change of it by any process.
struct TableWatchVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "List the rows of a table, then print every change.",
    discussion: TableProgram.examples(
      """
      Changes made by any process appear. Without --log nothing is written: after a commit the list is read again and \
      compared. With --log the database gets a change log, whose triggers record the changes of every writer row by row. \
      Ctrl-C ends the watch.
      """,
      "watch music.sqlite Track",
      "watch music.sqlite Track --format jsonl --deltas 1",
      "watch music.sqlite Track --log"
    )
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The table or view.")
  var table: String

  @OptionGroup var others: OtherTables
  @OptionGroup var open: FileOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: ChangeOutputOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var end: WatchEnd
  @Flag(help: "Keep the present rows and their order: values stay live, deleted rows disappear.")
  var frozen = false
  @Flag(help: "Add a change log to the database, to follow every writer row by row.")
  var log = false

  func validate() throws {
    guard !open.copy else {
      throw ValidationError(
        "--copy: a copy does not change, so that there is nothing to watch. Use list or browse."
      )
    }
  }

  func run() async throws {
    let store = try open.open(
      table,
      with: others,
      in: file,
      following: true,
      addingLog: log,
      within: end.time?.duration
    )
    let settings = try locale.settings(for: output.listFormat)
    var definition = try list.definition(of: TableProgram.self, for: settings, isFrozen: frozen)
    let columns = try output.rows.columns(of: TableProgram.self)
    try DiscoveredTable.shared.follow(definition.fetching(columns))
    let opened = try TableProgram.openStore(try store.location(of: TableProgram.name))
    let coverage = opened.capabilities.historyCoverage
    let isReadDirectly = DiscoveredStores.locksWriters(opened)
    try opened.close()
    // A change log has whole rows.
    if coverage != .everyWriter, output.rows.columns != nil {
      definition = try TableProgram.narrowed(definition, to: columns)
    }
    try open.note(
      coverage == .everyWriter
        ? "following every writer row by row, by the change log of \(file)"
        : "following \(file) by comparison: after each commit the list is read again"
    )
    if isReadDirectly {
      try open.note(
        "\(file) uses a rollback journal: a writer that does not wait may find it locked"
      )
    }
    try await WatchRun<TableProgram>(store: store, output: output, settings: settings)
      .watch(definition, until: end)
  }
}

/// `export FILE TABLE OUTPUT`: writes a table to a file.
struct TableExportVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the rows of a table to a file.",
    discussion: TableProgram.examples(
      "The file has all columns, or those of --columns. Numbers have decimal points; nothing depends on the locale or the time zone.",
      "export music.sqlite Track tracks.csv",
      "export music.sqlite Track - --sort Name --limit 10"
    )
  )

  @Argument(help: "The database's file or URL.", completion: .file())
  var file: String
  @Argument(help: "The table or view.")
  var table: String
  @Argument(help: "The file to write, or - for standard output.", completion: .file())
  var destination: String
  @Option(help: "The format (default: by the file's name; jsonl for -).")
  var format: ExportFormatOption?
  @Flag(help: "Put an apostrophe before texts that a spreadsheet would run as formulas (csv, tsv).")
  var spreadsheetSafe = false
  @Option(help: "The columns: id or attribute names, separated by commas (default: all).")
  var columns: String?

  @OptionGroup var others: OtherTables
  @OptionGroup var open: FileOptions
  @OptionGroup var list: ListOptions

  func run() async throws {
    try await ExportRun<TableProgram>(
      store: try open.open(table, with: others, in: file),
      list: list
    )
    .export(to: destination, as: format, guardsFormulas: spreadsheetSafe, columns: columns)
  }
}
