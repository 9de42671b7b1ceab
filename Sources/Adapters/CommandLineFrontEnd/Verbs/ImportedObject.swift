public import ResultsDomain

/// What became of a record that was imported.
public enum ImportOutcome: Hashable, Sendable {
  /// It is a new object.
  case added
  /// The store held it before, with the same values.
  case known
  /// The store held an object of its key or identifier before, whose other values were left as they are.
  case knownWithOtherValues
  /// The store held it before, and took its values.
  case updated
}

/// An object made from a record of a file, and what tells it from those already there.
public struct ImportedObject: Sendable {
  /// One value for each attribute of the entity.
  public var values: [Value]
  /// The object's key, where the record has one and writers choose it.
  public var key: ObjectKey?
  /// What the object is recognised by, if the record has such an identifier; else all its values are compared.
  public var identifier: Value?
  /// The names of the record's fields that belong to no attribute, or to one that another field gave a value.
  public var unusedColumns: [String] = []

  /// An object made from a record.
  public init(values: [Value], key: ObjectKey? = nil, identifier: Value? = nil) {
    self.values = values
    self.key = key
    self.identifier = identifier
  }

  /// Takes each field to the attribute of its name, whatever its case, or to the one an alias names.
  ///
  /// A number that a store gives its objects as a key means nothing in another store and is not used.
  /// - Parameters:
  ///   - record: The record.
  ///   - entity: The entity of the object.
  ///   - aliases: Attribute names by lowercased field names.
  ///   - identifier: The attribute that objects are recognised by, where it has a value.
  ///   - reader: Whose forms of numbers and dates are understood, besides the plain ones.
  /// - Throws: `RecordError` for a value that is not understood or a required one that is missing; without a column if
  ///   the record has no such field.
  public init(
    _ record: Record,
    of entity: EntityDescription,
    aliases: [String: String],
    identifiedBy identifier: String?,
    for settings: LocaleSettings
  ) throws(RecordError) {
    var values = Array(repeating: Value.null, count: entity.attributes.count)
    var key: ObjectKey?
    var unused: [String] = []
    // Texts need no reader, and most records are texts.
    lazy var valueParser = ValueParser(settings)
    for field in record.fields {
      // Most fields are called exactly as an attribute; folding the case of all would cost more than the row's insertion.
      let exact = entity.index(of: field.name)
      let name = exact == nil ? aliases[field.name.folded] ?? field.name : field.name
      guard let index = exact ?? entity.index(ofAnyCase: name) else {
        if case .text = entity.identity, entity.identity.columns.contains(name) {
          key = key ?? ObjectKey(parts: [field.value], of: entity.identity)
        } else {
          unused.append(field.name)
        }
        continue
      }
      let attribute = entity.attributes[index]
      if attribute.isOptional, case .text(let text) = field.value, text.isEmpty { continue }
      // Two fields may mean one attribute; the first that says something stays, and the other is not lost without a word.
      guard values[index].isNull else {
        unused.append(field.name)
        continue
      }
      if case .text = attribute.type, case .text = field.value {
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
    aliases: [String: String]
  ) -> RecordError {
    let need =
      "every \(entity.name) needs one" + (attribute.type == .text ? "; it may be empty." : ".")
    let found = record.fields.map(\.name)
    let isThere = found.contains {
      ($0.folded == attribute.name.folded) || aliases[$0.folded] == attribute.name
    }
    guard !isThere else {
      return RecordError(
        source: "",
        line: record.line,
        column: 1,
        message: "\(attribute.name) is missing;",
        remedy: need,
        isRecoverable: true
      )
    }
    let understood = entity.attributes.map(\.name) + aliases.keys.sorted()
    return RecordError(
      source: "",
      line: record.line,
      message: "there is no column \(attribute.name), and \(need)",
      remedy: "Columns found: \(found.joined(separator: ", "))."
        + " Columns understood: \(understood.joined(separator: ", ")).",
      isRecoverable: true
    )
  }
}

extension EntityDescription {
  /// The attribute of a name, whatever its case.
  fileprivate func index(ofAnyCase name: String) -> Int? {
    if let index = index(of: name) { return index }
    let folded = name.folded
    return attributes.firstIndex { attribute in
      // Folding may change the length, but not that of ASCII, which names are as a rule.
      attribute.name.utf8.count == folded.utf8.count && attribute.name.folded == folded
    }
  }
}

extension String {
  /// The text in lowercase; names that are so already, as most are, cost a look at their bytes only.
  fileprivate var folded: String {
    let isPlain = utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
    return isPlain ? self : lowercased()
  }
}
