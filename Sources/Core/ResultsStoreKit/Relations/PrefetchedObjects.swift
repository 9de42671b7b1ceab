public import ResultsDomain

/// A path of relationships that begins at an entity's struct: `ToOne` or `ToMany`.
public protocol RelationshipPath: Sendable {
  /// The names of the relationships, in order.
  var steps: [String] { get }
}

extension ToOne: RelationshipPath {}
extension ToMany: RelationshipPath {}

extension FetchRequest where Object: Entity {
  /// Returns the request with the objects of some relationships read beside the rows, each step at once for a batch of rows (R99).
  ///
  /// `row.related(\.author)` returns them. They belong to the row: they are read in the same version as its own values, and
  /// their changes are updates of the row, as those of its attributes are (R95).
  public func prefetching<each Path: RelationshipPath>(
    _ path: repeat KeyPath<Object.Type, each Path>
  ) -> Self {
    var request = self
    for path in repeat each path {
      request.relationshipPathsForPrefetching.append(Object.self[keyPath: path].steps)
    }
    return request
  }
}

/// An error in reading the related objects of a row.
public enum RelatedObjectError: Error, Hashable, Sendable {
  /// The request did not prefetch the relationship.
  case notPrefetched(path: String, entity: String)
  /// A stored value does not fit the struct of the related object.
  case row(RowError)
}

extension RelatedObjectError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .notPrefetched(let path, let entity):
      "The objects of \(path) were not read with the rows of \(entity). Add the path to prefetching(…) of the request."
    case .row(let error): error.description
    }
  }
}

extension Row {
  /// The object of a to-one relationship that the request prefetched; `nil` where a step has no object (R92).
  /// - Throws: `RelatedObjectError`, if it was not prefetched, or a stored value does not fit.
  /// - Complexity: O(*a* · *n*) for *a* attributes of the object in a row of *n* values; the store is not read.
  public func related<Root: Entity, Target: Entity>(
    _ path: ToOne<Root, Target>
  ) throws(RelatedObjectError) -> Target? {
    guard let row = try related(along: path.steps, Target.entity) else { return nil }
    return try Row.object(row)
  }

  /// The objects of a to-many relationship that the request prefetched, in the order of their keys.
  /// - Throws: `RelatedObjectError`, if they were not prefetched, or a stored value does not fit.
  /// - Complexity: O(*k*) in the bytes of the objects; the store is not read.
  public func related<Root: Entity, Element: Entity>(
    _ path: ToMany<Root, Element>
  ) throws(RelatedObjectError) -> [Element] {
    var objects: [Element] = []
    for row in try rows(along: path.steps, Element.entity) { objects.append(try Row.object(row)) }
    return objects
  }

  private static func object<Object: Entity>(_ row: Row) throws(RelatedObjectError) -> Object {
    do {
      return try Object(row: row)
    } catch {
      throw .row(error)
    }
  }

  /// The row of the object of a to-one relationship that the request prefetched; `nil` where a step has no object.
  /// - Throws: `RelatedObjectError` if it was not prefetched.
  package func related(
    along steps: [String],
    _ other: EntityDescription
  ) throws(RelatedObjectError) -> Row? {
    let parts = try other.keyExpressions.map { (part) throws(RelatedObjectError) in
      try value(of: .related(steps, part), steps)
    }
    guard let key = ObjectKey(parts: parts, of: other.identity),
      !parts.contains(where: \.isNull)
    else { return nil }
    let values = try other.attributes.map { (attribute) throws(RelatedObjectError) in
      try value(of: .related(steps, .attribute(attribute.name)), steps)
    }
    return Row(entity: other, id: ObjectID(entity: other.name, key: key), values: values)
  }

  /// The rows of the objects of a to-many relationship that the request prefetched, in the order of their keys.
  /// - Throws: `RelatedObjectError` if they were not prefetched.
  package func rows(
    along steps: [String],
    _ other: EntityDescription
  ) throws(RelatedObjectError) -> [Row] {
    guard let index = entity.index(of: PrefetchedObjects.name(of: steps)) else {
      throw notPrefetched(steps)
    }
    let list = values[index].elements ?? []
    let parts = other.keyExpressions.count
    let width = parts + other.attributes.count
    return stride(from: 0, through: list.count - width, by: width).compactMap { start in
      let key = ObjectKey(parts: Array(list[start..<start + parts]), of: other.identity)
      guard let key else { return nil }
      let id = ObjectID(entity: other.name, key: key)
      return Row(entity: other, id: id, values: Array(list[start + parts..<start + width]))
    }
  }

  private func value(
    of path: FetchExpression,
    _ steps: [String]
  ) throws(RelatedObjectError) -> Value {
    guard let index = entity.index(of: path.description) else { throw notPrefetched(steps) }
    return values[index]
  }

  private func notPrefetched(_ steps: [String]) -> RelatedObjectError {
    .notPrefetched(
      path: steps.map(PredicateWord.quoted).joined(separator: "."),
      entity: entity.name
    )
  }
}

/// The names of the values that hold prefetched objects.
///
/// An object at the end of to-one relationships is held as its key and its attributes, each under its path. Objects of a to-many
/// relationship are one list: for each object the parts of its key, then its values.
enum PrefetchedObjects {
  /// The name of the list of a to-many relationship's objects, which no path has.
  static func name(of steps: [String]) -> String {
    steps.map(PredicateWord.quoted).joined(separator: ".") + ".*"
  }
}

extension EntityDescription {
  /// The parts of an object's key, in key order.
  var keyExpressions: [FetchExpression] {
    switch identity {
    case .integer, .text: [.objectKey]
    case .compound(let names): names.map { .attribute($0) }
    }
  }
}
