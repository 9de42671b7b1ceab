import ResultsDomain
import ResultsStoreKit

extension StoreConformance {
  static let relationCases: [Case] = [
    Case("a path is null where a step is missing", ["R92"]) { fixture in
      let store = try fixture.openLibrary()
      try fixture.expectEqual(
        try Library.values("author.name", store),
        [.text("Eco"), .text("Eco"), .text("Anonymous"), .null],
        "the authors of all books"
      )
      try fixture.expectEqual(
        try Library.values("author.country.name", store),
        [.text("Italy"), .text("Italy"), .null, .null],
        "the countries of all books"
      )
    },

    Case("a dangling key is no object", ["R92"]) { fixture in
      let store = try fixture.openLibrary()
      try store.write { transaction in
        try transaction.delete(Library.id("Author", 1), of: Library.authors)
      }
      try fixture.expectEqual(
        try Library.values("author.name", store),
        [.null, .null, .text("Anonymous"), .null],
        "the authors of all books"
      )
      let orphans = FetchPredicate.isNull(.related(["author"], .attribute("name")))
      try fixture.expectEqual(
        try Library.books(orphans, store),
        [1, 2, 4],
        "the books without an author's name"
      )
    },

    Case("quantifiers over nothing are false for ANY, true for ALL and NONE", ["R93"]) { fixture in
      let store = try fixture.openLibrary()
      let isOld = FetchPredicate.comparison(.attribute("name"), .equal, .literal("old"))
      func books(_ quantifier: Quantifier) throws -> [Int64] {
        try Library.books(.quantified(quantifier, ["tags"], isOld), store)
      }
      try fixture.expectEqual(try books(.any), [1], "the books with any tag of a name")
      try fixture.expectEqual(try books(.all), [3, 4], "the books with all tags of a name")
      try fixture.expectEqual(try books(.none), [2, 3, 4], "the books with no tag of a name")
      // A tag without a name is unknown, which does not count; nothing is unknown for the book.
      let isNotOld = FetchPredicate.comparison(.attribute("name"), .notEqual, .literal("old"))
      try fixture.expectEqual(
        try Library.books(.not(.quantified(.any, ["tags"], isNotOld)), store),
        [2, 3, 4],
        "the books without a tag of another name"
      )
    },

    Case("gatherings are exact", ["R93"]) { fixture in
      let store = try fixture.openLibrary()
      func values(_ expression: FetchExpression) throws -> [[Int64]] {
        try (0...3).map { number in
          let equals = FetchPredicate.comparison(
            expression,
            .equal,
            .literal(.integer([0, 1, 2, 3981][number]))
          )
          return try Library.authorKeys(equals, store)
        }
      }
      let year = FetchExpression.attribute("year")
      try fixture.expectEqual(
        try values(.relatedAggregate(["books"], .count, nil, where: .all)),
        [[3], [2], [1], []],
        "the authors by the number of books"
      )
      try fixture.expectEqual(
        try values(.relatedAggregate(["books"], .count, year, where: .all)),
        [[2, 3], [], [1], []],
        "the authors by the number of years"
      )
      try fixture.expectEqual(
        try values(.relatedAggregate(["books"], .sum, year, where: .all)),
        [[], [], [], [1]],
        "the authors by the sum of years"
      )
      let least = FetchExpression.relatedAggregate(["books"], .minimum, year, where: .all)
      try fixture.expectEqual(
        try Library.authorKeys(.isNull(least), store),
        [2, 3],
        "the authors without a first year"
      )
    },

    Case("referrers are those of this version", ["R94"]) { fixture in
      let store = try fixture.openLibrary()
      func referrers(_ key: Int64) throws -> [ObjectKey] {
        try store.read { (snapshot) throws(StoreError) in
          let found = try snapshot.referrers(
            to: [.integer(key), .integer(77)],
            through: ["authorID"],
            of: Library.bookEntity,
            limit: nil
          )
          return (found ?? []).sorted { ModelStore.order($0, $1) == .ascending }
        }
      }
      try fixture.expectEqual(
        try referrers(1),
        [.integer(1), .integer(2)],
        "the books of an author"
      )
      try store.write { transaction in
        try transaction.update(
          Library.id("Book", 2),
          to: ["B", 1988, 2],
          of: Library.bookEntity
        )
        let inside = try transaction.referrers(
          to: [.integer(2)],
          through: ["authorID"],
          of: Library.bookEntity,
          limit: nil
        )
        try fixture.expectEqual(inside?.count, 2, "the number of books inside the transaction")
      }
      try fixture.expectEqual(
        try referrers(1),
        [.integer(1)],
        "the books of an author after a change"
      )
      try fixture.expectEqual(
        try referrers(2),
        [.integer(2), .integer(3)],
        "the books of the other author"
      )
    },

    Case("referrers stop at their limit", ["R96"]) { fixture in
      let store = try fixture.openLibrary()
      for (limit, expected) in [(0, nil), (1, nil), (2, 2), (3, 2)] as [(Int, Int?)] {
        let found = try store.read { (snapshot) throws(StoreError) in
          try snapshot.referrers(
            to: [.integer(1)],
            through: ["authorID"],
            of: Library.bookEntity,
            limit: limit
          )?.count
        }
        try fixture.expectEqual(found, expected, "the referrers up to a limit of \(limit)")
      }
    },

    Case("one commit has one version in every entity", ["R97"]) { fixture in
      let store = try fixture.openLibrary()
      let version = try fixture.version(store)
      try store.write { transaction in
        try transaction.update(Library.id("Author", 1), to: ["Zz", 1], of: Library.authors)
        try transaction.delete(Library.id("Book", 4), of: Library.bookEntity)
      }
      try store.write { transaction in
        try transaction.update(Library.id("Author", 2), to: ["Aa", .null], of: Library.authors)
      }
      guard try fixture.reportsCommits(store, of: Library.authors) else { return }
      let authors = try fixture.commits(store, since: version, of: Library.authors)
      let books = try fixture.commits(store, since: version, of: Library.bookEntity)
      try fixture.expectEqual(
        books.filter { !$0.changes.isEmpty }.map(\.version),
        Array(authors.map(\.version).prefix(1)),
        "the version of the first commit in both entities"
      )
      let history = try store.read { (snapshot) throws(StoreError) in
        try snapshot.history(since: version, ofEach: [Library.bookEntity, Library.authors])
      }
      guard case .commits(let merged) = history else {
        throw fixture.failure("the commits of both entities", "a gap")
      }
      let counts = merged.map(\.changes.count).filter { $0 > 0 }
      try fixture.expectEqual(counts, [2, 1], "the changes of the commits")
    },

    Case("joined keys equal the core's join", ["R98"]) { fixture in
      var generator = SeededGenerator(seed: 7)
      let schema = try RelationSchema(&generator)
      let random = try fixture.open(schema.entities)
      try random.write { try schema.change(steps: 120, $0, &generator) }
      for _ in 0..<60 {
        let entity = schema.entities[0]
        let request = FetchRequest<ObjectID>(
          entity: entity,
          where: schema.predicate(over: entity, depth: 2, &generator),
          sortedBy: [FetchSortDescriptor(schema.expression(over: entity, depth: 2, &generator))]
        )
        let joined = try random.read { (snapshot) throws(StoreError) in
          try snapshot.fetch(request)
        }
        let answered = try random.fetch(request)
        try fixture.expectEqual(
          answered.map(\.uri),
          joined.map(\.uri),
          "\(request.predicate) by \(request.sortDescriptors.map(\.expression))"
        )
      }
    },

    Case("delete rules cascade, make null or deny, in the transaction of the delete", ["R101"]) {
      fixture in
      let store = try fixture.open(Library.ruled)
      let (folder, note, label) = (Library.ruled[0], Library.ruled[1], Library.ruled[2])
      try store.write { transaction in
        for number in 1...3 {
          try transaction.insert(["f"], key: .integer(Int64(number)), into: folder)
        }
        try transaction.insert([1, .null], key: .integer(1), into: note)
        try transaction.insert([1, 2], key: .integer(2), into: note)
        try transaction.insert([.null, 1], key: .integer(3), into: note)
        try transaction.insert([3], key: .integer(1), into: label)
      }
      let denied = ObjectID(entity: "Folder", key: .integer(3))
      try fixture.expectError("the denial of the delete") { error in
        if case .referenced(
          denied,
          by: [ObjectID(entity: "Label", key: .integer(1))],
          relationship: _
        ) = error {
          true
        } else {
          false
        }
      } _: {
        try store.write { try $0.delete(denied, of: folder, applyingRulesOf: Library.ruled) }
      }
      try store.write { transaction in
        try transaction.delete(
          ObjectID(entity: "Folder", key: .integer(1)),
          of: folder,
          applyingRulesOf: Library.ruled
        )
      }
      let left = try store.read { (snapshot) throws(StoreError) in
        try snapshot.fetch(
          FetchRequest<Row>(entity: note, sortedBy: [FetchSortDescriptor(.objectKey)])
        )
      }
      try fixture.expectEqual(left.map(\.values), [[.null, .null]], "the notes that are left")
    },

    Case("the effects of delete rules are changes of the commit that deletes", ["R101"]) {
      fixture in
      let store = try fixture.open(Library.ruled)
      let (folder, note) = (Library.ruled[0], Library.ruled[1])
      try store.write { transaction in
        try transaction.insert(["f"], key: .integer(1), into: folder)
        try transaction.insert([1, .null], key: .integer(1), into: note)
        try transaction.insert([.null, 1], key: .integer(2), into: note)
        try transaction.insert([.null, .null], key: .integer(3), into: note)
      }
      let version = try fixture.version(store)
      try store.write { transaction in
        try transaction.delete(
          ObjectID(entity: "Folder", key: .integer(1)),
          of: folder,
          applyingRulesOf: Library.ruled
        )
      }
      guard try fixture.reportsCommits(store, of: note) else { return }
      let commits = try fixture.commits(store, since: version, of: note)
      try fixture.expectEqual(commits.count, 1, "the number of commits")
      let changes = commits.flatMap(\.changes).map { change in
        [change.before?.values ?? [], change.after?.values ?? []]
      }
      try fixture.expectEqual(
        Set(changes),
        [[[1, .null], []], [[.null, 1], [.null, .null]]],
        "the notes before and after the delete of their folder"
      )
      try fixture.expectEqual(
        commits.map(\.version),
        try fixture.commits(store, since: version, of: folder).map(\.version),
        "the version of the commit in both entities"
      )
    },

    Case("a denied delete leaves no trace", ["R101"]) { fixture in
      let store = try fixture.open(Library.ruled)
      let (folder, note, label) = (Library.ruled[0], Library.ruled[1], Library.ruled[2])
      try store.write { transaction in
        try transaction.insert(["f"], key: .integer(1), into: folder)
        try transaction.insert([1, .null], key: .integer(1), into: note)
        try transaction.insert([1], key: .integer(1), into: label)
      }
      let version = try fixture.version(store)
      try store.write { transaction in
        try? transaction.delete(
          ObjectID(entity: "Folder", key: .integer(1)),
          of: folder,
          applyingRulesOf: Library.ruled
        )
      }
      try fixture.expectEqual(try fixture.version(store), version, "the version after the denial")
      for entity in Library.ruled {
        let count = try store.read { (snapshot) throws(StoreError) in
          try snapshot.count(of: entity, where: .all)
        }
        try fixture.expectEqual(count, 1, "the number of rows of \(entity.name)")
      }
    },

    Case("referrers are found through several columns together", ["R94"]) { fixture in
      let store = try fixture.open(Library.racks)
      let (rack, box) = (Library.racks[0], Library.racks[1])
      try store.write { transaction in
        try transaction.insert(["a", 1, "s"], key: nil, into: rack)
        try transaction.insert(["b", 2, "t"], key: nil, into: rack)
        let boxes: [[Value]] = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["b", .null]]
        for (key, values) in boxes.enumerated() {
          try transaction.insert(values, key: .integer(Int64(key)), into: box)
        }
      }
      let keys: [ObjectKey] = [.compound(["a", 1]), .compound(["b", 2])]
      let found = try store.read { (snapshot) throws(StoreError) in
        try snapshot.referrers(to: keys, through: ["room", "row"], of: box, limit: nil)
      }
      // Each of the columns holds a part of one of the keys in all but the last.
      try fixture.expectEqual(
        Set(found ?? []),
        [.integer(0), .integer(3)],
        "the boxes of both racks"
      )
      let labels = try store.fetch(
        FetchRequest<FetchedDictionary>(
          entity: box,
          sortedBy: [FetchSortDescriptor(.objectKey)],
          propertiesToFetch: ["rack.label"]
        )
      )
      try fixture.expectEqual(
        labels.map(\.values),
        [["s"], [.null], [.null], ["t"], [.null]],
        "the labels of the boxes' racks"
      )
    },

