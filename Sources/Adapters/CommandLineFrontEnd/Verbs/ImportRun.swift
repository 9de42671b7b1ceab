import Foundation
import ResultsDomain
import TerminalFrontEnd

/// Takes records into a transaction, passing over what is there already.
///
/// Everything it recognises objects by is read once before the first record, so a record costs a look-up and an insertion.
struct ImportRun<Program: ListProgram> {
  /// Thrown to undo a transaction that was only to be tried.
  struct DryRun: Error {}

  private let source: String
  private let settings: ReaderSettings
  private let skipsBad: Bool
  private var added = 0
  private var known = 0
  /// What was skipped and why, with the place.
  private(set) var skipped: [RecordError] = []

  init(source: String, settings: ReaderSettings, skipsBad: Bool) {
    self.source = source
    self.settings = settings
    self.skipsBad = skipsBad
  }

  /// Adds every record that is not there yet.
  /// - Throws: `CommandFailure` at the first record that is not understood, unless such are skipped.
  mutating func take(
    _ records: inout any RecordReader,
    into transaction: any StoreTransaction
  ) throws {
    var seen = try Recognised(
      Program.entity,
      identifiedBy: Program.identifier,
      in: transaction
    )
    let progress = ImportProgress()
    defer { progress.end() }
    while true {
      do {
        guard let record = try records.next() else { break }
        try add(record, besides: &seen, into: transaction)
        progress.show(added + known)
      } catch let error as RecordError {
        var placed = error
        placed.source = source
        guard placed.isRecoverable, skipsBad else { throw refusal(placed) }
        skipped.append(placed)
      }
    }
  }

  private mutating func add(
    _ record: Record,
    besides seen: inout Recognised,
    into transaction: any StoreTransaction
  ) throws {
    let object = try Program.object(from: record, for: settings)
    guard seen.insert(object) else {
      known += 1
      return
    }
    do {
      try transaction.insert(object.values, key: object.key, into: Program.entity)
    } catch let error {
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
    added += 1
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
    let noun = added == 1 ? Program.nouns.one : Program.nouns.many
    let verb = isDryRun ? "would import" : "imported"
    var line = "\(verb) \(added) \(noun), \(known) known already"
    if !skipped.isEmpty { line += ", \(skipped.count) skipped" }
    return line + "\n"
  }
}

/// What is in the store already, by key, by identifier, or by all values.
private struct Recognised {
  private var keys: Set<ObjectKey> = []
  private var identifiers: Set<Value> = []
  private let identifierIndex: Int?
  private var contents: Set<[Value]> = []

  init(
    _ entity: EntityDescription,
    identifiedBy identifier: String?,
    in transaction: any StoreTransaction
  ) throws {
    identifierIndex = identifier.flatMap { entity.index(of: $0) }
    let request = FetchRequest<Row>(
      entity: entity,
      sortedBy: [
        entity.keyTypes.count == 1
          ? FetchSortDescriptor(.objectKey)
          : .ascending(entity.attributes[entity.keyAttributeIndexes[0]].name)
      ]
    )
    for row in try transaction.fetch(request) {
      keys.insert(row.id.key)
      contents.insert(row.values)
      if let identifierIndex { identifiers.insert(row.values[identifierIndex]) }
    }
  }

  /// Notes an object.
  /// - Returns: Whether it is new.
  mutating func insert(_ object: ImportedObject) -> Bool {
    if let key = object.key { return keys.insert(key).inserted }
    if let identifier = object.identifier { return identifiers.insert(identifier).inserted }
    return contents.insert(object.values).inserted
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
