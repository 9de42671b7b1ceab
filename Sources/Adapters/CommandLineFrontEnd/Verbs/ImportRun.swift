import FileFormats
import Foundation
import ResultsDomain
import TerminalFrontEnd

/// Takes the records of a file into a transaction, except those that the store held before.
///
/// Records are compared with the store by count: a file with three equal records adds one to a store that holds two.
struct ImportRun<Program: ListProgram> {
  /// Thrown to undo a transaction that was only to be tried.
  struct DryRun: Error {}

  private let source: String
  private let settings: ReaderSettings
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

  init(source: String, settings: ReaderSettings, skipsBad: Bool) {
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