    Case("stored forms are stored as they are, and order as their bytes", ["R102", "R266"]) {
      fixture in
      let entity = Library.forms
      let store = try fixture.open([entity])
      let rows: [[Value]] = [
        ["2026-01-02 03:04:05.678", 1_700_000_000, "00000000-0000-0000-0000-00000000000A", 1],
        ["2025-12-31 23:59:59.999", 12, "00000000-0000-0000-0000-00000000000B", 0],
        // What has not the form is kept too.
        ["2026-01-02", -1, "x", 7],
      ]
      try store.write { transaction in
        for (key, values) in rows.enumerated() {
          try transaction.insert(values, key: .integer(Int64(key)), into: entity)
        }
      }
      let orders = [
        ("day", [1, 2, 0]), ("seconds", [2, 1, 0]), ("uuid", [0, 1, 2]), ("level", [1, 0, 2]),
      ]
      for (name, order) in orders {
        let found = try store.fetch(
          FetchRequest<Row>(entity: entity, sortedBy: [.ascending(name)])
        )
        try fixture.expectEqual(found.map(\.values), order.map { rows[$0] }, "the rows by \(name)")
      }
      try fixture.expectError("the refusal of a value of another storage class") { error in
        if case .invalid = error { true } else { false }
      } _: {
        try store.write { transaction in
          _ = try transaction.insert([1, 1, "x", 0], key: nil, into: entity)
        }
      }
      let high = try FetchPredicate(parsing: "level >= 'high'", entity: entity)
      let found = try store.fetch(
        FetchRequest<Row>(entity: entity, where: high, sortedBy: [.ascending("level")])
      )
      try fixture.expectEqual(found.map(\.values), [rows[0], rows[2]], "the rows from a word on")
    },
  ]
}

