package import ArgumentParser
import FileFormats
import Foundation
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `export FILE|-`: writes the list to a file that `import` reads.
package struct ExportVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "export",
      abstract: "Write the \(Program.nouns.many) to a file.",
      discussion: Program.exportDiscussion()
    )
  }

  @Argument(help: "A file, or - for standard output.", completion: .file())
  var file: String
  @Option(help: "The format (default: by the file's name; jsonl for -).")
  var format: ExportFormatOption?
  @Flag(help: "Put an apostrophe before texts that a spreadsheet would run as formulas (csv, tsv).")
  var spreadsheetSafe = false

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<Program>

  /// Creates the verb.
  package init() {}

  /// Writes the file.
  package func run() async throws {
    try await ExportRun<Program>(store: store, list: list, times: times)
      .export(to: file, as: format, guardsFormulas: spreadsheetSafe)
  }
}

/// A run of `export`, or of a verb like it: opens a store, fetches once and writes a file.
package struct ExportRun<Program: ListProgram> {
  private let store: ReadingStoreOptions
  private let list: ListOptions
  private let times: TimeOptions<Program>?

  /// Creates a run with the options of a verb.
  package init(
    store: ReadingStoreOptions,
    list: ListOptions,
    times: TimeOptions<Program>? = nil
  ) {
    (self.store, self.list, self.times) = (store, list, times)
  }

  /// Writes the list to a file.
  /// - Parameters:
  ///   - file: The file's path, or `-` for standard output.
  ///   - format: The format, or `nil` for that of the file's name.
  ///   - guardsFormulas: Whether texts that a spreadsheet would run as formulas get an apostrophe.
  ///   - columns: The columns as the option `--columns` names them, or `nil` for all.
  /// - Throws: `CommandFailure` for a file that must not be written, and the store's error.
  package func export(
    to file: String,
    as format: ExportFormatOption?,
    guardsFormulas: Bool,
    columns: String? = nil
  ) async throws {
    try ExportSink.refuseDatabase(at: file)
    try ExportSink.refuseFolder(at: file)
    let format = try format ?? ExportFormatOption(ofFile: file)
    guard format != .journal || Program.fields.linked != nil else {
      throw CommandFailure(
        .usage,
        "\(Program.name) has no transactions, which a journal consists of.",
        remedy: "Use csv, tsv or jsonl."
      )
    }
    let columns = format == .journal ? JournalWriter.columns : columns
    guard !guardsFormulas || format != .jsonl else {
      throw CommandFailure(
        .usage,
        "--spreadsheet-safe has no meaning for jsonl, which spreadsheets do not open.",
        remedy: "Leave it out, or use --format csv or tsv."
      )
    }
    var definition = try list.definition(of: Program.self, for: .machine, within: times)
    // The default list of a program may have a limit; an export has none but --limit.
    definition.request.fetchLimit = list.limit
    var chosen: [ListColumn]?
    if let columns {
      var options = RowOptions()
      options.columns = columns
      let (narrowed, found) = try options.narrowed(definition, of: Program.self)
      if let running = found.running { throw running.refusal(by: "export") }
      definition = narrowed.fetching(found, observesNames: false)
      chosen = found
    }
    let opened = try Program.openStore(try store.locationToRead(of: Program.self))
    let controller = FetchedResultsController(
      definition,
      in: opened,
      detectsExternalChanges: false,
      options: ResultsOptions(delivery: .onDemand, wallClock: PresentTime.clock)
    )
    try await controller.performFetch()
    let sink = try ExportSink(path: file)
    let export = ListExport<Program>(format, guardsFormulas: guardsFormulas, columns: chosen)
    let written: (rows: Int, illFormed: Int)
    do {
      written = try sink.withoutWaiting {
        try controller.read { reading in try export.write(reading) { try sink.write($0) }
        }
      }
      try sink.close()
    } catch {
      sink.abandon()
      // What another program has deleted meanwhile cannot be written (R190).
      guard case ResultsError.rowGone = error else { throw error }
      throw CommandFailure.printedListChanged
    }
    controller.cancel()
    try opened.close()
    if format != .jsonl { try ExportRun.note(written.illFormed) }
    if file != "-" {
      let noun = written.rows == 1 ? Program.nouns.one : Program.nouns.many
      let line = SafeText.oneLine("exported \(written.rows) \(noun) to \(file)")
      try TerminalOutput.standard.write(line + "\n")
    }
  }

  /// Says that texts are not in the file byte by byte.
  private static func note(_ illFormedCount: Int) throws {
    guard illFormedCount > 0 else { return }
    let texts = illFormedCount == 1 ? "1 text is" : "\(illFormedCount) texts are"
    try TerminalOutput.standardError.write(
      "\(Program.name): \(texts) not UTF-8 and written with � in place of some bytes; --format jsonl keeps the bytes\n"
    )
  }
}

