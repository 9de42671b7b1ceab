/// An error in a request, found before a store executes it.
public enum RequestError: Error, Hashable, Sendable {
  /// A list without an order.
  case missingOrder(entity: String)
  /// A name that is not a stored attribute of the entity.
  case unknownAttribute(String, entity: String, known: [String])
  /// `SELF` as a single value in an entity with a compound key.
  case compoundKey(entity: String)
  /// A bucket width that is not positive.
  case invalidBucket(Int64)
  /// Expressions of different storage classes that are compared or combined.
  case mixedStorage(String)
  /// An expression that is always null.
  case alwaysNull(String)
  /// A negative limit or offset.
  case negativeWindow(limit: Int?, offset: Int)
  /// A transient section key whose source attribute is not the first sort descriptor; `rows` are two of one section that would not be
  /// adjacent, empty if the store has none at present, and `nil` if that is not known.
  case transientSectionNotFirst(source: String, first: String?, rows: [ObjectID]?)
  /// Rows of one section that are not adjacent, with a policy that refuses them.
  case sectionNotContiguous(id: Value, first: ObjectID, second: ObjectID)
  /// Two rows with the same identity in one result.
  case duplicateIdentity(ObjectID, first: Int, second: Int)
  /// Identities of another entity in a fixed set.
  case foreignIdentity(ObjectID, entity: String)
  /// A sum of dates, texts or blobs.
  case notSummable(String, type: AttributeType)
  /// Two aggregates with the same name.
  case duplicateAggregate(String)
  /// An aggregate that the definition does not declare.
  case unknownAggregate(String, known: [String])
  /// Running values of an aggregate in a list whose sections are not in the order of its rows (R285).
  case runningValuesOfArrangedSections(String)
  /// Running values of an aggregate over an attribute that the list does not fetch, whose changes no delta would report.
  case runningValuesOfOthers(String, attribute: String)
  /// A step of a path that is not a relationship of the entity.
  case unknownRelationship(String, entity: String, known: [String])
  /// A path through a to-many relationship where one object is needed; `isGathered` if the path may end with one.
  case pathThroughMany(String, relationship: String, isGathered: Bool)
  /// A quantifier or an aggregate over a path that ends with a to-one relationship.
  case pathWithoutMany(String, relationship: String)
  /// A path that does not end with an attribute or a key, or an aggregate without a value.
  case invalidPath(String)
  /// A path of more relationships than a path may follow, or paths that follow more than the store can join.
  case tooManyRelationships(inOnePath: Bool, limit: Int)
  /// A regular expression that is not valid.
  case invalidPattern(String, reason: String)
  /// An order by an attribute whose stored form does not sort like its values.
  case unorderedForm(String, remedy: String)
  /// An equality of an attribute whose stored form has several texts for one value.
  case ambiguousForm(String, remedy: String)
  /// Objects to be linked by a relationship that is not a declared many-to-many one.
  case withoutLinks(String, entity: String)
  /// A relationship whose foreign key does not fit the key that it names.
  case mismatchedRelationship(String, entity: String)
  /// A rank that is no integer which the store may write, and what it is.
  case invalidRank(String, entity: String, found: String)
  /// A group of rows with as many rows as there are ranks.
  case exhaustedRanks(String, entity: String, rows: Int)
  /// A limit of rows below zero, of one section or, without a name, of every section.
  case negativeSectionLimit(Int, section: String?)
  /// Two fixed sections with the same id.
  case duplicateFixedSection(Value)
  /// Fixed sections of a list whose sections are not the values of its section key.
  case fixedSectionsWithoutKey
  /// A fixed section whose id is of another type than the section key.
  case mismatchedFixedSection(Value)
  /// Sections that are objects whose key has several parts.
  case sectionsOfCompoundKey(String, entity: String)
  /// A limit or an offset of a list whose sections are objects.
  case windowOfObjectSections
  /// Fixed or hidden sections of a list whose sections are objects.
  case fixedObjectSections
  /// A date that follows the clock where nothing follows it: in a fetch, in a count, or in a condition on related objects.
  case relativeDate(String)
  /// A date that follows the clock, compared by `==` or `!=`.
  case equalRelativeDate(String)
  /// A definition that follows the clock, without a clock to follow.
  case missingWallClock
  /// Groups of a list without sections.
  case groupsWithoutSections
  /// Sections of one group that others separate.
  case groupNotContiguous(id: Value, first: String, second: String)
  /// Groups by an expression where the sections have an order that it cannot come before.
  case groupsBeforeSections(String)
}

