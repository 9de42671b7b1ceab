public import ResultsDomain

/// An object made from a record of a file, and what tells it from those already there.
public struct ImportedObject: Sendable {
  /// One value for each attribute of the entity.
  public var values: [Value]
  /// The object's key, where the record has one.
  public var key: ObjectKey?
  /// What the object is recognised by, if the record has such an identifier; else all its values are compared.
  public var identifier: Value?

  /// An object made from a record.
  public init(values: [Value], key: ObjectKey? = nil, identifier: Value? = nil) {
    self.values = values
    self.key = key
    self.identifier = identifier
  }

  /// Takes each field to the attribute of its name, whatever its case, or to the one an alias names.
  /// - Parameters:
  ///   - record: The record.
  ///   - entity: The entity of the object.
  ///   - aliases: Attribute names by lowercased field names.
  ///   - identifier: The attribute that objects are recognised by, where it has a value.
  ///   - reader: Whose forms of numbers and dates are understood, besides the plain ones.
  /// - Throws: `RecordError` for a value that is not understood or a required one that is missing.
  public init(
    _ record: Record,
    of entity: EntityDescription,
    aliases: [String: String],
    identifiedBy identifier: String?,
    for reader: ReaderSettings
  ) throws(RecordError) {
    var values = Array(repeating: Value.null, count: entity.attributes.count)
    var key: ObjectKey?
    // Texts need no reader, and most records are texts.
    lazy var valueReader = ValueReader(reader)
    for field in record.fields {
      // Most fields are called exactly as an attribute; folding the case of all would cost more than the row's insertion.
      let exact = entity.index(of: field.name)
      let name = exact == nil ? aliases[field.name.folded] ?? field.name : field.name
      let index = exact ?? entity.index(ofAnyCase: name)
      if case .text(let text) = field.value, text.isEmpty,
        index.map({ entity.attributes[$0].isOptional }) ?? true
      {
        continue
      }
      if let index, case .text = entity.attributes[index].type, case .text = field.value {
        values[index] = field.value
      } else if let index {
        values[index] = try valueReader.value(
          field,
          of: entity.attributes[index],
          line: record.line
        )
      } else if entity.identity.columns.contains(name), case .compound = entity.identity {
        continue
      } else if entity.identity.columns.contains(name) {
        key = ObjectKey(parts: [field.value], of: entity.identity)
      }
    }
    for (attribute, value) in zip(entity.attributes, values)
    where value.isNull && !attribute.isOptional {
      throw RecordError(
        source: "",
        line: record.line,
        column: 1,
        message: "\(attribute.name) is missing.",
        remedy: attribute.type == .text
          ? "Every \(entity.name) needs one; an empty text counts."
          : "Every \(entity.name) needs one.",
        isRecoverable: true
      )
    }
    self.init(
      values: values,
      key: key,
      identifier: identifier.flatMap { entity.index(of: $0) }.map { values[$0] }.flatMap {
        $0.isNull ? nil : $0
      }
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