/// A list as the records of a file.
struct ListExport<Program: ListProgram> {
  private let format: ExportFormatOption
  private let guardsFormulas: Bool
  private let columns: [ListColumn]?

  /// Creates an export.
  /// - Parameters:
  ///   - format: The file's format.
  ///   - guardsFormulas: Whether texts that a spreadsheet would run as formulas get an apostrophe.
  ///   - columns: The columns, or `nil` for those that an import reads.
  init(_ format: ExportFormatOption, guardsFormulas: Bool, columns: [ListColumn]? = nil) {
    (self.format, self.guardsFormulas, self.columns) = (format, guardsFormulas, columns)
  }

  /// Writes the rows of one version.
  /// - Returns: The number of rows, and of texts that are not UTF-8.
  /// - Throws: `ResultsError` for a row that cannot be read, and what the output throws.
  func write(
    _ reading: ResultsReading<Row>,
    to output: (String) throws -> Void
  ) throws -> (rows: Int, illFormed: Int) {
    let fields = Program.fields
    let list = ListContent(reading) { (rows, snapshot) throws(StoreError) in
      guard let chosen = self.columns else { return try fields.rows(rows, in: snapshot) }
      return try fields.rows(rows, adding: chosen.named, in: snapshot)
    }
    let columns = columns ?? Program.exportColumns
    var writer = format.writer(guardsFormulas: guardsFormulas)
    var illFormedCount = 0
    try output(writer.begin(columns: columns.map(\.title)))
    try list.forEach { _ in
    } row: { _, row in
      let values = columns.map { $0.value(row) }
      for case .illFormedText in values { illFormedCount += 1 }
      try output(writer.write(values, booleans: ListColumn.booleans(columns, in: row)))
    }
    try output(writer.end())
    return (reading.results.count, illFormedCount)
  }
}

/// The formats of an export.
package enum ExportFormatOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Comma-separated values.
  case csv
  /// Tab-separated values.
  case tsv
  /// One JSON object per line.
  case jsonl
  /// A journal of hledger, of a ledger.
  case journal

  /// Creates the format for a file's name; standard output, devices and names without a suffix are JSON lines.
  /// - Throws: `CommandFailure` for any other suffix.
  init(ofFile path: String) throws(CommandFailure) {
    let name = path.split(separator: "/").last ?? ""
    // A name that begins with a dot is that of a hidden file.
    let parts = name.drop { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let suffix = parts.last?.lowercased(), !suffix.isEmpty else {
      self = .jsonl
      return
    }
    switch suffix {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "jsonl", "ndjson": self = .jsonl
    case "journal", "hledger": self = .journal
    default:
      throw CommandFailure(
        .usage,
        "“.\(suffix)” is not a format of export.",
        remedy: "Name the file .csv, .tsv or .jsonl, or choose one with --format."
      )
    }
  }

  func writer(guardsFormulas: Bool) -> any RecordWriter {
    switch self {
    case .csv: CSVWriter(guardsFormulas: guardsFormulas)
    case .tsv: TSVWriter(guardsFormulas: guardsFormulas)
    case .jsonl: JSONLinesWriter()
    case .journal: JournalWriter()
    }
  }
}

/// The destination of an export: standard output, a device, or a file that gets its name only when it is complete.
struct ExportSink {
  private let path: String
  /// The file being written, if it is renamed at the end.
  private let temporary: String?
  private let output: TerminalOutput
  private let handle: FileHandle?

