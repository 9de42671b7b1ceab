import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

extension StoreConformance {
  static let identityPropertyCases: [Case] = [
    Case("conditions on the property of an identity", ["R203"]) { fixture in
      let store = try fixture.openBookshop()
      func expect(
        _ condition: EntityPredicate<Writer>,
        _ text: String,
        _ expected: [Int64]
      ) throws {
        for predicate in [
          condition.predicate, try FetchPredicate(parsing: text, entity: Writer.entity),
        ] {
          let request = FetchRequest<Writer>(
            entity: Writer.entity,
            where: predicate,
            sortedBy: [FetchSortDescriptor(.objectKey)]
          )
          try fixture.expectEqual(try store.fetch(request).compactMap(\.id), expected, text)
          let count = try store.count(of: request)
          try fixture.expectEqual(count, expected.count, "the number for \(text)")
        }
      }
      try expect(\.id == 2, "id == 2", [2])
      try expect(\.id != 2, "id != 2", [1, 10])
      try expect(\.id < 10, "id < 10", [1, 2])
      try expect(\.id >= 2 && \.name != "c", "id >= 2 AND name != 'c'", [2])
      try expect(.between(\.id, 2, 10), "id BETWEEN {2, 10}", [2, 10])
      try expect(.in(\.id, [10, 1, 7]), "id IN {10, 1, 7}", [1, 10])
      try expect(!.in(\.id, [10, 1]), "NOT id IN {10, 1}", [2])
      try expect(\.id == nil, "id == NULL", [])
      try expect(\.id != nil, "id != NULL", [1, 2, 10])
      try expect(.isNull(\.id), "id == NULL", [])
      try expect(Writer.books.any(\.isbn == "979-1"), "ANY books.isbn == '979-1'", [2])
      try expect(\.books.isbn.max >= "979", "books.@max.isbn >= '979'", [2])
      // By the name of the column, as programs write it.
      let named = FetchPredicate.comparison(.attribute("id"), .greater, .literal(1))
      try expect(EntityPredicate(named), "id > 1", [2, 10])
    },

    Case("conditions on the property of an identity that is a text", ["R203"]) { fixture in
      let store = try fixture.openBookshop()
      func expect(
        _ condition: EntityPredicate<Volume>,
        _ text: String,
        _ expected: [String]
      ) throws {
        for predicate in [
          condition.predicate, try FetchPredicate(parsing: text, entity: Volume.entity),
        ] {
          let request = FetchRequest<Volume>(
            entity: Volume.entity,
            where: predicate,
            sortedBy: [FetchSortDescriptor(.objectKey)]
          )
          try fixture.expectEqual(try store.fetch(request).map(\.isbn), expected, text)
        }
      }
      try expect(\.isbn == "979-1", "isbn == '979-1'", ["979-1"])
      try expect(\.isbn < "978-2", "isbn < '978-2'", ["978-10"])
      try expect(.beginsWith(\.isbn, "978"), "isbn BEGINSWITH '978'", ["978-10", "978-2"])
      try expect(.like(\.isbn, "*-1*"), "isbn LIKE '*-1*'", ["978-10", "979-1"])
      try expect(
        .endsWith(\.isbn, "É", caseInsensitive: true, diacriticInsensitive: true),
        "isbn ENDSWITH[cd] 'É'",
        ["979-e"]
      )
      try expect(.in(\.isbn, ["979-1", "x"]), "isbn IN {'979-1', 'x'}", ["979-1"])
      try expect(\.writer.id == 2, "writer.id == 2", ["979-1"])
      try expect(.isNull(\.writer.id), "writer.id == NULL", ["979-e"])
    },

    Case("orders and values of the property of an identity", ["R203"]) { fixture in
      let store = try fixture.openBookshop()
      func isbns(_ order: EntitySortDescriptor<Volume>...) throws -> [String] {
        try store.fetch(FetchRequest<Volume>(sortedBy: order)).map(\.isbn)
      }
      let ascending = ["978-10", "978-2", "979-1", "979-e"]
      try fixture.expectEqual(try isbns(.ascending(\.isbn)), ascending, "ascending")
      try fixture.expectEqual(
        try isbns(.descending(\.isbn), .ascending(\.title)),
        ascending.reversed(),
        "descending"
      )
      try fixture.expectEqual(
        try isbns(.descending(\.writer.id), .descending(\.isbn)),
        ["979-1", "978-2", "978-10", "979-e"],
        "by the key of the writer"
      )
      for order in [
        FetchSortDescriptor.descending("id"),
        EntitySortDescriptor<Writer>.descending(\.id).descriptor,
      ] {
        let request = FetchRequest<FetchedDictionary>(
          entity: Writer.entity,
          sortedBy: [order],
          propertiesToFetch: ["id", "name", "books.isbn", "books.@min.isbn"]
        )
        let rows = try store.fetch(request)
        try fixture.expectEqual(rows.compactMap { $0["id"] }, [10, 2, 1], "the keys by name")
        try fixture.expectEqual(
          rows.last?["books.isbn"]?.elements,
          ["978-10", "978-2"],
          "the keys of the books"
        )
        try fixture.expectEqual(rows.last?["books.@min.isbn"], "978-10", "the first of them")
      }
      let volumes = FetchRequest<FetchedDictionary>(
        entity: Volume.entity,
        sortedBy: [.ascending("isbn")],
        propertiesToFetch: ["isbn", "writer.id"]
      )
      let rows = try store.fetch(volumes)
      try fixture.expectEqual(
        rows.map { [$0["isbn"], $0["writer.id"]].compactMap(\.self) },
        [["978-10", 1], ["978-2", 1], ["979-1", 2], ["979-e", .null]],
        "the values by name"
      )
    },

    Case("lists by the property of an identity", ["R203"]) { fixture in
      let store = try fixture.openBookshop()
      let request = FetchRequest<Volume>(
        where: \.isbn != "979-1",
        sortedBy: [.descending(\.isbn)]
      )
      let list = FetchedResultsController(
        ResultsDefinition(
          request,
          sectionedBy: EntitySectionKey<Volume>.attribute(\.isbn, .descending).key,
          aggregates: [
            SectionAggregate("last", .maximum("isbn")),
            SectionAggregate("writers", FetchAggregate(.count, of: .attribute("writerID"))),
          ]
        ),
        in: store
      )
      try await list.performFetch()
      let sections = list.sections.map { "\($0.title): \($0.header.aggregates)" }
      try fixture.expectEqual(
        sections,
        [
          "979-e: last 979-e, writers 0", "978-2: last 978-2, writers 1",
          "978-10: last 978-10, writers 1",
        ],
        "the sections"
      )
      let dictionaries = FetchedResultsController(
        ResultsDefinition(
          request.returning([.attribute(\.isbn), .attribute(\.writer.id)]),
          sectionedBy: .transient(source: "isbn", grouping: FirstThree())
        ),
        in: store
      )
      try await dictionaries.performFetch()
      try fixture.expectEqual(dictionaries.sections.map(\.title), ["979", "978"], "the groups")
      let rows = try dictionaries.results.rows.map { try $0.object.values }
      try fixture.expectEqual(
        rows,
        [["979-e", .null], ["978-2", 1], ["978-10", 1]],
        "the values of the rows"
      )
      var byName = dictionaries.definition
      byName.request.propertiesToFetch = ["writer.id"]
      try await dictionaries.update { $0 = byName }
      let named = try dictionaries.results.rows.compactMap { try $0.object["writer.id"] }
      try fixture.expectEqual(named, [.null, 1, 1], "the keys of the writers by name")
    },

    Case("aggregates over the rows of a section for which a condition is true", ["R284"]) {
      fixture in
      let store = try fixture.openBookshop()
      var definition = ResultsDefinition(
        FetchRequest<Volume>(sortedBy: [.ascending(\.isbn)]),
        sectionedBy: .transient(source: "isbn", grouping: FirstThree()),
        aggregates: [
          SectionAggregate("plain", .count("title"), of: Volume.self, where: \.title > "V"),
          SectionAggregate("of b", .count("title"), of: Volume.self, where: \.writer.name == "b"),
          SectionAggregate(
            "last",
            .maximum("isbn"),
            of: Volume.self,
            where: .contains(\.title, "2")
          ),
          SectionAggregate("none", .minimum("title"), of: Volume.self, where: .none),
        ]
      )
      let list = FetchedResultsController(definition, in: store)
      try await list.performFetch()
      func expect(_ sections: [String], _ total: String, _ what: String) async throws {
        try await list.refresh()
        let shown = list.sections.map { "\($0.title): \($0.header.aggregates)" }
        try fixture.expectEqual(shown, sections, what)
        try fixture.expectEqual(list.results.aggregates.description, total, "the total \(what)")
      }
      try await expect(
        [
          "978: plain 2, of b 0, last 978-2, none none",
          "979: plain 0, of b 1, last none, none none",
        ],
        "plain 2, of b 1, last 978-2, none none",
        "at first"
      )
      // A change of an attribute that only a condition reads.
      try await store.write { transaction in
        for case .some(let row) in try transaction.rows([.text("978-2")], of: Volume.entity) {
          var volume = try Volume(row: row)
          volume.title = "One"
          try transaction.update(volume)
        }
      }
      try await expect(
        [
          "978: plain 1, of b 0, last none, none none",
          "979: plain 0, of b 1, last none, none none",
        ],
        "plain 1, of b 1, last none, none none",
        "after a title"
      )
      // A related object that only a condition reads.
      try await store.write { transaction in
        try transaction.update(Writer(id: 1, name: "b"))
        try transaction.update(Writer(id: 2, name: "a"))
      }
      try await expect(
        [
          "978: plain 1, of b 2, last none, none none",
          "979: plain 0, of b 0, last none, none none",
        ],
        "plain 1, of b 2, last none, none none",
        "after names"
      )
      try await store.write { transaction in
        try transaction.insert(Volume(isbn: "979-9", title: "W2", writerID: 1))
      }
      try await expect(
        [
          "978: plain 1, of b 2, last none, none none",
          "979: plain 1, of b 1, last 979-9, none none",
        ],
        "plain 2, of b 3, last 979-9, none none",
        "after an insertion"
      )
      definition.aggregates = [
        SectionAggregate(
          "wrong",
          .count("title"),
          of: Volume.self,
          where: EntityPredicate(.isNull(.attribute("x")))
        )
      ]
      let wrong = FetchedResultsController(definition, in: store)
      var refusal = "none"
      do { try await wrong.performFetch() } catch { refusal = "\(error)" }
      try fixture.expect(
        refusal.contains("named x."),
        "a refusal that names the attribute",
        found: refusal
      )
    },

    Case("conditions and orders by a part of a compound key", ["R203"]) { fixture in
      let store = try fixture.openBookshop()
      func labels(
        _ condition: EntityPredicate<Locker>,
        _ order: EntitySortDescriptor<Locker>...
      ) throws -> [String] {
        try store.fetch(FetchRequest<Locker>(where: condition, sortedBy: order)).map(\.label)
      }
      try fixture.expectEqual(
        try labels(\.number > 1 && \.room == "a", .descending(\.number)),
        ["a3", "a2"],
        "the lockers of a room"
      )
      try fixture.expectEqual(
        try labels(.all, .ascending(\.number), .descending(\.room)),
        ["b1", "a1", "a2", "a3"],
        "all lockers"
      )
    },

    Case("texts without regard to case and marks, by typed conditions", ["R206"]) { fixture in
      let store = try fixture.openBookshop()
      func titles(_ condition: EntityPredicate<Volume>) throws -> [String] {
        try store.fetch(FetchRequest<Volume>(where: condition, sortedBy: [.ascending(\.title)]))
          .map(\.title)
      }
      func expect(_ condition: EntityPredicate<Volume>, _ expected: [String]) throws {
        try fixture.expectEqual(try titles(condition), expected, "\(condition.predicate)")
      }
      try expect(.contains(\.title, "ete", diacriticInsensitive: true), ["L'été"])
      try expect(.contains(\.title, "ÉTÉ", diacriticInsensitive: true), [])
      try expect(
        .contains(\.title, "ÉTÉ", caseInsensitive: true, diacriticInsensitive: true),
        ["L'été"]
      )
      try expect(.beginsWith(\.title, "E\u{301}", diacriticInsensitive: true), ["Eco"])
      try expect(.endsWith(\.title, "éte", diacriticInsensitive: true), ["L'été"])
      try expect(.like(\.title, "?'ét?", diacriticInsensitive: true), ["L'été"])
      try expect(.contains(\.writer.name, "Ä", diacriticInsensitive: true), [])
      try expect(
        .contains(\.writer.name, "Ä", caseInsensitive: true, diacriticInsensitive: true),
        ["Volume 10", "Volume 2"]
      )
    },

    Case("titles are filed alike in every store, by another text if there is one", ["R286"]) {
      fixture in
      let store = try fixture.open()
      let filed: [(title: String, note: String?)] = [
        ("9 Nights", nil), ("11/22/63", nil), ("Ægypt", nil), ("After", nil), ("¿Dónde?", nil),
        ("L'Étranger", "Étranger, L'"), ("Łódź", nil), ("[Logbook]", nil), ("Œuvres", nil),
        ("“Øst”", nil), ("Straße", nil), ("Strassen", nil), ("þing", nil), ("Zoo", nil),
        ("The Zoo", "Zoo, The"),
      ]
      try await store.write { transaction in
        for (title, note) in filed.reversed() {
          let values = Sample.item(.text(title), note: note.map { .text($0) } ?? .null)
          try transaction.insert(values, key: nil, into: Sample.item)
        }
      }
      let order = FetchExpression.transformed(
        .filing,
        .ifNull(.attribute("note"), .attribute("title"))
      )
      let list = FetchedResultsController(
        ResultsDefinition<Row>(
          FetchRequest(entity: Sample.item, sortedBy: [FetchSortDescriptor(order)]),
          sectionedBy: .expression(order)
        ),
        in: store
      )
      try await list.performFetch()
      try fixture.expectEqual(
        list.sections.map(\.title),
        filed.map { $0.note ?? $0.title },
        "the titles"
      )
    },

    Case("the title of a section in natural order is the text", ["R206"]) { fixture in
      let store = try fixture.openBookshop()
      let list = FetchedResultsController(
        ResultsDefinition(
          FetchRequest<Volume>(sortedBy: [.ascending(\.isbn)]),
          sectionedBy: .expression(.transformed(.natural, .attribute("title")))
        ),
        in: store
      )
      try await list.performFetch()
      try fixture.expectEqual(
        list.sections.map(\.title),
        ["Eco", "L'été", "Volume 2", "Volume 10"],
        "the titles"
      )
      try await list.update { $0.sectionKey?.title = { "«\($0.text ?? "none")»" } }
      try fixture.expectEqual(list.sections.last?.title, "«Volume 10»", "a title of one's own")
    },
  ]
}

