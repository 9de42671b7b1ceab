import Foundation
package import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

/// How the columns of a file become the fields of a program's objects, where they have other names.
package struct ImportMapping: Sendable {
  /// A field and the column that gives its values.
  package struct Pair: Hashable, Sendable {
    /// The name of the field.
    package let field: String
    /// The name of the column, as the file has it.
    package let column: String
  }

  /// The pairs, in the order in which they were given.
  package private(set) var pairs: [Pair] = []
  /// The fields that have a value of their own, the same for all records.
  package private(set) var constants: [(field: String, value: Value)] = []
  /// The names of mapped and constant fields, which columns of the same names do not give.
  private var taken: Set<String> = []

  /// A mapping that changes nothing.
  package init() {}

  /// Parses a mapping.
  /// - Parameters:
  ///   - maps: Texts such as `date=Buchungstag,amount=Betrag`. A part without an equals sign belongs to the name of the column before it.
  ///   - constants: Texts such as `category=food`.
  ///   - form: The program's fields.
  ///   - settings: The forms of the constants.
  /// - Throws: `CommandFailure` for a name that is no field, a field that occurs twice, or a constant that is not valid.
  package init(
    _ maps: [String],
    constants: [String],
    form: EntityDescription,
    for settings: LocaleSettings
  ) throws(CommandFailure) {
    for text in maps {
      var parts: [String] = []
      for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        let name = String(decoding: part, as: UTF8.self)
        if part.contains(UInt8(ascii: "=")) || parts.isEmpty {
          parts.append(name)
        } else {
          parts[parts.count - 1] += "," + name
        }
      }
      for part in parts {
        let (name, column) = try ImportMapping.split(part, option: "--map", form)
        guard !column.isEmpty else {
          throw CommandFailure(
            .usage,
            "--map names no column for \(name).",
            remedy: "Write \(name)=COLUMN, with a name from the file's header."
          )
        }
        try take(name)
        pairs.append(Pair(field: name, column: column))
      }
    }
    let parser = ValueParser(settings)
    for text in constants {
      let (name, value) = try ImportMapping.split(text, option: "--set", form)
      try take(name)
      guard let attribute = form.attribute(named: name) else {
        self.constants.append((name, .text(value)))
        continue
      }
      let isNull = value.isEmpty && attribute.isOptional
      self.constants.append((name, isNull ? .null : try parser.value(value, of: attribute)))
    }
  }

  /// Whether records are left as they are.
  package var isEmpty: Bool { taken.isEmpty }

  /// Adds a field whose value is the same for all records.
  package mutating func set(_ field: String, _ value: Value) {
    constants.append((field, value))
    taken.insert(field.lowercased())
  }

  /// Lets a column give the values of a field, unless another one does.
  mutating func map(_ column: String, to field: String) {
    guard taken.insert(field.lowercased()).inserted else { return }
    pairs.append(Pair(field: field, column: column))
  }

  private mutating func take(_ field: String) throws(CommandFailure) {
    guard taken.insert(field.lowercased()).inserted else {
      throw CommandFailure(
        .usage,
        "\(field) gets its values twice.",
        remedy: "Name it once, in --map or in --set."
      )
    }
  }

  private static func split(
    _ text: String,
    option: String,
    _ form: EntityDescription
  ) throws(CommandFailure) -> (name: String, value: String) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "="),
      maxSplits: 1,
      omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    let typed = parts[0].trimmingCharacters(in: .whitespaces)
    guard parts.count == 2 else {
      let value = option == "--map" ? "COLUMN" : "VALUE"
      throw CommandFailure(
        .usage,
        "\(option) takes FIELD=\(value), not “\(text)”.",
        remedy: "Write an equals sign between them."
      )
    }
    let names =
      form.attributes.map(\.name)
      + form.identity.columns.filter { form.attribute(named: $0) == nil }
    guard let name = names.first(where: { $0.lowercased() == typed.lowercased() }) else {
      throw CommandFailure(
        .usage,
        "\(option): “\(typed)” is no attribute of \(form.name).",
        remedy: NearestName.of(typed, among: names).map { "Did you mean “\($0)”?" }
          ?? "The attributes are \(names.joined(separator: ", "))."
      )
    }
    return (name, parts[1])
  }

  /// Returns a record with the program's names.
  /// - Parameters:
  ///   - record: The record.
  ///   - isWhole: Whether the record has all columns of the file, so that a column that is missing is an error.
  /// - Returns: The record; columns that are not mapped keep their names.
  /// - Throws: `RecordError` for a column that is missing.
  package func applied(to record: Record, isWhole: Bool) throws(RecordError) -> Record {
    guard !isEmpty else { return record }
    var mapped: [RecordField] = []
    var used: Set<Int> = []
    for pair in pairs {
      let index =
        record.fields.firstIndex { $0.name.hasSameBytes(as: pair.column) }
        ?? record.fields.firstIndex { $0.name.lowercased() == pair.column.lowercased() }
      guard let index else {
        guard isWhole else { continue }
        let names = record.fields.map(\.name)
        throw RecordError(
          source: "",
          line: 1,
          message: "there is no column “\(pair.column)” for \(pair.field).",
          remedy: (NearestName.of(pair.column, among: names).map { "Did you mean “\($0)”? " } ?? "")
            + "The file has \(names.joined(separator: ", ")).",
          isRecoverable: false
        )
      }
      used.insert(index)
      var field = record.fields[index]
      field.name = pair.field
      mapped.append(field)
    }
    for (index, field) in record.fields.enumerated()
    where !used.contains(index) && !taken.contains(field.name.lowercased()) {
      mapped.append(field)
    }
    mapped += constants.map { RecordField(name: $0.field, value: $0.value, column: 0) }
    return Record(line: record.line, fields: mapped)
  }
}

