package import ResultsDomain

/// The outcome of importing a record.
package enum ImportOutcome: Hashable, Sendable {
  /// A new object was added.
  case added
  /// The store had an object with the same values.
  case known
  /// The store had an object with the same key or identifier; its other values were left unchanged.
  case knownWithOtherValues
  /// The store had the object, and its values were updated.
  case updated
}

/// An object made from a record of a file, with the key or identifier by which it is recognised.
package struct ImportedObject: Sendable {
  /// A value for each field of the program's objects (`ObjectFields.form`).
  package var values: [Value]
  /// The object's key, if the record has one and keys are chosen by the user.
  package var key: ObjectKey?
  /// The value that identifies the object, or `nil` to compare all its values.
  package var identifier: Value?
  /// The names of the fields that belong to no attribute, or to one that already has a value.
  package var unusedColumns: [String] = []
  /// What is odd about the record although it is imported, as a sentence, or `nil`.
  package var remark: String?

  /// Creates an object.
  package init(values: [Value], key: ObjectKey? = nil, identifier: Value? = nil) {
    self.values = values
    self.key = key
    self.identifier = identifier
  }

  /// Creates an object from a record: a field belongs to the attribute of its name in any letter case, or of an alias.
  ///
  /// Keys that stores assign mean nothing in another store and are not used.
  /// - Parameters:
  ///   - record: The record.
  ///   - entity: The entity of the object.
  ///   - aliases: Attribute names by lowercased field names.
  ///   - identifier: The attribute that identifies objects, where it has a value.
  ///   - columns: The names of the file's own fields, if the program has added some to the record.
  ///   - settings: The locale whose forms of numbers and dates are accepted besides the plain ones.
  /// - Throws: `RecordError` for an invalid value or a missing required one; its column is `nil` if the record has no such
  ///   field.
  package init(
    _ record: Record,
    of entity: EntityDescription,
    aliases: [String: String],
    identifiedBy identifier: String?,
    columns: [String]? = nil,
    for settings: LocaleSettings
  ) throws(RecordError) {
    var values = Array(repeating: Value.null, count: entity.attributes.count)
    var key: ObjectKey?
    var unused: [String] = []
    // Texts need no parser, and most fields are texts.
    lazy var valueParser = ValueParser(settings)
    for field in record.fields {
      // Most names match exactly; folding the case of all would cost more than inserting the row.
      let exact = entity.index(of: field.name)
      let folded = exact == nil ? field.name.folded : field.name
      let alias = exact == nil ? aliases[folded] : nil
      let name = alias ?? field.name
      let found =
        exact ?? alias.flatMap { entity.index(of: $0) }
        ?? entity.index(ofFolded: alias?.folded ?? folded)
      guard let index = found else {
        if case .text = entity.identity, entity.identity.columns.contains(name) {
          key = key ?? ObjectKey(parts: [field.value], of: entity.identity)
        } else {
          unused.append(field.name)
        }
        continue
      }
      let attribute = entity.attributes[index]
      if attribute.isOptional, case .text(let text) = field.value, text.isEmpty { continue }
      // Of two fields for one attribute the first with a value counts, and the other is reported.
      guard values[index].isNull else {
        unused.append(field.name)
        continue
      }
      if case .text = attribute.type, attribute.form == nil, case .text = field.value {
        values[index] = field.value
      } else {
        values[index] = try valueParser.value(field, of: attribute, line: record.line)
      }
    }
    for index in entity.attributes.indices
    where values[index].isNull && !entity.attributes[index].isOptional {
      throw ImportedObject.missing(
        entity.attributes[index],
        of: entity,
        in: record,
        // A field that the program has added is in no column.
        columns: columns ?? record.fields.filter { $0.column > 0 }.map(\.name),
        aliases: aliases
      )
    }
    self.init(
      values: values,
      key: key,
      identifier: identifier.flatMap { entity.index(of: $0) }.map { values[$0] }.flatMap {
        $0.isNull ? nil : $0
      }
    )
    unusedColumns = unused
  }

  private static func missing(
    _ attribute: AttributeDescription,
    of entity: EntityDescription,
    in record: Record,
    columns found: [String],
    aliases: [String: String]
  ) -> RecordError {
    let need =
      "every \(entity.name) needs one" + (attribute.type == .text ? " (it may be empty)." : ".")
    let isThere = found.contains {
      ($0.folded == attribute.name.folded) || aliases[$0.folded] == attribute.name
    }
    guard !isThere else {
      return RecordError(
        source: "",
        line: record.line,
        column: 1,
        message: "\(attribute.name) is missing:",
        remedy: need,
        isRecoverable: true
      )
    }
    let understood = entity.attributes.map(\.name) + aliases.keys.sorted()
    return RecordError(
      source: "",
      line: record.line,
      message: "there is no \(attribute.name) column, and \(need)",
      remedy: (NearestName.of(attribute.name, among: found).map {
        "Rename “\($0)” if it is meant. "
      } ?? "") + "Columns found: \(found.joined(separator: ", "))."
        + " Columns understood: \(understood.joined(separator: ", ")).",
      isRecoverable: true
    )
  }
}

extension EntityDescription {
  /// Returns the index of the attribute with a name in any letter case, given in lowercase.
  fileprivate func index(ofFolded folded: String) -> Int? {
    attributes.firstIndex { attribute in
      // Folding keeps the length of ASCII names, which most are.
      attribute.name.utf8.count == folded.utf8.count && attribute.name.folded == folded
    }
  }
}

extension String {
  /// The text in lowercase; for text that is lowercase already, only its bytes are checked.
  var folded: String {
    let isPlain = utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
    return isPlain ? self : lowercased()
  }
}
