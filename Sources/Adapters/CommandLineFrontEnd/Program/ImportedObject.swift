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
    for field in record.fields {
      let name = aliases[field.name.lowercased()] ?? field.name
      if case .text(let text) = field.value, text.isEmpty,
        entity.attribute(named: name)?.isOptional ?? true
      {
        continue
      }
      if let index = entity.attributes.firstIndex(where: {
        $0.name.lowercased() == name.lowercased()
      }) {
        values[index] = try ValueReader(reader).value(
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
        remedy: "Every \(entity.name) needs one; an empty text counts.",
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
