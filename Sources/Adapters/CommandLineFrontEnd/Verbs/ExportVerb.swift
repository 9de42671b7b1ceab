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
  @Option(help: "The form: csv, tsv or jsonl (default: by the file's name; jsonl for -).")
  var format: ExportFormatOption?
  @Flag(help: "Put an apostrophe before texts that a spreadsheet would run as formulas (csv, tsv).")
  var spreadsheetSafe = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions

  /// Makes the verb.
  public init() {}

  /// Exports.
  public func run() async throws {
    try ExportSink.refuseDatabase(at: file)
    let form = try format ?? ExportFormatOption(ofFile: file)
    guard !spreadsheetSafe || form != .jsonl else {
      throw CommandFailure(
        .usage,
        "--spreadsheet-safe has no meaning for jsonl, which spreadsheets do not open.",
        remedy: "Leave it out, or use --format csv or tsv."
      )
    }
    var definition = try list.definition(of: Program.self, for: .machine)
    // How much the program shows at a time is no reason to leave rows out of a file.
    definition.request.fetchLimit = list.limit
    let opened = try Program.openStore(try store.placeToRead(of: Program.self))
    let controller = FetchedResultsController(
      definition,
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand)
    )
    try await controller.performFetch()
    let sink = try ExportSink(path: file)
    let count: Int
    do {
      count = try sink.withoutWaiting {
        try controller.withOneVersion { reading in
          try write(ListContent(reading), as: form, to: sink)
          return reading.results.count
        }
      }
      try sink.close()
    } catch {
      sink.abandon()
      throw error
    }
    controller.cancel()
    try opened.close()
    if file != "-" {
      let noun = count == 1 ? Program.nouns.one : Program.nouns.many
      let line = SafeText.oneLine("exported \(count) \(noun) to \(file)")
      try TerminalOutput.standard.write(line + "\n")
    }
  }

  private func write(
    _ list: ListContent,
    as form: ExportFormatOption,
    to sink: ExportSink
  ) throws {
    var writer = form.writer(guardsFormulas: spreadsheetSafe)
    let columns: [ListColumn] = Program.exportColumns
    try sink.write(writer.begin(columns: columns.map(\.title)))
    try list.forEach { _ in
    } row: { _, row in
      try sink.write(writer.write(columns.map { $0.value(row) }))
    }
    try sink.write(writer.end())
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

  /// The form that a file's name asks for; standard output, devices and names without a suffix are JSON lines.
  /// - Throws: `CommandFailure` for a suffix of another form.
  init(ofFile path: String) throws(CommandFailure) {
    let name = path.split(separator: "/").last ?? ""
    // A name that begins with a point is that of a hidden file.
    let parts = name.drop { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let suffix = parts.last?.lowercased(), !suffix.isEmpty else {
      self = .jsonl
      return
    }
    switch suffix {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "jsonl", "ndjson": self = .jsonl
    default:
      throw CommandFailure(
        .usage,
        "“.\(suffix)” is not a form of export.",
        remedy: "Name the file .csv, .tsv or .jsonl, or choose a form with --format."
      )
    }
  }

  func writer(guardsFormulas: Bool) -> any RecordWriter {
    switch self {
    case .csv: CSVWriter(guardsFormulas: guardsFormulas)
    case .tsv: TSVWriter(guardsFormulas: guardsFormulas)
    case .jsonl: JSONLinesWriter()
    }
  }
}
