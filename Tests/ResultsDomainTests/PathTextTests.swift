import ResultsDomain
import ResultsTesting
import Testing

@Suite("The text of paths")
struct PathTextTests {
  private let books = Bookshop.Book.entity
  private let authors = Bookshop.Author.entity

  private func problem(
    _ text: String,
    _ arguments: PredicateArguments = [],
    in entity: EntityDescription? = nil
  ) throws -> PredicateParseError {
    try #require(throws: PredicateParseError.self) {
      try FetchPredicate(parsing: text, arguments: arguments, entity: entity ?? books)
    }
  }

  @Test(
    "a path in normal form is written as it was parsed",
    arguments: [
      "author.name BEGINSWITH 'A'",
      "author.country.name == 'Italy' OR author.nickname == NULL",
      "author.SELF == 3",
      "length(author.name) > 5",
      "author.favorite.price >= 12.50",
      "tags.@count > 3",
      "tags.@count > 0",
      "tags.@count == 0",
      "author.books.@max.year == 1",
      "author.books.@sum.price > 100.00",
      "tags.@min.length(name) == 2",
      "fans.@max.country.name == 'Italy'",
      "fans.@count.nickname == 2",
      "ANY tags.name IN {'a', 'b'}",
      "ALL tags.rank > 2",
      "NONE author.books.title LIKE '*x'",
      "NOT ANY tags.name == 'sf'",
      "ANY fans.name != NULL",
      "SUBQUERY(tags, $x, $x.name == 'sf' AND $x.rank > 2).@count > 0",
      "SUBQUERY(tags, $x, $x.name == 'sf' AND $x.rank > 2).@count == tags.@count",
      "SUBQUERY(tags, $x, $x.rank > 2).@max.name > 'm'",
      "SUBQUERY(fans, $x, $x IN {1, 2} OR $x.country.name == 'Italy').@count > 1",
      "SUBQUERY(fans, $x, SUBQUERY($x.books, $xx, $xx.year > 2 OR $xx.title == 'a').@count > 0).@count > 2",
      "SUBQUERY(fans, $x, ANY $x.books.year > 2 OR $x.books.@count > 4).@count > 0",
      "author.name == author.country.name",
    ]
  )
  func roundTrips(text: String) throws {
    let predicate = try FetchPredicate(parsing: text, entity: books)
    #expect(predicate.text(in: books) == text)
    #expect(predicate.normalized == predicate)
  }

  @Test(
    "R196: a path of more steps than the limit is refused at once",
    arguments: [33, 3000, 100_000]
  )
  func longPaths(steps: Int) throws {
    let path = String(repeating: "author.favorite.", count: steps / 2 + 1) + "title == 'a'"
    let refused = try problem(path)
    #expect(refused.problem == .refused(.tooManyRelationships(inOnePath: true, limit: 32)))
    #expect(refused.message == "A path follows at most 32 relationships. Use a shorter one.")
    let names = (0..<steps).map { $0.isMultiple(of: 2) ? "author" : "favorite" }
    #expect(throws: RequestError.tooManyRelationships(inOnePath: true, limit: 32)) {
      try FetchPredicate.isNull(.related(names, .attribute("title"))).validate(in: books)
    }
  }

  @Test("R196: a path of as many steps as the limit is one")
  func pathAtLimit() throws {
    let path = String(repeating: "author.favorite.", count: 16)
    _ = try FetchPredicate(parsing: path + "title == 'a'", entity: books)
    #expect(
      try problem(path + "author.name == 'a'").problem
        == .refused(.tooManyRelationships(inOnePath: true, limit: 32))
    )
    #expect(
      try problem(path + "tags.@count == 1").problem
        == .refused(.tooManyRelationships(inOnePath: true, limit: 32))
    )
  }

  @Test(
    "alternative spellings of paths are equivalent",
    arguments: [
      ("SOME tags.name == 'a'", "ANY tags.name == 'a'"),
      ("any tags.name = 'a'", "ANY tags.name == 'a'"),
      ("ANY tags.name NOT IN {'a'}", "SUBQUERY(tags, $x, NOT $x.name IN {'a'}).@count > 0"),
      ("SUBQUERY(tags, $t, $t.name == 'a').@count > 0", "ANY tags.name == 'a'"),
      ("SUBQUERY(tags, $t, $t.name == 'a').@count == 0", "NONE tags.name == 'a'"),
      ("ANY tags IN {1, 2}", "SUBQUERY(tags, $x, $x IN {1, 2}).@count > 0"),
      ("ANY tags == 4", "SUBQUERY(tags, $x, $x == 4).@count > 0"),
      ("ANY fans.books.@count > 4", "SUBQUERY(fans, $x, $x.books.@count > 4).@count > 0"),
      ("ANY fans.country.name == 'x'", "SUBQUERY(fans, $x, $x.country.name == 'x').@count > 0"),
      ("`author`.`name` == 'x'", "author.name == 'x'"),
      ("author == nil", "author_id == NULL"),
      ("author != NULL", "author_id != NULL"),
      ("author == 3", "author_id == 3"),
      ("author != 3", "author_id != 3"),
      ("author == 'results:Author/i3'", "author_id == 3"),
      ("author.country == nil", "author.country_id == NULL"),
      ("author IN {3, 4}", "author_id IN {3, 4}"),
      ("author NOT IN {3, results:Author/i4}", "NOT author_id IN {3, 4}"),
      ("rack == ('x', 2)", "shop == 'x' AND number == 2"),
      ("rack != ('x', 2)", "NOT (shop == 'x' AND number == 2)"),
      ("rack == NULL", "shop == NULL OR number == NULL"),
      ("ANY fans.country == 3", "ANY fans.country_id == 3"),
      ("3 == author", "3 == author_id"),
    ]
  )
  func spellings(text: String, plain: String) throws {
    let predicate = try FetchPredicate(parsing: text, entity: books)
    #expect(predicate.text(in: books) == plain)
    #expect(try FetchPredicate(parsing: plain, entity: books) == predicate)
  }

  @Test("placeholders stand for paths, objects and constants in them")
  func placeholders() throws {
    func text(_ text: String, _ arguments: PredicateArgument...) throws -> String {
      try FetchPredicate(parsing: text, arguments: PredicateArguments(arguments), entity: books)
        .text(in: books)
    }
    #expect(try text("%K == %@", .attribute("author.name"), "x") == "author.name == 'x'")
    #expect(try text("%K > %d", .attribute("tags.@count"), 3) == "tags.@count > 3")
    #expect(try text("author.%K == %@", .attribute("name"), "x") == "author.name == 'x'")
    #expect(try text("author == %@", nil) == "author_id == NULL")
    #expect(try text("author == %@", 3) == "author_id == 3")
    let set = IdentitySet(keys: [.integer(5)])
    #expect(try text("author == %@", .identities(set)) == "author_id == 5")
    #expect(try text("author IN %@", .identities(set)) == "author_id == 5")
    #expect(
      try text("SUBQUERY(tags, $t, $t.name == %@ AND $t.rank > %d).@count > %d", "a", 2, 3)
        == "SUBQUERY(tags, $x, $x.name == 'a' AND $x.rank > 2).@count > 3"
    )
  }

  @Test("names that need quotes are written between backticks, in paths too")
  func quotedNames() throws {
    let house = try EntityDescription(
      name: "House",
      attributes: [
        AttributeDescription("street name", .text), AttributeDescription("all", .integer64),
        AttributeDescription("a.b", .integer64), AttributeDescription("in", .integer64),
        AttributeDescription("any", .integer64),
      ]
    )
    let person = try EntityDescription(
      name: "Person",
      attributes: [AttributeDescription("house", .integer64, isOptional: true)],
      relationships: [
        RelationshipDescription("home.now", .toOne(foreignKey: ["house"])) { house }
      ]
    )
    for text in ["`home.now`.`street name` == 'x'", "`home.now`.`in` > 3", "`home.now`.all == 1"] {
      #expect(try FetchPredicate(parsing: text, entity: person).text(in: person) == text)
    }
    for text in ["`a.b` == 1", "all == 1 OR any IN {2, 3}", "any BETWEEN {1, 2}"] {
      #expect(try FetchPredicate(parsing: text, entity: house).text(in: house) == text)
    }
    #expect(try FetchExpression(path: "a.b", in: house) == .attribute("a.b"))
    #expect(try FetchExpression(path: "street name", in: house) == .attribute("street name"))
    #expect(
      try FetchExpression(path: "`home.now`.`street name`", in: person)
        == .related(["home.now"], .attribute("street name"))
    )
    #expect(
      try FetchExpression(path: "tags.@count", in: books)
        == .relatedAggregate(["tags"], .count, nil, where: .all)
    )
    #expect(throws: PredicateParseError.self) { try FetchExpression(path: "author.", in: books) }
    #expect(throws: PredicateParseError.self) {
      try FetchExpression(path: "author.name x", in: books)
    }
  }

  @Test("a misspelt step is refused at its column, with the nearest name of that entity")
  func misspelled() throws {
    let step = try problem("year > 3 AND auther.name == 'x'")
    #expect(step.column == 14)
    #expect(step.message == "Book has no relationship named auther. Did you mean author?")
    let last = try problem("author.nmae == 'x'")
    #expect(last.column == 8)
    #expect(last.message == "Author has no attribute named nmae.")
    #expect(last.remedy == "Did you mean name?")
    let element = try problem("ANY tags.nane == 'x'")
    #expect(element.column == 10)
    #expect(element.message == "Tag has no attribute named nane.")
    let inner = try problem("SUBQUERY(tags, $t, $t.rnak > 2).@count > 0")
    #expect(inner.column == 23)
    #expect(inner.remedy == "Did you mean rank?")
    #expect(try problem("autor == 3").remedy == "Did you mean author?")
  }

  @Test(
    "what has many values, or none, is refused with what to write instead",
    arguments: [
      ("tags.name == 'x'", "tags.@count"), ("tags == 3", "ANY"),
      ("author.books.year > 1", "@max"), ("ANY author.name == 'x'", "to-one"),
      ("author.@count > 1", "to-one"), ("tags.books.@count > 1", "SUBQUERY(tags, $x"),
      ("tags.@avg.rank > 1", "@sum"), ("tags.@max > 1", "attribute to aggregate"),
      ("tags.@sum.name > 1", "sum"), ("ANY tags.name == title", "SUBQUERY"),
      ("ANY tags.name == title", "constant"),
      ("SUBQUERY(tags, $t, name == 'x').@count > 0", "$t.name"),
      ("SUBQUERY(tags, $t, $u.name == 'x').@count > 0", "Expected $t"),
      ("SUBQUERY(tags, $t, SELF == 3).@count > 0", "$t"),
      ("SUBQUERY(tags, $t, $t.name == 'x') > 0", "Expected ."),
      ("SUBQUERY(author, $t, $t.name == 'x').@count > 0", "to-one"),
      ("$t.name == 'x'", "inside SUBQUERY"), ("author > 3", "author.name"),
      ("author CONTAINS 'x'", "author.name"), ("rack == 3", "parts"),
      ("author == 'x'", "for its name write author.name"), ("author. == 'x'", "a name"),
      ("ANY tags.books.title == 'x'", "SUBQUERY(tags, $x, ANY $x.books.title == …).@count > 0"),
      ("NONE tags.books.title == 'x'", "SUBQUERY(tags, $x, ANY $x.books.title == …).@count == 0"),
      ("ALL author.books.tags.name == 'x'", "$x.tags.name == …).@count == author.books.@count"),
      ("author.name", "a comparison"), ("length(rack) > 1", "an attribute of it"),
    ]
  )
  func refusals(text: String, part: String) throws {
    let error = try problem(text)
    #expect(error.description.contains(part), "\(error)")
  }

  @Test(
    "random predicates with paths are parsed back unchanged",
    arguments: 1...40 as ClosedRange<UInt64>
  )
  func randomPaths(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let predicate = generator.relatedPredicate(over: books, depth: 3).normalized
      try predicate.validate(in: books)
      let text = predicate.text(in: books)
      let parsed = try FetchPredicate(parsing: text, entity: books)
      #expect(parsed == predicate, "seed \(seed): \(text)")
      #expect(predicate.normalized == predicate, "seed \(seed): \(text)")
    }
  }
}

