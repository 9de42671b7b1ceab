package import ResultsDomain
package import ResultsStoreKit

/// A random union over two random entities and the books of a library, with what its rows are by the words of its definition alone.
///
/// The rows are made from those of the branches' entities, one by one and without keys, orders or histories.
package struct DrawnUnion {
  /// A branch with the naive truth of its condition.
  private struct Branch {
    let name: String
    let entity: EntityDescription
    let condition: FetchPredicate
    /// The values of the shared attributes; the name of the author is a path.
    let values: [(name: String, value: FetchExpression)]
  }

  /// The entities whose rows are written.
  package let entities: [EntityDescription]
  package let union: UnionDescription
  private let branches: [Branch]

  /// The random entities of the branches `one`, `again` and `two`.
  package static func entities(
    _ workload: inout RandomStoreWorkload
  ) throws -> [EntityDescription] {
    var drawn: [EntityDescription] = []
    while drawn.count < 2 {
      let entity = try workload.entity(named: drawn.isEmpty ? "One" : "Two")
      // A real cannot share a column with keys of another class, nor can a date there be compared with numbers.
      if !entity.keyTypes.contains(.real), !entity.keyTypes.contains(.date) { drawn.append(entity) }
    }
    return drawn + Library.entities
  }

  /// Draws a union over some entities.
  package init(_ entities: [EntityDescription], _ workload: inout RandomStoreWorkload) throws {
    self.entities = entities
    let (one, two) = (entities[0], entities[1])
    var branches = [
      Branch(
        name: "one",
        entity: one,
        condition: workload.generator.choice(.all, workload.predicate(for: one)),
        values: DrawnUnion.values(of: one, &workload)
          + [("first", .attribute(one.attributes[0].name))]
      ),
      Branch(
        name: "two",
        entity: two,
        condition: workload.generator.choice(.all, workload.predicate(for: two)),
        values: DrawnUnion.values(of: two, &workload)
      ),
      Branch(
        name: "book",
        entity: Library.bookEntity,
        condition: workload.generator.choice(
          .all,
          .comparison(authorName, .notEqual, .literal(.text("B"))),
          .comparison(.attribute("year"), .greater, .literal(.integer(1)))
        ),
        values: [
          ("text", workload.generator.choice(.attribute("title"), authorName)),
          ("number", .attribute("year")),
        ]
      ),
    ]
    if workload.generator.happens(percent: 50) {
      // The same objects in two branches are two rows each.
      branches.append(
        Branch(
          name: "again",
          entity: one,
          condition: workload.predicate(for: one),
          values: DrawnUnion.values(of: one, &workload)
        )
      )
    }
    if workload.generator.happens(percent: 20) { branches.remove(at: 2) }
    self.branches = branches
    union = try UnionDescription(
      "Union",
      branches: branches.map { branch in
        UnionBranch(
          branch.name,
          entity: branch.entity,
          where: branch.condition,
          attributes: branch.values.map { UnionAttribute($0.name, $0.value) }
        )
      },
      includesObjects: workload.generator.happens(percent: 30)
    )
  }

  /// Some values of a random entity under names that the branches share.
  private static func values(
    of entity: EntityDescription,
    _ workload: inout RandomStoreWorkload
  ) -> [(name: String, value: FetchExpression)] {
    var values: [(name: String, value: FetchExpression)] = []
    func attribute(_ storage: StorageClass, _ types: [AttributeType]) -> FetchExpression? {
      let fitting = entity.attributes.filter { types.contains($0.type) }
      return workload.generator.element(of: fitting).map { .attribute($0.name) }
    }
    let text = attribute(.text, [.text])
    switch (text, workload.generator.number(in: 0...4)) {
    case (let text?, 0): values.append(("text", .prefix(text, length: 1)))
    case (_, 1): values.append(("text", .literal(.text("a"))))
    case (_, 2): break
    case (let text?, _): values.append(("text", text))
    case (nil, _): break
    }
    let number = attribute(.integer, [.integer16, .integer32, .integer64])
    switch (number, workload.generator.number(in: 0...4)) {
    case (let number?, 0): values.append(("number", .ifNull(number, .integer(3))))
    case (_, 1): values.append(("number", .literal(.integer(1))))
    case (_, 2): if let text { values.append(("number", .length(text))) }
    case (let number?, _): values.append(("number", number))
    case (nil, _): break
    }
    // The same value twice, so that the order of a branch has it once.
    if let number, workload.generator.happens(percent: 30) { values.append(("other", number)) }
    if let real = attribute(.real, [.real]) { values.append(("real", real)) }
    return values
  }
}

private let authorName = FetchExpression.related(["author"], .attribute("name"))

extension DrawnUnion {
  /// The rows of the union, in no particular order, by those of the branches' entities.
  package func rows(in store: any Store) throws -> [Row] {
    try branches.flatMap { branch -> [Row] in
      let authors = try store.rows(of: Library.authors)
      return try store.rows(of: branch.entity).compactMap { object in
        row(of: object, in: branch, authors)
      }
    }
  }

  private func row(of object: Row, in branch: Branch, _ authors: [Row]) -> Row? {
    var authorName = Value.null
    if branch.entity == Library.bookEntity {
      authorName = authors.first { $0.id.key.parts == [object["authorID"]] }?["name"] ?? .null
    }
    func value(_ expression: FetchExpression) -> Value {
      if case .related = expression { authorName } else { expression.evaluate(object) }
    }
    switch branch.condition {
    case .comparison(.related, _, .literal(let other)):
      guard !authorName.isNull, authorName != other else { return nil }
    default: guard branch.condition.holds(for: object) else { return nil }
    }
    let isObject = branch.name + "."
    var parts = object.id.key.parts
    let values = union.entity.attributes.map { attribute -> Value in
      if attribute.name == "kind" { return .text(branch.name) }
      if attribute.name == "key" || attribute.name == "key2" {
        return parts.isEmpty ? "" : parts.removeFirst()
      }
      if let shared = branch.values.first(where: { $0.name == attribute.name }) {
        return value(shared.value)
      }
      guard attribute.name.hasPrefix(isObject) else { return .null }
      return object[String(attribute.name.dropFirst(isObject.count))]
    }
    let names = union.entity.identity.columns
    let key = names.map { name in union.entity.index(of: name).map { values[$0] } ?? .null }
    return Row(
      entity: union.entity,
      id: ObjectID(entity: "Union", key: .compound(key)),
      values: values
    )
  }
}

extension Store {
  /// All rows of an entity.
  fileprivate func rows(of entity: EntityDescription) throws -> [Row] {
    let name = entity.identity.columns[0]
    let request = FetchRequest<Row>(entity: entity, sortedBy: [.ascending(name)])
    return try fetch(request)
  }
}