/// Groups texts by their first three characters.
private struct FirstThree: SectionGrouping {
  func group(of value: Value) -> SectionGroup {
    SectionGroup(id: .text(String((value.text ?? "").prefix(3))))
  }

  func title(of id: Value) -> String { id.text ?? "" }

  var groupingIdentity: String { "first three" }
  var titleIdentity: String { "" }
}

extension ConformanceFixture {
  /// Opens a store with writers, volumes and lockers.
  fileprivate func openBookshop() throws -> any Store {
    let store = try open([Writer.entity, Volume.entity, Locker.entity])
    try store.write { transaction in
      for (id, name) in [(1, "a"), (2, "b"), (10, "c")] as [(Int64, String)] {
        try transaction.insert(Writer(id: id, name: name))
      }
      for (isbn, title, writer) in [
        ("978-2", "Volume 2", 1), ("978-10", "Volume 10", 1), ("979-1", "L'été", 2),
        ("979-e", "Eco", nil),
      ] as [(String, String, Int64?)] {
        try transaction.insert(Volume(isbn: isbn, title: title, writerID: writer))
      }
      for (room, number) in [("a", 1), ("a", 2), ("a", 3), ("b", 1)] as [(String, Int64)] {
        try transaction.insert(Locker(room: room, number: number, label: "\(room)\(number)"))
      }
    }
    return store
  }
}

private struct Writer: Entity {
  var id: Int64?
  var name = ""

  static let books = ToMany<Writer, Volume>("books", inverse: Volume.writer)

  static let schema = EntitySchema<Writer>("Writer", identity: \.id) {
    Attribute(\.name, "name")
    Relationship(books)
  }
}

private struct Volume: Entity {
  var isbn = ""
  var title = ""
  var writerID: Int64?

  static let writer = ToOne<Volume, Writer>("writer", \.writerID)

  static let schema = EntitySchema<Volume>("Volume", textIdentity: \.isbn, column: "isbn") {
    Attribute(\.title, "title")
    Attribute(\.writerID, "writerID")
    Relationship(writer)
  }
}

private struct Locker: Entity {
  var room = ""
  var number: Int64 = 0
  var label = ""

  static let schema = EntitySchema<Locker>("Locker", compoundIdentity: ["room", "number"]) {
    Attribute(\.room, "room")
    Attribute(\.number, "number")
    Attribute(\.label, "label")
  }
}
