package import ArgumentParser
import Foundation
package import ListBrowser
package import ProgramFrontEnd
package import ResultsDomain
package import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `browse`: shows the list on the whole terminal, live.
package struct BrowseVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "browse",
      abstract: "Show the \(Program.nouns.many) on the whole terminal, live.",
      discussion: Program.discussion(
        """
        The cursor stays on its row while other programs write. Press ? for the keys, q to leave. With --linear, and where \
        TERM is dumb, the list is read out in lines, for screen readers and braille displays. Where the output is no \
        terminal it is printed. With --print it plays --keys and prints the last screen.
        """,
        takesList: true,
        examples: "browse",
        "browse --where \"\(Program.examples.condition)\"",
        "browse --print --keys 'jj' --size 80x24"
      )
    )
  }

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<Program>
  @OptionGroup var rows: RowOptions
  @OptionGroup var locale: LocaleOptions
  @OptionGroup var screen: ScreenOptions

  /// Creates the verb.
  package init() {}

  /// Shows the list until the user leaves it.
  package func run() async throws {
    try await BrowseRun<Program>(
      store: store,
      list: list,
      rows: rows,
      locale: locale,
      times: times
    )
    .browse(on: screen)
  }
}

/// A run of `browse`, or of a verb like it: opens a store and shows a list on the whole terminal.
package struct BrowseRun<Program: ListProgram> {
  private let store: ReadingStoreOptions
  private let list: ListOptions
  private let rows: RowOptions
  let locale: LocaleOptions
  private let times: TimeOptions<Program>?
  private let links: RowLinks?
  private let showsPages: Bool

  /// Creates a run with the options of a verb.
  /// - Parameters:
  ///   - store: How the store is opened.
  ///   - list: The rows, their order and their sections.
  ///   - rows: The columns.
  ///   - locale: The locale, the calendar and the time zone.
  ///   - times: The rows of a time.
  ///   - links: The other lists to which rows belong, if they belong to any.
  ///   - showsPages: Whether the lists are shown in a browser.
  package init(
    store: ReadingStoreOptions,
    list: ListOptions,
    rows: RowOptions,
    locale: LocaleOptions,
    times: TimeOptions<Program>? = nil,
    links: RowLinks? = nil,
    showsPages: Bool = false
  ) {
    (self.store, self.list, self.rows, self.locale) = (store, list, rows, locale)
    (self.times, self.links) = (times, links)
    self.showsPages = showsPages
  }

  /// Shows the list until the user leaves it; where the output is no terminal, it is printed.
  package func browse(on screen: ScreenOptions) async throws {
    let isTerminal = TerminalOutput.standard.isTerminal && isatty(0) == 1
    let environment = ProcessInfo.processInfo.environment
    guard screen.prints || isTerminal else { return try await printList() }
    let browsed = try prepare(screen, remembers: !screen.prints)
    defer { browsed.state?.end(Program.name) }
    let (setup, source) = (browsed.setup, browsed.lists.source)
    let loop = BrowserLoop(setup, source: source)
    if screen.prints {
      let surface = try await loop.screen(after: try screen.inputs, size: screen.terminalSize)
      try browsed.lists.store.close()
      return try TerminalOutput.standard.write(surface.lines.joined(separator: "\n") + "\n")
    }
    let readsOut = screen.linear || environment["TERM"] == "dumb"
    var modes = readsOut ? TerminalModes.lines : TerminalModes()
    modes.showsCursor = screen.showCursor
    let session = try TerminalSession(modes: modes, environment: environment)
    let end =
      readsOut
      ? try await LineLoop(setup, source: source).run(on: session)
      : try await loop.run(on: session, isColored: rows.isColored)
    try browsed.lists.store.close()
    switch end {
    case .status(0): return
    case .status(let status): throw ExitCode(status)
    case .signal(let number): throw Interruption.signal(number: number)
    }
  }

  /// Opens the list, to be shown over another one.
  /// - Parameters:
  ///   - screen: How it is shown.
  ///   - condition: What its rows match besides.
  ///   - notice: A sentence to show at the start, or an empty text.
  ///   - row: Returns the row under the cursor at first; `nil` begins where the list was left the last time.
  /// - Returns: The list, whose store is closed when it is left.
  /// - Throws: What opening a store throws, and `CommandFailure` for options that are not valid.
  package func visit(
    on screen: ScreenOptions,
    where condition: FetchPredicate? = nil,
    notice: String = "",
    at row: ((any Store) throws -> ObjectID)? = nil
  ) throws -> BrowserVisit {
    let isWhole = condition == nil && row == nil
    let browsed = try prepare(screen, where: condition, remembers: isWhole && !screen.prints)
    let store = browsed.lists.store
    do {
      var setup = browsed.setup
      if !notice.isEmpty { setup.notice = notice }
      return BrowserVisit(setup, source: browsed.lists.source, at: try row?(store)) {
        // The terminal shows another list by now, so a failure is not printed.
        browsed.state?.end()
        try? store.close()
      }
    } catch {
      try? store.close()
      throw error
    }
  }

  /// A list that is open, and what is remembered of it.
  struct Browsed: Sendable {
    let lists: BrowsedLists<Program>
    var setup: BrowserSetup
    let state: BrowsedState?
  }

  /// Opens the store and describes its list.
  func prepare(
    _ screen: ScreenOptions,
    where condition: FetchPredicate? = nil,
    remembers: Bool
  ) throws -> Browsed {
    let usual = try RowOptions.parse([]).screenColumns(of: Program.self)
    let columns = try rows.screenColumns(of: Program.self)
    let settings = try locale.settings()
    let location = try store.location(of: Program.name)
    var choice = try list.choice(of: Program.self, for: settings, within: times)
    if let condition { choice.predicate = choice.predicate.map { $0 && condition } ?? condition }
    let opened = try Program.openStore(location)
    do {
      var lists = BrowsedLists<Program>(
        options: choice,
        columns: columns,
        settings: settings,
        store: opened,
        location: location,
        links: links,
        showsPages: showsPages
      )
      lists.saved = SavedList.all(of: Program.self, for: settings)
      lists.fileSettings = locale.locale == nil ? settings.withPlainForms : settings
      let state =
        !remembers || screen.noState || choice.period != nil
        ? nil
        : BrowsedState(
          of: list,
          Program.entity.name,
          in: opened,
          program: Program.name,
          environment: ProcessInfo.processInfo.environment
        )
      if rows.columns == nil, let names = state?.memory?.columns {
        // A column can have been removed since.
        let known = names.filter { (try? RowOptions.columns(named: [$0], of: Program.self)) != nil }
        let shown = try RowOptions.columns(named: known, of: Program.self)
        if !shown.isEmpty { lists.columns = shown }
      }
      // Checked before the terminal is taken, so that a wrong option is reported on the shell's screen.
      _ = try lists.define(BrowserChoice())
      var setup = lists.setup(screen)
      state?.begin(&setup)
      setup.columnChoice = lists.columnChoice(
        usual: usual,
        remembering: state?.memory?.columns
      )
      return Browsed(lists: lists, setup: setup, state: state)
    } catch {
      try? opened.close()
      throw error
    }
  }

  /// Prints the list, where there is no terminal to show it on.
  private func printList() async throws {
    // Only parsed options can be read.
    var output = try OutputOptions.parse([])
    output.rows = rows
    let settings = try locale.settings(for: output.listFormat)
    try await ListRun<Program>(output: output, settings: settings)
      .print(try list.definition(of: Program.self, for: settings, within: times), from: store)
  }
}

