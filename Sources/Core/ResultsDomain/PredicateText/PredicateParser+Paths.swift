// Paths: dotted names, aggregates such as `tags.@count`, quantifiers and SUBQUERY.

/// What names in a part of the text belong to.
struct PredicateScope {
  /// The entity whose attributes and relationships are named.
  var entity: EntityDescription
  /// The variable of the enclosing SUBQUERY, with which every name must begin.
  var variable: String?
  /// Whether the part is the condition of a quantifier, whose right side is a constant.
  var isQuantified = false
}

/// A relationship to one object, as one side of a comparison.
struct WrittenObject {
  /// The whole path, for messages.
  let text: String
  let entity: EntityDescription
  /// The values of the foreign key.
  let columns: [FetchExpression]
}

/// A name between two dots.
private struct PathName {
  let text: String
  let start: Int
  /// Whether it is the word `SELF`, and not a quoted name.
  let isKey: Bool
}

// MARK: - Values

extension PredicateParser {
  /// Whether the current token begins a dotted name; a word must not be a keyword.
  var beginsName: Bool {
    switch token.kind {
    case .word: !PredicateWord.reserved.contains(token.keyword) && token.keyword != "MATCHES"
    case .quotedName, .placeholder("%K"): true
    case .variable: argumentName == nil
    default: false
    }
  }

  /// Parses a dotted name of one value, or of one object.
  mutating func path() throws(PredicateParseError) -> Operand {
    if case .placeholder("%K") = token.kind, let operand = try namedOperand() { return operand }
    let start = token.start
    let names = try pathNames()
    return try value(names, in: entity, at: start)
  }

  /// Parses a text that names one value, to its end.
  mutating func wholeExpression() throws(PredicateParseError) -> FetchExpression {
    let operand = try wholeOperand()
    return try expression(operand, at: 0)
  }

  /// Parses a text that names a property of rows, to its end.
  mutating func wholeProperty() throws(PredicateParseError) -> PropertyName {
    if let values = try values() { return values }
    return .value(try wholeExpression())
  }

  /// Parses a path to an attribute of the objects of a to-many relationship, to the end; `nil` for anything else.
  private mutating func values() throws(PredicateParseError) -> PropertyName? {
    guard beginsName else { return nil }
    var rest = self
    guard let names = try? rest.pathNames(), rest.token.kind == .end, let last = names.last else {
      return nil
    }
    let path = names.dropLast()
    guard !path.isEmpty,
      let relationship = entity.destination(along: path.dropLast().map(\.text))?
        .relationship(named: path[path.count - 1].text), !relationship.isToOne
    else { return nil }
    let elements = try many(Array(path), in: entity)
    self = rest
    if last.isKey { return .values(elements.steps, .objectKey) }
    let name = try attribute(last.text, of: elements.elements, at: last.start)
    return .values(elements.steps, name)
  }

  private mutating func wholeOperand() throws(PredicateParseError) -> Operand {
    let operand = try operand()
    guard token.kind == .end else { throw unexpected("the end") }
    return operand
  }

  /// The operand that an argument for `%K` names, unless it is a single name.
  private mutating func namedOperand() throws(PredicateParseError) -> Operand? {
    let start = token.start
    guard let text = arguments.upcoming.flatMap(PredicateParser.name),
      entity.index(of: text) == nil, text.utf8.contains(UInt8(ascii: "."))
    else { return nil }
    _ = try nextArgument("%K")
    let operand: Operand
    do {
      var inner = try PredicateParser(text, [], entity, transients)
      operand = try inner.wholeOperand()
    } catch {
      throw self.error(error.problem, at: start)
    }
    try advance()
    return operand
  }

  private static func name(_ argument: PredicateArgument) -> String? {
    switch argument {
    case .attribute(let name), .value(.text(let name)): name
    default: nil
    }
  }

  /// Parses names between dots, up to an aggregate.
  private mutating func pathNames() throws(PredicateParseError) -> [PathName] {
    var names: [PathName] = []
    if case .variable(let name) = token.kind {
      guard name == scope.variable else {
        guard arguments.value(of: name) == nil else { throw unexpected("a name") }
        guard let variable = scope.variable, arguments.variables.isEmpty else {
          throw missingVariable(name)
        }
        throw unexpected("$" + variable)
      }
      let start = token.start
      try advance()
      guard token.kind == .symbol("."), !aggregateFollows else {
        return [PathName(text: "$" + name, start: start, isKey: true)]
      }
      try advance()
    } else if let variable = scope.variable {
      throw error(
        .unsupported("\(token.found) inside SUBQUERY", instead: "$\(variable).\(token.found)"),
        at: token.start
      )
    }
    names.append(try pathName())
    while token.kind == .symbol("."), !aggregateFollows {
      try advance()
      let limit = EntityDescription.pathLimit
      guard names.count <= limit else {
        throw error(.refused(.tooManyRelationships(inOnePath: true, limit: limit)), at: token.start)
      }
      names.append(try pathName())
    }
    return names
  }

