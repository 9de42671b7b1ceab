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
  /// The columns of the file, by the fields that they are.
  @Option(
    help: ArgumentHelp(
      "The columns of the file: --map date=Buchungstag,amount=Betrag.",
      valueName: "field=column"
    )
  )
  package var map: [String] = []
  /// The values of fields that are the same for all records.
  @Option(
    help: ArgumentHelp(
      "A value that all records get: --set category=food.",
      valueName: "field=value"
    )
  )
  package var set: [String] = []
  /// The form of the file's dates.
  @Option(
    help: ArgumentHelp("The form of the file's dates, such as DD.MM.YYYY.", valueName: "form")
  )
  package var dates: String?
  /// An example of the file's numbers.
  @Option(
    help: ArgumentHelp("The form of the file's numbers, such as 1.234,56.", valueName: "example")
  )
  package var numbers: String?
  /// The file's encoding.
  @Option(help: "The file's encoding, such as windows-1252 (default: UTF-8).")
  package var encoding: String?
  /// The number of lines before the header.
  @Option(
    parsing: .unconditional,
    help: "Skip this many lines before the names of the columns.",
    transform: WholeNumber.parse
  )
  package var skipLines: Int?
  /// Whether columns that belong to no field become columns of the user's.
  @Flag(
    help: "Add a column of your own for each column of the file that is no field (see 'column')."
  )
  package var addColumns = false
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
  /// The saved options.
  @OptionGroup package var saved: SavedImportOptions

  /// Creates the options with their defaults.
  package init() {}

  /// Imports the file, and prints what was done.
  /// - Parameters:
  ///   - program: The program.
  ///   - assigned: Values that all records get in place of their own, by the names of fields.
  ///   - list: A file of identifiers, one a line, if only their records are imported.
  /// - Throws: `CommandFailure`, `RecordError`, `StoreError`, or `ExitCode` if records were skipped.
  package func importFile<Program: ListProgram>(
    into program: Program.Type,
    assigning assigned: [(field: String, value: Value)] = [],
    only list: String? = nil
  ) async throws {
    // Files contain plain forms, unless --locale says otherwise; the environment's locale does not count.
    var settings =
      locale.locale == nil ? try locale.settings().withPlainForms : try locale.settings()
    let read = try RecordFile.read(path: file)
    var (source, mapping) = try reading(read, as: format, into: Program.self, &settings)
    for (field, value) in assigned { mapping.set(field, value) }
    var records: any RecordReader = try source.reader(format: format?.format)
    let location = try storeLocation(of: Program.self)
    let added = try addedColumns(for: Program.self, of: source, &mapping, settings)
    let only = try list.map { try RecordFile.read(path: $0).lines }
    let opened =
      try added.isEmpty || dryRun
      ? Program.openStore(location)
      : Program.openStore(location, changing: added.map { .add($0) })
    var run = ImportRun<Program>(source: source.source, settings: settings, skipsBad: skipBad)
    run.mapping = mapping
    run.only = only.map { Set($0.map { Program.identity(of: .text($0)) }) }
    let name = file == "-" ? "standard input" : source.source
    let command = Program.command("imported \(name)", in: opened)
    do throws(StoreError) {
      try command.commit(origin: .unnamed) { transaction in
        let progress = ImportProgress()
        defer { progress.end() }
        try run.take(&records, into: transaction) { progress.show($0) }
        if dryRun { throw ImportRun<Program>.DryRun() }
      }
    } catch {
      guard dryRun, case .aborted(by: is ImportRun<Program>.DryRun) = error else { throw error }
    }
    try opened.close()
    try TerminalOutput.standard.write(
      columnsLine(added) + run.summary(isDryRun: dryRun)
    )
    for note in run.notes {
      try TerminalOutput.standardError.write(SafeText.oneLine("\(Program.name): \(note)") + "\n")
    }
    if !run.skipped.isEmpty { throw ExitCode(ExitStatus.nothingMatched.rawValue) }
  }

  /// Returns a file as the options say that it is to be read, and how its columns become fields.
  /// - Parameters:
  ///   - source: The file.
  ///   - format: The file's format, or `nil` to find it out.
  ///   - program: The program.
  ///   - settings: The forms of the file's values, to which those of the options are added.
  /// - Returns: The text without the lines before its header, and the mapping.
  /// - Throws: `CommandFailure` for options that are not valid, or not for such a file.
  func reading<Program: ListProgram>(
    _ source: RecordFile,
    as format: ImportFormatOption?,
    into program: Program.Type,
    _ settings: inout LocaleSettings
  ) throws -> (source: RecordFile, mapping: ImportMapping) {
    try useForms(in: &settings)
    let mapping = try ImportMapping(map, constants: set, form: Program.fields.form, for: settings)
    let text = try decoded(source, format)
    if !mapping.pairs.isEmpty || skipLines != nil,
      try text.reader(format: format?.format) is FeedReader
    {
      throw CommandFailure(
        .usage,
        "--map and --skip-lines are for files with columns, and \(source.source) is a feed.",
        remedy: "Leave them out."
      )
    }
    return (text, mapping)
  }

  /// Returns the columns to add for what the file has besides the program's fields; none if it is refused anyway.
  private func addedColumns<Program: ListProgram>(
    for program: Program.Type,
    of source: RecordFile,
    _ mapping: inout ImportMapping,
    _ settings: LocaleSettings
  ) throws -> [AttributeDescription] {
    guard addColumns else { return [] }
    var records: any RecordReader = try source.reader(format: format?.format)
    let found = try AddedColumns(of: &records, for: Program.self, mapping, settings)
    guard !found.hasInvalidRecords || skipBad else { return [] }
    if !dryRun { found.rename(in: &mapping) }
    return found.attributes
  }

  private func columnsLine(_ added: [AttributeDescription]) -> String {
    guard !added.isEmpty else { return "" }
    let names = added.map { "\($0.name) (\(ColumnType($0.type)?.rawValue ?? ""))" }
    let noun = added.count == 1 ? "column" : "columns"
    return SafeText.oneLine(
      "\(dryRun ? "would add" : "added") the \(noun) \(names.joined(separator: ", "))"
    ) + "\n"
  }

  /// Checks the forms of dates and numbers.
  private func useForms(in settings: inout LocaleSettings) throws(CommandFailure) {
    do throws(LocaleTextError) {
      _ = try dates.map { text throws(LocaleTextError) in try StrictDate(pattern: text) }
      _ = try numbers.map { text throws(LocaleTextError) in try StrictNumber(example: text) }
    } catch {
      throw CommandFailure(.usage, error.message, remedy: error.remedy)
    }
    (settings.datePattern, settings.numberExample) = (dates, numbers)
  }

  /// Returns a file in its encoding, without the lines before its header.
  private func decoded(_ source: RecordFile, _ format: ImportFormatOption?) throws -> RecordFile {
    var source = source
    if encoding != nil || skipLines != nil,
      try source.reader(format: format?.format) is MARCReader
    {
      throw CommandFailure(
        .usage,
        "--encoding and --skip-lines are for text, and \(source.source) is MARC 21 in ISO 2709.",
        remedy: "Leave them out."
      )
    }
    if let encoding { source = try source.decoded(from: encoding) }
    guard let skipLines else { return source }
    guard skipLines >= 0 else {
      throw CommandFailure(.usage, "--skip-lines is negative.", remedy: "Give 0 or more.")
    }
    return source.skippingLines(skipLines)
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
  /// A journal of hledger.
  case journal
  /// MARC 21, in ISO 2709 or MARCXML.
  case marc

  var format: ImportFormat {
    switch self {
    case .csv: .csv
    case .tsv: .tsv
    case .jsonl: .jsonl
    case .feed: .feed
    case .journal: .journal
    case .marc: .marc
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