extension ConformanceFixture {
  /// Opens a store with a few books.
  func openLibrary() throws -> any Store {
    let store = try open(Library.entities)
    try store.write { transaction in
      try transaction.insert(["Italy"], key: .integer(1), into: Library.countries)
      try transaction.insert(["Eco", 1], key: .integer(1), into: Library.authors)
      try transaction.insert(["Anonymous", .null], key: .integer(2), into: Library.authors)
      try transaction.insert(["Silent", 9], key: .integer(3), into: Library.authors)
      try transaction.insert(["A", 1980, 1], key: .integer(1), into: Library.bookEntity)
      try transaction.insert(["B", 2001, 1], key: .integer(2), into: Library.bookEntity)
      try transaction.insert(["C", .null, 2], key: .integer(3), into: Library.bookEntity)
      try transaction.insert(["D", 1500, .null], key: .integer(4), into: Library.bookEntity)
      for (key, name) in [(1, "old"), (2, "new"), (3, .null)] as [(Int64, Value)] {
        try transaction.insert([name], key: .integer(key), into: Library.tags)
      }
      for (book, tag) in [(1, 1), (1, 2), (2, 3), (3, 88)] as [(Int64, Int64)] {
        try transaction.insert([.integer(book), .integer(tag)], key: nil, into: Library.links)
      }
    }
    return store
  }