/// The options of a full screen.
package struct ScreenOptions: ParsableArguments, Sendable {
  /// Whether the screen is printed instead of shown.
  @Flag(name: .customLong("print"), help: "Play --keys, print the last screen and end.")
  package var prints = false

  /// The keys to play.
  @Option(
    parsing: .unconditional,
    help: "The keys to play for --print: as typed; \\r is Enter, \\e Esc, \\t Tab."
  )
  package var keys = ""

  /// The size of the printed screen.
  @Option(help: "The size of the screen for --print, such as 80x24.")
  package var size = "80x24"

  /// Whether to read the list out in lines, without escape sequences.
  @Flag(help: "Read the list out in lines, for screen readers and braille displays.")
  package var linear = false

  /// Whether to draw with ASCII signs only.
  @Flag(help: "Draw with ASCII signs only.")
  package var ascii = false

  /// The width of ambiguous characters.
  @Option(help: "The columns that ambiguous characters such as … take: 1 or 2.")
  package var ambiguousWidth = 1

  /// The time for which changes are marked.
  @Option(help: "Milliseconds for which changes are marked, 0 for none, or keep.")
  package var marks = "1500"

  /// Whether the terminal's cursor stays visible.
  @Flag(help: "Keep the terminal's cursor visible, on the row of the list's cursor.")
  package var showCursor = false

  /// Whether nothing is remembered from the last run, nor for the next.
  @Flag(help: "Begin with the usual list, and remember nothing for the next time.")
  package var noState = false

  /// Creates the options with their defaults.
  package init() {}

  /// Refuses a size or a width that cannot be drawn, and keys that nobody would play.
  package func validate() throws {
    guard prints || keys.isEmpty else {
      throw ValidationError("--keys are played by --print alone. Add --print.")
    }
    guard ambiguousWidth == 1 || ambiguousWidth == 2 else {
      throw ValidationError("--ambiguous-width must be 1 or 2, not \(ambiguousWidth).")
    }
    guard marks == "keep" || (Int(marks).map { $0 >= 0 && $0 <= 3_600_000 } ?? false) else {
      throw ValidationError("--marks must be keep or 0 to 3600000 milliseconds, not \(marks).")
    }
    guard dimensions != nil else {
      throw ValidationError("--size must be columns and lines such as 80x24, not \(size).")
    }
  }

  private var dimensions: (columns: Int, lines: Int)? {
    let parts = size.split(separator: "x").map { Int($0) }
    guard parts.count == 2, let columns = parts[0], let lines = parts[1],
      (1...1000).contains(columns), (1...1000).contains(lines)
    else { return nil }
    return (columns, lines)
  }

  /// The size of the printed screen.
  var terminalSize: TerminalSize {
    TerminalSize(columns: dimensions?.columns ?? 80, rows: dimensions?.lines ?? 24)
  }

  /// The time for which changes are marked; `nil` to keep the marks.
  var markTime: Duration? { Int(marks).map { .milliseconds($0) } }

  /// The keys to play.
  var inputs: [KeyInput] {
    get throws {
      var bytes: [UInt8] = []
      var rest = keys.unicodeScalars[...]
      while let scalar = rest.popFirst() {
        guard scalar == "\\" else {
          bytes += Array(String(scalar).utf8)
          continue
        }
        switch rest.popFirst() {
        case "r", "n": bytes.append(0x0D)
        case "t": bytes.append(0x09)
        case "e": bytes.append(0x1B)
        case "\\": bytes.append(0x5C)
        case let other:
          throw CommandFailure(
            .usage,
            "--keys: \\\(other.map(String.init) ?? "") is no key.",
            remedy: "Write \\r for Enter, \\e for Esc, \\t for Tab, \\\\ for a backslash."
          )
        }
      }
      var parser = KeyParser()
      return parser.feed(bytes) + parser.flush()
    }
  }
}
