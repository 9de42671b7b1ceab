/// An attribute of a union, with its value in each branch.
struct UnionColumn {
  let attribute: AttributeDescription
  /// The value in each branch, over the branch's entity.
  let values: [FetchExpression]

  init(_ attribute: AttributeDescription, _ values: [FetchExpression]) {
    self.attribute = attribute
    self.values = values
  }

  /// The name in the union of an attribute of a branch's objects.
  static func name(of attribute: AttributeDescription, ofBranch branch: String) -> String {
    "\(branch).\(attribute.name)"
  }

  /// The attributes of the objects of all branches; each is null in the other branches.
  static func ofObjects(_ branches: [UnionBranch]) -> [UnionColumn] {
    branches.indices.flatMap { index in
      branches[index].entity.attributes.map { attribute in
        var copy = AttributeDescription(
          name(of: attribute, ofBranch: branches[index].name),
          attribute.type,
          isOptional: true,
          holdsAnyValue: attribute.holdsAnyValue,
          form: attribute.form
        )
        copy.showsIntegers = attribute.showsIntegers
        return UnionColumn(
          copy,
          branches.indices.map { $0 == index ? .attribute(attribute.name) : .literal(.null) }
        )
      }
    }
  }
}

// MARK: - Shared attributes

extension UnionColumn {
  /// The shared attributes of some branches, in the order in which they are declared.
  /// - Throws: `UnionError` for a value that a branch cannot have, or that is of another kind than in another branch.
  static func shared(
    by branches: [UnionBranch],
    _ sorted: [UnionBranch],
    union: String,
    reserved: [String]
  ) throws(UnionError) -> [UnionColumn] {
    var names: [String] = []
    for branch in branches {
      do {
        try branch.predicate.validate(in: branch.entity)
      } catch {
        throw .invalidBranch(union: union, branch: branch.name, error)
      }
      var own: [String] = reserved
      for attribute in branch.attributes {
        guard !own.contains(where: { $0.hasSameBytes(as: attribute.name) }) else {
          throw .repeatedAttribute(union: union, branch: branch.name, attribute: attribute.name)
        }
        own.append(attribute.name)
        if !names.contains(where: { $0.hasSameBytes(as: attribute.name) }) {
          names.append(attribute.name)
        }
      }
    }
    var columns: [UnionColumn] = []
    for name in names { columns.append(try shared(name, by: sorted, union: union)) }
    return columns
  }

  private static func shared(
    _ name: String,
    by branches: [UnionBranch],
    union: String
  ) throws(UnionError) -> UnionColumn {
    var values: [FetchExpression] = []
    var found: (kind: UnionValueKind, branch: String)?
    var isOptional = false
    for branch in branches {
      guard let shared = branch.attributes.first(where: { $0.name.hasSameBytes(as: name) }) else {
        values.append(.literal(.null))
        isOptional = true
        continue
      }
      let kind: UnionValueKind?
      do {
        kind = try UnionValueKind(of: shared.expression, in: branch.entity)
      } catch {
        throw .invalidBranch(union: union, branch: branch.name, error)
      }
      values.append(shared.expression)
      guard let kind else {
        isOptional = true
        continue
      }
      isOptional = isOptional || shared.expression.canBeNull(in: branch.entity)
      guard let other = found else {
        found = (kind, branch.name)
        continue
      }
      guard let both = other.kind.merged(with: kind) else {
        throw .mixedTypes(
          union: union,
          attribute: name,
          branch: other.branch,
          type: other.kind.description,
          otherBranch: branch.name,
          otherType: kind.description
        )
      }
      found = (both, other.branch)
    }
    guard let kind = found?.kind else { throw .alwaysNull(union: union, attribute: name) }
    return UnionColumn(kind.attribute(named: name, isOptional: isOptional), values)
  }
}

/// What the values of a shared attribute are: their type, and how they are stored.
private struct UnionValueKind: Hashable {
  /// The type, or `nil` for a constant.
  var type: AttributeType?
  var storage: StorageClass
  var form: StoredForm?
  var showsIntegers: Bool

  /// What an expression's values are, or `nil` if they are all null.
  init?(of expression: FetchExpression, in entity: EntityDescription) throws(RequestError) {
    guard let storage = try expression.storage(in: entity) else { return nil }
    self.storage = storage
    type = expression.type(in: entity)
    form = expression.form(in: entity)
    showsIntegers = expression.showsIntegers(in: entity)
  }