/// A field that a file may leave out, because the newest object that is alike gives it.
package struct ImportDefault: Hashable, Sendable {
  /// The text attribute.
  package let field: String
  /// The attribute in which that object is alike.
  package let like: String
  /// The value where there is no such object.
  package let otherwise: String

  /// Creates a default.
  package init(_ field: String, like: String, otherwise: String) {
    (self.field, self.like, self.otherwise) = (field, like, otherwise)
  }
}

/// The values that the stored objects give to fields that a file leaves out, each read once.
struct ImportDefaults<Program: ListProgram> {
  /// The fields that the file leaves out.
  let missing: [(default: ImportDefault, field: Int, like: Int)]
  private let sort: [FetchSortDescriptor]
  /// For each of them, the values by those in which objects are alike.
  private var values: [[Value: Value]]
  private var counts: [(known: Int, other: Int)]

  /// The defaults of the program for a file with some columns.
  init(columns: [String], settings: LocaleSettings) {
    let form = Program.fields.form
    let names = Set(columns.map { $0.lowercased() })
    missing = Program.importDefaults.compactMap { known in
      guard !names.contains(known.field.lowercased()),
        let field = form.index(of: known.field), let like = form.index(of: known.like)
      else { return nil }
      return (known, field, like)
    }
    sort = missing.isEmpty ? [] : Program.definition(for: settings).request.sortDescriptors
    counts = missing.map { _ in (0, 0) }
    values = missing.map { _ in [:] }
  }

  /// Adds the fields that are missing, empty for now.
  func adding(to record: Record) -> Record {
    var record = record
    record.fields += missing.map {
      RecordField(name: $0.default.field, value: .text(""), column: 0)
    }
    return record
  }

  /// Gives a new object the values of those that are alike.
  mutating func complete(
    _ values: inout [Value],
    in transaction: any StoreTransaction
  ) throws(StoreError) {
    for (index, missing) in missing.enumerated() {
      let like = values[missing.like]
      let value: Value
      if let known = self.values[index][like] {
        value = known
      } else {
        value = try self.value(missing.default, like, in: transaction)
        self.values[index][like] = value
      }
      values[missing.field] = value
      if value == .text(missing.default.otherwise) {
        counts[index].other += 1
      } else {
        counts[index].known += 1
      }
    }
  }

  private func value(
    _ known: ImportDefault,
    _ like: Value,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Value {
    let request = FetchRequest<ObjectID>(
      entity: Program.entity,
      where: .comparison(.attribute(known.like), .equal, .literal(like))
        && .comparison(.attribute(known.field), .notEqual, .literal(.text(known.otherwise))),
      sortedBy: sort,
      fetchLimit: 1
    )
    let keys = try transaction.keys(of: request)
    let rows = try transaction.rows(keys, of: Program.entity)
    return rows.first.flatMap { $0?[known.field] } ?? .text(known.otherwise)
  }

  /// What was filled in, for the user.
  var notes: [String] {
    zip(missing, counts).compactMap { (missing, count) -> String? in
      guard count.known + count.other > 0 else { return nil }
      let (field, like) = (missing.default.field, missing.default.like)
      return
        "the file has no \(field): \(count.known) took that of the newest with the same \(like), "
        + "\(count.other) are “\(missing.default.otherwise)”"
    }
  }
}
