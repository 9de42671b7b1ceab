public import ArgumentParser
import FileFormats
import Foundation
public import ProgramFrontEnd
import ResultsDomain
import TerminalFrontEnd

/// `import FILE|-`: adds the objects of a file, all or none, and none twice.
public struct ImportVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "import",
      abstract: "Add the \(Program.nouns.many) of a file.",
      discussion: Program.discussion(
        """
        CSV and TSV columns are matched by the header line, JSON lines by their keys\
        \(Program.importsFeeds ? ", RSS and Atom by their elements" : ""). The import is one transaction; records that are already in the store are skipped, by count: of three equal records in a \
        file, one is added to a store that holds two. A date without a time is that date in every time zone.

        Columns are named as the attributes, in any case: \(Program.attributeNames). Other columns are reported.
        """,
        examples: "import \(Program.examples.file)",
        "import - --format csv --dry-run"
      )
    )
  }

  @Argument(help: "A file, or - for standard input.", completion: .file())
  var file: String
  @Option(help: "The file's format (default: by its name or content).")
  var format: ImportFormatOption?
  @Flag(help: "Print what would be added, and add nothing.")
  var dryRun = false
  @Flag(help: "Skip invalid records instead of refusing the file.")
  var skipBad = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var locale: LocaleOptions

  /// Creates the verb.
  public init() {}

  /// Imports the file.
  public func run() async throws {
    // Files contain plain forms, unless --locale says otherwise; the environment's locale does not count.
    let settings =
      locale.locale == nil ? try locale.settings().withPlainForms : try locale.settings()
    let source = try RecordFile.read(path: file)
    var records: any RecordReader = try source.reader(format: format?.format)
    let location = try storeLocation()
    let opened = try Program.openStore(location)
    var run = ImportRun<Program>(source: source.source, settings: settings, skipsBad: skipBad)
    do {
      try opened.commit(origin: CommitOrigin("import")) { transaction in
        let progress = ImportProgress()
        defer { progress.end() }
        try run.take(&records, into: transaction) { progress.show($0) }
        if dryRun { throw ImportRun<Program>.DryRun() }
      }
    } catch .aborted(by: is ImportRun<Program>.DryRun) {
    }
    try opened.close()
    try TerminalOutput.standard.write(run.summary(isDryRun: dryRun))
    for note in run.notes {
      try TerminalOutput.standardError.write(SafeText.oneLine("\(Program.name): \(note)") + "\n")
    }
    if !run.skipped.isEmpty { throw ExitCode(ExitStatus.nothingMatched.rawValue) }
  }

  /// Returns the location to import into; a dry run creates no file and no table.
  private func storeLocation() throws -> StoreLocation {
    var location = try store.location(of: Program.name)
    location.historyCapacity = 0
    guard dryRun, try !isThere(location) else { return location }
    return StoreLocation(.memory, isReadOnly: false, busyTimeout: location.busyTimeout)
  }

  private func isThere(_ location: StoreLocation) throws -> Bool {
    switch location.address {
    case .memory: true
    case .file(let path): FileManager.default.fileExists(atPath: path)
    case .database: try Program.objectCount(at: location) != nil
    }
  }
}

/// The formats that can be imported.
public enum ImportFormatOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Comma-separated values.
  case csv
  /// Tab-separated values.
  case tsv
  /// One JSON object per line.
  case jsonl
  /// RSS or Atom.
  case feed

  var format: ImportFormat {
    switch self {
    case .csv: .csv
    case .tsv: .tsv
    case .jsonl: .jsonl
    case .feed: .feed
    }
  }
}

/// A counter on standard error for a long import, if that is a terminal.
private final class ImportProgress {
  private let isShown = TerminalOutput.standardError.isTerminal
  private var shown = 0

  func show(_ count: Int) {
    guard isShown, count >= shown + 1000 else { return }
    shown = count
    try? TerminalOutput.standardError.write("\r\(count) records…")
  }

  func end() {
    if shown > 0 { try? TerminalOutput.standardError.write("\r\u{1B}[K") }
  }
}