  private mutating func pathName() throws(PredicateParseError) -> PathName {
    let start = token.start
    var isKey = false
    let text: String
    switch token.kind {
    case .word(let word):
      isKey = token.keyword == "SELF"
      guard isKey || !PredicateWord.reserved.contains(token.keyword) else {
        throw unexpected("a name")
      }
      text = word
    case .quotedName(let name): text = name
    case .placeholder("%K"):
      let argument = try nextArgument("%K")
      guard let name = PredicateParser.name(argument) else {
        throw wrong("%K", "an attribute's name", argument, at: start)
      }
      text = name
    default: throw unexpected("a name")
    }
    try advance()
    return PathName(text: text, start: start, isKey: isKey)
  }

  /// Whether an aggregate follows the dot that is the current token.
  private var aggregateFollows: Bool {
    var rest = lexer
    guard let next = try? rest.next() else { return false }
    if case .aggregate = next.kind { return true }
    return false
  }

  /// The value of a dotted name of an entity, with an aggregate if one follows.
  private mutating func value(
    _ names: [PathName],
    in entity: EntityDescription,
    at start: Int
  ) throws(PredicateParseError) -> Operand {
    if token.kind == .symbol(".") {
      let path = try many(names, in: entity)
      return .expression(try aggregate(path.steps, path.elements, where: .all, at: start))
    }
    guard let last = names.last else { return .expression(.objectKey) }
    var steps: [String] = []
    var owner = entity
    for name in names.dropLast() {
      owner = try one(name, of: owner, names).destination
      steps.append(name.text)
    }
    func related(_ value: FetchExpression) -> FetchExpression {
      steps.isEmpty ? value : .related(steps, value)
    }
    if last.isKey { return .expression(related(.objectKey)) }
    if owner.index(of: last.text) == nil, owner.relationship(named: last.text) != nil {
      let relationship = try one(last, of: owner, names)
      let columns = relationship.foreignKey ?? []
      return .object(
        WrittenObject(
          text: PredicateParser.text(names),
          entity: relationship.destination,
          columns: columns.map { related(owner.expression(ofColumn: $0) ?? .attribute($0)) }
        )
      )
    }
    return .expression(related(try attribute(last.text, of: owner, at: last.start)))
  }

  /// The to-one relationship of a name.
  private func one(
    _ name: PathName,
    of entity: EntityDescription,
    _ names: [PathName]
  ) throws(PredicateParseError) -> RelationshipDescription {
    let relationship = try relationship(name, of: entity)
    guard relationship.isToOne else {
      throw error(
        .refused(
          .pathThroughMany(
            PredicateParser.text(names),
            relationship: name.text,
            isGathered: false
          )
        ),
        at: name.start
      )
    }
    return relationship
  }

  private func relationship(
    _ name: PathName,
    of entity: EntityDescription
  ) throws(PredicateParseError) -> RelationshipDescription {
    if let relationship = entity.relationship(named: name.text) { return relationship }
    throw error(
      .refused(
        .unknownRelationship(
          PredicateToken.short(name.text),
          entity: entity.name,
          known: entity.relationships.map(\.name)
        )
      ),
      at: name.start
    )
  }

  private static func text(_ names: [PathName]) -> String {
    names.map { PredicateWord.quoted($0.text) }.joined(separator: ".")
  }

  /// The relationships of names, of which the last is to-many, and the entity of its elements.
  private func many(
    _ names: [PathName],
    in entity: EntityDescription
  ) throws(PredicateParseError) -> (steps: [String], elements: EntityDescription) {
    var owner = entity
    for name in names { owner = try relationship(name, of: owner).destination }
    let steps = names.map(\.text)
    do {
      _ = try entity.relationships(
        along: steps,
        endsToMany: true,
        in: PredicateParser.text(names)
      )
    } catch {
      throw self.error(.refused(error), at: names.first?.start ?? token.start)
    }
    return (steps, owner)
  }
}

// MARK: - Elements

