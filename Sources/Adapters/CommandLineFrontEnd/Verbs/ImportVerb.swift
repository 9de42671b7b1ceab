package import ArgumentParser
import FileFormats
import Foundation
package import ProgramFrontEnd
package import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `import FILE|-`: adds the objects of a file, all or none, and none twice.
package struct ImportVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "import",
      abstract: "Add the \(Program.nouns.many) of a file.",
      discussion: Program.importDiscussion()
    )
  }

  @OptionGroup var options: ImportOptions

  /// Creates the verb.
  package init() {}

  /// Imports the file.
  package func run() async throws { try await options.importFile(into: Program.self) }
}

/// The options of `import`, and of a verb like it.
package struct ImportOptions: ParsableArguments {
  /// The file.
  @Argument(help: "A file, or - for standard input.", completion: .file())
  package var file: String
  /// The format, or `nil` to find it out.
  @Option(help: "The file's format (default: by its name or content).")
  package var format: ImportFormatOption?
  /// Whether nothing is added.
  @Flag(help: "Print what would be added, and add nothing.")
  package var dryRun = false
  /// Whether invalid records are skipped.
  @Flag(help: "Skip invalid records instead of refusing the file.")
  package var skipBad = false

  /// The store.
  @OptionGroup package var store: StoreOptions
  /// The locale whose forms are understood.
  @OptionGroup package var locale: LocaleOptions

  /// Creates the options with their defaults.
  package init() {}

  /// Imports the file, and prints what was done.
  /// - Parameters:
  ///   - program: The program.
  ///   - assigned: Values that all records get in place of their own, by the names of fields.
  /// - Throws: `CommandFailure`, `RecordError`, `StoreError`, or `ExitCode` if records were skipped.
  package func importFile<Program: ListProgram>(
    into program: Program.Type,
    assigning assigned: [(field: String, value: Value)] = []
  ) async throws {
    // Files contain plain forms, unless --locale says otherwise; the environment's locale does not count.
    let settings =
      locale.locale == nil ? try locale.settings().withPlainForms : try locale.settings()
    let source = try RecordFile.read(path: file)
    var records: any RecordReader = try source.reader(format: format?.format)
    let location = try storeLocation(of: Program.self)
    let opened = try Program.openStore(location)
    var run = ImportRun<Program>(source: source.source, settings: settings, skipsBad: skipBad)
    run.assigned = assigned
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
  private func storeLocation<Program: ListProgram>(of program: Program.Type) throws
    -> StoreLocation
  {
    var location = try store.location(of: Program.name)
    location.historyCapacity = 0
    guard dryRun, try !isThere(location, Program.self) else { return location }
    return StoreLocation(.memory, isReadOnly: false, busyTimeout: location.busyTimeout)
  }

  private func isThere<Program: ListProgram>(
    _ location: StoreLocation,
    _ program: Program.Type
  ) throws -> Bool {
    switch location.address {
    case .memory: true
    case .file(let path): FileManager.default.fileExists(atPath: path)
    case .database: try Program.objectCount(at: location) != nil
    }
  }
}

/// The formats that can be imported.
package enum ImportFormatOption: String, ExpressibleByArgument, CaseIterable, Sendable {
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
