public import ArgumentParser
import FileFormats
import Foundation
import ResultsDomain
import TerminalFrontEnd

/// `import FILE|-`: adds the objects of a file, all or none, and none twice.
public struct ImportVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "import",
      abstract: "Add the \(Program.nouns.many) of a file.",
      discussion: """
        CSV and TSV columns are matched by the header line, JSON lines by their keys, RSS and Atom by their elements. The \
        import is one transaction; records that are already in the store are skipped, by count: of three equal records in a \
        file, one is added to a store that holds two. A date without a time is that date in every time zone.
        """
    )
  }

  @Argument(help: "A file, or - for standard input.", completion: .file())
  var file: String
  @Option(help: "The file's form: csv, tsv, jsonl or feed. By default from its name or content.")
  var format: ImportFormatOption?
  @Flag(help: "Say what would be added, and add nothing.")
  var dryRun = false
  @Flag(help: "Skip lines that are not understood instead of refusing the file.")
  var skipBad = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var reader: ReaderOptions

  /// Makes the verb.
  public init() {}

  /// Imports.
  public func run() async throws {
    // Files hold plain forms, whoever reads them, unless a locale is named for them.
    let settings =
      reader.locale == nil ? try reader.settings().withPlainForms : try reader.settings()
    let source = try RecordFile.read(path: file)
    var records: any RecordReader = try source.reader(format: format?.format)
    let place = try storePlace()
    let opened = try Program.openStore(place)
    var run = ImportRun<Program>(source: source.source, settings: settings, skipsBad: skipBad)
    do {
      try opened.commit(origin: CommitOrigin("import")) { transaction in
        try run.take(&records, into: transaction)
        if dryRun { throw ImportRun<Program>.DryRun() }
      }
    } catch .aborted(by: is ImportRun<Program>.DryRun) {
    }
    try opened.close()
    try TerminalOutput.standard.write(run.summary(isDryRun: dryRun))
    for note in run.notes { try TerminalOutput.standardError.write(note) }
    if !run.skipped.isEmpty { throw ExitCode(ExitStatus.nothingMatched.rawValue) }
  }

  /// Where to import; a trial leaves no new file behind.
  private func storePlace() throws -> StorePlace {
    var place = try store.place(of: Program.name)
    place.historyCapacity = 0
    guard dryRun, !place.isInMemory, !FileManager.default.fileExists(atPath: place.path) else {
      return place
    }
    return StorePlace(path: ":memory:", isReadOnly: false, busyTimeout: place.busyTimeout)
  }
}

/// The forms of a file that can be imported.
public enum ImportFormatOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Comma-separated values.
  case csv
  /// Tab-separated values.
  case tsv
  /// One JSON object a line.
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
