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
  @OptionGroup var locale: LocaleOptions

  /// Makes the verb.
  public init() {}

  /// Imports.
  public func run() async throws {
    // Files hold plain forms, whoever reads them, unless a locale is named for them.
    let settings =
      locale.locale == nil ? try locale.settings().withPlainForms : try locale.settings()
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
  private func storePlace() throws -> StoreLocation {
    var place = try store.location(of: Program.name)
    place.historyCapacity = 0
    guard dryRun, !place.isInMemory, !FileManager.default.fileExists(atPath: place.path) else {
      return place
    }
    return StoreLocation(path: ":memory:", isReadOnly: false, busyTimeout: place.busyTimeout)
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

/// Takes the records of a file into a transaction, except those that the store held before.
///
/// Records are compared with the store by count: a file with three equal records adds one to a store that holds two.
struct ImportRun<Program: ListProgram> {
  /// Thrown to undo a transaction that was only to be tried.
  struct DryRun: Error {}

  private let source: String
  private let settings: LocaleSettings
  private let skipsBad: Bool
  private var counts: [ImportOutcome: Int] = [:]
  /// What was skipped and why, with the line and column.
  private(set) var skipped: [RecordError] = []
  /// The names of columns that no attribute has, in the order they were met.
  private(set) var unusedColumns: [String] = []
  private var isUnused: Set<String> = []
  private var held: HeldObjects?
  /// Whether a header line names the columns of all records.
  private var hasHeader = false

  /// A file whose records all have names of their own does not fill the memory with them.
  private static var mostUnusedColumns: Int { 1000 }

  init(source: String, settings: LocaleSettings, skipsBad: Bool) {
    self.source = source
    self.settings = settings
    self.skipsBad = skipsBad
  }

  /// Adds every record that the store does not hold yet.
  /// - Throws: `CommandFailure` at the first record that is not understood, unless such are skipped.
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
        try take(record, into: transaction)
        read += 1
        progress.show(read)
      } catch let error as RecordError {
        let placed = placed(error)
        guard placed.isRecoverable, skipsBad else { throw refusal(placed) }
        skipped.append(placed)
      }
    }
  }

  private mutating func take(_ record: Record, into transaction: any StoreTransaction) throws {
    let object = try Program.object(from: record, for: settings)
    for name in object.unusedColumns where isUnused.count < Self.mostUnusedColumns {
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
    // The store is read only for a program that compares its objects by their values, and before the first of them is added.
    var held =
      try self.held ?? HeldObjects(Program.entity, Program.identifier, settings, in: transaction)
    self.held = nil
    defer { self.held = held }
    if let known = try held.match(object, in: transaction) { return known }
    try transaction.insert(object.values, key: object.key, into: Program.entity)
    return .added
  }

  /// The error with its file; a column that is missing is missing in the header line, for all records.
  private func placed(_ error: RecordError) -> RecordError {
    var placed = error
    placed.source = source
    if hasHeader, placed.column == nil {
      placed.line = 1
      placed.isRecoverable = false
    }
    return placed
  }

  private func refusal(_ error: RecordError) -> CommandFailure {
    CommandFailure(
      .badData,
      error.description,
      remedy: "Nothing was imported."
        + (error.isRecoverable ? " Use --skip-bad to import the other records." : "")
    )
  }

  /// What was done, in one line.
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

  /// What a person should know besides, made harmless for a terminal: what was left out, and why.
  var notes: [String] {
    var notes = skipped.prefix(20).map { "skipped \($0)" }
    if skipped.count > notes.count { notes.append("skipped \(skipped.count - notes.count) more") }
    if !unusedColumns.isEmpty {
      let names = unusedColumns.prefix(20).joined(separator: ", ")
      let rest = unusedColumns.count > 20 ? " and \(unusedColumns.count - 20) more" : ""
      notes.append("columns not imported: \(names)\(rest)")
    }
    return notes.map { SafeText.oneLine("\(Program.name): \($0)") + "\n" }
  }
}

/// Counts on standard error while a long import runs, if a person looks.
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

/// What a store held before an import, by count, so that a file's own repetitions are kept.
///
/// An object with an identifier is known by it; one without, by all its values. Fingerprints stand for both, so that the
/// memory does not grow with the length of the values.
struct HeldObjects {
  /// 128 bits of a hash with a seed of this process: no file can be made so that two of its contents have the same.
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
  /// Files do not tell an empty text from none where an attribute may have none.
  private let optionalTexts: [Int]
  private let settings: LocaleSettings
  private let dateIndexes: [Int]
  private var identifiers: [Fingerprint: Int] = [:]
  private var contents: [Fingerprint: Int] = [:]

  /// Reads all objects of an entity, a batch at a time.
  /// - Complexity: O(*n*) in the objects; about 32 bytes stay of each, and twice that of one with an identifier.
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
    // A key that the writer chooses is looked up when a record has it.
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

  /// Finds a held object for a record, which then stands for no other record.
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
    let content = fingerprint(object.values)
    if let identifier = object.identifier {
      guard HeldObjects.take(Fingerprint([identifier]), from: &identifiers) else { return nil }
      return contents[content] == nil ? .knownWithOtherValues : .known
    }
    if HeldObjects.take(content, from: &contents) { return .known }
    guard let older = withNoons(object.values) else { return nil }
    return HeldObjects.take(fingerprint(older), from: &contents) ? .known : nil
  }

  private func fingerprint(_ values: [Value]) -> Fingerprint {
    guard optionalTexts.contains(where: { values[$0] == .text("") }) else {
      return Fingerprint(values)
    }
    var values = values
    for index in optionalTexts where values[index] == .text("") { values[index] = .null }
    return Fingerprint(values)
  }

  /// The values as an earlier version of the programs stored dates without a time, as noons of the reader; `nil` if there
  /// are none.
  private func withNoons(_ values: [Value]) -> [Value]? {
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
