public import ArgumentParser
import FileFormats
import Foundation
import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// `export FILE|-`: writes the list into a file that `import` understands.
public struct ExportVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "export",
      abstract: "Write the \(Program.nouns.many) into a file.",
      discussion: "Dates are ISO 8601, numbers have decimal points; nothing depends on the locale."
    )
  }

  @Argument(help: "A file, or - for standard output.", completion: .file())
  var file: String
  @Option(help: "The form: csv, tsv or jsonl. By default from the file's name, else jsonl.")
  var format: ExportFormatOption?
  @Flag(help: "Guard texts that a spreadsheet would take for formulas.")
  var spreadsheetSafe = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions

  /// Makes the verb.
  public init() {}

  /// Exports.
  public func run() async throws {
    let form = format ?? ExportFormatOption(fileName: file) ?? .jsonl
    var definition = try list.definition(of: Program.self, for: .machine)
    // How much the program shows at a time is no reason to leave rows out of a file.
    definition.request.fetchLimit = list.limit
    let opened = try Program.openStore(try store.place(of: Program.name))
    let controller = FetchedResultsController(
      definition,
      in: opened,
      findsOtherWriters: false,
      options: ResultsOptions(delivery: .onDemand)
    )
    try await controller.performFetch()
    let results = try controller.results()
    let sink = try ExportSink(path: file)
    do {
      try write(results, as: form, to: sink)
    } catch {
      sink.abandon()
      throw error
    }
    try opened.close()
    if file != "-" {
      let noun = results.count == 1 ? Program.nouns.one : Program.nouns.many
      let line = SafeText.oneLine("exported \(results.count) \(noun) to \(file)")
      try TerminalOutput.standard.write(line + "\n")
    }
  }

  private func write(
    _ results: FetchedResults<Row>,
    as form: ExportFormatOption,
    to sink: ExportSink
  ) throws {
    var writer = form.writer(guardsFormulas: spreadsheetSafe)
    let columns: [ListColumn] = Program.exportColumns
    try sink.write(writer.begin(columns: columns.map(\.title)))
    for fetched in results.fetchedObjects {
      let row = try fetched.get()
      try sink.write(writer.write(columns.map { $0.value(row) }))
    }
    try sink.write(writer.end())
    try sink.close()
  }
}

extension ListProgram {
  /// All stored attributes, and the key where the writer chooses it.
  static var exportColumns: [ListColumn] {
    let attributes = entity.attributes.enumerated().map { ListColumn.attribute($0, $1) }
    if case .text = entity.identity { return [.key] + attributes }
    return attributes
  }
}

/// The forms a list can be exported in.
public enum ExportFormatOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Comma-separated values.
  case csv
  /// Tab-separated values.
  case tsv
  /// One JSON object a line.
  case jsonl

  init?(fileName: String) {
    let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let suffix = parts.last else { return nil }
    self.init(rawValue: suffix.lowercased())
  }

  func writer(guardsFormulas: Bool) -> any RecordWriter {
    switch self {
    case .csv: CSVWriter(guardsFormulas: guardsFormulas)
    case .tsv: TSVWriter()
    case .jsonl: JSONLinesWriter()
    }
  }
}