  /// What values of both are, or `nil` if they cannot be ordered and compared together.
  func merged(with other: UnionValueKind) -> UnionValueKind? {
    guard storage == other.storage else { return nil }
    var both = self
    both.showsIntegers = showsIntegers && other.showsIntegers
    guard let type, let otherType = other.type else {
      both.type = type ?? other.type
      both.form = type == nil ? other.form : form
      return both
    }
    guard form == other.form else { return nil }
    if type == otherType { return both }
    guard type.isInteger, otherType.isInteger else { return nil }
    both.type = .integer64
    return both
  }

  func attribute(named name: String, isOptional: Bool) -> AttributeDescription {
    var attribute = AttributeDescription(
      name,
      type ?? storage.plainType,
      isOptional: isOptional,
      holdsAnyValue: storage == .any,
      form: form
    )
    attribute.showsIntegers = showsIntegers
    return attribute
  }

  var description: String {
    let words = storage == .any ? "values of any class" : (type ?? storage.plainType).description
    return form == nil ? words : "\(words) in a form of its own"
  }
}

extension FetchExpression {
  /// Whether a value can be null for an object of an entity.
  fileprivate func canBeNull(in entity: EntityDescription) -> Bool {
    switch self {
    case .attribute(let name): entity.attribute(named: name)?.isOptional ?? false
    case .objectKey: false
    case .literal(let value): value.orderable.isNull
    case .ifNull(let inner, let other): inner.canBeNull(in: entity) && other.canBeNull(in: entity)
    case .prefix, .lowercased, .uppercased, .length, .bucket, .transformed, .related,
      .relatedAggregate:
      true
    }
  }
}

extension AttributeType {
  fileprivate var isInteger: Bool {
    switch self {
    case .integer16, .integer32, .integer64: true
    case .boolean, .date, .decimal, .real, .text, .blob: false
    }
  }
}

extension StorageClass {
  /// The type of values of which nothing but the class is known.
  fileprivate var plainType: AttributeType {
    switch self {
    case .integer: .integer64
    case .real: .real
    case .text, .any: .text
    case .blob: .blob
    }
  }
}

// MARK: - Keys

/// The columns that hold the keys of the objects of all branches.
struct UnionKeyColumns {
  /// Stands in the columns that a branch with a shorter key does not need.
  static let filler = Value.text("")

  let names: [String]
  let columns: [UnionColumn]

  /// - Throws: `UnionError.mixedTypes` for a real that shares a column with keys of another class: there, 1.0 and 1 would be one key.
  init(_ branches: [UnionBranch], union: String, named name: String) throws(UnionError) {
    let entities = branches.map(\.entity)
    let parts = entities.map { entity -> [FetchExpression] in
      switch entity.identity {
      case .integer, .text: [.objectKey]
      case .compound(let names): names.map { .attribute($0) }
      }
    }
    let count = parts.map(\.count).max() ?? 1
    let names = (0..<count).map { $0 == 0 ? name : "\(name)\($0 + 1)" }
    columns = names.indices.map { part in
      let types = zip(entities, parts).map { entity, parts in
        part < parts.count ? (entity.keyTypes[part], entity.keyStorage[part]) : (.text, .text)
      }
      let (type, storage) = types.first ?? (.integer64, .integer)
      let isUniform = types.allSatisfy { $0.1 == storage } && storage != .any
      let isSameType = types.allSatisfy { $0.0 == type } && type.storage == storage
      return UnionColumn(
        AttributeDescription(
          names[part],
          isUniform ? (isSameType ? type : storage.plainType) : .text,
          holdsAnyValue: !isUniform
        ),
        parts.map { part < $0.count ? $0[part] : .literal(UnionKeyColumns.filler) }
      )
    }
    self.names = names
    for part in names.indices where columns[part].attribute.holdsAnyValue {
      let storage = entities.map { part < $0.keyStorage.count ? $0.keyStorage[part] : .text }
      guard let real = storage.firstIndex(of: .real),
        let other = storage.firstIndex(where: { $0 != .real })
      else { continue }
      throw .mixedTypes(
        union: union,
        attribute: names[part],
        branch: branches[real].name,
        type: StorageClass.real.rawValue,
        otherBranch: branches[other].name,
        otherType: storage[other].rawValue
      )
    }
  }

  /// The key of an object of an entity by the values of the columns, or `nil` if the entity has no such key.
  static func key(_ values: [Value], of entity: EntityDescription) -> ObjectKey? {
    let storage = entity.keyStorage
    guard values.count >= storage.count,
      values.dropFirst(storage.count).allSatisfy({ $0 == UnionKeyColumns.filler })
    else { return nil }
    let parts = Array(values.prefix(storage.count))
    guard let key = ObjectKey(parts: parts, of: entity.identity), key.fits(entity) else {
      return nil
    }
    return key
  }
}
