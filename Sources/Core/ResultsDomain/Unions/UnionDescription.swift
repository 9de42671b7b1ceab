/// A list of several kinds as an entity: the rows of some branches with what they share (R12).
///
/// The rows of a union are those of its branches. They have the attribute `kind`, which is the name of the branch; the shared
/// attributes, which are null in a branch that does not have them; and the object's key as `key`, whose further parts are `key2`,
/// `key3` and so on. `kind` and the key are the identity; both can have other names.
///
/// ```swift
/// let activity = try UnionDescription(
///   "Activity",
///   branches: [
///     UnionBranch("book", of: Book.self, attributes: [.attribute(\.title, as: "name")]),
///     UnionBranch("author", of: Author.self, attributes: [.attribute(\.name, as: "name")]),
///   ]
/// )
/// ```
public struct UnionDescription: Hashable, Sendable {
  /// The entity whose objects are the rows of all branches.
  public let entity: EntityDescription
  /// The branches, in the order of their names' bytes.
  public let branches: [UnionBranch]
  /// Whether a row has all attributes of its object too.
  public let includesObjects: Bool
  /// For each branch the values of the union's attributes, over the branch's entity.
  private let values: [[FetchExpression]]
  private let keyCount: Int

  /// Describes a union.
  /// - Parameters:
  ///   - name: The union's name as an entity.
  ///   - branches: The branches, each with a name of its own.
  ///   - kindAttribute: The name of the attribute for the branch's name.
  ///   - keyAttribute: The name of the attribute for the object's key, to which a number is added for each further part.
  ///   - includesObjects: Whether a row also has all attributes of its object, as `book.title` for the branch `book`. Then
  ///     `Row.object(ofBranch:)` returns the object, and a change of any of its attributes is a change of the row.
  /// - Throws: `UnionError`
  public init(
    _ name: String,
    branches: [UnionBranch],
    kindAttribute: String = "kind",
    keyAttribute: String = "key",
    includesObjects: Bool = false
  ) throws(UnionError) {
    guard !branches.isEmpty else { throw .noBranches(union: name) }
    let sorted = branches.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for (branch, next) in zip(sorted, sorted.dropFirst())
    where branch.name.hasSameBytes(as: next.name) {
      throw .repeatedBranch(union: name, branch: branch.name)
    }
    let keys = try UnionKeyColumns(sorted, union: name, named: keyAttribute)
    let identity = [kindAttribute] + keys.names
    var columns = [
      UnionColumn(
        AttributeDescription(kindAttribute, .text),
        sorted.map { .literal(.text($0.name)) }
      )
    ]
    columns += try UnionColumn.shared(by: branches, sorted, union: name, reserved: identity)
    columns += keys.columns
    if includesObjects { columns += UnionColumn.ofObjects(sorted) }
    do {
      entity = try EntityDescription(
        name: name,
        identity: .compound(identity),
        attributes: columns.map(\.attribute)
      )
    } catch {
      throw .schema(error)
    }
    self.branches = sorted
    self.includesObjects = includesObjects
    keyCount = keys.names.count
    values = sorted.indices.map { branch in columns.map { $0.values[branch] } }
  }

  /// Whether two unions have the same name, branches and attributes.
  public static func == (left: UnionDescription, right: UnionDescription) -> Bool {
    left.entity == right.entity && left.branches == right.branches
  }

  /// Hashes the entity.
  public func hash(into hasher: inout Hasher) { hasher.combine(entity) }
}

// MARK: - Rows and their objects

extension UnionDescription {
  /// The values of the union's attributes for the objects of a branch, in the order of the attributes.
  package func values(ofBranch index: Int) -> [FetchExpression] { values[index] }

  /// The number of the columns that hold an object's key; they follow `kind` in the identity.
  package var keyColumnCount: Int { keyCount }

  /// The key of the row of an object of a branch.
  package func key(of object: ObjectKey, ofBranch index: Int) -> ObjectKey {
    var parts: [Value] = [.text(branches[index].name)] + object.parts
    while parts.count <= keyCount { parts.append(UnionKeyColumns.filler) }
    return .compound(parts)
  }

  /// The branch of a row and the key of its object, or `nil` if the key belongs to no branch.
  package func object(of key: ObjectKey) -> (branch: Int, key: ObjectKey)? {
    guard case .compound(var parts) = key, parts.count == keyCount + 1,
      case .text(let name) = parts.removeFirst(),
      let branch = branches.firstIndex(where: { $0.name.hasSameBytes(as: name) })
    else { return nil }
    return UnionKeyColumns.key(parts, of: branches[branch].entity).map { (branch, $0) }
  }

  /// The branch of a row, or `nil` if it is not a row of the union.
  public func branch(of id: ObjectID) -> UnionBranch? {
    guard id.entity.hasSameBytes(as: entity.name) else { return nil }
    return object(of: id.key).map { branches[$0.branch] }
  }

  /// The identity of a row's object in its branch, or `nil` if it is not a row of the union.
  public func objectID(of id: ObjectID) -> ObjectID? {
    guard id.entity.hasSameBytes(as: entity.name), let object = object(of: id.key) else {
      return nil
    }
    return ObjectID(entity: branches[object.branch].entity.name, key: object.key)
  }

  /// The identity of the row that an object has as one of a branch; `nil` if there is no branch of that name over its entity.
  public func rowID(of object: ObjectID, inBranch name: String) -> ObjectID? {
    guard let index = branches.firstIndex(where: { $0.name.hasSameBytes(as: name) }),
      object.entity.hasSameBytes(as: branches[index].entity.name)
    else { return nil }
    return ObjectID(entity: entity.name, key: key(of: object.key, ofBranch: index))
  }
}

extension Row {
  /// The object of a row of a union that includes objects.
  ///
  /// An enumeration of the branches' types is made with it:
  /// ```swift
  /// enum Entry: FetchedObject {
  ///   case book(Book)
  ///   case author(Author)
  ///
  ///   init(row: Row) throws(RowError) {
  ///     if let book = try row.object(ofBranch: "book", as: Book.self) {
  ///       self = .book(book)
  ///     } else if let author = try row.object(ofBranch: "author", as: Author.self) {
  ///       self = .author(author)
  ///     } else {
  ///       throw RowError(id: row.id, attribute: "kind", value: row["kind"])
  ///     }
  ///   }
  /// }
  /// ```
  /// - Parameters:
  ///   - branch: The branch's name.
  ///   - type: The struct of the branch's entity.
  /// - Returns: `nil` if the row is of another branch, or does not have the object's attributes.
  /// - Throws: `RowError` if a stored value does not fit the struct.
  /// - Complexity: O(*n*) in the attributes.
  public func object<Object: Entity>(
    ofBranch branch: String,
    as type: Object.Type = Object.self
  ) throws(RowError) -> Object? {
    guard case .compound(var parts) = id.key, case .text(let name)? = parts.first,
      name.hasSameBytes(as: branch)
    else { return nil }
    parts.removeFirst()
    let object = Object.entity.stored
    guard let key = UnionKeyColumns.key(parts, of: object) else { return nil }
    var objectValues: [Value] = []
    for attribute in object.attributes {
      guard let index = entity.index(of: UnionColumn.name(of: attribute, ofBranch: branch)),
        index < values.count
      else { return nil }
      objectValues.append(values[index])
    }
    let row = Row(
      entity: object,
      id: ObjectID(entity: object.name, key: key),
      values: objectValues
    )
    return try Object(row: row)
  }
}
