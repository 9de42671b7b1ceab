public import ArgumentParser
import FileFormats
import Foundation
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

  /// Returns the location to import into; a dry run creates no file.
  private func storeLocation() throws -> StoreLocation {
    var location = try store.location(of: Program.name)
    location.historyCapacity = 0
    guard dryRun, !location.isInMemory, !FileManager.default.fileExists(atPath: location.path)
    else {
      return location
    }
    return StoreLocation(path: ":memory:", isReadOnly: false, busyTimeout: location.busyTimeout)
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

/// An import of a file's records into a transaction, except those that are in the store already.
///
/// Records are compared with the store by count: a file with three equal records adds one to a store that holds two.
struct ImportRun<Program: ListProgram> {
  /// The error that rolls back the transaction of a dry run.
  struct DryRun: Error {}

  private let source: String
  private let settings: LocaleSettings
  private let skipsBad: Bool
  private var counts: [ImportOutcome: Int] = [:]
  /// The skipped records, with line, column and reason.
  private(set) var skipped: [RecordError] = []
  /// The names of the columns that belong to no attribute, in order of appearance.
  private(set) var unusedColumns: [String] = []
  private var isUnused: Set<String> = []
  private var stored: StoredObjects?
  /// Whether a header line names the columns of all records.
  private var hasHeader = false

  /// The limit for remembered column names: in JSON lines every record may have names of its own.
  private static var maximumUnusedColumns: Int { 1000 }

  init(source: String, settings: LocaleSettings, skipsBad: Bool) {
    self.source = source
    self.settings = settings
    self.skipsBad = skipsBad
  }

  /// Adds every record that is not in the store.
  /// - Throws: `CommandFailure` at the first invalid record, unless invalid records are skipped.
  mutating func take(
    _ records: inout any RecordReader,
    into transaction: any StoreTransaction
  ) throws {
    hasHeader = records is CSVReader || records is TSVReader
    let progress = ImportProgress()
    defer { progress.end() }
    var read = 0
    while true {
      do {
        guard let record = try records.next() else { break }
        if records is FeedReader, !Program.importsFeeds { throw refusalOfFeed() }
        try take(record, into: transaction)
        read += 1
        progress.show(read)
      } catch let error as RecordError {
        let located = located(error)
        guard located.isRecoverable, skipsBad else { throw refusal(located) }
        skipped.append(located)
      }
    }
  }

  private mutating func take(_ record: Record, into transaction: any StoreTransaction) throws {
    let object = try Program.object(from: record, for: settings)
    for name in object.unusedColumns where isUnused.count < Self.maximumUnusedColumns {
      if isUnused.insert(name).inserted { unusedColumns.append(name) }
    }
    do {
      counts[try outcome(of: object, in: transaction), default: 0] += 1
    } catch let error as StoreError {
      guard case .invalid(let failures) = error else { throw error }
      throw RecordError(
        source: source,
        line: record.line,
        column: 1,
        message: failures.map(\.description).joined(separator: " "),
        remedy: "",
        isRecoverable: true
      )
    }
  }

  private mutating func outcome(
    of object: ImportedObject,
    in transaction: any StoreTransaction
  ) throws -> ImportOutcome {
    if let outcome = try Program.take(object, into: transaction) { return outcome }
    // The store is read only if the program compares values, and before the first object is added.
    if stored == nil {
      stored = try StoredObjects(Program.entity, Program.identifier, settings, in: transaction)
    }
    if let known = try stored?.match(object, in: transaction) { return known }
    try transaction.insert(object.values, key: object.key, into: Program.entity)
    return .added
  }

  /// Returns the error with its file; a missing column is an error of the header line, for all records.
  private func located(_ error: RecordError) -> RecordError {
    var located = error
    located.source = source
    if hasHeader, located.column == nil {
      located.line = 1
      located.isRecoverable = false
    }
    return located
  }

  private func refusalOfFeed() -> CommandFailure {
    CommandFailure(
      .badData,
      "\(source) is a feed (RSS or Atom), and \(Program.name) does not import feeds.",
      remedy: "Nothing was imported. Give a CSV, TSV or JSON Lines file with \(Program.nouns.many)."
    )
  }

  private func refusal(_ error: RecordError) -> CommandFailure {
    CommandFailure(
      .badData,
      error.description,
      remedy: "Nothing was imported."
        + (error.isRecoverable ? " Use --skip-bad to import the other records." : "")
    )
  }

  /// Returns a line that says what was done.
  func summary(isDryRun: Bool) -> String {
    let added = counts[.added, default: 0]
    let differing = counts[.knownWithOtherValues, default: 0]
    let noun = added == 1 ? Program.nouns.one : Program.nouns.many
    let verb = isDryRun ? "would import" : "imported"
    var line = "\(verb) \(added) \(noun), \(counts[.known, default: 0] + differing) known already"
    if differing > 0 { line += " (\(differing) with other values, left as is)" }
    if let updated = counts[.updated] { line += ", \(updated) updated" }
    if !skipped.isEmpty { line += ", \(skipped.count) skipped" }
    return line + "\n"
  }

  /// The notes for standard error, safe for a terminal: what was left out, and why.
  var notes: [String] {
    var notes = skipped.prefix(20).map { "skipped \($0)" }
    if skipped.count > notes.count { notes.append("skipped \(skipped.count - notes.count) more") }
    if !unusedColumns.isEmpty {
      let names = unusedColumns.prefix(20).map { name in
        let nearest = NearestName.of(name, among: Program.entity.attributes.map(\.name))
        return name + (nearest.map { " (did you mean “\($0)”?)" } ?? "")
      }.joined(separator: ", ")
      let rest = unusedColumns.count > 20 ? " and \(unusedColumns.count - 20) more" : ""
      notes.append("columns not imported: \(names)\(rest)")
    }
    return notes.map { SafeText.oneLine("\(Program.name): \($0)") + "\n" }
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

/// The objects in a store before an import, counted by content, so that repetitions within a file are preserved.
///
/// An object with an identifier is recognised by it; one without, by all its values. Fingerprints represent both, so
/// that memory does not grow with the length of the values.
private struct StoredObjects {
  /// A 128-bit hash with a random seed per process, so that no file can provoke collisions.
  private struct Fingerprint: Hashable {
    private let first: Int
    private let second: Int

    init(_ values: some Collection<Value>) {
      var (first, second) = (Hasher(), Hasher())
      second.combine(1 as UInt8)
      for value in values {
        first.combine(value)
        second.combine(value)
      }
      self.first = first.finalize()
      self.second = second.finalize()
    }
  }

  private let entity: EntityDescription
  /// The optional text attributes: files do not distinguish an empty text from a missing one.
  private let optionalTexts: [Int]
  private let settings: LocaleSettings
  private let dateIndexes: [Int]
  private var identifiers: [Fingerprint: Int] = [:]
  private var contents: [Fingerprint: Int] = [:]

  /// Reads all objects of an entity, in batches.
  /// - Complexity: O(*n*) in the objects; about 32 bytes of memory per object, 64 with an identifier.
  init(
    _ entity: EntityDescription,
    _ identifier: String?,
    _ settings: LocaleSettings,
    in transaction: any StoreTransaction
  ) throws {
    self.entity = entity
    self.settings = settings
    optionalTexts = entity.attributes.indices.filter {
      entity.attributes[$0].type == .text && entity.attributes[$0].isOptional
    }
    dateIndexes = entity.attributes.indices.filter { entity.attributes[$0].type == .date }
    // Keys chosen by the user are looked up record by record.
    if case .text = entity.identity { return }
    let identifierIndex = identifier.flatMap { entity.index(of: $0) }
    let request = FetchRequest<ObjectID>(
      entity: entity,
      sortedBy: [
        entity.keyTypes.count == 1
          ? FetchSortDescriptor(.objectKey)
          : .ascending(entity.attributes[entity.keyAttributeIndexes[0]].name)
      ]
    )
    let keys = try transaction.keys(of: request)
    for start in stride(from: 0, to: keys.count, by: 1024) {
      let batch = Array(keys[start..<min(start + 1024, keys.count)])
      for case .some(let row) in try transaction.rows(batch, of: entity) {
        contents[fingerprint(row.values), default: 0] += 1
        if let identifierIndex, !row.values[identifierIndex].isNull {
          identifiers[Fingerprint([row.values[identifierIndex]]), default: 0] += 1
        }
      }
    }
  }

  /// Finds a stored object that equals a record, and uses it up.
  /// - Returns: How the record is known, or `nil` if it is new.
  /// - Complexity: O(*n*) in the bytes of the values.
  mutating func match(
    _ object: ImportedObject,
    in transaction: any StoreTransaction
  ) throws -> ImportOutcome? {
    if let key = object.key {
      guard case .some(.some(let row)) = try transaction.rows([key], of: entity).first else {
        return nil
      }
      return row.values == object.values ? .known : .knownWithOtherValues
    }
    // Nothing equals a record in an empty store, so its values need not be hashed.
    guard !contents.isEmpty else { return nil }
    let content = fingerprint(object.values)
    if let identifier = object.identifier {
      guard StoredObjects.take(Fingerprint([identifier]), from: &identifiers) else { return nil }
      return contents[content] == nil ? .knownWithOtherValues : .known
    }
    if StoredObjects.take(content, from: &contents) { return .known }
    guard let older = withLocalNoons(object.values) else { return nil }
    return StoredObjects.take(fingerprint(older), from: &contents) ? .known : nil
  }

  private func fingerprint(_ values: [Value]) -> Fingerprint {
    guard optionalTexts.contains(where: { values[$0] == .text("") }) else {
      return Fingerprint(values)
    }
    var values = values
    for index in optionalTexts where values[index] == .text("") { values[index] = .null }
    return Fingerprint(values)
  }

  /// Returns the values as earlier versions of the programs stored dates without a time: as noon in the local time zone; `nil`
  /// without such dates.
  private func withLocalNoons(_ values: [Value]) -> [Value]? {
    var older: [Value]?
    for index in dateIndexes {
      guard let day = values[index].integer.flatMap({ Instant(microseconds: $0).wholeDay }) else {
        continue
      }
      let noon = day * 86_400 + 43_200
      let offset = settings.timeZone.secondsFromGMT(
        for: Date(timeIntervalSince1970: Double(noon))
      )
      older = older ?? values
      older?[index] = .integer((noon - Int64(offset)) * 1_000_000)
    }
    return older
  }

  private static func take(_ key: Fingerprint, from counts: inout [Fingerprint: Int]) -> Bool {
    guard let count = counts[key], count > 0 else { return false }
    counts[key] = count - 1
    return true
  }
}