extension SeededGenerator {
  /// A random path to one value, with a type of constants that it compares with.
  private mutating func path(
    over entity: EntityDescription,
    depth: Int
  ) -> (FetchExpression, AttributeType) {
    let attribute = pick(entity.attributes)
    let toOne = entity.relationships.filter(\.isToOne)
    let toMany = entity.relationships.filter { !$0.isToOne }
    switch below(5) {
    case 0 where !toOne.isEmpty && depth > 0:
      let step = pick(toOne)
      let (inner, type) = path(over: step.destination, depth: depth - 1)
      switch inner {
      case .attribute, .objectKey: return (.related([step.name], inner), type)
      case .related(let steps, let inner): return (.related([step.name] + steps, inner), type)
      case .relatedAggregate(let steps, let function, let inner, let predicate):
        return (.relatedAggregate([step.name] + steps, function, inner, where: predicate), type)
      default: return (.attribute(attribute.name), attribute.type)
      }
    case 1 where !toMany.isEmpty && depth > 0:
      let step = pick(toMany)
      let condition =
        below(2) == 0 ? .all : relatedPredicate(over: step.destination, depth: depth - 1)
      if below(2) == 0 {
        return (.relatedAggregate([step.name], .count, nil, where: condition), .integer64)
      }
      let (inner, type) = path(over: step.destination, depth: depth - 1)
      return (
        .relatedAggregate([step.name], pick([.minimum, .maximum]), inner, where: condition), type
      )
    case 2 where entity.keyTypes == [.integer64]: return (.objectKey, .integer64)
    default: return (.attribute(attribute.name), attribute.type)
    }
  }