  /// Opens the destination.
  /// - Throws: `CommandFailure` if the file cannot be created, is a database, or belongs to one.
  init(path: String) throws {
    guard path != "-" else {
      self.path = path
      temporary = nil
      output = .standard
      handle = nil
      return
    }
    // A symbolic link stays, and its target is written.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    try ExportSink.refuseDatabase(at: path)
    try ExportSink.refuseFolder(at: path)
    let isDevice = ExportSink.isDevice(target)
    let opened =
      isDevice
      ? FileHandle(forWritingAtPath: target).map { (target, $0) }
      : ExportSink.createTemporary(beside: target)
    guard let (file, handle) = opened else {
      throw CommandFailure(
        .cannotCreate,
        "\(path) cannot be written: \(ExportSink.reason(notToWrite: target)).",
        remedy: "Name a file in a folder that exists and that you may write."
      )
    }
    self.path = target
    self.handle = handle
    temporary = isDevice ? nil : file
    output = TerminalOutput(descriptor: handle.fileDescriptor)
  }

  /// Writes some text.
  /// - Throws: `TerminalOutputError`.
  func write(_ text: String) throws { try output.write(text) }

  /// Runs a closure whose writes do not block on a pipe or a terminal.
  func withoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
    try output.withoutWaiting(body)
  }

  /// Completes and renames the file.
  /// - Throws: `TerminalOutputError`, or `CommandFailure` if the file cannot be written or renamed.
  func close() throws {
    try output.flush()
    guard let handle else { return }
    do {
      try handle.close()
      guard let temporary else { return }
      guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      throw CommandFailure(
        .inputOutput,
        "\(path) cannot be written (\(error.localizedDescription)).",
        remedy: "The previous file, if any, was not changed."
      )
    }
  }

  /// Deletes the incomplete file; a previous file of that name stays.
  func abandon() {
    if let temporary { _ = unlink(temporary) }
  }

  /// Creates a new file beside the one that it will replace, with the same owner and permissions.
  private static func createTemporary(beside target: String) -> (String, FileHandle)? {
    var old = stat()
    let replaces = stat(target, &old) == 0
    let file = "\(target).\(UUID().uuidString.lowercased()).part"
    // The new file is private until it has the permissions of the old one.
    let permissions: mode_t = replaces ? 0o600 : 0o666
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    guard descriptor >= 0 else { return nil }
    if replaces {
      // Only root may change the owner; group permissions are kept only if the group is the same.
      let isSameOwner = fchown(descriptor, old.st_uid, old.st_gid) == 0
      fchmod(descriptor, old.st_mode & (isSameOwner ? 0o777 : 0o700))
    }
    return (file, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
  }

  /// Whether the path is not a regular file and so cannot be replaced: a terminal, a pipe, `/dev/null`.
  private static func isDevice(_ path: String) -> Bool {
    var info = stat()
    guard stat(path, &info) == 0 else { return false }
    return info.st_mode & S_IFMT != S_IFREG
  }

  /// Refuses to replace a database, or a file that belongs to one.
  /// - Throws: `CommandFailure`.
  static func refuseDatabase(at path: String) throws(CommandFailure) {
    guard path != "-" else { return }
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    if isDatabase(target) {
      throw CommandFailure(
        .cannotCreate,
        "\(path) is a database, which an export would replace.",
        remedy: "Name another file; this one was not touched."
      )
    }
    for suffix in ["-wal", "-shm", "-journal"] where target.hasSuffix(suffix) {
      let database = String(target.dropLast(suffix.count))
      guard FileManager.default.fileExists(atPath: database) else { continue }
      throw CommandFailure(
        .cannotCreate,
        "\(path) belongs to the database \(database), which an export would damage.",
        remedy: "Name another file; this one was not touched."
      )
    }
  }

  /// Refuses a folder, which is not a file.
  static func refuseFolder(at path: String) throws(CommandFailure) {
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return }
    let folder = path.hasSuffix("/") ? path : path + "/"
    throw CommandFailure(
      .cannotCreate,
      "\(path) is a folder.",
      remedy: "Name a file in it, such as \(folder)export.csv."
    )
  }

  /// The reason why a file cannot be created or opened.
  private static func reason(notToWrite target: String) -> String {
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      return "the folder \(folder) does not exist"
    }
    return isFolder.boolValue
      ? "no permission, or no space, in \(folder)" : "\(folder) is not a folder"
  }

  private static func isDatabase(_ path: String) -> Bool {
    guard !isDevice(path), let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }
}