extension PredicateParser {
  /// Parses a dot, an aggregate, and what is aggregated.
  private mutating func aggregate(
    _ steps: [String],
    _ elements: EntityDescription,
    where predicate: FetchPredicate,
    at start: Int
  ) throws(PredicateParseError) -> FetchExpression {
    try expect(".")
    guard case .aggregate(let word) = token.kind else { throw unexpected("@count") }
    guard let function = FetchAggregate.Function.allCases.first(where: { $0.word == word }) else {
      throw error(
        .unsupported("@" + PredicateToken.short(word), instead: "@count, @sum, @min or @max"),
        at: token.start
      )
    }
    try advance()
    var value: FetchExpression?
    if token.kind == .symbol(".") {
      try advance()
      value = try within(PredicateScope(entity: elements)) {
        (parser) throws(PredicateParseError) in
        let start = parser.token.start
        let operand = try parser.operand()
        return try parser.expression(operand, at: start)
      }
    } else if function != .count {
      throw unexpected(". and the attribute to aggregate, as in @\(word).year")
    }
    let made = FetchExpression.relatedAggregate(steps, function, value, where: predicate)
    do {
      _ = try made.comparableStorage(in: entity)
    } catch {
      throw self.error(.refused(error), at: start)
    }
    return made
  }

  /// Parses the elements of a to-many relationship for which a predicate is true, and their aggregate.
  mutating func subquery(at start: Int) throws(PredicateParseError) -> FetchExpression {
    try enter()
    defer { leave() }
    try expect("(")
    let path = try many(try pathNames(), in: entity)
    try expect(",")
    guard case .variable(let variable) = token.kind else {
      throw unexpected("a variable such as $x")
    }
    try advance()
    try expect(",")
    let scope = PredicateScope(entity: path.elements, variable: variable)
    let predicate = try within(scope) { (parser) throws(PredicateParseError) in
      try parser.disjunction()
    }
    try expect(")")
    return try aggregate(path.steps, path.elements, where: predicate, at: start)
  }

  /// Parses a condition after `ANY`, `SOME`, `ALL` or `NONE`; `nil` if the word is a name.
  mutating func quantified() throws(PredicateParseError) -> FetchPredicate? {
    let word = token.keyword == "SOME" ? "ANY" : token.keyword
    guard let quantifier = Quantifier(rawValue: word) else { return nil }
    var rest = self
    try rest.advance()
    guard rest.beginsName else { return nil }
    self = rest
    let start = token.start
    let names = try pathNames()
    var owner = entity
    var count = 0
    var isMany = false
    while !isMany, count < names.count {
      if count == names.count - 1, names[count].isKey || owner.index(of: names[count].text) != nil {
        break
      }
      let relationship = try self.relationship(names[count], of: owner)
      owner = relationship.destination
      isMany = !relationship.isToOne
      count += 1
    }
    guard isMany else {
      let last = names[max(0, count - 1)]
      throw error(
        .refused(.pathWithoutMany(PredicateParser.text(names), relationship: last.text)),
        at: last.start
      )
    }
    let steps = names.prefix(count).map(\.text)
    let element = Array(names.dropFirst(count))
    try refuseSecondMany(quantifier, names.prefix(count), element, of: owner)
    let scope = PredicateScope(entity: owner, isQuantified: true)
    let condition = try within(scope) { (parser) throws(PredicateParseError) in
      let left = try parser.value(element, in: owner, at: start)
      return try parser.comparison(left, from: start)
    }
    return .quantified(quantifier, steps, condition)
  }

  /// Refuses a quantified path with a second to-many relationship, for which the word does not say how many must satisfy the condition.
  private func refuseSecondMany(
    _ quantifier: Quantifier,
    _ steps: ArraySlice<PathName>,
    _ element: [PathName],
    of entity: EntityDescription
  ) throws(PredicateParseError) {
    guard token.kind != .symbol(".") else { return }
    var owner = entity
    for name in element.dropLast() {
      guard let relationship = owner.relationship(named: name.text) else { return }
      guard relationship.isToOne else {
        let outer = PredicateParser.text(Array(steps))
        let inner = PredicateParser.text(element)
        let instead =
          switch quantifier {
          case .any: "SUBQUERY(\(outer), $x, ANY $x.\(inner) == …).@count > 0"
          case .none: "SUBQUERY(\(outer), $x, ANY $x.\(inner) == …).@count == 0"
          case .all: "SUBQUERY(\(outer), $x, ALL $x.\(inner) == …).@count == \(outer).@count"
          }
        let many = "\(steps.last?.text ?? "") and \(name.text)"
        throw error(
          .unsupported(
            "\(quantifier.rawValue) over two to-many relationships (\(many))",
            instead: instead
          ),
          at: name.start
        )
      }
      owner = relationship.destination
    }
  }

  /// Parses a part of the text in which names belong to something else.
  mutating func within<Part>(
    _ inner: PredicateScope,
    _ parse: (inout Self) throws(PredicateParseError) -> Part
  ) throws(PredicateParseError) -> Part {
    let outer = scope
    scope = inner
    defer { scope = outer }
    return try parse(&self)
  }
}