  /// A random valid predicate over an entity with relationships.
  mutating func relatedPredicate(over entity: EntityDescription, depth: Int) -> FetchPredicate {
    let toMany = entity.relationships.filter { !$0.isToOne }
    if depth > 0, below(3) == 0 {
      let parts = (0..<2).map { _ in relatedPredicate(over: entity, depth: depth - 1) }
      return pick([.not(parts[0]), .and(parts), .or(parts)])
    }
    if depth > 0, below(3) == 0, !toMany.isEmpty {
      let step = pick(toMany)
      let inner = relatedPredicate(over: step.destination, depth: depth - 1)
      return .quantified(pick(Quantifier.allCases), [step.name], inner)
    }
    let (expression, type) = path(over: entity, depth: depth)
    let attribute = AttributeDescription("x", type)
    switch below(5) {
    case 0: return .isNull(expression)
    case 1: return .membership(expression, [value(attribute), value(attribute)])
    case 2 where type == .text:
      let comparison = pick(TextOperator.allCases)
      return .text(
        expression,
        comparison,
        pick(comparison == .matches ? Self.patterns : Self.texts),
        caseInsensitive: below(2) == 0
      )
    case 3: return .between(expression, value(attribute), value(attribute))
    default:
      return .comparison(expression, pick(ComparisonOperator.allCases), .literal(value(attribute)))
    }
  }
}
