import FileFormats
import Foundation
package import ResultsDomain
package import ResultsStoreKit

/// An import of a file's records into a transaction, except those that are in the store already.
///
/// Records are compared with the store by count: a file with three equal records adds one to a store that holds two.
package struct ImportRun<Program: ListProgram> {
  /// The error that rolls back the transaction of a dry run.
  package struct DryRun: Error {
    package init() {}
  }

  private let source: String
  private let settings: LocaleSettings
  private let skipsBad: Bool
  /// Whether a refusal names the option of the command line that skips invalid records.
  package var namesOptions = true
  /// How columns become fields, and the values that all records get in place of their own.
  package var mapping = ImportMapping()
  private var defaults: ImportDefaults<Program>?
  private var counts: [ImportOutcome: Int] = [:]
  /// The skipped records, with line, column and reason.
  package private(set) var skipped: [RecordError] = []
  /// The names of the columns that belong to no attribute, in order of appearance.
  package private(set) var unusedColumns: [String] = []
  private var isUnused: Set<String> = []
  /// What is odd about records that are imported, such as a date of an item that cannot be read.
  private var remarks: [RecordError] = []
  private var remarkCount = 0
  /// Identifiers in the form in which they are compared, if only records that have one of them are imported.
  package var only: Set<Value>?
  private var unlistedCount = 0
  private var found: Set<Value> = []
  private var stored: StoredObjects?
  private let fields = Program.fields
  private var objects = NamedObjects(readsAll: true)
  /// The numbers of rows that belong together, by those of the file.
  private var numbers: [Value: Int64] = [:]
  private var nextNumber: Int64 = 1
  /// The objects that are inserted next, together.
  private var pending: [PendingObject] = []
  /// Whether a header line names the columns of all records.
  private var hasHeader = false
  /// Whether records have no lines, and are counted.
  private var countsRecords = false

  /// A new object, with the line of its record.
  private struct PendingObject {
    let line: Int
    let values: [Value]
    let key: ObjectKey?
  }

  /// The number of objects that are inserted together.
  private static var insertedTogether: Int { 500 }

  /// The limit for remembered column names: in JSON lines every record may have names of its own.
  private static var maximumUnusedColumns: Int { 1000 }

  package init(source: String, settings: LocaleSettings, skipsBad: Bool) {
    self.source = source
    self.settings = settings
    self.skipsBad = skipsBad
  }

  /// Adds every record that is not in the store.
  /// - Parameters:
  ///   - records: The records of the file.
  ///   - transaction: The transaction that takes the objects.
  ///   - progress: Takes the number of records read so far, after each.
  /// - Throws: `CommandFailure` at the first invalid record, unless invalid records are skipped.
  package mutating func take(
    _ records: inout any RecordReader,
    into transaction: any StoreTransaction,
    progress: (Int) -> Void = { _ in }
  ) throws {
    hasHeader = records is CSVReader || records is TSVReader
    if records is FeedReader, !Program.importsFeeds {
      throw refusal(of: "a feed (RSS or Atom)", "feeds")
    }
    if records is JournalReader || records is JournalCSVReader, fields.linked == nil {
      throw refusal(of: "a journal of hledger", "journals")
    }
    if !Program.importsMARC, records is MARCReader || records is MARCXMLReader {
      throw refusal(of: "a MARC 21 file", "MARC records")
    }
    countsRecords = records is MARCReader
    var read = 0
    while true {
      do {
        guard let record = try records.next() else { break }
        try take(record, into: transaction)
        read += 1
        progress(read)
      } catch let error as RecordError {
        // An earlier record may be refused too.
        try insertPending(into: transaction)
        try skip(error)
      }
    }
    try insertPending(into: transaction)
    if let feed = records as? FeedReader { feed.unreadDates.forEach { note($0) } }
  }

  /// Records what is odd about a record; of many the first are enough.
  private mutating func note(_ remark: RecordError) {
    remarkCount += 1
    if remarks.count < 20 { remarks.append(located(remark)) }
  }

  /// Records an invalid record, or ends the import.
  private mutating func skip(_ error: RecordError) throws(CommandFailure) {
    let located = located(error)
    guard located.isRecoverable, skipsBad else { throw refusal(located) }
    skipped.append(located)
  }

  private mutating func take(_ record: Record, into transaction: any StoreTransaction) throws {
    var record = try mapping.applied(to: record, isWhole: hasHeader)
    if hasHeader {
      let found =
        defaults ?? ImportDefaults(columns: record.fields.map(\.name), settings: settings)
      defaults = found
      record = found.adding(to: record)
    }
    var object = try Program.object(from: record, for: settings)
    if let only {
      let identity = object.identifier.map(Program.identity)
      guard let identity, only.contains(identity) else {
        unlistedCount += 1
        return
      }
      found.insert(identity)
    }
    object.values = fields.normalized(object.values)
    if let remark = object.remark {
      note(
        RecordError(
          source: source,
          line: record.line,
          message: remark,
          remedy: "",
          isRecoverable: true
        )
      )
    }
    for name in object.unusedColumns where isUnused.count < Self.maximumUnusedColumns {
      if isUnused.insert(name).inserted { unusedColumns.append(name) }
    }
    do {
      if let outcome = try outcome(of: object, at: record.line, in: transaction) {
        counts[outcome, default: 0] += 1
      }
    } catch let error as StoreError {
      throw try recordError(for: error, line: record.line)
    }
    if pending.count >= Self.insertedTogether { try insertPending(into: transaction) }
  }

  /// The error of a record whose values the store refuses.
  /// - Throws: Any other error of the store.
  private func recordError(for error: StoreError, line: Int) throws(StoreError) -> RecordError {
    guard case .invalid(let failures) = error else { throw error }
    return RecordError(
      source: source,
      line: line,
      column: 1,
      message: failures.map(\.description).joined(separator: " "),
      remedy: "",
      isRecoverable: true
    )
  }

  /// Inserts the new objects together, or one by one if one of them is refused.
  private mutating func insertPending(into transaction: any StoreTransaction) throws {
    guard !pending.isEmpty else { return }
    let objects = pending
    pending = []
    do throws(StoreError) {
      _ = try transaction.insert(
        objects.map(\.values),
        keys: objects.map(\.key),
        into: fields.entity
      )
      counts[.added, default: 0] += objects.count
      return
    } catch {
      switch error {
      case .invalid, .alreadyExists: break
      default: throw error
      }
    }
    for object in objects {
      do throws(StoreError) {
        try transaction.insert(object.values, key: object.key, into: fields.entity)
        counts[.added, default: 0] += 1
      } catch {
        try skip(try recordError(for: error, line: object.line))
      }
    }
  }

  /// Finds out what to do with an object.
  /// - Returns: What was done, or `nil` for an object that is inserted later.
  private mutating func outcome(
    of object: ImportedObject,
    at line: Int,
    in transaction: any StoreTransaction
  ) throws -> ImportOutcome? {
    if let key = object.key, pending.contains(where: { $0.key == key }) {
      try insertPending(into: transaction)
    }
    if let outcome = try Program.take(object, into: transaction) { return outcome }
    // The store is read only if the program compares values, and before the first object is added.
    if stored == nil {
      stored = try StoredObjects(
        fields,
        Program.identifier,
        comparedBy: Program.identity,
        ignoring: [Program.rankedOrder?.rank, fields.derived?.name, fields.linked?.number]
          .compactMap(\.self)
          + (defaults?.missing ?? []).map(\.default.field),
        settings,
        in: transaction
      )
    }
    var object = object
    try fields.qualified(&object.values, in: transaction, finding: &objects)
    if let known = try stored?.match(object, in: transaction) { return known }
    var values = object.values
    try renumber(&values, in: transaction)
    try defaults?.complete(&values, in: transaction)
    guard !fields.named.isEmpty else {
      pending.append(PendingObject(line: line, values: values, key: object.key))
      return nil
    }
    _ = try fields.insert(
      values,
      key: object.key,
      into: transaction,
      finding: &objects
    )
    return .added
  }

  /// Gives rows that belong together another number than the file, in which it may be that of other rows of the store.
  private mutating func renumber(
    _ values: inout [Value],
    in transaction: any StoreTransaction
  ) throws(StoreError) {
    guard let name = fields.linked?.number, let index = fields.form.index(of: name),
      !values[index].isNull
    else { return }
    if numbers.isEmpty { nextNumber = try fields.nextNumber(in: transaction) }
    let number = numbers[values[index]] ?? nextNumber
    if number == nextNumber { nextNumber += 1 }
    numbers[values[index]] = number
    values[index] = .integer(number)
  }

  /// Returns the error with its file; a missing column is an error of the header line, for all records.
  private func located(_ error: RecordError) -> RecordError {
    var located = error
    located.source = source
    if countsRecords, let number = located.line {
      (located.line, located.column) = (nil, nil)
      located.message = "record \(number): \(located.message)"
    }
    if hasHeader, located.column == nil {
      located.line = 1
      located.isRecoverable = false
    }
    return located
  }

  private func refusal(of kind: String, _ plural: String) -> CommandFailure {
    CommandFailure(
      .badData,
      "\(source) is \(kind), and \(Program.name) does not import \(plural).",
      remedy: "Nothing was imported. Give a CSV, TSV or JSON Lines file with \(Program.nouns.many)."
    )
  }

  private func refusal(_ error: RecordError) -> CommandFailure {
    var remedy = "Nothing was imported."
    if namesOptions {
      if error.isRecoverable {
        remedy += " Use --skip-bad to import the other records."
      } else if hasHeader, error.column == nil, mapping.isEmpty {
        remedy += " Use --map to say which column is which attribute."
      }
    }
    return CommandFailure(.badData, error.description, remedy: remedy)
  }

  /// The number of objects that were added.
  package var addedCount: Int { counts[.added, default: 0] }

  /// Returns a line that says what was done.
  package func summary(isDryRun: Bool) -> String {
    let added = addedCount
    let differing = counts[.knownWithOtherValues, default: 0]
    let noun = added == 1 ? Program.nouns.one : Program.nouns.many
    let verb = isDryRun ? "would import" : "imported"
    var line = "\(verb) \(added) \(noun), \(counts[.known, default: 0] + differing) known already"
    if differing > 0 { line += " (\(differing) with other values, left as is)" }
    if let updated = counts[.updated] { line += ", \(updated) updated" }
    if !skipped.isEmpty { line += ", \(skipped.count) skipped" }
    if unlistedCount > 0 { line += ", \(unlistedCount) not in the list" }
    return line + "\n"
  }

  /// What was left out, and why: texts of the file, not yet safe for a terminal.
  package var notes: [String] {
    var notes = skipped.prefix(20).map { "skipped \($0)" }
    if skipped.count > notes.count { notes.append("skipped \(skipped.count - notes.count) more") }
    notes += remarks.map(\.description)
    if remarkCount > remarks.count {
      notes.append("\(remarkCount - remarks.count) more records have such remarks")
    }
    if let only, found.count < only.count {
      notes.append("the file has \(found.count) of the \(only.count) in the list")
    }
    notes += defaults?.notes ?? []
    if !unusedColumns.isEmpty {
      let names = unusedColumns.prefix(20).map { name in
        let nearest = NearestName.of(name, among: fields.form.attributes.map(\.name))
        return name + (nearest.map { " (did you mean “\($0)”?)" } ?? "")
      }.joined(separator: ", ")
      let rest = unusedColumns.count > 20 ? " and \(unusedColumns.count - 20) more" : ""
      notes.append("columns not imported: \(names)\(rest)")
    }
    return notes
  }
}