  /// Whether the history of the store has commits, and not only gaps.
  fileprivate func reportsCommits(_ store: any Store, of entity: EntityDescription) throws -> Bool {
    try store.read { (snapshot) throws(StoreError) in
      if case .commits = try snapshot.history(since: snapshot.version, of: entity) {
        true
      } else {
        false
      }
    }
  }
}

/// Books with authors from countries, and tags by links.
enum Library {
  static let entities = [countries, authors, bookEntity, tags, links]

  static let countries: EntityDescription = make(
    "Country",
    [AttributeDescription("name", .text)]
  )

  static let authors: EntityDescription = make(
    "Author",
    [
      AttributeDescription("name", .text),
      AttributeDescription("countryID", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("country", .toOne(foreignKey: ["countryID"])) { countries },
      RelationshipDescription("books", .toMany(foreignKey: ["authorID"])) { bookEntity },
    ]
  )

  static let bookEntity: EntityDescription = make(
    "Book",
    [
      AttributeDescription("title", .text),
      AttributeDescription("year", .integer64, isOptional: true),
      AttributeDescription("authorID", .integer64, isOptional: true),
    ],
    [
      RelationshipDescription("author", .toOne(foreignKey: ["authorID"])) { authors },
      RelationshipDescription(
        "tags",
        .manyToMany(link: EntityReference { links }, from: ["bookID"], to: ["tagID"])
      ) { tags },
    ]
  )

  static let tags: EntityDescription = make(
    "Tag",
    [AttributeDescription("name", .text, isOptional: true)]
  )

  static let links: EntityDescription = make(
    "BookTag",
    identity: .compound(["bookID", "tagID"]),
    [AttributeDescription("bookID", .integer64), AttributeDescription("tagID", .integer64)]
  )

  /// Folders with notes that go with them or lose them, and labels that hold them.
  static let ruled: [EntityDescription] = {
    let folder = make("Folder", [AttributeDescription("name", .text)])
    let note = make(
      "Note",
      [
        AttributeDescription("folderID", .integer64, isOptional: true),
        AttributeDescription("otherID", .integer64, isOptional: true),
      ],
      [
        RelationshipDescription("folder", .toOne(foreignKey: ["folderID"]), onDelete: .cascade) {
          folder
        },
        RelationshipDescription("other", .toOne(foreignKey: ["otherID"]), onDelete: .nullify) {
          folder
        },
      ]
    )
    let label = make(
      "Label",
      [AttributeDescription("folderID", .integer64)],
      [
        RelationshipDescription("folder", .toOne(foreignKey: ["folderID"]), onDelete: .deny) {
          folder
        }
      ]
    )
    return [folder, note, label]
  }()

  /// Racks with compound keys, and the boxes in them.
  static let racks: [EntityDescription] = {
    let rack = make(
      "Rack",
      identity: .compound(["room", "row"]),
      [
        AttributeDescription("room", .text), AttributeDescription("row", .integer64),
        AttributeDescription("label", .text),
      ]
    )
    let box = make(
      "Box",
      [
        AttributeDescription("room", .text, isOptional: true),
        AttributeDescription("row", .integer64, isOptional: true),
      ],
      [RelationshipDescription("rack", .toOne(foreignKey: ["room", "row"])) { rack }]
    )
    return [rack, box]
  }()

  static let forms = make(
    "Event",
    [
      AttributeDescription("day", .date, form: .dateText(digits: 3)),
      AttributeDescription("seconds", .date, form: .epochSeconds),
      AttributeDescription("uuid", .text, form: .uuidText(isUppercase: true)),
      AttributeDescription("level", .text, form: .words(["low", "high"])),
    ]
  )

  static func id(_ entity: String, _ key: Int64) -> ObjectID {
    ObjectID(entity: entity, key: .integer(key))
  }

  /// The values of a path for all books, in the order of their keys.
  static func values(_ path: String, _ store: any Store) throws -> [Value] {
    let request = FetchRequest<FetchedDictionary>(
      entity: bookEntity,
      sortedBy: [FetchSortDescriptor(.objectKey)],
      propertiesToFetch: [path]
    )
    return try store.fetch(request).map(\.values[0])
  }

  /// The keys of the books for which a predicate holds.
  static func books(_ predicate: FetchPredicate, _ store: any Store) throws -> [Int64] {
    try keys(bookEntity, predicate, store)
  }

  /// The keys of the authors for which a predicate holds.
  static func authorKeys(_ predicate: FetchPredicate, _ store: any Store) throws -> [Int64] {
    try keys(authors, predicate, store)
  }

  private static func keys(
    _ entity: EntityDescription,
    _ predicate: FetchPredicate,
    _ store: any Store
  ) throws -> [Int64] {
    let request = FetchRequest<ObjectID>(
      entity: entity,
      where: predicate,
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    return try store.fetch(request).compactMap { id in
      if case .integer(let key) = id.key { key } else { nil }
    }
  }

  private static func make(
    _ name: String,
    identity: EntityIdentity = .integer(),
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription] = []
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        identity: identity,
        attributes: attributes,
        relationships: relationships
      )
    } catch {
      preconditionFailure("The sample entity \(name) is not valid. \(error)")
    }
  }
}
