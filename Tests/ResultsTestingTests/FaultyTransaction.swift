import ResultsDomain

/// A transaction with its store's fault.
final class FaultyTransaction: FaultySnapshot, StoreTransaction {
  private let writing: any StoreTransaction

  init(_ writing: any StoreTransaction, of store: FaultyStore) {
    self.writing = writing
    super.init(writing, of: store)
  }

  func insert(
    _ values: [Value],
    key: ObjectKey?,
    into entity: EntityDescription
  ) throws(StoreError) -> ObjectID {
    var key = key
    if fault == .assignsUsedKeys, key == nil, case .integer = entity.identity {
      key = .integer(Int64(try writing.count(of: entity, where: .all)) + 1)
    }
    return try writing.insert(altered(values, entity), key: key, into: entity)
  }

  func update(
    _ id: ObjectID,
    to values: [Value],
    of entity: EntityDescription,
    ifUnchangedFrom expected: Row?
  ) throws(StoreError) {
    let base = fault == .overwritesConflicts ? nil : expected
    try writing.update(id, to: altered(values, entity), of: entity, ifUnchangedFrom: base)
  }

  func delete(_ id: ObjectID, of entity: EntityDescription) throws(StoreError) -> Bool {
    try writing.delete(id, of: entity)
  }

  private func altered(_ values: [Value], _ entity: EntityDescription) -> [Value] {
    values.enumerated().map { index, value in
      switch (fault, value) {
      case (.composesTexts, .text(let text))
      where text.unicodeScalars.elementsEqual("\u{304B}\u{3099}".unicodeScalars):
        "\u{304C}"
      case (.storesEmptyTextsAsNull, .text("")) where entity.attributes[index].isOptional: .null
      default: value
      }
    }
  }
}
