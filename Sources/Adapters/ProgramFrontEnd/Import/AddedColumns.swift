package import ResultsDomain

/// The columns of a file that belong to no field of a program's objects, with the types that hold all their values.
package struct AddedColumns: Sendable {
  /// The attributes, in the order of the file.
  package private(set) var attributes: [AttributeDescription] = []
  /// The names of the file for those that cannot be names of columns.
  private var renamed: [(column: String, name: String)] = []
  /// Whether a record is not valid, so that an import of the whole file fails.
  package private(set) var hasInvalidRecords = false

  /// Reads a file to its end.
  /// - Parameters:
  ///   - records: The records.
  ///   - program: The program.
  ///   - mapping: How columns become fields.
  ///   - settings: The forms of values.
  /// - Throws: `CommandFailure` if there would be too many columns.
  /// - Complexity: O(*n*) in the bytes of the file.
  package init<Program: ListProgram>(
    of records: inout any RecordReader,
    for program: Program.Type,
    _ mapping: ImportMapping,
    _ settings: LocaleSettings
  ) throws(CommandFailure) {
    var guesses: [Value: Guess] = [:]
    var names: [String] = []
    while true {
      do throws(RecordError) {
        guard let record = try records.next() else { break }
        let mapped = try mapping.applied(to: record, isWhole: false)
        for name in try Program.object(from: mapped, for: settings).unusedColumns {
          let key = Value.text(name)
          if guesses[key] == nil {
            guard names.count <= CustomColumns.limit else { continue }
            names.append(name)
            guesses[key] = Guess()
          }
          for field in mapped.fields where field.name.hasSameBytes(as: name) {
            guesses[key]?.note(field)
          }
        }
      } catch {
        hasInvalidRecords = true
        guard error.isRecoverable else { break }
      }
    }
    var taken = Set(Program.entity.attributes.map { Value.text($0.name.folded) })
    for name in names where !name.isEmpty {
      var known = name
      if let refusal = Program.refusal(ofColumnNamed: name) {
        // A column of the program's own name has been given twice.
        guard !taken.contains(.text(name.folded)) else { continue }
        known = AddedColumns.plain(name)
        if Program.customAttributes.contains(where: { $0.name.hasSameBytes(as: known) }) {
          // An earlier import of such a file has added it.
          renamed.append((name, known))
          continue
        }
        guard Program.refusal(ofColumnNamed: known) == nil else { throw refusal }
      }
      guard taken.insert(.text(known.folded)).inserted else { continue }
      if !known.hasSameBytes(as: name) { renamed.append((name, known)) }
      let type = guesses[.text(name)]?.type ?? .text
      attributes.append(AttributeDescription(known, type, isOptional: true))
    }
    let count = Program.customAttributes.count + attributes.count
    guard count <= CustomColumns.limit else {
      throw CommandFailure(
        .badData,
        "The file has more than \(CustomColumns.limit) columns that would be yours.",
        remedy: "Nothing was imported. Add those that you need with 'column add'."
      )
    }
  }

  /// Adds to a mapping the columns whose names were changed.
  package func rename(in mapping: inout ImportMapping) {
    for (column, name) in renamed { mapping.map(column, to: name) }
  }

  /// A name with an underscore in place of every sign that cannot be in one.
  private static func plain(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let isLetter = scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value)
      scalars.append(isLetter || !scalars.isEmpty && scalar == " " ? scalar : "_")
    }
    while scalars.last == " " { scalars.removeLast() }
    return String(scalars)
  }

  /// What the values of a column have been so far.
  private struct Guess {
    /// The types that have all of them, the narrowest first.
    private var types: [AttributeType] = [.boolean, .integer64, .decimal(scale: 2), .date]
    private var hasValues = false

    /// The narrowest type that has all values and brings them back as they are written; texts where none does.
    var type: AttributeType { hasValues ? types.first ?? .text : .text }

    mutating func note(_ field: RecordField) {
      if field.value.isNull || field.value == .text("") { return }
      hasValues = true
      // Among numbers the words are 1 and 0, as in a field of the program.
      types.removeAll { type in
        !(field.isBoolean && type == .boolean) && !Guess.holds(field.value, in: type)
      }
    }

    private static func holds(_ value: Value, in type: AttributeType) -> Bool {
      switch (value, type) {
      case (.integer, .integer64): return true
      case (.text(let text), .boolean): return text == "true" || text == "false"
      case (.text(let text), .decimal(let scale)):
        guard let value = type.value(parsing: text) else { return false }
        // Zeros at the end mean nothing, and those at the beginning belong to a number that is a name.
        let decimals = text.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.count
        let isWhole = !text.utf8.contains(UInt8(ascii: "."))
        let written = type.machineText(of: value)
        return isWhole
          ? written == text + "." + String(repeating: "0", count: scale)
          : written == text + String(repeating: "0", count: max(0, scale - decimals))
      case (.text(let text), _):
        return type.value(parsing: text).map { type.machineText(of: $0) == text } ?? false
      default: return false
      }
    }
  }
}
