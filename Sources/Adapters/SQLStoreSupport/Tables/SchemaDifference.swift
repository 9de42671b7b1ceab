package import ResultsDomain

/// The changes by which the table of a recorded entity fits the entity of the program: the policy of lightweight migration.
///
/// An optional attribute may be new, and an attribute may be gone, but not both, unless a replacement says what becomes of the values: that
/// may be a new name, and its values would be lost. An attribute that a user has added is gone only if a replacement says so.
package struct SchemaDifference {
  /// The attributes that are new; their columns are null in all rows.
  package let added: [AttributeDescription]
  /// What moves the values of attributes that are gone to where they belong now.
  package let replaced: [AttributeReplacement]
  /// The attributes that are gone.
  package let dropped: [String]

  /// Compares a recorded entity with the program's.
  /// - Parameters:
  ///   - recorded: The entity on record.
  ///   - entity: The program's entity.
  ///   - replacements: How to move the values of attributes that entities had in earlier versions of the program.
  ///   - others: The columns of the table that are not on record.
  /// - Throws: `OpenFailureError` for a difference that needs a decision.
  package init(
    from recorded: RecordedEntity,
    to entity: EntityDescription,
    replacing replacements: [AttributeReplacement],
    beside others: [String] = []
  ) throws(OpenFailureError) {
    guard recorded.hasKey(of: entity) else {
      throw .mismatch(
        entity,
        "its key is \(recorded.identity) (\(recorded.keyColumns.joined(separator: ", "))), not"
          + " \(entity.identity.recordedKind) (\(entity.identity.columns.joined(separator: ", ")))"
      )
    }
    var added: [AttributeDescription] = []
    for attribute in entity.attributes {
      guard let index = recorded.index(of: attribute.name) else {
        guard !others.contains(where: { $0.hasSameBytes(as: attribute.name) }) else {
          throw .mismatch(entity, "the column \(attribute.name) was not created by a store")
        }
        guard attribute.isOptional else {
          throw .mismatch(entity, "the required attribute \(attribute.name) is new")
        }
        added.append(attribute)
        continue
      }
      let known = recorded.attributes[index]
      guard known.type == attribute.type.description else {
        throw .mismatch(entity, "\(attribute.name) is \(known.type), not \(attribute.type)")
      }
      guard known.isOptional == attribute.isOptional else {
        let words = known.isOptional ? "optional, not required" : "required, not optional"
        throw .mismatch(entity, "\(attribute.name) is \(words)")
      }
    }
    let missing = recorded.attributes.filter { entity.index(of: $0.name) == nil }
    let replaced = replacements.filter { replacement in
      replacement.entity.hasSameBytes(as: entity.name)
        && missing.contains { $0.name.hasSameBytes(as: replacement.attribute) }
    }
    // A custom attribute stays, also for a program that does not name it, until the user removes it.
    let dropped = missing.filter { attribute in
      !attribute.isCustom
        || replaced.contains { $0.attribute.hasSameBytes(as: attribute.name) }
    }.map(\.name)
    let lost = dropped.first { name in !replaced.contains { $0.attribute.hasSameBytes(as: name) } }
    if let new = added.first(where: { !$0.isCustom }), let lost {
      throw .mismatch(entity, "\(new.name) is new and \(lost) is missing, which may be a new name")
    }
    (self.added, self.replaced, self.dropped) = (added, replaced, dropped)
  }
}