extension RequestError: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .missingOrder(let entity):
      "The request for \(entity) has no sort descriptor. A live list needs an order: add at least one."
    case .unknownAttribute(let name, let entity, let known):
      "\(entity) has no stored attribute named \(name). It has \(known.joined(separator: ", "))."
    case .compoundKey(let entity):
      "The key of \(entity) has several parts. Compare or sort by its attributes instead of SELF."
    case .invalidBucket(let width):
      "A bucket cannot have a width of \(width). Use a width of at least 1."
    case .mixedStorage(let what):
      "\(what) mixes values of different types. Compare like with like."
    case .alwaysNull(let what):
      "\(what) is null for every row. Use an expression that fits the attribute's type."
    case .negativeWindow(let limit, let offset):
      if let limit, limit < 0 {
        "The limit must be 0 or more, not \(limit)."
      } else {
        "The offset must be 0 or more, not \(offset)."
      }
    case .transientSectionNotFirst(let source, let first, let rows):
      "Sections computed from \(source) need \(source) as the first sort descriptor,"
        + " not \(first ?? "none"): otherwise the rows of a section are not adjacent"
        + RequestError.words(forRowsApart: rows)
        + ". Sort by \(source) first, or list without sections."
    case .sectionNotContiguous(let id, let first, let second):
      "The rows of section \(id) are not adjacent: other rows separate \(first) and \(second)."
        + " Sort by the section first, or choose to merge or split such sections."
    case .duplicateIdentity(let id, let first, let second):
      "\(id) is at positions \(first) and \(second) of one result. Identities must be unique."
    case .foreignIdentity(let id, let entity):
      "\(id) is not an object of \(entity). Use identities of that entity only."
    case .notSummable(let what, let type):
      "\(what) is of type \(type) and has no sum. Sum numbers, or use count, minimum or maximum."
    case .duplicateAggregate(let name):
      "Two aggregates are named \(name). Give each a different name."
    case .unknownAggregate(let name, let known):
      "The list declares no aggregate named \(name). "
        + (known.isEmpty ? "It declares none." : "It declares \(known.joined(separator: ", ")).")
    case .runningValuesOfArrangedSections(let name):
      "\(name) has no running values here: fixed sections, and sections that are objects, are not in the order of the rows."
        + " Use a list without an arrangement, or one that only limits its sections."
    case .runningValuesOfOthers(let name, let attribute):
      "\(name) has no running values here: they depend on \(attribute), which the list does not fetch, so it would not"
        + " say when they change. Fetch \(attribute) too."
    case .unknownRelationship(let name, let entity, let known):
      "\(entity) has no relationship named \(name). "
        + (NearestName.of(name, among: known).map { "Did you mean \($0)?" }
          ?? (known.isEmpty
            ? "It has no relationships." : "It has \(known.joined(separator: ", "))."))
    case .pathThroughMany(let path, let relationship, false):
      "\(path) has many values, because \(relationship) is to-many."
        + " Use \(relationship).@count, @min, @max or @sum, or a condition with ANY, ALL or NONE."
    case .pathThroughMany(let path, let relationship, true):
      "\(path) goes on after \(relationship), which is to-many. Put the rest into a condition on its objects,"
        + " such as SUBQUERY(\(relationship), $x, ANY $x.… == …).@count > 0."
    case .pathWithoutMany(let path, let relationship):
      "\(path) needs a to-many relationship at its end, and \(relationship) is to-one."
        + " Use the value itself, without ANY, ALL, NONE or an aggregate."
    case .tooManyRelationships(true, let limit):
      "A path follows at most \(limit) relationships. Use a shorter one."
    case .tooManyRelationships(false, let limit):
      "All paths of a request together follow at most \(limit) relationships. Use fewer or shorter ones."
    case .invalidPattern(let pattern, let reason):
      "The pattern \(pattern) of MATCHES is not valid. \(reason)"
    case .invalidPath(let path):
      "\(path) is not a value. End a path with an attribute, and apply functions to the whole path."
    case .unorderedForm(let what, let remedy):
      "\(what) cannot be ordered. \(remedy)"
    case .ambiguousForm(let what, let remedy):
      "\(what) cannot be compared with == or IN. \(remedy)"
    case .withoutLinks(let path, let entity):
      "\(path) of \(entity) is not a many-to-many relationship that \(entity) declares, so it has no links."
        + " Use the relationship of the struct that declares it, or set the foreign key."
    case .mismatchedRelationship(let name, let entity):
      "The foreign key of \(name) of \(entity) does not fit the key of the objects that it names."
        + " Name attributes of the key's types, in key order."
    case .invalidRank(let name, let entity, let found):
      "\(name) of \(entity) is \(found), so it holds no ranks."
        + " Order by an attribute of 16, 32 or 64 bits that is neither in the key nor in the scope."
    case .exhaustedRanks(let name, let entity, let rows):
      "\(name) of \(entity) has no ranks left for \(rows) rows of one group."
        + " Give the attribute more bits, or allow more ranks."
    case .negativeSectionLimit(let limit, let section):
      "The limit of \(section.map { "section \($0)" } ?? "each section") must be 0 or more, not \(limit)."
        + " With 0 the section is collapsed."
    case .duplicateFixedSection(let id):
      "Two fixed sections have the id \(id). Name each section once."
    case .fixedSectionsWithoutKey:
      "Fixed sections need a section key whose values are their ids, and which orders the list first."
        + " Use a key without an order of its own and without a grouping."
    case .mismatchedFixedSection(let id):
      "The id \(id) of a fixed section is of another type than the section key, so no row can be in it."
        + " Use a value of the key's type."
    case .sectionsOfCompoundKey(let path, let entity):
      "The objects of \(path) cannot be sections: the key of \(entity) has several parts."
        + " Use a value of theirs as section key, such as \(path).name."
    case .windowOfObjectSections:
      "A list whose sections are objects has no limit and no offset: its rows are not stored in the order of its sections."
        + " Limit the rows of each section instead."
    case .fixedObjectSections:
      "Sections that are objects have the order of those objects, and none is fixed."
        + " Sort the objects, select them by a condition, or use the foreign key itself as section key."
    case .relativeDate(let date):
      "\(date) follows the clock, which only the condition of a live list on its own rows does."
        + " Resolve the condition at a time, with resolved(at:in:), or write a date."
    case .equalRelativeDate(let date):
      "\(date) is one instant, which nothing equals for longer than a microsecond."
        + " Compare with <, <=, > or >=; a day is >= its beginning and < that of the next one."
    case .missingWallClock:
      "The list follows the clock, and its options have none. Set ResultsOptions.wallClock, to .system for example."
    case .groupsWithoutSections:
      "A list without sections has no groups, since they are runs of sections. Choose a section key."
    case .groupNotContiguous(let id, let first, let second):
      "The sections of group \(id) are not adjacent: others separate \(first) and \(second)."
        + " Use a group that follows from the order of the sections,"
        + " or an attribute, which orders the list before them."
    case .groupsBeforeSections(let what):
      "Groups by \(what) cannot order the list before these sections, which are grouped from the first sort descriptor,"
        + " merged, or objects with an order of their own."
        + " Group them by their ids or titles, or use an attribute as section key."
    }
  }

  private static func words(forRowsApart rows: [ObjectID]?) -> String {
    guard let rows else { return "" }
    guard rows.count == 2 else {
      return " (at present they are, but any change can separate them)"
    }
    return " (such as \(rows[0]) and \(rows[1]))"
  }
}