// MARK: - Objects

extension PredicateParser {
  /// Parses the comparison of a to-one relationship with an object, a list of objects or `NULL`, by the foreign key alone.
  mutating func comparison(of object: WrittenObject) throws(PredicateParseError) -> FetchPredicate {
    if token.keyword == "IN" {
      try advance()
      let set = try keys(of: object) { (parser) throws(PredicateParseError) in
        try parser.membership(.objectKey)
      }
      guard case .identity(let identities) = set else { return set }
      return object.isOne(of: Array(identities.keys))
    }
    let isEqual: Bool
    switch token.kind {
    case .symbol("=="): isEqual = true
    case .symbol("!="): isEqual = false
    default:
      throw error(
        .unsupported(
          "\(token.found) after the object \(object.text)",
          instead: "==, != or IN, or an attribute such as \(object.text)."
            + (object.entity.attributes.first?.name ?? "SELF")
        ),
        at: token.start
      )
    }
    try advance()
    let start = token.start
    var key: ObjectKey?
    if token.keyword == "NULL" || token.keyword == "NIL" {
      try advance()
    } else if let placeholder = argumentName, case .value(.null)? = upcomingArgument {
      _ = try nextArgument(placeholder)
      try advance()
    } else {
      key = try keys(of: object) { (parser) throws(PredicateParseError) in
        if case .identity(let set)? = try parser.identity(.equal) { return set.keys.first }
        return try parser.key(try parser.constant(), at: start)
      }
    }
    guard let key else {
      let null = FetchPredicate.disjunction(object.columns.map { .isNull($0) })
      return isEqual ? null : .not(null)
    }
    if object.columns.count == 1, !isEqual, key.parts.count == 1 {
      return .comparison(object.columns[0], .notEqual, .literal(key.parts[0]))
    }
    let named = object.isOne(of: [key])
    return isEqual ? named : .not(named)
  }
}

extension PredicateParser {
  /// Parses keys of the entity of an object; a value of another kind probably means one of the object's attributes.
  private mutating func keys<Keys>(
    of object: WrittenObject,
    _ parse: (inout Self) throws(PredicateParseError) -> Keys
  ) throws(PredicateParseError) -> Keys {
    do {
      return try within(PredicateScope(entity: object.entity), parse)
    } catch {
      guard case .mixedKinds(_, let constant) = error.problem,
        let name = object.entity.attributes.first?.name
      else { throw error }
      throw PredicateParseError(
        problem: .invalidConstant(
          constant,
          reason:
            "is not a key of \(object.entity.name); for its \(name) write \(object.text).\(name)"
        ),
        column: error.column,
        text: error.text
      )
    }
  }
}

extension WrittenObject {
  /// Whether the foreign key is one of some keys.
  fileprivate func isOne(of keys: [ObjectKey]) -> FetchPredicate {
    if columns.count == 1 {
      let values = keys.flatMap(\.parts)
      guard values.count == 1 else { return .membership(columns[0], values).normalized }
      return .comparison(columns[0], .equal, .literal(values[0]))
    }
    return .disjunction(
      keys.map { key in
        .conjunction(zip(columns, key.parts).map { .comparison($0, .equal, .literal($1)) })
      }
    )
  }
}

// MARK: - Names from outside

extension FetchExpression {
  /// Parses the name of a value: an attribute, or a path such as `author.name`, `tags.@count` or `books.@max.year`.
  ///
  /// An attribute's own name needs no quotes; in a path, a name with other characters than letters, digits and `_` is written
  /// between backticks. Functions are allowed, as in predicates.
  /// - Parameters:
  ///   - text: The name.
  ///   - entity: The entity that it belongs to.
  ///   - transients: The names of its computed attributes, for a clearer error.
  /// - Throws: `PredicateParseError` for the first error.
  /// - Complexity: O(*n*) in the text.
  public init(
    path text: String,
    in entity: EntityDescription,
    transients: [String] = []
  ) throws(PredicateParseError) {
    guard entity.index(of: text) == nil else {
      self = .attribute(text)
      return
    }
    var parser = try PredicateParser(text, [], entity, transients)
    self = try parser.wholeExpression()
  }
}

/// What a property of rows is named after: one value, or the values of the objects of a to-many relationship.
package enum PropertyName {
  case value(FetchExpression)
  case values([String], FetchExpression)

  /// Parses a name such as `title`, `author.name`, `tags.@count` or `tags.name`.
  /// - Throws: `PredicateParseError` for the first error.
  package init(parsing text: String, in entity: EntityDescription) throws(PredicateParseError) {
    var parser = try PredicateParser(text, [], entity, [])
    self = try parser.wholeProperty()
  }
}
